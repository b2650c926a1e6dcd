/*
 * Two passes: the column of units becomes numbers, then times are appended of the units that are
 * wanted. What is not kept costs 4 bytes an event. Floating point stays where it is until the clock
 * is found, which looks at all times that are kept.
 */
#include "recording/readers/spikes.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/stage.h"
#include "recording/clock.h"
#include "recording/describe.h"
#include "recording/readers/events.h"

/* ---- what times mean ------------------------------------------------------------------------- */

static spk_status fail_meaning(spk_context *context, const spk_spikes *spikes, const char *what)
{
    char type[32];
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: times are %s, %s; pass --time-unit samples@RATE, for example "
                    "samples@30000, or s, ms or us",
                    spikes->name, spk_npy_type_name(&spikes->times.type, type), what);
}

static spk_rate given_rate(const spk_read_options *options)
{
    return options->sample_rate.denominator != 0 ? options->sample_rate
                                                 : (spk_rate){options->samples_per_second, 1};
}

/* The rate of whole numbers, the divisor of floating point. */
static spk_status find_meaning(spk_context *context, const spk_spikes *spikes,
                               const spk_read_options *options, spk_event_work *work)
{
    static const uint64_t parts[] = {1, 1000, 1000000};
    static_assert(sizeof parts / sizeof parts[0] == SPK_TIME_SAMPLES, "one for every decimal unit");
    work->real = spikes->times.type.kind == 'f';
    if (options->time_unit != SPK_TIME_GUESS &&
        (spikes->ticks || (spikes->in_seconds && options->time_unit != SPK_TIME_SECONDS)))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: the file says what its times are; leave --time-unit out",
                        spikes->name);
    if (spikes->ticks && work->real)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: its ticks are no whole numbers; save the recording again",
                        spikes->name);
    work->time_unit = options->time_unit;
    if (work->time_unit == SPK_TIME_GUESS) {
        bool samples = spikes->samples || spikes->rate.numerator > 0;
        if (!work->real && !samples && !spikes->in_seconds)
            return fail_meaning(context, spikes, "and nothing says of what");
        if (samples && spikes->rate.numerator == 0)
            return fail_meaning(context, spikes, "samples, and nothing says how many are a second");
        work->time_unit = samples ? SPK_TIME_SAMPLES : SPK_TIME_SECONDS;
        work->rate = spikes->rate;
    } else if (work->time_unit == SPK_TIME_SAMPLES) {
        work->rate = given_rate(options);
        if (spikes->rate.numerator > 0 &&
            (unsigned __int128)spikes->rate.numerator * work->rate.denominator !=
                (unsigned __int128)work->rate.numerator * spikes->rate.denominator)
            spk_note(context, "%s: samples are those of --time-unit; the files say another rate",
                     spikes->name);
    }
    if (work->time_unit != SPK_TIME_SAMPLES) {
        work->rate = (spk_rate){parts[work->time_unit], 1};
        work->divisor = (double)parts[work->time_unit];
    }
    return SPK_OK;
}

/* ---- a range by bisection -------------------------------------------------------------------- */

/* Time i as the bisection sees it: ticks, or seconds. */
static spk_status time_at(spk_event_work *work, uint64_t i, int64_t *tick, double *seconds)
{
    if (work->real && work->time_unit != SPK_TIME_SAMPLES) {
        spk_status status = spk_values_real(work->context, work->times, i, 1, seconds);
        *seconds /= work->divisor;
        return status;
    }
    if (work->real) {
        const double most = (double)(INT64_C(1) << 62);
        spk_status status = spk_values_real(work->context, work->times, i, 1, seconds);
        *tick = *seconds > -most && *seconds < most ? (int64_t)*seconds : INT64_MAX;
        return status;
    }
    return spk_values_whole(work->context, work->times, i, 1, tick);
}

typedef struct bisection {
    bool by_tick;
    int64_t tick;
    double seconds;
} bisection;

/* The first of n times that is not below the bound. */
static spk_status bisect(spk_event_work *work, const bisection *bound, uint64_t *out)
{
    uint64_t low = 0, high = work->times->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int64_t tick = 0;
        double seconds = 0;
        spk_status status = time_at(work, middle, &tick, &seconds);
        if (status != SPK_OK)
            return status;
        if (bound->by_tick ? tick < bound->tick : seconds < bound->seconds)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return SPK_OK;
}

