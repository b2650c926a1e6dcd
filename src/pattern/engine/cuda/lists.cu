/* cuda-bitmap: the search for lists. */
#define CP_AIM CP_LISTS
#include "pattern/engine/cuda/search.cuh"

spk_status cp_search_lists(spk_context *context, const cp_view *view, uint64_t n)
{
    return gpu_launch(context, CP_WHAT, search, n * GPU_WARP, CP_THREADS, *view, n);
}
