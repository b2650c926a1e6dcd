/* What a recording holds, in numbers: rates, gaps, intervals; and what looks wrong about them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/sort.h"
#include "recording/recording.h"
#include "recording/segments.h"
#include "spikemine/describe.h"

/* Neurons do not fire twice within a millisecond: shorter intervals point at the sorting. */
static const spk_duration REFRACTORY = {1, -3};

/* With fewer events rates tell nothing. */
enum { FEW_EVENTS = 10, SOME_EVENTS = 20, ENOUGH_EVENTS = 100 };

static const double DAY_S = 86400;

/* Delays of which more than this tells nothing: see spk_recording_check_span. */
static const double LONG_SPAN_S = 1, SPIKES_OF_SPAN = 2, SHARE_OF_SPAN = 0.1;

/* Jitter of which surrogates keep nothing but rates: see spk_recording_check_jitter. */
static const double LONG_JITTER_S = 10, SHARE_OF_JITTER = 0.25;

/* One or two silences may be anything. */
enum { FEW_SILENCES = 3 };

static uint64_t apart(int64_t earlier, int64_t later)
{
    return (uint64_t)later - (uint64_t)earlier;
}

static double tick_seconds(const spk_recording *recording)
{
    return (double)recording->rate.denominator / (double)recording->rate.numerator;
}

/* A border between two ticks lies before its tick. */
static double before_tick(const spk_recording *recording, spk_border border)
{
    spk_moment moment;
    if (!border.between || !spk_moment_of(border.time, recording->rate, &moment))
        return 0;
    return (double)moment.part / (double)moment.parts * tick_seconds(recording);
}

static double segment_seconds(const spk_recording *recording, size_t k)
{
    spk_exact_segment segment = spk_recording_exact_segment(recording, k);
    double duration =
        (double)apart(segment.start.tick, segment.stop.tick) * tick_seconds(recording);
    duration += before_tick(recording, segment.start);
    duration -= before_tick(recording, segment.stop);
    return duration > 0 ? duration : 0;
}

/* The time that was observed: the lengths of all segments. */
static double duration_seconds(const spk_recording *recording)
{
    size_t n = 0;
    double sum = 0;
    (void)spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++)
        sum += segment_seconds(recording, k);
    return sum;
}

static spk_status describe_trials(spk_context *context, const spk_recording *recording,
                                  spk_recording_description *out)
{
    size_t *number = NULL, n_left = 0;
    out->n_trials = spk_recording_trials(recording);
    spk_status status = spk_alloc(context, &number, out->n_segments, "trials");
    if (status == SPK_OK)
        status = spk_trials_left(context, recording, number, &n_left);
    out->n_trials_left = n_left;
    spk_free(context, number);
    return status;
}

static void describe_segments(const spk_recording *recording, spk_recording_description *out)
{
    size_t n = 0;
    (void)spk_recording_segments(recording, &n);
    out->n_segments = n;
    out->events_in_segments = spk_recording_counted_events(recording);
    for (size_t k = 0; k < n; k++) {
        double length = segment_seconds(recording, k);
        if (k == 0 || length < out->segment_shortest_s)
            out->segment_shortest_s = length;
        if (k == 0 || length > out->segment_longest_s)
            out->segment_longest_s = length;
    }
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Of each unit in all segments, and in all parts. */
static void count_events(const spk_recording *recording, uint64_t *count)
{
    size_t n = 0;
    if (recording->part.joined) { /* which has one segment */
        memcpy(count, recording->part.unit_count, recording->events.n_units * sizeof *count);
        return;
    }
    (void)spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++) {
        spk_event_range range = spk_segment_events(recording, k);
        for (uint64_t i = range.first; i < range.last; i++)
            count[recording->events.unit[i]]++;
    }
}

static spk_status describe_rates(spk_context *context, const spk_recording *recording,
                                 spk_recording_description *out)
{
    const spk_events *events = &recording->events;
    uint32_t n = events->n_units;
    uint64_t *count = NULL;
    out->tick_s = tick_seconds(recording);
    out->duration_s = duration_seconds(recording);
    if (n == 0)
        return SPK_OK;
    spk_status status = spk_alloc_zero(context, &count, n, "the numbers of events by unit");
    if (status != SPK_OK)
        return status;
    count_events(recording, count);
    for (uint32_t u = 0; u < n; u++) {
        out->units_without_events += count[u] == 0;
        out->units_with_few_events += count[u] > 0 && count[u] < FEW_EVENTS;
    }
    qsort(count, n, sizeof *count, spk_compare_uint64);
    if (out->duration_s > 0) {
        out->rate_total_hz = (double)spk_recording_counted_events(recording) / out->duration_s;
        out->rate_unit_min_hz = (double)count[0] / out->duration_s;
        const uint32_t low = (n - 1) / 2, high = n / 2;
        out->rate_unit_median_hz = ((double)count[low] + (double)count[high]) / 2 / out->duration_s;
        out->rate_unit_max_hz = (double)count[n - 1] / out->duration_s;
    }
    free(count);
    return SPK_OK;
}

