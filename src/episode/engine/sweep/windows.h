/*
 * Strategy: window by window. The recording is cut into windows of time that are small enough for
 * the tables of all units at once, and every prefix is carried through all of them. Tables are
 * built once for all prefixes; lists hold one window and what reaches into it, so that memory does
 * not grow with the recording.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_WINDOWS_H
#define SPK_EPISODE_ENGINE_SWEEP_WINDOWS_H

#include "episode/engine/sweep/strategy.h"

/* `stretch`: events of a window; the last may have fewer, ties may make it more. */
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

#endif
