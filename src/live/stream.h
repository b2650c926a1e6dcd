/* The inside of a stream, for the watch and the state file. */
#pragma once

#include "base/deadline.h"
#include "base/stage.h"
#include "recording/labels.h"
#include "spikemine/live.h"

/* ---- spikes in order ------------------------------------------------------------------------- */

/*
 * Spikes that wait until no older one may come. Those that arrived in order stand in a queue, the
 * others in a heap, and the older one of both ends goes first: a spike in order costs the same
 * however many wait.
 */

typedef struct live_spike {
    int64_t time;
    int64_t arrival_ns;
    uint32_t unit;
} live_spike;

/* Begins zeroed. */
typedef struct live_order {
    live_spike *queue;       /* a ring, times never go back */
    uint64_t queue_capacity; /* a power of two, or 0 */
    uint64_t queue_first;
    uint64_t n_queue;
    live_spike *heap; /* the oldest first, as heaps are */
    uint64_t heap_capacity;
    uint64_t n_heap;
    spk_holding holding;
} live_order;

void live_order_clear(live_order *order);

static inline uint64_t live_order_n(const live_order *order)
{
    return order->n_queue + order->n_heap;
}

/* A spike that is not older than any that was appended before. */
spk_status live_order_append(spk_context *context, live_order *order, live_spike spike);

/* Any spike. */
spk_status live_order_insert(spk_context *context, live_order *order, live_spike spike);

/* The oldest one; there must be one. */
int64_t live_order_oldest(const live_order *order);
live_spike live_order_take(live_order *order);

/* ---- the stream ------------------------------------------------------------------------------ */

enum { LIVE_BATCH = 4096 }; /* spikes of one batch */

/* The last spike of a unit that was handed on. */
typedef struct live_last {
    int64_t time;
    uint64_t segment; /* its number + 1; 0: there is none */
} live_last;

typedef struct live_sink {
    spk_live_batch_sink *sink;
    void *user;
} live_sink;

struct spk_live_stream {
    spk_live_stream_options options;
    uint64_t tolerance;   /* in ticks */
    spk_context *context; /* of the running call */
    spk_labels labels;
    live_last *last; /* by unit */
    uint64_t last_capacity;
    spk_holding holding; /* labels and last */

    live_sink *sink;
    size_t n_sinks;
    uint64_t sink_capacity;
    spk_live_late_sink *late_sink;
    void *late_user;

    spk_live_counts counts; /* but for `held` */
    uint64_t segment;
    bool begun;      /* the segment, whose number is 0 before it has */
    bool told_begin; /* to the sinks */
    bool resumed;    /* the segment began before the state that was loaded */
    bool ended;
    bool has_newest; /* counts.newest is a time */
    bool has_start, has_stop;
    spk_duration start, stop;
    uint64_t trial, n_trials; /* as the source told; n_trials 0: it did not */
    int64_t first_tick;       /* of the segment */
    int64_t stop_tick;
    int64_t frontier; /* older spikes are late */

    live_order order;
    uint64_t n_out; /* in order, for the sinks */
    int64_t *out_time;
    uint32_t *out_unit;
    int64_t *out_arrival;
};
