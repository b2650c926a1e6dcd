/*
 * The plan for a block of candidates: which strategy counts it, and the counting.
 *
 *     sweep_plan plan;
 *     spk_status status = sweep_plan_open(context, &index, resources, block, &plan);
 *     if (status == SPK_OK) {
 *         sweep_plan_choose(&plan);
 *         status = sweep_plan_run(&plan, counts);
 *     }
 *     sweep_plan_close(&plan);
 *
 * Tests set plan.strategy and plan.stretch in place of sweep_plan_choose.
 */
#pragma once

#include "episode/engine/sweep/strategy.h"

/* What the numbers of the list below stand for. */
typedef enum sweep_strategy {
    SWEEP_RESIDENT, /* delay tables of all units, which stay in memory */
    SWEEP_WINDOWS,  /* tables of all units, one window of time after the other */
    SWEEP_UNITS,    /* tables of one unit after the other */
    SWEEP_SCAN,     /* no tables, every event behind an end is visited */
    SWEEP_N_STRATEGIES
} sweep_strategy;

typedef struct sweep_strategy_entry {
    const char *name;
    sweep_strategy_fn *count;
} sweep_strategy_entry;

/* All strategies, in the order of the enum. */
extern const sweep_strategy_entry sweep_strategies[SWEEP_N_STRATEGIES];

typedef struct sweep_plan {
    sweep_shared shared;
    sweep_resources resources;
    sweep_groups groups;
    bool *needed; /* per strip: it holds candidates; shared.active */
    uint64_t n_needed;
    sweep_strategy strategy;
    uint64_t stretch; /* events of a window, or ends of a scan (strategy.h) */
} sweep_plan;

/* Groups the block's candidates and marks the strips that hold them. Index, table and block are
 * borrowed until close; the recording has events, the block has candidates of two units at least.
 * On failure there is nothing to close. */
spk_status sweep_plan_open(spk_context *context, const sweep_index *index,
                           sweep_resources resources, const spk_episode_block *block,
                           sweep_plan *plan);

/* Sets the strategy that is expected to be the cheapest (cost.c), among those whose tables fit the
 * memory, and its stretch; one thread for what ends before others would be awake. */
void sweep_plan_choose(sweep_plan *plan);

/* Counts the block by the plan's strategy. SPK_ERR_MEMORY without a message on failure; a cancel
 * ends it early with SPK_OK. */
spk_status sweep_plan_run(const sweep_plan *plan, uint64_t *counts);

void sweep_plan_close(sweep_plan *plan);
