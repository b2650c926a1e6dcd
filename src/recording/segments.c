/*
 * Segments: which events lie where, and what cutting leaves.
 *
 *     recording:   |-------A-------|        |-----B-----|
 *     cut by:           |---1---|     |-----2-----|  |-3-|
 *     segments:         |---1---|           |--2--|  |-3|
 *
 * A segment belongs to a trial. The trials are the ranges of the cut, numbered as they were given,
 * or those that the recording had: then a range takes away, and what is left keeps its trial.
 *
 * Borders are exact: a time between two ticks is kept as it was given, and the ticks beside it say
 * which events lie behind it.
 */
#include "recording/segments.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/sort.h"

/* ---- borders --------------------------------------------------------------------------------- */

spk_border spk_border_at(int64_t tick)
{
    return (spk_border){.tick = tick};
}

spk_border spk_border_of(spk_duration time, spk_rate rate)
{
    spk_moment moment;
    bool held = spk_moment_of(time, rate, &moment); /* 64 bit hold the part of the tick */
    return (spk_border){.tick = spk_duration_first_tick(time, rate),
                        .between = !held || moment.part > 0,
                        .time = time};
}

spk_border spk_border_written(spk_duration time, spk_rate rate, const spk_written *written)
{
    const spk_border border = spk_border_of(time, rate);
    if (written->step == 0)
        return border;
    const double per_second = (double)rate.numerator / (double)rate.denominator;
    const double steps =
        (spk_duration_seconds(time) * per_second - (double)written->first) / (double)written->step;
    const double off = fabs(steps - rint(steps)) * (double)written->step / per_second;
    if (!(fabs(steps) < 0x1p52) || off > written->tolerance_s)
        return border;
    return spk_border_at(written->first + (int64_t)rint(steps) * (int64_t)written->step);
}

int spk_border_compare(spk_border a, spk_border b)
{
    if (a.tick != b.tick)
        return a.tick < b.tick ? -1 : 1;
    if (a.between && b.between)
        return spk_duration_compare(a.time, b.time);
    return (int)b.between - (int)a.between;
}

static bool is_empty(const spk_exact_segment *segment)
{
    return spk_border_compare(segment->start, segment->stop) >= 0;
}

int spk_segments_compare(const void *a, const void *b)
{
    const spk_exact_segment *x = a, *y = b;
    int order = spk_border_compare(x->start, y->start);
    if (order == 0)
        order = spk_border_compare(x->stop, y->stop);
    return order != 0 ? order : (x->trial > y->trial) - (x->trial < y->trial);
}

void spk_segments_sort(size_t n, spk_exact_segment *segments)
{
    if (n > 1)
        qsort(segments, n, sizeof *segments, spk_segments_compare);
}

/* ---- questions ------------------------------------------------------------------------------- */

const spk_segment *spk_recording_segments(const spk_recording *recording, size_t *n)
{
    *n = recording->n_segments > 0 ? recording->n_segments : 1;
    return recording->n_segments > 0 ? recording->segments : &recording->extent;
}

spk_exact_segment spk_recording_exact_segment(const spk_recording *recording, size_t k)
{
    const spk_recording_bounds *given = &recording->given;
    if (recording->n_segments > 0) {
        assert(k < recording->n_segments);
        return recording->exact[k];
    }
    assert(k == 0);
    return (spk_exact_segment){.start = given->has_start
                                            ? spk_border_of(given->start, recording->rate)
                                            : spk_border_at(recording->extent.start),
                               .stop = given->has_stop ? spk_border_of(given->stop, recording->rate)
                                                       : spk_border_at(recording->extent.stop)};
}

size_t spk_recording_trials(const spk_recording *recording)
{
    return recording->n_segments > 0 ? recording->n_trials : 1;
}

size_t spk_recording_trial(const spk_recording *recording, size_t k)
{
    return k < recording->n_segments ? recording->exact[k].trial : 0;
}

bool spk_trials_are_segments(const spk_recording *recording)
{
    size_t n = 0;
    (void)spk_recording_segments(recording, &n);
    bool same = n == spk_recording_trials(recording);
    for (size_t k = 0; k < n && same; k++)
        same = spk_recording_trial(recording, k) == k;
    return same;
}

