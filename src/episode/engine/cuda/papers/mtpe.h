/* MTPE's kernels (mtpe.cu). */
#pragma once

#include "episode/engine/cuda/papers/counter.h"

SPK_BEGIN_C

/* How a recording is cut, and device memory for it; passed by value. Ticks as in papers_recording.
 */
typedef struct mtpe_plan {
    uint32_t n_segments;
    uint64_t longest; /* span of the longest episodes that segments pay for */
    uint32_t *first;  /* n_segments + 1 */
    void *border;     /* n_segments + 1 ticks */
    void *tuple;      /* struct machine_tuple, n_segments * size * episodes */
    void *joined;     /* as many */
} mtpe_plan;

/* Algorithm 1 by segments, concatenation, and the walk where that finds no partner. */
spk_status mtpe_count(spk_context *context, papers_recording recording, papers_episodes episodes,
                      mtpe_plan plan);

SPK_END_C
