/* Builds without CUDA: means are made on processors alone. */
#include "significance/exact/cuda/device_means.h"

spk_status device_means_open(spk_context *context, int gpu, const means_view *host,
                             device_means **out)
{
    (void)gpu, (void)host;
    *out = NULL;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: not built: this build has no CUDA");
}

spk_status device_means_find(spk_context *context, void *device, uint64_t n, const uint64_t *offset,
                             const uint32_t *item, double *mean)
{
    (void)device, (void)n, (void)offset, (void)item, (void)mean;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: not built: this build has no CUDA");
}

void device_means_close(device_means *device)
{
    (void)device;
}
