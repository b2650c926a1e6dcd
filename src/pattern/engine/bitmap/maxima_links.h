/*
 * What cannot matter in a narrow branch. Let a branch need 3 items more in 10 windows, or 2 more in
 * 15 (its demands).
 *
 * Items that share 10 windows are linked; each item of a set that meets the first demand is linked
 * with 3 of them, itself included, and they with each other. So items with fewer links go, which
 * takes links away from others, until nothing changes; what is left is the demand's core
 * (narrow_core). The second demand has links of its own, in 15 windows, but few items are in so
 * many: they are compared by themselves (narrow_core_above). Most branches end here.
 *
 * Windows and items fall short by themselves, too: a window of fewer than 2 items, an item in fewer
 * than 10 windows (narrow_reduce).
 */
#pragma once

#include "pattern/engine/bitmap/maxima_loops.h"

/* Items and windows that can meet one demand; false when none can. */
static bool meet(const narrow *node, demand d, uint64_t *items, uint64_t *window)
{
    for (;;) {
        uint64_t changed = 0, before[NARROW_PLANES];
        narrow_items(node, window, d.least, items);
        if (count_bits(items, node->words) < d.missing)
            return false;
        memcpy(before, window, sizeof before);
        narrow_windows(node, items, d.missing, window);
        for (uint32_t p = 0; p < node->planes; p++)
            changed |= before[p] ^ window[p];
        if (changed == 0)
            return true;
        if (count_bits(window, node->planes) < d.least)
            return false;
    }
}

/* Upper bound on the units, not in the set yet, of some items. */
static inline uint32_t fresh_units(const narrow *node, const uint64_t *items)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < node->words; w++)
        n += bit_count(groups_of(items[w] & node->fresh[w], node->low[w], node->last[w]));
    return n;
}

/* Leaves the items and windows that can meet some demand; false when none can. */
static bool narrow_reduce(const spk_maxima_search *search, narrow *node)
{
    uint64_t some[NARROW_WORDS], within[NARROW_PLANES];
    uint64_t all[NARROW_WORDS] = {0}, whole[NARROW_PLANES] = {0};
    demand demands[MOST_DEMANDS];
    bool met = false;
    uint32_t count = spk_maxima_useful(search, count_bits(node->window, node->planes));
    /* What meets one demand stays for all: each is looked at on its own, from the whole branch, and
     * the branch keeps the union. */
    uint32_t n = list_demands(search, count_bits(node->items, node->words), count, demands);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(some, node->items, sizeof some);
        memcpy(within, node->window, sizeof within);
        if (!meet(node, demands[i], some, within))
            continue;
        for (uint32_t w = 0; w < node->words; w++)
            all[w] |= some[w];
        for (uint32_t p = 0; p < node->planes; p++)
            whole[p] |= within[p];
        met = true;
    }
    memcpy(node->items, all, sizeof all);
    memcpy(node->window, whole, sizeof whole);
    return met;
}

static inline void narrow_own(const narrow *node, uint32_t e, uint64_t *own)
{
    for (uint32_t p = 0; p < node->planes; p++)
        own[p] = node->column[(size_t)p * node->stride + e] & node->window[p];
}

/* Drops items that are linked with too few of those left, or with items of too few units, until
 * nothing changes; false when too few are left. `link` is by word: link[w * stride + e]. */
static bool narrow_core(const narrow *node, const uint64_t *link, uint32_t missing, uint32_t units,
                        uint64_t *items)
{
    uint32_t before = count_bits(items, node->words), n = before;
    do {
        before = n;
        if (before < missing)
            return false;
        keep_linked(node, link, missing, items);
        n = count_bits(items, node->words);
        if (n == before && units > 0) {
            keep_units(node, link, units, items);
            n = count_bits(items, node->words);
        }
    } while (n != before);
    return true;
}

/* The other half of a symmetric matrix of which words on and right of the diagonal are there. */
static void narrow_mirror(const narrow *node, uint64_t *link)
{
    _Alignas(64) uint64_t turned[64];
    for (uint32_t i = 0; i < node->words; i++) {
        uint64_t *own = link + (size_t)i * node->link_stride + i * 64;
        turn_words(own, 64, turned, 64);
        for (uint32_t k = 0; k < 64; k++)
            own[k] |= turned[k];
        for (uint32_t j = i + 1; j < node->words; j++)
            turn_words(link + (size_t)j * node->link_stride + i * 64, 64,
                       link + (size_t)i * node->link_stride + j * 64, 64);
    }
}

/* Rows from the columns. */
static void narrow_fill(narrow *node)
{
    if (node->filled)
        return;
    node->filled = true;
    for (uint32_t p = 0; p < node->planes; p++) {
        uint32_t n = node->n_windows - p * 64 < 64 ? node->n_windows - p * 64 : 64;
        for (uint32_t w = 0; w < node->words; w++)
            turn_words(node->column + (size_t)p * node->stride + w * 64, node->stride - w * 64,
                       node->row + (size_t)(w * node->planes + p) * 64, n);
    }
#ifndef SPK_BITMAP_AVX512
    narrow_make_lines(node);
#endif
}

