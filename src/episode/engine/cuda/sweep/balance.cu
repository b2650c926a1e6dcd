/*
 * Balances a level's rows over several devices (cuda-sweep, docs/explanation/gpu.md).
 *
 * Runs are sorted by weight, the heaviest first, and assigned to the parts in turn. Every second
 * round goes through the parts backwards, so that no part always gets the heavier run of a round.
 * The weight of a run now goes with the work that its rows lead to later. Then the rows of each
 * part are brought together, in their old order.
 *
 * One thread owns one run, a block 256; finding the borders takes one block, a thread a part.
 * Memory: 40 bytes a run, and the rows' columns once more.
 * Limits: up to 255 parts, and 2^32 - 2 rows and runs, as a level has.
 */
#include "cuda/cub.cuh"
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr const char *WHAT = "balancing episodes over GPUs";

/* A level's columns. */
struct rows {
    uint32_t *prefix, *suffix, *lane, *delay, *count;
};

__global__ void weigh_runs(uint64_t n, rows level, const uint32_t *run_first,
                           const uint32_t *run_mask, const uint32_t *run_row, uint64_t *weight,
                           uint32_t *number)
{
    uint64_t run = gpu_thread();
    if (run >= n)
        return;
    uint64_t sum = 0;
    for (uint32_t row = run_row[run]; row < run_row[run] + __popc(run_mask[run]); row++) {
        uint32_t s = level.suffix[row];
        sum += static_cast<uint64_t>(level.count[row]) * (run_first[s + 1] - run_first[s]);
    }
    weight[run] = sum;
    number[run] = static_cast<uint32_t>(run);
}

/* Which part gets the run that is the k-th heaviest. */
__global__ void assign_parts(uint64_t n, const uint32_t *by_weight, unsigned n_parts,
                             uint32_t *part)
{
    uint64_t k = gpu_thread();
    if (k >= n)
        return;
    unsigned at = static_cast<unsigned>(k % n_parts);
    part[by_weight[k]] = k / n_parts % 2 == 0 ? at : n_parts - 1 - at;
}

__global__ void number_runs(uint64_t n, uint32_t *number)
{
    uint64_t k = gpu_thread();
    if (k < n)
        number[k] = static_cast<uint32_t>(k);
}

__global__ void measure_runs(uint64_t n, const uint32_t *order, const uint32_t *run_mask,
                             uint64_t *size)
{
    uint64_t k = gpu_thread();
    if (k <= n)
        size[k] = k < n ? __popc(run_mask[order[k]]) : 0;
}

/* `part` is sorted; the first run of each part has its border. */
__global__ void find_borders(uint64_t n, const uint32_t *part, const uint64_t *first,
                             unsigned n_parts, uint64_t *border)
{
    unsigned p = threadIdx.x;
    if (p > n_parts)
        return;
    uint64_t low = 0;
    uint64_t high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (part[middle] < p)
            low = middle + 1;
        else
            high = middle;
    }
    border[p] = first[low];
}

__global__ void move_rows(uint64_t n, const uint32_t *order, const uint64_t *first,
                          const uint32_t *run_mask, uint32_t *run_row, rows from, rows to)
{
    uint64_t k = gpu_thread();
    if (k >= n)
        return;
    uint32_t run = order[k];
    uint32_t old = run_row[run];
    uint32_t at = static_cast<uint32_t>(first[k]);
    for (uint32_t j = 0; j < __popc(run_mask[run]); j++) {
        to.prefix[at + j] = from.prefix[old + j];
        to.suffix[at + j] = from.suffix[old + j];
        to.lane[at + j] = from.lane[old + j];
        to.delay[at + j] = from.delay[old + j];
        to.count[at + j] = from.count[old + j];
    }
    run_row[run] = at;
}

/* Which part each run goes to, in scratch->values_out. The runs of the level before are in the same
 * order: `level` weighs with them. */
spk_status choose_parts(spk_context *context, const csweep_level *level, const uint32_t *run_first,
                        rows columns, unsigned n_parts, csweep_scratch *scratch)
{
    uint64_t n = level->n_runs;
    uint64_t *weight = static_cast<uint64_t *>(scratch->keys.data);
    uint64_t *sorted = static_cast<uint64_t *>(scratch->keys_out.data);
    spk_status status = gpu_launch(context, WHAT, weigh_runs, n, THREADS, n, columns, run_first,
                                   gpu_words(level->run_mask), gpu_words(level->run_row), weight,
                                   gpu_words(scratch->values));
    if (status == SPK_OK)
        status = gpu_sort_descending(
            context, &scratch->temporary,
            {weight, sorted, gpu_words(scratch->values), gpu_words(scratch->task_row)}, n, WHAT);
    if (status != SPK_OK)
        return status;
    return gpu_launch(context, WHAT, assign_parts, n, THREADS, n, gpu_words(scratch->task_row),
                      n_parts, gpu_words(scratch->values_out));
}

