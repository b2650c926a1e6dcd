/*
 * Counting with all tables in memory.
 *
 * Each group: its prefix's list along the path, a task over it, the counts. Invariant: tables are
 * only read meanwhile, and a group's counts are written by one thread. Cost: the lists that a
 * prefix does not share with the one before, and a step for each end and strip. Bytes: a path and a
 * task a thread, beside the tables.
 */
#include "episode/engine/sweep/strategy.h"

enum { MOST_TASKS_A_CHUNK = 128 };

static spk_status count_group(const sweep_shared *shared, const sweep_table *table,
                              const sweep_groups *groups, uint64_t g, sweep_path *path,
                              sweep_task *task, uint64_t *counts)
{
    const spk_episode_block *block = shared->block;
    uint64_t first = groups->first[g];
    uint32_t size = block->size - 1;
    spk_status status =
        sweep_path_go(shared->index, shared->kernels.extend, size,
                      block->unit + first * block->size, block->delay + first * block->size, path);
    if (status != SPK_OK)
        return status;
    task->list = path->list[size - 1]; /* borrowed from the path */
    status = sweep_task_begin(shared, first, groups->first[g + 1], false, task);
    if (status == SPK_OK) {
        sweep_task_advance(shared, table, task);
        sweep_task_finish(shared, first, groups->first[g + 1], task, counts);
    }
    task->list = (sweep_list){.n = 0};
    return status;
}

spk_status sweep_count_set(const sweep_shared *shared, const sweep_resources *resources,
                           const sweep_groups *groups, const sweep_group_set *set, uint64_t *counts)
{
    spk_status result = SPK_OK;
    /* Neighbours share most of their path, so long chunks save work; short ones balance it. */
    uint64_t chunk_size = set->n / (16 * (uint64_t)resources->threads) + 1;
    chunk_size = chunk_size < MOST_TASKS_A_CHUNK ? chunk_size : MOST_TASKS_A_CHUNK;
    uint64_t n_chunks = (set->n + chunk_size - 1) / chunk_size;
#pragma omp parallel num_threads(resources->threads)
    {
        sweep_path path = {.depth = 0};
        sweep_task task = {.n_strips = 0};
        spk_status status = SPK_OK;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t chunk = 0; chunk < n_chunks; chunk++) {
            uint64_t end = (chunk + 1) * chunk_size;
            end = end < set->n ? end : set->n;
            for (uint64_t k = chunk * chunk_size; k < end; k++)
                if (status == SPK_OK && !spk_context_cancelled(shared->watch))
                    status = count_group(shared, resources->table, groups, sweep_group_at(set, k),
                                         &path, &task, counts);
        }
        sweep_path_free(&path);
        sweep_task_free(&task);
        if (status != SPK_OK) {
#pragma omp critical(spk_sweep_status)
            result = status;
        }
    }
    return result;
}

spk_status sweep_count_resident(const sweep_shared *shared, const sweep_resources *resources,
                                const sweep_groups *groups, uint64_t stretch, uint64_t *counts)
{
    (void)stretch;
    sweep_group_set all = {groups->n, NULL};
    spk_status status =
        sweep_table_cover(NULL, shared->index, 0, shared->index->events.n_events, shared->wide,
                          shared->active, resources->threads, resources->table);
    return status == SPK_OK ? sweep_count_set(shared, resources, groups, &all, counts) : status;
}
