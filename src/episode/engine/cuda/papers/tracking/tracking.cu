/*
 * Local tracking (Cao et al., "Accelerator-oriented algorithm transformation for temporal data
 * mining"; GPU Computing Gems, section 15.3.1, Algorithms 2 and 3).
 *
 * Tracking: one thread owns one track, a block 256. The thread searches the events that may come
 * before its own and hands its seed on to each. What the threads find is compacted by one of the
 * papers' three methods. Atomic: counters in blocks and one for all, then a sort. Flag: slots with
 * flags, then a selection. Scan: count, scan, write; it searches twice but writes only what is
 * needed. All track backwards from the last unit, so that the order of seeds is the order of ends;
 * atomics lose this order, the others keep it.
 *
 * The papers keep every occurrence. Occurrences with the same end that meet in an event are the
 * same from there on, so a track is kept once: a thread leaves out what the track before it found
 * (tracking_new). A list has at most one track for each seed and event of the unit.
 *
 * Scheduling: of the occurrences with one end only the one that starts last can matter. One warp
 * owns one episode and goes over its ends, 32 at a time; a block has 8 warps.
 *
 * Memory: 8 bytes a track three times and a number each; 8 bytes a seed. Flags take 9 bytes a slot,
 * with slots for the most that any track finds.
 * Limits: 2^32 - 1 seeds and events. Lists that would be longer than their capacity are given up,
 * and the caller takes fewer seeds.
 */
#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/papers/tracking/tracking.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr uint32_t NO_START = UINT32_MAX;
constexpr const char *WHAT = "tracking";

/* ---- seeds ----------------------------------------------------------------------------------- */

__global__ void begin(tracking_block block, uint64_t first_seed, uint64_t n, track *tracks,
                      uint32_t *seed_episode, uint32_t *start)
{
    uint64_t i = gpu_thread();
    if (i >= n)
        return;
    uint64_t seed = first_seed + i;
    uint32_t low = 0; /* the last episode with seed_first <= seed */
    uint32_t high = block.n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (block.seed_first[middle] <= seed)
            low = middle;
        else
            high = middle;
    }
    uint32_t unit = block.unit[static_cast<uint64_t>(low) * block.size + block.size - 1];
    uint64_t place = block.events.unit_first[unit] + (seed - block.seed_first[low]);
    tracks[i] = track_make(static_cast<uint32_t>(i), static_cast<uint32_t>(place));
    seed_episode[i] = low;
    start[i] = NO_START;
}

/* ---- one step back --------------------------------------------------------------------------- */

struct stepping {
    tracking_block block;
    uint32_t position;
    uint64_t n;
    const track *tracks;
    const uint32_t *seed_episode;
};

__device__ tracking_range find_earlier(const stepping &s, track t)
{
    uint64_t at = static_cast<uint64_t>(s.seed_episode[track_seed(t)]) * s.block.size + s.position;
    uint32_t unit = s.block.unit[at - 1];
    uint32_t delay = s.block.delay[at];
    const tracking_events_view &events = s.block.events;
    return tracking_earlier(events.place_time, events.unit_first[unit], events.unit_first[unit + 1],
                            events.place_time[track_place(t)], s.block.lo[delay],
                            s.block.hi[delay]);
}

/* What track k finds that the one before it did not; all threads of a warp call it together. */
__device__ tracking_range find_new(const stepping &s, uint64_t k)
{
    bool real = k < s.n;
    track mine = real ? s.tracks[k] : 0;
    tracking_range range = {0, 0};
    if (real)
        range = find_earlier(s, mine);
    uint64_t to_before = __shfl_up_sync(GPU_WHOLE_WARP, range.to, 1);
    track before = __shfl_up_sync(GPU_WHOLE_WARP, mine, 1);
    bool has_before = real && k > 0;
    if (threadIdx.x % GPU_WARP == 0 && has_before) {
        before = s.tracks[k - 1];
        if (track_seed(before) == track_seed(mine))
            to_before = find_earlier(s, before).to;
    }
    return tracking_new(range, has_before && track_seed(before) == track_seed(mine), to_before);
}

