/*
 * From one level to the next on the device: which candidates a range of rows has, and which of them
 * become rows (cuda-sweep, docs/explanation/gpu.md).
 *
 * Join: one thread owns one row; its candidates are the runs of its suffix's children. Keep: one
 * warp owns one run; its threads write the rows of the frequent lanes where exclusive scans say, so
 * rows stay in lexicographic order. A block has 256 threads.
 * Memory: 24 bytes a run and 4 a candidate; 20 bytes a row.
 * Limits: 2^32 - 2 rows and runs; SPK_ERR_MEMORY beyond them.
 */
#include <cstdlib>

#include "base/memory.h"
#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr const char *WHAT = "levels of the search";
static_assert(GPU_WARP == CSWEEP_LANES, "a thread a lane writes the rows of a run");

/* A buffer with room for n elements that keeps what it holds. */
spk_status grow(spk_context *context, gpu_buffer *buffer, uint64_t used, uint64_t n)
{
    if (n * sizeof(uint32_t) <= buffer->bytes)
        return SPK_OK;
    gpu_buffer larger = {};
    uint64_t capacity = used > 0 ? n + n / 2 : n;
    spk_status status = gpu_reserve(context, &larger, capacity, sizeof(uint32_t), WHAT);
    if (status == SPK_OK && used > 0)
        status = gpu_check(context,
                           cudaMemcpyAsync(larger.data, buffer->data, used * sizeof(uint32_t),
                                           cudaMemcpyDeviceToDevice, cudaStreamPerThread),
                           WHAT);
    if (status != SPK_OK) {
        gpu_release(&larger);
        return status;
    }
    gpu_release(buffer);
    *buffer = larger;
    return SPK_OK;
}

/* ---- join ------------------------------------------------------------------------------------ */

__global__ void count_row_runs(uint64_t begin, uint64_t n, const uint32_t *suffix,
                               const uint32_t *run_first, uint64_t *runs)
{
    uint64_t i = gpu_thread();
    if (i > n)
        return;
    uint32_t s = i < n ? suffix[begin + i] : 0;
    runs[i] = i < n ? run_first[s + 1] - run_first[s] : 0;
}

struct joined {
    uint32_t *first, *prefix, *strip, *mask, *child, *candidate;
};

__global__ void write_runs(uint64_t begin, uint64_t n, const uint32_t *suffix,
                           const uint32_t *run_first, const uint32_t *run_strip,
                           const uint32_t *run_mask, const uint32_t *run_row, const uint64_t *first,
                           joined out)
{
    uint64_t i = gpu_thread();
    if (i > n)
        return;
    uint32_t at = static_cast<uint32_t>(first[i]);
    out.first[i] = at;
    if (i == n) {
        out.candidate[at] = 0;
        return;
    }
    uint32_t s = suffix[begin + i];
    for (uint32_t j = run_first[s]; j < run_first[s + 1]; j++, at++) {
        out.prefix[at] = static_cast<uint32_t>(begin + i);
        out.strip[at] = run_strip[j];
        out.mask[at] = run_mask[j];
        out.child[at] = run_row[j];
        out.candidate[at] = static_cast<uint32_t>(__popc(run_mask[j]));
    }
}

