/* Results of searches, and the support at which few enough are left. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/facts.h"
#include "episode/search.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

/* ---- searches -------------------------------------------------------------------------------- */

/* What all ways of choosing share: surrogates, how they are searched, and how long that may take.
 */

enum { MOST_PAIRS = 1000000 }; /* that are counted in a surrogate */

uint64_t choose_surrogate(uint64_t k)
{
    return (UINT64_C(1) << 61) + k;
}

uint64_t choose_steps(double seconds, double n_searches)
{
    return (uint64_t)(seconds / n_searches * EPISODE_STEPS_A_SECOND) + 1;
}

void choose_search_options(const choose_job *job, uint32_t max_size, spk_episode_options *out)
{
    spk_episode_options_init(out, sizeof *out);
    out->delays = job->delays;
    out->n_delays = job->n_delays;
    out->max_size = max_size;
    out->engine = spk_engine_usual(SPK_EPISODES, false)->name; /* short jobs: no GPU is started */
}

episode_limits choose_limits(const choose_job *job)
{
    return (episode_limits){.most_steps = job->most_steps, .most_frequent = UINT64_MAX};
}

spk_status choose_surrogates(spk_context *context, const spk_recording *recording,
                             const spk_choose_options *options, spk_duration bin,
                             spk_surrogates **out)
{
    spk_surrogate_options making;
    const exact_null *null = NULL;
    spk_exact_options test = {.null = options->null, .jitter = &options->jitter, .n_jitter = 1};
    if (test.null == NULL && options->most_by_chance > 0) /* for a test: as the test itself */
        test.null = "shift";
    spk_status status = spk_exact_null_find(context, recording, &test, &null);
    if (status != SPK_OK)
        return status;
    spk_surrogate_options_init(&making, sizeof making);
    making.method = null->facts.method;
    making.history = options->history;
    making.dither = options->jitter;
    making.bin = bin;
    making.seed = options->seed;
    return spk_surrogates_create(context, recording, &making, out);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Numbers of events are the same in every surrogate. */
spk_status choose_least_support(spk_context *context, const choose_job *job, uint64_t *out)
{
    const spk_events events = spk_recording_events(job->recording);
    uint64_t *n_events = NULL, most = 1;
    spk_status status = spk_alloc(context, &n_events, events.n_units, "units");
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < events.n_units; u++)
        n_events[u] = events.unit_first[u + 1] - events.unit_first[u];
    qsort(n_events, events.n_units, sizeof *n_events, compare_numbers);
    while ((most + 1) * (most + 1) * job->n_delays <= MOST_PAIRS)
        most++;
    *out = job->options.least_support > 0 ? job->options.least_support : 1;
    if (events.n_units > most && n_events[most] >= *out)
        *out = n_events[most] + 1;
    spk_free(context, n_events);
    return SPK_OK;
}

/* ---- pools of results ------------------------------------------------------------------------ */

/* From the largest count down. */
static int compare_results(const void *a, const void *b)
{
    const choose_result *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

uint64_t choose_support_of(choose_pool *pool, uint64_t least, uint64_t most)
{
    if (pool->n <= most)
        return least;
    qsort(pool->result, pool->n, sizeof *pool->result, compare_results);
    const uint64_t above = pool->result[most].count + 1; /* the first result that is too much */
    return above > least ? above : least;
}

uint64_t choose_count(const choose_pool *pool, uint64_t support, uint8_t size, uint32_t source)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < pool->n; i++) {
        const choose_result *r = &pool->result[i];
        n += r->count >= support && (source == NO_SOURCE || r->source == source) &&
             (size == 0 || (r->size == size && r->different));
    }
    return n;
}

spk_status choose_join(spk_context *context, const choose_pool *from, uint64_t support,
                       choose_pool *into)
{
    spk_status status =
        spk_grow(context, &into->result, &into->capacity, into->n + from->n, "episodes of chance");
    for (uint64_t i = 0; i < from->n && status == SPK_OK; i++)
        if (from->result[i].count >= support)
            into->result[into->n++] = from->result[i];
    return status;
}

spk_status choose_take_size(spk_context *context, const choose_pool *from, uint8_t size,
                            choose_pool *into)
{
    spk_status status =
        spk_grow(context, &into->result, &into->capacity, from->n, "results of a size");
    for (uint64_t i = 0; i < from->n && status == SPK_OK; i++)
        if (from->result[i].size == size)
            into->result[into->n++] = from->result[i];
    return status;
}

/* ---- a search -------------------------------------------------------------------------------- */

typedef struct watch {
    spk_context *context;
    choose_pool *pool;
    uint32_t source;
    uint64_t most;
    uint64_t *support;
    uint32_t last; /* the last size */
    bool again;    /* the search is too large and begins again with the new support */
} watch;

/* Drops results below the support, and all of a source. */
static void drop(choose_pool *pool, uint64_t support, uint32_t source)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < pool->n; i++)
        if (pool->result[i].count >= support && pool->result[i].source != source)
            pool->result[n++] = pool->result[i];
    pool->n = n;
}

static bool are_different(const uint32_t *unit, uint64_t size)
{
    for (uint64_t p = 1; p < size; p++)
        for (uint64_t q = 0; q < p; q++)
            if (unit[p] == unit[q])
                return false;
    return true;
}

/* The level's results come from the largest count down, so that of too many the first ones tell how
 * far the support must rise. A search with a support that is too low finds the same episodes and
 * more; only where it has too many does it begin again. */
static spk_status take_level(void *user, const spk_episode_columns *found)
{
    watch *w = user;
    choose_pool *pool = w->pool;
    const uint32_t size = found->level->size;
    if (size < 2 || found->n == 0)
        return SPK_OK;
    const uint64_t n = found->n > w->most ? w->most + 1 : found->n;
    spk_status status =
        spk_grow(w->context, &pool->result, &pool->capacity, pool->n + n, "episodes of chance");
    for (uint64_t i = 0; i < n && status == SPK_OK && found->count[i] >= *w->support; i++)
        pool->result[pool->n++] =
            (choose_result){found->count[i], w->source, (uint8_t)size,
                            are_different(found->unit + found->offset[i], size)};
    if (status != SPK_OK || pool->n <= w->most)
        return status;
    *w->support = choose_support_of(pool, *w->support, w->most);
    drop(pool, *w->support, NO_SOURCE);
    w->again = found->n > w->most && size < w->last;
    return w->again ? SPK_ERR_CANCELLED : SPK_OK;
}

/* A search that takes too many steps, as long episodes of few busy units do, tells by nothing how
 * far the support must rise. */
static uint64_t raised(uint64_t support)
{
    return support + support / 4 + 1;
}

spk_status choose_search(spk_context *context, const choose_job *job,
                         const spk_recording *recording, uint32_t source, uint32_t max_size,
                         uint64_t most, choose_pool *pool, uint64_t *support)
{
    spk_episode_options options;
    choose_search_options(job, max_size, &options);
    for (;;) {
        watch w = {context, pool, source, most, support, max_size, false};
        episode_limits limits = choose_limits(job);
        options.support = *support;
        spk_status status =
            episode_mine_within(context, recording, &options, &limits, take_level, &w);
        if (limits.passed)
            pool->timed = *support = raised(*support);
        else if (!w.again)
            return status;
        drop(pool, *support, source);
    }
}
