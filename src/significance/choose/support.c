/*
 * A support from surrogates.
 *
 * Example: 9 surrogates and at most 1,000 episodes each on average, so 9,000 in all. First the
 * pairs of all surrogates are counted: the support is at least the one at which 9,000 pairs are
 * left, and at that support no search is large. Then all surrogates are searched for all sizes, and
 * the support rises to the smallest one that leaves 9,000 episodes. A surrogate that has more than
 * 9,000 by itself raises its own support meanwhile; that is never too far. Few pairs may still make
 * many long episodes, where units are busy: a search that takes too many steps raises its support
 * by a quarter and begins again. The others begin where the first surrogate's search came to, so
 * that one search has many beginnings and not all of them.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/fraction.h"
#include "base/options.h"
#include "distribute/queue.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

static const double MOST_SECONDS = 1e6;

SPK_OPTIONS_INIT(spk_choose_options, .n_surrogates = 9, .max_size = SPK_EPISODE_MAX_SIZE,
                 .most_by_chance = 1000, .least_support = 6, .n_events = 50000,
                 .history = {-1, 0, 0}, .time = {30, 0, 0});

/* ---- windows --------------------------------------------------------------------------------- */

bool spk_choose_jitter(const spk_delay *delays, size_t n_delays, spk_duration *out)
{
    static const spk_duration steps[] = {{1, 0, 0}, {25, -1, 0}, {5, 0, 0}};
    enum { SHORTEST = -9, LONGEST = 18 };            /* powers of ten of a second */
    static const double times = 4, rounding = 1e-12; /* of doubles: 4 * 2.5 ms is 10 ms */
    double widest = 0;
    for (size_t d = 0; d < n_delays; d++) {
        if (delays[d].hi.exponent == SPK_DURATION_INFINITE)
            return false;
        double width = spk_duration_seconds(delays[d].hi) - spk_duration_seconds(delays[d].lo);
        widest = width > widest ? width : widest;
    }
    for (int32_t power = SHORTEST; power < LONGEST; power++)
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
            *out = (spk_duration){steps[k].digits, steps[k].exponent + power, 0};
            if (spk_duration_seconds(*out) >= times * widest * (1 - rounding))
                return true;
        }
    return false;
}

/* ---- the search for it ----------------------------------------------------------------------- */

/* All surrogates, searched up to a size. */
typedef struct searches {
    const choose_job *job;
    uint32_t max_size;
    uint64_t most;
    uint64_t least;   /* support at which each begins */
    uint64_t first;   /* surrogate of task 0 */
    choose_pool pool; /* of those that are done */
    uint64_t support; /* the largest one that a surrogate needs by itself */
    pthread_mutex_t lock;
} searches;

/* A surrogate's results alone tell a support that is never too large. */
static spk_status search_one(spk_context *own, uint64_t task, void *user)
{
    searches *s = user;
    spk_recording *surrogate = NULL;
    choose_pool pool = {.n = 0};
    uint64_t support = s->least;
    const uint32_t number = (uint32_t)(s->first + task);
    spk_status status =
        spk_surrogates_make(own, s->job->surrogates, choose_surrogate(number), &surrogate);
    if (status == SPK_OK)
        status =
            choose_search(own, s->job, surrogate, number, s->max_size, s->most, &pool, &support);
    if (status == SPK_OK) {
        pthread_mutex_lock(&s->lock);
        s->support = support > s->support ? support : s->support;
        s->pool.timed = pool.timed > s->pool.timed ? pool.timed : s->pool.timed;
        status = choose_join(own, &pool, s->support, &s->pool);
        pthread_mutex_unlock(&s->lock);
    }
    free(pool.result);
    spk_recording_free(surrogate);
    return status;
}

/* Raises the support as far as the surrogates' episodes up to this size ask for. */
static spk_status search_all(spk_context *context, const choose_job *job, uint32_t max_size,
                             choose_pool *pool, uint64_t *support)
{
    const spk_choose_options *o = &job->options;
    searches s = {.job = job,
                  .max_size = max_size,
                  .most = o->n_surrogates * o->most_by_chance,
                  .least = *support,
                  .pool = {.timed = pool->timed},
                  .support = *support};
    spk_queue_job queue = {
        .n = 1, .what = "surrogates for the support", .task = search_one, .user = &s};
    pthread_mutex_init(&s.lock, NULL);
    spk_status status = spk_queue_run(context, &queue);
    s.least = s.support; /* the others need not raise it as far again */
    s.first = queue.n_before = 1;
    queue.n = o->n_surrogates - 1;
    if (status == SPK_OK && queue.n > 0)
        status = spk_queue_run(context, &queue);
    pthread_mutex_destroy(&s.lock);
    if (status == SPK_OK) {
        *support = choose_support_of(&s.pool, s.support, s.most);
        pool->n = 0;
        pool->timed = s.pool.timed;
        status = choose_join(context, &s.pool, *support, pool);
    }
    free(s.pool.result);
    return status;
}

