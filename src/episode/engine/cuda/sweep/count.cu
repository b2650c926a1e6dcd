/*
 * Counting on the device (cuda-sweep, docs/explanation/gpu.md).
 *
 * A task is a row with up to CANDIDATES of its candidates, from any strips. One warp owns one task,
 * one thread one candidate; the last thread counts the row itself. A block owns 8 tasks.
 *
 * The warp goes over the row's list, 32 ends at a time through shared memory. For each end every
 * thread reads what follows it on its own lane and takes one greedy step (csweep_step), as the CPU
 * kernel does (engine/sweep/kernel.h). With a support the warp stops when no candidate can reach
 * it.
 *
 * Few tasks with long lists would leave most of the device idle, waiting for one load after the
 * other. Such lists are cut into pieces. Each piece is counted as if its lanes were free at its
 * start (count_pieces). Then every piece is gone over again from the state in which the piece
 * before ended, beside the free one, until both have the same future (settle_pieces); from there on
 * the first pass was right. Where they never meet within a piece the candidates of that task are
 * counted once more in one go (gather_pieces).
 *
 * A batch may go on from where counting ended elsewhere (batch->resumes): then each candidate has a
 * rank before which none of its occurrences starts, and gets the one behind its last occurrence.
 *
 * Memory: 384 bytes of shared memory a warp; 8 bytes a task, 264 a task in pieces, of which there
 * are at most some ten thousand. Where a strip has a delay table a step reads 2 or 4 bytes a
 * thread, in as many sectors as the candidates have strips. Where memory allowed no table each
 * thread looks its lane up, with loads that depend on each other. Limits: lists of any length; up
 * to 2^32 - 1 tasks.
 */
#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr unsigned WARPS = THREADS / GPU_WARP;
constexpr unsigned CANDIDATES = GPU_WARP - 1;
constexpr unsigned AHEAD = 8;            /* loads before their results are used */
constexpr uint64_t FEW_TASKS = 1u << 14; /* fewer than this do not fill a device */
constexpr uint64_t MANY_TASKS = 1u << 16;
constexpr uint64_t LEAST_PIECE = 2048;
constexpr const char *WHAT = "counting";

struct counting {
    csweep_view view;
    void *const *table;     /* per strip, NULL: none */
    uint64_t begin, n_rows; /* of the batch */
    const uint32_t *row_lane, *row_count;
    const uint64_t *first; /* of the batch's lists; NULL: single lanes */
    const csweep_entry *entry;
    const uint32_t *run_first; /* n_rows + 1 */
    const uint32_t *run_strip, *run_mask, *candidate;
    uint64_t piece; /* ends */
    uint64_t support;
    uint64_t n_tasks;
    const uint32_t *task_row, *task_group, *task_piece, *order;
    uint32_t *piece_count, *piece_state, *unsettled;
    uint32_t *free_from;              /* NULL: all begin with a free lane; else with it: */
    uint32_t *piece_open, *piece_met; /* free_from of both passes where they met */
    uint32_t *found, *counts;
};

/* ---- tasks ----------------------------------------------------------------------------------- */

/* A row's occurrence list. */
struct row_list {
    const csweep_entry *entry; /* NULL: the events of `lane` */
    uint32_t lane;
    uint64_t n;
};

__device__ row_list find_list(const counting &c, uint32_t i)
{
    row_list list = {nullptr, c.row_lane[c.begin + i], 0};
    if (c.first != nullptr) {
        list.entry = c.entry + c.first[i];
        list.n = c.first[i + 1] - c.first[i];
    } else {
        list.n = c.view.lane_count[list.lane];
    }
    return list;
}

__device__ uint32_t row_candidates(const counting &c, uint32_t i)
{
    return c.candidate[c.run_first[i + 1]] - c.candidate[c.run_first[i]];
}

/* Pieces of a list, one at least: a row without occurrences has counts as well. */
__device__ uint64_t row_pieces(const counting &c, uint32_t i)
{
    uint64_t n = find_list(c, i).n;
    return n <= c.piece ? 1 : (n + c.piece - 1) / c.piece;
}

