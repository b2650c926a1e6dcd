/*
 * cuda-bitmap: the kernel of a search. All aims are searched by the same code, compiled once for
 * each of them (lists.cu, counts.cu, sets.cu): what only one of them does takes no registers from
 * the others. A search ends after PATIENCE at the latest with the tasks that it has begun, so that
 * the host can look for a cancel; the next one goes on from there.
 */
#pragma once

#include "cuda/kernel.cuh"
#include "pattern/engine/cuda/search.h"

/* Threads of a block, and the blocks that have room on a multiprocessor: with fewer registers for
 * each thread some of a branch lies in local memory, but more warps hide what all wait for. */
constexpr unsigned CP_THREADS = 128;
constexpr uint32_t CP_BLOCKS = 6;
constexpr const char *CP_WHAT = "searching patterns on the GPU";

/* Launches the search with n warps. */
spk_status cp_search_lists(spk_context *context, const cp_view *view, uint64_t n);
spk_status cp_search_counts(spk_context *context, const cp_view *view, uint64_t n);
spk_status cp_search_sets(spk_context *context, const cp_view *view, uint64_t n);

#ifdef CP_AIM
namespace
{

constexpr uint64_t PATIENCE = 400'000'000; /* steps of the clock */

__global__ void __launch_bounds__(CP_THREADS, CP_BLOCKS)
    search(const __grid_constant__ cp_view view, uint64_t n)
{
    const uint64_t warp = gpu_thread() / GPU_WARP;
    if (warp >= n)
        return;
    cp_search s;
    s.v = &view;
    s.arena = view.arena + warp * view.arena_words;
    const uint64_t begin = clock64();
    while (cp_from_first(clock64() - begin) < PATIENCE && cp_take_task(&s)) {
        cp_run_task(&s);
        if (s.full || s.too_small) {
            cp_put_down(&s);
            return;
        }
    }
}

} // namespace
#endif
