/*
 * Strategy: no tables. The events behind a prefix's ends are visited, each once, whatever their
 * unit. Worth it where the delay intervals hold few events, so that rows of 32 lanes would be empty
 * but for some: recordings of many units.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_SCAN_H
#define SPK_EPISODE_ENGINE_SWEEP_SCAN_H

#include "episode/engine/sweep/strategy.h"

/* `stretch`: ends whose followers are looked for before what follows these is counted; the events
 * behind one stretch of ends should stay in the cache. All counts are exact. */
enum { SWEEP_SCAN_STRETCH = 1024 };
sweep_strategy_fn sweep_count_scan;

#endif