__global__ void count_next(stepping s, uint64_t *number)
{
    uint64_t k = gpu_thread();
    tracking_range range = find_new(s, k);
    if (k < s.n)
        number[k] = range.to - range.from;
}

__global__ void write_next(stepping s, const uint64_t *first, track *next)
{
    uint64_t k = gpu_thread();
    tracking_range range = find_new(s, k);
    if (k >= s.n)
        return;
    uint32_t seed = track_seed(s.tracks[k]);
    for (uint64_t j = 0; j < range.to - range.from; j++)
        next[first[k] + j] = track_make(seed, static_cast<uint32_t>(range.from + j));
}

spk_status step_by_scan(spk_context *context, const stepping &s, tracking_lists *lists, bool *fits)
{
    uint64_t total = 0;
    spk_status status = gpu_reserve(context, &lists->number, s.n + 1, sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *number = static_cast<uint64_t *>(lists->number.data);
    status = gpu_launch(context, WHAT, count_next, s.n, THREADS, s, number);
    if (status == SPK_OK)
        status = gpu_clear(context, number + s.n, sizeof *number, WHAT);
    /* One number more than there are tracks: the exclusive sum of it is the total. */
    if (status == SPK_OK)
        status = gpu_exclusive_sum(context, &lists->temporary, number, s.n + 1, WHAT);
    if (status == SPK_OK)
        status = gpu_download(context, &total, number + s.n, sizeof total, WHAT);
    *fits = total <= lists->capacity;
    if (status != SPK_OK || !*fits)
        return status;
    status = gpu_reserve(context, &lists->next, total, sizeof(track), WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, write_next, s.n, THREADS, s, number,
                        static_cast<track *>(lists->next.data));
    lists->n = total;
    return status;
}

/* totals[0]: tracks found, totals[1]: the most that one thread found. */
__global__ void fill_slots(stepping s, uint64_t first, uint64_t n, uint32_t slots, track *slot,
                           uint8_t *flag, unsigned long long *totals)
{
    uint64_t i = gpu_thread();
    uint64_t k = i < n ? first + i : s.n;
    tracking_range range = find_new(s, k);
    if (i >= n)
        return;
    uint64_t found = range.to - range.from;
    uint32_t seed = track_seed(s.tracks[k]);
    for (uint32_t j = 0; j < slots; j++) {
        flag[i * slots + j] = j < found;
        slot[i * slots + j] = track_make(seed, static_cast<uint32_t>(range.from + j));
    }
    atomicAdd(&totals[0], static_cast<unsigned long long>(found));
    atomicMax(&totals[1], static_cast<unsigned long long>(found));
}

/* Tracks [first, first + n) of the list through slots; behind lists->next's first n_out. */
spk_status select_slots(spk_context *context, const stepping &s, uint64_t first, uint64_t n,
                        tracking_lists *lists, uint64_t *n_out, bool *wide_enough, bool *fits)
{
    uint64_t found[2] = {0, 0};
    uint64_t cells = n * lists->slots;
    spk_status status = gpu_reserve(context, &lists->spare, cells, sizeof(track), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &lists->flag, cells, 1, WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, lists->totals.data, sizeof found, WHAT);
    if (status != SPK_OK)
        return status;
    track *slot = static_cast<track *>(lists->spare.data);
    uint8_t *flag = static_cast<uint8_t *>(lists->flag.data);
    unsigned long long *totals = static_cast<unsigned long long *>(lists->totals.data);
    status = gpu_launch(context, WHAT, fill_slots, n, THREADS, s, first, n, lists->slots, slot,
                        flag, totals);
    if (status == SPK_OK)
        status = gpu_download(context, found, totals, sizeof found, WHAT);
    /* Slots that were too few for one track are doubled, and the caller takes the tracks again. */
    *wide_enough = found[1] <= lists->slots;
    *fits = *n_out + found[0] <= lists->capacity;
    while (lists->slots < found[1])
        lists->slots *= 2;
    if (status != SPK_OK || !*wide_enough || !*fits)
        return status;
    track *out = static_cast<track *>(lists->next.data) + *n_out;
    *n_out += found[0];
    return gpu_select_flagged(context, &lists->temporary, slot, flag, out, totals, cells, WHAT);
}

spk_status step_by_flags(spk_context *context, const stepping &s, tracking_lists *lists, bool *fits)
{
    spk_status status = gpu_reserve(context, &lists->totals, 2, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &lists->next, lists->capacity, sizeof(track), WHAT);
    uint64_t n_out = 0;
    lists->slots = lists->slots > 0 ? lists->slots : 4;
    for (uint64_t first = 0; first < s.n && status == SPK_OK && *fits;) {
        uint64_t at_once = lists->capacity / lists->slots;
        uint64_t n = at_once < 1 ? 1 : at_once < s.n - first ? at_once : s.n - first;
        /* The warp's threads look at their neighbours: whole warps but at the end. */
        n = n < s.n - first && n > GPU_WARP ? n / GPU_WARP * GPU_WARP : n;
        bool wide_enough = true;
        status = select_slots(context, s, first, n, lists, &n_out, &wide_enough, fits);
        first += wide_enough ? n : 0;
    }
    lists->n = n_out;
    return status;
}

__global__ void append_next(stepping s, uint64_t capacity, track *next, unsigned long long *total)
{
    __shared__ unsigned long long in_block;
    __shared__ unsigned long long base;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    uint64_t k = gpu_thread();
    tracking_range range = find_new(s, k);
    uint64_t found = range.to - range.from;
    uint64_t at = k < s.n ? atomicAdd(&in_block, static_cast<unsigned long long>(found)) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(total, in_block);
    __syncthreads();
    if (k >= s.n || base + in_block > capacity)
        return; /* the caller sees the total */
    uint32_t seed = track_seed(s.tracks[k]);
    for (uint64_t j = 0; j < found; j++)
        next[base + at + j] = track_make(seed, static_cast<uint32_t>(range.from + j));
}

spk_status step_by_atomics(spk_context *context, const stepping &s, tracking_lists *lists,
                           bool *fits)
{
    uint64_t total = 0;
    spk_status status = gpu_reserve(context, &lists->totals, 2, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &lists->spare, lists->capacity, sizeof(track), WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, lists->totals.data, sizeof total, WHAT);
    if (status != SPK_OK)
        return status;
    track *spare = static_cast<track *>(lists->spare.data);
    unsigned long long *totals = static_cast<unsigned long long *>(lists->totals.data);
    /* What is behind the capacity is counted but not written: the total tells that the lists do not
     * fit. */
    status =
        gpu_launch(context, WHAT, append_next, s.n, THREADS, s, lists->capacity, spare, totals);
    if (status == SPK_OK)
        status = gpu_download(context, &total, totals, sizeof total, WHAT);
    *fits = total <= lists->capacity;
    lists->n = total;
    if (status != SPK_OK || !*fits || total == 0)
        return status;
    status = gpu_reserve(context, &lists->next, total, sizeof(track), WHAT);
    if (status != SPK_OK)
        return status;
    return gpu_sort_keys(context, &lists->temporary, spare, static_cast<track *>(lists->next.data),
                         total, WHAT);
}

/* ---- scheduling ------------------------------------------------------------------------------ */

/* The last track of each seed has its latest start. */
__global__ void find_starts(uint64_t n, const track *tracks, uint32_t *start)
{
    uint64_t k = gpu_thread();
    if (k < n && (k + 1 == n || track_seed(tracks[k + 1]) != track_seed(tracks[k])))
        start[track_seed(tracks[k])] = track_place(tracks[k]);
}

__global__ void schedule(tracking_block block, uint64_t first_seed, uint64_t n_seeds,
                         const uint32_t *start)
{
    uint64_t e = gpu_thread() / GPU_WARP;
    unsigned thread = threadIdx.x % GPU_WARP;
    if (e >= block.n)
        return;
    uint64_t own_first = block.seed_first[e];
    uint64_t from = max(own_first, first_seed);
    uint64_t to = min(block.seed_first[e + 1], first_seed + n_seeds);
    if (from >= to)
        return;
    uint32_t unit = block.unit[e * block.size + block.size - 1];
    uint64_t first_place = block.events.unit_first[unit];
    tracking_schedule own = block.schedule[e];
    /* All threads of the warp take all 32 occurrences, in order of their ends; so each has the same
     * state, and one writes it. */
    for (uint64_t seed0 = from; seed0 < to; seed0 += GPU_WARP) {
        uint64_t seed = seed0 + thread;
        uint32_t place = seed < to ? start[seed - first_seed] : NO_START;
        bool occurs = place != NO_START;
        int64_t begins = occurs ? block.events.place_time[place] : 0;
        int64_t ends = occurs ? block.events.place_time[first_place + (seed - own_first)] : 0;
        for (uint32_t left = __ballot_sync(GPU_WHOLE_WARP, occurs); left != 0; left &= left - 1) {
            int k = __ffs(static_cast<int>(left)) - 1;
            tracking_take(&own, __shfl_sync(GPU_WHOLE_WARP, begins, k),
                          __shfl_sync(GPU_WHOLE_WARP, ends, k));
        }
    }
    if (thread == 0)
        block.schedule[e] = own;
}

} // namespace

