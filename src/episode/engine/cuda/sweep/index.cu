/*
 * Builds the index of cuda-sweep and its delay tables on the device (docs/explanation/gpu.md).
 *
 * Index: one thread owns one event, place, rank or word; a block owns 256.
 * Memory: 4 bytes a place and bound, 8 a place, 16 for 64 ranks of a lane; while it is built up to
 * 28 bytes an event more, among them the encoded events.
 * Limits: 2^32 - 2 events. Words are left out where they would take too much memory; look-ups then
 * search ranks.
 *
 * Tables: one warp owns a range of events in order of time and a strip; a lane of the warp is a
 * lane of the strip's tile. It goes through the events of its own lane alongside (csweep_cursor),
 * so that a row costs what writing it costs. Memory: 32 entries of 2 or 4 bytes a place and strip.
 * Limits: strips without memory for their table are looked up step by step (count.cu).
 */
#include <cstdlib>
#include <type_traits>

#include "base/memory.h"
#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/sweep/index.h"

namespace
{

constexpr unsigned THREADS = 256;
/* Events that a warp makes rows for; fewer where there would be too few warps. */
constexpr uint64_t MOST_ROWS = 512;
constexpr uint64_t ENOUGH_WARPS = 1u << 14;
constexpr unsigned SPAN_THREADS = 1024 * THREADS;
constexpr uint32_t NO_PLACE = UINT32_MAX;
static_assert(GPU_WARP == CSWEEP_LANES, "a lane of a warp is a lane of a tile");
constexpr const char *WHAT = "the index of engine 'cuda-sweep'";

template <typename code>
__global__ void read_units(uint64_t n, const code *units, uint32_t *unit, uint32_t *event)
{
    uint64_t i = gpu_thread();
    if (i >= n)
        return;
    unit[i] = units[i];
    event[i] = static_cast<uint32_t>(i);
}

/* Sums of these are times, from the first event on, and ranks. */
template <typename code>
__global__ void read_deltas(uint64_t n, const code *deltas, uint64_t *time, uint32_t *rank)
{
    uint64_t i = gpu_thread();
    if (i >= n)
        return;
    code delta = deltas[i];
    time[i] = delta;
    rank[i] = delta != 0;
}

__global__ void collect_times(uint64_t n, const int64_t *time, const uint32_t *event_rank,
                              int64_t *rank_time)
{
    uint64_t i = gpu_thread();
    if (i < n)
        rank_time[event_rank[i]] = time[i]; /* ties write the same */
}

__global__ void rank_places(uint64_t n, const uint32_t *by_unit, const uint32_t *event_rank,
                            uint32_t *place_rank)
{
    uint64_t i = gpu_thread();
    if (i < n)
        place_rank[i] = event_rank[by_unit[i]];
}

/* The place of each event of a lane, NO_PLACE for others. Neighbours in time find neighbouring
 * words of few lanes; writing by_unit's inverse would go all over memory. */
template <typename code>
__global__ void place_events(csweep_view view, const code *units, const uint32_t *unit_lane,
                             const uint32_t *event_rank, uint32_t *event_place)
{
    uint64_t i = gpu_thread();
    if (i >= view.n_places)
        return;
    uint32_t lane = unit_lane[units[i]];
    event_place[i] = lane < view.n_lanes
                         ? view.lane_first[lane] + csweep_up_to(&view, lane, event_rank[i]) - 1
                         : NO_PLACE;
}

/* How far the bound reaches from each rank, and the widest of these spans. */
__global__ void find_reach(uint32_t n_ranks, const int64_t *rank_time, uint64_t bound,
                           uint32_t *reach, uint32_t *widest)
{
    uint32_t span = 0;
    for (uint64_t i = gpu_thread(); i < n_ranks; i += SPAN_THREADS) {
        uint32_t rank = static_cast<uint32_t>(i);
        reach[i] = csweep_reach(rank_time, n_ranks, rank, bound);
        span = max(span, reach[i] - rank);
    }
    span = __reduce_max_sync(GPU_WHOLE_WARP, span);
    if (threadIdx.x % GPU_WARP == 0 && span > 0)
        atomicMax(widest, span);
}

__global__ void spread_reach(uint64_t n, const uint32_t *place_rank, const uint32_t *rank_reach,
                             uint32_t *reach)
{
    uint64_t i = gpu_thread();
    if (i < n)
        reach[i] = rank_reach[place_rank[i]];
}

/* One thread a word: the events of its lane that lie in its 64 ranks. */
__global__ void fill_words(csweep_view view, csweep_word *word)
{
    uint64_t i = gpu_thread();
    if (i >= static_cast<uint64_t>(view.n_lanes) * view.n_words)
        return;
    uint32_t lane = static_cast<uint32_t>(i / view.n_words);
    uint32_t first_rank = static_cast<uint32_t>(i % view.n_words) * 64;
    const uint32_t *ranks = view.place_rank + view.lane_first[lane];
    uint32_t n = view.lane_count[lane];
    uint32_t k = first_rank == 0 ? 0 : csweep_count_in_ranks(ranks, n, first_rank - 1);
    csweep_word out = {0, k, 0};
    for (; k < n && ranks[k] - first_rank < 64; k++)
        out.bits |= 1ull << (ranks[k] - first_rank);
    word[i] = out;
}

struct scratch {
    gpu_buffer unit, unit_out, event, event_out; /* of the sort */
    gpu_buffer time, event_rank, rank_time, rank_reach, unit_lane, temporary, widest;
    const uint32_t *by_unit; /* event or event_out */
};

void scratch_free(scratch *s)
{
    gpu_release_each({&s->unit, &s->unit_out, &s->event, &s->event_out, &s->time, &s->event_rank,
                      &s->rank_time, &s->rank_reach, &s->unit_lane, &s->temporary, &s->widest});
}

/* Calls use(units) with the encoded units, in the type that they have. */
template <typename action> spk_status with_units(const csweep_upload *upload, const action &use)
{
    const void *units = upload->unit.data;
    return upload->unit_width == 1   ? use(static_cast<const uint8_t *>(units))
           : upload->unit_width == 2 ? use(static_cast<const uint16_t *>(units))
                                     : use(static_cast<const uint32_t *>(units));
}

/* The events by unit, and in order of time within each. */
spk_status sort_units(spk_context *context, uint32_t n_units, csweep_upload *upload, scratch *s)
{
    uint64_t n = upload->n;
    spk_status status = gpu_reserve_each(
        context, {&s->unit, &s->unit_out, &s->event, &s->event_out}, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    status = with_units(upload, [&](const auto *units) {
        using code = std::decay_t<decltype(*units)>;
        return gpu_launch(context, WHAT, read_units<code>, n, THREADS, n, units, gpu_words(s->unit),
                          gpu_words(s->event));
    });
    /* Only the bits that numbers of units have are sorted. Sorting is stable: a unit's events stay
     * in order of time. */
    int bits = 1;
    while (bits < 32 && (n_units - 1) >> bits != 0)
        bits++;
    gpu_pairs<uint32_t> events = {gpu_words(s->unit), gpu_words(s->unit_out), gpu_words(s->event),
                                  gpu_words(s->event_out)};
    if (status == SPK_OK)
        status = gpu_sort_in_turns(context, &s->temporary, &events, n, 0, bits, WHAT);
    s->by_unit = events.values;
    gpu_release(&s->unit);
    gpu_release(&s->unit_out);
    gpu_release(s->by_unit == gpu_words(s->event) ? &s->event_out : &s->event);
    return status;
}

/* Times and ranks of the events. */
spk_status sum_deltas(spk_context *context, csweep_upload *upload, scratch *s)
{
    uint64_t n = upload->n;
    spk_status status = gpu_reserve(context, &s->time, n, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->event_rank, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    const auto read = [&](const auto *deltas) {
        using code = std::decay_t<decltype(*deltas)>;
        return gpu_launch(context, WHAT, read_deltas<code>, n, THREADS, n, deltas,
                          static_cast<uint64_t *>(s->time.data), gpu_words(s->event_rank));
    };
    const void *deltas = upload->delta.data;
    status = upload->delta_width == 2   ? read(static_cast<const uint16_t *>(deltas))
             : upload->delta_width == 4 ? read(static_cast<const uint32_t *>(deltas))
                                        : read(static_cast<const uint64_t *>(deltas));
    /* Buffers go as soon as they have been read: what is free at the end is for tables and
     * lists. */
    gpu_release(&upload->delta);
    if (status == SPK_OK)
        status = gpu_inclusive_sum(context, &s->temporary, static_cast<uint64_t *>(s->time.data), n,
                                   WHAT);
    return status == SPK_OK
               ? gpu_inclusive_sum(context, &s->temporary, gpu_words(s->event_rank), n, WHAT)
               : status;
}

/* Ranks of places, times of ranks. */
spk_status build_ranks(spk_context *context, csweep_index *index, scratch *s)
{
    uint64_t n = index->view.n_places;
    const uint32_t *rank = gpu_words(s->event_rank);
    /* Ranks count from 0 in order of time, so that the last event has the largest. */
    uint32_t last = 0;
    spk_status status = gpu_download(context, &last, rank + n - 1, sizeof last, WHAT);
    index->view.n_ranks = last + 1;
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->rank_time, last + 1ull, sizeof(int64_t), WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, collect_times, n, THREADS, n,
                        static_cast<const int64_t *>(s->time.data), rank,
                        static_cast<int64_t *>(s->rank_time.data));
    gpu_release(&s->time);
    if (status == SPK_OK)
        status = gpu_reserve(context, &index->place_rank, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    return gpu_launch(context, WHAT, rank_places, n, THREADS, n, s->by_unit, rank,
                      gpu_words(index->place_rank));
}

/* The distinct bounds of all intervals, and which each interval has. */
spk_status collect_bounds(spk_context *context, const spk_episode_job *job, uint64_t **bound_out,
                          uint32_t **which_out, uint64_t *n_out)
{
    spk_status status = spk_alloc(context, bound_out, 2 * job->n_delays, WHAT);
    if (status == SPK_OK)
        status = spk_alloc(context, which_out, 2 * job->n_delays, WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t n = 0;
    /* Lower bounds first, then upper ones. Intervals share bounds mostly ((0,5ms], (5ms,10ms]), and
     * each distinct one takes an array of a word for each place. */
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
    uint32_t n_ranks = index->view.n_ranks;
    spk_status status = collect_bounds(context, job, &bound, &which, &n_bounds);
    if (status == SPK_OK)
        status = gpu_reserve(context, &index->reach, n_bounds * n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &index->lo_bound, which, job->n_delays, sizeof *which, WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &index->hi_bound, which + job->n_delays, job->n_delays,
                            sizeof *which, WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->rank_reach, n_ranks, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->widest, 1, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, s->widest.data, sizeof(uint32_t), WHAT);
    index->n_bounds = static_cast<uint32_t>(n_bounds);
    for (uint64_t b = 0; b < n_bounds && status == SPK_OK; b++) {
        uint32_t *reach = gpu_words(index->reach) + b * n;
        if (bound[b] == 0) { /* common, and reaches no further than the event itself */
            status = gpu_check(context,
                               cudaMemcpyAsync(reach, index->place_rank.data, n * sizeof *reach,
                                               cudaMemcpyDeviceToDevice, cudaStreamPerThread),
                               WHAT);
            continue;
        }
        status = gpu_launch(context, WHAT, find_reach, SPAN_THREADS, THREADS, n_ranks,
                            static_cast<const int64_t *>(s->rank_time.data), bound[b],
                            gpu_words(s->rank_reach), gpu_words(s->widest));
        if (status == SPK_OK)
            status = gpu_launch(context, WHAT, spread_reach, n, THREADS, n,
                                gpu_words(index->place_rank), gpu_words(s->rank_reach), reach);
    }
    if (status == SPK_OK) /* also waits until `which` may go */
        status = gpu_download(context, &index->widest, s->widest.data, sizeof index->widest, WHAT);
    free(bound);
    free(which);
    return status;
}

/* Where lanes start, how many events they have, and which lane each unit is. */
spk_status build_lanes(spk_context *context, const spk_events *events, const uint32_t *lane_unit,
                       csweep_index *index, scratch *s)
{
    uint64_t n = index->view.n_lanes;
    uint32_t *first = nullptr;
    spk_status status = spk_alloc(context, &first, 2 * n + events->n_units, WHAT);
    if (status != SPK_OK)
        return status;
    uint32_t *count = first + n;
    uint32_t *unit_lane = first + 2 * n;
    /* Units that are no lane have none, and their events are in no list. */
    for (uint32_t u = 0; u < events->n_units; u++)
        unit_lane[u] = UINT32_MAX;
    for (uint32_t l = 0; l < n; l++) {
        const uint64_t *place = events->unit_first + lane_unit[l];
        first[l] = static_cast<uint32_t>(place[0]);
        count[l] = static_cast<uint32_t>(place[1] - place[0]);
        unit_lane[lane_unit[l]] = l;
    }
    status = gpu_upload(context, &index->lane_first, first, n, sizeof *first, WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &index->lane_count, count, n, sizeof *first, WHAT);
    if (status == SPK_OK)
        status =
            gpu_upload(context, &s->unit_lane, unit_lane, events->n_units, sizeof *first, WHAT);
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
    status = gpu_launch(context, WHAT, fill_words, n, THREADS, *view,
                        static_cast<csweep_word *>(index->word.data));
    view->word = static_cast<const csweep_word *>(index->word.data);
    return status;
}

spk_status build_event_places(spk_context *context, csweep_upload *upload, csweep_index *index,
                              scratch *s)
{
    uint64_t n = index->view.n_places;
    spk_status status = gpu_reserve(context, &index->event_place, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    status = with_units(upload, [&](const auto *units) {
        using code = std::decay_t<decltype(*units)>;
        return gpu_launch(context, WHAT, place_events<code>, n, THREADS, index->view, units,
                          gpu_words(s->unit_lane), gpu_words(s->event_rank),
                          gpu_words(index->event_place));
    });
    gpu_release(&upload->unit);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* An event as all lanes of a warp read it. */
struct alignas(16) table_row {
    uint32_t place, rank;
    uint32_t low, high; /* where the bounds reach */
};

/* The rows of `rows` events a warp, as far as they are of lanes. */
template <typename entry>
__global__ void __launch_bounds__(THREADS)
    fill_table(csweep_view view, const uint32_t *event_place, uint64_t rows, uint32_t delay,
               uint32_t tile, entry *table)
{
    __shared__ table_row shared[THREADS];
    uint32_t warp_lane = threadIdx.x % GPU_WARP;
    table_row *row = shared + (threadIdx.x - warp_lane);
    const uint32_t *low = view.reach + view.lo_bound[delay] * view.n_places;
    const uint32_t *high = view.reach + view.hi_bound[delay] * view.n_places;
    entry *column = table + warp_lane;
    asm("" : "+l"(column)); /* else the compiler adds table and lane anew for every row */
    uint64_t begin = gpu_thread() / GPU_WARP * rows;
    uint64_t end = min(begin + rows, view.n_places);
    csweep_cursor cursor = {};
    bool started = false;
    for (uint64_t first = begin; first < end; first += GPU_WARP) {
        uint64_t event = first + warp_lane;
        uint32_t place = event < end ? event_place[event] : NO_PLACE;
        uint32_t real = __ballot_sync(GPU_WHOLE_WARP, place != NO_PLACE);
        __syncwarp();
        if (place != NO_PLACE)
            row[__popc(real & ((1u << warp_lane) - 1))] = {place, view.place_rank[place],
                                                           low[place], high[place]};
        __syncwarp();
        uint32_t n = __popc(real);
        if (n > 0 && !started) {
            cursor = csweep_cursor_start(&view, tile * CSWEEP_LANES + warp_lane, row[0].low);
            started = true;
        }
#pragma unroll 4
        for (uint32_t i = 0; i < n; i++) {
            table_row r = row[i];
            uint32_t follower = csweep_cursor_follower(&cursor, r.rank, r.low, r.high);
            __stcg(column + static_cast<uint64_t>(r.place) * CSWEEP_LANES,
                   static_cast<entry>(follower));
        }
    }
}

template <typename entry>
spk_status start_filling(spk_context *context, const csweep_index *index, uint64_t strip,
                         entry *table)
{
    const csweep_view *view = &index->view;
    uint64_t n = view->n_places;
    uint64_t rows = (n / ENOUGH_WARPS + GPU_WARP) / GPU_WARP * GPU_WARP;
    rows = rows > MOST_ROWS ? MOST_ROWS : rows;
    uint32_t delay = static_cast<uint32_t>(strip / view->n_tiles);
    uint32_t tile = static_cast<uint32_t>(strip % view->n_tiles);
    return gpu_launch(context, "delay tables", fill_table<entry>, (n + rows - 1) / rows * GPU_WARP,
                      THREADS, *view, gpu_words(index->event_place), rows, delay, tile, table);
}

__global__ void fill_within(csweep_view view, uint32_t bound, uint32_t *within)
{
    uint64_t i = gpu_thread();
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
    gpu_release_each({&index->place_rank, &index->lane_first, &index->lane_count, &index->word,
                      &index->reach, &index->lo_bound, &index->hi_bound, &index->within,
                      &index->event_place});
}

extern "C" spk_status csweep_index_open(spk_context *context, const spk_episode_job *job,
                                        uint32_t n_lanes, const uint32_t *lane_unit,
                                        uint64_t memory, csweep_upload *upload, csweep_index *index)
{
    spk_events events = spk_recording_events(job->recording);
    scratch s = {};
    assert(events.n_events > 0 && upload->n == events.n_events && n_lanes > 0);
    *index = {};
    index->n_delays = job->n_delays;
    csweep_view *view = &index->view;
    view->n_places = events.n_events;
    view->n_lanes = n_lanes;
    view->n_tiles = (n_lanes + CSWEEP_LANES - 1) / CSWEEP_LANES;
    spk_status status = sort_units(context, events.n_units, upload, &s);
    if (status == SPK_OK)
        status = sum_deltas(context, upload, &s);
    if (status == SPK_OK)
        status = build_ranks(context, index, &s);
    if (status == SPK_OK)
        status = build_reach(context, job, index, &s);
    if (status == SPK_OK)
        status = build_lanes(context, &events, lane_unit, index, &s);
    /* The view is what kernels get by value: addresses and sizes, no buffers. */
    if (status == SPK_OK) {
        view->place_rank = static_cast<const uint32_t *>(index->place_rank.data);
        view->lane_first = static_cast<const uint32_t *>(index->lane_first.data);
        view->lane_count = static_cast<const uint32_t *>(index->lane_count.data);
        view->reach = static_cast<const uint32_t *>(index->reach.data);
        view->lo_bound = static_cast<const uint32_t *>(index->lo_bound.data);
        view->hi_bound = static_cast<const uint32_t *>(index->hi_bound.data);
        status = build_words(context, memory, index);
    }
    if (status == SPK_OK)
        status = build_event_places(context, upload, index, &s);
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
        status = gpu_launch(context, WHAT, fill_within, index->view.n_lanes * index->view.n_places,
                            THREADS, index->view, b, static_cast<uint32_t *>(index->within.data));
    }
    if (status == SPK_OK)
        index->view.within = static_cast<const uint32_t *>(index->within.data);
    return status;
}

extern "C" spk_status csweep_tables_open(spk_context *context, const csweep_index *index,
                                         uint64_t memory, csweep_tables *tables)
{
    *tables = {};
    tables->n_strips = static_cast<uint64_t>(index->n_delays) * index->view.n_tiles;
    tables->wide = index->widest >= UINT16_MAX;
    tables->bytes_left = memory;
    tables->bytes_each = (index->view.n_places + 1) * CSWEEP_LANES *
                         (tables->wide ? sizeof(uint32_t) : sizeof(uint16_t));
    spk_status status = spk_alloc_zero(context, &tables->table, tables->n_strips, "delay tables");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &tables->pointer, tables->n_strips, "delay tables");
    if (status == SPK_OK)
        status = gpu_reserve(context, &tables->pointers, tables->n_strips, sizeof(void *),
                             "delay tables");
    tables->changed = true;
    if (status != SPK_OK)
        csweep_tables_close(tables);
    return status;
}

extern "C" uint64_t csweep_tables_bytes(const csweep_tables *tables)
{
    uint64_t n = tables->bytes_left / tables->bytes_each;
    return (n < tables->n_strips ? n : tables->n_strips) * tables->bytes_each;
}

extern "C" void csweep_tables_close(csweep_tables *tables)
{
    for (uint64_t s = 0; tables->table != nullptr && s < tables->n_strips; s++)
        gpu_release(&tables->table[s]);
    gpu_release(&tables->pointers);
    free(tables->table);
    free(tables->pointer);
    *tables = {};
}

extern "C" spk_status csweep_tables_need(spk_context *context, const csweep_index *index,
                                         uint64_t strip, csweep_tables *tables)
{
    assert(strip < tables->n_strips);
    gpu_buffer *table = &tables->table[strip];
    if (table->data != nullptr || tables->bytes_left < tables->bytes_each)
        return SPK_OK;
    spk_status status = gpu_reserve(context, table, tables->bytes_each, 1, "delay tables");
    /* The row behind the last place is zero: nothing follows an end that is none. */
    uint64_t n = index->view.n_places;
    uint64_t row_bytes = tables->bytes_each / (n + 1);
    if (status == SPK_OK)
        status = gpu_clear(context, static_cast<char *>(table->data) + n * row_bytes, row_bytes,
                           "delay tables");
    if (status != SPK_OK)
        return status;
    tables->bytes_left -= tables->bytes_each;
    tables->pointer[strip] = table->data;
    tables->changed = true;
    return tables->wide
               ? start_filling(context, index, strip, static_cast<uint32_t *>(table->data))
               : start_filling(context, index, strip, static_cast<uint16_t *>(table->data));
}

extern "C" spk_status csweep_tables_publish(spk_context *context, csweep_tables *tables)
{
    if (!tables->changed)
        return SPK_OK;
    spk_status status = gpu_upload(context, &tables->pointers, tables->pointer, tables->n_strips,
                                   sizeof(void *), "delay tables");
    tables->changed = status != SPK_OK;
    return status;
}