__global__ void measure_tasks(counting c, uint64_t *tasks)
{
    uint64_t i = gpu_thread();
    if (i > c.n_rows)
        return;
    uint32_t row = static_cast<uint32_t>(i);
    uint32_t candidates = i < c.n_rows ? row_candidates(c, row) : 0;
    uint64_t groups = (candidates + CANDIDATES - 1) / CANDIDATES;
    tasks[i] = groups > 0 ? groups * row_pieces(c, row) : 0;
}

__global__ void write_tasks(counting c, const uint64_t *first, uint32_t *task_row,
                            uint32_t *task_group, uint32_t *task_piece)
{
    uint64_t t = gpu_thread();
    if (t >= c.n_tasks)
        return;
    uint32_t row = csweep_row_of(first, c.n_rows, t);
    uint64_t pieces = row_pieces(c, row);
    task_row[t] = row;
    task_group[t] = static_cast<uint32_t>((t - first[row]) / pieces);
    if (task_piece != nullptr)
        task_piece[t] = static_cast<uint32_t>((t - first[row]) % pieces);
}

/* Rows that end with the same unit read the same rows of the same tables: as neighbours they find
 * them in cache. */
__global__ void make_order_keys(counting c, uint32_t *key, uint32_t *value)
{
    uint64_t t = gpu_thread();
    if (t >= c.n_tasks)
        return;
    key[t] = c.row_lane[c.begin + c.task_row[t]];
    value[t] = static_cast<uint32_t>(t);
}

/* ---- a thread's candidate -------------------------------------------------------------------- */

/* What a thread of the warp counts. */
struct thread_share {
    bool wanted;        /* it has a candidate */
    uint32_t candidate; /* of the batch */
    uint32_t run;
    uint32_t bit; /* lane within the tile */
    uint32_t strip;
};

__device__ thread_share find_share(const counting &c, uint32_t row, uint32_t group)
{
    thread_share s = {};
    uint32_t k = group * CANDIDATES + threadIdx.x % GPU_WARP;
    s.wanted = threadIdx.x % GPU_WARP < CANDIDATES && k < row_candidates(c, row);
    if (!s.wanted)
        return s;
    uint32_t low = c.run_first[row];
    uint32_t high = c.run_first[row + 1];
    s.candidate = c.candidate[low] + k;
    while (high - low > 1) { /* the last run that starts at or before the candidate */
        uint32_t middle = low + (high - low) / 2;
        if (c.candidate[middle] <= s.candidate)
            low = middle;
        else
            high = middle;
    }
    s.run = low;
    s.strip = c.run_strip[low];
    s.bit = csweep_nth_bit(c.run_mask[low], s.candidate - c.candidate[low]);
    return s;
}

/* Followers from the tables. All threads read some table: what those without a candidate read is
 * not used, and the last one takes what follows the row itself, always 1, in its place. */
template <typename entry> struct from_table {
    const entry *column;
    uint32_t keep, always;

    __device__ uint32_t follower(const counting &, uint32_t place) const
    {
        uint32_t found = __ldg(column + static_cast<uint64_t>(place) * CSWEEP_LANES);
        return (found & keep) | always;
    }
};

/* Followers looked up. */
struct looked_up {
    bool wanted;
    uint32_t delay, lane;

    __device__ uint32_t follower(const counting &c, uint32_t place) const
    {
        if (!wanted)
            return 1;
        return place < c.view.n_places ? csweep_follower(&c.view, delay, lane, place) : 0;
    }
};

template <typename entry>
__device__ from_table<entry> find_table(const counting &c, const thread_share &s, bool row_itself)
{
    uint64_t table = s.wanted ? reinterpret_cast<uint64_t>(c.table[s.strip]) : 0;
    uint64_t any =
        __shfl_sync(GPU_WHOLE_WARP, table, 0); /* the first thread always has a candidate */
    bool last = row_itself && threadIdx.x % GPU_WARP == GPU_WARP - 1;
    const entry *column = reinterpret_cast<const entry *>(s.wanted ? table : any) + s.bit;
    asm("" : "+l"(column)); /* else the compiler adds table and bit anew for every entry */
    return {column, last ? 0 : ~0u, last ? 1u : 0u};
}

__device__ looked_up find_lane(const counting &c, const thread_share &s)
{
    return {s.wanted, s.strip / c.view.n_tiles, s.strip % c.view.n_tiles * CSWEEP_LANES + s.bit};
}

