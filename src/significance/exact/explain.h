/*
 * Explained by a part: whether one event of a result follows the others more often than its unit's
 * numbers predict.
 *
 *     A -> B -> C occurs 40 times, and D is added by chance:   the part A -> B -> C stays in place,
 *     A -> B -> C -> D occurs 9 times.                         D's events are placed anew in their
 *                                                              windows: they follow as often in 60
 * % of all placements, p = 0.6
 *
 * For each part of one item, or event, less the occurrences of the part stay where they are, with
 * all of their events; the other events of the unit that is left out take any places in their
 * windows of jitter. p is the chance that they follow the part at least as often as they do. A
 * result has the largest p of its parts, and is explained where that is above the level of the
 * test: then this part says all. A result of one item has no part, and p 0.
 */
#ifndef SPK_SIGNIFICANCE_EXACT_EXPLAIN_H
#define SPK_SIGNIFICANCE_EXACT_EXPLAIN_H

#include "significance/exact/null.h"

/* p[i] of each pattern, and which of its items is left out then (0 for the first). Parts are all
 * sets of one item less; where the items left have no lag 0 they still are a part. The chance is
 * exact: a sum over windows of hypergeometric numbers. A start whose left-out bin lies outside the
 * trial is none. `windows` are those of the recording that the null is of, with the same options.
 * Errors: SPK_ERR_ARGUMENT (windows of transactions), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_null_explain_patterns(spk_context *context, const spk_windows *windows,
                                     const spk_null *null, const spk_pattern_columns *patterns,
                                     double *p, uint32_t *left_out);

/* The same of episodes. Parts are those without the first event (left_out 0) and without the last
 * one (left_out size - 1), for only these are parts with the same delays. Asked is of how many of
 * the part's counted occurrences the unit has an event within the delay. An occurrence is followed
 * with the exact chance; that occurrences are followed independently of each other is an
 * approximation where intervals of several lie in one window of jitter: apart from each other they
 * share the window's events, which makes small p too large; overlapping they share events that
 * follow both, which makes them too small. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_null_explain_episodes(spk_context *context, const spk_recording *recording,
                                     const spk_null *null, const spk_episode_columns *episodes,
                                     double *p, uint32_t *left_out);

#endif
