/* Devices, errors, memory. */
#include "cuda/device.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "cuda/fault.h"

bool gpu_available(char *reason, size_t reason_size)
{
    int n = 0;
    cudaError_t error = cudaGetDeviceCount(&n);
    if (error == cudaSuccess && n > 0) {
        reason[0] = '\0';
        return true;
    }
    /* The error would otherwise be found by the next check of a launch. */
    (void)cudaGetLastError();
    if (error == cudaErrorInsufficientDriver)
        snprintf(reason, reason_size,
                 "no NVIDIA driver, or one too old for CUDA %d.%d; install or update it",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (error == cudaSuccess || error == cudaErrorNoDevice)
        snprintf(reason, reason_size, "the NVIDIA driver finds no GPU");
    else
        snprintf(reason, reason_size, "CUDA does not start: %s", cudaGetErrorString(error));
    return false;
}

int gpu_count(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return n;
}

static_assert(offsetof(gpu_fault, base) == 0, "a fault is found by its first member");

int gpu_fault_strike(spk_fault *base)
{
    gpu_fault *fault = (gpu_fault *)base;
    int device = -1;
    (void)cudaGetDevice(&device);
    bool here = fault->device < 0 || fault->device == device;
    return here && --fault->left == 0 ? fault->error : 0;
}

/* The error of a test's making that this call is to have. */
static cudaError_t fault_here(const spk_context *context)
{
    return (cudaError_t)spk_fault_strike(context);
}

spk_status gpu_check(spk_context *context, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        error = fault_here(context);
    if (error == cudaSuccess)
        return SPK_OK;
    int device = -1;
    (void)cudaGetDevice(&device);
    (void)cudaGetLastError();
    if (error == cudaErrorMemoryAllocation)
        return spk_fail(context, SPK_ERR_MEMORY,
                        "GPU %d: %s: the device's memory is exhausted; end other programs on it or "
                        "set a memory limit",
                        device, what);
    return spk_fail(context, SPK_ERR_DEVICE, "GPU %d: %s: %s (%s)", device, what,
                    cudaGetErrorString(error), cudaGetErrorName(error));
}

spk_status gpu_check_launch(spk_context *context, const char *what)
{
    return gpu_check(context, cudaPeekAtLastError(), what);
}

spk_status gpu_wait(spk_context *context, const char *what)
{
    return gpu_check(context, cudaStreamSynchronize(cudaStreamPerThread), what);
}

spk_status gpu_join(spk_context *context, int k)
{
    return gpu_check(context, cudaSetDevice(k), "starting");
}

void gpu_leave(void)
{
    (void)cudaStreamSynchronize(cudaStreamPerThread);
    (void)cudaGetLastError();
}

spk_status gpu_describe(spk_context *context, gpu_facts *out)
{
    int device = 0;
    size_t free_bytes = 0;
    size_t all_bytes = 0;
    struct cudaDeviceProp facts;
    spk_status status = gpu_check(context, cudaGetDevice(&device), "describing it");
    if (status == SPK_OK)
        status = gpu_check(context, cudaGetDeviceProperties(&facts, device), "describing it");
    if (status == SPK_OK)
        status = gpu_check(context, cudaMemGetInfo(&free_bytes, &all_bytes), "describing it");
    if (status != SPK_OK)
        return status;
    *out = (gpu_facts){.major = facts.major,
                       .minor = facts.minor,
                       .multiprocessors = facts.multiProcessorCount,
                       .threads_per_multiprocessor = facts.maxThreadsPerMultiProcessor,
                       .memory = all_bytes,
                       .free_memory = free_bytes,
                       .shared_per_block = facts.sharedMemPerBlockOptin};
    snprintf(out->name, sizeof out->name, "%s", facts.name);
    /* The UUID in hexadecimal: the number of a device changes with the environment, and this does
     * not. */
    for (size_t k = 0; k < 16; k++)
        snprintf(out->id + 2 * k, 3, "%02x", (unsigned)(unsigned char)facts.uuid.bytes[k]);
    return SPK_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void gpu_release(gpu_buffer *buffer)
{
    if (buffer->data != NULL)
        (void)cudaFreeAsync(buffer->data, cudaStreamPerThread);
    *buffer = (gpu_buffer){.data = NULL};
}

spk_status gpu_reserve(spk_context *context, gpu_buffer *buffer, uint64_t n, uint64_t size,
                       const char *what)
{
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(n, size, &bytes))
        return spk_fail_memory(context, UINT64_MAX, what);
    bytes += bytes == 0; /* a valid pointer in any case */
    if (bytes <= buffer->bytes)
        return SPK_OK;
    gpu_release(buffer);
    void *data = NULL;
    cudaError_t error = fault_here(context);
    if (error == cudaSuccess)
        error = cudaMallocAsync(&data, bytes, cudaStreamPerThread);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return spk_fail(context, SPK_ERR_MEMORY,
                        "the GPU has no %.2f MB left for %s; end other programs on it, or mine "
                        "fewer units or a shorter stretch",
                        (double)bytes / 1e6, what);
    }
    if (error != cudaSuccess)
        return gpu_check(context, error, what);
    *buffer = (gpu_buffer){data, bytes};
    return SPK_OK;
}