spk_status reserve_runs(spk_context *context, uint64_t n_rows, csweep_batch *batch)
{
    spk_status status = gpu_reserve(context, &batch->first, n_rows + 1, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve_each(
            context,
            {&batch->prefix, &batch->strip, &batch->mask, &batch->child, &batch->candidate},
            batch->n_runs + 1, sizeof(uint32_t), WHAT);
    return status;
}

/* ---- keep ------------------------------------------------------------------------------------ */

/* Frequent candidates of a run, and whether there are any, in one scan. */
__global__ void measure_found(uint64_t n, const uint32_t *found, uint64_t *sizes)
{
    uint64_t i = gpu_thread();
    if (i > n)
        return;
    uint32_t mask = i < n ? found[i] : 0;
    /* rows in the low half, runs in the high one */
    sizes[i] = static_cast<uint64_t>(__popc(mask)) | static_cast<uint64_t>(mask != 0) << 32;
}

struct kept {
    uint32_t *prefix, *suffix, *lane, *delay, *count; /* from the batch's first row on */
    uint32_t *run_strip, *run_mask, *run_row;         /* from the batch's first run on */
    uint32_t row_base, run_base;
};

__global__ void write_rows(uint64_t n, const uint32_t *prefix, const uint32_t *strip,
                           const uint32_t *mask, const uint32_t *child, const uint32_t *candidate,
                           const uint32_t *found, const uint32_t *counts, const uint64_t *sizes,
                           uint32_t n_tiles, kept out)
{
    uint64_t run = gpu_thread() / GPU_WARP;
    uint32_t thread = threadIdx.x % GPU_WARP;
    if (run >= n || found[run] == 0)
        return;
    /* The thread of a frequent lane writes its row at the number of frequent lanes below it; its
     * count is at the number of candidates below it. */
    uint32_t below = (1u << thread) - 1;
    uint32_t row = static_cast<uint32_t>(sizes[run]);
    uint32_t new_run = static_cast<uint32_t>(sizes[run] >> 32);
    if (found[run] >> thread & 1) {
        uint32_t at = row + __popc(found[run] & below);
        uint32_t which = __popc(mask[run] & below);
        out.prefix[at] = prefix[run];
        out.suffix[at] = child[run] + which;
        out.lane[at] = strip[run] % n_tiles * CSWEEP_LANES + thread;
        out.delay[at] = strip[run] / n_tiles;
        out.count[at] = counts[candidate[run] + which];
    }
    if (thread == 0) {
        out.run_strip[new_run] = strip[run];
        out.run_mask[new_run] = found[run];
        out.run_row[new_run] = out.row_base + row;
    }
}

/* Where the runs of each of the batch's rows start in the next level. */
__global__ void write_run_first(uint64_t n_rows, const uint32_t *first, const uint64_t *sizes,
                                uint32_t run_base, uint32_t *run_first)
{
    uint64_t i = gpu_thread();
    if (i <= n_rows)
        run_first[i] = run_base + static_cast<uint32_t>(sizes[first[i]] >> 32);
}

spk_status reserve_next(spk_context *context, uint64_t rows, uint64_t runs, csweep_level *next)
{
    if (next->n + rows >= UINT32_MAX || next->n_runs + runs >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_MEMORY,
                        "more than 4 billion frequent episodes of size %u; raise the support",
                        next->size);
    gpu_buffer *row_buffers[] = {&next->prefix, &next->suffix, &next->lane, &next->delay,
                                 &next->count};
    gpu_buffer *run_buffers[] = {&next->run_strip, &next->run_mask, &next->run_row};
    spk_status status = SPK_OK;
    for (gpu_buffer *buffer : row_buffers)
        if (status == SPK_OK)
            status = grow(context, buffer, next->n, next->n + rows);
    for (gpu_buffer *buffer : run_buffers)
        if (status == SPK_OK)
            status = grow(context, buffer, next->n_runs, next->n_runs + runs);
    return status;
}

/* ---- borders --------------------------------------------------------------------------------- */

__global__ void weigh_rows(uint64_t n, const uint32_t *suffix, const uint32_t *run_first,
                           const uint32_t *count, uint64_t *weight)
{
    uint64_t i = gpu_thread();
    if (i > n)
        return;
    uint32_t s = i < n ? suffix[i] : 0;
    weight[i] = i < n ? static_cast<uint64_t>(count[i]) * (run_first[s + 1] - run_first[s]) : 0;
}

__global__ void find_borders(uint64_t n, const uint64_t *before, unsigned n_parts, uint64_t *border)
{
    unsigned part = threadIdx.x;
    if (part > n_parts)
        return;
    uint64_t all = before[n];
    uint64_t goal = all / n_parts * part + all % n_parts * part / n_parts;
    uint64_t low = 0;
    uint64_t high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (before[middle] < goal)
            low = middle + 1;
        else
            high = middle;
    }
    border[part] = part == n_parts ? n : part == 0 ? 0 : low;
}

} // namespace

extern "C" void csweep_batch_close(csweep_batch *batch)
{
    gpu_release_each({&batch->first, &batch->prefix, &batch->strip, &batch->mask, &batch->child,
                      &batch->candidate, &batch->found, &batch->counts, &batch->free_from});
    *batch = {};
}

extern "C" void csweep_level_close(csweep_level *level)
{
    gpu_release_each({&level->prefix, &level->suffix, &level->lane, &level->delay, &level->count,
                      &level->run_first, &level->run_strip, &level->run_mask, &level->run_row});
    csweep_lists_close(&level->lists);
    *level = {};
}

