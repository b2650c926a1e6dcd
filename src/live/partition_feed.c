/* Ordered spikes become partitions; partitions.h has the rules. */
#include "live/partition_feed.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"

/* ---- grids ----------------------------------------------------------------------------------- */

static __int128 divide_down(__int128 a, __int128 b)
{
    assert(b > 0);
    __int128 whole = a / b;
    return whole - (a % b < 0);
}

static int64_t clamp(__int128 value)
{
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static spk_status fail_short(spk_context *context, const char *what, spk_duration duration)
{
    char text[48];
    spk_duration_format(duration, text, sizeof text);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "the %s of partitions is %s; it must be finite and at least one tick of the "
                    "stream, for example 5s",
                    what, text);
}

static bool is_short(spk_duration duration, spk_rate rate)
{
    return duration.exponent == SPK_DURATION_INFINITE || spk_duration_ticks(duration, rate) == 0;
}

spk_status partition_grid_make(spk_context *context, spk_duration length, spk_duration step,
                               spk_rate rate, partition_grid *out)
{
    uint64_t length_up, length_down, step_up, step_down, parts;
    int64_t scaled[2];
    if (is_short(length, rate))
        return fail_short(context, "length", length);
    if (is_short(step, rate))
        return fail_short(context, "step", step);
    bool fits = spk_length_of(length, rate, &length_up, &length_down) &&
                spk_length_of(step, rate, &step_up, &step_down) &&
                spk_least_multiple(length_down, step_down, &parts) &&
                !__builtin_mul_overflow(length_up, parts / length_down, &scaled[0]) &&
                !__builtin_mul_overflow(step_up, parts / step_down, &scaled[1]);
    if (!fits)
        return spk_fail(context, SPK_ERR_RANGE,
                        "length and step of partitions have too many digits for a stream of "
                        "%.6g ticks a second; give fewer",
                        (double)rate.numerator / (double)rate.denominator);
    *out = (partition_grid){.step = scaled[1], .length = scaled[0], .parts = (int64_t)parts};
    return SPK_OK;
}

/* The ticks of partition `number`, cut at the ends of int64. */
static spk_segment partition_grid_slice(const partition_grid *grid, int64_t number)
{
    __int128 start = (__int128)number * grid->step;
    return (spk_segment){clamp(-divide_down(-start, grid->parts)),
                         clamp(-divide_down(-(start + grid->length), grid->parts))};
}

/* The partition whose step holds the tick. */
static int64_t partition_grid_step_of(const partition_grid *grid, int64_t tick)
{
    return clamp(divide_down((__int128)tick * grid->parts, grid->step));
}

/* The first partition that stops behind the tick. */
static int64_t partition_grid_first_behind(const partition_grid *grid, int64_t tick)
{
    return clamp(divide_down((__int128)tick * grid->parts - grid->length, grid->step) + 1);
}

/* ---- events ---------------------------------------------------------------------------------- */

enum { BLOCK_EVENTS = 8192 };

