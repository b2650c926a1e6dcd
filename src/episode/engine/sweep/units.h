/*
 * Strategy: the delay tables of one unit at a time, where the tables of all do not fit and windows
 * do not pay. First the large units one after the other, their groups side by side; then the rest
 * of the units side by side. A unit whose tables do not fit is gone through in stretches.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_UNITS_H
#define SPK_EPISODE_ENGINE_SWEEP_UNITS_H

#include "episode/engine/sweep/strategy.h"

sweep_strategy_fn sweep_count_units;

#endif
