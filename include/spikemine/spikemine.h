/*
 * spikemine: repeated firing patterns in recordings of many neurons.
 *
 * One include for everything. The parts, in the order in which a program meets them:
 *
 *   context.h     threads, memory limit, progress, notes, cancel, the last error message
 *   duration.h    exact durations ("5ms") and their meaning in ticks
 *   recording.h   spike times of many units: read, make, slice, write
 *   engine.h      engines of both languages, and how one is chosen
 *   simulate.h    recordings with known ground truth
 *   episode.h     serial episodes A -(5ms,10ms]-> B: mine, count, occurrences
 *   pattern.h     SPADE patterns: bins, windows, closed frequent patterns, spectrum
 *   report.h      result files: tab separated text and JSON
 *   figure.h      pictures of all that
 *   gpu.h         the GPUs of this machine
 *   papers.h      what only the papers' GPU strategies know: their calibration, their compactions
 *
 * Rules that hold everywhere:
 *   - Functions return spk_status; the message is on the context. Nothing prints, exits or aborts.
 *   - Handles are made by _create, _read or _slice functions and freed by the _free of the same
 *     type, which accepts NULL. Pointers to columns live as long as the object that gave them.
 *   - Options are plain structs: call their _init function first, then set what differs.
 *   - Times are int64 ticks, counts uint64, unit numbers uint32.
 *   - Results never depend on the number of threads or the engine.
 */
#ifndef SPIKEMINE_H
#define SPIKEMINE_H

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/engine.h"
#include "spikemine/episode.h"
#include "spikemine/figure.h"
#include "spikemine/gpu.h"
#include "spikemine/papers.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/simulate.h"
#include "spikemine/status.h"
#include "spikemine/version.h"

#endif
