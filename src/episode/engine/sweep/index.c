/*
 * Builds ranks, lanes, each unit's events by rank, and how far the bounds reach.
 *
 *     time     10  12  12  15      by place     a 12  a 15  b 10  b 12
 *     unit      b   a   b   a      unit_rank      1     2     0     1
 *     rank      0   1   1   2      reach of 3     1     0     1     1    ranks later
 *     word     of a, ranks 0 .. 63: bits 1 and 2
 *
 * Invariant: events of one time have one rank; ranks and times have the same order. Cost: a pass
 * over the events for the ranks and one for each bound, cut into pieces for threads. Bytes: 8 an
 * event, 2 or 4 for each event and bound, and 16 for 64 ranks of a unit, or buckets of some ranks
 * each.
 */
#include "episode/engine/sweep/index.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/order.h"

/* Threads work on stretches of events; searching where one starts costs little beside it. */
enum { LEAST_EVENTS_A_PIECE = 4096, PIECES_A_THREAD = 4 };

typedef struct pieces {
    uint64_t n;
    uint64_t events; /* in each but the last */
} pieces;

static pieces cut_events(const spk_events *e, int threads)
{
    uint64_t n = threads > 1 ? (uint64_t)threads * PIECES_A_THREAD : 1;
    uint64_t events = e->n_events / n + 1;
    events = events > LEAST_EVENTS_A_PIECE ? events : LEAST_EVENTS_A_PIECE;
    return (pieces){(e->n_events + events - 1) / events, events};
}

static uint64_t piece_end(const spk_events *e, pieces cut, uint64_t piece)
{
    return piece + 1 < cut.n ? (piece + 1) * cut.events : e->n_events;
}

uint64_t sweep_first_event_after(const spk_events *e, int64_t time, uint64_t distance)
{
    spk_bisect s = {0, e->n_events};
    while (spk_bisect_next(&s)) {
        const int64_t at = e->time[s.middle];
        spk_bisect_told(&s, at <= time || (uint64_t)at - (uint64_t)time <= distance);
    }
    return s.low;
}

uint64_t sweep_place_among(const spk_events *e, uint64_t low, uint64_t high, uint64_t event)
{
    return spk_first_u32(e->by_unit, low, high, event);
}

uint64_t sweep_place_of_rank(const sweep_index *index, uint64_t low, uint64_t high, uint64_t rank)
{
    return spk_first_u32(index->unit_rank, low, high, rank);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static bool is_new_time(const spk_events *e, uint64_t i)
{
    return i > 0 && e->time[i] != e->time[i - 1];
}

/* Ranks are numbers of new times up to an event: first how many lie in each piece. */
static spk_status build_ranks(spk_context *context, int threads, sweep_index *index)
{
    const spk_events *e = &index->events;
    pieces cut = cut_events(e, threads);
    uint32_t *before = NULL; /* per piece: rank of the event before it */
    spk_status status =
        spk_alloc_columns(context, "event ranks", SPK_COLUMN(&index->rank, e->n_events),
                          SPK_COLUMN_ZERO(&before, cut.n));
    if (status != SPK_OK)
        return status;
        /* Nothing comes behind the last piece: a single one need not be counted. */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t p = 1; p < cut.n; p++) {
        uint32_t n = 0;
        for (uint64_t i = (p - 1) * cut.events; i < p * cut.events; i++)
            n += is_new_time(e, i);
        before[p] = n;
    }
    for (uint64_t p = 1; p < cut.n; p++)
        before[p] += before[p - 1];
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t p = 0; p < cut.n; p++) {
        uint32_t rank = before[p];
        for (uint64_t i = p * cut.events; i < piece_end(e, cut, p); i++) {
            rank += is_new_time(e, i);
            index->rank[i] = rank;
        }
    }
    free(before);
    index->n_ranks = e->n_events > 0 ? index->rank[e->n_events - 1] + 1 : 0;
    return SPK_OK;
}

typedef struct unit_size {
    uint64_t n;
    uint32_t unit;
} unit_size;

static int by_falling_size(const void *a, const void *b)
{
    const unit_size *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->n, y->n), SPK_UP(x->unit, y->unit));
}

static spk_status build_lanes(spk_context *context, sweep_index *index)
{
    const spk_events *e = &index->events;
    unit_size *order = NULL;
    index->n_tiles = e->n_units / SWEEP_LANES + (e->n_units % SWEEP_LANES != 0);
    uint32_t n_lanes = index->n_tiles * SWEEP_LANES;
    spk_status status = spk_alloc_columns(context, "lanes", SPK_COLUMN(&order, e->n_units),
                                          SPK_COLUMN(&index->lane_unit, n_lanes),
                                          SPK_COLUMN(&index->unit_lane, e->n_units));
    if (status != SPK_OK)
        goto done;
    /* Units of about equal size share a tile: lanes of a strip are worked on together. */
    for (uint32_t u = 0; u < e->n_units; u++)
        order[u] = (unit_size){e->unit_first[u + 1] - e->unit_first[u], u};
    qsort(order, e->n_units, sizeof *order, by_falling_size);
    for (uint32_t lane = 0; lane < n_lanes; lane++)
        index->lane_unit[lane] = lane < e->n_units ? order[lane].unit : UINT32_MAX;
    for (uint32_t lane = 0; lane < e->n_units; lane++)
        index->unit_lane[order[lane].unit] = lane;
done:
    free(order);
    return status;
}

