/*
 * One device's share of cuda-sweep.
 *
 * Memory is planned before anything is launched: nine tenths of what is free, or the user's limit.
 * Beyond the index up to half is for delay tables; of what they leave, five eighths are for
 * occurrence lists, one for candidates, the rest for levels and results. Lists of a range of rows
 * that do not fit are made for half the range. Then the lists of the range's prefixes are made
 * again from the last level whose lists fit well.
 */
#include "episode/engine/cuda/sweep/device.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

static const uint64_t LEAST_MEMORY = 64u << 20;
static const uint64_t LEAST_RUNS = 1u << 14;
static const uint64_t MOST_RUNS = 1u << 26;
/* A run with all its candidates, and its share of sorting and scanning. */
enum { BYTES_A_RUN = 256 };

static uint64_t index_bytes(const csweep_index *index)
{
    return index->place_rank.bytes + index->event_place.bytes + index->word.bytes +
           index->reach.bytes;
}

spk_status csweep_device_open(spk_context *context, const spk_episode_job *job, uint32_t n_lanes,
                              const uint32_t *lane_unit, csweep_upload *upload, csweep_device **out)
{
    *out = NULL;
    csweep_device *device = NULL;
    uint64_t memory = 0;
    spk_status status = spk_alloc_zero(context, &device, 1, "engine 'cuda-sweep'");
    if (status == SPK_OK)
        status = gpu_memory_budget(context, job->memory, &memory);
    if (status != SPK_OK)
        goto done;
    /* Each step takes its share of what the one before left: the index, its array `within`, delay
     * tables, lists, candidates. There is some memory for each, whatever was asked for. */
    memory = memory > LEAST_MEMORY ? memory : LEAST_MEMORY;
    status = csweep_index_open(context, job, n_lanes, lane_unit, memory, upload, &device->index);
    if (status != SPK_OK)
        goto done;
    uint64_t used = index_bytes(&device->index);
    uint64_t within = csweep_index_within_bytes(&device->index);
    memory = memory > used + LEAST_MEMORY ? memory - used : LEAST_MEMORY;
    device->within_fits = within <= memory / 8;
    memory -= device->within_fits ? within : 0;
    status = csweep_tables_open(context, &device->index, memory / 2, &device->tables);
    if (status != SPK_OK)
        goto done;
    memory -= csweep_tables_bytes(&device->tables);
    device->lists_memory = memory / 8 * 5;
    device->max_runs = memory / 8 / BYTES_A_RUN;
    device->max_runs = device->max_runs < LEAST_RUNS ? LEAST_RUNS : device->max_runs;
    device->max_runs = device->max_runs > MOST_RUNS ? MOST_RUNS : device->max_runs;
    status = gpu_upload(context, &device->lane_unit, lane_unit, n_lanes, sizeof *lane_unit,
                        "engine 'cuda-sweep'");
    if (status == SPK_OK)
        status = csweep_level_of_lanes(context, &device->index, &device->level[0]);
done:
    csweep_upload_close(upload);
    if (status == SPK_OK)
        *out = device;
    else
        csweep_device_close(device);
    return status;
}

void csweep_device_close(csweep_device *device)
{
    if (device == NULL)
        return;
    for (uint32_t k = 0; k <= SPK_EPISODE_MAX_SIZE; k++)
        csweep_level_close(&device->level[k]);
    csweep_batch_close(&device->batch);
    csweep_tables_close(&device->tables);
    csweep_index_close(&device->index);
    csweep_scratch_close(&device->scratch);
    gpu_release(&device->lane_unit);
    free(device);
}

spk_status csweep_device_build_tables(spk_context *context, csweep_device *device)
{
    spk_status status = SPK_OK;
    for (uint64_t s = 0; s < device->tables.n_strips && status == SPK_OK; s++)
        status = csweep_tables_need(context, &device->index, s, &device->tables);
    return status;
}

spk_status csweep_device_too_small(spk_context *context)
{
    return spk_fail(context, SPK_ERR_MEMORY,
                    "engine 'cuda-sweep': the occurrences of a single episode do not fit the GPU's "
                    "memory; raise the memory limit, or mine fewer units or a shorter stretch");
}

/* ---- lists ----------------------------------------------------------------------------------- */

static uint64_t list_bytes(const csweep_lists *lists)
{
    return lists->first.bytes + lists->entry.bytes;
}

static bool covers(const csweep_lists *lists, uint64_t begin, uint64_t end)
{
    return lists->begin < lists->end && lists->begin <= begin && end <= lists->end;
}

/* Whether these are the lists of all rows that the device has of that level. */
static bool are_whole(const csweep_device *device, uint32_t size)
{
    return covers(&device->level[size - 1].lists, device->begin[size - 1], device->end[size - 1]);
}

/* Of the levels before the prefixes only the last one whose lists are whole is worth keeping, and
 * only where its lists leave enough memory: ranges of later levels start from them. Returns what
 * they take. */
