/*
 * From ordered spikes to partitions that are due: keeps the spikes that are still needed, knows
 * where segments begin and end, and says when a partition is complete.
 */
#pragma once

#include "base/context.h"
#include "base/stage.h"
#include "spikemine/duration.h"
#include "spikemine/live.h"
#include "spikemine/recording.h"

/* ---- grids ----------------------------------------------------------------------------------- */

/* A step has step / parts ticks, a partition length / parts. */
typedef struct partition_grid {
    int64_t step;
    int64_t length;
    int64_t parts;
} partition_grid;

/* Errors: SPK_ERR_ARGUMENT (less than a tick), SPK_ERR_RANGE (too many digits). */
spk_status partition_grid_make(spk_context *context, spk_duration length, spk_duration step,
                               spk_rate rate, partition_grid *out);

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * The spikes that partitions still need, in blocks. One thread appends and frees; another one may
 * meanwhile copy a span that was taken before, as long as nobody frees its blocks.
 */

typedef struct partition_block partition_block;

/* n spikes from one on; those are numbered by order of appending, from 0. */
typedef struct partition_span {
    uint64_t first;
    uint64_t n;
    const partition_block *block; /* of the first one; NULL: n is 0 */
    uint32_t offset;              /* in the block */
} partition_span;

/* Begins zeroed. */
typedef struct partition_events {
    partition_block *oldest;
    partition_block *newest;
    partition_block *spare; /* freed last, for the next one */
    uint64_t n_blocks;
    uint64_t n_appended;
    /* The next partition begins at the cursor. */
    uint64_t cursor;
    partition_block *cursor_block; /* NULL: no spike was appended yet */
    spk_holding holding;
} partition_events;

/* Frees what lies before the cursor and before spike `needed`. */
void partition_events_release(spk_context *context, partition_events *events, uint64_t needed);

/* Spikes that are held. */
uint64_t partition_events_held(const partition_events *events);

/* Copies a span; number[unit] is written in the place of each unit. */
void partition_span_copy(const partition_span *span, const uint32_t *number, int64_t *time,
                         uint32_t *unit);

/* A partition that is complete, or cut by the end of its series. */
typedef struct partition_job {
    int64_t number;
    uint64_t series;
    spk_segment slice;
    bool cut;
    partition_span span;
    int64_t arrival_ns; /* of its last spike; 0 without spikes */
    size_t n_segments;  /* 0: nothing cuts the slice */
    spk_segment *segments;
    size_t *trials;  /* of each */
    size_t n_trials; /* that they lie below */
    uint64_t passed; /* partitions that were passed over so far */
} partition_job;

void partition_job_free(partition_job *job);

/* Takes a job over, also when it fails; the span is valid as long as nothing is released. */
typedef spk_status partition_due(void *user, partition_job *job);

/* A segment of the stream, and the trial that it is a part of. */
typedef struct partition_segment {
    spk_segment at;
    uint64_t trial;
} partition_segment;

/* Begins zeroed but for `end`, which is INT64_MIN, and what its user sets. */
typedef struct partition_feed {
    spk_context *context;
    spk_rate rate;
    partition_grid grid;
    partition_due *due;
    void *user;
    partition_events events;
    uint64_t series;
    bool running;      /* a spike of the series was there */
    int64_t next;      /* the partition that is not due yet */
    spk_segment slice; /* its ticks */
    int64_t end;       /* behind the newest spike, or the newest known stop; INT64_MIN: none */
    int64_t arrival_ns;
    bool silent; /* the partition before `next` had no spike */
    uint64_t passed;
    /* Of the series, those that may still matter, in order. The newest one has the stop INT64_MAX
     * while no other is known, the first one the start INT64_MIN. */
    partition_segment *segments;
    uint64_t n_segments, capacity;
    bool open; /* the newest segment of the stream is in `segments` */
    bool has_start;
    int64_t start; /* of the newest segment */
    uint64_t trial;
} partition_feed;

void partition_feed_free(partition_feed *feed);

/* A batch of the stream (live.h). */
spk_status partition_feed_take(partition_feed *feed, const spk_live_batch *batch);
