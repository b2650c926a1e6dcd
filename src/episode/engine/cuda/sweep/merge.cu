/*
 * Gathers a level that several devices counted: every device takes over the new rows of the others,
 * because the join needs all rows (cuda-sweep, docs/explanation/gpu.md). Copies go from device to
 * device, or through the host where the devices do not reach each other.
 *
 * One thread owns one number of a part and adds what it lacks to be a number of the whole level; a
 * block owns 256.
 * Memory: the level's columns, nothing beside them.
 * Limits: 2^32 - 2 rows and runs; SPK_ERR_MEMORY beyond them.
 */
#include "cuda/kernel.cuh"
#include "episode/engine/cuda/sweep/level.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr const char *WHAT = "exchanging frequent episodes between GPUs";

__global__ void add(uint64_t n, uint32_t *array, uint32_t value)
{
    uint64_t i = gpu_thread();
    if (i < n)
        array[i] += value;
}

spk_status add_to(spk_context *context, uint64_t n, uint32_t *array, uint64_t value)
{
    if (n == 0 || value == 0)
        return SPK_OK;
    return gpu_launch(context, WHAT, add, n, THREADS, n, array, static_cast<uint32_t>(value));
}

spk_status take(spk_context *context, gpu_buffer *to, int to_device, uint64_t offset,
                const gpu_buffer &from, int from_device, uint64_t first, uint64_t n)
{
    if (n == 0)
        return SPK_OK;
    return gpu_check(context,
                     cudaMemcpyPeerAsync(static_cast<uint32_t *>(to->data) + offset, to_device,
                                         static_cast<const uint32_t *>(from.data) + first,
                                         from_device, n * sizeof(uint32_t), cudaStreamPerThread),
                     WHAT);
}

spk_status take_part(spk_context *context, const csweep_part *part, int device, uint64_t row_offset,
                     uint64_t run_offset, csweep_level *full)
{
    const csweep_level *from = part->level;
    gpu_buffer *rows[] = {&full->prefix, &full->suffix, &full->lane, &full->delay, &full->count};
    const gpu_buffer *rows_from[] = {&from->prefix, &from->suffix, &from->lane, &from->delay,
                                     &from->count};
    gpu_buffer *runs[] = {&full->run_strip, &full->run_mask, &full->run_row};
    const gpu_buffer *runs_from[] = {&from->run_strip, &from->run_mask, &from->run_row};
    spk_status status = SPK_OK;
    for (int k = 0; k < 5 && status == SPK_OK; k++)
        status =
            take(context, rows[k], device, row_offset, *rows_from[k], part->device, 0, from->n);
    for (int k = 0; k < 3 && status == SPK_OK; k++)
        status = take(context, runs[k], device, run_offset, *runs_from[k], part->device, 0,
                      from->n_runs);
    /* The entry behind a part's last row is the first of the part after it. */
    uint64_t n_first = part->end - part->begin + 1;
    if (status == SPK_OK)
        status = take(context, &full->run_first, device, part->begin, from->run_first, part->device,
                      part->begin, n_first);
    if (status == SPK_OK)
        status = add_to(context, n_first,
                        static_cast<uint32_t *>(full->run_first.data) + part->begin, run_offset);
    if (status == SPK_OK)
        status = add_to(context, from->n_runs,
                        static_cast<uint32_t *>(full->run_row.data) + run_offset, row_offset);
    return status;
}

} // namespace

extern "C" spk_status csweep_merge(spk_context *context, const csweep_part *parts, int n_parts,
                                   int device, csweep_level *full)
{
    uint64_t n_rows = 0;
    uint64_t n_runs = 0;
    for (int k = 0; k < n_parts; k++) {
        assert(parts[k].begin == (k > 0 ? parts[k - 1].end : 0)); /* they cover the level before */
        n_rows += parts[k].level->n;
        n_runs += parts[k].level->n_runs;
    }
    *full = {};
    full->size = parts[0].level->size;
    full->n_before = parts[0].level->n_before;
    full->n = n_rows;
    full->n_runs = n_runs;
    if (n_rows >= UINT32_MAX || n_runs >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_MEMORY,
                        "more than 4 billion frequent episodes of size %u; raise the support",
                        full->size);
    spk_status status = gpu_reserve_each(
        context, {&full->prefix, &full->suffix, &full->lane, &full->delay, &full->count}, n_rows,
        sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve_each(context, {&full->run_strip, &full->run_mask, &full->run_row},
                                  n_runs, sizeof(uint32_t), WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &full->run_first, full->n_before + 1, sizeof(uint32_t), WHAT);
    uint64_t row_offset = 0;
    uint64_t run_offset = 0;
    for (int k = 0; k < n_parts && status == SPK_OK; k++) {
        status = take_part(context, &parts[k], device, row_offset, run_offset, full);
        row_offset += parts[k].level->n;
        run_offset += parts[k].level->n_runs;
    }
    return status == SPK_OK ? gpu_wait(context, WHAT) : status;
}
