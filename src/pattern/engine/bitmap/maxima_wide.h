/*
 * Wide branches of the search for the largest counts: more windows or items than a narrow branch
 * (maxima_narrow.h) has room for. Roots are wide; what is found below them soon is narrow.
 *
 *                     item 0 .. 63   64 ..      ascending by rank; a unit's items are neighbours
 *     row, window 0   0110...        100...     words of a row: whole vectors
 *         window 1    1100...        001...
 *     column, item 0  01...                     the same bits turned: column_words words of windows
 *
 * Invariant: a branch holds the windows of its set and the items to add that can still matter.
 * Items whose branches were searched are dead there (sharing.alive), so that a set is met once.
 * What is left out (reduce) can raise nothing: M(z) of maxima.h says so for every size within
 * reach.
 *
 * Cost: with n items in w windows, pairs take n * w * n / 512 steps of a vector, where rows of
 * pairs are kept; a branch below takes one pass over its windows for each time that `reduce` goes
 * on.
 *
 * Branch and bound after Land and Doig (1960); rows and columns of bits as in vertical
 * mining (Zaki, "Scalable algorithms for association mining", 2000). Included by files that are
 * compiled once per instruction set.
 */
#pragma once

#include "pattern/engine/bitmap/maxima_narrow.h"

/* Bit rows of all pairs are kept for a branch while they take no more than this. */
enum { KEPT_BYTES = 8 << 20 };

/* ---- wide branches ----------------------------------------------------------------------------
 */

/* A set with its windows as bit rows over the items that may be added. */
typedef struct wide {
    uint32_t n; /* items */
    uint32_t words;
    uint32_t *rank; /* NULL: item k is rank k */
    uint64_t *row;
    uint64_t *column; /* by item: column_words words of bits of the windows */
    uint32_t n_windows;
    uint32_t column_words;
    uint64_t *low; /* groups of a unit's items, as in spk_bitmap_node */
    uint64_t *last;
    uint64_t *fresh; /* items whose unit is not in the set; NULL when no unit is missing */
} wide;

/* What may be added to a set, and its windows: rows of the branch that it was found in. */
typedef struct choice {
    uint32_t *list;
    uint32_t n;      /* windows */
    uint32_t from;   /* first word with items */
    uint64_t *items; /* bit row */
    uint32_t n_items;
    uint32_t *weight;
} choice;

static inline uint32_t rank_at(const wide *node, uint32_t k)
{
    return node->rank != NULL ? node->rank[k] : k;
}

/* Ranks in place of n places, in the same array of n + LIST_SLACK. */
static inline void ranks_at(const wide *node, uint32_t *place, uint32_t n)
{
    if (node->rank == NULL)
        return;
#ifdef SPK_BITMAP_AVX512
    for (uint32_t k = 0; k < n; k += 16) {
        const __mmask16 here = (__mmask16)(n - k < 16 ? (1u << (n - k)) - 1 : 0xffff);
        __m512i x = _mm512_loadu_si512(place + k);
        x = _mm512_mask_i32gather_epi32(x, here, x, node->rank, sizeof *place);
        _mm512_storeu_si512(place + k, x);
    }
#else
    for (uint32_t k = 0; k < n; k++)
        place[k] = node->rank[place[k]];
#endif
}

/* Bits of row & mask in the words from .. words - 1, which are whole groups of ROW_WORDS. */
static inline uint32_t count_row(const uint64_t *row, const uint64_t *mask, uint32_t from,
                                 uint32_t words)
{
#ifdef SPK_BITMAP_AVX512
    __m512i n = _mm512_setzero_si512();
    for (uint32_t w = from; w < words; w += 8) {
        __m512i x = _mm512_and_si512(_mm512_load_si512(row + w), _mm512_load_si512(mask + w));
        n = _mm512_add_epi64(n, _mm512_popcnt_epi64(x));
    }
    return (uint32_t)_mm512_reduce_add_epi64(n);
#else
    uint32_t n = 0;
    for (uint32_t w = from; w < words; w++)
        n += bit_count(row[w] & mask[w]);
    return n;
#endif
}

