/*
 * What files with kernels share: thread numbers, launches whose errors are returned, several
 * buffers at once.
 */
#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>

#include "cuda/device.h"
#include "cuda/shared.h"

constexpr unsigned GPU_WARP = 32;
constexpr unsigned GPU_WHOLE_WARP = 0xffffffffu; /* the mask of all its threads */

/* Number of the calling thread in the grid. */
__device__ __forceinline__ uint64_t gpu_thread()
{
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/* Launches a kernel with n threads, in blocks of `block`, on the calling thread's stream. */
template <typename... parameters, typename... arguments>
spk_status gpu_launch(spk_context *context, const char *what, void (*kernel)(parameters...),
                      uint64_t n, unsigned block, arguments... values)
{
    kernel<<<gpu_blocks(n, block), block, 0, cudaStreamPerThread>>>(values...);
    return gpu_check_launch(context, what);
}

/* The array of a buffer of 32-bit numbers. */
inline uint32_t *gpu_words(const gpu_buffer &buffer)
{
    return static_cast<uint32_t *>(buffer.data);
}

/* gpu_reserve for each of several buffers. */
inline spk_status gpu_reserve_each(spk_context *context,
                                   std::initializer_list<gpu_buffer *> buffers, uint64_t n,
                                   uint64_t size, const char *what)
{
    spk_status status = SPK_OK;
    for (gpu_buffer *buffer : buffers)
        if (status == SPK_OK)
            status = gpu_reserve(context, buffer, n, size, what);
    return status;
}

inline void gpu_release_each(std::initializer_list<gpu_buffer *> buffers)
{
    for (gpu_buffer *buffer : buffers)
        gpu_release(buffer);
}
