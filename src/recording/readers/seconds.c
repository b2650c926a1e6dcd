/* Seconds in floating point: their clock, their bounds, and the recording. */
#include "recording/readers/seconds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "recording/grid.h"

void spk_seconds_free(spk_seconds *seconds)
{
    free(seconds->time);
    free(seconds->unit);
    seconds->time = NULL;
    seconds->unit = NULL;
}

/* Puts the file's name before the message of a failure. */
static spk_status with_name(spk_context *context, const char *name, spk_status status)
{
    char text[400];
    if (status == SPK_OK || status == SPK_ERR_MEMORY || status == SPK_ERR_CANCELLED)
        return status;
    snprintf(text, sizeof text, "%s", spk_context_message(context));
    return spk_fail(context, status, "%s: %s", name, text);
}

spk_status spk_seconds_find_clock(spk_context *context, const spk_seconds *seconds,
                                  const spk_clock_hints *hints, spk_clock *clock)
{
    return with_name(context, seconds->name,
                     spk_clock_find(context, seconds->time, seconds->n, hints, clock));
}

/* ---- the recording --------------------------------------------------------------------------- */

/* The options' bounds in ticks, where they are given; else those of all events. */
typedef struct tick_bounds {
    int64_t start;
    int64_t stop;
    bool has_start;
    bool has_stop;
} tick_bounds;

static tick_bounds find_bounds(const spk_seconds *s, spk_rate rate)
{
    const spk_read_options *o = s->options;
    tick_bounds b = {.has_start = o->start != NULL,
                     .has_stop = o->stop != NULL && o->stop->exponent != SPK_DURATION_INFINITE};
    const int64_t *time = (const int64_t *)(const void *)s->time;
    int64_t last = 0;
    if (s->has_ends && spk_clock_tick(s->first, rate, &b.start) &&
        spk_clock_tick(s->last, rate, &last))
        b.stop = last + 1;
    for (uint64_t i = 0; i < s->n; i++) { /* unordered ones may lie outside */
        b.start = time[i] < b.start ? time[i] : b.start;
        b.stop = time[i] >= b.stop ? time[i] + 1 : b.stop;
    }
    if (o->start != NULL)
        b.start = spk_duration_first_tick(*o->start, rate);
    if (b.has_stop && o->stop != NULL)
        b.stop = spk_duration_first_tick(*o->stop, rate);
    if (b.start > b.stop) { /* only one was given, beyond all events */
        b.stop = b.has_start ? b.start : b.stop;
        b.start = b.has_start ? b.start : b.stop;
    }
    return b;
}

/* Keeps the events within the bounds that were given; returns how many. */
static uint64_t keep_events(spk_seconds *s, const tick_bounds *b)
{
    int64_t *time = (int64_t *)(void *)s->time;
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if ((b->has_start && time[i] < b->start) || (b->has_stop && time[i] >= b->stop))
            continue;
        time[n] = time[i];
        s->unit[n++] = s->unit[i];
    }
    return n;
}

spk_status spk_seconds_finish(spk_context *context, spk_seconds *s, const spk_clock *clock,
                              const spk_time_range *segments, size_t n, spk_recording **out)
{
    *out = NULL;
    spk_status status =
        with_name(context, s->name, spk_clock_ticks(context, clock->rate, s->time, s->n));
    if (status != SPK_OK)
        return status;
    tick_bounds b = find_bounds(s, clock->rate);
    spk_recording_parts parts = {.rate = clock->rate,
                                 .n_units = s->n_units,
                                 .labels = s->labels,
                                 .start = &b.start,
                                 .stop = &b.stop,
                                 .n_segments = n,
                                 .segments = segments,
                                 .time_unit = SPK_TIME_SECONDS};
    parts.given = (spk_recording_bounds){.has_start = b.has_start,
                                         .has_stop = b.has_stop,
                                         .open_stop = !b.has_stop,
                                         .start_of_events = !b.has_start,
                                         .stop_of_events = !b.has_stop};
    if (b.has_start)
        parts.given.start = *s->options->start;
    if (b.has_stop)
        parts.given.stop = *s->options->stop;
    parts.n_events = keep_events(s, &b);
    parts.facts.outside = s->n - parts.n_events + s->n_unread;
    memcpy(parts.facts.sha256, s->sha256, sizeof s->sha256);
    spk_clock_facts(clock, &parts.facts);
    parts.time = (int64_t *)(void *)s->time;
    parts.unit = s->unit;
    s->time = NULL;
    s->unit = NULL;
    status = with_name(context, s->name, spk_recording_assemble(context, &parts, out));
    if (status == SPK_OK)
        status = spk_recording_settle(context, s->name, NULL, out);
    if (status != SPK_OK)
        return status;
    (*out)->facts.sorted = s->in_order;
    spk_clock_tell(context, s->name, clock, &(*out)->facts);
    return SPK_OK;
}

/* ---- borders --------------------------------------------------------------------------------- */

/* The shortest decimal that gives the number again. */
static spk_status shortest(spk_context *context, double value, spk_duration *out)
{
    char text[48];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (char *at = text; *at != '\0'; at++) /* other locales have other points */
        if (*at == ',')
            *at = '.';
    size_t n = strlen(text);
    text[n++] = 's';
    return spk_duration_parse(context, text, n, out);
}

