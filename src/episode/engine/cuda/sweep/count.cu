/*
 * Counting on the device: a prefix against the 32 lanes of one stream, one warp a run.
 *
 * The warp takes 32 ends of the prefix's list at a time: each thread works out one end's row, shift
 * and base, then all go over the 32 in order, thread l being lane l of the tile. Greedy by earliest
 * end, as the CPU kernel (engine/sweep/kernel.h). With a threshold the warp counts the prefix along
 * and stops when no candidate can reach the threshold any more.
 *
 * Memory: 16 bytes of shared memory an end, 512 a warp. Where the stream has a delay table a step
 * reads one row, 64 or 128 bytes; where memory allowed none each thread looks its lane up: two
 * loads that depend on each other. Any list length; runs up to 2^32 - 1.
 */
#include <cub/device/device_radix_sort.cuh>

#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned WARP = 32;
constexpr unsigned WARPS = 8; /* a block */
constexpr unsigned ALL = 0xffffffffu;
constexpr unsigned AHEAD = 8; /* rows read before they are used */
constexpr const char *WHAT = "counting";

struct counting {
    csweep_view view;
    void *const *table; /* per stream, NULL: none */
    uint64_t begin;     /* first row of the batch */
    const uint32_t *row_lane, *row_count;
    const uint64_t *first; /* of the lists; NULL: single lanes */
    const csweep_entry *entry;
    uint64_t n_runs;
    const uint32_t *prefix, *stream, *mask, *candidate, *order;
    uint64_t threshold;
    uint32_t *found;
    uint32_t *counts;
};

/* An end as all threads of the warp use it; one load. */
struct alignas(16) end_of_prefix {
    uint32_t place;
    uint32_t shift;
    uint32_t base;
    uint32_t unused;
};

/* Where a run stands. */
struct run_state {
    csweep_lane_state lane;
    csweep_lane_state prefix;
};

/* Followers from the table. */
template <typename entry> struct from_table {
    const entry *table;

    __device__ uint32_t later(const counting &, uint32_t place) const
    {
        return __ldg(table + static_cast<uint64_t>(place) * WARP + threadIdx.x % WARP);
    }
};

/* Followers looked up. */
struct looked_up {
    const uint32_t *lo;
    const uint32_t *hi;
    uint32_t lane;
    uint32_t n;
    const uint32_t *ranks;

    __device__ uint32_t later(const counting &c, uint32_t place) const
    {
        if (n == 0 || place >= c.view.n_places)
            return 0;
        uint32_t at = csweep_up_to(&c.view, lane, lo[place]);
        return at < n && ranks[at] <= hi[place] ? ranks[at] - c.view.place_rank[place] : 0;
    }
};

/* Goes over one chunk of up to 32 ends that lie in shared memory; a chunk that is not full ends
 * with ends at the place behind the last, which nothing follows. */
template <typename followers>
__device__ void count_chunk(const counting &c, const followers &f, const end_of_prefix *ends,
                            run_state *s)
{
#pragma unroll 1
    for (unsigned i = 0; i < WARP; i += AHEAD) {
        uint32_t later[AHEAD];
        end_of_prefix end[AHEAD];
#pragma unroll
        for (unsigned j = 0; j < AHEAD; j++) {
            end[j] = ends[i + j];
            later[j] = f.later(c, end[j].place);
        }
#pragma unroll
        for (unsigned j = 0; j < AHEAD; j++) {
            csweep_step(&s->lane, end[j].shift, end[j].base, later[j]);
            csweep_prefix_step(&s->prefix, end[j].shift, end[j].base);
        }
    }
}