/* Drops windows that cannot matter; false when too few are left. */
static bool drop_windows(const spk_maxima_search *search, const wide *node, choice *chosen,
                         uint32_t reach)
{
    uint32_t count = spk_maxima_useful(search, chosen->n);
    for (uint32_t i = 0; i < chosen->n; i++)
        chosen->weight[i] = count_row(node->row + (size_t)chosen->list[i] * node->words,
                                      chosen->items, chosen->from, node->words);
    for (uint32_t size = search->size + 1;;) {
        size = first_size(search, size, reach, count);
        if (size == 0)
            return false;
        uint32_t left = 0;
        for (uint32_t i = 0; i < chosen->n; i++)
            left += chosen->weight[i] >= size - search->size;
        /* Too few windows have items enough for this size. Larger sizes need as many items or more,
         * so that no more than `left` windows serve them: on with the first size for which that is
         * enough. */
        if (left <= spk_maxima_bound(search, size)) {
            count = left < count ? left : count;
            continue;
        }
        left = 0;
        for (uint32_t i = 0; i < chosen->n; i++)
            if (chosen->weight[i] >= size - search->size)
                chosen->list[left++] = chosen->list[i];
        chosen->n = left;
        return true;
    }
}

/* Drops windows and items that cannot matter; false when nothing is left. The items of the choice
 * are those that may be added; `bound` is the one that they were chosen by, 0: none. */
static bool reduce(const spk_maxima_search *search, const wide *node, uint32_t bound,
                   uint64_t *found, choice *chosen)
{
    for (;;) {
        uint32_t n = chosen->n, reach = reach_of(search, chosen->n_items);
        if (chosen->n_items == 0 || spk_maxima_bound(search, reach) >= spk_maxima_useful(search, n))
            return false;
        if (bound == 0) {
            bound = spk_maxima_bound(search, reach);
            row_share(node->row, node->words, chosen->from, chosen->list, n, bound + 1, found);
            chosen->n_items = 0;
            for (uint32_t w = chosen->from; w < node->words; w++)
                chosen->n_items += bit_count(chosen->items[w] &= found[w]);
            reach = reach_of(search, chosen->n_items);
            if (chosen->n_items == 0 ||
                spk_maxima_bound(search, reach) >= spk_maxima_useful(search, n))
                return false;
        }
        if (!drop_windows(search, node, chosen, reach))
            return false;
        /* Once more when that may drop a good share of what is left. */
        if (chosen->n + chosen->n / 8 >= n && spk_maxima_bound(search, reach) == bound)
            return true;
        bound = 0;
    }
}

/* ---- from a choice to its branch ------------------------------------------------------------- */

/* By item from rows by window: bits of up to 64 windows each. */
static void turn_block(const uint64_t *row, uint32_t words, uint32_t n_rows, uint64_t *block)
{
    _Alignas(64) uint64_t from[64];
    for (uint32_t i = 0; i < 64; i++)
        from[i] = i < n_rows ? row[(size_t)i * words] : 0;
    turn_words(from, 64, block, 64);
}

/* Marks the groups of a unit's items: `low` and `last` as in spk_bitmap_node. */
static void group_items(const spk_maxima_search *search, const uint32_t *rank, uint32_t n,
                        uint64_t *low, uint64_t *last)
{
    const uint32_t *unit_of = search->unit_of;
    for (uint32_t k = 0; k < n; k++) {
        bool ends = k + 1 == n || k % 64 == 63 || unit_of[rank[k]] != unit_of[rank[k + 1]];
        *(ends ? &last[k / 64] : &low[k / 64]) |= UINT64_C(1) << (k % 64);
    }
}

/* Ranks of the items of a choice, and its rows cut down to them. */
static bool gather(spk_maxima_search *search, const wide *node, const choice *chosen,
                   uint32_t *rank, uint64_t *row, uint32_t row_words)
{
    wide_words items;
    uint32_t at = 0;
    if (!wide_words_make(&search->arena, chosen->items, chosen->from, node->words, &items)) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return false;
    }
    for (uint32_t w = chosen->from; w < node->words; w++)
        for (uint64_t bits = chosen->items[w]; bits != 0; bits &= bits - 1)
            rank[at++] = rank_at(node, w * 64 + (uint32_t)__builtin_ctzll(bits));
    assert(at == chosen->n_items);
    wide_gather_rows(&items, node->row, node->words, chosen->list, chosen->n, row, row_words);
    return true;
}

static void search_wide(spk_maxima_search *search, wide *node);

