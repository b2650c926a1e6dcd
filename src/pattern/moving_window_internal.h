/* The two ways of the moving-window step; see moving_window.h for what they compute. */
#ifndef SPK_PATTERN_MOVING_WINDOW_INTERNAL_H
#define SPK_PATTERN_MOVING_WINDOW_INTERNAL_H

#include <assert.h>

#include "pattern/moving_window.h"

/* Both clear keep[i] of what is to be dropped and leave the rest alone. */
spk_status spk_moving_window_by_ends(spk_context *context, const spk_pattern_columns *patterns,
                                     uint8_t *keep);
spk_status spk_moving_window_by_index(spk_context *context, const spk_pattern_columns *patterns,
                                      uint8_t *keep);

/* Sorts numbers of patterns into groups: order[] lists 0 .. n-1 by group_of(i) < n_groups,
 * ascending within a group; group g is order[first[g]] .. order[first[g + 1] - 1]. Both arrays are
 * malloc'ed here, NULL on failure. */
typedef uint32_t spk_group_fn(const spk_pattern_columns *patterns, uint64_t i, uint32_t n_groups);
spk_status spk_moving_window_group(spk_context *context, const spk_pattern_columns *patterns,
                                   uint32_t n_groups, spk_group_fn *group_of, uint32_t **order,
                                   uint64_t **first);

/* Largest lag of pattern i; items are ordered by lag, so it is the last one's. */
static inline uint32_t spk_pattern_duration(const spk_pattern_columns *patterns, uint64_t i)
{
    assert(i < patterns->n && patterns->offset[i + 1] > patterns->offset[i]);
    return patterns->item[patterns->offset[i + 1] - 1] % patterns->window;
}

static inline uint32_t spk_pattern_size(const spk_pattern_columns *patterns, uint64_t i)
{
    return (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
}

#endif
