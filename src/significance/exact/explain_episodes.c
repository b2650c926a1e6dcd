/*
 * Explained by a part: episodes.
 *
 *     part A -> B, left out C:      A  B  (interval)           A  B  (interval)
 *     windows of jitter:         |        .  ---- | ----  .       |    .  ---- .    |
 *     C:                                     C                            C
 *
 * Each counted occurrence of the part has an interval in which an event of C would follow. In each
 * window of jitter C has some events on some ticks; none of them lies in the interval with the
 * chance that a draw without replacement gives.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/sort.h"
#include "distribute/queue.h"
#include "recording/segments.h"
#include "significance/exact/exact.h"
#include "significance/exact/null_inside.h"
#include "significance/exact/tail.h"
#include "spikemine/occurrences.h"

/* Ticks from .. to - 1 in which the left-out event of an occurrence may lie. */
typedef struct tick_range {
    int64_t from;
    int64_t to;
} tick_range;

typedef struct explainer {
    spk_context *context;
    const spk_recording *recording;
    const null_episodes *null;
    spk_events events; /* of the recording */
    const spk_segment *segment;
    spk_delay *delay; /* of a part */
    /* The part in hand: */
    const uint32_t *unit;
    uint32_t size;
    bool forward;         /* the left-out event follows; else it comes before */
    uint32_t left_out;    /* its unit */
    spk_tick_delay reach; /* its delay */
    tick_range *interval; /* one for each occurrence of the part */
    uint64_t n, capacity;
    int64_t *fixed; /* events of the left-out unit that belong to these */
    uint64_t n_fixed, fixed_capacity;
    exact_tail tail;
} explainer;

/* ---- occurrences ----------------------------------------------------------------------------- */

/* Where the event that follows, or that comes before, may lie; cut by the segment. */
static tick_range find_interval(const explainer *e, const spk_segment *segment, uint32_t size,
                                const int64_t *time)
{
    int64_t at = e->forward ? time[size - 1] : time[0];
    uint64_t room = e->forward ? (uint64_t)segment->stop - 1 - (uint64_t)at
                               : (uint64_t)at - (uint64_t)segment->start;
    uint64_t hi = e->reach.hi < room ? e->reach.hi : room;
    if (e->reach.lo >= hi)
        return (tick_range){at, at};
    if (e->forward)
        return (tick_range){(int64_t)((uint64_t)at + e->reach.lo + 1),
                            (int64_t)((uint64_t)at + hi + 1)};
    return (tick_range){(int64_t)((uint64_t)at - hi), (int64_t)((uint64_t)at - e->reach.lo)};
}

static spk_status keep_occurrence(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    explainer *e = user;
    spk_status status = spk_grow(e->context, &e->interval, &e->capacity, e->n + 1, "test of parts");
    if (status == SPK_OK)
        status =
            spk_grow(e->context, &e->fixed, &e->fixed_capacity, e->n_fixed + size, "test of parts");
    if (status != SPK_OK)
        return status;
    e->interval[e->n++] = find_interval(e, &e->segment[segment], size, time);
    for (uint32_t k = 0; k < size; k++)
        if (e->unit[k] == e->left_out)
            e->fixed[e->n_fixed++] = time[k];
    return SPK_OK;
}

/* Lists the intervals of all counted occurrences, and the fixed events, ascending, each once. */
static spk_status find_intervals(explainer *e)
{
    uint64_t n = 0;
    e->n = e->n_fixed = 0;
    spk_status status = spk_episode_occurrences_in_segments(e->context, e->recording, e->size,
                                                            e->unit, e->delay, keep_occurrence, e);
    if (e->n_fixed > 0)
        qsort(e->fixed, e->n_fixed, sizeof *e->fixed, spk_compare_int64);
    for (uint64_t k = 0; k < e->n_fixed; k++)
        if (n == 0 || e->fixed[k] != e->fixed[n - 1])
            e->fixed[n++] = e->fixed[k];
    e->n_fixed = n;
    return status;
}

/* ---- chances --------------------------------------------------------------------------------- */

static uint64_t fixed_below(const explainer *e, int64_t tick)
{
    return spk_first_i64(e->fixed, 0, e->n_fixed, tick);
}

/* Whether the left-out unit has an event in the interval. */
static bool has_event(const explainer *e, tick_range interval)
{
    const spk_events *events = &e->events;
    const uint64_t low = spk_unit_first_from(events, e->left_out, interval.from);
    return low < events->unit_first[e->left_out + 1] &&
           events->time[events->by_unit[low]] < interval.to;
}

static int64_t group_stop(const null_group *group)
{
    return (int64_t)((uint64_t)group->start + group->n);
}

/* The first window of the left-out unit that stops behind `tick`. */
static uint64_t group_behind(const explainer *e, int64_t tick)
{
    const uint64_t *first = e->null->first_group + e->left_out;
    spk_bisect s = {first[0], first[1]};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, group_stop(&e->null->group[s.middle]) <= tick);
    return s.low;
}

