/*
 * The counted occurrences of one episode, segment by segment. Forward: per position the events at
 * which a partial occurrence can end, each with the last admissible one before it (so its start is
 * the latest possible). Then greedily by earliest end; the links lead back to the event times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stage.h"
#include "episode/list.h"
#include "recording/segments.h"
#include "spikemine/episode.h"
#include "spikemine/occurrences.h"

/* Where partial occurrences of the first p + 1 positions end. */
typedef struct partial {
    uint64_t n;
    int64_t *end;     /* times, rising */
    int64_t *start;   /* latest start of any that ends there */
    uint64_t *before; /* entry of position p - 1 that it continues */
} partial;

static spk_status partial_reserve(spk_context *context, uint64_t n, partial *out)
{
    const char *what = "occurrences";
    spk_status status = spk_alloc_columns(context, what, SPK_COLUMN(&out->end, n),
                                          SPK_COLUMN(&out->start, n), SPK_COLUMN(&out->before, n));
    return status;
}

static void partial_free(partial *p)
{
    spk_free_all(p->end, p->start, p->before);
}

static void start_with_unit(const spk_events *events, spk_event_range entries, partial *out)
{
    out->n = 0;
    for (uint64_t k = entries.first; k < entries.last; k++) {
        int64_t t = events->time[events->by_unit[k]];
        out->end[out->n] = t;
        out->start[out->n] = t;
        out->before[out->n++] = 0;
    }
}

static void continue_with_unit(const spk_events *events, spk_event_range entries,
                               spk_tick_delay delay, const partial *from, partial *out)
{
    uint64_t last = 0; /* entries of `from` more than lo before t */
    out->n = 0;
    for (uint64_t k = entries.first; k < entries.last; k++) {
        int64_t t = events->time[events->by_unit[k]];
        while (last < from->n && from->end[last] < t &&
               (uint64_t)t - (uint64_t)from->end[last] > delay.lo)
            last++;
        if (last == 0 || !spk_tick_delay_admits(delay, from->end[last - 1], t))
            continue;
        out->end[out->n] = t;
        out->start[out->n] = from->start[last - 1];
        out->before[out->n++] = last - 1;
    }
}

static spk_status hand_out(size_t segment, uint32_t size, const partial *positions,
                           spk_segment_occurrence_sink *sink, void *user)
{
    const partial *final = &positions[size - 1];
    int64_t time[SPK_EPISODE_MAX_SIZE];
    bool any = false;
    int64_t last_end = 0;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < final->n && status == SPK_OK; k++) {
        if (any && final->start[k] <= last_end)
            continue;
        any = true;
        last_end = final->end[k];
        uint64_t entry = k;
        for (uint32_t p = size; p-- > 0;) {
            time[p] = positions[p].end[entry];
            entry = positions[p].before[entry];
        }
        status = sink(user, segment, size, time);
    }
    return status;
}

static spk_status check_episode(spk_context *context, const spk_events *events, uint32_t size,
                                const uint32_t *units, const spk_delay *delays)
{
    if (size == 0 || size > SPK_EPISODE_MAX_SIZE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "an episode has 1 to %u positions, not %u",
                        SPK_EPISODE_MAX_SIZE, size);
    for (uint32_t p = 0; p < size; p++)
        if (units[p] >= events->n_units)
            return spk_fail(context, SPK_ERR_ARGUMENT, "the recording has %u units, not unit %u",
                            events->n_units, units[p]);
    return spk_delays_check(context, delays, size - 1);
}

/* Room for the events of each position's unit in any segment. */
static spk_status reserve_positions(spk_context *context, const spk_events *events, uint32_t size,
                                    const uint32_t *units, partial *positions)
{
    spk_status status = SPK_OK;
    for (uint32_t p = 0; p < size && status == SPK_OK; p++)
        status = partial_reserve(context,
                                 events->unit_first[units[p] + 1] - events->unit_first[units[p]],
                                 &positions[p]);
    return status;
}

/* Entries of by_unit that are still to come, of one position. Segments come in order of start, so
 * that it only goes on. */
typedef struct cursor {
    uint64_t at;
    uint64_t end;
} cursor;

/* The entries within a segment. */
static spk_event_range move_to(const spk_recording *recording, const spk_segment *segment,
                               cursor *c)
{
    const spk_events *events = &recording->events;
    if (recording->n_segments == 0)
        return (spk_event_range){c->at, c->end};
    while (c->at < c->end && events->time[events->by_unit[c->at]] < segment->start)
        c->at++;
    uint64_t last = c->at;
    while (last < c->end && events->time[events->by_unit[last]] < segment->stop)
        last++;
    return (spk_event_range){c->at, last};
}

