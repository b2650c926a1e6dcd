/*
 * What counting a block is expected to cost: the model by which the plan chooses a strategy
 * (plan.h) and units are put in order (units.h). All constants of the model are in cost.c.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_COST_H
#define SPK_EPISODE_ENGINE_SWEEP_COST_H

#include "episode/engine/sweep/groups.h"
#include "episode/engine/sweep/task.h"

/* This block's share of building n_missing strips of resident tables, in rows. */
uint64_t sweep_cost_resident_rows(uint64_t n_missing, uint64_t n_events);

/* Whether windows are cheaper than unit by unit, where all windows are gone through n_batches times
 * and n_strips strips hold candidates. */
bool sweep_cost_windows_pay(const sweep_shared *shared, const sweep_groups *groups,
                            uint64_t n_batches, uint64_t n_strips);

/* Whether a scan is cheaper than tables, of which `rows` rows must be built. */
bool sweep_cost_scan_pays(const sweep_shared *shared, const sweep_groups *groups, uint64_t rows);

/* Steps for the groups of one unit, which are counted in batches, each with its own tables of
 * `rows` rows, when `threads` threads share them. */
uint64_t sweep_cost_unit(uint64_t rows, uint64_t n_groups, uint64_t n_batches, int threads);

#endif
