/* cuda-bitmap: a job on the host, ready to be sent to a machine. */
#ifndef SPK_PATTERN_ENGINE_CUDA_JOB_H
#define SPK_PATTERN_ENGINE_CUDA_JOB_H

#include "pattern/engine/cuda/view.h"
#include "pattern/engine/engine.h"

/* The arrays of a view, on the host, and the view that leads to them. The rest of the view, which
 * belongs to the machine, is zero. */
typedef struct cp_job {
    cp_view view;
    const spk_window_columns *windows;
    uint64_t n_bits; /* words of the table */
    uint64_t n_root_windows;
    uint32_t n_always;     /* items in every window; around spikes, their units */
    bool always_first;     /* one of them has lag 0: what they make is a pattern */
    uint32_t most_windows; /* of a root */
    uint32_t longest;      /* most items of a window */
    uint32_t *bits;
    uint32_t *place; /* by window: where its first bin lies in the table */
    uint32_t *unit_of;
    uint32_t *number_of;
    uint32_t *item;
    uint32_t *root_code;
    uint32_t *root_first;
    uint32_t *root_window;
} cp_job;

/* To be freed after a failure, too. Errors: SPK_ERR_MEMORY,
 * SPK_ERR_UNSUPPORTED (too many units, too long windows). */
spk_status cp_job_create(spk_context *context, const spk_pattern_job *given, cp_aim aim,
                         cp_job *job);
void cp_job_free(cp_job *job);

#endif
