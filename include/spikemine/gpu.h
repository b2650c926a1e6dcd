/*
 * The GPUs of this machine. In builds without CUDA the functions are there and say so.
 */
#ifndef SPIKEMINE_GPU_H
#define SPIKEMINE_GPU_H

#include <stdint.h>

#include "spikemine/context.h"

SPK_BEGIN_C

/* As a number of GPUs in the options of a job: all GPUs of this machine. */
#define SPK_GPUS_ALL (-1)

typedef struct spk_gpu_info {
    char name[256];
    char id[64]; /* the same at every start */
    int multiprocessors;
    uint64_t memory; /* bytes */
} spk_gpu_info;

/* Number of GPUs that can be used; 0 when there is none or this build has no CUDA. */
SPK_API int spk_gpu_count(void);

/* Describes GPU `device`, 0 .. spk_gpu_count() - 1. SPK_ERR_ARGUMENT, SPK_ERR_UNAVAILABLE,
 * SPK_ERR_DEVICE. */
SPK_API SPK_MUST_CHECK spk_status spk_gpu_describe(spk_context *context, int device,
                                                   spk_gpu_info *out);

/* GPUs that are being started. Threads: one thread starts and ends them. */
typedef struct spk_gpu_start spk_gpu_start;

/* Starts GPUs, as many as `gpus` of a job's options says, in a thread of its own, so that a
 * recording is read meanwhile. It is no more than a hint: a job starts what it uses in any case,
 * and tells what fails. NULL where there is nothing to start. */
SPK_API spk_gpu_start *spk_gpus_start(int gpus);

/* Waits until they are started, and frees the handle; NULL is accepted. To be called once, before
 * the program ends. */
SPK_API void spk_gpus_started(spk_gpu_start *start);

SPK_END_C

#endif
