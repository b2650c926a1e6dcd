/* The recording as cuda-sweep sees it, built on the device. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cuda/device.h"
#include "cuda/staging.h"
#include "episode/engine/cuda/sweep/arithmetic.h"
#include "episode/engine/engine.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- events on their way --------------------------------------------------------------------- */

/* The events in order of time, on a device (host_encoding.h); {0} is empty. */
typedef struct csweep_upload {
    uint64_t n;
    uint32_t delta_width; /* bytes */
    uint32_t unit_width;
    gpu_buffer delta; /* ticks since the event before */
    gpu_buffer unit;
} csweep_upload;

/* Arrays for all events on the calling thread's device, with deltas of delta_width bytes. */
spk_status csweep_upload_reserve(spk_context *context, const spk_events *events,
                                 uint32_t delta_width, csweep_upload *upload);

/* Sends the events [begin, end), from any thread of the device. The arrays must be there for all of
 * its streams. *fits becomes false when a delta takes more bytes, and what was sent means nothing;
 * else it is left alone. */
spk_status csweep_upload_send(spk_context *context, gpu_staging *staging, const spk_events *events,
                              uint64_t begin, uint64_t end, csweep_upload *upload, bool *fits);

/* Arrays and events, by the calling thread alone. */
spk_status csweep_upload_all(spk_context *context, const spk_events *events, csweep_upload *upload);

void csweep_upload_close(csweep_upload *upload);

/* ---- the index ------------------------------------------------------------------------------- */

typedef struct csweep_index {
    csweep_view view;
    size_t n_delays;
    uint32_t n_bounds;
    uint32_t widest; /* most ranks from an event to the last within any interval */
    gpu_buffer place_rank, lane_first, lane_count, word, reach, lo_bound, hi_bound, within;
    gpu_buffer event_place; /* of each event in order of time */
} csweep_index;

/* Builds the index for the units lane_unit[0 .. n_lanes - 1], which rise, from the events that
 * `upload` has brought; its memory is given back on the way. The recording has events. Words are
 * made where they take at most an eighth of `memory` bytes. */
spk_status csweep_index_open(spk_context *context, const spk_episode_job *job, uint32_t n_lanes,
                             const uint32_t *lane_unit, uint64_t memory, csweep_upload *upload,
                             csweep_index *index);
void csweep_index_close(csweep_index *index);

/* Fills view.within: worth its 4 bytes a bound, lane and place where there are more ends to extend
 * than these. */
spk_status csweep_index_build_within(spk_context *context, csweep_index *index);
uint64_t csweep_index_within_bytes(const csweep_index *index);

/* ---- delay tables ---------------------------------------------------------------------------- */

/*
 * A strip is a delay interval and a tile of 32 lanes, number interval * n_tiles + tile. Its table
 * has a row for each place, and a row of zeros behind the last. A row has an entry for each lane of
 * the tile: what follows on that lane (csweep_follower). Entries have 16 bits where all fit (a row
 * is then 64 bytes), else 32.
 */
typedef struct csweep_tables {
    uint64_t n_strips;
    bool wide;
    uint64_t bytes_each;
    uint64_t bytes_left; /* that tables may still take */
    gpu_buffer *table;   /* per strip; empty: not built */
    gpu_buffer pointers; /* per strip: its table or NULL, on the device */
    bool changed;        /* pointers are behind */
    void **pointer;      /* their copy on the host */
} csweep_tables;

spk_status csweep_tables_open(spk_context *context, const csweep_index *index, uint64_t memory,
                              csweep_tables *tables);
void csweep_tables_close(csweep_tables *tables);

/* What all tables that memory allows will take. */
uint64_t csweep_tables_bytes(const csweep_tables *tables);

/* Builds the table of a strip unless it is there or memory does not allow it: then its lanes are
 * looked up step by step (count.cu). */
spk_status csweep_tables_need(spk_context *context, const csweep_index *index, uint64_t strip,
                              csweep_tables *tables);
/* Brings the pointers on the device up to date. */
spk_status csweep_tables_publish(spk_context *context, csweep_tables *tables);

SPK_END_C
