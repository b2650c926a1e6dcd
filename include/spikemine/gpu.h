/*
 * GPUs: which there are, and the calibration of engine cuda-hybrid, which chooses between the
 * papers' two GPU strategies by where they take the same time on a device. In builds without CUDA
 * the functions are there and say so.
 */
#ifndef SPIKEMINE_GPU_H
#define SPIKEMINE_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/context.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Sizes that a calibration measures: 2 .. 8. */
#define SPK_GPU_CALIBRATION_SIZES 7u

/* Where one thread an episode gets faster than many. */
typedef struct spk_gpu_crossover {
    uint32_t size;
    bool crossed;      /* false: one of them was faster for all numbers measured, and */
    double candidates; /* this is the least or the most measured */
    uint64_t resident; /* threads of one-thread-an-episode that the GPU holds at once */
} spk_gpu_crossover;

typedef struct spk_gpu_calibration {
    spk_gpu_info gpu;
    uint32_t n_crossovers;
    spk_gpu_crossover crossover[SPK_GPU_CALIBRATION_SIZES];
    /* One thread an episode from candidates > resident * (a / size + b) on. */
    double a;
    double b;
} spk_gpu_calibration;

/* Times engines cuda-ptpe and cuda-mtpe on `device` with a generated recording (Sym26, 60 s), sizes
 * 2 to 8 and candidates in powers of two, finds the crossovers, fits a and b, and stores them in
 * $XDG_CONFIG_HOME/spikemine/gpu.json or ~/.config/spikemine/gpu.json, where cuda-hybrid finds
 * them. Takes up to some minutes; SPK_ERR_CANCELLED after a cancel. SPK_ERR_ARGUMENT,
 * SPK_ERR_UNAVAILABLE, SPK_ERR_DEVICE, SPK_ERR_MEMORY, SPK_ERR_IO, SPK_ERR_FORMAT (the file that is
 * there is damaged). */
SPK_API SPK_MUST_CHECK spk_status spk_gpu_calibrate(spk_context *context, int device,
                                                    spk_gpu_calibration *result);

#ifdef __cplusplus
}
#endif

#endif
