/*
 * cuda-bitmap on a GPU: the kernels. Each warp takes one chunk, one root or, in the search, one
 * task after the other from a counter in device memory; what a warp owns and how much memory it has
 * is said in roots.h, node.h and search.h. A search ends after PATIENCE at the latest with the
 * tasks that it has begun, so that the host can look for a cancel; the next one goes on from there.
 */
#include "cuda/kernel.cuh"
#include "pattern/engine/cuda/machine.h"
#include "pattern/engine/cuda/search.h"

namespace
{

constexpr unsigned THREADS = 128;
constexpr uint32_t WARPS_A_MULTIPROCESSOR = 16;
constexpr uint32_t SPLIT_ITEMS = 96;
constexpr uint64_t PATIENCE = 400'000'000; /* steps of the clock */
constexpr const char *WHAT = "searching patterns on the GPU";

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

__global__ void __launch_bounds__(THREADS) search(const __grid_constant__ cp_view view, uint64_t n)
{
    if (warp() >= n)
        return;
    cp_search s;
    s.v = &view;
    s.arena = view.arena + warp() * view.arena_words;
    const uint64_t begin = clock64();
    while (cp_from_first(clock64() - begin) < PATIENCE && cp_take_task(&s)) {
        cp_run_task(&s);
        if (s.full || s.too_small) {
            cp_put_down(&s);
            return;
        }
    }
}

extern "C" {

static spk_status open_gpu(spk_context *context, uint64_t limit, uint64_t *bytes, uint32_t *n_warps)
{
    int device = 0;
    int multiprocessors = 0;
    spk_status status = gpu_check(context, cudaGetDevice(&device), WHAT);
    if (status == SPK_OK)
        status = gpu_check(
            context,
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), WHAT);
    if (status == SPK_OK)
        status = gpu_memory_budget(context, limit, bytes);
    *n_warps = static_cast<uint32_t>(multiprocessors) * WARPS_A_MULTIPROCESSOR;
    return status;
}

static spk_status send(spk_context *context, void *to, const void *from, uint64_t bytes)
{
    if (bytes == 0)
        return SPK_OK;
    return gpu_check(context,
                     cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread),
                     WHAT);
}

static spk_status fetch(spk_context *context, void *to, const void *from, uint64_t bytes)
{
    return gpu_download(context, to, from, bytes, WHAT);
}

static spk_status run(spk_context *context, const cp_view *view, cp_step step, uint64_t n)
{
    void (*const kernel[])(const cp_view, uint64_t) = {count_items, list_roots, fill_columns, plan,
                                                       search};
    return n == 0 ? SPK_OK
                  : gpu_launch(context, WHAT, kernel[step], n * GPU_WARP, THREADS, *view, n);
}

} // extern "C"

} // namespace

extern "C" const cp_machine cp_machine_gpu = {SPLIT_ITEMS, open_gpu, gpu_reserve, gpu_release,
                                              send,        fetch,    run};
