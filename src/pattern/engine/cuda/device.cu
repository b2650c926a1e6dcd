/*
 * cuda-bitmap on a GPU: the kernels. Each warp takes one chunk, one root or, in the search
 * (search.cuh), one task after the other from a counter in device memory; what a warp owns and how
 * much memory it has is said in roots.h, node.h and search.h.
 */
#include "pattern/engine/cuda/machine.h"
#include "pattern/engine/cuda/search.cuh"

namespace
{

constexpr uint32_t SPLIT_ITEMS = 96;

__device__ uint64_t warp()
{
    return gpu_thread() / GPU_WARP;
}

__global__ void count_items(const __grid_constant__ cp_view view, uint64_t n)
{
    if (warp() < n)
        cp_count_items(&view, warp());
}

__global__ void list_roots(const __grid_constant__ cp_view view, uint64_t n)
{
    if (warp() < n)
        cp_list_root(&view, static_cast<uint32_t>(warp()));
}

__global__ void fill_columns(const __grid_constant__ cp_view view, uint64_t n)
{
    if (warp() < n)
        cp_fill_columns(&view, warp());
}

__global__ void plan(const __grid_constant__ cp_view view, uint64_t n)
{
    if (warp() < n)
        cp_plan(&view);
}

extern "C" {

static spk_status open_gpu(spk_context *context, uint64_t limit, uint64_t *bytes, uint32_t *n_warps)
{
    int device = 0;
    int multiprocessors = 0;
    spk_status status = gpu_check(context, cudaGetDevice(&device), CP_WHAT);
    if (status == SPK_OK)
        status = gpu_check(
            context,
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
            CP_WHAT);
    if (status == SPK_OK)
        status = gpu_memory_budget(context, limit, bytes);
    *n_warps = static_cast<uint32_t>(multiprocessors) * CP_BLOCKS * CP_THREADS / GPU_WARP;
    return status;
}

static spk_status send(spk_context *context, void *to, const void *from, uint64_t bytes)
{
    if (bytes == 0)
        return SPK_OK;
    return gpu_check(context,
                     cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread),
                     CP_WHAT);
}

static spk_status fetch(spk_context *context, void *to, const void *from, uint64_t bytes)
{
    return gpu_download(context, to, from, bytes, CP_WHAT);
}

static spk_status run(spk_context *context, const cp_view *view, cp_step step, uint64_t n)
{
    void (*const kernel[])(const cp_view, uint64_t) = {count_items, list_roots, fill_columns, plan};
    if (n == 0)
        return SPK_OK;
    if (step == CP_SEARCH)
        return view->aim == CP_LISTS    ? cp_search_lists(context, view, n)
               : view->aim == CP_COUNTS ? cp_search_counts(context, view, n)
                                        : cp_search_sets(context, view, n);
    return gpu_launch(context, CP_WHAT, kernel[step], n * GPU_WARP, CP_THREADS, *view, n);
}

} // extern "C"

} // namespace

extern "C" const cp_machine cp_machine_gpu = {SPLIT_ITEMS, open_gpu, gpu_reserve, gpu_release,
                                              send,        fetch,    run};
