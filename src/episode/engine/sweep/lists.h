/*
 * Occurrence lists of prefix episodes in the form (end, latest start): for every event at which
 * some occurrence ends, the latest start of any that ends there. Both columns never fall, so an
 * event of the next unit at t needs only the last end before t - lo.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_LISTS_H
#define SPK_EPISODE_ENGINE_SWEEP_LISTS_H

#include "episode/engine/sweep/kernel.h"

enum {
    SWEEP_CHUNK = 64
}; /* ends between two looks at whether a candidate can still reach the support */

typedef struct sweep_list {
    uint64_t n;
    uint64_t capacity;
    uint32_t *end;   /* places, rising */
    uint32_t *start; /* ranks, not falling */
} sweep_list;

void sweep_list_free(sweep_list *list);

/* Occurrences of a single unit: its events. */
spk_status sweep_list_of_unit(const sweep_index *index, uint32_t unit, sweep_list *out);

/* A stack of lists along one episode: list[p] belongs to its first p + 1 positions. Going to the
 * next episode in lexicographic order recomputes only what differs. */
typedef struct sweep_path {
    uint32_t depth; /* lists that are valid */
    uint32_t unit[SPK_EPISODE_MAX_SIZE];
    uint16_t delay[SPK_EPISODE_MAX_SIZE];
    sweep_list list[SPK_EPISODE_MAX_SIZE];
} sweep_path;

/* Makes list[size - 1] the list of this episode. SPK_ERR_MEMORY without a message on failure. */
spk_status sweep_path_go(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                         const uint32_t *unit, const uint16_t *delay, sweep_path *path);
void sweep_path_free(sweep_path *path);

/* The ranks [first, end) of the recording. */
typedef struct sweep_window {
    uint32_t first;
    uint32_t end;
} sweep_window;

/* *out = the list of this episode's occurrences that end within the window, as part of the path's
 * lists, valid until the path goes on. Lists reach back behind the window as far as occurrences
 * can, so a path must be started afresh (depth 0) for another window or size. Time and memory grow
 * with the window and size * widest_span, not with the recording. */
spk_status sweep_path_window(const sweep_index *index, sweep_extend_fn *extend, uint32_t size,
                             const uint32_t *unit, const uint16_t *delay, sweep_window window,
                             sweep_path *path, sweep_list *out);

#endif