/* Trials get their numbers as their first segments come. */
spk_status spk_trials_left(spk_context *context, const spk_recording *recording, size_t *number,
                           size_t *n)
{
    const size_t n_trials = spk_recording_trials(recording);
    size_t n_segments = 0, *number_of = NULL;
    (void)spk_recording_segments(recording, &n_segments);
    *n = 0;
    spk_status status = spk_alloc(context, &number_of, n_trials, "trials");
    for (size_t t = 0; t < n_trials && status == SPK_OK; t++)
        number_of[t] = SIZE_MAX;
    for (size_t k = 0; k < n_segments && status == SPK_OK; k++) {
        size_t *own = &number_of[spk_recording_trial(recording, k)];
        if (*own == SIZE_MAX)
            *own = (*n)++;
        number[k] = *own;
    }
    spk_free(context, number_of);
    return status;
}

static bool time_of(spk_border border, spk_rate rate, spk_duration *out)
{
    if (!border.between)
        return spk_duration_of_tick(border.tick, rate, out);
    *out = border.time;
    return true;
}

bool spk_recording_segment_times(const spk_recording *recording, size_t k, spk_time_range *out)
{
    size_t n = 0;
    *out = (spk_time_range){{0, 0, 0}, {0, 0, 0}};
    (void)spk_recording_segments(recording, &n);
    if (k >= n)
        return false;
    spk_exact_segment segment = spk_recording_exact_segment(recording, k);
    return time_of(segment.start, recording->rate, &out->start) &&
           time_of(segment.stop, recording->rate, &out->stop);
}

size_t spk_recording_format_time_within(const spk_recording *recording, size_t k, int64_t ticks,
                                        char *buffer, size_t size)
{
    size_t n = 0;
    (void)spk_recording_segments(recording, &n);
    if (k >= n)
        return (size_t)snprintf(buffer, size, "%s", "");
    spk_rate rate = recording->rate;
    spk_border start = spk_recording_exact_segment(recording, k).start;
    spk_moment moment = {start.tick, 0, 1};
    if (start.between && !spk_moment_of(start.time, rate, &moment))
        moment = (spk_moment){start.tick, 0, 1}; /* digits beyond all use */
    __int128 parts, product;
    unsigned __int128 second = (unsigned __int128)moment.parts * rate.numerator;
    __int128 distance = (__int128)ticks - moment.tick;
    if (second >> 123 == 0 && !__builtin_mul_overflow(distance, (__int128)moment.parts, &parts) &&
        !__builtin_mul_overflow(parts + moment.part, (__int128)rate.denominator, &product))
        return spk_fraction_format(product, second, 12, buffer, size);
    return spk_fraction_format(distance * rate.denominator, rate.numerator, 12, buffer, size);
}

uint64_t spk_events_before(const spk_events *events, int64_t time)
{
    return spk_first_i64(events->time, 0, events->n_events, time);
}

spk_event_range spk_segment_events(const spk_recording *recording, size_t k)
{
    if (recording->n_segments == 0)
        return (spk_event_range){0, recording->events.n_events};
    const spk_segment *segment = &recording->segments[k];
    return (spk_event_range){spk_events_before(&recording->events, segment->start),
                             spk_events_before(&recording->events, segment->stop)};
}

uint64_t spk_unit_first_from(const spk_events *events, uint32_t unit, int64_t time)
{
    spk_bisect s = {events->unit_first[unit], events->unit_first[unit + 1]};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, events->time[events->by_unit[s.middle]] < time);
    return s.low;
}

spk_event_range spk_unit_events(const spk_events *events, uint32_t unit, spk_event_range range)
{
    uint64_t first = events->unit_first[unit], last = events->unit_first[unit + 1];
    if (range.first == 0 && range.last == events->n_events)
        return (spk_event_range){first, last};
    first = spk_first_u32(events->by_unit, first, last, range.first);
    return (spk_event_range){first, spk_first_u32(events->by_unit, first, last, range.last)};
}

uint64_t spk_recording_counted_events(const spk_recording *recording)
{
    uint64_t n = 0;
    if (recording->part.joined) /* which has one segment */
        return recording->part.n_events;
    for (size_t k = 0; k < recording->n_segments; k++) {
        spk_event_range range = spk_segment_events(recording, k);
        n += range.last - range.first;
    }
    return recording->n_segments > 0 ? n : recording->events.n_events;
}

/* ---- what is left of segments ---------------------------------------------------------------- */

typedef struct segment_list {
    size_t n;
    uint64_t capacity;
    spk_exact_segment *segment;
} segment_list;

