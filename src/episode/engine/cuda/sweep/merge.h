/* Joining the parts of a level that several devices counted. */
#ifndef SPK_EPISODE_ENGINE_CUDA_SWEEP_MERGE_H
#define SPK_EPISODE_ENGINE_CUDA_SWEEP_MERGE_H

#include "episode/engine/cuda/sweep/level.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The new rows that `device` found for the rows [begin, end) of the level before. */
typedef struct csweep_part {
    const csweep_level *level;
    int device;
    uint64_t begin, end;
    uint64_t n_found; /* rows of `level`, which may be gone when this is read */
} csweep_part;

/* Makes on the calling thread's device (number `device`) the whole level from all parts, in order;
 * returns when the parts are no longer needed by this device. */
spk_status csweep_merge(spk_context *context, const csweep_part *parts, int n_parts, int device,
                        csweep_level *full);

#ifdef __cplusplus
}
#endif

#endif
