/* Recordings from the caller's columns of floating point seconds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "recording/readers/seconds.h"

void spk_seconds_source_init(spk_seconds_source *source, size_t struct_size)
{
    static const spk_seconds_source defaults = {.n_events = 0};
    spk_options_init(source, struct_size, &defaults, sizeof defaults);
}

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
