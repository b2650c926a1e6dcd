/*
 * Assembles recordings from columns: renumbers units by label, sorts, drops duplicates, indexes by
 * unit. Columns that are in order already are only indexed.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
#include "recording/recording.h"
#include "recording/segments.h"

static_assert(SPK_MAX_EVENTS < UINT32_MAX, "event numbers are 32 bit, UINT32_MAX is none");
static_assert(SPK_MAX_UNITS < UINT32_MAX, "unit numbers are 32 bit, UINT32_MAX is none");

/* ---- units ----------------------------------------------------------------------------------- */

typedef struct labelled_unit {
    const char *label;
    uint32_t unit;
} labelled_unit;

static int compare_labelled(const void *a, const void *b)
{
    return spk_natural_compare(((const labelled_unit *)a)->label,
                               ((const labelled_unit *)b)->label);
}

/* Whether all are called as 38.0 is: units that went through a table of reals. They are named 38.
 */
static bool all_are_whole(const labelled_unit *order, uint32_t n_units)
{
    uint32_t u = 0;
    while (u < n_units && spk_label_whole(order[u].label) > 0)
        u++;
    return u == n_units;
}

static spk_status store_labels(spk_context *context, const labelled_unit *order, uint32_t n_units,
                               spk_recording *recording)
{
    const bool whole = all_are_whole(order, n_units);
    uint64_t bytes = 0;
    for (uint32_t u = 0; u < n_units; u++)
        bytes += strlen(order[u].label) + 1;
    spk_status status = spk_alloc(context, &recording->label_bytes, bytes, "unit labels");
    if (status == SPK_OK)
        status = spk_alloc(context, &recording->label_first, n_units, "unit labels");
    if (status != SPK_OK)
        return status;
    uint64_t at = 0;
    for (uint32_t u = 0; u < n_units; u++) {
        if (u > 0 && strcmp(order[u - 1].label, order[u].label) == 0)
            return spk_fail(context, SPK_ERR_ARGUMENT, "two units have the label '%s'",
                            order[u].label);
        const size_t n = whole ? spk_label_whole(order[u].label) : strlen(order[u].label);
        recording->label_first[u] = at;
        memcpy(recording->label_bytes + at, order[u].label, n);
        recording->label_bytes[at + n] = '\0';
        at += n + 1;
    }
    return SPK_OK;
}

/* Labels "0", "1", ... for a caller who gave none; one block: pointers, then text. */
static spk_status number_labels(spk_context *context, uint32_t n_units, const char ***out)
{
    enum { LABEL_BYTES = 11 };
    spk_status status =
        spk_alloc_bytes(context, out, n_units, sizeof(char *) + LABEL_BYTES, "unit labels");
    if (status != SPK_OK)
        return status;
    char *text = (char *)(*out + n_units);
    for (uint32_t u = 0; u < n_units; u++, text += LABEL_BYTES) {
        snprintf(text, LABEL_BYTES, "%" PRIu32, u);
        (*out)[u] = text;
    }
    return SPK_OK;
}

/* Keeps the labels in their natural order; new_number[u] is the place of unit u in it. */
static spk_status order_units(spk_context *context, uint32_t n_units, const char *const *labels,
                              uint32_t *new_number, spk_recording *recording)
{
    labelled_unit *order = NULL;
    const char **numbers = NULL;
    spk_status status = spk_alloc(context, &order, n_units, "unit labels");
    if (status == SPK_OK && labels == NULL)
        status = number_labels(context, n_units, &numbers);
    if (status != SPK_OK)
        goto done;
    for (uint32_t u = 0; u < n_units; u++)
        order[u] = (labelled_unit){labels != NULL ? labels[u] : numbers[u], u};
    qsort(order, n_units, sizeof *order, compare_labelled);
    for (uint32_t u = 0; u < n_units; u++)
        new_number[order[u].unit] = u;
    status = store_labels(context, order, n_units, recording);
done:
    spk_free(context, order);
    spk_free(context, numbers);
    return status;
}

/* ---- columns --------------------------------------------------------------------------------- */

spk_status spk_recording_check_source(spk_context *context, const spk_recording_source *source)
{
    if (source->n_events > SPK_MAX_EVENTS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%" PRIu64 " events are more than the %u of one recording; cut it by time",
                        source->n_events, SPK_MAX_EVENTS);
    if (source->n_units > SPK_MAX_UNITS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%" PRIu32 " units are more than %u; are time and unit columns swapped?",
                        source->n_units, SPK_MAX_UNITS);
    if (source->rate.numerator == 0 || source->rate.denominator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the tick rate must be positive");
    if (source->n_events > 0 && (source->time == NULL || source->unit == NULL))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%" PRIu64 " events without a column of times or of units",
                        source->n_events);
    for (uint32_t u = 0; source->labels != NULL && u < source->n_units; u++)
        if (source->labels[u] == NULL)
            return spk_fail(context, SPK_ERR_ARGUMENT, "unit %" PRIu32 " has no label", u);
    return SPK_OK;
}

