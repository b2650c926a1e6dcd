/*
 * Recording: builds the event columns from raw ones (renumber units by label, sort, drop
 * duplicates, index by unit) and answers questions about them.
 */
#include "recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/natural.h"
#include "recording/sort.h"

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

static spk_status store_labels(spk_context *context, const labelled_unit *order, uint32_t n_units,
                               spk_recording *recording)
{
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
        recording->label_first[u] = at;
        memcpy(recording->label_bytes + at, order[u].label, strlen(order[u].label) + 1);
        at += strlen(order[u].label) + 1;
    }
    return SPK_OK;
}

/* Gives units their final numbers: the natural order of their labels. */
static spk_status renumber_units(spk_context *context, spk_recording_parts *parts,
                                 spk_recording *recording)
{
    labelled_unit *order = NULL;
    uint32_t *new_number = NULL;
    uint32_t n_units = parts->n_units;
    spk_status status = spk_alloc_columns(context, "unit labels", SPK_COLUMN(&order, n_units),
                                          SPK_COLUMN(&new_number, n_units));
    if (status != SPK_OK)
        goto done;
    for (uint32_t u = 0; u < n_units; u++)
        order[u] = (labelled_unit){parts->labels[u], u};
    qsort(order, n_units, sizeof *order, compare_labelled);
    status = store_labels(context, order, n_units, recording);
    if (status != SPK_OK)
        goto done;
    for (uint32_t u = 0; u < n_units; u++)
        new_number[order[u].unit] = u;
    for (uint64_t i = 0; i < parts->n_events; i++)
        parts->unit[i] = new_number[parts->unit[i]];
done:
    free(order);
    free(new_number);
    return status;
}

/* ---- columns --------------------------------------------------------------------------------- */

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

static spk_status build_index(spk_context *context, uint64_t n, uint32_t n_units,
                              spk_recording *recording)
{
    spk_status status =
        spk_alloc_columns(context, "the index by unit", SPK_COLUMN(&recording->by_unit, n),
                          SPK_COLUMN_ZERO(&recording->unit_first, (uint64_t)n_units + 2));
    if (status != SPK_OK)
        return status;
    /* Counting sort: first[u + 2] counts unit u, then becomes where u + 1 starts. */
    uint64_t *first = recording->unit_first;
    for (uint64_t i = 0; i < n; i++)
        first[recording->unit[i] + 2]++;
    for (uint32_t u = 0; u < n_units; u++)
        first[u + 2] += first[u + 1];
    for (uint64_t i = 0; i < n; i++)
        recording->by_unit[first[recording->unit[i] + 1]++] = (uint32_t)i;
    return SPK_OK;
}

/* The array with its memory beyond `bytes` given back, where the system does so. */
static void *shrink(void *array, uint64_t bytes)
{
    void *smaller = realloc(array, bytes > 0 ? (size_t)bytes : 1);
    return smaller != NULL ? smaller : array;
}

static spk_status check_parts(spk_context *context, const spk_recording_parts *parts)
{
    if (parts->n_events > SPK_MAX_EVENTS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%" PRIu64 " events are more than the %u of one recording; cut it by time",
                        parts->n_events, SPK_MAX_EVENTS);
    if (parts->n_units > SPK_MAX_UNITS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%" PRIu32 " units are more than %u; are time and unit columns swapped?",
                        parts->n_units, SPK_MAX_UNITS);
    if (parts->rate.numerator == 0 || parts->rate.denominator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the tick rate must be positive");
    for (uint64_t i = 0; i < parts->n_events; i++) {
        if (parts->unit[i] >= parts->n_units)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "event %" PRIu64 " has unit %" PRIu32 ", but there are %" PRIu32, i,
                            parts->unit[i], parts->n_units);
        if (parts->time[i] == INT64_MAX)
            return spk_fail(context, SPK_ERR_RANGE,
                            "event %" PRIu64 " is at tick %" PRId64 ", behind which no recording "
                            "can stop; shift the times or take longer ticks",
                            i, parts->time[i]);
    }
    return SPK_OK;
}

/* The extent as given; what is missing comes from the events. Without events a missing bound equals
 * the other one, and 0 where both are missing. */