/* Shares of the intervals within units. Neurons hardly fire twice within a millisecond, and most
 * often twice within a second. Times that are a thousand times too short, or too long, have it the
 * other way round. */
typedef struct interval_shares {
    uint64_t n;
    double within_ms; /* shorter than 1 ms */
    double within_s;  /* shorter than 0.5 s */
} interval_shares;

static const spk_duration HALF_SECOND = {5, -1};
static const double MOST_WITHIN_MS = 0.25, LEAST_WITHIN_S = 0.02;
enum { INTERVALS_OF_A_UNIT = 10000 /* the first ones tell enough */, SOME_UNITS = 3 };

static interval_shares count_intervals(const spk_recording *recording)
{
    const spk_events *e = &recording->events;
    const uint64_t ms = spk_duration_ticks(REFRACTORY, recording->rate);
    const uint64_t half = spk_duration_ticks(HALF_SECOND, recording->rate);
    uint64_t n = 0, within_ms = 0, within_s = 0;
    for (uint32_t u = 0; u < e->n_units; u++) {
        const uint64_t first = e->unit_first[u], end = e->unit_first[u + 1];
        for (uint64_t k = first + 1; k < end && k - first <= INTERVALS_OF_A_UNIT; k++) {
            const uint64_t interval = apart(e->time[e->by_unit[k - 1]], e->time[e->by_unit[k]]);
            n++;
            within_ms += interval < ms;
            within_s += interval < half;
        }
    }
    const double all = n > 0 ? (double)n : 1;
    return (interval_shares){n, (double)within_ms / all, (double)within_s / all};
}

/* Whether the rates cannot be those of neurons, or of most other things. */
static spk_rate_doubt doubt(const spk_recording *recording, const spk_recording_description *d)
{
    uint64_t n = spk_recording_whole_events(recording);
    if (n < 2)
        return SPK_RATES_PLAUSIBLE;
    if (apart(recording->extent.start, recording->extent.stop) <= 1)
        return SPK_RATES_ONE_TIME;
    const interval_shares shares = count_intervals(recording);
    if (n >= SOME_EVENTS && (d->rate_unit_median_hz > 1000 || shares.within_ms > MOST_WITHIN_MS))
        return SPK_RATES_TOO_HIGH;
    const bool never_soon = shares.n >= ENOUGH_EVENTS && shares.within_s < LEAST_WITHIN_S &&
                            recording->events.n_units >= SOME_UNITS; /* one may be a clock */
    const bool all_rare = d->rate_unit_max_hz < (never_soon ? 0.2 : 0.1) &&
                          (never_soon || d->rate_unit_median_hz < 1e-2);
    if (n < ENOUGH_EVENTS)
        return SPK_RATES_PLAUSIBLE;
    if (d->rate_unit_median_hz < 1e-3)
        return SPK_RATES_TOO_LOW;
    if (d->duration_s > DAY_S)
        return SPK_RATES_OF_DAYS;
    return all_rare ? SPK_RATES_TOO_LOW : SPK_RATES_PLAUSIBLE;
}

