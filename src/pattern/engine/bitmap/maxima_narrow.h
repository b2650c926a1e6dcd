/*
 * Narrow branches of the search for the largest counts: at most NARROW_WINDOWS windows and
 * NARROW_ITEMS items, as columns of window bits.
 *
 * Let three items be in 28 windows, let 15 items be left to add, and let only these two matter: 6
 * spikes in 12 windows or more, 7 in 10 or more (the demands of the branch). First the 15 items are
 * compared pair by pair (narrow_prune, maxima_links.h): most branches end here. Then windows and
 * items fall short by themselves (narrow_reduce). For 6 spikes, 3 items more are missing: of the
 * items only 2 are in 12 of the windows, so that demand cannot be met. For 7, 4 are missing: 14 of
 * the 28 windows hold 4 of the items or more, and in these 14 windows 5 items are left that are in
 * 10 of them, which takes further windows away, and so on.
 */
#pragma once

#include "pattern/engine/bitmap/maxima_links.h"

/* ---- the search -------------------------------------------------------------------------------
 */

/* Room for n items in n_windows windows. */
static bool narrow_make(spk_maxima_search *search, uint32_t n, uint32_t n_windows, narrow *node)
{
    node->n = n;
    node->words = (n + 63) / 64;
    node->n_windows = n_windows;
    node->filled = false;
    node->planes = (n_windows + 63) / 64;
    /* Columns are read eight at a time: behind the last item of a plane there are empty ones. */
    node->stride = (n + 7) / 8 * 8;
    node->rank = take(search, (uint64_t)n + LIST_SLACK, sizeof *node->rank);
    node->column = take(search, (uint64_t)node->planes * node->stride, sizeof *node->column);
#ifndef SPK_BITMAP_AVX512
    node->line = take(search, (uint64_t)node->planes * LINES * ROW_WORDS, sizeof *node->line);
    if (node->line == NULL)
        return false;
#endif
    node->row = take(search, (uint64_t)node->words * node->planes * 64, sizeof *node->row);
    node->link_stride = node->words * 64;
    node->link = take(search, (uint64_t)node->words * node->link_stride, sizeof *node->link);
    memset(node->items, 0xff, sizeof node->items);
    memset(node->window, 0xff, sizeof node->window);
    if (n % 64 != 0)
        node->items[n / 64] = (UINT64_C(1) << n % 64) - 1;
    if (n_windows % 64 != 0)
        node->window[n_windows / 64] = (UINT64_C(1) << n_windows % 64) - 1;
    return node->rank != NULL && node->column != NULL && node->row != NULL && node->link != NULL;
}

/* The branch of some items in the windows `own`, which are n. */
static bool narrow_child(spk_maxima_search *search, const narrow *node, const uint64_t *items,
                         uint32_t n_items, const uint64_t *own, uint32_t n, narrow *child)
{
    gatherer gather[NARROW_PLANES];
    if (!narrow_make(search, n_items, n, child))
        return false;
    /* Bits of the windows `own` are pushed together, plane after plane: `rest` holds the `filled`
     * bits that have not made a word of the child yet. */
    for (uint32_t p = 0; p < node->planes; p++)
        gather[p] = gatherer_make(own[p]);
    uint32_t at = 0;
    for (uint32_t w = 0; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1, at++) {
            uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(bits);
            child->rank[at] = node->rank[k];
            uint64_t *to = child->column + at, rest = 0;
            uint32_t filled = 0;
            for (uint32_t p = 0; p < node->planes; p++) {
                uint64_t word = gather_bits(&gather[p], node->column[(size_t)p * node->stride + k]);
                uint32_t more = bit_count(own[p]);
                rest |= word << filled;
                if (filled + more >= 64) {
                    *to = rest;
                    to += child->stride;
                    rest = filled > 0 ? word >> (64 - filled) : 0;
                    filled -= 64;
                }
                filled += more;
            }
            if (filled > 0)
                *to = rest;
        }
    for (; at < child->stride; at++)
        for (uint32_t p = 0; p < child->planes; p++)
            child->column[(size_t)p * child->stride + at] = 0;
    return true;
}

