/*
 * Engine `sweep`: ours. A prefix's occurrences in the form (end, latest start) are computed once
 * and serve every unit and interval that may continue it (task.h); delay tables turn the search
 * for the next event into one load (there); 32 units are counted at a time (kernel.h).
 *
 * Cost: per prefix one step per end and strip (an interval and 32 units, index.h), a step being
 * about six vector instructions on one cache line. Where the counts that are left cannot lift any
 * candidate of a strip to the support the strip stops (task.c).
 *
 * There are four strategies to go through the recording: with the tables of all units in memory, in
 * windows of time, unit by unit, and without tables. For each block the one is chosen that is
 * expected to be the cheapest (plan.h).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/engine/sweep/plan.h"
#include "episode/engine/sweep/strategy.h"

/* What the engine takes where the limit allows it, and what its tables and lists take at least.
 * More does not make it faster: windows that fit are no slower than tables of the whole recording.
 */
static const uint64_t DEFAULT_MEMORY = 160u << 20;
static const uint64_t LEAST_MEMORY = 4u << 20;   /* under a small limit */
static const uint64_t ENOUGH_MEMORY = 16u << 20; /* under none */

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
    /* Tables and lists get what the index leaves of the job's memory, and some in any case. */
    state->memory = job->memory > 0 && job->memory < DEFAULT_MEMORY ? job->memory : DEFAULT_MEMORY;
    uint64_t least = state->memory < DEFAULT_MEMORY ? LEAST_MEMORY : ENOUGH_MEMORY;
    state->memory =
        state->memory > state->index.bytes + least ? state->memory - state->index.bytes : least;
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

/* free_from: as spk_episode_engine.resume has it; NULL: from the beginning. */
static spk_status count_block(spk_context *context, sweep_state *state,
                              const spk_episode_block *block, uint64_t *free_from, uint64_t *counts)
{
    sweep_plan plan;
    sweep_resources resources = {&state->table, state->memory, state->job->threads};
    spk_status status = sweep_plan_open(context, &state->index, resources, block, &plan);
    if (status != SPK_OK)
        return status;
    sweep_plan_choose(&plan);
    if (free_from != NULL) { /* the one strategy that knows the end of the last occurrence */
        plan.shared.free_from = free_from;
        plan.strategy = SWEEP_SCAN;
        plan.stretch = SWEEP_SCAN_STRETCH;
    }
    status = sweep_plan_run(&plan, counts);
    sweep_plan_close(&plan);
    if (status == SPK_ERR_MEMORY)
        spk_fail(context, status,
                 "engine 'sweep': out of memory; close other programs, or mine "
                 "fewer units or a shorter stretch");
    if (status == SPK_OK)
        status = spk_check_cancel(context);
    return status;
}

static spk_status count(spk_context *context, void *raw, const spk_episode_block *block,
                        uint64_t *counts)
{
    sweep_state *state = raw;
    if (block->size > 1 && state->index.events.n_events > 0 && block->n > 0)
        return count_block(context, state, block, NULL, counts);
    if (block->size == 1)
        count_single_units(state, block, counts);
    else
        memset(counts, 0, block->n * sizeof *counts);
    return SPK_OK;
}

static spk_status resume(spk_context *context, void *raw, const spk_episode_block *block,
                         uint64_t *free_from, uint64_t *counts)
{
    sweep_state *state = raw;
    assert(block->size > 1);
    if (state->index.events.n_events > 0 && block->n > 0)
        return count_block(context, state, block, free_from, counts);
    memset(counts, 0, block->n * sizeof *counts);
    return SPK_OK;
}

const spk_episode_engine spk_episode_engine_sweep = {
    .open = open_job,
    .count = count,
    .resume = resume,
    .close = close_job,
};
