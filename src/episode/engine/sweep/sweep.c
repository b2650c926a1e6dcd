/*
 * Engine `sweep`: ours. A prefix's occurrences in the form (end, latest start) are computed once
 * and serve every unit and interval that may continue it (lists.h); delay tables turn the search
 * for the next event into one load (table.h); 32 units are counted at a time (kernel.h).
 *
 * Cost: per prefix one step per end and strip (an interval and 32 units, index.h), a step being
 * about six vector instructions on one cache line. Where the counts that are left cannot lift any
 * candidate of a strip to the threshold the strip stops (task.c).
 *
 * When the tables of all units fit into the memory that the engine may take they are built once and
 * stay. Otherwise the recording is gone through in windows of time (windows.h), or unit by unit
 * (units.h). Where few events lie behind an end, as with many units, tables would be empty but for
 * some lanes: then the events themselves are visited (scan.h). The way is chosen for each block, by
 * what it is expected to cost.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/sweep/scan.h"
#include "episode/engine/sweep/windows.h"

/* What the engine takes where no limit is set, and what its tables and lists take at least. More
 * does not make it faster: windows that fit are no slower than tables of the whole recording. */
static const uint64_t DEFAULT_MEMORY = 160u << 20;
static const uint64_t LEAST_MEMORY = 16u << 20;

/* Tables that stay are used by about so many sizes; others are built for each. */
enum { ROWS_SERVE = 4 };

typedef struct sweep_state {
    const spk_episode_job *job;
    sweep_index index;
    sweep_table table;
    uint64_t memory; /* for tables and lists, beyond the index */
} sweep_state;

static void close_job(void *raw)
{
    sweep_state *state = raw;
    if (state == NULL)
        return;
    sweep_table_close(&state->table);
    sweep_index_close(&state->index);
    free(state);
}

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **out)
{
    *out = NULL;
    sweep_state *state = NULL;
    spk_status status = spk_alloc_zero(context, &state, 1, "engine 'sweep'");
    if (status != SPK_OK)
        return status;
    state->job = job;
    status = sweep_index_open(context, job, &state->index);
    state->memory = job->memory > 0 ? job->memory : DEFAULT_MEMORY;
    state->memory = state->memory > state->index.bytes + LEAST_MEMORY
                        ? state->memory - state->index.bytes
                        : LEAST_MEMORY;
    if (status == SPK_OK)
        status = sweep_table_open(context, &state->index, &state->table);
    if (status == SPK_OK)
        *out = state;
    else
        close_job(state);
    return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_single_units(const sweep_state *state, const spk_episode_block *block,
                               uint64_t *counts)
{
    const uint64_t *unit_first = state->index.events.unit_first;
    for (uint64_t c = 0; c < block->n; c++)
        counts[c] = unit_first[block->unit[c] + 1] - unit_first[block->unit[c]];
}

static spk_status count(spk_context *context, void *raw, const spk_episode_block *block,
                        uint64_t *counts)
{
    sweep_state *state = raw;
    uint64_t n_events = state->index.events.n_events;
    if (block->size == 1 || n_events == 0 || block->n == 0) {
        if (block->size == 1)
            count_single_units(state, block, counts);
        else
            memset(counts, 0, block->n * sizeof *counts);
        return SPK_OK;
    }
    sweep_groups groups = {.n = 0};
    bool *needed = NULL;
    sweep_worker worker = {&state->table, state->memory, state->job->threads};
    sweep_shared shared = {.watch = context,
                           .index = &state->index,
                           .block = block,
                           .kernels = sweep_kernels_choose(),
                           .wide = (block->size - 1) * state->index.widest_span + 1 > UINT16_MAX};
    spk_status status = sweep_groups_find(context, block, &groups);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &needed, state->table.n_strips, "delay tables");
    if (status != SPK_OK)
        goto done;
    sweep_group_set all = {groups.n, NULL};
    uint64_t n_needed = sweep_groups_mark(&state->index, block, &groups, &all, needed);
    shared.active = needed;
    bool fits = n_needed * sweep_table_strip_bytes(n_events, shared.wide) <= state->memory / 2;
    sweep_windows windows = {0};
    uint64_t rows = n_needed * n_events;
    if (fits)
        rows = sweep_table_missing(&state->table, n_events, shared.wide, needed) * n_events /
               ROWS_SERVE;
    else
        windows = sweep_windows_plan(&shared, &worker, &groups, n_needed);
    if (windows.events > 0)
        rows = sweep_windows_rows(&shared, &worker, &groups, n_needed);
    if (sweep_scan_pays(&shared, &groups, rows)) {
        status = sweep_count_scan(&shared, worker.threads, SWEEP_SCAN_STRETCH, &groups, counts);
    } else if (fits) {
        status = sweep_table_cover(context, &state->index, 0, n_events, shared.wide, needed,
                                   worker.threads, &state->table);
        if (status == SPK_OK)
            status = sweep_count_resident(&shared, &worker, &groups, &all, counts);
    } else {
        status = windows.events > 0
                     ? sweep_count_windows(&shared, &worker, windows, &groups, counts)
                     : sweep_count_units(&shared, &worker, &groups, counts);
    }
    if (status == SPK_ERR_MEMORY)
        spk_fail(context, status,
                 "engine 'sweep': out of memory; close other programs, or mine "
                 "fewer units or a shorter stretch");
    if (status == SPK_OK)
        status = spk_check_cancel(context);
done:
    free(groups.first);
    free(needed);
    return status;
}

const spk_episode_engine spk_episode_engine_sweep = {
    .open = open_job,
    .count = count,
    .close = close_job,
};
