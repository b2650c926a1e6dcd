/*
 * What a strategy is: a function that counts a whole block. There are four, which differ in how
 * they go through the recording; all of them give the same counts. The plan (plan.h) chooses among
 * them by what they are expected to cost.
 */
#pragma once

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

/*
 * Resident: the delay tables of all units in memory. They stay from block to block, so that a table
 * is built once for all blocks that need it.
 */
sweep_strategy_fn sweep_count_resident;

/* Counts the groups of the set in the active strips. The table covers all their ends there.
 * SPK_ERR_MEMORY without a message on failure. */
spk_status sweep_count_set(const sweep_shared *shared, const sweep_resources *resources,
                           const sweep_groups *groups, const sweep_group_set *set,
                           uint64_t *counts);

/*
 * Windows: the recording is cut into windows of time that are small enough for the tables of all
 * units at once, and every prefix is carried through all of them. Tables are built once for all
 * prefixes; lists hold one window and what reaches into it, so that memory does not grow with the
 * recording. `stretch`: events of a window; the last may have fewer, ties may make it more.
 */
sweep_strategy_fn sweep_count_windows;

/* The best length of a window in events, where n_strips strips hold candidates. 0: no length will
 * do, as occurrences reach too far or the tables of the smallest window do not fit. */
uint64_t sweep_windows_length(const sweep_shared *shared, const sweep_resources *resources,
                              uint64_t n_strips);

/* What an event of a window takes, with its share of all units' words. */
uint64_t sweep_windows_event_bytes(const sweep_shared *shared, uint64_t n_strips);

/* How many times all windows are gone through: once for each batch of groups whose tasks fit the
 * memory. */
uint64_t sweep_windows_batches(const sweep_shared *shared, const sweep_resources *resources,
                               const sweep_groups *groups);

/*
 * Units: the delay tables of one unit at a time, where the tables of all do not fit and windows do
 * not pay. First the large units one after the other, their groups side by side; then the rest of
 * the units side by side. A unit whose tables do not fit is gone through in stretches.
 */
sweep_strategy_fn sweep_count_units;

/*
 * Scan: no tables. The events behind a prefix's ends are visited, each once, whatever their unit.
 * Worth it where the delay intervals hold few events, so that rows of 32 lanes would be empty but
 * for some: recordings of many units. `stretch`: ends whose followers are looked for before what
 * follows these is counted; the events behind one stretch of ends should stay in the cache.
 */
enum { SWEEP_SCAN_STRETCH = 1024 };
sweep_strategy_fn sweep_count_scan;

/*
 * What counting a block is expected to cost: the model by which the plan chooses a strategy and
 * units are put in order. All constants of the model are in cost.c.
 */

/* This block's share of building n_missing strips of resident tables, in rows. */
uint64_t sweep_cost_resident_rows(uint64_t n_missing, uint64_t n_events);

/* Whether windows are cheaper than unit by unit, where all windows are gone through n_batches times
 * and n_strips strips hold candidates. */
bool sweep_cost_windows_pay(const sweep_shared *shared, const sweep_groups *groups,
                            uint64_t n_batches, uint64_t n_strips);

/* Whether a scan is cheaper than tables, of which `rows` rows must be built; and what one thread
 * takes for the cheaper one. */
bool sweep_cost_scan_pays(const sweep_shared *shared, const sweep_groups *groups, uint64_t rows,
                          double *nanoseconds);

/* Steps for the groups of one unit, which are counted in batches, each with its own tables of
 * `rows` rows, when `threads` threads share them. */
uint64_t sweep_cost_unit(uint64_t rows, uint64_t n_groups, uint64_t n_batches, int threads);
