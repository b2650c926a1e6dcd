/*
 * What happens to spikes: bounds of the segment, order, duplicates, batches for the sinks.
 *
 * The frontier is the time up to which everything was handed on. A spike before it is late; one on
 * it still finds its place, since spikes of one time come in any order. It follows the newest spike
 * by the tolerance.
 */
#include <inttypes.h>

#include "live/stream.h"

/* ---- batches --------------------------------------------------------------------------------- */

/* Hands on what is in order. */
static spk_status deliver(spk_live_stream *stream, bool ends_segment, bool ends)
{
    bool begins = stream->begun && !stream->told_begin;
    spk_status status = SPK_OK;
    if (stream->n_out == 0 && !begins && !ends_segment)
        return SPK_OK;
    const spk_live_batch batch = {.n = stream->n_out,
                                  .time = stream->out_time,
                                  .unit = stream->out_unit,
                                  .arrival_ns = stream->out_arrival,
                                  .segment = stream->segment,
                                  .begins_segment = begins,
                                  .has_start = stream->has_start && !stream->resumed,
                                  .has_stop = stream->has_stop,
                                  .start = stream->start,
                                  .stop = stream->stop,
                                  .ends_segment = ends_segment,
                                  .ends = ends,
                                  .trial = stream->n_trials > 0 ? stream->trial : stream->segment,
                                  .n_trials = stream->n_trials};
    stream->told_begin = true;
    stream->n_out = 0;
    for (size_t k = 0; k < stream->n_sinks && status == SPK_OK; k++)
        status = stream->sink[k].sink(stream->sink[k].user, &batch);
    return status;
}

/* A spike that no older one follows. */
static spk_status hand_on(spk_live_stream *stream, const live_spike *spike)
{
    live_last *last = &stream->last[spike->unit];
    if (last->time == spike->time && last->segment == stream->segment + 1) {
        stream->counts.duplicates++;
        return SPK_OK;
    }
    *last = (live_last){spike->time, stream->segment + 1};
    uint64_t n = stream->n_out;
    stream->out_time[n] = spike->time;
    stream->out_unit[n] = spike->unit;
    stream->out_arrival[n] = spike->arrival_ns;
    stream->n_out = n + 1;
    stream->counts.accepted++;
    return n + 1 < LIVE_BATCH ? SPK_OK : deliver(stream, false, false);
}

/* ---- order ----------------------------------------------------------------------------------- */

static spk_status hand_on_oldest(spk_live_stream *stream)
{
    live_spike spike = live_order_take(&stream->order);
    if (spike.time > stream->frontier) /* before its time, when too many are held */
        stream->frontier = spike.time;
    return hand_on(stream, &spike);
}

/* Hands on all spikes up to the frontier. */
static spk_status release(spk_live_stream *stream)
{
    spk_status status = SPK_OK;
    while (status == SPK_OK && live_order_n(&stream->order) > 0 &&
           live_order_oldest(&stream->order) <= stream->frontier)
        status = hand_on_oldest(stream);
    while (status == SPK_OK && live_order_n(&stream->order) > stream->options.max_held)
        status = hand_on_oldest(stream);
    return status;
}

static spk_status release_all(spk_live_stream *stream)
{
    if (stream->has_newest)
        stream->frontier = stream->counts.newest;
    return release(stream);
}

static void advance_newest(spk_live_stream *stream, int64_t time)
{
    stream->counts.newest = time;
    stream->has_newest = true;
    int64_t frontier = INT64_MIN;
    if ((uint64_t)time - (uint64_t)INT64_MIN > stream->tolerance)
        frontier = (int64_t)((uint64_t)time - stream->tolerance);
    if (frontier > stream->frontier)
        stream->frontier = frontier;
}

static spk_status take_late(spk_live_stream *stream, const live_spike *spike)
{
    stream->counts.late++;
    return stream->late_sink != NULL
               ? stream->late_sink(stream->late_user, spike->time, spike->unit)
               : SPK_OK;
}

static spk_status take_spike(spk_live_stream *stream, const live_spike *spike)
{
    spk_status status;
    stream->counts.received++;
    if (spike->time < stream->first_tick || spike->time >= stream->stop_tick) {
        stream->counts.outside++;
        return SPK_OK;
    }
    if (spike->time < stream->frontier)
        return take_late(stream, spike);
    if (stream->has_newest && spike->time < stream->counts.newest) {
        stream->counts.out_of_order++;
        status = live_order_insert(stream->context, &stream->order, *spike);
    } else {
        advance_newest(stream, spike->time);
        if (spike->time == stream->frontier && live_order_n(&stream->order) == 0)
            return hand_on(stream, spike);
        status = live_order_append(stream->context, &stream->order, *spike);
    }
    return status == SPK_OK ? release(stream) : status;
}

/* ---- segments -------------------------------------------------------------------------------- */