static void search_segment(const spk_recording *recording, const spk_segment *segment,
                           uint32_t size, const spk_tick_delay *delays, cursor *cursors,
                           partial *positions)
{
    positions[size - 1].n = 0;
    for (uint32_t p = 0; p < size; p++) {
        spk_event_range entries = move_to(recording, segment, &cursors[p]);
        if (p == 0)
            start_with_unit(&recording->events, entries, &positions[0]);
        else
            continue_with_unit(&recording->events, entries, delays[p - 1], &positions[p - 1],
                               &positions[p]);
        if (positions[p].n == 0) {
            positions[size - 1].n = 0;
            return;
        }
    }
}

spk_status spk_episode_occurrences_in_segments(spk_context *context, const spk_recording *recording,
                                               uint32_t size, const uint32_t *units,
                                               const spk_delay *delays,
                                               spk_segment_occurrence_sink *sink, void *user)
{
    const spk_events *events = &recording->events;
    partial positions[SPK_EPISODE_MAX_SIZE] = {{.n = 0}};
    cursor cursors[SPK_EPISODE_MAX_SIZE];
    spk_tick_delay *ticks = NULL;
    size_t n_segments = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n_segments);
    spk_status status = check_episode(context, events, size, units, delays);
    if (status != SPK_OK)
        return status;
    for (uint32_t p = 0; p < size; p++)
        cursors[p] = (cursor){events->unit_first[units[p]], events->unit_first[units[p] + 1]};
    status = spk_delays_to_ticks(context, delays, size - 1, spk_recording_rate(recording), &ticks);
    if (status == SPK_OK)
        status = reserve_positions(context, events, size, units, positions);
    for (size_t k = 0; k < n_segments && status == SPK_OK; k++) {
        search_segment(recording, &segments[k], size, ticks, cursors, positions);
        status = hand_out(k, size, positions, sink, user);
    }
    for (uint32_t p = 0; p < size; p++)
        partial_free(&positions[p]);
    free(ticks);
    return status;
}

/* ---- without segments ------------------------------------------------------------------------ */

typedef struct plain_sink {
    spk_occurrence_sink *sink;
    void *user;
} plain_sink;

static spk_status leave_segment_out(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    const plain_sink *plain = user;
    (void)segment;
    return plain->sink(plain->user, size, time);
}

spk_status spk_episode_occurrences(spk_context *context, const spk_recording *recording,
                                   uint32_t size, const uint32_t *units, const spk_delay *delays,
                                   spk_occurrence_sink *sink, void *user)
{
    plain_sink plain = {sink, user};
    return spk_episode_occurrences_in_segments(context, recording, size, units, delays,
                                               leave_segment_out, &plain);
}

/* ---- lists of occurrences -------------------------------------------------------------------- */

struct spk_occurrence_list {
    spk_context *context;
    uint64_t n;
    uint32_t size;
    uint64_t capacity;      /* of segment */
    uint64_t time_capacity; /* of time, which has `size` elements a row */
    uint64_t *segment;
    int64_t *time;
    spk_holding holding;
};

spk_status spk_occurrence_list_create(spk_context *context, spk_occurrence_list **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "a list of occurrences");
    if (status == SPK_OK)
        (*out)->context = context;
    return status;
}

void spk_occurrence_list_free(spk_occurrence_list *list)
{
    if (list == NULL)
        return;
    free(list->segment);
    free(list->time);
    spk_holding_release(&list->holding);
    free(list);
}

spk_occurrence_columns spk_occurrence_list_columns(const spk_occurrence_list *list)
{
    return (spk_occurrence_columns){
        .n = list->n, .size = list->size, .segment = list->segment, .time = list->time};
}

/* Space for one more occurrence. */
static spk_status grow(spk_occurrence_list *list)
{
    const char *what = "a list of occurrences";
    const uint64_t end = (list->n + 1) * list->size;
    if (list->n < list->capacity && end <= list->time_capacity)
        return SPK_OK;
    spk_stage stage = spk_stage_open(list->context);
    spk_status status = spk_grow(list->context, &list->segment, &list->capacity, list->n + 1, what);
    if (status == SPK_OK)
        status = spk_grow(list->context, &list->time, &list->time_capacity, end, what);
    spk_stage_close(list->context, &stage);
    spk_holding_set(list->context, &list->holding,
                    list->capacity * sizeof *list->segment +
                        list->time_capacity * sizeof *list->time);
    return status;
}

spk_status spk_occurrence_list_add(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    spk_occurrence_list *list = user;
    if (size == 0 || (list->n > 0 && size != list->size))
        return spk_fail(list->context, SPK_ERR_ARGUMENT,
                        "an occurrence of %u positions in a list of occurrences of %u", size,
                        list->size);
    list->size = size;
    spk_status status = grow(list);
    if (status != SPK_OK)
        return status;
    list->segment[list->n] = segment;
    memcpy(list->time + list->n * size, time, size * sizeof *time);
    list->n++;
    return SPK_OK;
}
