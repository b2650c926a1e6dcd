/* Parts of a recording: a slice, of all units or some, and one cut into segments. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "recording/recording.h"
#include "recording/segments.h"

static uint64_t copy_kept(const spk_events *events, const int64_t *start, const int64_t *stop,
                          const uint32_t *new_number, spk_recording_parts *parts)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < events->n_events; i++) {
        if ((start != NULL && events->time[i] < *start) ||
            (stop != NULL && events->time[i] >= *stop) || new_number[events->unit[i]] == UINT32_MAX)
            continue;
        parts->time[n] = events->time[i];
        parts->unit[n++] = new_number[events->unit[i]];
    }
    return n;
}

/* Maps old unit numbers to new ones (UINT32_MAX: dropped) and lists the labels that stay. */
static spk_status keep_units(spk_context *context, const spk_recording *recording, uint32_t n_units,
                             const uint32_t *units, uint32_t *new_number, const char **labels,
                             uint32_t *n_kept)
{
    uint32_t all = recording->events.n_units;
    for (uint32_t u = 0; u < all; u++)
        new_number[u] = n_units == 0 ? 0 : UINT32_MAX;
    for (uint32_t k = 0; k < n_units; k++) {
        if (units[k] >= all)
            return spk_fail(context, SPK_ERR_ARGUMENT, "unit %" PRIu32 " does not exist", units[k]);
        new_number[units[k]] = 0;
    }
    *n_kept = 0;
    for (uint32_t u = 0; u < all; u++) {
        if (new_number[u] == UINT32_MAX)
            continue;
        assert(*n_kept <= u);
        labels[*n_kept] = spk_recording_label(recording, u);
        new_number[u] = (*n_kept)++;
    }
    return SPK_OK;
}

/* ---- slices ---------------------------------------------------------------------------------- */

spk_status spk_recording_slice(spk_context *context, const spk_recording *recording,
                               const int64_t *start, const int64_t *stop, uint32_t n_units,
                               const uint32_t *units, spk_recording **out)
{
    *out = NULL;
    const spk_events *events = &recording->events;
    uint32_t *new_number = NULL;
    const char **labels = NULL;
    int64_t from = start != NULL ? *start : recording->extent.start;
    int64_t to = stop != NULL ? *stop : recording->extent.stop;
    spk_recording_parts parts = spk_recording_frame(recording);
    parts.start = &from;
    parts.stop = &to;
    parts.facts = recording->facts;
    parts.given.has_start &= start == NULL;
    parts.given.has_stop &= stop == NULL;
    parts.given.open_stop &= stop == NULL;
    parts.given.start_of_events &= start == NULL;
    parts.given.stop_of_events &= stop == NULL;
    parts.facts.duplicates = 0;
    parts.facts.ties = 0;
    if (from > to)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the slice starts after it stops");
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_columns(context, "the units that are kept",
                                          SPK_COLUMN(&new_number, events->n_units),
                                          SPK_COLUMN(&labels, events->n_units));
    if (status == SPK_OK)
        status = keep_units(context, recording, n_units, units, new_number, labels, &parts.n_units);
    if (status == SPK_OK)
        status =
            spk_alloc_columns(context, "event times", SPK_COLUMN(&parts.time, events->n_events),
                              SPK_COLUMN(&parts.unit, events->n_events));
    if (status == SPK_OK) {
        parts.labels = labels;
        parts.n_events = copy_kept(events, start, stop, new_number, &parts);
        parts.facts.outside += events->n_events - parts.n_events;
        status = spk_recording_assemble(context, &parts, out);
    } else {
        free(parts.time);
        free(parts.unit);
    }
    spk_stage_close(context, &stage);
    free(new_number);
    free(labels);
    return status;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* The columns for the parts: a copy, or those of a recording that gives its own away. */
static spk_status get_columns(spk_context *context, const spk_recording *recording,
                              spk_recording *giver, spk_recording_parts *parts)
{
    const spk_events *events = &recording->events;
    if (giver != NULL && giver->time != NULL) {
        parts->time = giver->time;
        parts->unit = giver->unit;
        giver->time = NULL;
        giver->unit = NULL;
        return SPK_OK;
    }
    spk_status status =
        spk_alloc_columns(context, "event times", SPK_COLUMN(&parts->time, events->n_events),
                          SPK_COLUMN(&parts->unit, events->n_events));
    if (status == SPK_OK && events->n_events > 0) {
        memcpy(parts->time, events->time, (size_t)events->n_events * sizeof *parts->time);
        memcpy(parts->unit, events->unit, (size_t)events->n_events * sizeof *parts->unit);
    }
    return status;
}

static spk_status fail_nothing_left(spk_context *context, const spk_recording *recording, size_t n,
                                    const spk_time_range *ranges)
{
    char text[4][48];
    spk_duration_format(ranges[0].start, text[0], sizeof text[0]);
    spk_duration_format(ranges[0].stop, text[1], sizeof text[1]);
    spk_recording_format_time(recording, recording->extent.start, text[2], sizeof text[2]);
    spk_recording_format_time(recording, recording->extent.stop, text[3], sizeof text[3]);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "none of %zu segment%s, the first from %s to %s, lies in the recording, which "
                    "was observed from %ss to %ss; is the unit of their times right?",
                    n, n == 1 ? "" : "s", text[0], text[1], text[2], text[3]);
}

