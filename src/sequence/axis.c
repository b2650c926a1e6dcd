/*
 * The axis: segments behind each other, spikes by unit and by position, rates about each spike.
 *
 *     segments, in ticks        [start .. stop)       [start .. stop)
 *     axis, in cells     |-gap-|---------------|-gap-|---------------|-gap-|
 *     at                 by unit, then ascending;    ordered: all spikes, ascending
 *
 * Invariant: nothing that looks for spikes reaches across a gap, so that only this file knows of
 * segments. Cost: one pass over the spikes for the positions, one with two marks for the rates.
 */
#include <math.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "recording/segments.h"
#include "sequence/sequence.h"

/* Cells on each side of a spike that its local rate is of, and the spikes that the unit's mean rate
 * counts for in it. */
enum { RATE_REACH = 4 * SEQUENCE_CELLS };
static const double rate_weight = 2;

/* Cells of an axis at most: positions are exact to a small part of a cell. */
static const double most_cells = 1099511627776.0;

/* ---- segments -------------------------------------------------------------------------------- */

static double ticks_between(int64_t from, int64_t to)
{
    return (double)((uint64_t)to - (uint64_t)from);
}

static spk_status lay_out(spk_context *context, const spk_recording *recording, sequence_axis *axis)
{
    const spk_segment *segment = spk_recording_segments(recording, &axis->n_stretches);
    spk_status status = spk_alloc(context, &axis->stretch, axis->n_stretches, "segments");
    if (status != SPK_OK)
        return status;
    /* A gap lies before the first segment and behind each. */
    double cell = axis->gap;
    for (size_t k = 0; k < axis->n_stretches; k++) {
        const double length = ticks_between(segment[k].start, segment[k].stop) / axis->step;
        axis->stretch[k] = (sequence_stretch){segment[k].start, segment[k].stop, cell};
        axis->observed += length;
        cell += ceil(length) + axis->gap;
    }
    if (cell > most_cells)
        return spk_fail(context, SPK_ERR_RANGE,
                        "a search for sequences has %.3g steps of 1/%d of the distance that "
                        "surrogates move spikes by, and can have %.3g; take %s",
                        cell, SEQUENCE_CELLS, most_cells,
                        cell - axis->observed > axis->observed /* most of it are gaps */
                            ? "a shorter longest lag"
                            : "a longer distance or a shorter recording");
    axis->n_cells = (uint64_t)cell;
    return SPK_OK;
}

/* The segment that a position is nearest to. */
static const sequence_stretch *stretch_at(const sequence_axis *axis, double at)
{
    spk_bisect s = {1, axis->n_stretches};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, axis->stretch[s.middle].cell - axis->gap / 2 <= at);
    return &axis->stretch[s.low - 1];
}

double spk_sequence_move(const sequence_axis *axis, double at, double by)
{
    const sequence_stretch *s = stretch_at(axis, at);
    const double length = ticks_between(s->start, s->stop) / axis->step;
    const double to = at + by - s->cell;
    return length > 0 ? s->cell + to - length * floor(to / length) : at;
}

int64_t spk_sequence_tick(const sequence_axis *axis, double at)
{
    const sequence_stretch *s = stretch_at(axis, at);
    const double ticks = floor((at - s->cell) * axis->step + 0.5);
    if (ticks <= 0 || s->stop == s->start)
        return s->start;
    if (ticks >= ticks_between(s->start, s->stop))
        return s->stop - 1;
    return (int64_t)((uint64_t)s->start + (uint64_t)ticks);
}

/* ---- spikes ---------------------------------------------------------------------------------- */

static void count_spikes(const spk_events *events, sequence_axis *axis)
{
    for (size_t k = 0; k < axis->n_stretches; k++) {
        const uint64_t end = spk_events_before(events, axis->stretch[k].stop);
        for (uint64_t e = spk_events_before(events, axis->stretch[k].start); e < end; e++)
            axis->first[events->unit[e] + 1]++;
    }
    for (uint32_t u = 0; u < axis->n_units; u++)
        axis->first[u + 1] += axis->first[u];
    axis->n = axis->first[axis->n_units];
}

/* next[u]: where the next spike of the unit goes. */
static void place_spikes(const spk_events *events, sequence_axis *axis, uint64_t *next)
{
    uint64_t n = 0;
    for (uint32_t u = 0; u < axis->n_units; u++)
        next[u] = axis->first[u];
    for (size_t k = 0; k < axis->n_stretches; k++) {
        const sequence_stretch *s = &axis->stretch[k];
        const uint64_t end = spk_events_before(events, s->stop);
        for (uint64_t e = spk_events_before(events, s->start); e < end; e++) {
            const uint64_t to = next[events->unit[e]]++;
            axis->at[to] = s->cell + ticks_between(s->start, events->time[e]) / axis->step;
            axis->event[to] = (uint32_t)e;
            axis->ordered[n] = axis->at[to];
            axis->ordered_unit[n++] = events->unit[e];
        }
    }
}

static void find_rates(sequence_axis *axis)
{
    for (uint32_t u = 0; u < axis->n_units; u++) {
        const uint64_t first = axis->first[u], end = axis->first[u + 1];
        const double mean = (double)(end - first) / axis->observed;
        uint64_t low = first, high = first;
        axis->mean_rate[u] = mean;
        for (uint64_t i = first; i < end; i++) {
            while (axis->at[low] < axis->at[i] - RATE_REACH)
                low++;
            while (high < end && axis->at[high] <= axis->at[i] + RATE_REACH)
                high++;
            axis->rate[i] =
                ((double)(high - low - 1) + rate_weight) / (2 * RATE_REACH + rate_weight / mean);
        }
    }
}

uint64_t spk_sequence_first_spike(const sequence_axis *axis, uint32_t unit, double at)
{
    return spk_first_f64(axis->at, axis->first[unit], axis->first[unit + 1], at);
}

/* ---- all of it ------------------------------------------------------------------------------- */

spk_status spk_sequence_axis_create(spk_context *context, const spk_recording *recording,
                                    double reach_ticks, double step, sequence_axis *out)
{
    const spk_events events = spk_recording_events(recording);
    uint64_t *next = NULL;
    out->step = step;
    out->reach = reach_ticks / step;
    /* Members lie within reach, rates are those of 4 * SEQUENCE_CELLS cells to both sides. */
    out->gap = ceil(out->reach) + 4 * SEQUENCE_CELLS;
    out->n_units = events.n_units;
    spk_status status = lay_out(context, recording, out);
    if (status == SPK_OK)
        status = spk_alloc_columns(
            context, "units", SPK_COLUMN_ZERO(&out->first, (uint64_t)out->n_units + 1),
            SPK_COLUMN(&out->mean_rate, out->n_units), SPK_COLUMN(&next, out->n_units));
    if (status != SPK_OK)
        return status;
    count_spikes(&events, out);
    status = spk_alloc_columns(context, "spikes", SPK_COLUMN(&out->at, out->n),
                               SPK_COLUMN(&out->event, out->n), SPK_COLUMN(&out->rate, out->n),
                               SPK_COLUMN(&out->ordered, out->n),
                               SPK_COLUMN(&out->ordered_unit, out->n));
    if (status == SPK_OK) {
        place_spikes(&events, out, next);
        find_rates(out);
    }
    spk_free(context, next);
    return status;
}

void spk_sequence_axis_free(sequence_axis *axis)
{
    spk_free_all(axis->stretch, axis->first, axis->at, axis->event, axis->rate, axis->mean_rate,
                 axis->ordered, axis->ordered_unit);
}