spk_status gpu_upload(spk_context *context, gpu_buffer *buffer, const void *from, uint64_t n,
                      uint64_t size, const char *what)
{
    spk_status status = gpu_reserve(context, buffer, n, size, what);
    if (status == SPK_OK && n > 0)
        status = gpu_check(context,
                           cudaMemcpyAsync(buffer->data, from, n * size, cudaMemcpyHostToDevice,
                                           cudaStreamPerThread),
                           what);
    return status;
}

spk_status gpu_download(spk_context *context, void *to, const void *from, uint64_t bytes,
                        const char *what)
{
    if (bytes == 0)
        return SPK_OK;
    spk_status status = gpu_check(
        context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread),
        what);
    return status == SPK_OK ? gpu_wait(context, what) : status;
}

spk_status gpu_clear(spk_context *context, void *data, uint64_t bytes, const char *what)
{
    return gpu_check(context, cudaMemsetAsync(data, 0, bytes, cudaStreamPerThread), what);
}

spk_status gpu_share_memory(spk_context *context, int n_devices)
{
    const char *what = "sharing memory with other GPUs";
    cudaMemPool_t pool = NULL;
    int device = 0;
    if (n_devices < 2)
        return SPK_OK;
    spk_status status = gpu_check(context, cudaGetDevice(&device), what);
    if (status == SPK_OK)
        status = gpu_check(context, cudaDeviceGetDefaultMemPool(&pool, device), what);
    /* Every device that reaches this one may use its pool. Devices that do not reach it copy
     * through the host, which is no error. */
    for (int k = 0; k < n_devices && status == SPK_OK; k++) {
        int can = 0;
        if (k != device)
            status = gpu_check(context, cudaDeviceCanAccessPeer(&can, k, device), what);
        struct cudaMemAccessDesc access = {
            .location = {.type = cudaMemLocationTypeDevice, .id = k},
            .flags = cudaMemAccessFlagsProtReadWrite,
        };
        if (status == SPK_OK && can)
            status = gpu_check(context, cudaMemPoolSetAccess(pool, &access, 1), what);
    }
    return status;
}

spk_status gpu_memory_budget(spk_context *context, uint64_t limit, uint64_t *bytes)
{
    size_t free_bytes = 0;
    size_t all_bytes = 0;
    spk_status status =
        gpu_check(context, cudaMemGetInfo(&free_bytes, &all_bytes), "asking for its memory");
    if (status != SPK_OK)
        return status;
    /* What the pool holds but nobody uses is free for us as well. */
    cudaMemPool_t pool = NULL;
    uint64_t held = 0;
    uint64_t used = 0;
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess) {
        (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held);
        (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    }
    uint64_t most = (free_bytes + (held - used)) / 10 * 9;
    *bytes = limit > 0 && limit < most ? limit : most;
    return SPK_OK;
}

uint64_t gpu_memory_used(int k)
{
    cudaMemPool_t pool = NULL;
    uint64_t used = 0;
    if (cudaDeviceGetDefaultMemPool(&pool, k) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
        (void)cudaGetLastError();
    return used;
}
