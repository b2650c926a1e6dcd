/* Large arrays between host memory that CUDA does not know and a device. */
#pragma once

#include <stdbool.h>

#include "cuda/device.h"

/* Two pieces of host memory, each taken when it is first needed; {0} has none. The calling thread
 * fills or empties one while the device works on the other. With pinned pieces several threads,
 * each with staging of its own, go as fast as the bus, where the driver's own way copies with one
 * thread. They may share a stream. */
typedef struct gpu_staging {
    cudaStream_t stream; /* NULL: the thread's own */
    bool pageable;       /* pieces of ordinary memory; set before the first use, else pinned */
    void *chunk[2];
    cudaEvent_t done[2]; /* the device is */
} gpu_staging;

/* Staging for `bytes` bytes in all: pinned where getting such memory pays. */
gpu_staging gpu_staging_for(uint64_t bytes);

/* Copies `bytes` bytes to the host and waits for them. */
spk_status gpu_fetch(spk_context *context, gpu_staging *staging, void *to, const void *from,
                     uint64_t bytes, const char *what);

/* Writes elements [first, first + n) of an array to `to`; false: neither these nor any further are
 * to be sent. */
typedef bool gpu_fill(void *to, uint64_t first, uint64_t n, void *user);

/* Brings elements [begin, end), of `size` bytes each, to their places in an array on the device,
 * as `fill` makes them, and waits until they are there. */
spk_status gpu_send(spk_context *context, gpu_staging *staging, void *array, uint64_t begin,
                    uint64_t end, uint64_t size, gpu_fill *fill, void *user, const char *what);

/* The whole of an array of n elements, whose memory in the buffer is reserved first: gpu_upload
 * without an array on the host. */
spk_status gpu_upload_filled(spk_context *context, gpu_staging *staging, gpu_buffer *buffer,
                             uint64_t n, uint64_t size, gpu_fill *fill, void *user,
                             const char *what);

/* To be called by the thread that used it; the stream stays. */
void gpu_staging_close(gpu_staging *staging);
