/*
 * Counting without tables.
 *
 * An event ends an occurrence of a candidate when it lies in the interval behind some end of the
 * prefix; the last such end gives the latest start. So the events behind an end, but not beyond lo
 * of the next one, belong to that end, and every event is visited at most once for a prefix and an
 * interval. In order of time: where the start lies behind the unit's last counted end, count it.
 * That is the greedy choice by earliest end, for all units at once, one event at a time.
 *
 * Example:
 *     ends of the prefix    e1        e2                      e3
 *     events                 a  b      c  d      .  .  .       f  g
 *     visited for            e1 e1     e2 e2     jumped over   e3 e3
 *
 * Invariant: a walk only moves on. Cost: one visit for an event within the interval, however many
 * candidates end with it, and a look-up for a gap. Bytes: 8 for each unit, of every run of
 * candidates that is counted side by side (LANES_BYTES). Ours.
 */
#include "episode/engine/sweep/strategy.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"

/* Ends whose followers are fetched ahead; events in a cache line. */
enum { ENDS_AHEAD = 12, LINE = 16 };
/* Children that share a pass: as many as have their lanes in a processor's own cache, but some in
 * any case. */
enum { LANES_BYTES = 256 << 10, FEWEST_CHILDREN = 8, MOST_BYTES = 16 << 20 };

/* ---- counting -------------------------------------------------------------------------------- */

/* A unit's candidate. */
typedef struct scan_lane {
    uint32_t free_from; /* occurrences that start at this rank or later do not overlap what is
                           counted */
    uint32_t count;
} scan_lane;

/* The last rank within a bound behind the event at this place. */
static inline uint32_t last_within(const sweep_index *index, uint16_t bound, uint32_t place)
{
    return index->unit_rank[place] + sweep_reach_at(index, bound, place);
}

/* The first event beyond lo of the event at this place. Ranks rise by one an event at most. */
static inline uint64_t first_beyond(const sweep_index *index, uint16_t lo, uint32_t place)
{
    uint64_t n = index->events.n_events;
    uint64_t at = index->events.by_unit[place] + (uint64_t)sweep_reach_at(index, lo, place);
    uint32_t within = last_within(index, lo, place);
    while (at < n && index->rank[at] <= within)
        at++;
    return at;
}

/* Events are all over the memory. */
static inline void fetch_ahead(const sweep_index *index, uint32_t place)
{
    uint64_t event = index->events.by_unit[place];
    __builtin_prefetch(index->events.unit + event);
    __builtin_prefetch(index->events.unit + event + LINE);
    __builtin_prefetch(index->rank + event);
    __builtin_prefetch(index->rank + event + LINE);
}

/* Where a scan of one list for one interval stands. */
typedef struct scan_walk {
    uint16_t lo; /* bounds of the interval */
    uint16_t hi;
    bool begun;
    uint64_t event; /* the next to visit, once begun */
} scan_walk;

/* The last rank that end k of the list may be followed at. What lies beyond lo of the next end
 * belongs to that; *jump: only after a gap. */
static inline uint32_t last_of_end(const sweep_index *index, const scan_walk *walk,
                                   const sweep_list *list, uint64_t k, bool *jump)
{
    uint32_t last = last_within(index, walk->hi, list->end[k]);
    *jump = false;
    if (k + 1 < list->n) {
        uint32_t before_next = last_within(index, walk->lo, list->end[k + 1]);
        *jump = before_next > last;
        last = *jump ? last : before_next;
    }
    return last;
}

/* Counts what follows the ends [begin, end) of the list, of all units. */
static void count_followers(const sweep_index *index, const sweep_list *list, uint64_t begin,
                            uint64_t end, scan_walk *walk, scan_lane *lanes)
{
    const uint32_t *unit = index->events.unit;
    const uint32_t *rank = index->rank;
    const uint64_t n_events = index->events.n_events;
    assert(end <= list->n);
    if (begin < end && !walk->begun)
        walk->event = first_beyond(index, walk->lo, list->end[begin]);
    walk->begun |= begin < end;
    uint64_t i = walk->event;
    for (uint64_t k = begin; k < end; k++) {
        bool jump;
        uint32_t start = list->start[k];
        uint32_t last = last_of_end(index, walk, list, k, &jump);
        if (k + ENDS_AHEAD < list->n)
            fetch_ahead(index, list->end[k + ENDS_AHEAD]);
        for (; i < n_events && rank[i] <= last; i++) {
            scan_lane *lane = &lanes[unit[i]];
            uint32_t take = 0 - (uint32_t)(start >= lane->free_from); /* all ones or none */
            lane->free_from += (rank[i] + 1 - lane->free_from) & take;
            lane->count -= take;
        }
        if (jump)
            i = first_beyond(index, walk->lo, list->end[k + 1]);
    }
    walk->event = i;
}

