/*
 * The support of a test. A test tells chance from the rest by itself, so that its search may be as
 * low as time and memory allow: what limits it is the number of steps and of results.
 *
 * The support is the least one that is tried. Where a search with it is too large, it is busy units
 * that make it so: a link share asks more of them, and leaves slow ones alone. Shares are tried
 * from 0 up; the first one with which every surrogate keeps to the limits is taken. The recording
 * is not searched, so that the choice is the same whichever of them were the recording.
 */
#include <pthread.h>

#include "distribute/queue.h"
#include "significance/choose/choose.h"

static const double SHARES[] = {0,   .0001, .0002, .0005, .001, .002, .005, .01,
                                .02, .05,   .1,    .2,    .5,   1,    2,    5};
enum { N_SHARES = sizeof SHARES / sizeof SHARES[0] };

/* Searches of surrogates with one support and one share. */
typedef struct trial {
    const choose_job *job;
    spk_episode_options options;
    pthread_mutex_t lock;
    bool passed; /* some search was too large */
    uint64_t n;  /* episodes of all that were done */
    uint64_t most_in_one;
    double seconds; /* of all, one after the other */
} trial;

static bool has_passed(trial *t)
{
    pthread_mutex_lock(&t->lock);
    const bool passed = t->passed;
    pthread_mutex_unlock(&t->lock);
    return passed;
}

static void add_search(trial *t, const episode_limits *limits, double seconds)
{
    pthread_mutex_lock(&t->lock);
    t->passed |= limits->passed || limits->n_frequent > limits->most_frequent;
    t->n += limits->n_frequent;
    t->most_in_one = limits->n_frequent > t->most_in_one ? limits->n_frequent : t->most_in_one;
    t->seconds += seconds;
    pthread_mutex_unlock(&t->lock);
}

static spk_status try_surrogate(spk_context *own, uint64_t task, void *user)
{
    trial *t = user;
    spk_recording *surrogate = NULL;
    episode_limits limits = choose_limits(t->job);
    limits.most_frequent = CHOOSE_MOST_RESULTS;
    if (has_passed(t))
        return SPK_OK;
    const double begin = spk_seconds_now();
    spk_status status =
        spk_surrogates_make(own, t->job->surrogates, choose_surrogate(task), &surrogate);
    if (status == SPK_OK)
        status = episode_mine_within(own, surrogate, &t->options, &limits, NULL, NULL);
    if (limits.passed)
        status = SPK_OK;
    if (status == SPK_OK)
        add_search(t, &limits, spk_seconds_now() - begin);
    spk_recording_free(surrogate);
    return status;
}

/* Whether the first n surrogates keep to the limits. */
static spk_status try_first(spk_context *context, trial *t, uint64_t n)
{
    const spk_queue_job queue = {
        .n = n, .what = "surrogates for the support", .task = try_surrogate, .user = t};
    t->passed = false;
    t->n = t->most_in_one = 0;
    t->seconds = 0;
    return spk_queue_run(context, &queue);
}

/* One first: of what is too large it tells so sooner. */
static spk_status try_all(spk_context *context, trial *t)
{
    spk_status status = try_first(context, t, 1);
    return status == SPK_OK && !t->passed ? try_first(context, t, t->job->options.n_surrogates)
                                          : status;
}

/* Where no share is large enough, as with very many units, the support rises. */
static void ask_more(trial *t, size_t k)
{
    if (k < N_SHARES)
        t->options.link_share = SHARES[k];
    else
        t->options.support *= 2;
}

spk_status choose_for_test(spk_context *context, const choose_job *job, spk_support_choice *out)
{
    const uint32_t n = job->options.n_surrogates;
    trial t = {.job = job, .passed = true};
    choose_search_options(job, job->options.max_size, &t.options);
    spk_status status = choose_least_support(context, job, &t.options.support);
    const uint64_t least = t.options.support;
    pthread_mutex_init(&t.lock, NULL);
    for (size_t k = 0; status == SPK_OK && t.passed; k++) {
        ask_more(&t, k);
        status = try_all(context, &t);
    }
    pthread_mutex_destroy(&t.lock);
    *out = (spk_support_choice){.support = t.options.support,
                                .limited = least > job->options.least_support,
                                .jitter = job->options.jitter,
                                .n_surrogates = n,
                                .by_chance = (double)t.n / n,
                                .most_in_one = t.most_in_one,
                                .link_share = t.options.link_share,
                                .seconds = t.seconds / n};
    return status;
}
