/* GPUs for jobs. */
#include "cuda/gpus.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/device.h"
#include "spikemine/gpu.h"

bool spk_gpus_available(char *reason, size_t reason_size)
{
    return gpu_available(reason, reason_size);
}

bool spk_gpus_driver(void)
{
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
}

int spk_gpu_count(void)
{
    return gpu_count();
}

spk_status spk_gpus_on(spk_context *context, int device, spk_gpu_task *task, void *user)
{
    char reason[160];
    int before = 0;
    if (!gpu_available(reason, sizeof reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: %s", reason);
    int n = gpu_count();
    if (device < 0 || device >= n)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "there is no GPU %d; this machine has %d, numbered from 0", device, n);
    spk_status status = gpu_check(context, cudaGetDevice(&before), "starting");
    if (status != SPK_OK)
        return status;
    status = gpu_enter(context, device);
    if (status == SPK_OK)
        status = task(context, user);
    (void)cudaSetDevice(before);
    return status;
}

static spk_status describe(spk_context *context, void *user)
{
    spk_gpu_info *out = user;
    gpu_facts facts;
    spk_status status = gpu_describe(context, &facts);
    if (status != SPK_OK)
        return status;
    *out = (spk_gpu_info){.multiprocessors = facts.multiprocessors, .memory = facts.memory};
    snprintf(out->name, sizeof out->name, "%s", facts.name);
    snprintf(out->id, sizeof out->id, "%s", facts.id);
    return SPK_OK;
}

spk_status spk_gpu_describe(spk_context *context, int device, spk_gpu_info *out)
{
    return spk_gpus_on(context, device, describe, out);
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

/* ---- an early start -------------------------------------------------------------------------- */

struct spk_gpu_start {
    pthread_t thread;
    int gpus;
};

/* What fails here fails again in the job, which tells it. */
static void *start_all(void *user)
{
    const spk_gpu_start *start = user;
    const int there = gpu_count();
    spk_context *own = NULL;
    spk_status status = spk_context_create(&own);
    for (int k = 0; k < there && status == SPK_OK; k++)
        if (start->gpus < 0 || k < start->gpus)
            status = gpu_enter(own, k);
    spk_context_free(own);
    gpu_leave();
    return NULL;
}

spk_gpu_start *spk_gpus_start(int gpus)
{
    spk_gpu_start *start = gpus != 0 ? malloc(sizeof *start) : NULL;
    if (start == NULL)
        return NULL;
    start->gpus = gpus;
    if (pthread_create(&start->thread, NULL, start_all, start) == 0)
        return start;
    free(start);
    return NULL;
}

void spk_gpus_started(spk_gpu_start *start)
{
    if (start == NULL)
        return;
    pthread_join(start->thread, NULL);
    free(start);
}