/* A branch with room for its ranks and rows, all zero. */
static bool wide_make(spk_maxima_search *search, uint32_t n, uint32_t n_windows, wide *node)
{
    *node = (wide){.n = n, .n_windows = n_windows, .column_words = (n_windows + 63) / 64};
    node->words = ((n + 63) / 64 + ROW_WORDS - 1) / ROW_WORDS * ROW_WORDS;
    uint64_t n_words = (uint64_t)n_windows * node->words;
    node->rank = take(search, n, sizeof *node->rank);
    node->row = take(search, n_words, sizeof *node->row);
    node->low = take(search, node->words, sizeof *node->low);
    node->last = take(search, node->words, sizeof *node->last);
    node->column =
        take(search, (uint64_t)node->column_words * node->words * 64, sizeof *node->column);
    if (node->rank == NULL || node->row == NULL || node->low == NULL || node->last == NULL ||
        node->column == NULL)
        return false;
    memset(node->row, 0, (size_t)n_words * sizeof *node->row);
    memset(node->low, 0, node->words * sizeof *node->low);
    memset(node->last, 0, node->words * sizeof *node->last);
    return true;
}

/* Searches a branch whose ranks and rows are there. */
static void search_filled(spk_maxima_search *search, wide *node)
{
    group_items(search, node->rank, node->n, node->low, node->last);
    for (uint32_t t = 0; t < node->n_windows; t += 64) {
        uint32_t n_rows = node->n_windows - t < 64 ? node->n_windows - t : 64;
        for (uint32_t k = 0; k < node->n; k += 64) {
            _Alignas(64) uint64_t block[64];
            turn_block(node->row + (size_t)t * node->words + k / 64, node->words, n_rows, block);
            for (uint32_t j = 0; j < 64; j++)
                node->column[(size_t)(k + j) * node->column_words + t / 64] = block[j];
        }
    }
    search_wide(search, node);
}

/* The branch of a choice, whose rows are those listed. */
static void search_as_wide(spk_maxima_search *search, const wide *from, const choice *chosen)
{
    wide node;
    if (wide_make(search, chosen->n_items, chosen->n, &node) &&
        gather(search, from, chosen, node.rank, node.row, node.words))
        search_filled(search, &node);
}

/* ---- one item more ----------------------------------------------------------------------------
 */

/* Items whose unit is not in the set; NULL when none is missing. */
static bool find_fresh(spk_maxima_search *search, wide *node)
{
    node->fresh = NULL;
    if (missing_units(search) == 0)
        return true;
    node->fresh = take(search, node->words, sizeof *node->fresh);
    if (node->fresh == NULL)
        return false;
    memset(node->fresh, 0, node->words * sizeof *node->fresh);
    for (uint32_t k = 0; k < node->n; k++)
        if (search->unit_count[search->unit_of[rank_at(node, k)]] == 0)
            node->fresh[k / 64] |= UINT64_C(1) << (k % 64);
    return true;
}

/* Windows of item e, from its column. */
static uint32_t list_windows(const wide *node, uint32_t e, uint32_t *list)
{
    uint32_t n = 0;
    const uint64_t *column = node->column + (size_t)e * node->column_words;
    for (uint32_t w = 0; w < node->column_words; w++)
        n += list_bits(column[w], w * 64, list + n);
    return n;
}

static uint32_t count_windows(const wide *node, uint32_t e)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < node->column_words; w++)
        n += bit_count(node->column[(size_t)e * node->column_words + w]);
    return n;
}

/* Columns of 65 to 128 windows: wide_gather in registers. */
static inline void gather_two_planes(const wide *node, const wide_words *windows, narrow *child)
{
    uint32_t cut = 0; /* the word whose bits are of both planes */
    while (cut + 1 < windows->n && windows->offset[cut + 1] <= 64)
        cut++;
    const uint32_t shift = windows->offset[cut];
    for (uint32_t k = 0; k < child->n; k++) {
        const uint64_t *from = node->column + (size_t)child->rank[k] * node->column_words;
        uint64_t low = 0, high = 0;
        for (uint32_t i = 0; i < cut; i++)
            low |= gather_bits(&windows->gatherer[i], from[windows->word[i]]) << windows->offset[i];
        uint64_t both = gather_bits(&windows->gatherer[cut], from[windows->word[cut]]);
        if (shift < 64)
            low |= both << shift;
        high = shift > 0 ? both >> (64 - shift) : 0;
        for (uint32_t i = cut + 1; i < windows->n; i++)
            high |= gather_bits(&windows->gatherer[i], from[windows->word[i]])
                    << (windows->offset[i] - 64);
        child->column[k] = low;
        child->column[child->stride + k] = high;
    }
}

