/*
 * What a strategy is: a function that counts a whole block. There are four (plan.h), which differ
 * in how they go through the recording; all of them give the same counts.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_STRATEGY_H
#define SPK_EPISODE_ENGINE_SWEEP_STRATEGY_H

#include "episode/engine/sweep/groups.h"
#include "episode/engine/sweep/task.h"

/* What a strategy may use. */
typedef struct sweep_resources {
    sweep_table *table;
    uint64_t memory; /* bytes for tables and lists */
    int threads;
} sweep_resources;

/* Counts all groups. shared->active marks the strips that hold candidates. `stretch` is what is
 * gone through at a time: events of a window, or ends of a scan; the other strategies do not use
 * it. SPK_ERR_MEMORY without a message on failure. */
typedef spk_status sweep_strategy_fn(const sweep_shared *shared, const sweep_resources *resources,
                                     const sweep_groups *groups, uint64_t stretch,
                                     uint64_t *counts);

#endif
