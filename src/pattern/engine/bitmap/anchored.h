/*
 * All patterns, each from its anchor (maxima.h).
 *
 * The search goes through all frequent sets of items as the search for the largest counts does,
 * with one bound for all sizes. Sets of random spikes are closed, nearly all of them. Whether one
 * is tells what its occurrences have in common:
 *
 *     set                  a@0 b@2 d@3
 *     all occurrences      a@0 b@2 d@3        it is a pattern
 *     or                   a@0 b@2 c@2 d@3    it is not closed: c belongs to it
 *     or           e@-4    a@0 b@2 d@3        it is the later end of a longer pattern
 *
 * An item in common that lies between the first and the last spike of a set belongs to all larger
 * sets as well. It is added to the set at once; where the search has been through it before, there
 * is nothing below the set (as in Uno et al. 2004, for items whose place may differ).
 *
 * Without the moving-window step the bins before a set do not matter. Patterns are found in no
 * order. Where one is asked for, they are kept, up to some memory, and put in order at the end.
 */
#pragma once

#include <pthread.h>

#include "pattern/engine/bitmap/maxima.h"
#include "pattern/engine/item_order.h"

/* Finds a job's patterns so, where that pays: without limits that hide larger patterns, where those
 * sought have several neurons. Patterns of few neurons are so many that telling each of them costs
 * more than the search. *done is false where the job is left to the other search; the sink has got
 * nothing then. Errors as the sink's, SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_bitmap_mine_anchored(spk_context *context, const spk_pattern_job *given,
                                    spk_bitmap_job *job, spk_pattern_sink *sink, void *user,
                                    bool *done);

/* What is reported by one search. */
typedef struct spk_anchored_output {
    pthread_mutex_t *lock; /* of the sink */
    spk_pattern_sink *sink;
    void *user;
    int maker;          /* of bytes */
    bool refused;       /* the sink wants no more */
    bool drops;         /* ends of other patterns */
    uint64_t n_dropped; /* such ends */
    /* Where patterns are put in order at the end: the newest one, and all before it. */
    bool keeps;
    spk_arena kept;
    spk_found_pattern *newest;
    uint64_t n_kept;
    /* The root: which windows an item is in. */
    const uint32_t *window; /* the job's, of each bit of a column */
    uint32_t n_windows;
    const uint32_t *item;   /* by place */
    const uint64_t *column; /* by item: column_words words */
    uint32_t column_words;
    /* Scratch. */
    uint64_t *common; /* what occurrences have in common, by bin and unit */
    uint64_t *mask;   /* windows of the set */
    uint64_t *key;
    /* Patterns that have not left yet. */
    uint64_t n;
    uint64_t *offset;
    uint32_t *count;
    uint32_t *items;
    uint64_t n_items;
    uint64_t item_capacity;
} spk_anchored_output;

/* Its scratch; false when memory is short. Free it in any case. */
bool spk_anchored_output_create(const spk_bitmap_bounds *shared, spk_anchored_output *out);
void spk_anchored_output_free(spk_anchored_output *out);

/* The set is a pattern; its first spike has this lag (as in lag_of). */
void spk_anchored_output_add(spk_maxima_search *search, uint32_t count, uint32_t first);

/* Hands the patterns that wait to the sink. Ends the searches when it refuses. */
void spk_anchored_output_leave(spk_maxima_search *search);

/* Hands over list[0 .. n - 1], whose items are ranks, in their order. All searches make batches. */
void spk_anchored_output_all(const spk_bitmap_bounds *shared, spk_found_pattern *const *list,
                             uint64_t n);