template <typename followers>
__device__ uint32_t count_run(const counting &c, const followers &f, uint32_t row, uint32_t mask,
                              end_of_prefix *ends)
{
    const unsigned thread = threadIdx.x % WARP;
    const csweep_entry *list = nullptr;
    uint32_t lane = c.row_lane[row];
    uint64_t n = 0;
    if (c.first != nullptr) {
        const uint64_t *first = c.first + (row - c.begin);
        list = c.entry + first[0];
        n = first[1] - first[0];
    } else {
        n = c.view.lane_count[lane];
    }
    const bool wanted = mask >> thread & 1;
    const uint64_t prefix_count = c.row_count[row];
    run_state s = {{0, 0}, {0, 0}};
    uint32_t start_before = 0;
    for (uint64_t k0 = 0; k0 < n; k0 += WARP) {
        uint64_t k = k0 + thread;
        csweep_entry e = {static_cast<uint32_t>(c.view.n_places), 0};
        uint32_t base = 0;
        if (k < n) {
            e = list != nullptr ? list[k] : csweep_lane_entry(&c.view, lane, k);
            base = c.view.place_rank[e.place] - e.start + 1;
        }
        uint32_t before = __shfl_up_sync(ALL, e.start, 1);
        before = thread == 0 ? (k0 == 0 ? e.start : start_before) : before;
        start_before = __shfl_sync(ALL, e.start, WARP - 1);
        __syncwarp();
        ends[thread] = {e.place, k < n ? e.start - before : 0, base, 0};
        __syncwarp();
        count_chunk(c, f, ends, &s);
        /* What may still come are at most as many occurrences as the prefix's own greedy count has
         * left, and one more (engine/sweep/task.c). */
        if (c.threshold > 0 && k0 + WARP < n) {
            uint64_t most = s.lane.count + (prefix_count - s.prefix.count) + 1;
            if (!__any_sync(ALL, wanted && most >= c.threshold))
                break;
        }
    }
    return s.lane.count;
}

template <typename entry> __global__ void __launch_bounds__(WARPS *WARP) count_runs(counting c)
{
    __shared__ end_of_prefix ends[WARPS][WARP];
    const unsigned warp = threadIdx.x / WARP;
    const unsigned thread = threadIdx.x % WARP;
    uint64_t w = static_cast<uint64_t>(blockIdx.x) * WARPS + warp;
    if (w >= c.n_runs)
        return;
    uint32_t run = c.order != nullptr ? c.order[w] : static_cast<uint32_t>(w);
    uint32_t stream = c.stream[run];
    uint32_t mask = c.mask[run];
    uint32_t row = c.prefix[run];
    uint32_t count = 0;
    const entry *table = static_cast<const entry *>(c.table[stream]);
    if (table != nullptr) {
        from_table<entry> f = {table};
        count = count_run(c, f, row, mask, ends[warp]);
    } else {
        uint32_t delay = stream / c.view.n_tiles;
        uint32_t lane = stream % c.view.n_tiles * CSWEEP_LANES + thread;
        bool real = lane < c.view.n_lanes && (mask >> thread & 1);
        looked_up f = {c.view.reach + c.view.lo_bound[delay] * c.view.n_places,
                       c.view.reach + c.view.hi_bound[delay] * c.view.n_places, lane,
                       real ? c.view.lane_count[lane] : 0,
                       real ? c.view.place_rank + c.view.lane_first[lane] : nullptr};
        count = count_run(c, f, row, mask, ends[warp]);
    }
    bool wanted = mask >> thread & 1;
    uint32_t found = __ballot_sync(ALL, wanted && count >= c.threshold);
    if (wanted)
        c.counts[c.candidate[run] + __popc(mask & ((1u << thread) - 1))] = count;
    if (thread == 0)
        c.found[run] = found;
}

/* Runs whose prefixes end with the same unit read the same rows of the same table: such neighbours
 * find them in cache. */
__global__ void make_order_keys(uint64_t n, const uint32_t *prefix, const uint32_t *stream,
                                const uint32_t *row_lane, uint32_t n_streams, uint64_t *key,
                                uint32_t *value)
{
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    key[i] = static_cast<uint64_t>(row_lane[prefix[i]]) * n_streams + stream[i];
    value[i] = static_cast<uint32_t>(i);
}

