/*
 * Calls of CUB. Each is made twice: the first tells how much temporary memory it needs, the second
 * does the work. The buffer for that memory is the caller's, grows, and serves one call after the
 * other.
 */
#pragma once

#include <cub/device/device_scan.cuh>

#include "cuda/device.h"

/* Calls call(temporary, bytes), which returns CUB's error, both times. */
template <typename action>
spk_status gpu_with_temporary(spk_context *context, gpu_buffer *temporary, const char *what,
                              const action &call)
{
    size_t bytes = 0;
    spk_status status = gpu_check(context, call(nullptr, bytes), what);
    if (status == SPK_OK)
        status = gpu_reserve(context, temporary, bytes, 1, what);
    return status == SPK_OK ? gpu_check(context, call(temporary->data, bytes), what) : status;
}

/* Each of n numbers becomes the sum of those before it. */
template <typename number>
spk_status gpu_exclusive_sum(spk_context *context, gpu_buffer *temporary, number *array, uint64_t n,
                             const char *what)
{
    return gpu_with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, array, n, cudaStreamPerThread);
    });
}

/* The same with its own value. */
template <typename number>
spk_status gpu_inclusive_sum(spk_context *context, gpu_buffer *temporary, number *array, uint64_t n,
                             const char *what)
{
    return gpu_with_temporary(context, temporary, what, [&](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, array, n, cudaStreamPerThread);
    });
}
