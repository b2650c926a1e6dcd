/* cuda-sweep on one device: what it keeps there, and counting ranges of rows within its memory. */
#pragma once

#include "episode/engine/cuda/sweep/level.h"

typedef struct csweep_device {
    csweep_index index;
    csweep_tables tables;
    csweep_scratch scratch;
    csweep_batch batch;
    gpu_buffer lane_unit; /* uint32_t per lane */
    bool within_fits;     /* memory is set aside for index.within */
    uint64_t lists_memory;
    uint64_t max_runs;                            /* a batch */
    csweep_level level[SPK_EPISODE_MAX_SIZE + 1]; /* level[k] has size k + 1 */
    /* The rows of each level that this device extends. */
    uint64_t begin[SPK_EPISODE_MAX_SIZE + 1];
    uint64_t end[SPK_EPISODE_MAX_SIZE + 1];
} csweep_device;

/* Index, size 1, and nothing else yet, on the calling thread's device. The recording has events;
 * `upload` has brought them, and is empty afterwards. */
spk_status csweep_device_open(spk_context *context, const spk_episode_job *job, uint32_t n_lanes,
                              const uint32_t *lane_unit, csweep_upload *upload,
                              csweep_device **out);
void csweep_device_close(csweep_device *device);

/* Tables for all strips, as far as memory allows. */
spk_status csweep_device_build_tables(spk_context *context, csweep_device *device);

/* Makes the lists of rows [begin, end) of the level of this size (nothing to do at size 1), from
 * whatever lists of earlier levels are there. *fits = false when memory does not allow them. */
spk_status csweep_device_lists(spk_context *context, csweep_device *device, uint32_t size,
                               uint64_t begin, uint64_t end, const uint32_t *batch_first,
                               bool *fits);

/* Counts the present batch, whose rows are of the level of this size and have their lists. */
spk_status csweep_device_count(spk_context *context, csweep_device *device, uint32_t size,
                               uint64_t support);

/* Counts the candidates of rows [begin, end) of the level of this size and appends the frequent to
 * `next`; *candidates grows by their number. */
spk_status csweep_device_extend_rows(spk_context *context, csweep_device *device, uint32_t size,
                                     uint64_t begin, uint64_t end, uint64_t support,
                                     csweep_level *next, uint64_t *candidates);

/* The failure of a single row whose lists do not fit. */
spk_status csweep_device_too_small(spk_context *context);
