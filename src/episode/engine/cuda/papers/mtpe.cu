/*
 * MTPE, also called MapConcatenate: many threads an episode (Cao et al., "Parallel mining of
 * neuronal spike streams on graphics processing units", section 5.1).
 * docs/explanation/segment-borders.md says what the paper leaves open and what is done here.
 *
 * make_tuples: one thread owns one episode, one segment of the recording and one of the N machines
 * that start before the segment's border; it runs Algorithm 1 over its segment and a little beyond.
 * Threads of neighbouring numbers own neighbouring episodes, so that they read the same events
 * where there are many episodes, and neighbouring machines of a segment where there are few.
 * join: one thread owns one machine of the left one of two neighbouring stretches of segments;
 * log2 R launches make one stretch of all.
 * walk: one thread owns one episode. Where concatenation found a partner at every border it has the
 * count; else it walks from segment to segment, and runs the machine where none fits.
 * One block has 128 of these threads (64 for walk).
 *
 * Memory: stamps in local memory as in PTPE; two arrays of episodes * R * N tuples of 12 or 24
 * bytes, all in global memory.
 * Limits: as PTPE. A machine whose list overflows gives no tuple; when the walk's does, the episode
 * is counted again in one piece with longer lists (counter.c). Episodes whose span is longer than a
 * segment (`longest`) give no tuples and are walked.
 */
#include "episode/engine/cuda/papers/mtpe.h"
#include "episode/engine/cuda/papers/thread_machine.cuh"

namespace
{

constexpr const char *WHAT = "many threads an episode (MTPE)";
constexpr unsigned THREADS = 128;
constexpr unsigned WALK_THREADS = 64;

template <typename Tick>
__device__ __forceinline__ machine_segments<Tick> view_segments(const papers_recording &recording,
                                                                const mtpe_plan &plan)
{
    machine_segments<Tick> segments;
    segments.n = plan.n_segments;
    segments.n_events = recording.n_events;
    segments.event = static_cast<const machine_event<Tick> *>(recording.event);
    segments.first = plan.first;
    segments.border = static_cast<const Tick *>(plan.border);
    return segments;
}

template <typename Tick> __global__ void cut(papers_recording recording, mtpe_plan plan)
{
    uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s <= plan.n_segments)
        machine_cut(static_cast<const machine_event<Tick> *>(recording.event), recording.n_events,
                    plan.n_segments, s, plan.first + s, static_cast<Tick *>(plan.border) + s);
}

template <typename Tick, uint32_t SIZE>
__global__ void __launch_bounds__(THREADS)
    make_tuples(papers_recording recording, papers_episodes e, mtpe_plan plan)
{
    constexpr uint32_t CAPACITY = list_capacity(SIZE);
    const uint32_t size = SIZE <= OWN_KERNEL ? SIZE : e.size;
    uint64_t at = gpu_thread();
    if (at >= static_cast<uint64_t>(plan.n_segments) * size * e.n)
        return;
    uint32_t row = static_cast<uint32_t>(at % e.n);
    uint32_t k = static_cast<uint32_t>(at / e.n % size);
    uint32_t s = static_cast<uint32_t>(at / e.n / size);
    thread_units<SIZE> units;
    thread_bounds<Tick, SIZE> bounds;
    thread_lists<Tick, SIZE - 1, CAPACITY> lists;
    load_episode(recording, e, size, row, &units, &bounds);
    machine<Tick> m =
        make_machine(units, bounds, size, CAPACITY, lists.stamp, lists.head, lists.tail);
    machine_segments<Tick> segments = view_segments<Tick>(recording, plan);
    Tick span = machine_span(bounds.hi, size);
    machine_tuple<Tick> tuple = {0, 0, MACHINE_UNKNOWN};
    /* Nothing lies before the first segment: all its machines are the same. */
    if (span <= plan.longest && (s > 0 || k == 0))
        machine_run(&m, &segments, s, machine_start(&segments, bounds.hi, s, k), span, &tuple);
    static_cast<machine_tuple<Tick> *>(plan.tuple)[at] = tuple;
}

