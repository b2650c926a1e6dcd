/*
 * PTPE, one thread an episode (Cao et al., "Parallel mining of neuronal spike streams on graphics
 * processing units", section 5.1), and PreElim, the bound of the two-pass method (section 5.2).
 *
 * One thread owns one episode and runs Algorithm 1 (PreElim: one stamp a position) over the whole
 * recording. One block owns up to 128 episodes (32 where few episodes have to spread over the
 * multiprocessors). It stages the recording through shared memory in chunks of 256 events; all
 * threads read the same event at the same time.
 *
 * Memory: stamps in local memory, 8 a list (4 for sizes above 16); the recording with 8 or 16
 * bytes an event; for each episode its units, intervals and count.
 * Limits: sizes up to 64; 2 to 8 have kernels of their own, the others share one up to 16 and one
 * up to 64. A list that would need more stamps than it has room for marks its episode;
 * such episodes are counted again by count_rows with longer lists in global memory (counter.c).
 */
#include "episode/engine/cuda/papers/thread_machine.cuh"

namespace
{

constexpr const char *WHAT = "one thread an episode (PTPE)";
constexpr const char *WHAT_BOUND = "the first of two passes (PreElim)";
constexpr uint32_t CHUNK = 256;
constexpr uint32_t MOST_THREADS = 128;

/* Feeds the recording's events to `feed(time, unit)`, which says whether it wants more. All threads
 * of a block take part. */
template <typename Tick, typename Feed>
__device__ __forceinline__ void for_events(const papers_recording &recording, bool wanted,
                                           Feed feed)
{
    __shared__ machine_event<Tick> chunk[CHUNK];
    const machine_event<Tick> *event = static_cast<const machine_event<Tick> *>(recording.event);
    for (uint32_t first = 0; first < recording.n_events;) {
        uint32_t n = min(CHUNK, recording.n_events - first);
        if (!__syncthreads_or(wanted))
            return;
        for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
            chunk[i] = event[first + i];
        __syncthreads();
        for (uint32_t i = 0; i < n && wanted; i++)
            wanted = feed(chunk[i].time, chunk[i].unit);
        first += n;
    }
}

template <typename Tick, uint32_t SIZE>
__global__ void __launch_bounds__(MOST_THREADS)
    count_episodes(papers_recording recording, papers_episodes e)
{
    constexpr uint32_t CAPACITY = list_capacity(SIZE);
    const uint32_t size = SIZE <= OWN_KERNEL ? SIZE : e.size;
    uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = row < e.n;
    /* Threads without an episode stay: they load events for those that have one, and meet them at
     * barriers. */
    thread_units<SIZE> units;
    thread_bounds<Tick, SIZE> bounds;
    thread_lists<Tick, SIZE - 1, CAPACITY> lists;
    if (mine)
        load_episode(recording, e, size, row, &units, &bounds);
    machine<Tick> m =
        make_machine(units, bounds, size, CAPACITY, lists.stamp, lists.head, lists.tail);
    uint32_t count = 0;
    for_events<Tick>(recording, mine, [&](Tick time, uint32_t unit) {
        machine_step step = machine_feed(&m, time, unit);
        count = step == MACHINE_OVERFLOW ? MACHINE_UNKNOWN : count + (step == MACHINE_COUNTED);
        return step != MACHINE_OVERFLOW;
    });
    if (mine)
        e.count[row] = count;
}

/* The same with lists in global memory, for the rows listed. */
template <typename Tick>
__global__ void __launch_bounds__(MOST_THREADS)
    count_rows(papers_recording recording, papers_episodes e, uint32_t n_rows, const uint32_t *rows,
               uint32_t capacity, Tick *stamps)
{
    /* Lists of thread k lie behind those of the threads before; capacity is a power of two, as the
     * lists are rings. */
    uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = k < n_rows;
    uint32_t row = mine ? rows[k] : 0;
    thread_units<SPK_EPISODE_MAX_SIZE> units;
    thread_bounds<Tick, SPK_EPISODE_MAX_SIZE> bounds;
    uint32_t head[SPK_EPISODE_MAX_SIZE];
    uint32_t tail[SPK_EPISODE_MAX_SIZE];
    if (mine)
        load_episode(recording, e, e.size, row, &units, &bounds);
    machine<Tick> m = make_machine(units, bounds, e.size, capacity,
                                   stamps + ptpe_stamps(e.size, capacity) * k, head, tail);
    uint32_t count = 0;
    for_events<Tick>(recording, mine, [&](Tick time, uint32_t unit) {
        machine_step step = machine_feed(&m, time, unit);
        count = step == MACHINE_OVERFLOW ? MACHINE_UNKNOWN : count + (step == MACHINE_COUNTED);
        return step != MACHINE_OVERFLOW;
    });
    if (mine)
        e.count[row] = count;
}

template <typename Tick, uint32_t SIZE>
__global__ void __launch_bounds__(MOST_THREADS)
    bound_episodes(papers_recording recording, papers_episodes e)
{
    const uint32_t size = SIZE <= OWN_KERNEL ? SIZE : e.size;
    uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = row < e.n;
    thread_units<SIZE> units;
    thread_bounds<Tick, SIZE> bounds;
    /* PreElim keeps the newest stamp of each position, in registers where the size is a constant:
     * an upper bound of the count, which overflows nothing. */
    Tick newest[SIZE];
    if (mine)
        load_episode(recording, e, size, row, &units, &bounds);
    machine_relaxed<Tick> m;
    m.size = size;
    m.count = 0;
    m.unit = units.unit;
    m.hi = bounds.hi;
    m.newest = newest;
    m.seen = 0;
    for (uint32_t p = 0; p < size; p++)
        newest[p] = 0;
    for_events<Tick>(recording, mine, [&](Tick time, uint32_t unit) {
        machine_relaxed_feed(&m, time, unit);
        return true;
    });
    if (mine)
        e.count[row] = m.count;
}

enum class task { COUNT, BOUND, OCCUPANCY };

struct launch {
    spk_context *context;
    papers_recording recording;
    papers_episodes episodes;
    uint32_t threads;
    task what;
    int resident_blocks; /* OCCUPANCY: the answer, a multiprocessor */
};

template <typename Tick, uint32_t SIZE> spk_status start(launch &l)
{
    if (l.what == task::OCCUPANCY)
        return gpu_check(
            l.context,
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &l.resident_blocks, count_episodes<Tick, SIZE>, static_cast<int>(l.threads), 0),
            WHAT);
    if (l.what == task::BOUND)
        return gpu_launch(l.context, WHAT_BOUND, bound_episodes<Tick, SIZE>, l.episodes.n,
                          l.threads, l.recording, l.episodes);
    return gpu_launch(l.context, WHAT, count_episodes<Tick, SIZE>, l.episodes.n, l.threads,
                      l.recording, l.episodes);
}