static spk_status list_add(spk_context *context, segment_list *list, spk_exact_segment segment)
{
    spk_status status = spk_grow(context, &list->segment, &list->capacity, list->n + 1, "segments");
    if (status == SPK_OK)
        list->segment[list->n++] = segment;
    return status;
}

/* Of the trial of `a`. */
static spk_exact_segment common_part(const spk_exact_segment *a, const spk_exact_segment *b)
{
    return (spk_exact_segment){spk_border_compare(a->start, b->start) >= 0 ? a->start : b->start,
                               spk_border_compare(a->stop, b->stop) <= 0 ? a->stop : b->stop,
                               a->trial};
}

/* Adds what each of n segments has in common with one of the `base`, both in order. It is of the
 * segment's trial, or of that of the base. */
static spk_status intersect(spk_context *context, const segment_list *base, size_t n,
                            const spk_exact_segment *segments, bool keep_trials, segment_list *out)
{
    spk_border *reach = NULL; /* the latest stop of the base up to here, which never falls */
    spk_status status = spk_alloc(context, &reach, base->n, "segments");
    for (size_t b = 0; b < base->n && status == SPK_OK; b++) {
        reach[b] = base->segment[b].stop;
        if (b > 0 && spk_border_compare(reach[b - 1], reach[b]) > 0)
            reach[b] = reach[b - 1];
    }
    size_t from = 0;
    for (size_t k = 0; k < n && status == SPK_OK; k++) {
        while (from < base->n && spk_border_compare(reach[from], segments[k].start) <= 0)
            from++;
        for (size_t b = from; b < base->n && status == SPK_OK; b++) {
            if (spk_border_compare(base->segment[b].start, segments[k].stop) >= 0)
                break;
            const spk_exact_segment *of[] = {&segments[k], &base->segment[b]};
            spk_exact_segment part = common_part(of[keep_trials], of[!keep_trials]);
            if (!is_empty(&part))
                status = list_add(context, out, part);
        }
    }
    spk_free(context, reach);
    return status;
}

/* ---- parts with segments --------------------------------------------------------------------- */

static spk_status fail_order(spk_context *context, const spk_time_range *range, size_t k)
{
    char start[48];
    char stop[48];
    spk_duration_format(range->start, start, sizeof start);
    spk_duration_format(range->stop, stop, sizeof stop);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "segment %zu, from %s to %s, stops before it starts; give start and stop in "
                    "this order",
                    k + 1, start, stop);
}

/* The border of a stop that may be infinite: then nothing lies behind the last event. */
static spk_border stop_of(const spk_recording_parts *parts, spk_duration stop)
{
    int64_t last = INT64_MIN;
    if (stop.exponent != SPK_DURATION_INFINITE)
        return spk_border_written(stop, parts->rate, &parts->written);
    if (parts->stop != NULL)
        return spk_border_at(*parts->stop);
    for (uint64_t i = 0; i < parts->n_events; i++)
        last = parts->time[i] > last ? parts->time[i] : last;
    return spk_border_at(last + 1); /* below INT64_MAX: see check_events in assemble.c */
}

/* The ranges of time, exactly and in order. */
static spk_status list_ranges(spk_context *context, const spk_recording_parts *parts,
                              segment_list *out)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < parts->n_segments && status == SPK_OK; k++) {
        const spk_time_range *range = &parts->segments[k];
        if (spk_duration_compare(range->start, range->stop) > 0)
            return fail_order(context, range, k);
        status = list_add(
            context, out,
            (spk_exact_segment){spk_border_written(range->start, parts->rate, &parts->written),
                                stop_of(parts, range->stop), k});
    }
    if (status == SPK_OK)
        spk_segments_sort(out->n, out->segment);
    return status;
}

/* The extent, as far as somebody gave it. */
static spk_exact_segment given_extent(const spk_recording_parts *parts)
{
    const spk_recording_bounds *given = &parts->given;
    spk_exact_segment extent = {spk_border_at(INT64_MIN), spk_border_at(INT64_MAX), 0};
    if (given->has_start)
        extent.start = spk_border_of(given->start, parts->rate);
    else if (parts->start != NULL && !given->start_of_events)
        extent.start = spk_border_at(*parts->start);
    if (given->has_stop)
        extent.stop = spk_border_of(given->stop, parts->rate);
    else if (parts->stop != NULL && !given->stop_of_events)
        extent.stop = spk_border_at(*parts->stop);
    return extent;
}