/* ---- a family -------------------------------------------------------------------------------- */

/*
 * Groups whose prefixes differ in their last unit only are a family: one scan behind the ends of
 * what they share finds the lists of all of them. They are carried through the recording together,
 * a stretch at a time, so that what one of them brought into the cache serves the others.
 */
typedef struct scan_child {
    uint64_t place;  /* of the unit's event that was met last, or the unit's first */
    sweep_list list; /* of the stretch */
    uint32_t first_run;
    uint32_t n_runs;
} scan_child;

/* The candidates of a child with one interval. */
typedef struct scan_run {
    uint64_t first; /* candidates of the block */
    uint64_t last;
    scan_walk walk;
    scan_lane *lanes; /* per unit */
} scan_run;

/* A thread's scratch memory; grows. */
typedef struct scan_scratch {
    sweep_path path;
    uint32_t *child_of; /* per unit: number of its child + 1, or 0 */
    uint64_t n_children, child_capacity;
    scan_child *child;
    uint64_t n_runs, run_capacity;
    scan_run *run;
    uint64_t lane_capacity; /* runs */
    scan_lane *lanes;
} scan_scratch;

static void scratch_close(scan_scratch *scratch)
{
    sweep_path_free(&scratch->path);
    for (uint64_t k = 0; k < scratch->child_capacity; k++)
        sweep_list_free(&scratch->child[k].list);
    spk_free_all(scratch->child_of, scratch->child, scratch->run, scratch->lanes);
}

/* Runs of the candidates [first, last), which come in order of interval. */
static spk_status add_runs(const sweep_shared *shared, uint64_t first, uint64_t last,
                           scan_scratch *scratch)
{
    const spk_episode_block *block = shared->block;
    const sweep_index *index = shared->index;
    for (uint64_t c = first; c < last;) {
        uint16_t delay = sweep_final_delay(block, c);
        uint64_t end = c + 1;
        while (end < last && sweep_final_delay(block, end) == delay)
            end++;
        spk_status status = spk_grow(NULL, &scratch->run, &scratch->run_capacity,
                                     scratch->n_runs + 1, "candidates");
        if (status != SPK_OK)
            return status;
        scan_walk walk = {index->lo_reach[delay], index->hi_reach[delay], false, 0};
        scratch->run[scratch->n_runs++] = (scan_run){c, end, walk, NULL};
        c = end;
    }
    return SPK_OK;
}

/* The rank of an event, which may be the one behind the last. */
static uint32_t rank_of_event(const sweep_index *index, uint64_t event)
{
    return event < index->events.n_events ? index->rank[event] : index->n_ranks;
}

/* Free from the first rank on, or where the stretch of time before has left the candidate. */
static scan_lane first_lane(const sweep_shared *shared, uint64_t c)
{
    uint64_t from = shared->free_from != NULL ? shared->free_from[c] : 0;
    return (scan_lane){from > 0 ? rank_of_event(shared->index, from) : 0, 0};
}

/* Lanes for all runs; only the lanes of candidates need a value. */
static spk_status spread_lanes(const sweep_shared *shared, scan_scratch *scratch)
{
    uint64_t n_units = shared->index->events.n_units;
    spk_status status = SPK_OK;
    if (scratch->n_runs > scratch->lane_capacity) {
        free(scratch->lanes);
        scratch->lane_capacity = 0;
        status = spk_alloc_zero(NULL, &scratch->lanes, scratch->n_runs * n_units, "candidates");
        if (status == SPK_OK)
            scratch->lane_capacity = scratch->n_runs;
    }
    for (uint64_t r = 0; r < scratch->n_runs && status == SPK_OK; r++) {
        scan_run *run = &scratch->run[r];
        run->lanes = scratch->lanes + r * n_units;
        for (uint64_t c = run->first; c < run->last; c++)
            run->lanes[sweep_final_unit(shared->block, c)] = first_lane(shared, c);
    }
    return status;
}

/* Where the search goes on in a later stretch of time, also the first event that no counted
 * occurrence reaches. */
static void take_counts(const sweep_shared *shared, const scan_scratch *scratch, uint64_t *counts)
{
    for (uint64_t r = 0; r < scratch->n_runs; r++)
        for (uint64_t c = scratch->run[r].first; c < scratch->run[r].last; c++) {
            scan_lane lane = scratch->run[r].lanes[sweep_final_unit(shared->block, c)];
            counts[c] = lane.count;
            if (shared->free_from != NULL && lane.count > 0)
                shared->free_from[c] = spk_first_u32(
                    shared->index->rank, 0, shared->index->events.n_events, lane.free_from);
        }
}

