/*
 * Counting groups of candidates window by window: the recording is cut into stretches of time that
 * are small enough for the tables of all units at once, and every prefix is carried through all of
 * them. Tables are built once for all prefixes; lists hold one window and what reaches into it, so
 * that memory does not grow with the recording.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_WINDOWS_H
#define SPK_EPISODE_ENGINE_SWEEP_WINDOWS_H

#include "episode/engine/sweep/units.h"

/* How the recording is cut for a block; events = 0: it cannot be, as occurrences reach too far or
 * the tables of the smallest window do not fit, or it does not pay. */
typedef struct sweep_windows {
    uint64_t events; /* a window; the last may have fewer, ties may make it more */
} sweep_windows;

/* What an event of a window takes, its share of all units' words included. */
uint64_t sweep_windows_event_bytes(const sweep_shared *shared, uint64_t n_needed);

/* Rows that are built for all of a block. */
uint64_t sweep_windows_rows(const sweep_shared *shared, const sweep_worker *worker,
                            const sweep_groups *groups, uint64_t n_needed);

/* `needed` marks the strips that hold candidates, n_needed of them. */
sweep_windows sweep_windows_plan(const sweep_shared *shared, const sweep_worker *worker,
                                 const sweep_groups *groups, uint64_t n_needed);

/* Counts all groups. shared->active marks the strips that hold candidates. SPK_ERR_MEMORY without
 * a message on failure. */
spk_status sweep_count_windows(const sweep_shared *shared, const sweep_worker *worker,
                               sweep_windows windows, const sweep_groups *groups, uint64_t *counts);

#endif
