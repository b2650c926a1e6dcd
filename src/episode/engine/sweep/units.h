/*
 * Counting groups of candidates with the delay tables of all units in memory, or of one unit at a
 * time where they do not fit.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_UNITS_H
#define SPK_EPISODE_ENGINE_SWEEP_UNITS_H

#include "episode/engine/sweep/groups.h"
#include "episode/engine/sweep/task.h"

/* Who counts: with so many threads, and a table of its own. */
typedef struct sweep_worker {
    sweep_table *table;
    uint64_t memory; /* bytes for tables and lists */
    int threads;
} sweep_worker;

/* Counts the groups of the set, with the table covering all their ends in the active strips.
 * SPK_ERR_MEMORY without a message on failure, here and below. */
spk_status sweep_count_resident(const sweep_shared *shared, const sweep_worker *worker,
                                const sweep_groups *groups, const sweep_group_set *set,
                                uint64_t *counts);

/* Counts all groups, one unit's tables at a time: first large units one after the other, their
 * groups side by side, then the rest of the units side by side. */
spk_status sweep_count_units(const sweep_shared *shared, const sweep_worker *worker,
                             const sweep_groups *groups, uint64_t *counts);

#endif