static spk_status set_extent(spk_context *context, const spk_recording_parts *parts,
                             spk_recording *recording)
{
    uint64_t n = recording->events.n_events;
    const int64_t *time = recording->events.time;
    spk_segment *extent = &recording->extent;
    if (n > 0)
        *extent = (spk_segment){time[0], time[n - 1] + 1};
    else if (parts->start != NULL || parts->stop != NULL)
        extent->start = extent->stop = parts->start != NULL ? *parts->start : *parts->stop;
    extent->start = parts->start != NULL ? *parts->start : extent->start;
    extent->stop = parts->stop != NULL ? *parts->stop : extent->stop;
    if (extent->start > extent->stop)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the recording starts at tick %" PRId64 " and stops at %" PRId64
                        "; give start and stop in this order",
                        extent->start, extent->stop);
    if (n > 0 && (time[0] < extent->start || time[n - 1] >= extent->stop))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "an event at tick %" PRId64 " lies outside the recording's start, %" PRId64
                        ", and stop, %" PRId64 "; leave it out or widen them (an event at stop is "
                        "outside)",
                        time[0] < extent->start ? time[0] : time[n - 1], extent->start,
                        extent->stop);
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

spk_status spk_recording_take(spk_context *context, spk_recording_parts *parts, spk_recording **out)
{
    *out = NULL;
    spk_recording *recording = NULL;
    const char **numbered = NULL;
    spk_status status = check_parts(context, parts);
    if (status == SPK_OK && parts->labels == NULL) {
        status = number_labels(context, parts->n_units, &numbered);
        parts->labels = numbered;
    }
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &recording, 1, "a recording");
    if (status == SPK_OK)
        status = renumber_units(context, parts, recording);
    if (status == SPK_OK) {
        recording->facts = parts->facts;
        status = spk_sort_events(context, parts->n_events, parts->time, parts->unit,
                                 &recording->facts.sorted);
    }
    if (status != SPK_OK)
        goto done;
    uint64_t n = drop_duplicates(parts->n_events, parts->time, parts->unit, &recording->facts);
    recording->time = parts->time;
    recording->unit = parts->unit;
    parts->time = NULL;
    parts->unit = NULL;
    recording->time = shrink(recording->time, n * sizeof *recording->time);
    recording->unit = shrink(recording->unit, n * sizeof *recording->unit);
    recording->rate = parts->rate;
    status = build_index(context, n, parts->n_units, recording);
    recording->events = (spk_events){n,
                                     parts->n_units,
                                     recording->time,
                                     recording->unit,
                                     recording->by_unit,
                                     recording->unit_first};
    if (status == SPK_OK)
        status = set_extent(context, parts, recording);
done:
    if (numbered != NULL)
        parts->labels = NULL;
    free(numbered);
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

spk_status spk_recording_create(spk_context *context, uint64_t n_events, const int64_t *time,
                                const uint32_t *unit, uint32_t n_units, const char *const *labels,
                                spk_rate rate, const int64_t *start, const int64_t *stop,
                                spk_recording **out)
{
    *out = NULL;
    spk_recording_parts parts = {.n_events = n_events,
                                 .n_units = n_units,
                                 .labels = labels,
                                 .rate = rate,
                                 .start = start,
                                 .stop = stop};
    spk_status status = SPK_OK;
    if (n_units > SPK_MAX_UNITS || n_events > SPK_MAX_EVENTS)
        return check_parts(context,
                           &(spk_recording_parts){.n_events = n_events, .n_units = n_units});
    status = spk_alloc_columns(context, "event times", SPK_COLUMN(&parts.time, n_events),
                               SPK_COLUMN(&parts.unit, n_events));
    if (status == SPK_OK && n_events > 0) {
        memcpy(parts.time, time, (size_t)n_events * sizeof *time);
        memcpy(parts.unit, unit, (size_t)n_events * sizeof *unit);
    }
    if (status == SPK_OK) {
        status = spk_recording_take(context, &parts, out);
    } else {
        free(parts.time);
        free(parts.unit);
    }
    return status;
}

void spk_recording_free(spk_recording *recording)
{
    if (recording == NULL)
        return;
    free(recording->time);
    free(recording->unit);
    free(recording->by_unit);
    free(recording->unit_first);
    free(recording->label_bytes);
    free(recording->label_first);
    free(recording);
}

/* ---- questions ------------------------------------------------------------------------------- */

spk_events spk_recording_events(const spk_recording *recording)
{
    return recording->events;
}

spk_rate spk_recording_rate(const spk_recording *recording)
{
    return recording->rate;
}

int64_t spk_recording_start(const spk_recording *recording)
{
    return recording->extent.start;
}

int64_t spk_recording_stop(const spk_recording *recording)
{
    return recording->extent.stop;
}

const spk_segment *spk_recording_segments(const spk_recording *recording, size_t *n)
{
    *n = 1;
    return &recording->extent;
}

const spk_recording_facts *spk_recording_get_facts(const spk_recording *recording)
{
    return &recording->facts;
}

const char *spk_recording_label(const spk_recording *recording, uint32_t unit)
{
    if (unit >= recording->events.n_units)
        return NULL;
    return recording->label_bytes + recording->label_first[unit];
}