/* ---- going over a list ----------------------------------------------------------------------- */

/* 32 ends as all threads of a warp read them. A chunk that is not full ends with ends at the place
 * behind the last, which nothing follows, and that start too early for the row itself. */
struct alignas(8) chunk_end {
    uint32_t start, rank;
};
struct alignas(16) chunk {
    uint32_t place[GPU_WARP];
    chunk_end end[GPU_WARP];
};

static_assert(sizeof(chunk) == 384, "shared memory of a warp");

__device__ void load_chunk(const counting &c, const row_list &list, uint64_t k0, uint64_t to,
                           chunk *ends)
{
    uint64_t k = k0 + threadIdx.x % GPU_WARP;
    csweep_entry e = {static_cast<uint32_t>(c.view.n_places), 0};
    uint32_t rank = 0;
    if (k < to) {
        e = list.entry != nullptr ? list.entry[k] : csweep_lane_entry(&c.view, list.lane, k);
        rank = c.view.place_rank[e.place];
    }
    __syncwarp();
    ends->place[threadIdx.x % GPU_WARP] = e.place;
    ends->end[threadIdx.x % GPU_WARP] = {e.start, rank};
    __syncwarp();
}

/* Takes the states over a chunk. */
template <unsigned n_states, typename followers>
__device__ void count_chunk(const counting &c, const followers &f, const chunk *ends,
                            csweep_lane_state *state)
{
#pragma unroll 1
    for (unsigned i = 0; i < GPU_WARP; i += AHEAD) {
        uint32_t follower[AHEAD];
#pragma unroll
        for (unsigned j = 0; j < AHEAD; j++)
            follower[j] = f.follower(c, ends->place[i + j]);
#pragma unroll
        for (unsigned j = 0; j < AHEAD; j++) {
            chunk_end end = ends->end[i + j];
            for (unsigned s = 0; s < n_states; s++)
                csweep_step(&state[s], end.start, end.rank, follower[j]);
        }
    }
}

/* The state in which a thread begins with a list. */
__device__ csweep_lane_state first_state(const counting &c, const thread_share &s)
{
    return {c.free_from != nullptr && s.wanted ? c.free_from[s.candidate] : 0, 0};
}

/* The whole list of a row; stops early where no candidate can reach the support: what may still
 * come are at most as many occurrences as the row's own greedy count has left, and one more
 * (engine/sweep/task.c). */
template <typename followers>
__device__ csweep_lane_state count_list(const counting &c, const followers &f, uint32_t row,
                                        const row_list &list, const thread_share &s, chunk *ends)
{
    csweep_lane_state state = first_state(c, s);
    uint64_t row_count = c.support > 0 ? c.row_count[c.begin + row] : 0;
    for (uint64_t k0 = 0; k0 < list.n; k0 += GPU_WARP) {
        load_chunk(c, list, k0, list.n, ends);
        count_chunk<1>(c, f, ends, &state);
        if (c.support > 0) {
            uint32_t seen = __shfl_sync(GPU_WHOLE_WARP, state.count, GPU_WARP - 1);
            uint64_t most = state.count + (row_count - seen) + 1;
            if (!__any_sync(GPU_WHOLE_WARP, s.wanted && most >= c.support))
                break;
        }
    }
    return state;
}

__device__ void report(const counting &c, const thread_share &s, csweep_lane_state state)
{
    if (!s.wanted)
        return;
    c.counts[s.candidate] = state.count;
    if (c.free_from != nullptr)
        c.free_from[s.candidate] = state.free_from;
    if (state.count >= c.support)
        atomicOr(&c.found[s.run], 1u << s.bit);
}

/* Calls use(followers) with the tables where all strips of the warp have one. `row_itself`: the
 * last thread counts the row. */
template <typename entry, bool row_itself, typename use>
__device__ void with_followers(const counting &c, const thread_share &s, const use &f)
{
    bool missing = s.wanted && c.table[s.strip] == nullptr;
    if (__any_sync(GPU_WHOLE_WARP, missing))
        f(find_lane(c, s));
    else
        f(find_table<entry>(c, s, row_itself));
}