/* What is left of n segments within the extent, in order. */
static spk_status list_within(spk_context *context, const spk_recording_parts *parts, size_t n,
                              const spk_exact_segment *segments, segment_list *out)
{
    spk_exact_segment extent = given_extent(parts);
    segment_list whole = {.n = 1, .segment = &extent};
    spk_status status = intersect(context, &whole, n, segments, false, out);
    spk_segments_sort(out->n, out->segment);
    if (status == SPK_OK && out->n == 0) { /* nothing was observed: one segment, which is empty */
        spk_border start = extent.start;
        if (start.tick == INT64_MIN && segments != NULL)
            start = segments[0].start;
        status = list_add(context, out, (spk_exact_segment){start, start, 0});
    }
    return status;
}

/* What the ranges and the exact segments have in common within the extent, in order. Where that is
 * nothing it is one empty segment. */
static spk_status list_left(spk_context *context, const spk_recording_parts *parts,
                            segment_list *out)
{
    segment_list ranges = {.n = 0}, within = {.n = 0};
    spk_status status = list_ranges(context, parts, &ranges);
    if (status == SPK_OK && parts->n_exact == 0)
        status = list_within(context, parts, ranges.n, ranges.segment, out);
    else if (status == SPK_OK && ranges.n == 0)
        status = list_within(context, parts, parts->n_exact, parts->exact, out);
    else if (status == SPK_OK)
        status = list_within(context, parts, parts->n_exact, parts->exact, &within);
    if (status == SPK_OK && within.n > 0) {
        const spk_border start = within.segment[0].start;
        status = intersect(context, &within, ranges.n, ranges.segment, parts->keep_trials, out);
        if (status == SPK_OK && out->n == 0)
            status = list_add(context, out, (spk_exact_segment){start, start, 0});
        spk_segments_sort(out->n, out->segment);
    }
    spk_free(context, ranges.segment);
    spk_free(context, within.segment);
    return status;
}

/* Stretches of ticks with an event in some segment, disjoint and in order. */
static size_t merge_segments(size_t n, const spk_segment *segments, spk_segment *out)
{
    size_t n_out = 0;
    for (size_t k = 0; k < n; k++) {
        if (segments[k].start == segments[k].stop)
            continue;
        if (n_out > 0 && segments[k].start <= out[n_out - 1].stop)
            out[n_out - 1].stop =
                segments[k].stop > out[n_out - 1].stop ? segments[k].stop : out[n_out - 1].stop;
        else
            out[n_out++] = segments[k];
    }
    return n_out;
}

/* Whether a time lies in one of n disjoint stretches; *at is that of the time before, mostly. */
static bool lies_within(size_t n, const spk_segment *stretch, int64_t time, size_t *at)
{
    if (*at < n && time >= stretch[*at].start && time < stretch[*at].stop)
        return true;
    spk_bisect s = {0, n}; /* the first one that stops behind the time */
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, stretch[s.middle].stop <= time);
    *at = (size_t)s.low;
    return *at < n && stretch[*at].start <= time;
}

static spk_status drop_outside(spk_context *context, const spk_recording *recording,
                               spk_recording_parts *parts)
{
    spk_segment *stretch = NULL;
    size_t at = 0;
    uint64_t kept = 0;
    spk_status status = spk_alloc(context, &stretch, recording->n_segments, "segments");
    if (status != SPK_OK)
        return status;
    size_t n = merge_segments(recording->n_segments, recording->segments, stretch);
    for (uint64_t i = 0; i < parts->n_events; i++) {
        if (!lies_within(n, stretch, parts->time[i], &at))
            continue;
        parts->time[kept] = parts->time[i];
        parts->unit[kept++] = parts->unit[i];
    }
    parts->facts.outside += parts->n_events - kept;
    parts->n_events = kept;
    spk_free(context, stretch);
    return SPK_OK;
}