/* ---- events of a unit by rank ---------------------------------------------------------------- */

static spk_status build_unit_ranks(spk_context *context, int threads, sweep_index *index)
{
    const spk_events *e = &index->events;
    spk_status status = spk_alloc(context, &index->unit_rank, e->n_events, "event ranks");
    if (status != SPK_OK)
        return status;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t q = 0; q < e->n_events; q++)
        index->unit_rank[q] = index->rank[e->by_unit[q]];
    return SPK_OK;
}

static spk_status build_words(spk_context *context, int threads, sweep_index *index)
{
    const spk_events *e = &index->events;
    uint64_t n = (uint64_t)index->n_words * e->n_units;
    spk_status status = spk_alloc_zero(context, &index->word, n, "event ranks");
    if (status != SPK_OK)
        return status;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t u = 0; u < e->n_units; u++) {
        sweep_word *word = index->word + (uint64_t)u * index->n_words;
        for (uint64_t q = e->unit_first[u]; q < e->unit_first[u + 1]; q++)
            word[index->unit_rank[q] / 64].bits |= (uint64_t)1 << index->unit_rank[q] % 64;
        for (uint32_t w = 1; w < index->n_words; w++)
            word[w].before = word[w - 1].before + (uint64_t)__builtin_popcountll(word[w - 1].bits);
    }
    return SPK_OK;
}

static spk_status build_buckets(spk_context *context, int threads, sweep_index *index)
{
    const spk_events *e = &index->events;
    /* The smallest buckets that take no more room than half of the ranks. */
    do {
        index->bucket_shift++;
        index->n_buckets = (index->n_ranks >> index->bucket_shift) + 1;
    } while ((uint64_t)index->n_buckets * e->n_units > index->n_ranks / 2 + e->n_units);
    spk_status status =
        spk_alloc(context, &index->bucket, (uint64_t)index->n_buckets * e->n_units, "event ranks");
    if (status != SPK_OK)
        return status;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t u = 0; u < e->n_units; u++) {
        uint32_t *bucket = index->bucket + (uint64_t)u * index->n_buckets;
        uint64_t first = e->unit_first[u];
        uint64_t n = e->unit_first[u + 1] - first;
        uint64_t k = 0;
        for (uint32_t b = 0; b < index->n_buckets; b++) {
            while (k < n && index->unit_rank[first + k] >> index->bucket_shift < b)
                k++;
            bucket[b] = (uint32_t)k;
        }
    }
    return SPK_OK;
}

/* Bit sets where they take at most a quarter of the engine's memory (0: no limit), or 64 MiB. */
static spk_status build_positions(spk_context *context, uint64_t memory, int threads,
                                  sweep_index *index)
{
    uint64_t most_bytes = memory > 0 && memory < (256u << 20) ? memory / 4 : 64u << 20;
    index->n_words = index->n_ranks / 64 + 1;
    if ((uint64_t)index->n_words * index->events.n_units * sizeof(sweep_word) <= most_bytes)
        return build_words(context, threads, index);
    return build_buckets(context, threads, index);
}

/* ---- how far the bounds reach ---------------------------------------------------------------- */

/* For the places of the events [from, to) how many ranks later the last event at most `bound` ticks
 * after each comes; returns the most. Goes through the events in order of time, with a cursor into
 * every unit's places. */
static uint64_t walk_reach(const sweep_index *index, uint64_t bound, uint64_t from, uint64_t to,
                           uint64_t *cursor, bool wide, void *out)
{
    const spk_events *e = &index->events;
    uint64_t widest = 0;
    assert(from < to && to <= e->n_events);
    /* Both ends only move on: the last event within the bound, and each unit's next place. A piece
     * begins with a search for them, so that pieces are independent. */
    uint64_t last = sweep_first_event_after(e, e->time[from], bound) - 1;
    for (uint32_t u = 0; u < e->n_units; u++)
        cursor[u] = from == 0 ? e->unit_first[u]
                              : sweep_place_among(e, e->unit_first[u], e->unit_first[u + 1], from);
    for (uint64_t i = from; i < to; i++) {
        while (last + 1 < e->n_events &&
               (uint64_t)e->time[last + 1] - (uint64_t)e->time[i] <= bound)
            last++;
        uint32_t span = index->rank[last] - index->rank[i];
        uint64_t place = cursor[e->unit[i]]++;
        widest = span > widest ? span : widest;
        if (wide)
            ((uint32_t *)out)[place] = span;
        else
            ((uint16_t *)out)[place] = (uint16_t)span;
    }
    return widest;
}

