/*
 * The order of items that the canonical order of patterns goes by (pattern.h): lag-0 items first,
 * then the others unit by unit, units of few windows first.
 */
#pragma once

#include "base/bisect.h"
#include "base/context.h"
#include "spikemine/pattern.h"

/* Frequent items, those in at least min_support windows. */
typedef struct spk_item_order {
    uint32_t n;
    uint32_t *item;  /* in order */
    uint32_t *count; /* of all items, by item: the windows that hold it */
} spk_item_order;

/* To be freed after a failure, too. Errors: SPK_ERR_MEMORY. */
spk_status spk_item_order_find(spk_context *context, const spk_window_columns *windows,
                               uint32_t min_support, spk_item_order *out);
void spk_item_order_free(spk_item_order *order);

/* Whether window w has the item. */
static inline bool spk_window_has(const spk_window_columns *windows, uint64_t w, uint32_t item)
{
    const uint64_t end = windows->first[w + 1];
    const uint64_t at = spk_first_u32(windows->item, windows->first[w], end, item);
    return at < end && windows->item[at] == item;
}

/* ---- the order of patterns ------------------------------------------------------------------- */

/*
 * The canonical order of patterns, for engines that find them in another one.
 *
 * It is the order in which a search visits closed sets that adds items of ascending rank
 * (above) and closes: each set before those that it leads to. A set P leads to a larger one
 * where the items of P before the first further item already decide which windows hold P. So two
 * sets compare by the first item, in rank, that only one of them has: the set with it comes first,
 * unless the other one leads to it.
 */

/* A closed pattern that was found. */
typedef struct spk_found_pattern {
    union { /* the engine's own */
        uint64_t signature;
        struct spk_found_pattern *before;
    };
    uint32_t count;
    uint32_t n;
    uint32_t item[]; /* to be put in order: ranks, ascending; the first one has lag 0 */
} spk_found_pattern;

/* A pattern with its first ranks in one number, which decides most comparisons. After sorting the
 * number is the place of the first pattern that this one leads to, or its own. */
typedef struct spk_pattern_entry {
    uint64_t key;
    spk_found_pattern *pattern;
} spk_pattern_entry;

/* The ranks of items. */
typedef struct spk_pattern_ranks {
    uint32_t n;
    const uint32_t *item; /* by rank */
    const uint64_t *row;  /* the ranks of window w: bits of row_words words from row[w * row_words]
                             on; NULL: they are looked up among its items */
    uint32_t row_words;
} spk_pattern_ranks;

/* Into out[0 .. n - 1]: the patterns of n entries, whose keys need not be there. Errors:
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_pattern_order(spk_context *context, const spk_window_columns *windows,
                             const spk_pattern_ranks *ranks, int threads, spk_pattern_entry *entry,
                             uint64_t n, spk_found_pattern **out);
