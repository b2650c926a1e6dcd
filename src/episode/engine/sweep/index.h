/*
 * The recording as the sweep engine sees it: ranks in place of times, lanes in place of units.
 *
 * Rank: the number of distinct times before an event's. Whether an occurrence starts after another
 * one's end depends on the order of times only, so everything behind the delay tables computes with
 * ranks: small integers, whatever the tick.
 * Place: position in the recording's index by unit. A unit's events are neighbours there, so
 * whatever a list of its events refers to lies close together.
 * Lane: units by falling number of events; 32 lanes are a tile. Rare units share the last tiles,
 * which then seldom hold a candidate and are skipped.
 * Strip: a delay interval and a tile, number interval * n_tiles + tile. What may continue a prefix
 * is looked up and counted strip by strip: 32 units at once, in one row of one delay table.
 */
#pragma once

#include "episode/engine/engine.h"

enum { SWEEP_LANES = 32 };

/* 64 ranks of one unit: which of them hold an event, and how many events come before. */
typedef struct sweep_word {
    uint64_t bits;
    uint64_t before;
} sweep_word;

typedef struct sweep_index {
    spk_events events;
    const spk_tick_delay *delays;
    size_t n_delays;
    uint32_t *rank; /* per event */
    uint32_t n_ranks;
    uint32_t *unit_rank; /* per place: the ranks of each unit's events, rising */
    /* How many events of a unit lie at or before a rank: by bit set where the memory allows, else
     * by a directory of buckets. */
    sweep_word *word; /* n_words a unit, or NULL */
    uint32_t n_words;
    uint32_t first_word; /* they begin with rank 64 * first_word: 0 but in a window (windows.c) */
    uint32_t *bucket;    /* n_buckets a unit, or NULL: events before rank b << bucket_shift */
    uint32_t n_buckets;
    uint32_t bucket_shift;
    /* Per interval bound and place: how many ranks later the last event within the bound comes.
     * Bounds that several intervals share are stored once. 16 bit where all fit. */
    void **reach;
    size_t n_reach;
    uint16_t *lo_reach; /* per interval: which of them */
    uint16_t *hi_reach;
    bool reach_wide;
    uint32_t *lane_unit; /* per lane: its unit; n_tiles * SWEEP_LANES entries, UINT32_MAX: none */
    uint32_t *unit_lane; /* per unit */
    uint32_t n_tiles;
    uint64_t widest_span; /* most ranks that one delay interval can reach over */
    uint64_t bytes;       /* of all this */
} sweep_index;

spk_status sweep_index_open(spk_context *context, const spk_episode_job *job, sweep_index *index);
void sweep_index_close(sweep_index *index);

static inline size_t sweep_n_strips(const sweep_index *index)
{
    return index->n_delays * index->n_tiles;
}

/* The strip of an interval and a unit. */
static inline size_t sweep_strip_number(const sweep_index *index, size_t delay, uint32_t unit)
{
    return delay * index->n_tiles + index->unit_lane[unit] / SWEEP_LANES;
}

/* How many ranks later than the event at a place the last one within a bound comes. */
static inline uint32_t sweep_reach_at(const sweep_index *index, uint16_t bound, uint64_t place)
{
    return index->reach_wide ? ((const uint32_t *)index->reach[bound])[place]
                             : ((const uint16_t *)index->reach[bound])[place];
}

/* First event whose time lies more than `distance` ticks after `time`; n_events: none. */
uint64_t sweep_first_event_after(const spk_events *events, int64_t time, uint64_t distance);

/* The first of the places [low, high) of a unit whose event has at least that number; high: none.
 */
uint64_t sweep_place_among(const spk_events *events, uint64_t low, uint64_t high, uint64_t event);
/* The same by rank. */
uint64_t sweep_place_of_rank(const sweep_index *index, uint64_t low, uint64_t high, uint64_t rank);
