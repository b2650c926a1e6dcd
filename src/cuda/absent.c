/* Builds without CUDA: GPUs and their engines are known, and say why they cannot run. */
#include <stdio.h>

#include "cuda/fault.h"
#include "cuda/gpus.h"
#include "episode/engine/cuda/engines.h"
#include "spikemine/gpu.h"

static const char why[] = "not built: this build has no CUDA; build it where nvcc is found";

bool spk_gpus_available(char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", why);
    return false;
}

spk_status spk_gpus_resolve(spk_context *context, int wanted, int *n_gpus)
{
    (void)wanted;
    *n_gpus = 0;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", why);
}

uint64_t spk_gpus_memory_used(void)
{
    return 0;
}

spk_status spk_gpus_enter(spk_context *context, int worker, void *user)
{
    (void)worker;
    (void)user;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", why);
}

void spk_gpus_leave(int worker, void *user)
{
    (void)worker;
    (void)user;
}

/* No call of a GPU is made. */
int gpu_fault_strike(spk_fault *base)
{
    (void)base;
    return 0;
}

int spk_gpu_count(void)
{
    return 0;
}

spk_status spk_gpu_describe(spk_context *context, int device, spk_gpu_info *out)
{
    (void)device;
    *out = (spk_gpu_info){.memory = 0};
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", why);
}

spk_status spk_gpu_calibrate(spk_context *context, int device, spk_gpu_calibration *result)
{
    (void)device;
    *result = (spk_gpu_calibration){.a = 0};
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", why);
}

/* Never opened: `available` says no. */
static spk_status open_nothing(spk_context *context, const spk_episode_job *job, void **state)
{
    (void)job;
    *state = NULL;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", why);
}

#define ABSENT(symbol, title, text)                                                                \
    const spk_episode_engine symbol = {.name = title,                                              \
                                       .summary = text,                                            \
                                       .needs = SPK_CUDA_NEEDS,                                    \
                                       .available = spk_gpus_available,                            \
                                       .open = open_nothing,                                       \
                                       .on_gpu = true}

ABSENT(spk_engine_cuda_sweep, "cuda-sweep", SPK_CUDA_SWEEP_SUMMARY);
ABSENT(spk_engine_cuda_ptpe, "cuda-ptpe", SPK_CUDA_PTPE_SUMMARY);
ABSENT(spk_engine_cuda_mtpe, "cuda-mtpe", SPK_CUDA_MTPE_SUMMARY);
ABSENT(spk_engine_cuda_hybrid, "cuda-hybrid", SPK_CUDA_HYBRID_SUMMARY);
ABSENT(spk_engine_cuda_tracking, "cuda-tracking", SPK_CUDA_TRACKING_SUMMARY);