template <typename entry> __global__ void __launch_bounds__(THREADS) count_tasks(counting c)
{
    __shared__ chunk ends[WARPS];
    uint64_t w = gpu_thread() / GPU_WARP;
    if (w >= c.n_tasks)
        return;
    uint32_t task = c.order != nullptr ? c.order[w] : static_cast<uint32_t>(w);
    uint32_t row = c.task_row[task];
    thread_share share = find_share(c, row, c.task_group[task]);
    row_list list = find_list(c, row);
    chunk *mine = &ends[threadIdx.x / GPU_WARP];
    with_followers<entry, true>(c, share, [&](const auto &f) {
        report(c, share, count_list(c, f, row, list, share, mine));
    });
}

/* ---- in pieces ------------------------------------------------------------------------------- */

template <typename entry> __global__ void __launch_bounds__(THREADS) count_pieces(counting c)
{
    __shared__ chunk ends[WARPS];
    uint64_t w = gpu_thread() / GPU_WARP;
    if (w >= c.n_tasks)
        return;
    uint64_t task = c.order != nullptr ? c.order[w] : w;
    uint32_t row = c.task_row[task];
    thread_share share = find_share(c, row, c.task_group[task]);
    row_list list = find_list(c, row);
    uint64_t from = c.task_piece[task] * c.piece;
    uint64_t to = min(from + c.piece, list.n);
    /* The first piece begins where the list does; others begin free, which settle_pieces mends. */
    csweep_lane_state state = {0, 0};
    if (from == 0)
        state = first_state(c, share);
    with_followers<entry, false>(c, share, [&](const auto &f) {
        for (uint64_t k0 = from; k0 < to; k0 += GPU_WARP) {
            load_chunk(c, list, k0, to, &ends[threadIdx.x / GPU_WARP]);
            count_chunk<1>(c, f, &ends[threadIdx.x / GPU_WARP], &state);
        }
    });
    uint64_t at = task * GPU_WARP + threadIdx.x % GPU_WARP;
    c.piece_count[at] = state.count;
    c.piece_state[at] = state.free_from;
}

template <typename entry> __global__ void __launch_bounds__(THREADS) settle_pieces(counting c)
{
    __shared__ chunk ends[WARPS];
    uint64_t task = gpu_thread() / GPU_WARP;
    if (task >= c.n_tasks || c.task_piece[task] == 0)
        return;
    uint32_t row = c.task_row[task];
    thread_share share = find_share(c, row, c.task_group[task]);
    row_list list = find_list(c, row);
    uint64_t from = c.task_piece[task] * c.piece;
    uint64_t to = min(from + c.piece, list.n);
    uint64_t at = task * GPU_WARP + threadIdx.x % GPU_WARP;
    /* State 0 is the free one that count_pieces had; state 1 begins where the piece before ended.
     * Once both have the same future, counts differ by what they differ now. */
    csweep_lane_state state[2] = {{0, 0}, {c.piece_state[at - GPU_WARP], 0}};
    bool same = false;
    with_followers<entry, false>(c, share, [&](const auto &f) {
        chunk *mine = &ends[threadIdx.x / GPU_WARP];
        for (uint64_t k0 = from; k0 < to && !same; k0 += GPU_WARP) {
            load_chunk(c, list, k0, to, mine);
            count_chunk<2>(c, f, mine, state);
            uint32_t start = mine->end[min(to - k0, static_cast<uint64_t>(GPU_WARP)) - 1].start;
            same = csweep_same_future(&state[0], &state[1], start);
            same = __all_sync(GPU_WHOLE_WARP, !share.wanted || same);
        }
    });
    c.piece_count[at] += state[1].count - state[0].count;
    if (c.free_from != nullptr) {
        c.piece_open[at] = state[0].free_from;
        c.piece_met[at] = state[1].free_from;
    }
    if (threadIdx.x % GPU_WARP == 0 && !same)
        c.unsettled[task - c.task_piece[task]] = 1;
}

