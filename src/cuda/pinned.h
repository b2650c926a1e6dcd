/* Pieces of host memory that devices read and write directly ("pinned"). Getting such memory from
 * the driver takes as long as copying GPU_PINNED_COST bytes, so what jobs give back is kept for the
 * next, up to 16 MB a process. */
#ifndef SPK_CUDA_PINNED_H
#define SPK_CUDA_PINNED_H

#include "cuda/device.h"

#define GPU_PINNED_BYTES (512u << 10)
#define GPU_PINNED_COST  (30 * GPU_PINNED_BYTES)

/* A piece of GPU_PINNED_BYTES bytes for any device, with whatever it held. */
spk_status gpu_pinned_take(spk_context *context, void **piece, const char *what);

/* Gives it back; no copy may be under way. NULL is accepted. */
void gpu_pinned_give(void *piece);

#endif