/* The columns of a child whose ranks are places in the node. */
static void gather_columns(const wide *node, const wide_words *windows, narrow *child)
{
    const uint32_t n = child->n, words = node->column_words;
    if (child->planes == 2) {
        gather_two_planes(node, windows, child);
        return;
    }
    for (uint32_t k = 0; k < n && child->planes == 1; k++)
        child->column[k] = wide_gather_word(windows, node->column + (size_t)child->rank[k] * words);
    for (uint32_t k = 0; k < n && child->planes > 2; k++) {
        uint64_t out[NARROW_PLANES] = {0};
        wide_gather(windows, node->column + (size_t)child->rank[k] * words, out);
        for (uint32_t p = 0; p < child->planes; p++)
            child->column[(size_t)p * child->stride + k] = out[p];
    }
}

/* The branch of item e and the items of the choice, all windows of e. */
static void narrow_from_wide(spk_maxima_search *search, const wide *node, uint32_t e,
                             const choice *chosen)
{
    wide_words windows;
    narrow child;
    uint32_t at = 0; /* ranks are places in the node at first */
    if (chosen->n_items == 0 || !narrow_make(search, chosen->n_items, chosen->n, &child))
        return;
    if (!wide_words_make(&search->arena, node->column + (size_t)e * node->column_words, 0,
                         node->column_words, &windows)) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return;
    }
    memset(child.column, 0, (size_t)child.planes * child.stride * sizeof *child.column);
    for (uint32_t w = chosen->from; w < node->words; w++)
        at += list_bits(chosen->items[w], w * 64, child.rank + at);
    gather_columns(node, &windows, &child);
    ranks_at(node, child.rank, child.n);
    search_narrow(search, &child);
}

/* Searches the set with item e of the node, and then with items of the choice. Its windows are
 * those of the column or, where the node has none, the listed rows. `bound`: as in reduce. */
static void visit(spk_maxima_search *search, const wide *node, uint32_t e, uint32_t bound,
                  choice *chosen)
{
    if (stopped(search))
        return;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    const uint32_t size = search->size;
    spk_maxima_push(search, rank_at(node, e));
    /* The set itself first: what it raises cuts its own branch. Around anchors items that belong to
     * the set in all of its windows move into it, and fewer are left to choose. */
    if (!spk_maxima_refresh(search) ||
        !settle(search, chosen->n, node->rank + chosen->from * 64, node->n - chosen->from * 64,
                chosen->items + chosen->from))
        goto done;
    if (search->size > size + 1)
        chosen->n_items = count_row(chosen->items, chosen->items, chosen->from, node->words);
    /* From here on one of two representations: columns of at most NARROW_WINDOWS bits where the
     * branch is small, else rows, which are reduced before they are copied. */
    if (node->column != NULL && chosen->n <= NARROW_WINDOWS && chosen->n_items <= NARROW_ITEMS) {
        narrow_from_wide(search, node, e, chosen);
        goto done;
    }
    if (node->column != NULL)
        list_windows(node, e, chosen->list);
    uint64_t *found = take(search, node->words, sizeof *found);
    chosen->weight = take(search, chosen->n, sizeof *chosen->weight);
    if (found == NULL || chosen->weight == NULL)
        goto done;
    if (!reduce(search, node, bound, found, chosen))
        goto done;
    search_as_wide(search, node, chosen);
done:
    spk_maxima_pop(search, size);
    spk_arena_release(&search->arena, mark);
}

/* The order in which items of a root are added: the one with the largest lag first, which alone
 * sets the duration. */
static uint32_t *order_items(spk_maxima_search *search, const wide *node)
{
    const spk_bitmap_job *job = search->job;
    const uint32_t window = job->windows->window;
    uint32_t *order = take(search, node->n, sizeof *order);
    uint32_t *end = take(search, window, sizeof *end); /* by lag, counted from the largest */
    if (order == NULL || end == NULL)
        return NULL;
    memset(end, 0, window * sizeof *end);
    for (uint32_t k = 0; k < node->n; k++)
        end[window - 1 - spk_maxima_lag(job, node->rank[k])]++;
    for (uint32_t l = 1; l < window; l++)
        end[l] += end[l - 1];
    for (uint32_t k = node->n; k-- > 0;)
        order[--end[window - 1 - spk_maxima_lag(job, node->rank[k])]] = k;
    return order;
}

