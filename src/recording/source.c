/* Recordings from columns of the caller: copied, or taken and only read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
#include "base/options.h"
#include "recording/recording.h"
#include "recording/segments.h"

SPK_OPTIONS_INIT(spk_recording_source, .n_events = 0);

/* Takes the caller's struct and checks all but the events. */
static spk_status take_source(spk_context *context, const spk_recording_source *given,
                              spk_recording_source *own)
{
    spk_status status = SPK_OPTIONS_TAKE(context, given, own, spk_recording_source);
    return status == SPK_OK ? spk_recording_check_source(context, own) : status;
}

static size_t trials_of(const spk_recording_source *source)
{
    return source->trial != NULL ? source->n_trials : source->n_segments;
}

static spk_exact_segment segment_of(const spk_recording_source *source, size_t k)
{
    const size_t trial = source->trial != NULL ? source->trial[k] : k;
    if (source->segment_times == NULL)
        return (spk_exact_segment){spk_border_at(source->segments[k].start),
                                   spk_border_at(source->segments[k].stop), trial};
    return (spk_exact_segment){spk_border_of(source->segment_times[k].start, source->rate),
                               spk_border_of(source->segment_times[k].stop, source->rate), trial};
}

/* The segments in order, NULL where there are none. */
static spk_status take_segments(spk_context *context, const spk_recording_source *source,
                                spk_exact_segment **out)
{
    *out = NULL;
    if ((source->segments == NULL && source->segment_times == NULL) || source->n_segments == 0)
        return SPK_OK;
    spk_status status = spk_alloc(context, out, source->n_segments, "segments");
    for (size_t k = 0; k < source->n_segments && status == SPK_OK; k++) {
        const spk_exact_segment s = (*out)[k] = segment_of(source, k);
        if (spk_border_compare(s.start, s.stop) >= 0)
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "segment %zu starts at tick %" PRId64 " and stops at %" PRId64
                              "; give start and stop in this order",
                              k + 1, s.start.tick, s.stop.tick);
        else if (s.trial >= trials_of(source))
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "segment %zu is of trial %zu, and there are %zu; count trials from 0",
                              k + 1, s.trial, trials_of(source));
    }
    if (status == SPK_OK) {
        spk_segments_sort(source->n_segments, *out);
        return SPK_OK;
    }
    free(*out);
    *out = NULL;
    return status;
}

static spk_status copy_columns(spk_context *context, const spk_recording_source *source,
                               const spk_exact_segment *exact, spk_recording **out)
{
    uint64_t n = source->n_events;
    spk_recording_parts parts = {.n_events = n,
                                 .n_units = source->n_units,
                                 .labels = source->labels,
                                 .rate = source->rate,
                                 .start = source->start,
                                 .stop = source->stop,
                                 .n_exact = exact != NULL ? source->n_segments : 0,
                                 .exact = exact,
                                 .n_trials = trials_of(source)};
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_columns(context, "event times", SPK_COLUMN(&parts.time, n),
                                          SPK_COLUMN(&parts.unit, n));
    if (status == SPK_OK && n > 0) {
        memcpy(parts.time, source->time, (size_t)n * sizeof *source->time);
        memcpy(parts.unit, source->unit, (size_t)n * sizeof *source->unit);
    }
    if (status == SPK_OK)
        status = spk_recording_assemble(context, &parts, out);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_recording_create(spk_context *context, const spk_recording_source *given,
                                spk_recording **out)
{
    *out = NULL;
    spk_recording_source source;
    spk_exact_segment *exact = NULL;
    spk_status status = take_source(context, given, &source);
    if (status == SPK_OK)
        status = take_segments(context, &source, &exact);
    if (status == SPK_OK)
        status = copy_columns(context, &source, exact, out);
    free(exact);
    return status;
}

/* ---- without a copy -------------------------------------------------------------------------- */

/* Why the columns cannot be read as they are; NULL when they can. */
static const char *disorder(const spk_recording_source *source)
{
    const int64_t *time = source->time;
    const uint32_t *unit = source->unit;
    for (uint32_t u = 1; source->labels != NULL && u < source->n_units; u++)
        if (spk_natural_compare(source->labels[u - 1], source->labels[u]) >= 0)
            return "the labels are not in natural order";
    for (uint64_t i = 1; i < source->n_events; i++) {
        if (time[i - 1] > time[i] || (time[i - 1] == time[i] && unit[i - 1] > unit[i]))
            return "the events are not in order of time and unit";
        if (time[i - 1] == time[i] && unit[i - 1] == unit[i])
            return "events are repeated";
    }
    return NULL;
}

/* *reason: why they must be copied all the same, and then *out is NULL. */
static spk_status borrow_columns(spk_context *context, const spk_recording_source *source,
                                 const spk_exact_segment *exact, const char **reason,
                                 spk_recording **out)
{
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_recording_borrow(context, source, exact, trials_of(source), out);
    spk_stage_close(context, &stage);
    if (status == SPK_OK && *out == NULL)
        *reason = "events lie outside the segments";
    return status;
}

spk_status spk_recording_take(spk_context *context, const spk_recording_source *given,
                              spk_release_fn *release, void *owner, spk_recording **out)
{
    *out = NULL;
    spk_recording_source source;
    spk_exact_segment *exact = NULL;
    spk_status status = take_source(context, given, &source);
    if (status == SPK_OK)
        status = take_segments(context, &source, &exact);
    const char *reason = status == SPK_OK ? disorder(&source) : NULL;
    if (status == SPK_OK && reason == NULL)
        status = borrow_columns(context, &source, exact, &reason, out);
    if (status == SPK_OK && reason != NULL)
        status = copy_columns(context, &source, exact, out);
    free(exact);
    if (status == SPK_OK && reason == NULL) {
        (*out)->release = release;
        (*out)->owner = owner;
        return SPK_OK;
    }
    if (status == SPK_OK)
        spk_note(context, "the columns of %" PRIu64 " events were copied: %s", source.n_events,
                 reason);
    if (release != NULL)
        release(owner);
    return status;
}
