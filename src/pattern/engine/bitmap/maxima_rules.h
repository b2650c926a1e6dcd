/*
 * Rules that all branches of the search for the largest counts share: what can still matter, and
 * when the search ends. Included by files that are compiled once per instruction set.
 *
 * A set of s items to which m may be added in n windows matters where, for some size z of s + 1 ..
 * s + m, n is above bound[z]. Bounds fall with the size, so that the largest size within reach asks
 * for the fewest windows: one comparison with bound[s + m] tells whether the branch ends.
 */
#pragma once

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

/* The set has got an item. False when nothing below it matters. With anchors, the branch's n items
 * of which the bit is set can be moved to the set: their ranks. */
static inline bool settle(spk_maxima_search *search, uint32_t count, const uint32_t *rank,
                          uint32_t n, uint64_t *items)
{
    if (!raises(search, count))
        return true;
    return search->output != NULL ? spk_anchored_report(search, count, rank, n, items)
                                  : spk_maxima_raise_by(search);
}

/* Whether the next item is the one that sets the duration. */
static inline bool sets_duration(const spk_maxima_search *search)
{
    return search->shared->given->by_duration && search->size == 1 && search->reach == 0;
}

static inline bool stopped(spk_maxima_search *search)
{
    if (search->steps++ % 16 == 0 && spk_context_cancelled(search->shared->context))
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

/* Items of a branch by lag, around an anchor. Both 3 bins before it and 18 bins after it may be
 * items of a branch, but not of one set, where windows have 20 bins. */
typedef struct lags {
    uint32_t n;    /* different lags that items may have; 0: all items fit into a window */
    uint32_t *lag; /* by item, from the least possible lag on */
    uint64_t
        *fit; /* fit[w * n + lag]: word w of a row of the items that fit with an item of a lag */
} lags;

/* For branches of `n` items, in rows of `words` words. False when memory is out. */
static inline bool lags_make(spk_maxima_search *search, const uint32_t *rank, uint32_t n,
                             uint32_t words, lags *out)
{
    const uint32_t reach = search->reach;
    uint32_t least = 0, most = 2 * reach;
    *out = (lags){.n = 0};
    if (reach == 0)
        return true;
    /* Whatever is added lies within `reach` of each item of the set. */
    for (uint32_t k = 0; k < search->size; k++) {
        uint32_t lag = search->lag_of[search->rank[k]];
        least = lag > reach + least ? lag - reach : least;
        most = lag + reach < most ? lag + reach : most;
    }
    if (most <= reach + least)
        return true;
    const uint32_t n_lags = most - least + 1;
    uint64_t *upto = take(search, (uint64_t)n_lags, sizeof *upto);
    out->lag = take(search, n, sizeof *out->lag);
    out->fit = take(search, (uint64_t)n_lags * words, sizeof *out->fit);
    if (upto == NULL || out->lag == NULL || out->fit == NULL)
        return false;
    for (uint32_t k = 0; k < n; k++)
        out->lag[k] = search->lag_of[rank[k]] - least;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t *fit = out->fit + (size_t)w * n_lags;
        const uint32_t end = n - w * 64 < 64 ? n - w * 64 : 64;
        memset(upto, 0, n_lags * sizeof *upto);
        for (uint32_t k = 0; k < end; k++)
            upto[out->lag[w * 64 + k]] |= UINT64_C(1) << k;
        for (uint32_t l = 1; l < n_lags; l++)
            upto[l] |= upto[l - 1];
        /* upto[l]: items of lags 0 .. l. Those that fit with lag l have lags l - reach .. l +
         * reach. */
        for (uint32_t l = 0; l < n_lags; l++)
            fit[l] = upto[l + reach < n_lags ? l + reach : n_lags - 1];
        for (uint32_t l = reach + 1; l < n_lags; l++)
            fit[l] &= ~upto[l - reach - 1];
    }
    out->n = n_lags;
    return true;
}