extern "C" void csweep_scratch_close(csweep_scratch *scratch)
{
    gpu_release_each({&scratch->temporary, &scratch->keys, &scratch->keys_out, &scratch->values,
                      &scratch->values_out, &scratch->totals, &scratch->task_row,
                      &scratch->task_group, &scratch->task_piece, &scratch->piece_state,
                      &scratch->piece_count, &scratch->unsettled, &scratch->piece_open,
                      &scratch->piece_met});
    *scratch = {};
}

extern "C" spk_status csweep_level_of_lanes(spk_context *context, const csweep_index *index,
                                            csweep_level *level)
{
    uint32_t n = index->view.n_lanes;
    uint32_t n_tiles = index->view.n_tiles;
    uint64_t n_runs = static_cast<uint64_t>(index->n_delays) * n_tiles;
    uint32_t *host = nullptr;
    *level = {};
    level->size = 1;
    level->n = n;
    level->n_before = 1;
    level->n_runs = n_runs;
    spk_status status = spk_alloc(context, &host, 2ull * n + 2 + 3 * n_runs, WHAT);
    if (status != SPK_OK)
        return status;
    uint32_t *lane = host, *zero = lane + n, *first = zero + n, *strip = first + 2;
    uint32_t *mask = strip + n_runs, *row = mask + n_runs;
    for (uint32_t l = 0; l < n; l++) {
        lane[l] = l;
        zero[l] = 0;
    }
    first[0] = 0;
    first[1] = static_cast<uint32_t>(n_runs);
    /* All lanes follow the empty episode: a run for each delay and tile, with a bit for each lane.
     */
    for (uint64_t s = 0; s < n_runs; s++) {
        uint32_t tile = static_cast<uint32_t>(s % n_tiles);
        uint32_t lanes = n - tile * CSWEEP_LANES;
        strip[s] = static_cast<uint32_t>(s);
        mask[s] = lanes >= CSWEEP_LANES ? UINT32_MAX : (1u << lanes) - 1;
        row[s] = tile * CSWEEP_LANES;
    }
    struct {
        gpu_buffer *buffer;
        const uint32_t *from;
        uint64_t n;
    } parts[] = {{&level->lane, lane, n},          {&level->suffix, zero, n},
                 {&level->prefix, zero, n},        {&level->delay, zero, n},
                 {&level->run_first, first, 2},    {&level->run_strip, strip, n_runs},
                 {&level->run_mask, mask, n_runs}, {&level->run_row, row, n_runs}};
    for (auto &part : parts)
        if (status == SPK_OK)
            status = gpu_upload(context, part.buffer, part.from, part.n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &level->count, n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_check(context,
                           cudaMemcpyAsync(level->count.data, index->lane_count.data,
                                           n * sizeof(uint32_t), cudaMemcpyDeviceToDevice,
                                           cudaStreamPerThread),
                           WHAT);
    if (status == SPK_OK)
        status = gpu_wait(context, WHAT);
    free(host);
    return status;
}

extern "C" spk_status csweep_join(spk_context *context, const csweep_level *level, uint64_t begin,
                                  uint64_t end, uint64_t max_runs, csweep_scratch *scratch,
                                  csweep_batch *batch, bool *fits)
{
    uint64_t n = end - begin;
    assert(begin < end && end <= level->n);
    batch->begin = begin;
    batch->end = end;
    spk_status status = gpu_reserve(context, &scratch->totals, n + 1, sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *first = static_cast<uint64_t *>(scratch->totals.data);
    status = gpu_launch(context, WHAT, count_row_runs, n + 1, THREADS, begin, n,
                        gpu_words(level->suffix), gpu_words(level->run_first), first);
    if (status == SPK_OK)
        status = gpu_exclusive_sum(context, &scratch->temporary, first, n + 1, WHAT);
    if (status == SPK_OK)
        status = gpu_download(context, &batch->n_runs, first + n, sizeof batch->n_runs, WHAT);
    if (status != SPK_OK)
        return status;
    /* A batch that is too large is no error: the caller takes fewer rows. */
    *fits = batch->n_runs <= max_runs;
    if (!*fits)
        return SPK_OK;
    status = reserve_runs(context, n, batch);
    if (status != SPK_OK)
        return status;
    joined out = {gpu_words(batch->first), gpu_words(batch->prefix), gpu_words(batch->strip),
                  gpu_words(batch->mask),  gpu_words(batch->child),  gpu_words(batch->candidate)};
    status =
        gpu_launch(context, WHAT, write_runs, n + 1, THREADS, begin, n, gpu_words(level->suffix),
                   gpu_words(level->run_first), gpu_words(level->run_strip),
                   gpu_words(level->run_mask), gpu_words(level->run_row), first, out);
    if (status == SPK_OK)
        status =
            gpu_exclusive_sum(context, &scratch->temporary, out.candidate, batch->n_runs + 1, WHAT);
    uint32_t n_candidates = 0;
    if (status == SPK_OK)
        status = gpu_download(context, &n_candidates, out.candidate + batch->n_runs,
                              sizeof n_candidates, WHAT);
    batch->n_candidates = n_candidates;
    return status;
}

extern "C" spk_status csweep_level_start(spk_context *context, const csweep_level *level,
                                         csweep_level *next)
{
    *next = {};
    next->size = level->size + 1;
    next->n_before = level->n;
    spk_status status =
        gpu_reserve(context, &next->run_first, level->n + 1, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_clear(context, next->run_first.data, (level->n + 1) * sizeof(uint32_t), WHAT);
    return status;
}

extern "C" spk_status csweep_keep(spk_context *context, const csweep_batch *batch, uint32_t n_tiles,
                                  csweep_scratch *scratch, csweep_level *next)
{
    uint64_t n = batch->n_runs;
    assert(batch->begin <= batch->end && batch->end <= next->n_before);
    spk_status status = gpu_reserve(context, &scratch->totals, n + 1, sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *sizes = static_cast<uint64_t *>(scratch->totals.data);
    uint64_t found = 0;
    status =
        gpu_launch(context, WHAT, measure_found, n + 1, THREADS, n, gpu_words(batch->found), sizes);
    if (status == SPK_OK)
        status = gpu_exclusive_sum(context, &scratch->temporary, sizes, n + 1, WHAT);
    if (status == SPK_OK)
        status = gpu_download(context, &found, sizes + n, sizeof found, WHAT);
    if (status != SPK_OK)
        return status;
    /* Both sums are in one number, rows in the low half (measure_found). */
    uint64_t rows = found & UINT32_MAX;
    uint64_t runs = found >> 32;
    status = reserve_next(context, rows, runs, next);
    if (status != SPK_OK)
        return status;
    kept out = {gpu_words(next->prefix) + next->n,        gpu_words(next->suffix) + next->n,
                gpu_words(next->lane) + next->n,          gpu_words(next->delay) + next->n,
                gpu_words(next->count) + next->n,         gpu_words(next->run_strip) + next->n_runs,
                gpu_words(next->run_mask) + next->n_runs, gpu_words(next->run_row) + next->n_runs,
                static_cast<uint32_t>(next->n),           static_cast<uint32_t>(next->n_runs)};
    if (n > 0)
        status =
            gpu_launch(context, WHAT, write_rows, n * GPU_WARP, THREADS, n,
                       gpu_words(batch->prefix), gpu_words(batch->strip), gpu_words(batch->mask),
                       gpu_words(batch->child), gpu_words(batch->candidate),
                       gpu_words(batch->found), gpu_words(batch->counts), sizes, n_tiles, out);
    uint64_t n_rows = batch->end - batch->begin;
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, write_run_first, n_rows + 1, THREADS, n_rows,
                            gpu_words(batch->first), sizes, out.run_base,
                            gpu_words(next->run_first) + batch->begin);
    next->n += rows;
    next->n_runs += runs;
    return status;
}

extern "C" spk_status csweep_borders(spk_context *context, const csweep_level *level, int n_parts,
                                     csweep_scratch *scratch, uint64_t *border)
{
    uint64_t n = level->n;
    assert(n_parts > 0 && static_cast<unsigned>(n_parts) < THREADS); /* find_borders */
    spk_status status = gpu_reserve(context, &scratch->totals, n + 1, sizeof(uint64_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &scratch->keys, static_cast<uint64_t>(n_parts) + 1,
                             sizeof(uint64_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *weight = static_cast<uint64_t *>(scratch->totals.data);
    uint64_t *found = static_cast<uint64_t *>(scratch->keys.data);
    status = gpu_launch(context, WHAT, weigh_rows, n + 1, THREADS, n, gpu_words(level->suffix),
                        gpu_words(level->run_first), gpu_words(level->count), weight);
    if (status == SPK_OK)
        status = gpu_exclusive_sum(context, &scratch->temporary, weight, n + 1, WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, find_borders, THREADS, THREADS, n, weight,
                        static_cast<unsigned>(n_parts), found);
    return status == SPK_OK
               ? gpu_download(context, border, found,
                              (static_cast<uint64_t>(n_parts) + 1) * sizeof *border, WHAT)
               : status;
}
