/*
 * GPUs: which there are, errors as statuses, memory that is given back.
 *
 * The CUDA runtime is linked statically and looks for the driver when it is first called, so one
 * binary serves machines with and without a GPU. All functions act on the calling thread's current
 * device (gpu_enter) and its per-thread default stream.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/context.h"

SPK_BEGIN_C

/* What a device is, as far as our plans depend on it. */
typedef struct gpu_facts {
    char name[256];
    char id[64]; /* stable across restarts: its UUID in hexadecimal */
    int major, minor;
    int multiprocessors;
    int threads_per_multiprocessor;
    uint64_t memory;           /* bytes in all */
    uint64_t free_memory;      /* bytes free now */
    uint64_t shared_per_block; /* most that a block may ask for */
} gpu_facts;

/* False, with the reason written, when no device can be used. */
bool gpu_available(char *reason, size_t reason_size);

/* Number of usable devices; 0 when there is none. */
int gpu_count(void);

/* Makes device k the calling thread's. */
spk_status gpu_enter(spk_context *context, int k);

/* Makes device k, which another thread has entered, this thread's as well. */
spk_status gpu_join(spk_context *context, int k);

/* To be called by a thread that used a device, before it ends: waits for what is still under way. A
 * thread whose stream is busy when it ends has been seen to hang in the driver for good. */
void gpu_leave(void);

/* Runs a first kernel on the current device; gpu_enter does so. */
spk_status gpu_probe(spk_context *context);

/* Facts about the calling thread's device. */
spk_status gpu_describe(spk_context *context, gpu_facts *out);

/* SPK_OK for cudaSuccess, else a message with `what` ("counting on the GPU"): SPK_ERR_MEMORY when
 * the device's memory is exhausted, SPK_ERR_DEVICE otherwise. */
spk_status gpu_check(spk_context *context, cudaError_t error, const char *what);

/* The error of the last kernel launch of this thread, as gpu_check. */
spk_status gpu_check_launch(spk_context *context, const char *what);

/* Waits for everything that this thread gave its device. */
spk_status gpu_wait(spk_context *context, const char *what);

/* ---- memory on the device -------------------------------------------------------------------- */

/* An array on the device that grows; {0} is empty. */
typedef struct gpu_buffer {
    void *data;
    uint64_t bytes;
} gpu_buffer;

/* Room for at least n elements of `size` bytes; what was inside is lost when it has to grow. */
spk_status gpu_reserve(spk_context *context, gpu_buffer *buffer, uint64_t n, uint64_t size,
                       const char *what);
/* The same, then filled from host memory. */
spk_status gpu_upload(spk_context *context, gpu_buffer *buffer, const void *from, uint64_t n,
                      uint64_t size, const char *what);
/* Copies to host memory and waits for it. */
spk_status gpu_download(spk_context *context, void *to, const void *from, uint64_t bytes,
                        const char *what);
spk_status gpu_clear(spk_context *context, void *data, uint64_t bytes, const char *what);
void gpu_release(gpu_buffer *buffer);

/* Lets devices 0 .. n_devices - 1 read the current one's memory where hardware allows: copies
 * between them then go straight. */
spk_status gpu_share_memory(spk_context *context, int n_devices);

/* Bytes that jobs hold of device k's memory. */
uint64_t gpu_memory_used(int k);

/* Bytes of device memory that a job may take: `limit` where it is not 0, but never more than nine
 * tenths of what is free. */
spk_status gpu_memory_budget(spk_context *context, uint64_t limit, uint64_t *bytes);

SPK_END_C
