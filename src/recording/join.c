/* Two recordings in one: the second one later by a whole number of seconds. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "recording/recording.h"
#include "recording/segments.h"

/* How the times of one of them become those of both: tick * factor + shift. */
typedef struct mapping {
    spk_rate rate;
    uint64_t factor;
    int64_t shift;
    int64_t seconds; /* the same */
} mapping;

static spk_status fail_range(spk_context *context)
{
    return spk_fail(context, SPK_ERR_RANGE,
                    "the times of the two recordings need more than 64 bits together; write one "
                    "of them with the ticks of the other");
}

/* ---- one time for both ----------------------------------------------------------------------- */

/* The least rate of which both are divisors. */
static bool common_rate(spk_rate a, spk_rate b, spk_rate *out)
{
    out->denominator = (uint64_t)spk_greatest_divisor(a.denominator, b.denominator);
    return spk_least_multiple(a.numerator, b.numerator, &out->numerator);
}

/* rate / own, a whole number. */
static uint64_t factor_of(spk_rate rate, spk_rate own)
{
    return rate.numerator / own.numerator * (own.denominator / rate.denominator);
}

static bool map_tick(const mapping *m, int64_t tick, int64_t *out)
{
    return !__builtin_mul_overflow(tick, (__int128)m->factor, out) &&
           !__builtin_add_overflow(*out, m->shift, out) && *out < INT64_MAX;
}

/* Whole seconds by which b must be later, so that it begins behind a. */
static bool find_shift(const spk_recording *a, const mapping *of_a, const spk_recording *b,
                       mapping *of_b)
{
    int64_t stop = 0, start = 0, gap = 0, ticks = 0;
    const int64_t numerator = (int64_t)of_b->rate.numerator;
    const int64_t denominator = (int64_t)of_b->rate.denominator;
    if (!map_tick(of_a, a->extent.stop, &stop) || !map_tick(of_b, b->extent.start, &start) ||
        __builtin_sub_overflow(stop, start, &gap))
        return false;
    /* `numerator` ticks are `denominator` seconds; one more of them for bounds between ticks. */
    int64_t steps = gap > 0 ? gap / numerator + 2 : 0;
    of_b->shift = 0;
    return !__builtin_mul_overflow(steps, numerator, &of_b->shift) &&
           !__builtin_mul_overflow(steps, denominator, &of_b->seconds) &&
           map_tick(of_b, b->extent.stop, &ticks);
}

