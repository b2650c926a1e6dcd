/* Which results of a list another one of it contains. */
#ifndef SPK_SELECT_CONTAINED_H
#define SPK_SELECT_CONTAINED_H

#include "select/results.h"

/* Clears keep[i] where a larger result with keep set contains result i; with `same_count` only
 * where it has the same count. keep[i] is 0 at first for a result that is no part of the list.
 * Time grows with the number of results: episodes are looked up in a table by their content,
 * patterns by their rarest pair of spikes. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_episodes_drop_contained(spk_context *context, const spk_results *results,
                                       bool same_count, uint8_t *keep);
spk_status spk_patterns_drop_contained(spk_context *context, const spk_results *results,
                                       bool same_count, uint8_t *keep);

#endif