/* The chance that none of the free events of a window lies in the interval. */
static double chance_of_none(const explainer *e, const null_group *group, tick_range interval)
{
    int64_t stop = group_stop(group);
    uint64_t n_fixed = fixed_below(e, stop) - fixed_below(e, group->start);
    int64_t from = interval.from > group->start ? interval.from : group->start;
    int64_t to = interval.to < stop ? interval.to : stop;
    uint64_t places = group->n - n_fixed, events = group->taken - n_fixed;
    uint64_t outside = places - ((uint64_t)to - (uint64_t)from);
    double chance = 1;
    assert(from < to && group->taken >= n_fixed);
    for (uint64_t k = 0; k < events && chance > 0; k++)
        chance *= outside > k ? (double)(outside - k) / (double)(places - k) : 0;
    return chance;
}

/* The chance that some event lies in the interval. */
static double chance_of_some(const explainer *e, tick_range interval)
{
    static const double NEGLIGIBLE = 1e-18;
    uint64_t last = e->null->first_group[e->left_out + 1];
    double none = 1;
    for (uint64_t g = group_behind(e, interval.from); g < last && none > NEGLIGIBLE; g++) {
        if (e->null->group[g].start >= interval.to)
            break;
        none *= chance_of_none(e, &e->null->group[g], interval);
    }
    return 1 - none;
}

/* An occurrence that an event of the part itself follows says nothing. */
static bool is_open(const explainer *e, tick_range interval)
{
    return interval.from < interval.to &&
           fixed_below(e, interval.from) == fixed_below(e, interval.to);
}

/* The chance that the part is continued as often as it is. */
static spk_status test_part(explainer *e, double *p)
{
    uint64_t followed = 0;
    spk_status status = find_intervals(e);
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++)
        followed += is_open(e, e->interval[k]) && has_event(e, e->interval[k]);
    if (status == SPK_OK)
        status = exact_tail_start(e->context, followed, &e->tail);
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++)
        if (is_open(e, e->interval[k]))
            exact_tail_add_chance(&e->tail, chance_of_some(e, e->interval[k]));
    if (status == SPK_OK)
        *p = exact_tail_chance(&e->tail);
    return status;
}

/* ---- episodes -------------------------------------------------------------------------------- */

/* Takes the part of episode i without its first, or without its last event. */
static void take_part(explainer *e, const spk_episode_columns *episodes, uint64_t i, bool forward)
{
    uint32_t size = (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]);
    const uint32_t *unit = episodes->unit + episodes->offset[i];
    const uint16_t *delay = episodes->delay + episodes->offset[i];
    e->forward = forward;
    e->size = size - 1;
    e->unit = forward ? unit : unit + 1;
    e->left_out = forward ? unit[size - 1] : unit[0];
    e->reach = e->null->delay[forward ? delay[size - 1] : delay[1]];
    for (uint32_t k = 1; k < e->size; k++)
        e->delay[k - 1] = episodes->delays[forward ? delay[k] : delay[k + 1]];
}

static spk_status test_episode(explainer *e, const spk_episode_columns *episodes, uint64_t i,
                               double *p, uint32_t *left_out)
{
    uint32_t size = (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]);
    spk_status status = spk_check_cancel(e->context);
    *p = 0;
    *left_out = 0;
    for (int forward = 1; forward >= 0 && size > 1 && status == SPK_OK; forward--) {
        double own = 0;
        take_part(e, episodes, i, forward);
        status = test_part(e, &own);
        if (status != SPK_OK || own <= *p)
            continue;
        *p = own;
        *left_out = forward ? size - 1 : 0;
    }
    return status;
}

/* ---- all episodes ---------------------------------------------------------------------------- */

enum { TOGETHER = 64 }; /* episodes of a task */

typedef struct task_list {
    const explainer *shared;
    const spk_episode_columns *episodes;
    double *p;
    uint32_t *left_out;
} task_list;

/* Tests some episodes. What a part needs is the task's own. */
static spk_status run_task(spk_context *own, uint64_t task, void *user)
{
    const task_list *list = user;
    explainer e = *list->shared;
    uint64_t first = task * TOGETHER, n = list->episodes->n - first;
    spk_stage stage = spk_stage_open(own);
    spk_status status = spk_alloc(own, &e.delay, SPK_EPISODE_MAX_SIZE, "test of parts");
    e.context = own;
    n = n < TOGETHER ? n : TOGETHER;
    for (uint64_t i = first; i < first + n && status == SPK_OK; i++)
        status = test_episode(&e, list->episodes, i, &list->p[i], &list->left_out[i]);
    spk_free_all(e.delay, e.interval, e.fixed);
    exact_tail_free(&e.tail);
    spk_stage_close(own, &stage);
    return status;
}

spk_status spk_null_explain_episodes(spk_context *context, const spk_recording *recording,
                                     const spk_null *null, const spk_episode_columns *episodes,
                                     double *p, uint32_t *left_out)
{
    size_t n_segments = 0;
    explainer shared = {.recording = recording,
                        .events = spk_recording_events(recording),
                        .null = &null->episodes,
                        .segment = spk_recording_segments(recording, &n_segments)};
    task_list list = {&shared, episodes, p, left_out};
    spk_queue_job job = {.n = (episodes->n + TOGETHER - 1) / TOGETHER,
                         .what = "parts",
                         .task = run_task,
                         .user = &list};
    assert(episodes->n_delays == null->episodes.n_delays);
    return spk_queue_run(context, &job);
}