template <typename Tick> spk_status start_size(launch &l)
{
    return with_kernel_size(l.episodes.size, [&](auto size) {
        constexpr uint32_t SIZE = decltype(size)::value;
        return start<Tick, SIZE>(l);
    });
}

spk_status start_tick(launch &l)
{
    return l.recording.wide ? start_size<uint64_t>(l) : start_size<uint32_t>(l);
}

} // namespace

extern "C" uint32_t ptpe_capacity(uint32_t size)
{
    return list_capacity(size);
}

extern "C" spk_status ptpe_count(spk_context *context, papers_recording recording,
                                 papers_episodes episodes, uint32_t threads)
{
    launch l = {context, recording, episodes, threads, task::COUNT, 0};
    return start_tick(l);
}

extern "C" spk_status ptpe_bound(spk_context *context, papers_recording recording,
                                 papers_episodes episodes, uint32_t threads)
{
    launch l = {context, recording, episodes, threads, task::BOUND, 0};
    return start_tick(l);
}

extern "C" spk_status ptpe_resident(spk_context *context, bool wide, uint32_t size,
                                    uint64_t *threads)
{
    int device = 0;
    int multiprocessors = 0;
    launch l = {};
    l.context = context;
    l.recording.wide = wide;
    l.episodes.size = size;
    l.threads = MOST_THREADS;
    /* The occupancy is that of the kernel that this size runs, since its registers decide. */
    l.what = task::OCCUPANCY;
    spk_status status = start_tick(l);
    if (status == SPK_OK)
        status = gpu_check(context, cudaGetDevice(&device), WHAT);
    if (status == SPK_OK)
        status = gpu_check(
            context,
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), WHAT);
    *threads = static_cast<uint64_t>(multiprocessors) * static_cast<uint64_t>(l.resident_blocks) *
               MOST_THREADS;
    return status;
}

extern "C" spk_status ptpe_count_rows(spk_context *context, papers_recording recording,
                                      papers_episodes episodes, uint32_t n_rows,
                                      const uint32_t *row, uint32_t capacity, void *stamp)
{
    constexpr unsigned THREADS = 32;
    if (recording.wide)
        return gpu_launch(context, WHAT, count_rows<uint64_t>, n_rows, THREADS, recording, episodes,
                          n_rows, row, capacity, static_cast<uint64_t *>(stamp));
    return gpu_launch(context, WHAT, count_rows<uint32_t>, n_rows, THREADS, recording, episodes,
                      n_rows, row, capacity, static_cast<uint32_t *>(stamp));
}