static void tell_shared(spk_context *context, const spk_recording *recording)
{
    uint64_t shared = spk_recording_counted_events(recording) - recording->events.n_events;
    if (shared > 0)
        spk_note(context,
                 "trials overlap: %" PRIu64 " event%s in more than one trial count%s in each",
                 shared, shared == 1 ? "" : "s", shared == 1 ? "s" : "");
}

/* `giver` is the recording where its columns may be taken, else NULL. */
static spk_status cut(spk_context *context, const spk_recording *recording, spk_recording *giver,
                      bool keep_trials, size_t n, const spk_time_range *ranges, spk_recording **out)
{
    const char **labels = NULL;
    spk_recording *made = NULL;
    spk_recording_parts parts = spk_recording_frame(recording);
    parts.n_events = recording->events.n_events;
    parts.n_units = recording->events.n_units;
    parts.n_segments = n;
    parts.segments = ranges;
    parts.keep_trials = keep_trials;
    parts.facts = recording->facts;
    parts.facts.duplicates = 0;
    parts.facts.ties = 0;
    if (n == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "no segment is given; give at least one");
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc(context, &labels, parts.n_units, "unit labels");
    if (status == SPK_OK)
        status = get_columns(context, recording, giver, &parts);
    for (uint32_t u = 0; u < parts.n_units && status == SPK_OK; u++)
        labels[u] = spk_recording_label(recording, u);
    parts.labels = labels;
    if (status == SPK_OK)
        status = spk_recording_assemble(context, &parts, &made);
    if (made != NULL && spk_segments_are_empty(made)) {
        status = fail_nothing_left(context, recording, n, ranges);
        spk_recording_free(made);
        made = NULL;
    }
    if (made != NULL)
        tell_shared(context, made);
    spk_stage_close(context, &stage);
    free(labels);
    *out = made;
    return status;
}

static spk_status cut_taken(spk_context *context, spk_recording *recording, bool keep_trials,
                            size_t n, const spk_time_range *ranges, spk_recording **out)
{
    *out = NULL;
    spk_status status = cut(context, recording, recording, keep_trials, n, ranges, out);
    spk_recording_free(recording);
    return status;
}

spk_status spk_recording_cut(spk_context *context, const spk_recording *recording, size_t n,
                             const spk_time_range *ranges, spk_recording **out)
{
    *out = NULL;
    return cut(context, recording, NULL, false, n, ranges, out);
}

spk_status spk_recording_cut_take(spk_context *context, spk_recording *recording, size_t n,
                                  const spk_time_range *ranges, spk_recording **out)
{
    return cut_taken(context, recording, false, n, ranges, out);
}

spk_status spk_recording_restrict(spk_context *context, const spk_recording *recording, size_t n,
                                  const spk_time_range *ranges, spk_recording **out)
{
    *out = NULL;
    return cut(context, recording, NULL, true, n, ranges, out);
}

spk_status spk_recording_restrict_take(spk_context *context, spk_recording *recording, size_t n,
                                       const spk_time_range *ranges, spk_recording **out)
{
    return cut_taken(context, recording, true, n, ranges, out);
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* Two digits of a time above 0, not more than it. */
static double round_down(double seconds)
{
    const double digit = pow(10, floor(log10(seconds)) - 1);
    return floor(seconds / digit) * digit;
}

spk_status spk_recording_beginning(spk_context *context, const spk_recording *recording,
                                   double seconds, char *stop, size_t size, spk_recording **out)
{
    const double tick_s = (double)recording->rate.denominator / (double)recording->rate.numerator;
    const double start_s = recording->given.has_start ? spk_duration_seconds(recording->given.start)
                                                      : (double)recording->extent.start * tick_s;
    spk_duration end;
    *out = NULL;
    /* All digits that doubles have: times may count from 1970. */
    snprintf(stop, size, "%.15gs", ceil(1000 * start_s) / 1000 + round_down(fmax(seconds, tick_s)));
    spk_status status = spk_duration_parse(context, stop, strlen(stop), &end);
    if (status != SPK_OK)
        return status;
    const int64_t tick = spk_duration_first_tick(end, recording->rate);
    return spk_recording_slice(context, recording, NULL, &tick, 0, NULL, out);
}
