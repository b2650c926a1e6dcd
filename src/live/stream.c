/* The stream: units, sinks, borders. What happens to a spike is in push.c. */
#include "live/stream.h"

#include <string.h>

#include "base/memory.h"
#include "base/options.h"

SPK_OPTIONS_INIT(spk_live_stream_options, .max_units = SPK_MAX_UNITS,
                 .max_held = UINT64_C(1) << 22);

/* ---- life ------------------------------------------------------------------------------------ */

static spk_status check_options(spk_context *context, const spk_live_stream_options *options)
{
    if (options->rate.numerator == 0 || options->rate.denominator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the stream has no rate; give its ticks per second");
    if (options->tolerance.digits < 0 || options->tolerance.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the tolerance must be 0 or more and finite, for example 2ms");
    if (options->max_units < 1 || options->max_units > SPK_MAX_UNITS)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a stream takes 1 to %u units, not %u",
                        SPK_MAX_UNITS, options->max_units);
    if (options->max_held < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a stream that may hold no spike back; allow 1 at least");
    return SPK_OK;
}

spk_status spk_live_stream_create(spk_context *context, const spk_live_stream_options *options,
                                  spk_live_stream **out)
{
    spk_live_stream_options own;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_live_stream_options);
    if (status == SPK_OK)
        status = check_options(context, &own);
    if (status != SPK_OK)
        return status;
    spk_live_stream *stream = NULL;
    status = spk_alloc_zero(context, &stream, 1, "a stream");
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "a stream", SPK_COLUMN(&stream->out_time, LIVE_BATCH),
                                   SPK_COLUMN(&stream->out_unit, LIVE_BATCH),
                                   SPK_COLUMN(&stream->out_arrival, LIVE_BATCH));
    if (status != SPK_OK) {
        spk_live_stream_free(stream);
        return status;
    }
    stream->options = own;
    stream->tolerance = spk_duration_ticks(own.tolerance, own.rate);
    *out = stream;
    return SPK_OK;
}

void spk_live_stream_free(spk_live_stream *stream)
{
    if (stream == NULL)
        return;
    spk_labels_clear(&stream->labels);
    spk_holding_release(&stream->holding);
    live_order_clear(&stream->order);
    spk_free_all(stream->last, stream->sink, stream->out_time, stream->out_unit,
                 stream->out_arrival, stream);
}

spk_rate spk_live_stream_rate(const spk_live_stream *stream)
{
    return stream->options.rate;
}

/* ---- units ----------------------------------------------------------------------------------- */

spk_status spk_live_stream_unit(spk_context *context, spk_live_stream *stream, const char *label,
                                uint32_t *unit)
{
    size_t length = strlen(label);
    if (spk_labels_find(&stream->labels, label, length, unit))
        return SPK_OK;
    uint32_t n = stream->labels.n;
    if (n >= stream->options.max_units)
        return spk_fail(context, SPK_ERR_RANGE,
                        "unit '%.60s' is one more than the %u that the stream takes; choose the "
                        "units, or allow more",
                        label, stream->options.max_units);
    const spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_grow(context, &stream->last, &stream->last_capacity, (uint64_t)n + 1, "units");
    if (status == SPK_OK)
        status = spk_labels_intern(context, &stream->labels, label, length, unit);
    spk_stage_keep(context, &stage, &stream->holding);
    if (status == SPK_OK)
        stream->last[n] = (live_last){.segment = 0};
    return status;
}

const char *spk_live_stream_label(const spk_live_stream *stream, uint32_t unit)
{
    return unit < stream->labels.n ? spk_labels_text(&stream->labels, unit) : NULL;
}

uint32_t spk_live_stream_n_units(const spk_live_stream *stream)
{
    return stream->labels.n;
}

/* ---- sinks ----------------------------------------------------------------------------------- */

spk_status spk_live_stream_add_sink(spk_context *context, spk_live_stream *stream,
                                    spk_live_batch_sink *sink, void *user)
{
    spk_status status =
        spk_grow(context, &stream->sink, &stream->sink_capacity, stream->n_sinks + 1, "sinks");
    if (status == SPK_OK)
        stream->sink[stream->n_sinks++] = (live_sink){sink, user};
    return status;
}

void spk_live_stream_remove_sink(spk_live_stream *stream, spk_live_batch_sink *sink, void *user)
{
    size_t n = 0;
    for (size_t k = 0; k < stream->n_sinks; k++)
        if (stream->sink[k].sink != sink || stream->sink[k].user != user)
            stream->sink[n++] = stream->sink[k];
    stream->n_sinks = n;
}

void spk_live_stream_set_late_sink(spk_live_stream *stream, spk_live_late_sink *sink, void *user)
{
    stream->late_sink = sink;
    stream->late_user = user;
}

/* ---- counters -------------------------------------------------------------------------------- */

void spk_live_stream_lost(spk_live_stream *stream, uint64_t n)
{
    stream->counts.lost += n;
}

spk_live_counts spk_live_stream_counts(const spk_live_stream *stream)
{
    spk_live_counts counts = stream->counts;
    counts.held = live_order_n(&stream->order);
    return counts;
}