bool spk_recording_find_unit(const spk_recording *recording, const char *label, uint32_t *unit)
{
    uint32_t low = 0;
    uint32_t high = recording->events.n_units;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = spk_natural_compare(spk_recording_label(recording, middle), label);
        if (order == 0) {
            *unit = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

size_t spk_recording_format_time(const spk_recording *recording, int64_t ticks, char *buffer,
                                 size_t size)
{
    spk_rate rate = recording->rate;
    bool negative = ticks < 0;
    unsigned __int128 scaled = negative ? 0 - (uint64_t)ticks : (uint64_t)ticks;
    scaled *= rate.denominator;
    uint64_t whole = (uint64_t)(scaled / rate.numerator);
    unsigned __int128 rest = scaled % rate.numerator;
    char fraction[24];
    int n = 0;
    /* 18 decimals cover every tick that text can give; others stop at 12. */
    uint64_t decimal_rate = rate.numerator;
    while (decimal_rate % 10 == 0)
        decimal_rate /= 10;
    int most = decimal_rate == 1 ? 19 : 12;
    while (rest != 0 && n < most) {
        rest *= 10;
        fraction[n++] = (char)('0' + (int)(rest / rate.numerator));
        rest %= rate.numerator;
    }
    return (size_t)snprintf(buffer, size, "%s%" PRIu64 "%s%.*s", negative ? "-" : "", whole,
                            n > 0 ? "." : "", n, fraction);
}

bool spk_recording_validate(const spk_recording *recording, const char **reason)
{
    const spk_events *e = &recording->events;
    *reason = NULL;
    for (uint64_t i = 0; i < e->n_events && *reason == NULL; i++) {
        if (e->unit[i] >= e->n_units)
            *reason = "an event has an unknown unit";
        else if (i > 0 && (e->time[i - 1] > e->time[i] ||
                           (e->time[i - 1] == e->time[i] && e->unit[i - 1] >= e->unit[i])))
            *reason = "events are not strictly ordered by (time, unit)";
    }
    if (*reason == NULL && recording->extent.start > recording->extent.stop)
        *reason = "the recording stops before it starts";
    if (*reason == NULL && e->n_events > 0 &&
        (e->time[0] < recording->extent.start ||
         e->time[e->n_events - 1] >= recording->extent.stop))
        *reason = "an event lies outside start and stop";
    if (*reason == NULL && (e->unit_first[0] != 0 || e->unit_first[e->n_units] != e->n_events))
        *reason = "the index by unit does not cover the events";
    for (uint32_t u = 0; u < e->n_units && *reason == NULL; u++) {
        if (u > 0 && spk_natural_compare(spk_recording_label(recording, u - 1),
                                         spk_recording_label(recording, u)) >= 0)
            *reason = "units are not in the natural order of their labels";
        for (uint64_t k = e->unit_first[u]; k < e->unit_first[u + 1] && *reason == NULL; k++)
            if (e->unit[e->by_unit[k]] != u ||
                (k > e->unit_first[u] && e->by_unit[k - 1] >= e->by_unit[k]))
                *reason = "the index by unit is wrong";
    }
    return *reason == NULL;
}

/* ---- slicing --------------------------------------------------------------------------------- */

static uint64_t copy_selected(const spk_events *events, const int64_t *start, const int64_t *stop,
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
static spk_status select_units(spk_context *context, const spk_recording *recording,
                               uint32_t n_units, const uint32_t *units, uint32_t *new_number,
                               const char **labels, uint32_t *n_kept)
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
        labels[*n_kept] = spk_recording_label(recording, u);
        new_number[u] = (*n_kept)++;
    }
    return SPK_OK;
}

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
    spk_recording_parts parts = {
        .rate = recording->rate, .start = &from, .stop = &to, .facts = recording->facts};
    parts.facts.duplicates = 0;
    parts.facts.ties = 0;
    if (from > to)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the slice starts after it stops");
    spk_status status =
        spk_alloc_columns(context, "a unit selection", SPK_COLUMN(&new_number, events->n_units),
                          SPK_COLUMN(&labels, events->n_units));
    if (status == SPK_OK)
        status =
            select_units(context, recording, n_units, units, new_number, labels, &parts.n_units);
    if (status == SPK_OK)
        status =
            spk_alloc_columns(context, "event times", SPK_COLUMN(&parts.time, events->n_events),
                              SPK_COLUMN(&parts.unit, events->n_events));
    if (status == SPK_OK) {
        parts.labels = labels;
        parts.n_events = copy_selected(events, start, stop, new_number, &parts);
        parts.facts.outside += events->n_events - parts.n_events;
        status = spk_recording_take(context, &parts, out);
    } else {
        free(parts.time);
        free(parts.unit);
    }
    free(new_number);
    free(labels);
    return status;
}
