/* Which events of arrays are read: all, those of a range of time, or a part of them. */
#include <math.h>

#include "base/bisect.h"
#include "base/fraction.h"
#include "recording/readers/events.h"
#include "recording/recording.h"

/* ---- bisection ------------------------------------------------------------------------------- */

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
static spk_status bisect(spk_event_work *work, const bisection *bound, uint64_t n, uint64_t *out)
{
    spk_bisect s = {0, n};
    while (spk_bisect_next(&s)) {
        int64_t tick = 0;
        double seconds = 0;
        spk_status status = time_at(work, s.middle, &tick, &seconds);
        if (status != SPK_OK)
            return status;
        spk_bisect_told(&s, bound->by_tick ? tick < bound->tick : seconds < bound->seconds);
    }
    *out = s.low;
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

/* ---- a range of time ------------------------------------------------------------------------- */

void spk_events_take_all(spk_event_work *work)
{
    work->narrow = false;
    work->part = false;
    work->first = 0;
    work->n = work->times->n;
}

static spk_status find_bounds(spk_event_work *work)
{
    const spk_read_options *o = work->options;
    bool sorted = false;
    uint64_t from = 0, to = work->times->n;
    spk_status status = looks_sorted(work, &sorted);
    if (status == SPK_OK && sorted && work->has_start) {
        bisection bound = bound_of(work, *o->start, -1);
        status = bisect(work, &bound, work->times->n, &from);
    }
    if (status == SPK_OK && sorted && work->has_stop) {
        bisection bound = bound_of(work, *o->stop, 1);
        status = bisect(work, &bound, work->times->n, &to);
    }
    if (status != SPK_OK || !sorted)
        return status;
    /* The times beside the range say where a recording begins or ends whose bound is not given. */
    work->first = from < to ? from : to;
    work->n = to - work->first;
    work->narrow = work->n < work->times->n;
    return SPK_OK;
}

/* ---- a part ---------------------------------------------------------------------------------- */

/* Whole numbers in one segment. */
static bool can_part(const spk_event_work *work)
{
    const spk_spikes *s = work->spikes;
    return spk_part_is_wanted(work->options) && !work->real && s->n_segments == 0 &&
           s->n_exact == 0;
}

/* The first event of the stretch of part k. Events at one time belong together. */
static spk_status find_border(spk_event_work *work, int k, uint64_t *out)
{
    const uint64_t n = work->times->n;
    const int n_parts = work->options->part->n;
    int64_t before = 0, at = 0;
    double seconds;
    *out = (uint64_t)((unsigned __int128)n * (unsigned)k / (unsigned)n_parts);
    if (*out == 0 || *out == n)
        return SPK_OK;
    spk_status status = time_at(work, *out - 1, &before, &seconds);
    if (status == SPK_OK)
        status = time_at(work, *out, &at, &seconds);
    if (status != SPK_OK || at != before)
        return status;
    /* Events at INT64_MAX are not read, whoever has them. */
    bisection behind = {.by_tick = true, .tick = at + (at < INT64_MAX)};
    return bisect(work, &behind, n, out);
}

/* The first event that lies at most the part's reach before its own first one. */
static spk_status find_margin(spk_event_work *work, uint64_t own, uint64_t *out)
{
    const uint64_t reach = spk_part_reach(work->options->part, work->rate);
    bisection bound = {.by_tick = true, .tick = INT64_MIN};
    double seconds;
    spk_status status = time_at(work, own, &work->own, &seconds);
    if (status == SPK_OK && reach < (uint64_t)work->own - (uint64_t)INT64_MIN)
        bound.tick = (int64_t)((uint64_t)work->own - reach);
    return status == SPK_OK ? bisect(work, &bound, own, out) : status;
}

/* Whether times are in order is known when all were read: till then a border may lie anywhere. */
static spk_status find_part(spk_event_work *work)
{
    const int number = work->options->part->number;
    uint64_t own = 0, end = 0, first = 0;
    bool sorted = false;
    spk_status status = looks_sorted(work, &sorted);
    if (status == SPK_OK && sorted)
        status = find_border(work, number, &own);
    if (status == SPK_OK && sorted)
        status = find_border(work, number + 1, &end);
    if (status == SPK_OK && own < end)
        status = find_margin(work, own, &first);
    if (status != SPK_OK || !sorted)
        return status;
    work->first = first;
    work->n = own < end ? end - first : 0;
    work->part = true;
    return SPK_OK;
}

bool spk_events_part_is_good(const spk_event_work *work)
{
    const spk_spikes *s = work->spikes;
    return !work->disorder &&
           (s->start == NULL || work->times->n == 0 || work->least >= *s->start) &&
           (s->stop == NULL || work->times->n == 0 || work->most < *s->stop);
}

uint64_t spk_events_in_part(const spk_event_work *work)
{
    const bool lone = work->part && work->kept > 0 && work->time[work->kept - 1] < work->own;
    return lone ? 0 : work->kept;
}

/* ---- the choice ------------------------------------------------------------------------------ */

spk_status spk_events_find_range(spk_event_work *work)
{
    spk_events_take_all(work);
    if (work->has_start || work->has_stop)
        return find_bounds(work);
    spk_status status = can_part(work) ? find_part(work) : SPK_OK;
    /* A time that no tick holds: reading all tells which is the first one. */
    return status == SPK_ERR_RANGE ? SPK_OK : status;
}
