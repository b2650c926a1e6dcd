/*
 * Recording: freeing, questions about its columns, the check of every invariant, and what readers
 * set in a part by time.
 */
#include "recording/recording.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/fraction.h"
#include "base/label.h"
#include "base/memory.h"
#include "recording/grid.h"
#include "recording/segments.h"

void spk_recording_free(spk_recording *recording)
{
    if (recording == NULL)
        return;
    spk_free_all(recording->time, recording->unit, recording->by_unit, recording->unit_first,
                 recording->label_bytes, recording->label_first, recording->segments,
                 recording->exact, recording->part.unit_count);
    if (recording->release != NULL)
        recording->release(recording->owner);
    spk_holding_release(&recording->holding);
    free(recording);
}

spk_recording_parts spk_recording_frame(const spk_recording *recording)
{
    return (spk_recording_parts){.rate = recording->rate,
                                 .start = &recording->extent.start,
                                 .stop = &recording->extent.stop,
                                 .n_exact = recording->n_segments,
                                 .exact = recording->exact,
                                 .n_trials = recording->n_trials,
                                 .given = recording->given,
                                 .time_unit = recording->time_unit,
                                 .written = recording->written};
}

uint64_t spk_recording_whole_events(const spk_recording *recording)
{
    return recording->part.joined ? recording->part.n_events : recording->events.n_events;
}

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

static bool find_label(const spk_recording *recording, const char *label, uint32_t *unit)
{
    spk_bisect s = {0, recording->events.n_units};
    while (spk_bisect_next(&s)) {
        const uint32_t middle = (uint32_t)s.middle;
        const int order = spk_natural_compare(spk_recording_label(recording, middle), label);
        if (order == 0) {
            *unit = middle;
            return true;
        }
        spk_bisect_told(&s, order < 0);
    }
    return false;
}

bool spk_recording_find_unit(const spk_recording *recording, const char *label, uint32_t *unit)
{
    char alias[SPK_LABEL_NUMBER];
    return find_label(recording, label, unit) ||
           (spk_label_alias(label, alias) && find_label(recording, alias, unit));
}

size_t spk_recording_format_time(const spk_recording *recording, int64_t ticks, char *buffer,
                                 size_t size)
{
    const spk_written *written = &recording->written;
    spk_rate rate = recording->rate;
    int decimals = 12;
    if (written->step > 0) {
        const __int128 per_second = (__int128)rate.numerator * written->rate.denominator;
        ticks = (int64_t)spk_round_quotient(
            (__int128)ticks * rate.denominator * written->rate.numerator, per_second);
        rate = written->rate;
    }
    for (uint64_t ticks_left = rate.numerator / rate.denominator / 1000000000000; ticks_left > 0;
         ticks_left /= 10)
        decimals++; /* a unit of the last one is shorter than a tick */
    return spk_fraction_format((__int128)ticks * rate.denominator, rate.numerator, decimals, buffer,
                               size);
}

/* NULL: all is well. */
static const char *broken_segments(const spk_recording *recording)
{
    for (size_t k = 0; k < recording->n_segments; k++) {
        const spk_segment *segment = &recording->segments[k];
        if (segment->start > segment->stop)
            return "a segment stops before it starts";
        if (k > 0 && spk_segments_compare(&recording->exact[k - 1], &recording->exact[k]) > 0)
            return "segments are not in order";
        if (segment->start < recording->extent.start || segment->stop > recording->extent.stop)
            return "a segment lies outside start and stop";
        if (recording->exact[k].trial >= recording->n_trials)
            return "a segment is of a trial that does not exist";
    }
    return spk_segments_hold_events(recording) ? NULL : "an event lies outside all segments";
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
    if (*reason == NULL)
        *reason = broken_segments(recording);
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

/* ---- a part by time: what readers of all formats do alike ------------------------------------ */

bool spk_part_is_wanted(const spk_read_options *options)
{
    const spk_read_options *o = options;
    return o->part != NULL && o->part->n > 1 && !o->sort && o->units == NULL &&
           o->min_rate_hz == 0 && o->start == NULL && o->stop == NULL;
}

/* Rounded up: delays are cut to whole ticks, of these or of coarser ones. */
uint64_t spk_part_reach(const spk_read_part *wanted, spk_rate rate)
{
    uint64_t one = spk_duration_ticks(wanted->reach, rate);
    uint64_t all = 0;
    if (__builtin_add_overflow(one, 2, &one) ||
        __builtin_mul_overflow(one, (uint64_t)wanted->steps, &all))
        return UINT64_MAX;
    return all;
}

void spk_part_set(spk_recording *recording, const spk_read_part *wanted, int64_t own)
{
    const spk_events *events = &recording->events;
    spk_part *part = &recording->part;
    *part = (spk_part){.divided = true, .reach = wanted->reach, .steps = wanted->steps};
    spk_time_grid grid;
    spk_recording_find_grid(recording, &grid);
    if (recording->time_unit == SPK_TIME_SAMPLES)
        part->grid = SPK_PART_NO_GRID;
    else if (grid.rounded)
        part->grid = SPK_PART_ROUNDED;
    else
        part->grid = spk_times_are_few(events) ? SPK_PART_TOO_FEW : SPK_PART_NO_GRID;
    while (part->margin < events->n_events && events->time[part->margin] < own)
        part->margin++;
}
