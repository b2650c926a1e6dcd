/* Entering a device: its memory, and the first kernel there. */
#include "cuda/device.h"

/* Memory comes from the device's pool, which keeps what is given back: asking again costs
 * microseconds. */
static spk_status keep_pool(spk_context *context, int device)
{
    cudaMemPool_t pool = NULL;
    uint64_t all = UINT64_MAX;
    spk_status status =
        gpu_check(context, cudaDeviceGetDefaultMemPool(&pool, device), "asking for its memory");
    if (status == SPK_OK)
        status =
            gpu_check(context, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
                      "asking for its memory");
    return status;
}

spk_status gpu_enter(spk_context *context, int k)
{
    spk_status status = gpu_check(context, cudaSetDevice(k), "starting");
    if (status == SPK_OK)
        status = keep_pool(context, k);
    return status == SPK_OK ? gpu_probe(context) : status;
}