static uint64_t drop_ancestors(csweep_device *device, uint32_t size)
{
    uint64_t kept = 0;
    for (uint32_t older = size - 2; older >= 2; older--) {
        csweep_lists *lists = &device->level[older - 1].lists;
        if (kept == 0 && are_whole(device, older) && list_bytes(lists) <= device->lists_memory / 2)
            kept = list_bytes(lists);
        else
            csweep_lists_close(lists);
    }
    return kept;
}

/* More rows than this look more ends up than the table of all has. */
static uint64_t most_rows_worked_out(const csweep_device *device)
{
    const csweep_view *view = &device->index.view;
    bool can = device->within_fits && view->within == NULL;
    return can ? (uint64_t)view->n_lanes * view->n_lanes * device->index.n_bounds : UINT64_MAX;
}

spk_status csweep_device_lists(spk_context *context, csweep_device *device, uint32_t size,
                               uint64_t begin, uint64_t end, const uint32_t *batch_first,
                               bool *fits)
{
    *fits = true;
    csweep_level *level = &device->level[size - 1];
    assert(level->size == size && begin < end && end <= level->n);
    if (size == 1 || covers(&level->lists, begin, end))
        return SPK_OK;
    const csweep_lists *parents = NULL;
    uint64_t memory = device->lists_memory;
    spk_status status = SPK_OK;
    /* Lists are extended from those of the prefixes, which must be there. Only these stay: older
     * levels give their memory back, and what is kept is taken off. */
    if (size > 2) {
        uint64_t first = 0;
        uint64_t last = 0;
        status = csweep_prefix_range(context, level, begin, end, &device->scratch, &first, &last);
        if (status == SPK_OK)
            status = csweep_device_lists(context, device, size - 1, first, last, NULL, fits);
        if (status != SPK_OK || !*fits)
            return status;
        uint64_t kept = drop_ancestors(device, size);
        parents = &device->level[size - 2].lists;
        assert(covers(parents, first, last));
        kept += list_bytes(parents);
        memory -= kept < memory ? kept : memory;
    }
    if (end - begin > most_rows_worked_out(device))
        status = csweep_index_build_within(context, &device->index);
    if (status != SPK_OK)
        return status;
    return csweep_lists_extend(context, &device->index, level, parents, begin, end, batch_first,
                               memory, &device->scratch, &level->lists, fits);
}

/* ---- counting -------------------------------------------------------------------------------- */

spk_status csweep_device_count(spk_context *context, csweep_device *device, uint32_t size,
                               uint64_t support)
{
    const csweep_level *level = &device->level[size - 1];
    csweep_count_job job = {.index = &device->index,
                            .tables = &device->tables,
                            .level = level,
                            .lists = size > 1 ? &level->lists : NULL,
                            .support = support};
    spk_status status = csweep_tables_publish(context, &device->tables);
    return status == SPK_OK ? csweep_count(context, &job, &device->scratch, &device->batch)
                            : status;
}

/* The batch of rows [begin, end), joined and with its lists; *fits = false when it is too large. */
static spk_status prepare_batch(spk_context *context, csweep_device *device, uint32_t size,
                                uint64_t begin, uint64_t end, bool *fits)
{
    const csweep_level *level = &device->level[size - 1];
    uint64_t max_runs = end - begin > 1 ? device->max_runs : UINT32_MAX / CSWEEP_LANES;
    spk_status status =
        csweep_join(context, level, begin, end, max_runs, &device->scratch, &device->batch, fits);
    if (status == SPK_OK && *fits && device->batch.n_runs > 0)
        status = csweep_device_lists(context, device, size, begin, end,
                                     (const uint32_t *)device->batch.first.data, fits);
    return status;
}

spk_status csweep_device_extend_rows(spk_context *context, csweep_device *device, uint32_t size,
                                     uint64_t begin, uint64_t end, uint64_t support,
                                     csweep_level *next, uint64_t *candidates)
{
    uint64_t step = end - begin;
    spk_status status = SPK_OK;
    assert(begin <= end && end <= device->level[size - 1].n);
    device->begin[size - 1] = begin;
    device->end[size - 1] = end;
    while (begin < end && status == SPK_OK) {
        uint64_t to = end - begin < step ? end : begin + step;
        bool fits = false;
        status = prepare_batch(context, device, size, begin, to, &fits);
        if (status == SPK_OK && !fits && to - begin == 1)
            status = csweep_device_too_small(context);
        if (status != SPK_OK)
            break;
        /* Halved until it fits; a single row that does not fit never will. */
        if (!fits) {
            step = (to - begin) / 2;
            continue;
        }
        status = csweep_device_count(context, device, size, support);
        if (status == SPK_OK)
            status = csweep_keep(context, &device->batch, device->index.view.n_tiles,
                                 &device->scratch, next);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
        *candidates += device->batch.n_candidates;
        begin = to;
    }
    return status;
}