/* The recording takes the list over; its extent goes from the first start to the last stop. */
static spk_status set_segments(spk_context *context, segment_list *list, spk_recording *recording)
{
    spk_status status = spk_alloc(context, &recording->segments, list->n, "segments");
    if (status != SPK_OK)
        return status;
    spk_shrink(context, &list->segment, list->n);
    recording->n_segments = list->n;
    recording->exact = list->segment;
    list->segment = NULL;
    spk_border stop = recording->exact[0].stop;
    for (size_t k = 0; k < recording->n_segments; k++) {
        const spk_exact_segment *exact = &recording->exact[k];
        recording->segments[k] = (spk_segment){exact->start.tick, exact->stop.tick};
        stop = spk_border_compare(exact->stop, stop) > 0 ? exact->stop : stop;
    }
    recording->extent = (spk_segment){recording->exact[0].start.tick, stop.tick};
    recording->given = (spk_recording_bounds){.has_start = recording->exact[0].start.between,
                                              .has_stop = stop.between,
                                              .start = recording->exact[0].start.time,
                                              .stop = stop.time};
    return SPK_OK;
}

bool spk_segments_are_empty(const spk_recording *recording)
{
    return recording->n_segments == 1 && is_empty(&recording->exact[0]);
}

bool spk_segments_hold_events(const spk_recording *recording)
{
    const spk_segment *segment = recording->segments;
    int64_t reach = INT64_MIN; /* the latest stop of the segments that have begun */
    size_t next = 0;
    for (uint64_t i = 0; i < recording->events.n_events && recording->n_segments > 0; i++) {
        int64_t time = recording->events.time[i];
        for (; next < recording->n_segments && segment[next].start <= time; next++)
            reach = segment[next].stop > reach ? segment[next].stop : reach;
        if (time >= reach)
            return false;
    }
    return true;
}

spk_status spk_segments_take(spk_context *context, spk_recording_parts *parts,
                             spk_recording *recording)
{
    segment_list left = {.n = 0};
    if (parts->n_segments == 0 && parts->n_exact == 0)
        return SPK_OK;
    spk_status status = list_left(context, parts, &left);
    if (status == SPK_OK)
        status = set_segments(context, &left, recording);
    if (parts->n_segments > 0 && (parts->n_exact == 0 || !parts->keep_trials))
        recording->n_trials = parts->n_segments;
    else
        recording->n_trials = parts->n_trials;
    if (status == SPK_OK)
        status = drop_outside(context, recording, parts);
    spk_free(context, left.segment);
    return status;
}

/* ---- stretches between neighbouring borders of segments -------------------------------------- */

/* Keeps those between neighbouring borders that lie in some segment. `open` is a stack of the
 * segments that have begun; one below the top may have stopped, and is dropped once it is the top.
 */
static void join_borders(size_t n_segments, const spk_segment *segments, const int64_t *border,
                         size_t *open, spk_stretches *out)
{
    size_t next = 0, n_open = 0;
    for (size_t b = 0; b + 1 < 2 * n_segments; b++) {
        for (; next < n_segments && segments[next].start <= border[b]; next++)
            open[n_open++] = next;
        while (n_open > 0 && segments[open[n_open - 1]].stop <= border[b])
            n_open--;
        if (border[b] < border[b + 1] && n_open > 0) {
            out->segment[out->n] = open[n_open - 1];
            out->stretch[out->n++] = (spk_segment){border[b], border[b + 1]};
        }
    }
}

spk_status spk_stretches_find(spk_context *context, const spk_recording *recording,
                              spk_stretches *out)
{
    size_t n = 0;
    int64_t *border = NULL;
    size_t *open = NULL;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert(out->n == 0 && out->stretch == NULL && out->segment == NULL);
    spk_status status =
        spk_alloc_columns(context, "segments", SPK_COLUMN(&border, 2 * n), SPK_COLUMN(&open, n),
                          SPK_COLUMN(&out->stretch, 2 * n), SPK_COLUMN(&out->segment, 2 * n));
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < n; k++) {
        border[2 * k] = segments[k].start;
        border[2 * k + 1] = segments[k].stop;
    }
    qsort(border, 2 * n, sizeof *border, spk_compare_int64);
    join_borders(n, segments, border, open, out);
    spk_free(context, border);
    spk_free(context, open);
    return SPK_OK;
}

size_t spk_stretches_behind(const spk_stretches *stretches, size_t from, int64_t tick)
{
    spk_bisect s = {from, stretches->n};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, stretches->stretch[s.middle].stop <= tick);
    return (size_t)s.low;
}

void spk_stretches_free(spk_stretches *stretches)
{
    free(stretches->stretch);
    free(stretches->segment);
    *stretches = (spk_stretches){.n = 0};
}
