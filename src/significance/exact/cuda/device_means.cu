/*
 * Mean counts of patterns on a GPU: 16 threads own a pattern, a block has eight patterns. Memory:
 * the null hypothesis, and the items of a batch. Rows are read 64 bytes at a time, mostly from the
 * caches: those of all units are some hundred kilobytes.
 */
#include <cstdlib>
#include <cstring>

#include "cuda/kernel.cuh"
#include "cuda/staging.h"
#include "significance/exact/cuda/device_means.h"

struct device_means {
    int gpu;
    means_view view;
    gpu_buffer row, lag, starts, ends, block_order, has_end;
    gpu_buffer offset, item, mean;
    gpu_staging staging;
};

namespace
{

constexpr unsigned THREADS = 128;
constexpr const char *WHAT = "mean counts on the GPU";

__global__ void __launch_bounds__(THREADS)
    find_means(const __grid_constant__ means_view view, uint64_t n, const uint64_t *offset,
               const uint32_t *item, double *mean)
{
    __shared__ means_place place[THREADS / MEANS_LANES][MEANS_PLACES];
    const uint64_t i = gpu_thread() / MEANS_LANES;
    if (i >= n)
        return;
    const uint32_t size = static_cast<uint32_t>(offset[i + 1] - offset[i]);
    const double own = means_of_blocks(&view, item + (offset[i] - offset[0]), size, mean[i],
                                       place[threadIdx.x / MEANS_LANES]);
    if (gpu_thread() % MEANS_LANES == 0)
        mean[i] = own;
}

template <typename T>
spk_status send(spk_context *context, gpu_buffer *buffer, const T **array, uint64_t n)
{
    spk_status status = gpu_upload(context, buffer, *array, n, sizeof(T), WHAT);
    *array = static_cast<const T *>(buffer->data);
    return status;
}

spk_status send_view(spk_context *context, device_means *d)
{
    means_view *v = &d->view;
    spk_status status = send(context, &d->row, &v->row, v->n_units * v->stride);
    if (status == SPK_OK)
        status = send(context, &d->lag, &v->lag, v->window);
    if (status == SPK_OK)
        status = send(context, &d->starts, &v->starts, v->stride);
    if (status == SPK_OK)
        status = send(context, &d->ends, &v->ends, v->stride);
    if (status == SPK_OK)
        status = send(context, &d->block_order, &v->block_order, v->n_blocks);
    if (status == SPK_OK)
        status = send(context, &d->has_end, &v->has_end, v->n_blocks);
    return status;
}

} // namespace

spk_status device_means_open(spk_context *context, int gpu, const means_view *host,
                             device_means **out)
{
    int before = 0;
    device_means *d = static_cast<device_means *>(calloc(1, sizeof(device_means)));
    *out = d;
    if (d == nullptr)
        return spk_fail_memory(context, sizeof *d, WHAT);
    d->gpu = gpu;
    d->view = *host;
    spk_status status = gpu_check(context, cudaGetDevice(&before), WHAT);
    if (status == SPK_OK)
        status = gpu_enter(context, gpu);
    if (status == SPK_OK)
        status = send_view(context, d);
    (void)cudaSetDevice(before);
    return status;
}

/* A gpu_fill: the bytes of an array that is there. */
static bool copy(void *to, uint64_t first, uint64_t n, void *user)
{
    memcpy(to, static_cast<const char *>(user) + first, n);
    return true;
}

static spk_status send_bytes(spk_context *context, device_means *d, gpu_buffer *buffer,
                             const void *from, uint64_t bytes)
{
    return gpu_upload_filled(context, &d->staging, buffer, bytes, 1, copy, const_cast<void *>(from),
                             WHAT);
}

static spk_status find(spk_context *context, device_means *d, uint64_t n, const uint64_t *offset,
                       const uint32_t *item, double *mean)
{
    spk_status status = send_bytes(context, d, &d->offset, offset, (n + 1) * sizeof *offset);
    if (status == SPK_OK)
        status = send_bytes(context, d, &d->item, item + offset[0],
                            (offset[n] - offset[0]) * sizeof *item);
    if (status == SPK_OK)
        status = send_bytes(context, d, &d->mean, mean, n * sizeof *mean);
    double *const means = static_cast<double *>(d->mean.data);
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, find_means, n * MEANS_LANES, THREADS, d->view, n,
                            static_cast<const uint64_t *>(d->offset.data),
                            static_cast<const uint32_t *>(d->item.data), means);
    return status == SPK_OK ? gpu_fetch(context, &d->staging, mean, means, n * sizeof *mean, WHAT)
                            : status;
}

spk_status device_means_find(spk_context *context, void *device, uint64_t n, const uint64_t *offset,
                             const uint32_t *item, double *mean)
{
    device_means *d = static_cast<device_means *>(device);
    int before = 0;
    spk_status status = gpu_check(context, cudaGetDevice(&before), WHAT);
    if (status == SPK_OK)
        status = gpu_join(context, d->gpu);
    if (status == SPK_OK)
        status = find(context, d, n, offset, item, mean);
    (void)cudaSetDevice(before);
    return status;
}

void device_means_close(device_means *d)
{
    int before = 0;
    if (d == nullptr)
        return;
    (void)cudaGetDevice(&before);
    (void)cudaSetDevice(d->gpu);
    gpu_release_each({&d->row, &d->lag, &d->starts, &d->ends, &d->block_order, &d->has_end,
                      &d->offset, &d->item, &d->mean});
    gpu_staging_close(&d->staging);
    gpu_leave(); /* the thread may end next */
    (void)cudaSetDevice(before);
    free(d);
}
