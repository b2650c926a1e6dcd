/*
 * Supports of patterns from surrogates, by size.
 *
 * Example: a search of a surrogate with support 40 finds 150,000 closed patterns, one with 30 more
 * than the 200,000 that it may. No size gets a support below 36, which was tried in between. Of the
 * pairs 120,000 have as many occurrences; 100,000 are allowed, so that pairs need 38.
 *
 * A search visits every closed pattern of two spikes or more, whatever it reports, and the windows
 * that hold it: that is what it costs. It falls with the support, which is first halved as long as
 * surrogates keep to the limits, then found between the last two.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "distribute/queue.h"
#include "pattern/run.h"
#include "significance/choose/choose.h"

enum {
    PATTERN_STEPS = 64,   /* of engine bitmap for a pattern, beside one for each window of it */
    MOST_OF_SIZE = 100000 /* patterns of a surrogate that a test looks at */
};

typedef struct pattern_job {
    spk_window_options windows;
    spk_pattern_options patterns; /* of the searches; the support is missing */
    spk_choose_options options;
    spk_surrogates *surrogates; /* owned */
    uint64_t most_steps;        /* of a search */
} pattern_job;

/* Searches of surrogates with one support. */
typedef struct trial {
    const pattern_job *job;
    uint64_t support;
    pthread_mutex_t lock;
    bool passed;
    choose_pool pool; /* of all that were done */
} trial;

/* One of them. */
typedef struct pattern_watch {
    spk_context *context;
    choose_pool pool;
    uint64_t steps;
    uint64_t most_steps;
    uint32_t source;
    bool passed;
} pattern_watch;

/* ---- searches -------------------------------------------------------------------------------- */

static spk_status take_patterns(void *user, const spk_pattern_columns *found)
{
    pattern_watch *w = user;
    choose_pool *pool = &w->pool;
    for (uint64_t i = 0; i < found->n; i++)
        w->steps += found->count[i] + PATTERN_STEPS;
    w->passed = w->steps > w->most_steps || found->n > CHOOSE_MOST_RESULTS - pool->n;
    if (w->passed)
        return SPK_ERR_CANCELLED;
    spk_status status = spk_grow(w->context, &pool->result, &pool->capacity, pool->n + found->n,
                                 "patterns of chance");
    for (uint64_t i = 0; i < found->n && status == SPK_OK; i++) {
        const uint64_t size = found->offset[i + 1] - found->offset[i];
        const uint64_t most = SPK_PATTERN_MAX_ESTIMATE;
        pool->result[pool->n++] = (choose_result){found->count[i], w->source,
                                                  (uint8_t)(size < most ? size : most), false};
    }
    return status;
}

static spk_status search(spk_context *own, const trial *t, const spk_recording *surrogate,
                         pattern_watch *w)
{
    spk_windows *windows = NULL;
    spk_pattern_options options = t->job->patterns;
    options.support = t->support;
    spk_status status = spk_windows_create(own, surrogate, &t->job->windows, &windows);
    if (status == SPK_OK) {
        const spk_window_columns columns = spk_windows_columns(windows);
        status = spk_pattern_run_unordered(own, &columns, &options, take_patterns, w, NULL);
    }
    spk_windows_free(windows);
    return w->passed ? SPK_OK : status;
}

static spk_status try_surrogate(spk_context *own, uint64_t task, void *user)
{
    trial *t = user;
    spk_recording *surrogate = NULL;
    pattern_watch w = {.context = own, .most_steps = t->job->most_steps, .source = (uint32_t)task};
    spk_status status =
        spk_surrogates_make(own, t->job->surrogates, choose_surrogate(task), &surrogate);
    if (status == SPK_OK)
        status = search(own, t, surrogate, &w);
    if (status == SPK_OK) {
        pthread_mutex_lock(&t->lock);
        t->passed |= w.passed;
        if (!w.passed)
            status = choose_join(own, &w.pool, t->support, &t->pool);
        pthread_mutex_unlock(&t->lock);
    }
    free(w.pool.result);
    spk_recording_free(surrogate);
    return status;
}

/* Whether the first n surrogates keep to the limit; the pool gets their patterns. */
static spk_status try_first(spk_context *context, trial *t, uint64_t support, uint64_t n)
{
    const spk_queue_job queue = {
        .n = n, .what = "surrogates for the support", .task = try_surrogate, .user = t};
    t->support = support;
    t->passed = false;
    t->pool.n = 0;
    return spk_queue_run(context, &queue);
}

/* ---- the least support ----------------------------------------------------------------------- */

/* No pattern of two spikes occurs more often than a unit fires. */
static uint64_t most_events(const spk_recording *recording)
{
    const spk_events events = spk_recording_events(recording);
    uint64_t most = 1;
    for (uint32_t u = 0; u < events.n_units; u++) {
        const uint64_t n = events.unit_first[u + 1] - events.unit_first[u];
        most = n > most ? n : most;
    }
    return most;
}

/* Halves the support as long as the first surrogate keeps to the limit; then what lies between. */
static spk_status descend(spk_context *context, trial *t, uint64_t least, uint64_t *support)
{
    uint64_t good = *support > least ? *support : least, bad = 0;
    spk_status status = SPK_OK;
    while (status == SPK_OK && good > least && (bad == 0 || good - bad > 1 + bad / 16)) {
        const uint64_t half = bad > 0 ? bad + (good - bad) / 2 : good / 2;
        const uint64_t next = half > least ? half : least;
        status = try_first(context, t, next, 1);
        *(t->passed ? &bad : &good) = next;
    }
    *support = good;
    return status;
}