struct partition_block {
    partition_block *next;
    uint64_t first; /* number of its first spike */
    int64_t time[BLOCK_EVENTS];
    uint32_t unit[BLOCK_EVENTS];
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void count_bytes(spk_context *context, partition_events *events)
{
    uint64_t n = events->n_blocks + (events->spare != NULL);
    spk_holding_set(context, &events->holding, n * sizeof *events->oldest);
}

static void partition_events_free(partition_events *events)
{
    while (events->oldest != NULL) {
        partition_block *next = events->oldest->next;
        free(events->oldest);
        events->oldest = next;
    }
    free(events->spare);
    spk_holding_release(&events->holding);
    *events = (partition_events){.oldest = NULL};
}

static spk_status add_block(spk_context *context, partition_events *events)
{
    partition_block *block = events->spare;
    if (block == NULL) {
        spk_stage stage = spk_stage_open(context);
        spk_status status = spk_alloc(context, &block, 1, "spikes of partitions");
        spk_stage_close(context, &stage);
        if (status != SPK_OK)
            return status;
    }
    block->next = NULL;
    block->first = events->n_appended;
    events->spare = NULL;
    if (events->newest != NULL)
        events->newest->next = block;
    else
        events->oldest = block;
    events->newest = block;
    if (events->cursor_block == NULL)
        events->cursor_block = block;
    events->n_blocks++;
    count_bytes(context, events);
    return SPK_OK;
}

static spk_status partition_events_append(spk_context *context, partition_events *events,
                                          uint64_t n, const int64_t *time, const uint32_t *unit)
{
    for (uint64_t done = 0; done < n;) {
        partition_block *block = events->newest;
        if (block == NULL || events->n_appended == block->first + BLOCK_EVENTS) {
            spk_status status = add_block(context, events);
            if (status != SPK_OK)
                return status;
            block = events->newest;
        }
        uint64_t at = events->n_appended - block->first;
        uint64_t some = least(n - done, BLOCK_EVENTS - at);
        memcpy(block->time + at, time + done, (size_t)some * sizeof *time);
        memcpy(block->unit + at, unit + done, (size_t)some * sizeof *unit);
        events->n_appended += some;
        done += some;
    }
    return SPK_OK;
}

void partition_events_release(spk_context *context, partition_events *events, uint64_t needed)
{
    needed = least(needed, events->cursor);
    while (events->oldest != NULL && events->oldest != events->cursor_block &&
           events->oldest->first + BLOCK_EVENTS <= needed) {
        partition_block *block = events->oldest;
        events->oldest = block->next;
        events->n_blocks--;
        free(events->spare);
        events->spare = block;
        count_bytes(context, events);
    }
}

uint64_t partition_events_held(const partition_events *events)
{
    return events->oldest != NULL ? events->n_appended - events->oldest->first : 0;
}

/* ---- the cursor ------------------------------------------------------------------------------ */

/* Into the block that holds the cursor's spike, where there is one. */
static void follow_cursor(partition_events *events)
{
    while (events->cursor_block != NULL && events->cursor_block->next != NULL &&
           events->cursor >= events->cursor_block->first + BLOCK_EVENTS)
        events->cursor_block = events->cursor_block->next;
}

/* Moves the cursor to the first spike that does not lie before the tick. */
static void partition_events_seek(partition_events *events, int64_t tick)
{
    for (; events->cursor < events->n_appended; events->cursor++) {
        follow_cursor(events);
        if (events->cursor_block->time[events->cursor - events->cursor_block->first] >= tick)
            return;
    }
}

/* Moves the cursor behind all spikes. */
static void partition_events_pass(partition_events *events)
{
    events->cursor = events->n_appended;
    events->cursor_block = events->newest;
}

/* All spikes from the cursor on. */
static partition_span partition_events_span(const partition_events *events)
{
    partition_span span = {.first = events->cursor, .n = events->n_appended - events->cursor};
    if (span.n == 0)
        return span;
    const partition_block *block = events->cursor_block;
    while (events->cursor >= block->first + BLOCK_EVENTS)
        block = block->next;
    span.block = block;
    span.offset = (uint32_t)(events->cursor - block->first);
    return span;
}

void partition_span_copy(const partition_span *span, const uint32_t *number, int64_t *time,
                         uint32_t *unit)
{
    const partition_block *block = span->block;
    uint32_t offset = span->offset;
    for (uint64_t done = 0; done < span->n;) {
        uint64_t some = least(span->n - done, BLOCK_EVENTS - offset);
        memcpy(time + done, block->time + offset, (size_t)some * sizeof *time);
        for (uint64_t k = 0; k < some; k++)
            unit[done + k] = number[block->unit[offset + k]];
        done += some;
        offset = 0;
        /* The block behind the last spike may be in the making: it is not looked at. */
        block = done < span->n ? block->next : NULL;
    }
}

/* ---- feeding --------------------------------------------------------------------------------- */

void partition_job_free(partition_job *job)
{
    free(job->segments);
    free(job->trials);
    job->segments = NULL;
    job->trials = NULL;
}

void partition_feed_free(partition_feed *feed)
{
    partition_events_free(&feed->events);
    free(feed->segments);
    feed->segments = NULL;
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool overlap(spk_segment a, spk_segment b, spk_segment *out)
{
    out->start = a.start > b.start ? a.start : b.start;
    out->stop = a.stop < b.stop ? a.stop : b.stop;
    return out->start < out->stop;
}

/* The segments within the slice; none where one of them holds all of it. */
static spk_status cut_segments(const partition_feed *feed, spk_segment slice, partition_job *job)
{
    spk_segment part;
    for (uint64_t k = 0; k < feed->n_segments; k++) {
        if (!overlap(feed->segments[k].at, slice, &part))
            continue;
        if (feed->segments[k].trial >= job->n_trials)
            job->n_trials = (size_t)feed->segments[k].trial + 1;
        job->n_segments++;
    }
    spk_status status =
        spk_alloc_columns(feed->context, "segments", SPK_COLUMN(&job->segments, job->n_segments),
                          SPK_COLUMN(&job->trials, job->n_segments));
    if (status != SPK_OK)
        return status;
    size_t n = 0;
    for (uint64_t k = 0; k < feed->n_segments; k++)
        if (overlap(feed->segments[k].at, slice, &part)) {
            job->segments[n] = part;
            job->trials[n++] = (size_t)feed->segments[k].trial;
        }
    if (n == 1 && job->segments[0].start == slice.start && job->segments[0].stop == slice.stop)
        job->n_segments = 0;
    return SPK_OK;
}

static void forget_segments(partition_feed *feed, int64_t before)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < feed->n_segments; k++)
        if (feed->segments[k].at.stop > before)
            feed->segments[n++] = feed->segments[k];
    feed->n_segments = n;
}

