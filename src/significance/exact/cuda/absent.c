/* Builds without CUDA: means are made on processors alone. */
#include "significance/exact/cuda/device_means.h"

static spk_status not_built(spk_context *context)
{
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "GPU: not built: this build has no CUDA");
}

spk_status device_means_open(spk_context *context, int gpu, const means_view *host,
                             device_means **out)
{
    (void)gpu, (void)host;
    *out = NULL;
    return not_built(context);
}

spk_status device_means_find(spk_context *context, void *device, uint64_t n, const uint64_t *offset,
                             const uint32_t *item, double *mean)
{
    (void)device, (void)n, (void)offset, (void)item, (void)mean;
    return not_built(context);
}

void device_means_close(device_means *device)
{
    (void)device;
}

spk_status device_sieve_open(spk_context *context, const sieve_view *host, device_sieve **out)
{
    (void)host;
    *out = NULL;
    return not_built(context);
}

spk_status device_sieve_set(spk_context *context, device_sieve *sieve, const uint32_t *row,
                            const double *limit, uint32_t n_rows)
{
    (void)sieve, (void)row, (void)limit, (void)n_rows;
    return not_built(context);
}

spk_status device_sieve_run(spk_context *context, device_sieve *sieve, const uint32_t *word,
                            uint64_t n_words, const uint64_t *place, uint64_t n,
                            const uint32_t **kept, uint64_t *n_words_kept, uint64_t *n_kept,
                            uint64_t *dropped)
{
    (void)sieve, (void)word, (void)n_words, (void)place, (void)n;
    (void)kept, (void)n_words_kept, (void)n_kept, (void)dropped;
    return not_built(context);
}

void device_sieve_close(device_sieve *sieve)
{
    (void)sieve;
}
