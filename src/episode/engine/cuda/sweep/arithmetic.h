/*
 * The arithmetic of cuda-sweep, shared by host and device: where a delay bound reaches, how many
 * events of a unit lie up to a rank, how an occurrence list is extended, one step of counting.
 * tests/unit/test_cuda_sweep_arithmetic.c covers them without a GPU.
 *
 * Rank, place, lane as in the CPU engine (engine/sweep/index.h): rank = number of distinct times
 * before; place = position in the index by unit; lane = a unit that may occur in an episode.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/shared.h"

#define CSWEEP_LANES 32u
static_assert(CSWEEP_LANES == 32, "masks of lanes have 32 bits");

/* 64 ranks of one lane: which hold an event, and how many of its events come before. Read in one
 * piece. */
typedef struct __attribute__((aligned(16))) csweep_word {
    uint64_t bits;
    uint32_t before;
    uint32_t unused;
} csweep_word;
static_assert(sizeof(csweep_word) == 16, "one load of 16 bytes, on hosts and devices");

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
    const uint32_t *within; /* per bound, lane and place: csweep_within; NULL: worked out */
} csweep_view;

/* One entry of an occurrence list: an event at which some occurrence ends (its place), and the
 * latest start (a rank) of any that ends there. Both rise along a list, starts not strictly. */
typedef struct csweep_entry {
    uint32_t place;
    uint32_t start;
} csweep_entry;
static_assert(sizeof(csweep_entry) == 8, "lists take 8 bytes an entry");

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

/* Number of a lane's events at or before a rank, from its words. */
SPK_SHARED uint32_t csweep_count_in_words(const csweep_word *words, uint32_t rank)
{
    csweep_word word = words[rank / 64];
    return word.before + csweep_popcount(word.bits << (63 - rank % 64));
}