static spk_status check_events(spk_context *context, const spk_recording_source *source)
{
    for (uint64_t i = 0; i < source->n_events; i++) {
        if (source->unit[i] >= source->n_units)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "event %" PRIu64 " has unit %" PRIu32 ", but there are %" PRIu32, i,
                            source->unit[i], source->n_units);
        if (source->time[i] == INT64_MAX)
            return spk_fail(context, SPK_ERR_RANGE,
                            "event %" PRIu64 " is at tick %" PRId64 ", behind which no recording "
                            "can stop; shift the times or take longer ticks",
                            i, source->time[i]);
    }
    return SPK_OK;
}

/* Drops repeated (time, unit) pairs of sorted columns; counts them and the ties that stay. */
static uint64_t drop_duplicates(uint64_t n, int64_t *time, uint32_t *unit,
                                spk_recording_facts *facts)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (kept > 0 && time[kept - 1] == time[i] && unit[kept - 1] == unit[i]) {
            facts->duplicates++;
            continue;
        }
        facts->ties += kept > 0 && time[kept - 1] == time[i];
        time[kept] = time[i];
        unit[kept] = unit[i];
        kept++;
    }
    return kept;
}

static spk_status build_index(spk_context *context, spk_recording *recording)
{
    const spk_events *events = &recording->events;
    spk_status status = spk_alloc_columns(
        context, "the index by unit", SPK_COLUMN(&recording->by_unit, events->n_events),
        SPK_COLUMN_ZERO(&recording->unit_first, (uint64_t)events->n_units + 2));
    if (status != SPK_OK)
        return status;
    /* Counting sort: first[u + 2] counts unit u, then becomes where u + 1 starts. */
    uint64_t *first = recording->unit_first;
    for (uint64_t i = 0; i < events->n_events; i++)
        first[events->unit[i] + 2]++;
    for (uint32_t u = 0; u < events->n_units; u++)
        first[u + 2] += first[u + 1];
    for (uint64_t i = 0; i < events->n_events; i++)
        recording->by_unit[first[events->unit[i] + 1]++] = (uint32_t)i;
    recording->events.by_unit = recording->by_unit;
    recording->events.unit_first = recording->unit_first;
    return SPK_OK;
}

/* ---- the extent ------------------------------------------------------------------------------ */

/* The extent as given; what is missing comes from the events. Without events a missing bound equals
 * the other one, and 0 where both are missing. */
static spk_status set_extent(spk_context *context, const int64_t *start, const int64_t *stop,
                             spk_recording *recording)
{
    uint64_t n = recording->events.n_events;
    const int64_t *time = recording->events.time;
    spk_segment *extent = &recording->extent;
    if (n > 0)
        *extent = (spk_segment){time[0], time[n - 1] + 1};
    else if (start != NULL || stop != NULL)
        extent->start = extent->stop = start != NULL ? *start : *stop;
    extent->start = start != NULL ? *start : extent->start;
    extent->stop = stop != NULL ? *stop : extent->stop;
    if (n > 0 && (time[0] < extent->start || time[n - 1] >= extent->stop))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "an event at tick %" PRId64 " lies outside the recording's start, %" PRId64
                        ", and stop, %" PRId64 "; leave it out or widen them (an event at stop is "
                        "outside)",
                        time[0] < extent->start ? time[0] : time[n - 1], extent->start,
                        extent->stop);
    if (extent->start > extent->stop)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the recording starts at tick %" PRId64 " and stops at %" PRId64
                        "; give start and stop in this order",
                        extent->start, extent->stop);
    return SPK_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Bytes of what the recording owns; where it borrows columns that is the index and the labels. */
static uint64_t own_bytes(const spk_recording *recording)
{
    const spk_events *e = &recording->events;
    uint64_t n_units = e->n_units, bytes = e->n_events * sizeof *recording->by_unit;
    if (recording->time != NULL)
        bytes += e->n_events * (sizeof *recording->time + sizeof *recording->unit);
    if (n_units > 0)
        bytes += recording->label_first[n_units - 1] +
                 strlen(recording->label_bytes + recording->label_first[n_units - 1]) + 1;
    bytes += recording->n_segments * (sizeof *recording->segments + sizeof *recording->exact);
    return bytes + sizeof *recording + (n_units + 2) * sizeof *recording->unit_first +
           n_units * sizeof *recording->label_first;
}

