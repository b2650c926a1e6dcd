/* Mean counts of patterns on a GPU: what a scorer asks for. Builds without CUDA answer, too
 * (absent.c). */
#ifndef SPK_SIGNIFICANCE_EXACT_CUDA_DEVICE_MEANS_H
#define SPK_SIGNIFICANCE_EXACT_CUDA_DEVICE_MEANS_H

#include "base/context.h"
#include "significance/exact/cuda/means.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct device_means device_means;

/* Copies the view of the host to a GPU, which the calling thread uses in these calls alone. One
 * thread makes all of them; close *out in any case. Errors: SPK_ERR_MEMORY, SPK_ERR_DEVICE,
 * SPK_ERR_UNAVAILABLE. */
spk_status device_means_open(spk_context *context, int gpu, const means_view *host,
                             device_means **out);

/* means_of_blocks for n patterns; pattern i has the items item[offset[i]] .. and mean[i] is its
 * limit before the call. `device` is a device_means; tests have others. */
typedef spk_status means_find_fn(spk_context *context, void *device, uint64_t n,
                                 const uint64_t *offset, const uint32_t *item, double *mean);
means_find_fn device_means_find;

/* NULL is accepted. */
void device_means_close(device_means *device);

#ifdef __cplusplus
}
#endif

#endif
