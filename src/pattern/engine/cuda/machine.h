/*
 * cuda-bitmap: where a search runs. A machine has memory of its own and runs the steps of search.h
 * there: a GPU, or the host itself, one lane after the other, so that everything around the search
 * is tested without a GPU.
 */
#pragma once

#include "cuda/device.h"
#include "pattern/engine/cuda/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is done with a view, n times: the number is that of a chunk, a root or a warp. */
typedef enum cp_step { CP_COUNT_ITEMS, CP_LIST_ROOTS, CP_FILL_COLUMNS, CP_PLAN, CP_SEARCH } cp_step;

typedef struct cp_machine {
    uint32_t split_items; /* a branch of so many items is left to several warps */
    /* Bytes that a job may take, and how many warps search at once. */
    spk_status (*open)(spk_context *context, uint64_t limit, uint64_t *bytes, uint32_t *n_warps);
    spk_status (*reserve)(spk_context *context, gpu_buffer *buffer, uint64_t n, uint64_t size,
                          const char *what);
    void (*release)(gpu_buffer *buffer);
    spk_status (*send)(spk_context *context, void *to, const void *from, uint64_t bytes);
    spk_status (*fetch)(spk_context *context, void *to, const void *from, uint64_t bytes);
    spk_status (*run)(spk_context *context, const cp_view *view, cp_step step, uint64_t n);
} cp_machine;

extern const cp_machine cp_machine_host;
extern const cp_machine cp_machine_gpu;

#ifdef __cplusplus
}
#endif
