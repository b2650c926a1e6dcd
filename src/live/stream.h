/* The inside of a stream, for the watch and the state file. */
#ifndef SPK_LIVE_STREAM_H
#define SPK_LIVE_STREAM_H

#include "base/deadline.h"
#include "live/order.h"
#include "recording/labels.h"
#include "spikemine/live.h"

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

#endif
