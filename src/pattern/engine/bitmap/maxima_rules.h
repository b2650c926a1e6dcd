/*
 * Rules that all branches of the search for the largest counts share: what can still matter, and
 * when the search ends. Included by files that are compiled once per instruction set.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_MAXIMA_RULES_H
#define SPK_PATTERN_ENGINE_BITMAP_MAXIMA_RULES_H

#include "pattern/engine/bitmap/maxima.h"
#include "pattern/engine/bitmap/rows.h"

/* Most spikes that `more` items can bring the set to. */
static inline uint32_t reach_of(const spk_maxima_search *search, uint32_t more)
{
    uint32_t max = search->job->limits.max_spikes, reach = search->size + more;
    return reach < max ? reach : max;
}

/* Smallest size from `from` to `reach` for which `count` windows matter; 0: none. Bounds fall with
 * the size. */
static inline uint32_t first_size(const spk_maxima_search *search, uint32_t from, uint32_t reach,
                                  uint32_t count)
{
    if (from > reach || spk_maxima_bound(search, reach) >= count)
        return 0;
    uint32_t size = from;
    while (spk_maxima_bound(search, size) >= count)
        size++;
    return size;
}

static inline uint32_t missing_units(const spk_maxima_search *search)
{
    uint32_t least = search->job->limits.min_neurons;
    return least > search->neurons ? least - search->neurons : 0;
}

/* Whether the set by itself would raise the table. */
static inline bool raises(const spk_maxima_search *search, uint32_t count)
{
    return count <= search->shared->ceiling && count > spk_maxima_bound(search, search->size) &&
           search->size <= search->job->limits.max_spikes && missing_units(search) == 0;
}

/* Whether the next item is the one that sets the duration. */
static inline bool sets_duration(const spk_maxima_search *search)
{
    return search->shared->given->by_duration && search->size == 1;
}

static inline bool stopped(spk_maxima_search *search)
{
    if (search->steps++ % 256 == 0 && spk_context_cancelled(search->shared->context))
        spk_maxima_fail(search, SPK_ERR_CANCELLED);
    return atomic_load_explicit(&search->shared->status, memory_order_relaxed) != SPK_OK;
}

/* One bit for each group with a bit in x: (x & low) + low carries into a group's last bit. */
static inline uint64_t groups_of(uint64_t x, uint64_t low, uint64_t last)
{
    return (((x & low) + low) | x) & last;
}

static inline void *take(spk_maxima_search *search, uint64_t n, size_t size)
{
    void *out = spk_arena_alloc(&search->arena, n, size);
    if (out == NULL)
        spk_maxima_fail(search, SPK_ERR_MEMORY);
    return out;
}

#endif