/* ---- partitions ------------------------------------------------------------------------------ */

static void expect(partition_feed *feed, int64_t number)
{
    feed->next = number;
    feed->slice = partition_grid_slice(&feed->grid, number);
}

/* Hands the next partition over with all spikes from the cursor on. */
static spk_status hand_over(partition_feed *feed, bool cut)
{
    partition_job job = {.number = feed->next,
                         .series = feed->series,
                         .slice = feed->slice,
                         .cut = cut,
                         .span = partition_events_span(&feed->events),
                         .passed = feed->passed};
    job.arrival_ns = job.span.n > 0 ? feed->arrival_ns : 0;
    spk_status status = job.span.n > 0 ? cut_segments(feed, job.slice, &job) : SPK_OK;
    if (status != SPK_OK) {
        partition_job_free(&job);
        return status;
    }
    return feed->due(feed->user, &job);
}

/* All partitions that stop at the tick or before it are due. */
static spk_status advance(partition_feed *feed, int64_t tick)
{
    spk_status status = SPK_OK;
    while (status == SPK_OK) {
        if (feed->slice.stop > tick || feed->slice.stop == INT64_MAX)
            return SPK_OK;
        bool silent = partition_events_span(&feed->events).n == 0;
        int64_t next = feed->next + 1;
        if (silent && feed->silent) {
            next = partition_grid_first_behind(&feed->grid, tick);
            feed->passed += (uint64_t)(next - feed->next);
        } else {
            status = hand_over(feed, false);
        }
        feed->silent = silent;
        expect(feed, next);
        partition_events_seek(&feed->events, feed->slice.start);
        forget_segments(feed, feed->slice.start);
    }
    return status;
}