int bits_for(uint64_t n)
{
    int bits = 1;
    while (bits < 64 && n >> bits != 0)
        bits++;
    return bits;
}

spk_status order_runs(spk_context *context, const csweep_count_job *job, csweep_scratch *scratch,
                      csweep_batch *batch)
{
    uint64_t n = batch->n_runs;
    spk_status status = gpu_reserve(context, &scratch->keys, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->keys_out, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->values, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &batch->order, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *keys = static_cast<uint64_t *>(scratch->keys.data);
    uint64_t *keys_out = static_cast<uint64_t *>(scratch->keys_out.data);
    uint32_t *values = static_cast<uint32_t *>(scratch->values.data);
    uint32_t *order = static_cast<uint32_t *>(batch->order.data);
    uint64_t n_streams = job->tables->n_streams;
    int bits = bits_for(job->index->view.n_lanes * n_streams);
    make_order_keys<<<static_cast<unsigned>((n + 255) / 256), 256, 0, cudaStreamPerThread>>>(
        n, static_cast<const uint32_t *>(batch->prefix.data),
        static_cast<const uint32_t *>(batch->stream.data),
        static_cast<const uint32_t *>(job->level->lane.data), static_cast<uint32_t>(n_streams),
        keys, values);
    size_t bytes = 0;
    status = gpu_check(context,
                       cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys_out, values,
                                                       order, n, 0, bits, cudaStreamPerThread),
                       WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->temporary, bytes, 1, WHAT);
    if (status == SPK_OK)
        status = gpu_check(context,
                           cub::DeviceRadixSort::SortPairs(scratch->temporary.data, bytes, keys,
                                                           keys_out, values, order, n, 0, bits,
                                                           cudaStreamPerThread),
                           WHAT);
    return status;
}

} // namespace

extern "C" spk_status csweep_count(spk_context *context, const csweep_count_job *job,
                                   csweep_scratch *scratch, csweep_batch *batch)
{
    uint64_t n = batch->n_runs;
    if (n == 0)
        return SPK_OK;
    spk_status status = gpu_reserve(context, &batch->found, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &batch->counts, batch->n_candidates, sizeof(uint32_t), WHAT);
    bool ordered = n > 4096;
    if (status == SPK_OK && ordered)
        status = order_runs(context, job, scratch, batch);
    if (status != SPK_OK)
        return status;
    counting c = {};
    c.view = job->index->view;
    c.table = static_cast<void *const *>(job->tables->pointers.data);
    c.begin = batch->begin;
    c.row_lane = static_cast<const uint32_t *>(job->level->lane.data);
    c.row_count = static_cast<const uint32_t *>(job->level->count.data);
    if (job->lists != nullptr) {
        c.begin = job->lists->begin;
        c.first = static_cast<const uint64_t *>(job->lists->first.data);
        c.entry = static_cast<const csweep_entry *>(job->lists->entry.data);
    }
    c.n_runs = n;
    c.prefix = static_cast<const uint32_t *>(batch->prefix.data);
    c.stream = static_cast<const uint32_t *>(batch->stream.data);
    c.mask = static_cast<const uint32_t *>(batch->mask.data);
    c.candidate = static_cast<const uint32_t *>(batch->candidate.data);
    c.order = ordered ? static_cast<const uint32_t *>(batch->order.data) : nullptr;
    c.threshold = job->threshold;
    c.found = static_cast<uint32_t *>(batch->found.data);
    c.counts = static_cast<uint32_t *>(batch->counts.data);
    unsigned blocks = static_cast<unsigned>((n + WARPS - 1) / WARPS);
    if (job->tables->wide)
        count_runs<uint32_t><<<blocks, WARPS * WARP, 0, cudaStreamPerThread>>>(c);
    else
        count_runs<uint16_t><<<blocks, WARPS * WARP, 0, cudaStreamPerThread>>>(c);
    return gpu_check_launch(context, WHAT);
}