spk_status spk_seconds_exact(spk_context *context, const double *times, size_t n, spk_rate rate,
                             const spk_clock_hints *hints, spk_duration *out)
{
    double *finite = NULL;
    spk_rate *rates = NULL;
    spk_clock clock;
    size_t n_finite = 0, n_hints = hints != NULL ? hints->n : 0;
    spk_status status = spk_alloc_columns(context, "borders", SPK_COLUMN(&finite, n),
                                          SPK_COLUMN(&rates, n_hints + 1));
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < n; k++)
        if (!isinf(times[k]))
            finite[n_finite++] = times[k];
    bool preferred = rate.numerator > 0;
    rates[0] = rate;
    for (size_t k = 0; k < n_hints; k++)
        rates[k + preferred] = hints->rate[k];
    status = spk_clock_find(context, finite, n_finite,
                            &(spk_clock_hints){.rate = rates,
                                               .n = n_hints + preferred,
                                               .declared = preferred,
                                               .single = hints != NULL && hints->single},
                            &clock);
    for (size_t k = 0; k < n && status == SPK_OK; k++) {
        int64_t tick = 0;
        if (isinf(times[k]))
            out[k] = (spk_duration){.exponent = SPK_DURATION_INFINITE};
        else if (clock.found == SPK_CLOCK_NANOSECOND ||
                 !spk_clock_tick(times[k], clock.rate, &tick) ||
                 !spk_duration_of_tick(tick, clock.rate, &out[k]))
            status = shortest(context, times[k], &out[k]);
    }
    free(finite);
    free(rates);
    return status;
}

/* ---- recordings from seconds ----------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_seconds_source, .n_events = 0);

static spk_status check_rate(spk_context *context, spk_rate rate)
{
    if ((rate.numerator == 0) == (rate.denominator == 0))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "a rate of %" PRIu64 "/%" PRIu64 " a second; give one above 0, or 0/0 where it "
                    "is unknown",
                    rate.numerator, rate.denominator);
}

/* What columns of ticks are checked for, too. */
static spk_status check_source(spk_context *context, const spk_seconds_source *source)
{
    static const int64_t some_time = 0;
    const spk_recording_source columns = {.n_events = source->n_events,
                                          .time = source->time != NULL ? &some_time : NULL,
                                          .unit = source->unit,
                                          .n_units = source->n_units,
                                          .labels = source->labels,
                                          .rate = {1, 1}};
    spk_status status = spk_recording_check_source(context, &columns);
    if (status == SPK_OK)
        status = check_rate(context, source->rate);
    if (status == SPK_OK && source->start != NULL && source->stop != NULL &&
        spk_duration_compare(*source->start, *source->stop) >= 0)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "start does not lie before stop; give them in this order");
    for (uint64_t i = 0; i < source->n_events && status == SPK_OK; i++)
        if (source->unit[i] >= source->n_units)
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "event %" PRIu64 " is of unit %" PRIu32 ", but there are %" PRIu32
                              " units, from 0",
                              i, source->unit[i], source->n_units);
    return status;
}

/* The first and the last time. NaN gets through; the clock finds it. */
static void find_ends(spk_seconds *s)
{
    s->has_ends = s->n > 0;
    s->in_order = true;
    if (s->n == 0)
        return;
    s->first = s->last = s->time[0];
    for (uint64_t i = 1; i < s->n; i++) {
        s->first = s->time[i] < s->first ? s->time[i] : s->first;
        s->last = s->time[i] > s->last ? s->time[i] : s->last;
        s->in_order = s->in_order && s->time[i - 1] <= s->time[i];
    }
}

static spk_status make(spk_context *context, const spk_seconds_source *source, spk_recording **out)
{
    const bool declared = source->rate.numerator > 0;
    const spk_clock_hints hints = {.rate = &source->rate,
                                   .n = declared ? 1 : 0,
                                   .declared = declared,
                                   .single = source->single};
    spk_read_options bounds;
    spk_read_options_init(&bounds, sizeof bounds);
    bounds.start = source->start;
    bounds.stop = source->stop;
    spk_seconds s = {.name = "times",
                     .options = &bounds,
                     .n = source->n_events,
                     .n_units = source->n_units,
                     .labels = source->labels};
    spk_clock clock;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_columns(context, "event times", SPK_COLUMN(&s.time, s.n),
                                          SPK_COLUMN(&s.unit, s.n));
    if (status == SPK_OK && s.n > 0) {
        memcpy(s.time, source->time, (size_t)s.n * sizeof *s.time);
        memcpy(s.unit, source->unit, (size_t)s.n * sizeof *s.unit);
        find_ends(&s);
    }
    if (status == SPK_OK)
        status = spk_seconds_find_clock(context, &s, &hints, &clock);
    if (status == SPK_OK)
        status = spk_seconds_finish(context, &s, &clock, source->segments, source->n_segments, out);
    spk_seconds_free(&s);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_recording_create_from_seconds(spk_context *context, const spk_seconds_source *given,
                                             spk_recording **out)
{
    spk_seconds_source source;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &source, spk_seconds_source);
    if (status == SPK_OK)
        status = check_source(context, &source);
    return status == SPK_OK ? make(context, &source, out) : status;
}
