/* Results of either language, as selection sees them: lists of units with a count. */
#pragma once

#include <assert.h>

#include "spikemine/select.h"

/* Most results of a list: their numbers are 32 bit, and one number stands for none. */
#define SPK_MAX_RESULTS 4294967294u

/* Borrows all columns. */
typedef struct spk_results {
    uint64_t n;
    const uint64_t *offset;
    const uint32_t *entry;     /* units of episodes, items of patterns */
    uint32_t window;           /* unit = entry / window; 1 for episodes */
    const uint16_t *delay;     /* episodes only */
    const uint64_t *count;     /* episodes only */
    const uint32_t *n_windows; /* patterns only: their counts */
    uint32_t n_units;          /* 1 + the largest unit number */
    const uint32_t *score;     /* NULL: there was no test */
    uint32_t *distinct;        /* by result: different units; owned */
} spk_results;

/* Reads the columns and counts different units. spk_results_close in any case. */
spk_status spk_results_of_episodes(spk_context *context, const spk_episode_columns *episodes,
                                   spk_results *out);
spk_status spk_results_of_patterns(spk_context *context, const spk_pattern_columns *patterns,
                                   spk_results *out);
void spk_results_close(spk_results *results);

static inline uint32_t spk_result_size(const spk_results *r, uint64_t i)
{
    assert(i < r->n);
    return (uint32_t)(r->offset[i + 1] - r->offset[i]);
}

static inline uint64_t spk_result_count(const spk_results *r, uint64_t i)
{
    return r->count != NULL ? r->count[i] : r->n_windows[i];
}

static inline uint32_t spk_result_unit(const spk_results *r, uint64_t at)
{
    return r->entry[at] / r->window;
}

/* A spk_compare_fn: <0 where result a is better than b; `results` is a spk_results. Never 0 for
 * results that differ. */
int spk_result_compare(const void *results, uint32_t a, uint32_t b);

/* ---- which results another one contains ------------------------------------------------------ */

/* Clears keep[i] where a larger result with keep set contains result i; with `same_count` only
 * where it has the same count. keep[i] is 0 at first for a result that is no part of the list.
 * Time grows with the number of results: episodes are looked up in a table by their content,
 * patterns by their rarest pair of spikes. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_episodes_drop_contained(spk_context *context, const spk_results *results,
                                       bool same_count, uint8_t *keep);
spk_status spk_patterns_drop_contained(spk_context *context, const spk_results *results,
                                       bool same_count, uint8_t *keep);