/* Compares all pairs of items, with many of them each pair once. */
static void narrow_compare(narrow *node, uint32_t least)
{
    enum { MANY = 40 };
    /* Sharing is symmetric: with many items half of the pairs are compared, and mirroring the rest
     * is cheaper than comparing it. */
    const bool half = node->n > MANY;
#ifdef SPK_BITMAP_AVX512
    compare_pairs(node, least, half, node->link);
#else
    narrow_fill(node);
    for (uint32_t e = 0; e < node->words * 64; e++) {
        uint64_t own[NARROW_PLANES] = {0}, rich[NARROW_WORDS] = {0};
        const uint32_t from = half ? e : 0;
        if (e < node->n) {
            narrow_own(node, e, own);
            narrow_rich(node, own, count_bits(own, node->planes), least, from, rich);
        }
        for (uint32_t w = 0; w < node->words; w++)
            node->link[(size_t)w * node->link_stride + e] = rich[w];
    }
#endif
    if (half)
        narrow_mirror(node, node->link);
}

/* Takes the links between items that do not fit into one window. */
static bool narrow_cut(spk_maxima_search *search, const narrow *node)
{
    lags l;
    if (!lags_make(search, node->rank, node->n, node->words, &l))
        return false;
    for (uint32_t w = 0; w < node->words && l.n > 0; w++) {
        const uint64_t *fit = l.fit + (size_t)w * l.n;
        uint64_t *link = node->link + (size_t)w * node->link_stride;
        for (uint32_t e = 0; e < node->n; e++)
            link[e] &= fit[l.lag[e]];
    }
    return true;
}

/* The same as narrow_core for a demand with a higher limit than that of the links: the items that
 * are in enough windows are few, and are compared once more, by themselves. */
static bool narrow_core_above(const narrow *node, demand d, uint32_t units, uint64_t *items)
{
    enum { FEW = 64 };
    _Alignas(64) uint64_t column[NARROW_PLANES * FEW], link[FEW];
    uint32_t place[FEW];
    uint64_t some = 0;
    narrow_items(node, node->window, d.least, items);
    keep_linked(node, node->link, d.missing, items); /* links of the lower limit drop most */
    uint32_t n = count_bits(items, node->words), at = 0;
    if (n < d.missing)
        return false;
    if (n <= FEW) {
        narrow few = {.n = n,
                      .words = 1,
                      .planes = node->planes,
                      .stride = FEW,
                      .link_stride = FEW,
                      .column = column};
        memcpy(few.window, node->window, sizeof few.window);
        for (uint32_t w = 0; w < node->words; w++)
            for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1, at++) {
                place[at] = w * 64 + (uint32_t)__builtin_ctzll(bits);
                for (uint32_t p = 0; p < node->planes; p++)
                    column[p * FEW + at] = node->column[(size_t)p * node->stride + place[at]];
            }
        for (; at % 8 != 0; at++)
            for (uint32_t p = 0; p < node->planes; p++)
                column[p * FEW + at] = 0;
        narrow_pairs(&few, d.least, link);
        some = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
        if (!narrow_core(&few, link, d.missing, 0, &some))
            return false;
        for (uint32_t w = 0; w < node->words; w++)
            items[w] = 0;
        for (; some != 0; some &= some - 1) {
            uint32_t e = place[__builtin_ctzll(some)];
            items[e / 64] |= UINT64_C(1) << e % 64;
        }
    }
    return narrow_core(node, node->link, d.missing, units, items);
}

/* The same by the links that are there, which drops less. */
static bool narrow_core_below(const narrow *node, demand d, uint32_t units, uint64_t *items)
{
    narrow_items(node, node->window, d.least, items);
    return narrow_core(node, node->link, d.missing, units, items);
}

/* Leaves the items that can meet some demand, by the pairs that share enough windows. Where the
 * last demand, of the lowest limit, can be met, the branch goes on anyway. */
static void narrow_prune(spk_maxima_search *search, narrow *node, const demand *demands,
                         uint32_t n_demands)
{
    uint64_t all[NARROW_WORDS] = {0}, some[MOST_DEMANDS][NARROW_WORDS];
    uint32_t units = missing_units(search), n_left = 0, left[MOST_DEMANDS];
    /* The links are those of the last demand, whose limit is the lowest. Where it can be met, the
     * branch is searched in any case, and a rough look at the other demands will do
     * (narrow_core_below). */
    bool goes_on = false;
    narrow_compare(node, demands[n_demands - 1].least);
    for (uint32_t i = n_demands; i-- > 0;) {
        memcpy(some[i], node->items, sizeof node->items);
        bool met;
        if (i + 1 == n_demands)
            met = goes_on = narrow_core(node, node->link, demands[i].missing, units, some[i]);
        else if (goes_on)
            met = narrow_core_below(node, demands[i], units, some[i]);
        else
            met = narrow_core_above(node, demands[i], units, some[i]);
        if (met)
            left[n_left++] = i;
    }
    /* Windows and items fell short meanwhile: what the demands leave is found once more in the
     * smaller branch. */
    if (n_left > 0 && !narrow_cut(search, node))
        return;
    for (uint32_t k = 0; k < n_left; k++)
        if (narrow_core(node, node->link, demands[left[k]].missing, units, some[left[k]]))
            for (uint32_t w = 0; w < node->words; w++)
                all[w] |= some[left[k]][w];
    memcpy(node->items, all, sizeof all);
}