/* The first partition that is not due yet is cut; nothing of the series is needed any more. */
static spk_status end_series(partition_feed *feed)
{
    spk_status status = SPK_OK;
    if (feed->running && partition_events_span(&feed->events).n > 0)
        status = hand_over(feed, true);
    partition_events_pass(&feed->events);
    feed->series += feed->running;
    feed->running = false;
    feed->end = INT64_MIN;
    feed->n_segments = 0;
    return status;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* The tick behind the segment before, which ends there for good. */
static int64_t close_newest(partition_feed *feed)
{
    if (feed->n_segments > 0 && feed->segments[feed->n_segments - 1].at.stop == INT64_MAX)
        feed->segments[feed->n_segments - 1].at.stop = feed->end;
    return feed->end;
}

/* A segment whose first spike is at `first`, or that has none but known bounds. */
static spk_status open_segment(partition_feed *feed, int64_t first)
{
    int64_t start = feed->has_start && feed->start < first ? feed->start : first;
    spk_status status = SPK_OK;
    if (start < close_newest(feed))
        status = end_series(feed);
    if (status == SPK_OK)
        status = spk_grow(feed->context, &feed->segments, &feed->capacity, feed->n_segments + 1,
                          "segments");
    if (status != SPK_OK)
        return status;
    if (!feed->has_start && !feed->running && feed->n_segments == 0)
        start = INT64_MIN;
    feed->segments[feed->n_segments++] = (partition_segment){{start, INT64_MAX}, feed->trial};
    feed->open = true;
    return SPK_OK;
}

static spk_status take_spikes(partition_feed *feed, const spk_live_batch *batch)
{
    if (!feed->running) {
        feed->running = true;
        feed->silent = false;
        expect(feed, partition_grid_step_of(&feed->grid, batch->time[0]));
        partition_events_pass(&feed->events);
    }
    spk_status status = SPK_OK;
    for (uint64_t done = 0; done < batch->n && status == SPK_OK;) {
        status = advance(feed, batch->time[done]);
        uint64_t end = done + 1;
        while (end < batch->n && batch->time[end] < feed->slice.stop)
            end++;
        if (status == SPK_OK)
            status = partition_events_append(feed->context, &feed->events, end - done,
                                             batch->time + done, batch->unit + done);
        partition_events_seek(&feed->events, feed->slice.start);
        feed->end = batch->time[end - 1] + 1;
        feed->arrival_ns = batch->arrival_ns != NULL ? batch->arrival_ns[end - 1] : 0;
        done = end;
    }
    return status;
}

/* What the source knows: nothing comes before `stop`. */
static spk_status take_stop(partition_feed *feed, spk_duration exact)
{
    int64_t stop = spk_duration_first_tick(exact, feed->rate);
    assert(feed->open && feed->n_segments > 0);
    spk_segment *newest = &feed->segments[feed->n_segments - 1].at;
    stop = stop > feed->end ? stop : feed->end;
    newest->stop = feed->end = stop > newest->start ? stop : newest->start;
    return feed->running ? advance(feed, stop) : SPK_OK;
}

spk_status partition_feed_take(partition_feed *feed, const spk_live_batch *batch)
{
    spk_status status = SPK_OK;
    if (batch->begins_segment) {
        feed->open = false;
        feed->has_start = false;
        feed->trial = batch->trial;
    }
    if (batch->has_start && !feed->open) {
        feed->has_start = true;
        feed->start = spk_duration_first_tick(batch->start, feed->rate);
    }
    bool known = feed->has_start && batch->ends_segment && batch->has_stop;
    if (!feed->open && (batch->n > 0 || known))
        status = open_segment(feed, batch->n > 0 ? batch->time[0] : feed->start);
    if (status == SPK_OK && batch->n > 0)
        status = take_spikes(feed, batch);
    if (status == SPK_OK && feed->open && batch->ends_segment && batch->has_stop)
        status = take_stop(feed, batch->stop);
    return status == SPK_OK && batch->ends ? end_series(feed) : status;
}