/* A child for each group of [first, last), with runs for its candidates. */
static spk_status add_children(const sweep_shared *shared, const sweep_groups *groups,
                               uint64_t first, uint64_t last, scan_scratch *scratch)
{
    const sweep_index *index = shared->index;
    uint64_t before = scratch->child_capacity;
    spk_status status =
        spk_grow(NULL, &scratch->child, &scratch->child_capacity, last - first, "candidates");
    if (status != SPK_OK)
        return status;
    /* Children that are new begin empty; others keep the room of their lists. */
    for (uint64_t k = before; k < scratch->child_capacity; k++)
        scratch->child[k] = (scan_child){.place = 0};
    scratch->n_children = last - first;
    for (uint64_t k = 0; k < scratch->n_children && status == SPK_OK; k++) {
        scan_child *child = &scratch->child[k];
        uint32_t unit = sweep_groups_last_unit(shared->block, groups, first + k);
        child->place = index->events.unit_first[unit];
        child->list.n = 0;
        child->first_run = (uint32_t)scratch->n_runs;
        status = add_runs(shared, groups->first[first + k], groups->first[first + k + 1], scratch);
        child->n_runs = (uint32_t)(scratch->n_runs - child->first_run);
        /* Numbers count from 1: 0 says that a unit is no child. */
        scratch->child_of[unit] = (uint32_t)(k + 1);
    }
    return status;
}

/* The child's prefix ends at this event. Events come in order of time: the place among the unit's
 * events only moves on. */
static spk_status append(const sweep_index *index, uint64_t event, uint32_t start,
                         scan_child *child)
{
    sweep_list *list = &child->list;
    uint64_t capacity = list->capacity;
    if (list->n == capacity) {
        spk_status status = spk_grow(NULL, &list->end, &capacity, list->n + 1, "occurrences");
        capacity = list->capacity;
        if (status == SPK_OK)
            status = spk_grow(NULL, &list->start, &capacity, list->n + 1, "occurrences");
        if (status != SPK_OK)
            return status;
        list->capacity = capacity;
    }
    while (index->events.by_unit[child->place] < event)
        child->place++;
    assert(index->events.by_unit[child->place] == event);
    list->end[list->n] = (uint32_t)child->place;
    list->start[list->n++] = start;
    return SPK_OK;
}

/* Adds what follows the ends [begin, end) of the list to the children. */
static spk_status find_followers(const sweep_index *index, const sweep_list *list, uint64_t begin,
                                 uint64_t end, scan_walk *walk, scan_scratch *scratch)
{
    const uint32_t *unit = index->events.unit;
    const uint64_t n_events = index->events.n_events;
    spk_status status = SPK_OK;
    if (begin < end && !walk->begun)
        walk->event = first_beyond(index, walk->lo, list->end[begin]);
    walk->begun |= begin < end;
    /* The walk only moves on. What lies behind this end, but not beyond lo of the next one, is this
     * end's; where the next one lies far ahead, events in between are jumped over. */
    uint64_t i = walk->event;
    for (uint64_t k = begin; k < end && status == SPK_OK; k++) {
        bool jump;
        uint32_t last = last_of_end(index, walk, list, k, &jump);
        if (k + ENDS_AHEAD < list->n)
            fetch_ahead(index, list->end[k + ENDS_AHEAD]);
        for (; i < n_events && index->rank[i] <= last && status == SPK_OK; i++) {
            uint32_t child = scratch->child_of[unit[i]];
            if (child != 0)
                status = append(index, i, list->start[k], &scratch->child[child - 1]);
        }
        if (jump)
            i = first_beyond(index, walk->lo, list->end[k + 1]);
    }
    walk->event = i;
    return status;
}

/* Counts along the child's list but for its last end, whose followers depend on the one after it,
 * unless there is none. */
static void count_child(const sweep_index *index, bool whole, scan_scratch *scratch,
                        scan_child *child)
{
    sweep_list *list = &child->list;
    uint64_t n = whole || list->n == 0 ? list->n : list->n - 1;
    for (uint32_t r = 0; r < child->n_runs; r++) {
        scan_run *run = &scratch->run[child->first_run + r];
        count_followers(index, list, 0, n, &run->walk, run->lanes);
    }
    if (n < list->n) {
        list->end[0] = list->end[n];
        list->start[0] = list->start[n];
    }
    list->n -= n;
}

