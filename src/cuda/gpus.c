/* GPUs for jobs. */
#include "cuda/gpus.h"

#include "cuda/device.h"
#include "spikemine/gpu.h"

bool spk_gpus_available(char *reason, size_t reason_size)
{
    return gpu_available(reason, reason_size);
}

spk_status spk_gpus_resolve(spk_context *context, int wanted, int *n_gpus)
{
    char reason[160];
    if (!gpu_available(reason, sizeof reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", reason);
    int n = gpu_count();
    *n_gpus = wanted == SPK_GPUS_ALL ? n : wanted;
    if (*n_gpus < 1 || *n_gpus > n)
        return spk_fail(
            context, SPK_ERR_ARGUMENT,
            "%d GPUs asked for, this machine has %d; take a number from 1 to %d, or all", wanted, n,
            n);
    return SPK_OK;
}

uint64_t spk_gpus_memory_used(void)
{
    uint64_t used = 0;
    for (int k = 0; k < gpu_count(); k++)
        used += gpu_memory_used(k);
    return used;
}

spk_status spk_gpus_enter(spk_context *context, int worker, void *user)
{
    (void)user;
    return gpu_enter(context, worker);
}

void spk_gpus_leave(int worker, void *user)
{
    (void)worker;
    (void)user;
    gpu_leave();
}