template <typename entry> __global__ void __launch_bounds__(THREADS) gather_pieces(counting c)
{
    __shared__ chunk ends[WARPS];
    uint64_t task = gpu_thread() / GPU_WARP;
    if (task >= c.n_tasks || c.task_piece[task] != 0)
        return;
    uint32_t row = c.task_row[task];
    thread_share share = find_share(c, row, c.task_group[task]);
    /* A task whose pieces did not settle is counted in one go, by the warp of its first piece. */
    if (c.unsettled[task] != 0) {
        row_list list = find_list(c, row);
        chunk *mine = &ends[threadIdx.x / GPU_WARP];
        with_followers<entry, true>(c, share, [&](const auto &f) {
            report(c, share, count_list(c, f, row, list, share, mine));
        });
        return;
    }
    csweep_lane_state state = {0, 0};
    uint64_t pieces = row_pieces(c, row);
    for (uint64_t p = 0; p < pieces; p++) {
        uint64_t at = (task + p) * GPU_WARP + threadIdx.x % GPU_WARP;
        state.count += c.piece_count[at];
        if (c.free_from != nullptr)
            state.free_from =
                p == 0 ? c.piece_state[at]
                       : csweep_after_piece(state.free_from, c.piece_state[at - GPU_WARP],
                                            c.piece_open[at], c.piece_met[at], c.piece_state[at]);
    }
    report(c, share, state);
}

/* ---- launching ------------------------------------------------------------------------------- */

