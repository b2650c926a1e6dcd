/*
 * The arithmetic of cuda-sweep, shared by host and device: where a delay bound reaches, how many
 * events of a unit lie up to a rank, how an occurrence list is extended, one step of counting.
 * tests/unit/test_cuda_sweep_steps.c covers them without a GPU.
 *
 * Rank, place, lane as in the CPU engine (engine/sweep/index.h): rank = number of distinct times
 * before; place = position in the index by unit; lane = a unit that may occur in an episode.
 */
#ifndef SPK_EPISODE_ENGINE_CUDA_SWEEP_STEPS_H
#define SPK_EPISODE_ENGINE_CUDA_SWEEP_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/shared.h"

#define CSWEEP_LANES 32u

/* 64 ranks of one lane: which hold an event, and how many of its events come before. */
typedef struct csweep_word {
    uint64_t bits;
    uint32_t before;
    uint32_t unused;
} csweep_word;

/* The recording on a device; passed to kernels by value. */
typedef struct csweep_view {
    uint64_t n_places;
    uint32_t n_ranks;
    uint32_t n_lanes;
    uint32_t n_tiles;           /* of CSWEEP_LANES lanes */
    uint32_t n_words;           /* a lane */
    const uint32_t *place_rank; /* n_places */
    const uint32_t *lane_first; /* n_lanes: its first place */
    const uint32_t *lane_count; /* n_lanes: its events */
    const csweep_word *word;    /* n_lanes * n_words, or NULL where memory does not allow it */
    const uint32_t *reach;      /* per bound, n_places each: the last rank within the bound */
    const uint32_t *lo_bound;   /* per interval: which bound */
    const uint32_t *hi_bound;
} csweep_view;

/* One entry of an occurrence list: an event at which some occurrence ends (its place), and the
 * latest start (a rank) of any that ends there. Both rise along a list, starts not strictly. */
typedef struct csweep_entry {
    uint32_t place;
    uint32_t start;
} csweep_entry;

SPK_SHARED uint32_t csweep_popcount(uint64_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll(bits);
#else
    return (uint32_t)__builtin_popcountll(bits);
#endif
}

/* The last rank whose time lies at most `bound` ticks after that of `rank`. */
SPK_SHARED uint32_t csweep_reach(const int64_t *rank_time, uint32_t n_ranks, uint32_t rank,
                                 uint64_t bound)
{
    uint64_t time = (uint64_t)rank_time[rank];
    uint32_t low = rank; /* within the bound */
    uint32_t step = 1;
    while (n_ranks - low > step && (uint64_t)rank_time[low + step] - time <= bound) {
        low += step;
        step = step < 1u << 30 ? step * 2 : step;
    }
    uint32_t high = n_ranks - low > step ? low + step : n_ranks; /* beyond it */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((uint64_t)rank_time[middle] - time <= bound)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Number of a lane's events at or before a rank. */
SPK_SHARED uint32_t csweep_up_to(const csweep_view *view, uint32_t lane, uint32_t rank)
{
    if (view->word != NULL) {
        const csweep_word *word = view->word + (uint64_t)lane * view->n_words + rank / 64;
        return word->before + csweep_popcount(word->bits << (63 - rank % 64));
    }
    const uint32_t *ranks = view->place_rank + view->lane_first[lane];
    uint32_t low = 0;
    uint32_t high = view->lane_count[lane];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranks[middle] <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- extending lists ------------------------------------------------------------------------- */

/* Entry k of the list of a lane alone: its events. */
SPK_SHARED csweep_entry csweep_lane_entry(const csweep_view *view, uint32_t lane, uint64_t k)
{
    csweep_entry entry;
    entry.place = view->lane_first[lane] + (uint32_t)k;
    entry.start = view->place_rank[entry.place];
    return entry;
}

/* Number of the lane's events that are too near to the end at `place` to follow it. */
SPK_SHARED uint32_t csweep_too_near(const csweep_view *view, uint32_t delay, uint32_t lane,
                                    uint32_t place)
{
    uint64_t at = (uint64_t)view->lo_bound[delay] * view->n_places + place;
    return csweep_up_to(view, lane, view->reach[at]);
}

/* Number of the lane's events up to the last that may follow it. */
SPK_SHARED uint32_t csweep_near_enough(const csweep_view *view, uint32_t delay, uint32_t lane,
                                       uint32_t place)
{
    uint64_t at = (uint64_t)view->hi_bound[delay] * view->n_places + place;
    return csweep_up_to(view, lane, view->reach[at]);
}

/* How many events take this end as their latest predecessor: those from `too_near` on, up to
 * `near_enough`, and before those that the next end (with `next_too_near`) takes. */
SPK_SHARED uint32_t csweep_followers(uint32_t too_near, uint32_t near_enough, bool is_last,
                                     uint32_t next_too_near)
{
    uint32_t to = !is_last && next_too_near < near_enough ? next_too_near : near_enough;
    return to - too_near;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* A lane while a prefix's ends go by: by how many ranks beyond the present start its last counted
 * end blocks it, and its count. Start with zeros. */
typedef struct csweep_lane_state {
    uint32_t blocked;
    uint32_t count;
} csweep_lane_state;

/* One end: its start is `shift` ranks later than the end's before; the lane's first follower is
 * `later` ranks behind the end (0: none); base = rank of the end - start + 1. */
SPK_SHARED void csweep_step(csweep_lane_state *lane, uint32_t shift, uint32_t base, uint32_t later)
{
    lane->blocked = (lane->blocked > shift ? lane->blocked : shift) - shift;
    if (later != 0 && lane->blocked == 0) {
        lane->blocked = later + base;
        lane->count++;
    }
}

/* The same for the prefix itself, which is always followed by its own end. */
SPK_SHARED void csweep_prefix_step(csweep_lane_state *prefix, uint32_t shift, uint32_t base)
{
    prefix->blocked = (prefix->blocked > shift ? prefix->blocked : shift) - shift;
    if (prefix->blocked == 0) {
        prefix->blocked = base;
        prefix->count++;
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Puts `bits` bits of value at bit `offset` (from the most significant on) of a long key, of which
 * `key` is the 64-bit word number `word`. */
SPK_SHARED void csweep_key_put(uint64_t *key, uint32_t word, uint32_t offset, uint32_t bits,
                               uint64_t value)
{
    uint32_t first = word * 64;
    if (bits == 0 || offset + bits <= first || offset >= first + 64)
        return;
    int32_t shift = (int32_t)(first + 64) - (int32_t)(offset + bits);
    *key |= shift >= 0 ? value << shift : value >> -shift;
}

#endif