/* What follows once the columns are in order and the segments are known. */
static spk_status complete(spk_context *context, const int64_t *start, const int64_t *stop,
                           spk_recording *recording)
{
    spk_status status = build_index(context, recording);
    if (status == SPK_OK && recording->n_segments == 0) {
        recording->given.start_of_events |= start == NULL;
        recording->given.stop_of_events |= stop == NULL;
        status = set_extent(context, start, stop, recording);
    }
    if (status == SPK_OK)
        spk_holding_set(context, &recording->holding, own_bytes(recording));
    assert(status != SPK_OK || spk_recording_validate(recording, &(const char *){NULL}));
    return status;
}

/* Gives the parts' units their final numbers, sorts by (time, unit) and moves what is left without
 * duplicates into the recording. */
static spk_status order_columns(spk_context *context, spk_recording_parts *parts,
                                spk_recording *recording)
{
    uint32_t *new_number = NULL;
    recording->facts = parts->facts;
    spk_status status = spk_alloc(context, &new_number, parts->n_units, "unit labels");
    if (status == SPK_OK)
        status = order_units(context, parts->n_units, parts->labels, new_number, recording);
    for (uint64_t i = 0; i < parts->n_events && status == SPK_OK; i++)
        parts->unit[i] = new_number[parts->unit[i]];
    spk_free(context, new_number);
    if (status == SPK_OK)
        status = spk_sort_events(context, parts->n_events, parts->time, parts->unit,
                                 &recording->facts.sorted);
    if (status != SPK_OK)
        return status;
    uint64_t n = drop_duplicates(parts->n_events, parts->time, parts->unit, &recording->facts);
    spk_shrink(context, &parts->time, n);
    spk_shrink(context, &parts->unit, n);
    recording->time = parts->time;
    recording->unit = parts->unit;
    parts->time = NULL;
    parts->unit = NULL;
    recording->events = (spk_events){
        .n_events = n, .n_units = parts->n_units, .time = recording->time, .unit = recording->unit};
    return SPK_OK;
}

spk_status spk_recording_assemble(spk_context *context, spk_recording_parts *parts,
                                  spk_recording **out)
{
    *out = NULL;
    spk_recording *recording = NULL;
    const spk_recording_source source = {.n_events = parts->n_events,
                                         .time = parts->time,
                                         .unit = parts->unit,
                                         .n_units = parts->n_units,
                                         .labels = parts->labels,
                                         .rate = parts->rate};
    spk_status status = spk_recording_check_source(context, &source);
    if (status == SPK_OK)
        status = check_events(context, &source);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &recording, 1, "a recording");
    if (status != SPK_OK)
        goto done;
    recording->rate = parts->rate;
    recording->given = parts->given;
    recording->time_unit = parts->time_unit;
    recording->written = parts->written;
    status = spk_segments_take(context, parts, recording);
    if (status == SPK_OK)
        status = order_columns(context, parts, recording);
    if (status == SPK_OK)
        status = complete(context, parts->start, parts->stop, recording);
done:
    free(parts->time);
    free(parts->unit);
    parts->time = NULL;
    parts->unit = NULL;
    if (status == SPK_OK)
        *out = recording;
    else
        spk_recording_free(recording);
    return status;
}

/* Events at the time of the event before. */
static uint64_t count_ties(const spk_recording_source *source)
{
    uint64_t ties = 0;
    for (uint64_t i = 1; i < source->n_events; i++)
        ties += source->time[i] == source->time[i - 1];
    return ties;
}

spk_status spk_recording_borrow(spk_context *context, const spk_recording_source *source,
                                const spk_exact_segment *exact, size_t n_trials,
                                spk_recording **out)
{
    *out = NULL;
    spk_recording *recording = NULL;
    uint32_t *new_number = NULL;
    spk_status status = check_events(context, source);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "a recording", SPK_COLUMN_ZERO(&recording, 1),
                                   SPK_COLUMN(&new_number, source->n_units));
    if (status != SPK_OK)
        return status;
    recording->rate = source->rate;
    recording->facts = (spk_recording_facts){.sorted = true, .ties = count_ties(source)};
    recording->events = (spk_events){.n_events = source->n_events,
                                     .n_units = source->n_units,
                                     .time = source->time,
                                     .unit = source->unit};
    status = order_units(context, source->n_units, source->labels, new_number, recording);
    for (uint32_t u = 0; u < source->n_units && status == SPK_OK; u++)
        assert(new_number[u] == u);
    free(new_number);
    spk_recording_parts segments = {.rate = source->rate,
                                    .start = source->start,
                                    .stop = source->stop,
                                    .n_exact = exact != NULL ? source->n_segments : 0,
                                    .exact = exact,
                                    .n_trials = n_trials};
    if (status == SPK_OK)
        status = spk_segments_take(context, &segments, recording);
    bool held = status == SPK_OK && spk_segments_hold_events(recording);
    if (held)
        status = complete(context, source->start, source->stop, recording);
    if (held && status == SPK_OK)
        *out = recording;
    else
        spk_recording_free(recording);
    return status;
}