static void search_narrow(spk_maxima_search *search, narrow *node);

/* Upper bound on the units that some later items bring, once item e is in the set. */
static inline uint32_t fresh_units_after(const narrow *node, uint32_t e, const uint64_t *items)
{
    uint32_t n = fresh_units(node, items);
    if (!bit_get(node->fresh, e))
        return n;
    const uint64_t same = UINT64_C(2) << __builtin_ctzll(node->last[e / 64] >> e % 64);
    return n - ((items[e / 64] >> e % 64 & (same - 1)) != 0);
}

/* Searches the set with item e, and then with the items left. */
static void narrow_visit(spk_maxima_search *search, const narrow *node, uint32_t e)
{
    uint64_t own[NARROW_PLANES], items[NARROW_WORDS];
    demand demands[MOST_DEMANDS];
    narrow child;
    narrow_own(node, e, own);
    for (uint32_t w = 0; w < node->words; w++)
        items[w] = node->link[(size_t)w * node->link_stride + e] & node->items[w];
    const uint32_t n = count_bits(own, node->planes), size = search->size;
    spk_maxima_push(search, node->rank[e]);
    if (!settle(search, n, node->rank, node->n, items))
        goto done;
    /* Cheapest first: too few items for the nearest demand, then too few units; only then memory is
     * taken for the branch. */
    uint32_t n_items = count_bits(items, node->words), units = missing_units(search);
    if (list_demands(search, n_items, spk_maxima_useful(search, n), demands) == 0 ||
        n_items < demands[0].missing)
        goto done;
    if (units > 0 && fresh_units_after(node, e, items) < units)
        goto done;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    if (narrow_child(search, node, items, n_items, own, n, &child))
        search_narrow(search, &child);
    spk_arena_release(&search->arena, mark);
done:
    spk_maxima_pop(search, size);
}

/* The same branch, once more, without what was dropped. */
static void search_again(spk_maxima_search *search, const narrow *node)
{
    narrow rest;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    if (narrow_child(search, node, node->items, count_bits(node->items, node->words), node->window,
                     count_bits(node->window, node->planes), &rest))
        search_narrow(search, &rest);
    spk_arena_release(&search->arena, mark);
}

/* Whether so much was dropped that the rest is searched by itself. */
static inline bool much_dropped(const narrow *node)
{
    uint32_t n = count_bits(node->items, node->words);
    return n + n / 4 < node->n;
}

/* Searches a branch whose ranks and columns are there. */
static void search_narrow(spk_maxima_search *search, narrow *node)
{
    demand demands[MOST_DEMANDS];
    if (stopped(search) || !spk_maxima_refresh(search))
        return;
    const uint32_t count = spk_maxima_useful(search, node->n_windows);
    const uint32_t n = list_demands(search, node->n, count, demands);
    if (n == 0 || node->n < demands[0].missing)
        return;
    if (missing_units(search) > 0) {
        narrow_group(search->unit_of, search->unit_count, node);
        if (fresh_units(node, node->items) < missing_units(search))
            return;
    }
    narrow_prune(search, node, demands, n);
    if (count_bits(node->items, node->words) == 0)
        return;
    if (!much_dropped(node)) {
        narrow_fill(node);
        if (!narrow_reduce(search, node))
            return;
    }
    if (much_dropped(node)) {
        search_again(search, node);
        return;
    }
    for (uint32_t w = 0; w < node->words; w++)
        while (node->items[w] != 0) {
            uint32_t e = w * 64 + (uint32_t)__builtin_ctzll(node->items[w]);
            node->items[w] &= node->items[w] - 1; /* later ones go without it */
            narrow_visit(search, node, e);
        }
}
