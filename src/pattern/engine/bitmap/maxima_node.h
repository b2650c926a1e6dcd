/*
 * Narrow branches of the search for the largest counts: what they hold, and what still matters in
 * them. Included by files that are compiled once per instruction set.
 *
 *     column   plane 0: windows 0 .. 63     item 0, item 1, ...  up to `stride`
 *              plane 1: windows 64 .. 127   item 0, item 1, ...
 *     row      word 0: items 0 .. 63        plane 0: window 0 .. 63; plane 1: ...
 *     link     word 0: items 0 .. 63        item 0, item 1, ...: who shares windows with it
 *
 * Invariant: `items` and `window` have the bits that can still matter; columns, rows and links keep
 * all bits, so that they are and-ed with these two. Demands fall in `least` as they grow in
 * `missing`: more spikes are wanted in fewer windows. Bytes of the largest branch: 16 KiB of
 * columns, as much of rows, 32 KiB of links.
 */
#pragma once

#include "pattern/engine/bitmap/maxima_rules.h"

enum {
    NARROW_WINDOWS = 256,
    NARROW_ITEMS = 512,
    NARROW_PLANES = NARROW_WINDOWS / 64,
    NARROW_WORDS = NARROW_ITEMS / 64,
    MOST_DEMANDS = 8,
    LINES = 65 /* the last one of a plane is empty */
};

static_assert((int)NARROW_WORDS <= (int)ROW_WORDS, "a row of shares holds all items");

/* The columns: plane p holds the windows 64 p .. 64 p + 63, one word for each item. */
typedef struct narrow {
    uint32_t n; /* items */
    uint32_t words;
    uint32_t n_windows;
    uint32_t planes;
    bool filled;     /* the rows are there */
    uint32_t stride; /* words of a plane */
    uint32_t *rank;
    uint64_t *column; /* column[p * stride + k] */
    uint64_t *row;    /* by window: row[(w * planes + p) * 64 + i], word w of a row */
    uint64_t *line;   /* the same for sums by the vector: line[(p * LINES + i) * ROW_WORDS + w] */
    uint32_t link_stride;
    uint64_t *link; /* the items that share enough windows with item e: link[w * link_stride + e] */
    uint64_t items[NARROW_WORDS];   /* that can still matter */
    uint64_t window[NARROW_PLANES]; /* likewise */
    /* Where units are missing: groups of a unit's items, as in spk_bitmap_node. */
    uint64_t low[NARROW_WORDS];
    uint64_t last[NARROW_WORDS];
    uint64_t fresh[NARROW_WORDS]; /* items whose unit is not in the set */
} narrow;

/* What matters: `missing` items more, in at least `least` windows. */
typedef struct demand {
    uint32_t missing;
    uint32_t least;
} demand;

/* Demands by size; with units missing, as many items are. More than MOST_DEMANDS become one, which
 * asks for less than each of them. */
static uint32_t list_demands(const spk_maxima_search *search, uint32_t n_items, uint32_t count,
                             demand *out)
{
    uint32_t n = 0, reach = reach_of(search, n_items), units = missing_units(search);
    uint32_t last = reach < search->n_bound ? reach : search->n_bound - 1;
    for (uint32_t size = search->size + (units > 0 ? units : 1); size <= reach; size++) {
        uint32_t bound = spk_maxima_bound(search, size);
        if (bound < count && (n == 0 || bound + 1 < out[n - 1].least)) {
            if (n == MOST_DEMANDS)
                out[n - 1].least = bound + 1;
            else
                out[n++] = (demand){size - search->size, bound + 1};
        }
        if (size >= last)
            break;
    }
    return n;
}

/* The bits of word w of a row of n items. */
static inline uint64_t bits_of_word(uint32_t n, uint32_t w)
{
    return n - w * 64 < 64 ? (UINT64_C(1) << (n - w * 64)) - 1 : ~UINT64_C(0);
}

static inline uint32_t count_bits(const uint64_t *word, uint32_t n_words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < n_words; w++)
        n += bit_count(word[w]);
    return n;
}
