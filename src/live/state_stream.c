/* The stream in a state file: counters, segment, units, spikes that wait. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/state.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_counts(live_writer *writer, const spk_live_counts *counts)
{
    live_put_u64(writer, counts->received);
    live_put_u64(writer, counts->accepted);
    live_put_u64(writer, counts->duplicates);
    live_put_u64(writer, counts->out_of_order);
    live_put_u64(writer, counts->late);
    live_put_u64(writer, counts->lost);
    live_put_u64(writer, counts->segments);
    live_put_i64(writer, counts->newest);
    live_put_u64(writer, counts->outside);
}

static void put_spike(live_writer *writer, const live_spike *spike)
{
    live_put_i64(writer, spike->time);
    live_put_u64(writer, spike->unit);
}

static void put_order(live_writer *writer, const live_order *order)
{
    live_put_u64(writer, order->n_queue);
    for (uint64_t k = 0; k < order->n_queue; k++)
        put_spike(writer, &order->queue[(order->queue_first + k) & (order->queue_capacity - 1)]);
    live_put_u64(writer, order->n_heap);
    for (uint64_t k = 0; k < order->n_heap; k++)
        put_spike(writer, &order->heap[k]);
}

void live_state_put_stream(live_writer *writer, const spk_live_stream *stream)
{
    put_counts(writer, &stream->counts);
    live_put_u64(writer, stream->segment);
    live_put_u64(writer, stream->begun);
    live_put_u64(writer, stream->has_newest);
    live_put_u64(writer, stream->has_start);
    live_put_u64(writer, stream->has_stop);
    live_put_duration(writer, stream->start);
    live_put_duration(writer, stream->stop);
    live_put_u64(writer, stream->trial);
    live_put_u64(writer, stream->n_trials);
    live_put_i64(writer, stream->frontier);
    live_put_u64(writer, stream->labels.n);
    for (uint32_t u = 0; u < stream->labels.n; u++) {
        live_put_text(writer, spk_labels_text(&stream->labels, u));
        live_put_i64(writer, stream->last[u].time);
        live_put_u64(writer, stream->last[u].segment);
    }
    put_order(writer, &stream->order);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void get_counts(live_reader *reader, spk_live_counts *counts)
{
    counts->received = live_get_u64(reader);
    counts->accepted = live_get_u64(reader);
    counts->duplicates = live_get_u64(reader);
    counts->out_of_order = live_get_u64(reader);
    counts->late = live_get_u64(reader);
    counts->lost = live_get_u64(reader);
    counts->segments = live_get_u64(reader);
    counts->newest = live_get_i64(reader);
    counts->outside = live_get_u64(reader);
}

/* A label, and the unit's last spike; its number in the stream that goes on into *unit. */
static spk_status get_unit(spk_context *context, live_reader *reader, spk_live_stream *stream,
                           uint32_t *unit)
{
    char *label = NULL;
    uint64_t n = live_get_count(reader, 1);
    const char *bytes = live_get(reader, n);
    live_last last;
    last.time = live_get_i64(reader);
    last.segment = live_get_u64(reader);
    if (bytes == NULL || !live_require(reader, memchr(bytes, '\0', n) == NULL))
        return SPK_OK;
    spk_status status = spk_alloc(context, &label, n + 1, "a label");
    if (status != SPK_OK)
        return status;
    memcpy(label, bytes, n);
    label[n] = '\0';
    status = spk_live_stream_unit(context, stream, label, unit);
    if (status == SPK_OK)
        stream->last[*unit] = last;
    free(label);
    return status;
}

static spk_status get_spikes(spk_context *context, live_reader *reader, uint64_t n_units,
                             const uint32_t *number, bool in_order, live_order *order)
{
    spk_status status = SPK_OK;
    int64_t before = INT64_MIN, now = spk_now_ns();
    uint64_t n = live_get_count(reader, 16);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        live_spike spike = {.arrival_ns = now};
        spike.time = live_get_i64(reader);
        uint64_t unit = live_get_u64(reader);
        if (!live_require(reader, unit < n_units && (!in_order || spike.time >= before)))
            break;
        before = spike.time;
        spike.unit = number[unit];
        status = in_order ? live_order_append(context, order, spike)
                          : live_order_insert(context, order, spike);
    }
    return status;
}

static void set_bounds(spk_live_stream *stream)
{
    if (stream->has_start)
        stream->first_tick = spk_duration_first_tick(stream->start, stream->options.rate);
    else
        stream->first_tick = INT64_MIN;
    if (stream->has_stop)
        stream->stop_tick = spk_duration_first_tick(stream->stop, stream->options.rate);
    else
        stream->stop_tick = INT64_MAX;
}

spk_status live_state_get_stream(spk_context *context, live_reader *reader, spk_live_stream *stream)
{
    uint32_t *number = NULL;
    get_counts(reader, &stream->counts);
    stream->segment = live_get_u64(reader);
    stream->begun = stream->resumed = live_get_bool(reader);
    stream->has_newest = live_get_bool(reader);
    stream->has_start = live_get_bool(reader);
    stream->has_stop = live_get_bool(reader);
    stream->start = live_get_duration(reader);
    stream->stop = live_get_duration(reader);
    stream->trial = live_get_u64(reader);
    stream->n_trials = live_get_u64(reader);
    live_require(reader, stream->n_trials == 0 || stream->trial < stream->n_trials);
    stream->frontier = live_get_i64(reader);
    set_bounds(stream);
    uint64_t n_units = live_get_count(reader, 24);
    spk_status status = spk_alloc(context, &number, n_units, "units");
    for (uint64_t u = 0; u < n_units && status == SPK_OK && !reader->bad; u++)
        status = get_unit(context, reader, stream, &number[u]);
    if (status == SPK_OK && !reader->bad)
        status = get_spikes(context, reader, n_units, number, true, &stream->order);
    if (status == SPK_OK && !reader->bad)
        status = get_spikes(context, reader, n_units, number, false, &stream->order);
    free(number);
    return status;
}