/* Number of the bound among those seen so far, added when new. */
static uint16_t find_bound(uint64_t *bounds, size_t *n, uint64_t bound)
{
    for (size_t k = 0; k < *n; k++)
        if (bounds[k] == bound)
            return (uint16_t)k;
    assert(*n <= UINT16_MAX);
    bounds[*n] = bound;
    return (uint16_t)(*n)++;
}

/* One array a bound, 16 or 32 bits wide; *widest tells the most ranks that any reaches over. */
static spk_status fill_reach(spk_context *context, const uint64_t *bounds, bool wide, int threads,
                             sweep_index *index, uint64_t *widest)
{
    static const char what[] = "delay bounds";
    const spk_events *e = &index->events;
    size_t element = wide ? sizeof(uint32_t) : sizeof(uint16_t);
    spk_status status = SPK_OK;
    for (size_t k = 0; k < index->n_reach && status == SPK_OK; k++) {
        free(index->reach[k]);
        status = spk_alloc_bytes(context, &index->reach[k], e->n_events, element, what);
    }
    if (status != SPK_OK)
        return status;
    uint64_t most = 0;
    pieces cut = cut_events(e, threads);
#pragma omp parallel num_threads(threads) reduction(max : most)
    {
        /* Each thread has its cursors, and tells of no failure: a context takes one message. */
        uint64_t *cursor = NULL;
        spk_status own = spk_alloc(NULL, &cursor, e->n_units, what);
#pragma omp for collapse(2) schedule(dynamic, 1)
        for (size_t k = 0; k < index->n_reach; k++) {
            for (uint64_t p = 0; p < cut.n; p++) {
                if (own != SPK_OK)
                    continue;
                uint64_t span = walk_reach(index, bounds[k], p * cut.events, piece_end(e, cut, p),
                                           cursor, wide, index->reach[k]);
                most = span > most ? span : most;
            }
        }
        free(cursor);
        if (own != SPK_OK) {
#pragma omp critical(spk_sweep_index_status)
            status = own;
        }
    }
    index->reach_wide = wide;
    *widest = most;
    return status == SPK_OK ? SPK_OK
                            : spk_fail_memory(context, e->n_units * sizeof(uint64_t), what);
}

static spk_status build_reach(spk_context *context, int threads, sweep_index *index)
{
    uint64_t *bounds = NULL;
    const char *what = "delay bounds";
    spk_status status = spk_alloc_columns(context, what, SPK_COLUMN(&bounds, 2 * index->n_delays),
                                          SPK_COLUMN(&index->lo_reach, index->n_delays),
                                          SPK_COLUMN(&index->hi_reach, index->n_delays),
                                          SPK_COLUMN_ZERO(&index->reach, 2 * index->n_delays));
    for (size_t d = 0; d < index->n_delays && status == SPK_OK; d++) {
        index->lo_reach[d] = find_bound(bounds, &index->n_reach, index->delays[d].lo);
        index->hi_reach[d] = find_bound(bounds, &index->n_reach, index->delays[d].hi);
    }
    if (status == SPK_OK)
        status = fill_reach(context, bounds, false, threads, index, &index->widest_span);
    if (status == SPK_OK && index->widest_span > UINT16_MAX)
        status = fill_reach(context, bounds, true, threads, index, &index->widest_span);
    free(bounds);
    return status;
}

static uint64_t count_bytes(const sweep_index *index)
{
    uint64_t n = index->events.n_events;
    uint64_t n_units = index->events.n_units;
    uint64_t element = index->reach_wide ? sizeof(uint32_t) : sizeof(uint16_t);
    uint64_t positions = index->word != NULL ? n_units * index->n_words * sizeof(sweep_word)
                                             : n_units * index->n_buckets * sizeof(uint32_t);
    return n * 2 * sizeof(uint32_t) + n * index->n_reach * element + positions;
}

spk_status sweep_index_open(spk_context *context, const spk_episode_job *job, sweep_index *index)
{
    *index = (sweep_index){.events = spk_recording_events(job->recording),
                           .delays = job->delays,
                           .n_delays = job->n_delays};
    /* A single piece is done before other threads are awake. */
    const int threads = index->events.n_events > LEAST_EVENTS_A_PIECE ? job->threads : 1;
    spk_status status = build_ranks(context, threads, index);
    if (status == SPK_OK)
        status = build_lanes(context, index);
    if (status == SPK_OK)
        status = build_unit_ranks(context, threads, index);
    if (status == SPK_OK)
        status = build_positions(context, job->memory, threads, index);
    if (status == SPK_OK)
        status = build_reach(context, threads, index);
    if (status == SPK_OK)
        index->bytes = count_bytes(index);
    else
        sweep_index_close(index);
    return status;
}

void sweep_index_close(sweep_index *index)
{
    for (size_t k = 0; index->reach != NULL && k < index->n_reach; k++)
        free(index->reach[k]);
    spk_free_all(index->rank, index->lane_unit, index->unit_lane, index->unit_rank, index->word,
                 index->bucket, index->reach, index->lo_reach, index->hi_reach);
    *index = (sweep_index){.n_delays = 0};
}