/* The least support at which all surrogates keep to the limit; their patterns are in the pool. */
static spk_status find_least(spk_context *context, trial *t, const spk_recording *recording,
                             uint64_t *support)
{
    *support = most_events(recording) + 1;
    spk_status status = descend(context, t, t->job->options.least_support, support);
    for (bool again = true; status == SPK_OK && again; again = t->passed) {
        status = try_first(context, t, *support, t->job->options.n_surrogates);
        if (t->passed)
            *support += *support / 16 + 1;
    }
    return status;
}

/* ---- by size --------------------------------------------------------------------------------- */

/* The smallest support that leaves few enough patterns of each size, never rising with it. */
static spk_status fill_sizes(spk_context *context, const trial *t, uint64_t least,
                             spk_pattern_supports *out)
{
    const spk_choose_options *o = &t->job->options;
    const uint64_t most = o->most_by_chance > 0 ? o->most_by_chance : MOST_OF_SIZE;
    choose_pool of_size = {.n = 0};
    spk_status status = SPK_OK;
    out->n = 2;
    out->at_size[SPK_PATTERN_MAX_ESTIMATE] = least;
    for (uint32_t size = SPK_PATTERN_MAX_ESTIMATE; size >= 2 && status == SPK_OK; size--) {
        const uint64_t above = size < SPK_PATTERN_MAX_ESTIMATE ? out->at_size[size + 1] : least;
        of_size.n = 0;
        status = choose_take_size(context, &t->pool, (uint8_t)size, &of_size);
        out->at_size[size] = choose_support_of(&of_size, above, most * o->n_surrogates);
        if (out->at_size[size] > above && size + 1 > out->n)
            out->n = size + 1 < SPK_PATTERN_MAX_ESTIMATE ? size + 1 : SPK_PATTERN_MAX_ESTIMATE;
    }
    out->at_size[0] = out->at_size[1] = out->at_size[2];
    free(of_size.result);
    return status;
}

static void fill_choice(const trial *t, const spk_pattern_supports *supports,
                        spk_support_choice *out)
{
    const spk_choose_options *o = &t->job->options;
    uint64_t n = 0;
    *out = (spk_support_choice){.support = supports->at_size[supports->n],
                                .limited = supports->at_size[supports->n] > o->least_support,
                                .jitter = o->jitter,
                                .n_surrogates = o->n_surrogates};
    for (uint32_t k = 0; k < o->n_surrogates; k++) {
        uint64_t in_one = 0;
        for (uint64_t i = 0; i < t->pool.n; i++) {
            const choose_result *r = &t->pool.result[i];
            const uint32_t size = r->size < supports->n ? r->size : supports->n;
            in_one += r->source == k && r->count >= supports->at_size[size];
        }
        n += in_one;
        out->most_in_one = in_one > out->most_in_one ? in_one : out->most_in_one;
    }
    out->by_chance = (double)n / o->n_surrogates;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* All patterns of two spikes or more, whatever the list will have: what a search visits. */
static spk_status open_job(spk_context *context, const spk_recording *recording,
                           const spk_window_options *windows, const spk_choose_options *options,
                           pattern_job *job)
{
    *job = (pattern_job){.surrogates = NULL};
    spk_status status = SPK_OPTIONS_TAKE(context, windows, &job->windows, spk_window_options);
    if (status == SPK_OK)
        status = choose_take_options(context, options, &job->options);
    if (status != SPK_OK)
        return status;
    const spk_delay bin = {{0, 0, 0}, job->windows.bin};
    if (job->options.jitter.digits == 0 && !spk_choose_jitter(&bin, 1, &job->options.jitter))
        return spk_fail(context, SPK_ERR_ARGUMENT, "no window of jitter is longer than the bins");
    job->most_steps = choose_steps(spk_duration_seconds(job->options.time), CHOOSE_SEARCHES);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    job->patterns.min_spikes = 2;
    job->patterns.moving_window_filter = false;
    return choose_surrogates(context, recording, &job->options, job->windows.bin, &job->surrogates);
}

spk_status spk_choose_pattern_supports(spk_context *context, const spk_recording *recording,
                                       const spk_window_options *windows,
                                       const spk_choose_options *options, spk_pattern_supports *out,
                                       spk_support_choice *choice)
{
    pattern_job job;
    uint64_t least = 0;
    *out = (spk_pattern_supports){.n = 0};
    *choice = (spk_support_choice){.support = 0};
    spk_status status = open_job(context, recording, windows, options, &job);
    trial t = {.job = &job};
    pthread_mutex_init(&t.lock, NULL);
    if (status == SPK_OK)
        status = find_least(context, &t, recording, &least);
    if (status == SPK_OK)
        status = fill_sizes(context, &t, least, out);
    if (status == SPK_OK)
        fill_choice(&t, out, choice);
    pthread_mutex_destroy(&t.lock);
    free(t.pool.result);
    spk_surrogates_free(job.surrogates);
    return status;
}