size_t spk_rate_doubt_format(const spk_recording_description *d, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (d->rate_doubt == SPK_RATES_ONE_TIME)
        return (size_t)snprintf(
            buffer, size, "all events have the same time; is the time column right (--columns)?");
    if (d->rate_doubt == SPK_RATES_OF_DAYS)
        return (size_t)snprintf(buffer, size,
                                "the recording lasts %.3g days; is the unit of time right "
                                "(--time-unit)? Times may be numbers of samples",
                                d->duration_s / DAY_S);
    if (d->rate_doubt == SPK_RATES_TOO_HIGH && !(d->rate_unit_median_hz > 1000))
        return (size_t)snprintf(buffer, size,
                                "more than a quarter of the intervals within units are shorter "
                                "than 1 ms, and the fastest unit fires %.3g times a second; is "
                                "the unit of time right (--time-unit)?",
                                d->rate_unit_max_hz);
    if (d->rate_doubt != SPK_RATES_PLAUSIBLE)
        return (size_t)snprintf(buffer, size,
                                "half of the units fire %s than %.3g times a second; is the unit "
                                "of time right (--time-unit)?",
                                d->rate_doubt == SPK_RATES_TOO_HIGH ? "more" : "less",
                                d->rate_unit_median_hz);
    return 0;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* Gaps that are longer than chance makes them. */
typedef struct silences {
    uint64_t least; /* ticks that one must have */
    uint64_t n;
    uint64_t shortest;
    double sum; /* of ticks */
} silences;

/* Of n gaps of a Poisson process, n exp(-rate * t) are longer than t: t for 0.001 of them. */
static silences silences_begin(const spk_recording_description *d, uint64_t n)
{
    const double ticks = log((double)n / 0.001) / d->rate_total_hz / d->tick_s;
    const bool known = n >= ENOUGH_EVENTS && d->rate_total_hz > 0 && ticks < (double)INT64_MAX;
    return (silences){.least = known ? (uint64_t)ceil(ticks) : UINT64_MAX, .shortest = UINT64_MAX};
}

static void add_silence(silences *s, uint64_t gap)
{
    s->n++;
    s->sum += (double)gap;
    s->shortest = gap < s->shortest ? gap : s->shortest;
}

/* Trials leave pauses of one length, to which the first and last events add what chance makes;
 * populations that fall silent by themselves do so for all kinds of lengths. */
static void describe_silences(const silences *s, uint64_t longest, spk_recording_description *out)
{
    if (s->n < FEW_SILENCES || longest - s->shortest > s->least ||
        s->sum * out->tick_s < 0.01 * out->duration_s)
        return;
    out->n_silences = s->n;
    out->silence_s = s->sum / (double)s->n * out->tick_s;
}

/* Times without an event within a segment. */
static void describe_gaps(const spk_recording *recording, spk_recording_description *out)
{
    const int64_t *time = recording->events.time;
    silences silent = silences_begin(out, out->events_in_segments);
    uint64_t longest = 0;
    int64_t from = 0;
    size_t n = 0;
    (void)spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++) {
        spk_event_range range = spk_segment_events(recording, k);
        for (uint64_t i = range.first + 1; i < range.last; i++) {
            const uint64_t gap = apart(time[i - 1], time[i]);
            if (gap > longest) {
                longest = gap;
                from = time[i - 1];
            }
            if (gap >= silent.least)
                add_silence(&silent, gap);
        }
    }
    out->longest_gap_s = (double)longest * out->tick_s;
    out->longest_gap_from_s = (double)from * out->tick_s;
    describe_silences(&silent, longest, out);
}

/* Adds a unit's events of one segment, entries of by_unit. */
static void describe_entries(const spk_recording *recording, spk_event_range entries,
                             uint64_t *shortest, spk_unit_description *out)
{
    const spk_events *e = &recording->events;
    uint64_t refractory = spk_duration_ticks(REFRACTORY, recording->rate);
    for (uint64_t k = entries.first + 1; k < entries.last; k++) {
        uint64_t interval = apart(e->time[e->by_unit[k - 1]], e->time[e->by_unit[k]]);
        *shortest = interval < *shortest ? interval : *shortest;
        out->intervals_below_1ms += interval < refractory;
    }
    out->n_events += entries.last - entries.first;
}

static void describe_unit(const spk_recording *recording, uint32_t unit, double duration,
                          spk_unit_description *out)
{
    const spk_events *e = &recording->events;
    uint64_t shortest = UINT64_MAX;
    double tick = tick_seconds(recording);
    size_t n = 0;
    *out = (spk_unit_description){.n_events = 0, .shortest_interval_s = -1};
    if (unit >= e->n_units || e->unit_first[unit] == e->unit_first[unit + 1])
        return;
    (void)spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++) {
        spk_event_range entries = spk_unit_events(e, unit, spk_segment_events(recording, k));
        describe_entries(recording, entries, &shortest, out);
    }
    out->rate_hz = duration > 0 ? (double)out->n_events / duration : 0;
    out->first_s = (double)e->time[e->by_unit[e->unit_first[unit]]] * tick;
    out->last_s = (double)e->time[e->by_unit[e->unit_first[unit + 1] - 1]] * tick;
    if (shortest != UINT64_MAX)
        out->shortest_interval_s = (double)shortest * tick;
}