/* Whether times from all over the array are in order. */
static spk_status looks_sorted(spk_event_work *work, bool *out)
{
    enum { PROBES = 256 };
    const uint64_t n = work->times->n;
    int64_t tick = 0, last_tick = INT64_MIN;
    double seconds = 0, last = -HUGE_VAL;
    *out = true;
    for (uint64_t k = 0; k < PROBES && n > 0 && *out; k++) {
        uint64_t i = (uint64_t)((unsigned __int128)(n - 1) * k / (PROBES - 1));
        spk_status status = time_at(work, i, &tick, &seconds);
        if (status != SPK_OK)
            return status;
        *out = tick >= last_tick && seconds >= last;
        last_tick = tick;
        last = seconds;
    }
    return SPK_OK;
}

/* A bound a little wider than the time, as its rounding is not known yet. */
static bisection bound_of(const spk_event_work *work, spk_duration time, double side)
{
    double seconds = spk_duration_seconds(time);
    return (bisection){.by_tick = !work->real || work->time_unit == SPK_TIME_SAMPLES,
                       .tick = spk_duration_first_tick(time, work->rate),
                       .seconds = seconds + side * (1e-6 + 1e-6 * fabs(seconds))};
}

static spk_status find_range(spk_event_work *work)
{
    const spk_read_options *o = work->options;
    bool sorted = false;
    uint64_t from = 0, to = work->times->n;
    work->first = 0;
    work->n = to;
    if (!work->has_start && !work->has_stop)
        return SPK_OK;
    spk_status status = looks_sorted(work, &sorted);
    if (status == SPK_OK && sorted && work->has_start) {
        bisection bound = bound_of(work, *o->start, -1);
        status = bisect(work, &bound, &from);
    }
    if (status == SPK_OK && sorted && work->has_stop) {
        bisection bound = bound_of(work, *o->stop, 1);
        status = bisect(work, &bound, &to);
    }
    if (status != SPK_OK || !sorted)
        return status;
    /* The times beside the range say where a recording begins or ends whose bound is not given. */
    work->first = from < to ? from : to;
    work->n = to - work->first;
    work->narrow = work->n < work->times->n;
    return SPK_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static spk_status check_columns(spk_context *context, const spk_spikes *spikes)
{
    char type[32];
    if (spikes->times.n != spikes->units.n)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: %" PRIu64 " times and %" PRIu64
                        " units; each event needs one of both, are these files of one recording?",
                        spikes->name, spikes->times.n, spikes->units.n);
    if (!spk_values_are_whole(&spikes->times) && spikes->times.type.kind != 'f')
        return spk_fail(context, SPK_ERR_FORMAT, "%s: times are %s; give an array of numbers",
                        spikes->name, spk_npy_type_name(&spikes->times.type, type));
    if (spikes->times.n > SPK_MAX_EVENTS)
        return spk_fail(context, SPK_ERR_RANGE, "%s: more than %u events; cut the file by time",
                        spikes->name, SPK_MAX_EVENTS);
    return SPK_OK;
}

/* Reads units and times of the range; *again: it was taken for sorted and is not. */
static spk_status read_range(spk_event_work *work, bool *again)
{
    *again = false;
    spk_status status = spk_events_read_units(work);
    if (status == SPK_OK)
        status = spk_events_choose(work);
    if (status == SPK_OK)
        status = spk_events_read_times(work);
    if (status == SPK_OK && work->narrow && work->disorder) {
        *again = true;
        work->narrow = false;
        work->first = 0;
        work->n = work->times->n;
    }
    return status;
}

spk_status spk_spikes_read(spk_context *context, const spk_spikes *spikes,
                           const spk_read_options *options, spk_recording **out)
{
    bool again = true;
    spk_event_work *work = NULL;
    spk_stage stage = spk_stage_open(context);
    *out = NULL;
    spk_status status = check_columns(context, spikes);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &work, 1, "reading arrays");
    if (status != SPK_OK)
        goto done;
    *work = (spk_event_work){.context = context,
                             .spikes = spikes,
                             .options = options,
                             .times = &spikes->times,
                             .divisor = 1,
                             .has_start = options->start != NULL,
                             .has_stop = options->stop != NULL &&
                                         options->stop->exponent != SPK_DURATION_INFINITE};
    status = find_meaning(context, spikes, options, work);
    if (status == SPK_OK)
        status = find_range(work);
    while (status == SPK_OK && again)
        status = read_range(work, &again);
    if (status == SPK_OK)
        status = spk_events_finish(work, out);
done:
    spk_events_clear(work);
    free(work);
    spk_stage_close(context, &stage);
    if (status == SPK_OK)
        status = spk_recording_tell_rates(context, *out, spikes->name);
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    return status;
}