static bool map_border(const mapping *m, spk_border border, spk_border *out)
{
    spk_duration time;
    *out = (spk_border){.tick = 0};
    if (!border.between)
        return map_tick(m, border.tick, &out->tick);
    if (!spk_duration_add_seconds(border.time, m->seconds, &time))
        return false;
    *out = spk_border_of(time, m->rate);
    return out->tick < INT64_MAX;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* What the joined recording is made of. */
typedef struct joining {
    spk_recording_parts parts;
    spk_exact_segment *segments;
    const char **labels;
    uint32_t *number; /* of b's units among those of both */
} joining;

static bool add_events(const spk_recording *from, const mapping *m, const uint32_t *number,
                       spk_recording_parts *parts)
{
    const spk_events *events = &from->events;
    for (uint64_t e = 0; e < events->n_events; e++) {
        if (!map_tick(m, events->time[e], &parts->time[parts->n_events]))
            return false;
        parts->unit[parts->n_events++] = number != NULL ? number[events->unit[e]] : events->unit[e];
    }
    return true;
}

/* Its trials come behind those that are there. */
static bool add_segments(const spk_recording *from, const mapping *m, joining *j)
{
    size_t n = 0;
    const size_t before = j->parts.n_trials;
    j->parts.n_trials += spk_recording_trials(from);
    (void)spk_recording_segments(from, &n);
    for (size_t k = 0; k < n; k++) {
        const spk_exact_segment segment = spk_recording_exact_segment(from, k);
        spk_exact_segment *to = &j->segments[j->parts.n_exact++];
        to->trial = before + segment.trial;
        if (!map_border(m, segment.start, &to->start) || !map_border(m, segment.stop, &to->stop))
            return false;
    }
    return true;
}

static void join_units(const spk_recording *a, const spk_recording *b, joining *j)
{
    uint32_t n = a->events.n_units;
    for (uint32_t u = 0; u < n; u++)
        j->labels[u] = spk_recording_label(a, u);
    for (uint32_t u = 0; u < b->events.n_units; u++) {
        const char *label = spk_recording_label(b, u);
        if (spk_recording_find_unit(a, label, &j->number[u]))
            continue;
        j->labels[n] = label;
        j->number[u] = n++;
    }
    j->parts.n_units = n;
    j->parts.labels = j->labels;
}

static spk_status reserve(spk_context *context, const spk_recording *a, const spk_recording *b,
                          joining *j)
{
    size_t n_a = 0, n_b = 0;
    const uint64_t n_events = a->events.n_events + b->events.n_events;
    const uint64_t n_units = (uint64_t)a->events.n_units + b->events.n_units;
    (void)spk_recording_segments(a, &n_a);
    (void)spk_recording_segments(b, &n_b);
    if (n_events > SPK_MAX_EVENTS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "the two recordings have %" PRIu64 " events, more than %u; take a part of "
                        "them",
                        n_events, SPK_MAX_EVENTS);
    return spk_alloc_columns(context, "two recordings in one", SPK_COLUMN(&j->parts.time, n_events),
                             SPK_COLUMN(&j->parts.unit, n_events),
                             SPK_COLUMN(&j->segments, n_a + n_b), SPK_COLUMN(&j->labels, n_units),
                             SPK_COLUMN(&j->number, b->events.n_units));
}

static spk_status assemble(spk_context *context, const spk_recording *a, const mapping *of_a,
                           const spk_recording *b, const mapping *of_b, joining *j,
                           spk_recording **out)
{
    if (j->parts.time == NULL || j->parts.unit == NULL || j->segments == NULL ||
        j->labels == NULL || j->number == NULL) /* `reserve` has made all of them */
        return spk_fail(context, SPK_ERR_INTERNAL, "two recordings without room for both");
    join_units(a, b, j);
    bool fits = add_events(a, of_a, NULL, &j->parts) && add_events(b, of_b, j->number, &j->parts) &&
                add_segments(a, of_a, j) && add_segments(b, of_b, j);
    j->parts.exact = j->segments;
    j->parts.rate = of_a->rate;
    j->parts.time_unit = a->time_unit;
    if (fits && j->parts.n_units <= SPK_MAX_UNITS)
        return spk_recording_assemble(context, &j->parts, out);
    free(j->parts.time);
    free(j->parts.unit);
    return fits ? spk_fail(context, SPK_ERR_RANGE,
                           "the two recordings have %u units, more than %u; take some of them",
                           j->parts.n_units, SPK_MAX_UNITS)
                : fail_range(context);
}

spk_status spk_recording_join(spk_context *context, const spk_recording *a, const spk_recording *b,
                              spk_recording **out)
{
    joining j = {.segments = NULL};
    mapping of_a = {.shift = 0}, of_b = {.shift = 0};
    *out = NULL;
    bool fits = common_rate(a->rate, b->rate, &of_a.rate);
    of_b.rate = of_a.rate;
    if (fits) {
        of_a.factor = factor_of(of_a.rate, a->rate);
        of_b.factor = factor_of(of_b.rate, b->rate);
        fits = find_shift(a, &of_a, b, &of_b);
    }
    if (!fits)
        return fail_range(context);
    spk_stage stage = spk_stage_open(context);
    spk_status status = reserve(context, a, b, &j);
    if (status == SPK_OK)
        status = assemble(context, a, &of_a, b, &of_b, &j, out);
    spk_free_all(j.segments, j.labels, j.number);
    spk_stage_close(context, &stage);
    return status;
}

/* ---- further units, which never fire --------------------------------------------------------- */

/* The labels of the recording's units, then the further ones. */
static void join_labels(const spk_recording *recording, uint32_t n_labels,
                        const char *const *labels, const char **out)
{
    uint32_t n_units = recording->events.n_units;
    for (uint32_t u = 0; u < n_units; u++)
        out[u] = spk_recording_label(recording, u);
    for (uint32_t k = 0; k < n_labels; k++)
        out[n_units + k] = labels[k];
}

/* What the copy of a part knows of the whole: the further units have no event there. */
static spk_status take_part(spk_context *context, const spk_recording *recording,
                            spk_recording *copy)
{
    uint64_t *count = NULL;
    copy->part = recording->part;
    copy->part.unit_count = NULL;
    if (!recording->part.joined)
        return SPK_OK;
    spk_status status = spk_alloc_zero(context, &count, copy->events.n_units, "counts of units");
    for (uint32_t u = 0; u < recording->events.n_units && status == SPK_OK; u++) {
        uint32_t number = 0;
        bool found = spk_recording_find_unit(copy, spk_recording_label(recording, u), &number);
        assert(found);
        (void)found;
        count[number] = recording->part.unit_count[u];
    }
    copy->part.unit_count = count;
    return status;
}

spk_status spk_recording_add_units(spk_context *context, const spk_recording *recording,
                                   uint32_t n_labels, const char *const *labels,
                                   spk_recording **out)
{
    *out = NULL;
    const spk_events *events = &recording->events;
    const char **all = NULL;
    spk_recording_parts parts = spk_recording_frame(recording);
    if (n_labels > SPK_MAX_UNITS - events->n_units)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%u units and %u further ones are more than %u; add fewer", events->n_units,
                        n_labels, SPK_MAX_UNITS);
    parts.n_events = events->n_events;
    parts.n_units = events->n_units + n_labels;
    spk_status status = spk_alloc_columns(
        context, "a recording with further units", SPK_COLUMN(&all, parts.n_units),
        SPK_COLUMN(&parts.time, events->n_events), SPK_COLUMN(&parts.unit, events->n_events));
    if (status != SPK_OK)
        return status;
    join_labels(recording, n_labels, labels, all);
    parts.labels = all;
    if (events->n_events > 0) {
        memcpy(parts.time, events->time, events->n_events * sizeof *parts.time);
        memcpy(parts.unit, events->unit, events->n_events * sizeof *parts.unit);
    }
    status = spk_recording_assemble(context, &parts, out);
    if (status == SPK_OK) {
        (*out)->facts = recording->facts;
        status = take_part(context, recording, *out);
    }
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    free(all);
    return status;
}
