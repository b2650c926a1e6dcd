/* Large arrays from a device to host memory that CUDA does not know. */
#ifndef SPK_CUDA_STAGING_H
#define SPK_CUDA_STAGING_H

#include "cuda/device.h"

/* Two small pieces of host memory that the device writes to directly, made when first needed; {0}
 * has none. Copied from by the calling thread while the device fills the other: several threads,
 * each with its own, go as fast as the bus, where the driver's own way copies with one thread. */
typedef struct gpu_staging {
    void *chunk[2];
    cudaEvent_t filled[2];
} gpu_staging;

/* Copies `bytes` bytes and waits for them. */
spk_status gpu_fetch(spk_context *context, gpu_staging *staging, void *to, const void *from,
                     uint64_t bytes, const char *what);
void gpu_staging_close(gpu_staging *staging);

#endif