spk_status choose_from_surrogates(spk_context *context, const choose_job *job, choose_pool *pool,
                                  spk_support_choice *out)
{
    const spk_choose_options *o = &job->options;
    uint64_t least = 0;
    *out = (spk_support_choice){.jitter = o->jitter, .n_surrogates = o->n_surrogates};
    spk_status status = choose_least_support(context, job, &least);
    out->support = least;
    if (status == SPK_OK && o->max_size > 2)
        status = search_all(context, job, 2, pool, &out->support);
    if (status == SPK_OK)
        status = search_all(context, job, o->max_size, pool, &out->support);
    if (status != SPK_OK)
        return status;
    out->limited = out->support == least && least > o->least_support;
    out->timed = out->support == pool->timed;
    out->by_chance = (double)pool->n / o->n_surrogates;
    for (uint32_t k = 0; k < o->n_surrogates; k++) {
        const uint64_t n = choose_count(pool, out->support, 0, k);
        out->most_in_one = n > out->most_in_one ? n : out->most_in_one;
    }
    return SPK_OK;
}

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check(spk_context *context, const spk_choose_options *o)
{
    if (o->n_surrogates < 1 || o->n_surrogates > SPK_CHOOSE_MAX_SURROGATES)
        return spk_fail(context, SPK_ERR_ARGUMENT, "choosing needs 1 to %u surrogates",
                        SPK_CHOOSE_MAX_SURROGATES);
    if (o->most_by_chance > UINT32_MAX)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the number of episodes that chance may give must be at most %u",
                        UINT32_MAX);
    const double seconds = spk_duration_seconds(o->time);
    if (!(seconds > 0 && seconds <= MOST_SECONDS))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the time for choosing must be above 0, and at most %g s", MOST_SECONDS);
    if (o->max_size < 2 || o->max_size > SPK_EPISODE_MAX_SIZE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a support is chosen from episodes of 2 to %u units", SPK_EPISODE_MAX_SIZE);
    return SPK_OK;
}

spk_status choose_take_options(spk_context *context, const spk_choose_options *given,
                               spk_choose_options *out)
{
    spk_status status = SPK_OPTIONS_TAKE(context, given, out, spk_choose_options);
    return status == SPK_OK ? check(context, out) : status;
}

/* Delays are at least a step of the clock, which is long where times have another unit. */
static spk_status fail_jitter(spk_context *context, const spk_delay *delays, size_t n_delays)
{
    char text[48];
    spk_duration longest = {0, 0, 0};
    for (size_t d = 0; d < n_delays; d++)
        if (spk_duration_compare(delays[d].hi, longest) > 0)
            longest = delays[d].hi;
    if (longest.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "no window of jitter is longer than an infinite delay; name a window, or "
                        "the support");
    spk_duration_format(longest, text, sizeof text);
    return spk_fail(
        context, SPK_ERR_ARGUMENT,
        "no window of jitter is long enough for delays of %s; is the unit of time right "
        "(--time-unit)? Else name a window, or the support",
        text);
}

/* ---- all of it ------------------------------------------------------------------------------- */

spk_status choose_open(spk_context *context, const spk_recording *on_grid, const spk_delay *delays,
                       size_t n_delays, const spk_choose_options *options, choose_job *job)
{
    *job = (choose_job){.recording = on_grid, .delays = delays, .n_delays = n_delays};
    job->options = *options;
    job->most_steps =
        choose_steps(spk_duration_seconds(options->time),
                     options->most_by_chance == 0 ? CHOOSE_SEARCHES : CHOOSE_SEARCHES_WITHOUT_TEST);
    if (delays == NULL || n_delays == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no delay interval");
    if (options->jitter.digits == 0 && !spk_choose_jitter(delays, n_delays, &job->options.jitter))
        return fail_jitter(context, delays, n_delays);
    return choose_surrogates(context, on_grid, &job->options, (spk_duration){0, 0, 0},
                             &job->surrogates);
}

spk_status spk_choose_support(spk_context *context, const spk_recording *recording,
                              const spk_delay *delays, size_t n_delays,
                              const spk_choose_options *options, spk_support_choice *out)
{
    spk_choose_options own;
    choose_job job = {.surrogates = NULL};
    choose_pool pool = {.n = 0};
    spk_recording *on_grid = NULL;
    *out = (spk_support_choice){.support = 0};
    spk_status status = choose_take_options(context, options, &own);
    if (status == SPK_OK)
        status = spk_exact_on_grid(context, recording, delays, n_delays, &on_grid);
    if (status == SPK_OK)
        status = choose_open(context, on_grid != NULL ? on_grid : recording, delays, n_delays, &own,
                             &job);
    if (status == SPK_OK)
        status = own.most_by_chance == 0 ? choose_for_test(context, &job, out)
                                         : choose_from_surrogates(context, &job, &pool, out);
    free(pool.result);
    spk_surrogates_free(job.surrogates);
    spk_recording_free(on_grid);
    return status;
}
