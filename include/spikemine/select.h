/*
 * What of a list of results is shown: the large ones, the ones that no other one contains, the
 * best ones.
 *
 * A list of frequent episodes holds each part of a long episode, too:
 *
 *     A -> B -> C -> D   count 12        maximal, closed
 *     A -> B -> C        count 12        neither: a part of the first one, and occurs as often
 *          B -> C -> D   count 20        closed: it occurs more often than what contains it
 *
 * An episode contains its contiguous parts with the same intervals. A pattern contains its parts at
 * the same lags, also from a later spike on: a@0 b@3 c@5 contains b@0 c@2.
 *
 * The best results come first in this order: with a test the higher score; then more different
 * units, more positions (spikes), the larger count. What is left equal is ordered by unit numbers
 * and intervals, so that the choice never depends on the order of the list.
 */
#ifndef SPIKEMINE_SELECT_H
#define SPIKEMINE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is chosen. Initialise with spk_select_options_init; pointers are borrowed for the call. */
typedef struct spk_select_options {
    size_t struct_size;      /* set by spk_select_options_init */
    uint32_t min_size;       /* positions of an episode, spikes of a pattern; 0: no limit */
    uint32_t distinct_units; /* at least as many different units; 0: no limit */
    bool maximal;            /* no result of the list contains it */
    bool closed;             /* no result of the list that contains it has the same count */
    uint64_t top;            /* the N best of what is left; 0: all */
    const uint32_t *score;   /* by result: what a test gives; NULL: there was none */
    const uint8_t *among;    /* by result: 0 for one that is no part of the list; NULL: all are */
} spk_select_options;

/* Everything is chosen. */
SPK_API void spk_select_options_init(spk_select_options *options, size_t struct_size);

/* The numbers of the chosen results into `chosen`, which has room for as many as the list has;
 * with `top` the best one first, else in the order of the list. Whatever contains a result has as
 * many positions and units, so that the limits on them and `maximal` go together in any order.
 * Errors: SPK_ERR_ARGUMENT, SPK_ERR_RANGE (over 4294967294 results), SPK_ERR_MEMORY,
 * SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_select_episodes(spk_context *context,
                                                      const spk_episode_columns *episodes,
                                                      const spk_select_options *options,
                                                      uint64_t *chosen, uint64_t *n_chosen);
/* Mined patterns are closed already; a pattern here is closed when no other one of the list that
 * contains it, at any shift, has the same count. */
SPK_API SPK_MUST_CHECK spk_status spk_select_patterns(spk_context *context,
                                                      const spk_pattern_columns *patterns,
                                                      const spk_select_options *options,
                                                      uint64_t *chosen, uint64_t *n_chosen);

#ifdef __cplusplus
}
#endif

#endif