/* The runs by part in scratch->task_group, where each one's rows begin in scratch->totals. */
spk_status order_runs(spk_context *context, const csweep_level *level, unsigned n_parts,
                      csweep_scratch *scratch, uint64_t *border)
{
    /* Parts are numbers of a byte, so that sorting takes the fewest passes; it is stable, and runs
     * of a part keep their order. */
    uint64_t n = level->n_runs;
    uint32_t *part = gpu_words(scratch->values_out);
    uint32_t *part_sorted = gpu_words(scratch->keys);
    uint64_t *first = static_cast<uint64_t *>(scratch->totals.data);
    spk_status status =
        gpu_launch(context, WHAT, number_runs, n, THREADS, n, gpu_words(scratch->values));
    if (status == SPK_OK)
        status = gpu_sort(
            context, &scratch->temporary,
            {part, part_sorted, gpu_words(scratch->values), gpu_words(scratch->task_group)}, n, 8,
            WHAT);
    if (status != SPK_OK)
        return status;
    status = gpu_launch(context, WHAT, measure_runs, n + 1, THREADS, n,
                        gpu_words(scratch->task_group), gpu_words(level->run_mask), first);
    if (status == SPK_OK)
        status = gpu_exclusive_sum(context, &scratch->temporary, first, n + 1, WHAT);
    if (status != SPK_OK)
        return status;
    uint64_t *found = static_cast<uint64_t *>(scratch->keys_out.data);
    status = gpu_launch(context, WHAT, find_borders, THREADS, THREADS, n, part_sorted, first,
                        n_parts, found);
    return status == SPK_OK
               ? gpu_download(context, border, found, (n_parts + 1ull) * sizeof *border, WHAT)
               : status;
}

spk_status reserve(spk_context *context, uint64_t n, unsigned n_parts, csweep_scratch *scratch)
{
    spk_status status = gpu_reserve_each(
        context, {&scratch->values, &scratch->values_out, &scratch->task_row, &scratch->task_group},
        n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve_each(context, {&scratch->keys, &scratch->keys_out, &scratch->totals},
                                  (n > n_parts ? n : n_parts) + 1, sizeof(uint64_t), WHAT);
    return status;
}

} // namespace

extern "C" spk_status csweep_balance(spk_context *context, csweep_level *level, int n_parts,
                                     csweep_scratch *scratch, uint64_t *border)
{
    gpu_buffer *columns[] = {&level->prefix, &level->suffix, &level->lane, &level->delay,
                             &level->count};
    gpu_buffer moved[5] = {};
    unsigned parts = static_cast<unsigned>(n_parts);
    uint64_t n = level->n_runs;
    assert(n_parts > 0 && parts < THREADS && n > 0); /* find_borders, and keys of 8 bits */
    rows from = {gpu_words(level->prefix), gpu_words(level->suffix), gpu_words(level->lane),
                 gpu_words(level->delay), gpu_words(level->count)};
    spk_status status = reserve(context, n, parts, scratch);
    if (status == SPK_OK)
        status = choose_parts(context, level, gpu_words(level->run_first), from, parts, scratch);
    if (status == SPK_OK)
        status = order_runs(context, level, parts, scratch, border);
    for (int k = 0; k < 5 && status == SPK_OK; k++)
        status = gpu_reserve(context, &moved[k], level->n, sizeof(uint32_t), WHAT);
    if (status == SPK_OK) {
        rows to = {gpu_words(moved[0]), gpu_words(moved[1]), gpu_words(moved[2]),
                   gpu_words(moved[3]), gpu_words(moved[4])};
        status = gpu_launch(context, WHAT, move_rows, n, THREADS, n, gpu_words(scratch->task_group),
                            static_cast<const uint64_t *>(scratch->totals.data),
                            gpu_words(level->run_mask), gpu_words(level->run_row), from, to);
    }
    for (int k = 0; k < 5 && status == SPK_OK; k++) {
        gpu_buffer old = *columns[k];
        *columns[k] = moved[k];
        moved[k] = old;
    }
    for (gpu_buffer &buffer : moved)
        gpu_release(&buffer);
    level->balanced = true;
    return status == SPK_OK ? gpu_wait(context, WHAT) : status;
}

extern "C" spk_status csweep_prefix_range(spk_context *context, const csweep_level *level,
                                          uint64_t begin, uint64_t end, csweep_scratch *scratch,
                                          uint64_t *first, uint64_t *last)
{
    const uint32_t *prefix = gpu_words(level->prefix) + begin;
    uint64_t n = end - begin;
    uint32_t bounds[2] = {0, 0};
    assert(begin < end && end <= level->n);
    spk_status status = gpu_reserve(context, &scratch->totals, 2, sizeof(uint32_t), WHAT);
    if (status != SPK_OK)
        return status;
    uint32_t *found = gpu_words(scratch->totals);
    /* Rows rise by prefix unless they were dealt out to devices: then both ends may lie anywhere.
     */
    if (level->balanced) {
        status = gpu_ends(context, &scratch->temporary, prefix, found, n, WHAT);
        if (status == SPK_OK)
            status = gpu_download(context, bounds, found, sizeof bounds, WHAT);
    } else {
        status = gpu_download(context, &bounds[0], prefix, sizeof bounds[0], WHAT);
        if (status == SPK_OK)
            status = gpu_download(context, &bounds[1], prefix + n - 1, sizeof bounds[1], WHAT);
    }
    *first = bounds[0];
    *last = bounds[1] + 1ull;
    return status;
}
