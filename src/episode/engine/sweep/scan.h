/*
 * Counting groups of candidates without tables: going through the events behind a prefix's ends,
 * each once, whatever their unit. Worth it where the delay intervals hold few events, so that rows
 * of 32 lanes would be empty but for some: recordings of many units.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_SCAN_H
#define SPK_EPISODE_ENGINE_SWEEP_SCAN_H

#include "episode/engine/sweep/units.h"

/* Whether it is expected to be faster than with tables of which so many rows must be built. */
bool sweep_scan_pays(const sweep_shared *shared, const sweep_groups *groups, uint64_t rows);

/* Counts all groups, all of their candidates exactly. `stretch`: ends that are gone over at a time
 * before what was found behind them is; the events behind so many should stay in the cache.
 * SPK_ERR_MEMORY without a message on failure. */
enum { SWEEP_SCAN_STRETCH = 1024 };
spk_status sweep_count_scan(const sweep_shared *shared, int threads, uint64_t stretch,
                            const sweep_groups *groups, uint64_t *counts);

#endif