/* Stretches of `step` segments become stretches of 2 * step. */
template <typename Tick>
__global__ void __launch_bounds__(THREADS)
    join(papers_episodes e, mtpe_plan plan, uint32_t step, uint32_t pairs)
{
    uint64_t at = gpu_thread();
    if (at >= static_cast<uint64_t>(pairs) * e.size * e.n)
        return;
    uint64_t row = at % e.n;
    uint64_t k = at / e.n % e.size;
    uint64_t left = at / e.n / e.size * 2 * step;
    machine_tuple<Tick> *joined = static_cast<machine_tuple<Tick> *>(plan.joined);
    machine_tuple<Tick> mine = joined[(left * e.size + k) * e.n + row];
    machine_concatenate(&mine, joined + (left + step) * e.size * e.n + row, e.size, e.n);
    joined[(left * e.size + k) * e.n + row] = mine;
}

template <typename Tick, uint32_t SIZE>
__global__ void __launch_bounds__(WALK_THREADS)
    walk(papers_recording recording, papers_episodes e, mtpe_plan plan)
{
    constexpr uint32_t CAPACITY = list_capacity(SIZE);
    const uint32_t size = SIZE <= OWN_KERNEL ? SIZE : e.size;
    uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= e.n)
        return;
    uint32_t count = static_cast<machine_tuple<Tick> *>(plan.joined)[row].count;
    /* Without a partner at some border the count is not known: this thread walks from segment to
     * segment, with a machine of its own for those that no tuple fits. */
    if (count == MACHINE_UNKNOWN) {
        thread_units<SIZE> units;
        thread_bounds<Tick, SIZE> bounds;
        thread_lists<Tick, SIZE - 1, CAPACITY> lists;
        load_episode(recording, e, size, row, &units, &bounds);
        machine<Tick> m =
            make_machine(units, bounds, size, CAPACITY, lists.stamp, lists.head, lists.tail);
        machine_segments<Tick> segments = view_segments<Tick>(recording, plan);
        uint32_t runs = 0;
        count =
            machine_walk(&m, &segments, static_cast<const machine_tuple<Tick> *>(plan.tuple) + row,
                         e.n, machine_span(bounds.hi, size), &runs);
    }
    e.count[row] = count;
}

struct launch {
    spk_context *context;
    papers_recording recording;
    papers_episodes episodes;
    mtpe_plan plan;
};

template <typename Tick> spk_status join_all(const launch &l)
{
    uint32_t n = l.plan.n_segments;
    uint64_t tuples = static_cast<uint64_t>(n) * l.episodes.size * l.episodes.n;
    spk_status status =
        gpu_check(l.context,
                  cudaMemcpyAsync(l.plan.joined, l.plan.tuple, tuples * sizeof(machine_tuple<Tick>),
                                  cudaMemcpyDeviceToDevice, cudaStreamPerThread),
                  WHAT);
    for (uint32_t step = 1; step < n && status == SPK_OK; step *= 2) {
        uint32_t pairs = (n - step + 2 * step - 1) / (2 * step);
        uint64_t threads = static_cast<uint64_t>(pairs) * l.episodes.size * l.episodes.n;
        status = gpu_launch(l.context, WHAT, join<Tick>, threads, THREADS, l.episodes, l.plan, step,
                            pairs);
    }
    return status;
}

template <typename Tick, uint32_t SIZE> spk_status start(const launch &l)
{
    uint64_t tuples = static_cast<uint64_t>(l.plan.n_segments) * l.episodes.size * l.episodes.n;
    spk_status status = gpu_launch(l.context, WHAT, cut<Tick>, l.plan.n_segments + 1ull, THREADS,
                                   l.recording, l.plan);
    if (status == SPK_OK)
        status = gpu_launch(l.context, WHAT, make_tuples<Tick, SIZE>, tuples, THREADS, l.recording,
                            l.episodes, l.plan);
    if (status == SPK_OK)
        status = join_all<Tick>(l);
    return status == SPK_OK ? gpu_launch(l.context, WHAT, walk<Tick, SIZE>, l.episodes.n,
                                         WALK_THREADS, l.recording, l.episodes, l.plan)
                            : status;
}

template <typename Tick> spk_status start_size(const launch &l)
{
    return with_kernel_size(l.episodes.size, [&](auto size) {
        constexpr uint32_t SIZE = decltype(size)::value;
        return start<Tick, SIZE>(l);
    });
}

} // namespace

extern "C" spk_status mtpe_count(spk_context *context, papers_recording recording,
                                 papers_episodes episodes, mtpe_plan plan)
{
    launch l = {context, recording, episodes, plan};
    return recording.wide ? start_size<uint64_t>(l) : start_size<uint32_t>(l);
}