/* The same from the ranks of its n events. */
SPK_SHARED uint32_t csweep_count_in_ranks(const uint32_t *ranks, uint32_t n, uint32_t rank)
{
    uint32_t low = 0;
    uint32_t high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranks[middle] <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same from whatever there is. */
SPK_SHARED uint32_t csweep_up_to(const csweep_view *view, uint32_t lane, uint32_t rank)
{
    if (view->word != NULL)
        return csweep_count_in_words(view->word + (uint64_t)lane * view->n_words, rank);
    return csweep_count_in_ranks(view->place_rank + view->lane_first[lane], view->lane_count[lane],
                                 rank);
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

/* Number of the lane's events up to the last rank within a bound from the event at `place`. */
SPK_SHARED uint32_t csweep_within(const csweep_view *view, uint32_t bound, uint32_t lane,
                                  uint32_t place)
{
    if (view->within != NULL)
        return view->within[((uint64_t)bound * view->n_lanes + lane) * view->n_places + place];
    return csweep_up_to(view, lane, view->reach[(uint64_t)bound * view->n_places + place]);
}

/* Number of the lane's events that are too near to the end at `place` to follow it. */
SPK_SHARED uint32_t csweep_too_near(const csweep_view *view, uint32_t delay, uint32_t lane,
                                    uint32_t place)
{
    return csweep_within(view, view->lo_bound[delay], lane, place);
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

/* What follows an end at `place` on a lane: 0 when no event of the lane is within the interval,
 * else 1 + the number of ranks from the end to the first that is. */
SPK_SHARED uint32_t csweep_follower(const csweep_view *view, uint32_t delay, uint32_t lane,
                                    uint32_t place)
{
    uint32_t at = csweep_too_near(view, delay, lane, place);
    if (at >= view->lane_count[lane])
        return 0;
    uint32_t rank = view->place_rank[view->lane_first[lane] + at];
    uint32_t last = view->reach[(uint64_t)view->hi_bound[delay] * view->n_places + place];
    return rank <= last ? rank - view->place_rank[place] + 1 : 0;
}

/* A lane as events go by in order of time: the first of its events that the present one does not
 * have behind it, and the one after that. Finding followers takes a comparison or two then. */
#define CSWEEP_NO_RANK UINT32_MAX
typedef struct csweep_cursor {
    const uint32_t *ranks; /* of the lane's events */
    uint32_t n;
    uint32_t at; /* the event of `next` */
    uint32_t next, after;
} csweep_cursor;

SPK_SHARED uint32_t csweep_cursor_rank(const csweep_cursor *cursor, uint32_t k)
{
    return k < cursor->n ? cursor->ranks[k] : CSWEEP_NO_RANK;
}

/* The cursor for an event whose near bound reaches to rank `low`. A lane beyond the last has no
 * events. */
SPK_SHARED csweep_cursor csweep_cursor_start(const csweep_view *view, uint32_t lane, uint32_t low)
{
    csweep_cursor cursor = {view->place_rank, 0, 0, CSWEEP_NO_RANK, CSWEEP_NO_RANK};
    if (lane >= view->n_lanes)
        return cursor;
    cursor.ranks += view->lane_first[lane];
    cursor.n = view->lane_count[lane];
    cursor.at = csweep_up_to(view, lane, low);
    cursor.next = csweep_cursor_rank(&cursor, cursor.at);
    cursor.after = csweep_cursor_rank(&cursor, cursor.at + 1);
    return cursor;
}

/* csweep_follower of an event at `rank` whose bounds reach to the ranks `low` and `high`; both rise
 * from call to call. */
SPK_SHARED uint32_t csweep_cursor_follower(csweep_cursor *cursor, uint32_t rank, uint32_t low,
                                           uint32_t high)
{
    while (cursor->next <= low) {
        cursor->at++;
        cursor->next = cursor->after;
        cursor->after = csweep_cursor_rank(cursor, cursor->at + 1);
    }
    return cursor->next <= high ? cursor->next - rank + 1 : 0;
}

/* A lane while a prefix's ends go by: the first rank at which its next counted occurrence may
 * start, and its count. Start with zeros. */
typedef struct csweep_lane_state {
    uint32_t free_from;
    uint32_t count;
} csweep_lane_state;

/* One end of the prefix: its latest start, its own rank, and what follows it on the lane
 * (csweep_follower). The prefix itself counts as a lane that is always followed with 1. */
SPK_SHARED void csweep_step(csweep_lane_state *lane, uint32_t start, uint32_t rank,
                            uint32_t follower)
{
    bool counts = (follower != 0) & (start >= lane->free_from); /* one condition, no branches */
    if (counts) {
        lane->free_from = rank + follower;
        lane->count++;
    }
}

/* Whether two states count the same from here on; `start` is the last start that went by. Starts
 * rise, so a lane that was free there stays free. */
SPK_SHARED bool csweep_same_future(const csweep_lane_state *a, const csweep_lane_state *b,
                                   uint32_t start)
{
    return a->free_from == b->free_from || (a->free_from <= start && b->free_from <= start);
}

/* Exact free_from of a lane behind a piece of a list, of two passes over the piece. One began with
 * a free lane, the other one where the piece before had ended, at `assumed`, which has the future
 * of the exact state `before`. They met at `open` and `met`, with the same future, and the first
 * one came to `end`. What a lane counts raises its free_from. */
SPK_SHARED uint32_t csweep_after_piece(uint32_t before, uint32_t assumed, uint32_t open,
                                       uint32_t met, uint32_t end)
{
    if (end != open) /* both counted something behind the meeting */
        return end;
    return met != assumed ? met : before;
}

/* Position of set bit number k of a mask that has it. */
SPK_SHARED uint32_t csweep_nth_bit(uint32_t mask, uint32_t k)
{
    uint32_t at = 0;
    for (uint32_t half = 16; half > 0; half /= 2) {
        uint32_t below = csweep_popcount(mask >> at & ((1u << half) - 1));
        if (k >= below) {
            k -= below;
            at += half;
        }
    }
    return at;
}

/* The row of item k, where rows have first[1] - first[0], first[2] - first[1] ... items and k is
 * less than first[n_rows]. */
SPK_SHARED uint32_t csweep_row_of(const uint64_t *first, uint64_t n_rows, uint64_t k)
{
    uint64_t low = 0;
    uint64_t high = n_rows;
    while (high - low > 1) { /* the last row that starts at or before k */
        uint64_t middle = low + (high - low) / 2;
        if (first[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
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