void spk_recording_describe_unit(const spk_recording *recording, uint32_t unit,
                                 spk_unit_description *out)
{
    describe_unit(recording, unit, duration_seconds(recording), out);
}

static void describe_intervals(const spk_recording *recording, spk_recording_description *out)
{
    spk_unit_description unit;
    out->shortest_interval_s = -1;
    for (uint32_t u = 0; u < recording->events.n_units; u++) {
        describe_unit(recording, u, out->duration_s, &unit);
        out->intervals_below_1ms += unit.intervals_below_1ms;
        if (unit.shortest_interval_s < 0 ||
            (out->shortest_interval_s >= 0 && unit.shortest_interval_s >= out->shortest_interval_s))
            continue;
        out->shortest_interval_s = unit.shortest_interval_s;
        out->shortest_interval_unit = u;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

spk_status spk_recording_describe(spk_context *context, const spk_recording *recording,
                                  spk_recording_description *out)
{
    *out = (spk_recording_description){.tick_s = 0};
    spk_status status = describe_rates(context, recording, out);
    out->rate_doubt = doubt(recording, out);
    out->start_s = (double)recording->extent.start * out->tick_s;
    out->stop_s = (double)recording->extent.stop * out->tick_s;
    if (recording->given.has_start)
        out->start_s = spk_duration_seconds(recording->given.start);
    if (recording->given.has_stop)
        out->stop_s = spk_duration_seconds(recording->given.stop);
    spk_recording_find_grid(recording, &out->grid);
    describe_segments(recording, out);
    if (status == SPK_OK)
        status = describe_trials(context, recording, out);
    describe_gaps(recording, out);
    describe_intervals(recording, out);
    return status;
}

spk_status spk_recording_check_times(spk_context *context, const spk_recording *recording,
                                     char *buffer, size_t size)
{
    spk_recording_description d = {.tick_s = 0};
    buffer[0] = '\0';
    if (recording->part.divided && !recording->part.joined)
        return SPK_OK;
    spk_status status = describe_rates(context, recording, &d);
    d.rate_doubt = doubt(recording, &d);
    if (status == SPK_OK)
        (void)spk_rate_doubt_format(&d, buffer, size);
    return status;
}

spk_status spk_recording_check_span(spk_context *context, const spk_recording *recording,
                                    spk_duration lo, spk_duration hi, uint32_t n, char *buffer,
                                    size_t size)
{
    spk_recording_description d = {.tick_s = 0};
    const bool infinite = hi.exponent == SPK_DURATION_INFINITE;
    const double span_s = n * (spk_duration_seconds(hi) - spk_duration_seconds(lo));
    buffer[0] = '\0';
    if (infinite || !(span_s >= LONG_SPAN_S) ||
        spk_recording_counted_events(recording) < ENOUGH_EVENTS)
        return SPK_OK;
    spk_status status = describe_rates(context, recording, &d);
    const double spikes = span_s * d.rate_unit_median_hz;
    if (status != SPK_OK || (spikes < SPIKES_OF_SPAN && span_s < SHARE_OF_SPAN * d.duration_s))
        return status;
    (void)snprintf(buffer, size,
                   "%.4g s is %.*g %% of the recording, and holds %.3g spikes of the median unit: "
                   "nearly every unit follows every other one within it; is its unit right, as in "
                   "5ms?",
                   span_s, span_s < d.duration_s ? 2 : 4, 100 * span_s / d.duration_s, spikes);
    return SPK_OK;
}

size_t spk_recording_check_jitter(const spk_recording *recording, spk_duration jitter, char *buffer,
                                  size_t size)
{
    const double s = spk_duration_seconds(jitter), whole_s = duration_seconds(recording);
    buffer[0] = '\0';
    if (spk_recording_counted_events(recording) < ENOUGH_EVENTS ||
        s < fmin(LONG_JITTER_S, fmax(LONG_SPAN_S, SHARE_OF_JITTER * whole_s)))
        return 0;
    return (size_t)snprintf(buffer, size,
                            "%.4g s, and the recording lasts %.4g s: where spikes move so far, "
                            "units whose rates change together look like sequences; is its unit "
                            "right, as in 25ms?",
                            s, whole_s);
}

spk_status spk_recording_tell_rates(spk_context *context, const spk_recording *recording,
                                    const char *name)
{
    char text[300];
    spk_status status = spk_recording_check_times(context, recording, text, sizeof text);
    if (status == SPK_OK && text[0] != '\0')
        spk_note(context, "%s: %s", name, text);
    return status;
}