/* Which items of a branch share enough windows with which. */
typedef struct sharing {
    uint64_t *share; /* a bit row for each item; NULL: they would take too much */
    uint32_t bound;  /* by which they were chosen */
    uint64_t *alive; /* items that can be part of something that matters */
    uint32_t *count; /* windows of each item */
} sharing;

/* Upper bound on the units of a row's items that are alive and fresh. */
static inline uint32_t count_units(const uint64_t *row, const uint64_t *alive, const wide *node)
{
#ifdef SPK_BITMAP_AVX512
    __m512i n = _mm512_setzero_si512();
    for (uint32_t w = 0; w < node->words; w += 8) {
        const __m512i low = _mm512_load_si512(node->low + w);
        __m512i x = _mm512_and_si512(_mm512_load_si512(row + w), _mm512_load_si512(alive + w));
        x = _mm512_and_si512(x, _mm512_load_si512(node->fresh + w));
        x = _mm512_or_si512(_mm512_add_epi64(_mm512_and_si512(x, low), low), x);
        x = _mm512_and_si512(x, _mm512_load_si512(node->last + w));
        n = _mm512_add_epi64(n, _mm512_popcnt_epi64(x));
    }
    return (uint32_t)_mm512_reduce_add_epi64(n);
#else
    uint32_t n = 0;
    for (uint32_t w = 0; w < node->words; w++)
        n += bit_count(groups_of(row[w] & alive[w] & node->fresh[w], node->low[w], node->last[w]));
    return n;
#endif
}

/* Whether item e can matter, together with the items alive that share windows with it. */
static bool can_matter(const spk_maxima_search *search, const wide *node, const sharing *pairs,
                       uint32_t e)
{
    const uint64_t *share = pairs->share + (size_t)e * node->words;
    uint32_t units = missing_units(search);
    uint32_t n = count_row(share, pairs->alive, 0, node->words);
    if (spk_maxima_bound(search, reach_of(search, n)) >= spk_maxima_useful(search, pairs->count[e]))
        return false;
    if (units == 0)
        return true;
    return count_units(share, pairs->alive, node) >= units;
}

/* Clears items that cannot matter; what that takes from others is left to the branches below. */
static void prune(const spk_maxima_search *search, const wide *node, sharing *pairs)
{
    for (uint32_t w = 0; w < node->words; w++)
        for (uint64_t bits = pairs->alive[w]; bits != 0; bits &= bits - 1) {
            uint32_t e = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (!can_matter(search, node, pairs, e))
                pairs->alive[w] &= ~(UINT64_C(1) << (e % 64));
        }
}

/* Rows of pairs, which items are alive, and their windows. The rows take n * n bits. */
static bool find_sharing(spk_maxima_search *search, const wide *node, uint32_t *list,
                         sharing *pairs)
{
    uint64_t n_words = (uint64_t)node->n * node->words;
    *pairs = (sharing){.bound = spk_maxima_bound(search, reach_of(search, node->n))};
    pairs->alive = take(search, node->words, sizeof *pairs->alive);
    pairs->count = take(search, node->n, sizeof *pairs->count);
    if (pairs->alive == NULL || pairs->count == NULL)
        return false;
    memset(pairs->alive, 0, node->words * sizeof *pairs->alive);
    for (uint32_t e = 0; e < node->n; e++)
        pairs->alive[e / 64] |= UINT64_C(1) << (e % 64);
    /* Without rows of pairs every item stays alive, and each branch finds its items by itself
     * (reduce with bound 0). */
    if (n_words * sizeof *pairs->share > KEPT_BYTES)
        return true;
    pairs->share = take(search, n_words, sizeof *pairs->share);
    if (pairs->share == NULL)
        return false;
    lags fitting;
    if (!lags_make(search, node->rank, node->n, (node->n + 63) / 64, &fitting))
        return false;
    for (uint32_t e = 0; e < node->n; e++) {
        uint64_t *share = pairs->share + (size_t)e * node->words;
        /* Where columns have several words, sharing is counted from the vector of item e on only:
         * what lies before it is mirrored below, since sharing is symmetric. */
        const uint32_t from = node->column_words == 1 ? 0 : e / 64 / ROW_WORDS * ROW_WORDS;
        pairs->count[e] = count_windows(node, e);
        memset(share, 0, (pairs->count[e] <= pairs->bound ? node->words : from) * sizeof *share);
        if (pairs->count[e] > pairs->bound && node->column_words == 1)
            pair_masks_64(node->column, (node->n + 63) / 64, node->column[e], pairs->bound + 1,
                          share, NULL);
        else if (pairs->count[e] > pairs->bound)
            row_share(node->row, node->words, from, list, list_windows(node, e, list),
                      pairs->bound + 1, share);
        for (uint32_t w = 0; w < (node->n + 63) / 64 && fitting.n > 0; w++)
            share[w] &= fitting.fit[(size_t)w * fitting.n + fitting.lag[e]];
    }
    for (uint32_t j = ROW_WORDS; j * 64 < node->n && node->column_words > 1; j++)
        for (uint32_t i = 0; i < j / ROW_WORDS * ROW_WORDS; i++)
            mirror_block(pairs->share, node->words, node->n, i, j);
    prune(search, node, pairs);
    return true;
}

