/* Builds without CUDA: no GPU can be used, and why. */
#include <stdio.h>

#include "cuda/fault.h"
#include "cuda/gpus.h"
#include "spikemine/gpu.h"

static const char why[] = "not built: this build has no CUDA; build it where nvcc is found";

bool spk_gpus_available(char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", why);
    return false;
}

bool spk_gpus_driver(void)
{
    return false;
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

spk_gpu_start *spk_gpus_start(int gpus)
{
    (void)gpus;
    return NULL;
}

void spk_gpus_started(spk_gpu_start *start)
{
    (void)start;
}
