/*
 * Strategy: the delay tables of all units in memory. They stay from block to block, so that a table
 * is built once for all blocks that need it.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_RESIDENT_H
#define SPK_EPISODE_ENGINE_SWEEP_RESIDENT_H

#include "episode/engine/sweep/strategy.h"

sweep_strategy_fn sweep_count_resident;

/* Counts the groups of the set in the active strips. The table covers all their ends there.
 * SPK_ERR_MEMORY without a message on failure. */
spk_status sweep_count_set(const sweep_shared *shared, const sweep_resources *resources,
                           const sweep_groups *groups, const sweep_group_set *set,
                           uint64_t *counts);

#endif
