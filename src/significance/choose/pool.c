/* Results of searches, and the support at which few enough are left. */
#include <stdlib.h>

#include "base/memory.h"
#include "episode/search.h"
#include "significance/choose/choose.h"

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
        if (limits.passed && !limits.late)
            *support = raised(*support);
        else if (!w.again)
            return status;
        drop(pool, *support, source);
    }
}