extern "C" void tracking_lists_close(tracking_lists *lists)
{
    gpu_release_each({&lists->track, &lists->next, &lists->spare, &lists->number, &lists->flag,
                      &lists->seed_episode, &lists->start, &lists->totals, &lists->temporary});
}

extern "C" spk_status tracking_begin(spk_context *context, tracking_block block,
                                     tracking_lists *lists)
{
    uint64_t n = lists->n_seeds;
    assert(n > 0 && n <= UINT32_MAX && n <= lists->capacity); /* track_make */
    spk_status status = gpu_reserve(context, &lists->track, n, sizeof(track), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &lists->seed_episode, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &lists->start, n, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, begin, n, THREADS, block, lists->first_seed, n,
                        static_cast<track *>(lists->track.data),
                        static_cast<uint32_t *>(lists->seed_episode.data),
                        static_cast<uint32_t *>(lists->start.data));
    lists->n = n;
    return status;
}

extern "C" spk_status tracking_step(spk_context *context, tracking_block block, uint32_t position,
                                    spk_compaction compaction, tracking_lists *lists, bool *fits)
{
    *fits = true;
    assert(position > 0 && position < block.size);
    if (lists->n == 0)
        return SPK_OK;
    stepping s = {block, position, lists->n, static_cast<const track *>(lists->track.data),
                  static_cast<const uint32_t *>(lists->seed_episode.data)};
    spk_status status = compaction == SPK_COMPACTION_FLAG ? step_by_flags(context, s, lists, fits)
                        : compaction == SPK_COMPACTION_ATOMIC
                            ? step_by_atomics(context, s, lists, fits)
                            : step_by_scan(context, s, lists, fits);
    gpu_buffer before = lists->track;
    lists->track = lists->next;
    lists->next = before;
    return status;
}

extern "C" spk_status tracking_count(spk_context *context, tracking_block block,
                                     tracking_lists *lists)
{
    uint32_t *start = static_cast<uint32_t *>(lists->start.data);
    if (lists->n == 0)
        return SPK_OK;
    spk_status status = gpu_launch(context, WHAT, find_starts, lists->n, THREADS, lists->n,
                                   static_cast<const track *>(lists->track.data), start);
    return status == SPK_OK
               ? gpu_launch(context, WHAT, schedule, static_cast<uint64_t>(block.n) * GPU_WARP,
                            THREADS, block, lists->first_seed, lists->n_seeds, start)
               : status;
}
