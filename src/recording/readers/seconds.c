/* Seconds in floating point: their clock, their bounds, and the recording. */
#include "recording/readers/seconds.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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
    spk_status status = with_name(context, seconds->name,
                                  spk_clock_find(context, seconds->time, seconds->n, hints, clock));
    if (status == SPK_OK)
        spk_clock_tell(context, seconds->name, clock);
    return status;
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
    if (status == SPK_OK)
        (*out)->facts.sorted = s->in_order;
    return status;
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
