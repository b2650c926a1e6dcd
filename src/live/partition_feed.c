/* Ordered spikes become partitions; partitions.h has the rules. */
#include "live/partition_feed.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

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
