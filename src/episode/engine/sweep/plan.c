/*
 * Chooses a strategy and runs it.
 *
 *     resident    tables of all events       rows are built once for all blocks
 *     windows     tables of a window         once for each batch of prefixes
 *     units       tables of one unit         once for each block
 *     scan        none                       events behind each end are visited
 *
 * Invariant: all of them give the same counts; only steps (cost.c) and memory decide.
 */
#include "episode/engine/sweep/plan.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/memory.h"

/* Nanoseconds in which threads that sleep are awake and have told that they are done. */
static const double WAKING = 1e5;

const sweep_strategy_entry sweep_strategies[SWEEP_N_STRATEGIES] = {
    [SWEEP_RESIDENT] = {"resident", sweep_count_resident},
    [SWEEP_WINDOWS] = {"windows", sweep_count_windows},
    [SWEEP_UNITS] = {"units", sweep_count_units},
    [SWEEP_SCAN] = {"scan", sweep_count_scan},
};

/* ---- opening --------------------------------------------------------------------------------- */

sweep_narrow_fn sweep_narrow_portable, sweep_narrow_neon, sweep_narrow_avx2, sweep_narrow_avx512;
sweep_wide_fn sweep_wide_portable, sweep_wide_neon, sweep_wide_avx2, sweep_wide_avx512;
sweep_extend_fn sweep_extend_portable, sweep_extend_neon, sweep_extend_avx2, sweep_extend_avx512;

sweep_kernels sweep_kernels_choose(void)
{
    return (sweep_kernels){.narrow = SPK_SIMD_BEST(sweep_narrow),
                           .wide = SPK_SIMD_BEST(sweep_wide),
                           .extend = SPK_SIMD_BEST(sweep_extend)};
}

spk_status sweep_plan_open(spk_context *context, const sweep_index *index,
                           sweep_resources resources, const spk_episode_block *block,
                           sweep_plan *plan)
{
    assert(block->size >= 2 && block->n > 0 && index->events.n_events > 0);
    *plan = (sweep_plan){.resources = resources};
    plan->shared = (sweep_shared){
        .watch = context,
        .index = index,
        .block = block,
        .kernels = sweep_kernels_choose(),
        /* Whether an episode can span more ranks than 16 bits hold. */
        .wide = (block->size - 1) * index->widest_span + 1 > UINT16_MAX,
    };
    spk_status status = sweep_groups_find(context, block, &plan->groups);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &plan->needed, sweep_n_strips(index), "delay tables");
    if (status != SPK_OK) {
        sweep_plan_close(plan);
        return status;
    }
    sweep_group_set all = {plan->groups.n, NULL};
    plan->n_needed = sweep_groups_mark(index, block, &plan->groups, &all, plan->needed);
    plan->shared.active = plan->needed;
    return SPK_OK;
}

void sweep_plan_close(sweep_plan *plan)
{
    free(plan->groups.first);
    free(plan->needed);
    *plan = (sweep_plan){.n_needed = 0};
}

/* ---- the choice ------------------------------------------------------------------------------ */

static bool all_tables_fit(const sweep_plan *plan)
{
    uint64_t n_events = plan->shared.index->events.n_events;
    return plan->n_needed * sweep_table_strip_bytes(n_events, plan->shared.wide) <=
           plan->resources.memory / 2;
}

/* Sets the best of the strategies with tables; returns how many rows it has to build. */
static uint64_t choose_tables(sweep_plan *plan)
{
    const sweep_shared *shared = &plan->shared;
    const sweep_resources *resources = &plan->resources;
    uint64_t n_events = shared->index->events.n_events;
    /* Tables of all events stay for later blocks. Else those of a window serve all prefixes of a
     * batch, where that pays. Else a unit's tables serve the prefixes that end with it. */
    if (all_tables_fit(plan)) {
        plan->strategy = SWEEP_RESIDENT;
        uint64_t n_missing =
            sweep_table_missing(resources->table, n_events, shared->wide, plan->needed);
        return sweep_cost_resident_rows(n_missing, n_events);
    }
    plan->stretch = sweep_windows_length(shared, resources, plan->n_needed);
    if (plan->stretch > 0) {
        uint64_t n_batches = sweep_windows_batches(shared, resources, &plan->groups);
        if (sweep_cost_windows_pay(shared, &plan->groups, n_batches, plan->n_needed)) {
            plan->strategy = SWEEP_WINDOWS;
            return n_batches * plan->n_needed * n_events;
        }
    }
    plan->strategy = SWEEP_UNITS;
    return plan->n_needed * n_events;
}

void sweep_plan_choose(sweep_plan *plan)
{
    double nanoseconds;
    uint64_t n_rows = choose_tables(plan);
    if (sweep_cost_scan_pays(&plan->shared, &plan->groups, n_rows, &nanoseconds)) {
        plan->strategy = SWEEP_SCAN;
        plan->stretch = SWEEP_SCAN_STRETCH;
    }
    if (nanoseconds < WAKING)
        plan->resources.threads = 1;
}

/* ---- counting -------------------------------------------------------------------------------- */

spk_status sweep_plan_run(const sweep_plan *plan, uint64_t *counts)
{
    assert(plan->strategy < SWEEP_N_STRATEGIES);
    assert(plan->stretch > 0 || plan->strategy == SWEEP_RESIDENT || plan->strategy == SWEEP_UNITS);
    return sweep_strategies[plan->strategy].count(&plan->shared, &plan->resources, &plan->groups,
                                                  plan->stretch, counts);
}