/* A family, or a part of it. */
static spk_status scan_family(const sweep_shared *shared, const sweep_groups *groups,
                              uint64_t first, uint64_t last, uint64_t stretch,
                              scan_scratch *scratch, uint64_t *counts)
{
    const spk_episode_block *block = shared->block;
    const sweep_index *index = shared->index;
    uint64_t c = groups->first[first];
    uint32_t size = block->size - 2; /* of what they share */
    assert(size > 0 && first < last && last <= groups->n && stretch > 0);
    uint16_t delay = block->delay[c * block->size + size];
    scan_walk walk = {index->lo_reach[delay], index->hi_reach[delay], false, 0};
    spk_status status =
        sweep_path_go(index, shared->kernels.extend, size, block->unit + c * block->size,
                      block->delay + c * block->size, &scratch->path);
    scratch->n_runs = 0;
    if (status == SPK_OK)
        status = add_children(shared, groups, first, last, scratch);
    if (status == SPK_OK)
        status = spread_lanes(shared, scratch);
    const sweep_list *list = &scratch->path.list[size - 1];
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k += stretch) {
        uint64_t end = list->n - k < stretch ? list->n : k + stretch;
        status = find_followers(index, list, k, end, &walk, scratch);
        for (uint64_t child = 0; child < scratch->n_children && status == SPK_OK; child++)
            count_child(index, end == list->n, scratch, &scratch->child[child]);
    }
    if (status == SPK_OK)
        take_counts(shared, scratch, counts);
    for (uint64_t g = first; g < last; g++)
        scratch->child_of[sweep_groups_last_unit(block, groups, g)] = 0;
    return status;
}

/* Pairs: the prefixes are units. */
static spk_status scan_unit(const sweep_shared *shared, const sweep_groups *groups, uint64_t g,
                            scan_scratch *scratch, uint64_t *counts)
{
    uint32_t unit = sweep_groups_last_unit(shared->block, groups, g);
    scratch->n_runs = 0;
    sweep_list *list = &scratch->path.list[0];
    spk_status status = sweep_list_of_unit(shared->index, unit, list);
    if (status == SPK_OK)
        status = add_runs(shared, groups->first[g], groups->first[g + 1], scratch);
    if (status == SPK_OK)
        status = spread_lanes(shared, scratch);
    for (uint64_t r = 0; r < scratch->n_runs && status == SPK_OK; r++)
        count_followers(shared->index, list, 0, list->n, &scratch->run[r].walk,
                        scratch->run[r].lanes);
    if (status == SPK_OK)
        take_counts(shared, scratch, counts);
    return status;
}

/* ---- all groups ------------------------------------------------------------------------------ */

/* Cuts the groups into what one thread does at a time, families or parts of them: task t has the
 * groups first[t] .. first[t + 1] - 1. */
static spk_status cut_tasks(const sweep_shared *shared, int threads, const sweep_groups *groups,
                            uint64_t **first, uint64_t *n_tasks)
{
    uint64_t lanes = shared->index->events.n_units * sizeof(scan_lane) * shared->index->n_delays;
    uint64_t most = LANES_BYTES / lanes;
    if (most < FEWEST_CHILDREN)
        most = MOST_BYTES / lanes < FEWEST_CHILDREN ? MOST_BYTES / lanes + 1 : FEWEST_CHILDREN;
    uint64_t fair = groups->n / (8 * (uint64_t)threads) + 1;
    most = most < fair ? most : fair;
    spk_status status = spk_alloc(NULL, first, groups->n + 1, "candidate groups");
    uint64_t n = 0;
    for (uint64_t g = 0; g < groups->n && status == SPK_OK; g++)
        if (n == 0 || g - (*first)[n - 1] == most ||
            !sweep_groups_same_family(shared->block, groups, g - 1, g))
            (*first)[n++] = g;
    if (status == SPK_OK)
        (*first)[n] = groups->n;
    *n_tasks = n;
    return status;
}

spk_status sweep_count_scan(const sweep_shared *shared, const sweep_resources *resources,
                            const sweep_groups *groups, uint64_t stretch, uint64_t *counts)
{
    int threads = resources->threads;
    uint64_t *first = NULL;
    uint64_t n_tasks = 0;
    spk_status result = cut_tasks(shared, threads, groups, &first, &n_tasks);
    if (result != SPK_OK)
        return result;
#pragma omp parallel num_threads(threads)
    {
        /* A loop of OpenMP has no exit: a thread without memory goes through the rest of it
         * idly. */
        scan_scratch scratch = {.n_runs = 0};
        spk_status status =
            spk_alloc_zero(NULL, &scratch.child_of, shared->index->events.n_units, "candidates");
#pragma omp for schedule(dynamic, 1)
        for (uint64_t t = 0; t < n_tasks; t++) {
            if (status != SPK_OK || spk_context_cancelled(shared->watch))
                continue;
            status = shared->block->size == 2
                         ? scan_unit(shared, groups, first[t], &scratch, counts)
                         : scan_family(shared, groups, first[t], first[t + 1], stretch, &scratch,
                                       counts);
        }
        scratch_close(&scratch);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_status)
            result = status;
        }
    }
    free(first);
    return result;
}