/* Whether item e and the items alive that share windows with it are of units enough. A branch that
 * has too few is not made. */
static inline bool has_units(const spk_maxima_search *search, const wide *node,
                             const sharing *pairs, uint32_t e)
{
    const uint64_t *share = pairs->share + (size_t)e * node->words;
    uint32_t units = missing_units(search);
    if (units == 0)
        return true;
    uint32_t n = count_units(share, pairs->alive, node);
    if (bit_get(node->fresh, e)) { /* others of its unit bring nothing beside it */
        const uint64_t same = (UINT64_C(2) << __builtin_ctzll(node->last[e / 64] >> e % 64)) - 1;
        n -= ((share[e / 64] & pairs->alive[e / 64]) >> e % 64 & same) != 0;
        units--;
    }
    return n >= units;
}

/* The items that may be added after item e, into the choice; false when nothing comes of e. */
static bool choose_items(spk_maxima_search *search, const wide *node, const sharing *pairs,
                         uint32_t e, choice *chosen)
{
    const uint64_t *share =
        pairs->share != NULL ? pairs->share + (size_t)e * node->words : pairs->alive;
    chosen->n_items = 0;
    for (uint32_t w = chosen->from; w < node->words; w++)
        chosen->n_items += bit_count(chosen->items[w] = share[w] & pairs->alive[w]);
    if (pairs->share == NULL)
        return true;
    return spk_maxima_bound(search, reach_of(search, 1 + chosen->n_items)) <
               spk_maxima_useful(search, pairs->count[e]) &&
           has_units(search, node, pairs, e);
}

/* All branches of a node, item by item. An item that was searched is dead for the later ones: what
 * holds both was met. Below a root, where durations count, items come by lag, the largest first,
 * which sets the duration. */
static void search_wide(spk_maxima_search *search, wide *node)
{
    bool lasting = sets_duration(search);
    sharing pairs;
    choice chosen = {.items = take(search, node->words, sizeof *chosen.items),
                     .list =
                         take(search, (uint64_t)node->n_windows + LIST_SLACK, sizeof *chosen.list)};
    uint32_t *order = lasting ? order_items(search, node) : NULL;
    if ((lasting && order == NULL) || chosen.items == NULL || chosen.list == NULL ||
        !find_fresh(search, node) || !find_sharing(search, node, chosen.list, &pairs))
        return;
    for (uint32_t i = 0; i < node->n; i++) {
        uint32_t e = lasting ? order[i] : i;
        if (lasting)
            search->duration = spk_maxima_lag(search->job, node->rank[e]);
        if (!bit_get(pairs.alive, e))
            continue;
        pairs.alive[e / 64] &= ~(UINT64_C(1) << (e % 64)); /* later ones go without it */
        chosen.from = lasting ? 0 : e / 64 / ROW_WORDS * ROW_WORDS;
        if (!spk_maxima_refresh(search))
            return;
        if (!choose_items(search, node, &pairs, e, &chosen))
            continue;
        chosen.n = count_windows(node, e);
        visit(search, node, e, pairs.share != NULL ? pairs.bound : 0, &chosen);
    }
}
