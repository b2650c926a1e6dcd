/*
 * Shuffled recordings: every unit keeps its number of spikes in every segment, at times drawn
 * uniformly from all sets of so many distinct ticks of the segment, start to stop, stop outside.
 * Every unit has its own sequence of random numbers in every segment.
 *
 * Segments that overlap share events, and their numbers have to stay in each: there events move
 * between neighbouring borders of any segments.
 *
 *     segments:   |------------|      |-----|
 *                        |---------|
 *     stretches:  |--1---|--2--|-3-|  |--4--|
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "simulate/simulate.h"

/* Ticks are drawn as distances from the recording's start: unsigned, whatever the extent. */
static int compare_distances(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* n distinct numbers below `bound`, ascending; n at most half of them, so that few draws repeat.
 * The first n distinct ones of a uniform sequence are a uniform set, and drawing just as many as
 * still miss never goes beyond them. */
static void draw_distinct(spk_random *random, uint64_t bound, uint64_t n, uint64_t *number)
{
    uint64_t have = 0;
    assert(n <= bound / 2);
    while (have < n) {
        for (uint64_t i = have; i < n; i++)
            number[i] = spk_random_below(random, bound);
        qsort(number, (size_t)n, sizeof *number, compare_distances);
        have = 1;
        for (uint64_t i = 1; i < n; i++)
            if (number[i] != number[have - 1])
                number[have++] = number[i];
    }
}

/* Turns the n ascending numbers in `absent` into the others below `bound`: into `out`. */
static void complement(uint64_t bound, uint64_t n, const uint64_t *absent, uint64_t *out)
{
    uint64_t next = 0;
    for (uint64_t tick = 0; tick < bound; tick++) {
        if (next < n && absent[next] == tick)
            next++;
        else
            *out++ = tick;
    }
}

/* n distinct ticks below `bound` into `out`. Where they are more than half of all, the ticks left
 * free are drawn instead: into `scratch`, of at least n entries. */
static void draw_unit(spk_random *random, uint64_t bound, uint64_t n, uint64_t *scratch,
                      uint64_t *out)
{
    assert(n <= bound);
    if (n <= bound / 2) {
        draw_distinct(random, bound, n, out);
        return;
    }
    draw_distinct(random, bound, bound - n, scratch);
    complement(bound, bound - n, scratch, out);
}

static uint64_t most_spikes(const spk_events *events)
{
    uint64_t most = 0;
    for (uint32_t u = 0; u < events->n_units; u++) {
        uint64_t n = events->unit_first[u + 1] - events->unit_first[u];
        most = n > most ? n : most;
    }
    return most;
}

/* ---- where events may go --------------------------------------------------------------------- */

/* Disjoint, in order, none empty; with one segment that segment, if it is not empty. */
typedef struct stretches {
    size_t n;
    spk_segment *stretch;
} stretches;

static int compare_ticks(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Keeps those between neighbouring borders that lie in some segment. */
static void join_borders(size_t n_segments, const spk_segment *segments, const int64_t *border,
                         stretches *out)
{
    size_t next = 0;
    int64_t reach = INT64_MIN; /* the latest stop of the segments that have begun */
    for (size_t b = 0; b + 1 < 2 * n_segments; b++) {
        for (; next < n_segments && segments[next].start <= border[b]; next++)
            reach = segments[next].stop > reach ? segments[next].stop : reach;
        if (border[b] < border[b + 1] && border[b] < reach)
            out->stretch[out->n++] = (spk_segment){border[b], border[b + 1]};
    }
}

static spk_status find_stretches(spk_context *context, const spk_recording *recording,
                                 stretches *out)
{
    size_t n = 0;
    int64_t *border = NULL;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    spk_status status = spk_alloc_columns(context, "segments", SPK_COLUMN(&border, 2 * n),
                                          SPK_COLUMN(&out->stretch, 2 * n));
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < n; k++) {
        border[2 * k] = segments[k].start;
        border[2 * k + 1] = segments[k].stop;
    }
    qsort(border, 2 * n, sizeof *border, compare_ticks);
    join_borders(n, segments, border, out);
    free(border);
    return SPK_OK;
}

/* ---- shuffling ------------------------------------------------------------------------------- */

/* One unit in all stretches. The sequence of the first one has the unit's number as index, which is
 * what it was before there were segments. */
static void shuffle_unit(const spk_events *events, const stretches *where, uint32_t unit,
                         uint64_t seed, uint64_t *scratch, uint64_t *drawn,
                         spk_recording_parts *parts)
{
    uint64_t at = events->unit_first[unit], end = events->unit_first[unit + 1];
    for (size_t s = 0; s < where->n && at < end; s++) {
        uint64_t start = (uint64_t)where->stretch[s].start;
        uint64_t bound = (uint64_t)where->stretch[s].stop - start, n = 0;
        for (; at + n < end && events->time[events->by_unit[at + n]] < where->stretch[s].stop;)
            n++;
        at += n;
        if (n == 0)
            continue;
        spk_random random = spk_random_start(seed, SPK_RANDOM_SHUFFLE, unit | (uint64_t)s << 32);
        draw_unit(&random, bound, n, scratch, drawn);
        for (uint64_t i = 0; i < n; i++) {
            assert(drawn[i] < bound);
            parts->time[parts->n_events] = (int64_t)(start + drawn[i]);
            parts->unit[parts->n_events++] = unit;
        }
    }
    assert(at == end);
}

/* Fills the columns, unit by unit. */
static spk_status shuffle_units(spk_context *context, const spk_recording *recording, uint64_t seed,
                                const stretches *where, uint64_t *scratch,
                                spk_recording_parts *parts)
{
    spk_events events = spk_recording_events(recording);
    uint64_t *drawn = scratch + most_spikes(&events);
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++) {
        shuffle_unit(&events, where, u, seed, scratch, drawn, parts);
        spk_progress(context, "shuffling", u + 1, events.n_units);
        status = spk_check_cancel(context);
    }
    return status;
}

spk_status spk_recording_shuffle(spk_context *context, const spk_recording *recording,
                                 uint64_t seed, spk_recording **out)
{
    spk_events events = spk_recording_events(recording);
    spk_recording_parts parts = {.n_units = events.n_units,
                                 .rate = recording->rate,
                                 .start = &recording->extent.start,
                                 .stop = &recording->extent.stop,
                                 .n_exact = recording->n_segments,
                                 .exact = recording->exact,
                                 .given = recording->given,
                                 .time_unit = recording->time_unit};
    const char **labels = NULL;
    uint64_t *scratch = NULL;
    stretches where = {.n = 0};
    *out = NULL;
    spk_status status = spk_alloc(context, &labels, events.n_units, "unit labels");
    if (status == SPK_OK)
        status = spk_alloc_bytes(context, &scratch, most_spikes(&events), 2 * sizeof *scratch,
                                 "shuffled times");
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "event times", SPK_COLUMN(&parts.time, events.n_events),
                                   SPK_COLUMN(&parts.unit, events.n_events));
    if (status == SPK_OK)
        status = find_stretches(context, recording, &where);
    if (status == SPK_OK)
        status = shuffle_units(context, recording, seed, &where, scratch, &parts);
    free(scratch);
    if (status != SPK_OK)
        goto done;
    for (uint32_t u = 0; u < events.n_units; u++)
        labels[u] = spk_recording_label(recording, u);
    parts.labels = labels;
    status = spk_recording_assemble(context, &parts, out);
done:
    free(where.stretch);
    free(parts.time);
    free(parts.unit);
    free(labels);
    return status;
}