/* How many tasks each row has before it, and how many there are. */
spk_status measure(spk_context *context, counting *c, csweep_scratch *scratch)
{
    uint64_t n = c->n_rows + 1;
    spk_status status = gpu_reserve(context, &scratch->totals, n, sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *first = static_cast<uint64_t *>(scratch->totals.data);
    status = gpu_launch(context, WHAT, measure_tasks, n, THREADS, *c, first);
    if (status == SPK_OK)
        status = gpu_exclusive_sum(context, &scratch->temporary, first, n, WHAT);
    return status == SPK_OK
               ? gpu_download(context, &c->n_tasks, first + n - 1, sizeof c->n_tasks, WHAT)
               : status;
}

/* Makes the tasks, in pieces where that is worth it: `mean` is the length of a list. */
spk_status make_tasks(spk_context *context, uint64_t mean, counting *c, csweep_scratch *scratch)
{
    c->piece = UINT64_MAX;
    spk_status status = measure(context, c, scratch);
    /* Few tasks leave most of the device idle: long lists are then cut, so that there are about
     * MANY_TASKS pieces. */
    bool pieces = status == SPK_OK && c->n_tasks < FEW_TASKS && mean >= 2 * LEAST_PIECE;
    if (pieces) {
        c->piece = max(LEAST_PIECE, mean * c->n_tasks / MANY_TASKS);
        status = measure(context, c, scratch);
    }
    if (status == SPK_OK)
        status = gpu_reserve_each(context, {&scratch->task_row, &scratch->task_group}, c->n_tasks,
                                  sizeof(uint32_t), WHAT);
    if (status == SPK_OK && pieces)
        status = gpu_reserve(context, &scratch->task_piece, c->n_tasks, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint32_t *piece = pieces ? gpu_words(scratch->task_piece) : nullptr;
    status = gpu_launch(context, WHAT, write_tasks, c->n_tasks, THREADS, *c,
                        static_cast<const uint64_t *>(scratch->totals.data),
                        gpu_words(scratch->task_row), gpu_words(scratch->task_group), piece);
    c->task_row = gpu_words(scratch->task_row);
    c->task_group = gpu_words(scratch->task_group);
    c->task_piece = piece;
    return status;
}

spk_status order_tasks(spk_context *context, counting *c, csweep_scratch *scratch)
{
    uint64_t n = c->n_tasks;
    spk_status status = gpu_reserve_each(
        context, {&scratch->keys, &scratch->keys_out, &scratch->values, &scratch->values_out}, n,
        sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    /* Only the bits that numbers of lanes have are sorted. */
    int bits = 1;
    while (bits < 32 && c->view.n_lanes >> bits != 0)
        bits++;
    status = gpu_launch(context, WHAT, make_order_keys, n, THREADS, *c, gpu_words(scratch->keys),
                        gpu_words(scratch->values));
    if (status == SPK_OK)
        status = gpu_sort(context, &scratch->temporary,
                          {gpu_words(scratch->keys), gpu_words(scratch->keys_out),
                           gpu_words(scratch->values), gpu_words(scratch->values_out)},
                          n, bits, WHAT);
    c->order = gpu_words(scratch->values_out);
    return status;
}

template <typename entry>
spk_status launch_pieces(spk_context *context, counting *c, csweep_scratch *scratch)
{
    uint64_t n = c->n_tasks;
    spk_status status = gpu_reserve_each(context, {&scratch->piece_count, &scratch->piece_state},
                                         n * GPU_WARP, sizeof(uint32_t), WHAT);
    if (status == SPK_OK && c->free_from != nullptr)
        status = gpu_reserve_each(context, {&scratch->piece_open, &scratch->piece_met},
                                  n * GPU_WARP, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->unsettled, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, scratch->unsettled.data, n * sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    c->piece_count = gpu_words(scratch->piece_count);
    c->piece_state = gpu_words(scratch->piece_state);
    c->piece_open = gpu_words(scratch->piece_open);
    c->piece_met = gpu_words(scratch->piece_met);
    c->unsettled = gpu_words(scratch->unsettled);
    /* Three launches in the order of the stream: each reads what the one before wrote. */
    status = gpu_launch(context, WHAT, count_pieces<entry>, n * GPU_WARP, THREADS, *c);
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, settle_pieces<entry>, n * GPU_WARP, THREADS, *c);
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, gather_pieces<entry>, n * GPU_WARP, THREADS, *c);
    return status;
}

template <typename entry>
spk_status launch(spk_context *context, counting *c, csweep_scratch *scratch)
{
    spk_status status = c->n_tasks > FEW_TASKS ? order_tasks(context, c, scratch) : SPK_OK;
    if (status == SPK_OK && c->task_piece != nullptr)
        return launch_pieces<entry>(context, c, scratch);
    if (status != SPK_OK)
        return status;
    return gpu_launch(context, WHAT, count_tasks<entry>, c->n_tasks * GPU_WARP, THREADS, *c);
}

counting describe(const csweep_count_job *job, const csweep_batch *batch)
{
    counting c = {};
    c.view = job->index->view;
    c.table = static_cast<void *const *>(job->tables->pointers.data);
    c.begin = batch->begin;
    c.n_rows = batch->end - batch->begin;
    c.row_lane = gpu_words(job->level->lane);
    c.row_count = gpu_words(job->level->count);
    /* Without lists, at size 1, the list of a row is all events of its lane. Else lists are
     * numbered from the first row that has one. */
    if (job->lists != nullptr) {
        c.first = static_cast<const uint64_t *>(job->lists->first.data) +
                  (batch->begin - job->lists->begin);
        c.entry = static_cast<const csweep_entry *>(job->lists->entry.data);
    }
    c.run_first = gpu_words(batch->first);
    c.run_strip = gpu_words(batch->strip);
    c.run_mask = gpu_words(batch->mask);
    c.candidate = gpu_words(batch->candidate);
    c.support = job->support;
    c.free_from = batch->resumes ? gpu_words(batch->free_from) : nullptr;
    c.found = gpu_words(batch->found);
    c.counts = gpu_words(batch->counts);
    return c;
}

} // namespace

extern "C" spk_status csweep_count(spk_context *context, const csweep_count_job *job,
                                   csweep_scratch *scratch, csweep_batch *batch)
{
    uint64_t n = batch->n_runs;
    if (n == 0)
        return SPK_OK;
    assert(job->lists == nullptr
               ? job->level->size == 1
               : job->lists->begin <= batch->begin && batch->end <= job->lists->end);
    spk_status status = gpu_reserve(context, &batch->found, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, batch->found.data, n * sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &batch->counts, batch->n_candidates, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    counting c = describe(job, batch);
    /* The mean length of a list decides whether tasks are cut into pieces. */
    uint64_t mean = job->lists != nullptr
                        ? job->lists->n_entries / (job->lists->end - job->lists->begin)
                        : c.view.n_places / c.view.n_lanes;
    status = make_tasks(context, mean, &c, scratch);
    if (status != SPK_OK)
        return status;
    return job->tables->wide ? launch<uint32_t>(context, &c, scratch)
                             : launch<uint16_t>(context, &c, scratch);
}