static void begin_segment(spk_live_stream *stream, const spk_duration *start,
                          const spk_duration *stop)
{
    stream->segment += stream->begun;
    stream->begun = true;
    stream->told_begin = stream->resumed = false;
    stream->counts.segments++;
    stream->counts.newest = 0;
    stream->has_newest = false;
    stream->has_start = start != NULL;
    stream->has_stop = stop != NULL;
    stream->start = start != NULL ? *start : (spk_duration){.digits = 0};
    stream->stop = stop != NULL ? *stop : (spk_duration){.digits = 0};
    stream->first_tick =
        start != NULL ? spk_duration_first_tick(*start, stream->options.rate) : INT64_MIN;
    stream->stop_tick =
        stop != NULL ? spk_duration_first_tick(*stop, stream->options.rate) : INT64_MAX;
    stream->frontier = INT64_MIN;
}

static spk_status fail_ended(spk_context *context)
{
    return spk_fail(context, SPK_ERR_ARGUMENT, "the stream has ended; make another one");
}

static spk_status check_bounds(spk_context *context, const spk_duration *start,
                               const spk_duration *stop)
{
    if (start != NULL && start->exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a segment cannot start at infinity");
    if (start == NULL || stop == NULL || spk_duration_compare(*start, *stop) < 0)
        return SPK_OK;
    char from[48], to[48];
    spk_duration_format(*start, from, sizeof from);
    spk_duration_format(*stop, to, sizeof to);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "a segment from %s to %s stops before it starts; give start and stop in this "
                    "order",
                    from, to);
}

static spk_status pass_border(spk_context *context, spk_live_stream *stream,
                              const spk_duration *start, const spk_duration *stop, uint64_t trial,
                              uint64_t n_trials)
{
    if (stream->ended)
        return fail_ended(context);
    spk_status status = check_bounds(context, start, stop);
    if (status != SPK_OK)
        return status;
    stream->context = context;
    if (stream->begun) {
        status = release_all(stream);
        if (status == SPK_OK)
            status = deliver(stream, true, false);
    }
    if (status == SPK_OK) {
        begin_segment(stream, start, stop);
        stream->trial = trial;
        stream->n_trials = n_trials;
        status = deliver(stream, false, false);
    }
    stream->context = NULL;
    return status;
}

spk_status spk_live_stream_border(spk_context *context, spk_live_stream *stream,
                                  const spk_duration *start, const spk_duration *stop)
{
    return pass_border(context, stream, start, stop, 0, 0);
}

spk_status spk_live_stream_border_of_trial(spk_context *context, spk_live_stream *stream,
                                           const spk_duration *start, const spk_duration *stop,
                                           uint64_t trial, uint64_t n_trials)
{
    if (trial >= n_trials)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a segment of trial %" PRIu64 ", and there are %" PRIu64
                        "; count trials from 0",
                        trial, n_trials);
    return pass_border(context, stream, start, stop, trial, n_trials);
}

/* ---- the front ------------------------------------------------------------------------------- */

static spk_status check_spikes(spk_context *context, const spk_live_stream *stream, uint64_t n,
                               const int64_t *time, const uint32_t *unit)
{
    if (stream->ended)
        return fail_ended(context);
    for (uint64_t k = 0; k < n; k++) {
        if (unit[k] >= stream->labels.n)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "the stream has %u units, not unit %u; ask spk_live_stream_unit for "
                            "its number",
                            stream->labels.n, unit[k]);
        if (time[k] == INT64_MAX)
            return spk_fail(context, SPK_ERR_RANGE,
                            "a spike at the last tick that 64 bit hold; times must be below it");
    }
    return SPK_OK;
}

spk_status spk_live_stream_push(spk_context *context, spk_live_stream *stream, uint64_t n,
                                const int64_t *time, const uint32_t *unit,
                                const int64_t *arrival_ns)
{
    spk_status status = check_spikes(context, stream, n, time, unit);
    if (status != SPK_OK || n == 0)
        return status;
    stream->context = context;
    if (!stream->begun)
        begin_segment(stream, NULL, NULL);
    int64_t now = arrival_ns == NULL ? spk_now_ns() : 0;
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        live_spike spike = {.time = time[k],
                            .arrival_ns = arrival_ns != NULL ? arrival_ns[k] : now,
                            .unit = unit[k]};
        status = take_spike(stream, &spike);
    }
    if (status == SPK_OK)
        status = deliver(stream, false, false);
    stream->context = NULL;
    return status;
}

spk_status spk_live_stream_settle(spk_context *context, spk_live_stream *stream)
{
    if (stream->ended)
        return SPK_OK;
    stream->context = context;
    spk_status status = release_all(stream);
    if (status == SPK_OK)
        status = deliver(stream, false, false);
    stream->context = NULL;
    return status;
}

spk_status spk_live_stream_end(spk_context *context, spk_live_stream *stream)
{
    if (stream->ended)
        return SPK_OK;
    stream->context = context;
    if (!stream->begun)
        begin_segment(stream, NULL, NULL);
    spk_status status = release_all(stream);
    stream->ended = true;
    if (status == SPK_OK)
        status = deliver(stream, true, true);
    stream->context = NULL;
    return status;
}
