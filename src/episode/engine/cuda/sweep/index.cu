/*
 * Builds the index of cuda-sweep and its delay tables on the device.
 *
 * Index: one thread an event, or a place, or a word. Memory: 4 bytes a place and bound, 4 a place,
 * 16 for 64 ranks of a lane; while it is built 20 bytes an event more. Up to 2^32 - 2 events.
 * Tables: one warp takes ROWS neighbouring places of a stream, a lane of the warp is a lane of the
 * tile.
 */
#include <cstdlib>

#include <cub/device/device_scan.cuh>

#include "episode/engine/cuda/sweep/index.h"

#include "base/memory.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr unsigned ROWS = 4;
constexpr const char *WHAT = "the index of engine 'cuda-sweep'";

unsigned blocks_for(uint64_t n)
{
    return static_cast<unsigned>((n + THREADS - 1) / THREADS);
}

__device__ uint64_t global_thread()
{
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void mark_new_times(uint64_t n, const int64_t *time, uint32_t *is_new)
{
    uint64_t i = global_thread();
    if (i < n)
        is_new[i] = i > 0 && time[i] != time[i - 1];
}

__global__ void collect_times(uint64_t n, const int64_t *time, const uint32_t *event_rank,
                              int64_t *rank_time)
{
    uint64_t i = global_thread();
    if (i < n)
        rank_time[event_rank[i]] = time[i]; /* ties write the same */
}

__global__ void rank_places(uint64_t n, const uint32_t *by_unit, const uint32_t *event_rank,
                            uint32_t *place_rank)
{
    uint64_t i = global_thread();
    if (i < n)
        place_rank[i] = event_rank[by_unit[i]];
}

__global__ void find_reach(uint64_t n, const uint32_t *place_rank, const int64_t *rank_time,
                           uint32_t n_ranks, uint64_t bound, uint32_t *reach)
{
    uint64_t i = global_thread();
    if (i < n)
        reach[i] = csweep_reach(rank_time, n_ranks, place_rank[i], bound);
}

__global__ void widest_span(uint64_t n, const uint32_t *place_rank, const uint32_t *reach,
                            uint32_t *widest)
{
    uint64_t i = global_thread();
    uint32_t span = i < n ? reach[i] - place_rank[i] : 0;
    span = __reduce_max_sync(0xffffffffu, span);
    if (threadIdx.x % 32 == 0 && span > 0)
        atomicMax(widest, span);
}

/* One thread a word: the events of its lane that lie in its 64 ranks. */
__global__ void fill_words(csweep_view view, csweep_word *word)
{
    uint64_t i = global_thread();
    if (i >= static_cast<uint64_t>(view.n_lanes) * view.n_words)
        return;
    uint32_t lane = static_cast<uint32_t>(i / view.n_words);
    uint32_t first_rank = static_cast<uint32_t>(i % view.n_words) * 64;
    const uint32_t *ranks = view.place_rank + view.lane_first[lane];
    uint32_t n = view.lane_count[lane];
    csweep_view without_words = view;
    without_words.word = nullptr;
    uint32_t k = first_rank == 0 ? 0 : csweep_up_to(&without_words, lane, first_rank - 1);
    csweep_word out = {0, k, 0};
    for (; k < n && ranks[k] - first_rank < 64; k++)
        out.bits |= 1ull << (ranks[k] - first_rank);
    word[i] = out;
}

struct scratch {
    gpu_buffer time, by_unit, event_rank, rank_time, temporary, widest;
};

void scratch_free(scratch *s)
{
    gpu_release(&s->time);
    gpu_release(&s->by_unit);
    gpu_release(&s->event_rank);
    gpu_release(&s->rank_time);
    gpu_release(&s->temporary);
    gpu_release(&s->widest);
}

spk_status scan_ranks(spk_context *context, uint64_t n, scratch *s)
{
    uint32_t *rank = static_cast<uint32_t *>(s->event_rank.data);
    size_t bytes = 0;
    spk_status status = gpu_check(
        context, cub::DeviceScan::InclusiveSum(nullptr, bytes, rank, n, cudaStreamPerThread), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->temporary, bytes, 1, WHAT);
    if (status == SPK_OK)
        status = gpu_check(
            context,
            cub::DeviceScan::InclusiveSum(s->temporary.data, bytes, rank, n, cudaStreamPerThread),
            WHAT);
    return status;
}

/* Ranks of events and places, times of ranks. */
spk_status build_ranks(spk_context *context, const spk_events *events, csweep_index *index,
                       scratch *s)
{
    uint64_t n = events->n_events;
    spk_status status = gpu_upload(context, &s->time, events->time, n, sizeof(int64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &s->by_unit, events->by_unit, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->event_rank, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &index->place_rank, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    const int64_t *time = static_cast<const int64_t *>(s->time.data);
    uint32_t *rank = static_cast<uint32_t *>(s->event_rank.data);
    mark_new_times<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(n, time, rank);
    status = gpu_check_launch(context, WHAT);
    if (status == SPK_OK)
        status = scan_ranks(context, n, s);
    uint32_t last = 0;
    if (status == SPK_OK)
        status = gpu_download(context, &last, rank + n - 1, sizeof last, WHAT);
    index->view.n_ranks = last + 1;
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->rank_time, last + 1ull, sizeof(int64_t), WHAT);
    if (status != SPK_OK)
        return status;
    collect_times<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(
        n, time, rank, static_cast<int64_t *>(s->rank_time.data));
    rank_places<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(
        n, static_cast<const uint32_t *>(s->by_unit.data), rank,
        static_cast<uint32_t *>(index->place_rank.data));
    return gpu_check_launch(context, WHAT);
}

/* The distinct bounds of all intervals, and which each interval has. */
spk_status collect_bounds(spk_context *context, const spk_episode_job *job, uint64_t **bound_out,
                          uint32_t **which_out, uint64_t *n_out)
{
    spk_status status = spk_alloc(context, reinterpret_cast<void **>(bound_out), 2 * job->n_delays,
                                  sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = spk_alloc(context, reinterpret_cast<void **>(which_out), 2 * job->n_delays,
                           sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t n = 0;
    for (size_t k = 0; k < 2 * job->n_delays; k++) {
        const spk_tick_delay *delay = &job->delays[k % job->n_delays];
        uint64_t bound = k < job->n_delays ? delay->lo : delay->hi;
        uint64_t b = 0;
        while (b < n && (*bound_out)[b] != bound)
            b++;
        (*bound_out)[b] = bound;
        (*which_out)[k] = static_cast<uint32_t>(b);
        n += b == n;
    }
    *n_out = n;
    return SPK_OK;
}

spk_status build_reach(spk_context *context, const spk_episode_job *job, csweep_index *index,
                       scratch *s)
{
    uint64_t *bound = nullptr;
    uint32_t *which = nullptr;
    uint64_t n_bounds = 0;
    uint64_t n = index->view.n_places;
    const uint32_t *place_rank = static_cast<const uint32_t *>(index->place_rank.data);
    spk_status status = collect_bounds(context, job, &bound, &which, &n_bounds);
    if (status == SPK_OK)
        status = gpu_reserve(context, &index->reach, n_bounds * n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &index->lo_bound, which, job->n_delays, sizeof *which, WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &index->hi_bound, which + job->n_delays, job->n_delays,
                            sizeof *which, WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->widest, 1, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, s->widest.data, sizeof(uint32_t), WHAT);
    index->n_bounds = static_cast<uint32_t>(n_bounds);
    for (uint64_t b = 0; b < n_bounds && status == SPK_OK; b++) {
        uint32_t *reach = static_cast<uint32_t *>(index->reach.data) + b * n;
        find_reach<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(
            n, place_rank, static_cast<const int64_t *>(s->rank_time.data), index->view.n_ranks,
            bound[b], reach);
        widest_span<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(
            n, place_rank, reach, static_cast<uint32_t *>(s->widest.data));
        status = gpu_check_launch(context, WHAT);
    }
    if (status == SPK_OK) /* also waits until `which` may go */
        status = gpu_download(context, &index->widest, s->widest.data, sizeof index->widest, WHAT);
    free(bound);
    free(which);
    return status;
}

spk_status build_lanes(spk_context *context, const spk_events *events, const uint32_t *lane_unit,
                       csweep_index *index)
{
    uint32_t n = index->view.n_lanes;
    uint32_t *first = nullptr;
    spk_status status =
        spk_alloc(context, reinterpret_cast<void **>(&first), 2ull * n, sizeof *first, WHAT);
    for (uint32_t l = 0; l < n && status == SPK_OK; l++) {
        const uint64_t *place = events->unit_first + lane_unit[l];
        first[l] = static_cast<uint32_t>(place[0]);
        first[n + l] = static_cast<uint32_t>(place[1] - place[0]);
    }
    if (status == SPK_OK)
        status = gpu_upload(context, &index->lane_first, first, n, sizeof *first, WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &index->lane_count, first + n, n, sizeof *first, WHAT);
    if (status == SPK_OK)
        status = gpu_wait(context, WHAT);
    free(first);
    return status;
}

spk_status build_words(spk_context *context, uint64_t memory, csweep_index *index)
{
    csweep_view *view = &index->view;
    uint64_t n_words = (static_cast<uint64_t>(view->n_ranks) + 63) / 64;
    uint64_t n = n_words * view->n_lanes;
    if (n > memory / 8 / sizeof(csweep_word))
        return SPK_OK; /* binary search does as well */
    spk_status status = gpu_reserve(context, &index->word, n, sizeof(csweep_word), WHAT);
    if (status != SPK_OK)
        return status;
    view->n_words = static_cast<uint32_t>(n_words);
    fill_words<<<blocks_for(n), THREADS, 0, cudaStreamPerThread>>>(
        *view, static_cast<csweep_word *>(index->word.data));
    view->word = static_cast<const csweep_word *>(index->word.data);
    return gpu_check_launch(context, WHAT);
}

/* ---- tables ---------------------------------------------------------------------------------- */

template <typename entry>
__global__ void fill_table(csweep_view view, uint32_t delay, uint32_t tile, entry *table)
{
    uint32_t warp_lane = threadIdx.x % 32;
    uint32_t lane = tile * CSWEEP_LANES + warp_lane;
    uint64_t first = global_thread() / 32 * ROWS;
#pragma unroll
    for (uint64_t place = first; place < first + ROWS; place++) {
        if (place > view.n_places)
            return;
        bool real = place < view.n_places && lane < view.n_lanes;
        uint32_t follower =
            real ? csweep_follower(&view, delay, lane, static_cast<uint32_t>(place)) : 0;
        table[place * CSWEEP_LANES + warp_lane] = static_cast<entry>(follower);
    }
}

__global__ void fill_within(csweep_view view, uint32_t bound, uint32_t *within)
{
    uint64_t i = global_thread();
    if (i >= view.n_lanes * view.n_places)
        return;
    uint32_t lane = static_cast<uint32_t>(i / view.n_places);
    uint32_t place = static_cast<uint32_t>(i % view.n_places);
    within[static_cast<uint64_t>(bound) * view.n_lanes * view.n_places + i] =
        csweep_within(&view, bound, lane, place);
}

} // namespace

extern "C" void csweep_index_close(csweep_index *index)
{
    gpu_release(&index->place_rank);
    gpu_release(&index->lane_first);
    gpu_release(&index->lane_count);
    gpu_release(&index->word);
    gpu_release(&index->reach);
    gpu_release(&index->lo_bound);
    gpu_release(&index->hi_bound);
    gpu_release(&index->within);
}

extern "C" spk_status csweep_index_open(spk_context *context, const spk_episode_job *job,
                                        uint32_t n_lanes, const uint32_t *lane_unit,
                                        uint64_t memory, csweep_index *index)
{
    spk_events events = spk_recording_events(job->recording);
    scratch s = {};
    *index = {};
    index->n_delays = job->n_delays;
    csweep_view *view = &index->view;
    view->n_places = events.n_events;
    view->n_lanes = n_lanes;
    view->n_tiles = (n_lanes + CSWEEP_LANES - 1) / CSWEEP_LANES;
    spk_status status = build_ranks(context, &events, index, &s);
    if (status == SPK_OK)
        status = build_reach(context, job, index, &s);
    if (status == SPK_OK)
        status = build_lanes(context, &events, lane_unit, index);
    if (status == SPK_OK) {
        view->place_rank = static_cast<const uint32_t *>(index->place_rank.data);
        view->lane_first = static_cast<const uint32_t *>(index->lane_first.data);
        view->lane_count = static_cast<const uint32_t *>(index->lane_count.data);
        view->reach = static_cast<const uint32_t *>(index->reach.data);
        view->lo_bound = static_cast<const uint32_t *>(index->lo_bound.data);
        view->hi_bound = static_cast<const uint32_t *>(index->hi_bound.data);
        status = build_words(context, memory, index);
    }
    scratch_free(&s);
    if (status != SPK_OK)
        csweep_index_close(index);
    return status;
}

extern "C" uint64_t csweep_index_within_bytes(const csweep_index *index)
{
    return sizeof(uint32_t) * index->n_bounds * index->view.n_lanes * index->view.n_places;
}

extern "C" spk_status csweep_index_build_within(spk_context *context, csweep_index *index)
{
    spk_status status =
        gpu_reserve(context, &index->within, csweep_index_within_bytes(index), 1, WHAT);
    for (uint32_t b = 0; b < index->n_bounds && status == SPK_OK; b++) {
        fill_within<<<blocks_for(index->view.n_lanes * index->view.n_places), THREADS, 0,
                      cudaStreamPerThread>>>(index->view, b,
                                             static_cast<uint32_t *>(index->within.data));
        status = gpu_check_launch(context, WHAT);
    }
    if (status == SPK_OK)
        index->view.within = static_cast<const uint32_t *>(index->within.data);
    return status;
}

extern "C" spk_status csweep_tables_open(spk_context *context, const csweep_index *index,
                                         uint64_t memory, csweep_tables *tables)
{
    *tables = {};
    tables->n_streams = static_cast<uint64_t>(index->n_delays) * index->view.n_tiles;
    tables->wide = index->widest >= UINT16_MAX;
    tables->bytes_left = memory;
    tables->bytes_each = (index->view.n_places + 1) * CSWEEP_LANES *
                         (tables->wide ? sizeof(uint32_t) : sizeof(uint16_t));
    spk_status status = spk_alloc_zero(context, reinterpret_cast<void **>(&tables->table),
                                       tables->n_streams, sizeof *tables->table, "delay tables");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, reinterpret_cast<void **>(&tables->pointer),
                                tables->n_streams, sizeof *tables->pointer, "delay tables");
    if (status == SPK_OK)
        status = gpu_reserve(context, &tables->pointers, tables->n_streams, sizeof(void *),
                             "delay tables");
    const uint32_t one = 1;
    if (status == SPK_OK)
        status = gpu_upload(context, &tables->always, &one, 1, sizeof one, "delay tables");
    if (status == SPK_OK)
        status = gpu_wait(context, "delay tables"); /* `one` goes */
    tables->changed = true;
    if (status != SPK_OK)
        csweep_tables_close(tables);
    return status;
}

extern "C" uint64_t csweep_tables_bytes(const csweep_tables *tables)
{
    uint64_t n = tables->bytes_left / tables->bytes_each;
    return (n < tables->n_streams ? n : tables->n_streams) * tables->bytes_each;
}

extern "C" void csweep_tables_close(csweep_tables *tables)
{
    for (uint64_t s = 0; tables->table != nullptr && s < tables->n_streams; s++)
        gpu_release(&tables->table[s]);
    gpu_release(&tables->pointers);
    gpu_release(&tables->always);
    free(tables->table);
    free(tables->pointer);
    *tables = {};
}

extern "C" spk_status csweep_tables_need(spk_context *context, const csweep_index *index,
                                         uint64_t stream, csweep_tables *tables)
{
    gpu_buffer *table = &tables->table[stream];
    if (table->data != nullptr || tables->bytes_left < tables->bytes_each)
        return SPK_OK;
    spk_status status = gpu_reserve(context, table, tables->bytes_each, 1, "delay tables");
    if (status != SPK_OK)
        return status;
    const csweep_view *view = &index->view;
    uint32_t delay = static_cast<uint32_t>(stream / view->n_tiles);
    uint32_t tile = static_cast<uint32_t>(stream % view->n_tiles);
    unsigned blocks = blocks_for((view->n_places / ROWS + 1) * 32);
    if (tables->wide)
        fill_table<uint32_t><<<blocks, THREADS, 0, cudaStreamPerThread>>>(
            *view, delay, tile, static_cast<uint32_t *>(table->data));
    else
        fill_table<uint16_t><<<blocks, THREADS, 0, cudaStreamPerThread>>>(
            *view, delay, tile, static_cast<uint16_t *>(table->data));
    tables->bytes_left -= tables->bytes_each;
    tables->pointer[stream] = table->data;
    tables->changed = true;
    return gpu_check_launch(context, "delay tables");
}

extern "C" spk_status csweep_tables_publish(spk_context *context, csweep_tables *tables)
{
    if (!tables->changed)
        return SPK_OK;
    spk_status status = gpu_upload(context, &tables->pointers, tables->pointer, tables->n_streams,
                                   sizeof(void *), "delay tables");
    tables->changed = status != SPK_OK;
    return status;
}
