/*
 * Branch and bound for the largest counts, compiled once per instruction set; maxima.h has the
 * idea and the bounds.
 *
 * A branch is a set of items, the windows that contain it, and the items that may be added. Let it
 * need z spikes to matter, that is `missing` items more, in more than M(z) windows. Then
 *
 *     a window with fewer than `missing` of the items may go (or with too few further units), and
 *     an item in too few of the windows may go,
 *
 * which is repeated until nothing changes (reduce, narrow_reduce). Whatever matters keeps all of
 * its windows and items, so that its count is found exactly; counts of other sets may come out too
 * low.
 *
 * Wide branches have bit rows by window; roots are wide. Most of what is found below a root is
 * narrow: columns of few windows, see maxima_narrow.h.
 */
#include "pattern/engine/bitmap/maxima.h"

#include <stdlib.h>

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
static bool drop_windows(const spk_maxima_search *search, const wide *node, choice *c,
                         uint32_t reach)
{
    uint32_t count = spk_maxima_useful(search, c->n);
    for (uint32_t i = 0; i < c->n; i++)
        c->weight[i] =
            count_row(node->row + (size_t)c->list[i] * node->words, c->items, c->from, node->words);
    for (uint32_t size = search->size + 1;;) {
        size = first_size(search, size, reach, count);
        if (size == 0)
            return false;
        uint32_t left = 0;
        for (uint32_t i = 0; i < c->n; i++)
            left += c->weight[i] >= size - search->size;
        if (left <= spk_maxima_bound(search, size)) {
            count = left < count ? left : count;
            continue;
        }
        left = 0;
        for (uint32_t i = 0; i < c->n; i++)
            if (c->weight[i] >= size - search->size)
                c->list[left++] = c->list[i];
        c->n = left;
        return true;
    }
}

/* Drops windows and items that cannot matter; false when nothing is left. The items of the choice
 * are those that may be added; `bound` is the one that they were chosen by, 0: none. */
static bool reduce(const spk_maxima_search *search, const wide *node, uint32_t bound,
                   uint64_t *found, choice *c)
{
    for (;;) {
        uint32_t n = c->n, reach = reach_of(search, c->n_items);
        if (c->n_items == 0 || spk_maxima_bound(search, reach) >= spk_maxima_useful(search, n))
            return false;
        if (bound == 0) {
            bound = spk_maxima_bound(search, reach);
            row_share(node->row, node->words, c->from, c->list, n, bound + 1, found);
            c->n_items = 0;
            for (uint32_t w = c->from; w < node->words; w++)
                c->n_items += bit_count(c->items[w] &= found[w]);
            reach = reach_of(search, c->n_items);
            if (c->n_items == 0 || spk_maxima_bound(search, reach) >= spk_maxima_useful(search, n))
                return false;
        }
        if (!drop_windows(search, node, c, reach))
            return false;
        /* Once more when that may drop a good share of what is left. */
        if (c->n + c->n / 8 >= n && spk_maxima_bound(search, reach) == bound)
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
static bool gather(spk_maxima_search *search, const wide *node, const choice *c, uint32_t *rank,
                   uint64_t *row, uint32_t row_words)
{
    wide_words items;
    uint32_t at = 0;
    if (!wide_words_make(&search->arena, c->items, c->from, node->words, &items)) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return false;
    }
    for (uint32_t w = c->from; w < node->words; w++)
        for (uint64_t bits = c->items[w]; bits != 0; bits &= bits - 1)
            rank[at++] = rank_at(node, w * 64 + (uint32_t)__builtin_ctzll(bits));
    assert(at == c->n_items);
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = node->row + (size_t)c->list[i] * node->words;
        wide_gather(&items, from, row + (size_t)i * row_words);
    }
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

static void search_as_wide(spk_maxima_search *search, const wide *from, const choice *c)
{
    wide node;
    if (wide_make(search, c->n_items, c->n, &node) &&
        gather(search, from, c, node.rank, node.row, node.words))
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

/* Columns of up to 64 windows, from n_words words. */
static inline void gather_plane(const wide *node, const wide_words *windows, const uint32_t n_words,
                                narrow *child)
{
    for (uint32_t k = 0; k < child->n; k++) {
        const uint64_t *from = node->column + (size_t)child->rank[k] * node->column_words;
        uint64_t out = 0;
        for (uint32_t i = 0; i < n_words; i++)
            out |= gather_bits(&windows->gatherer[i], from[windows->word[i]]) << windows->offset[i];
        child->column[k] = out;
    }
}

/* Columns of up to 128 windows. */
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

/* The columns of a child whose ranks are places in the node. Few words are told apart so that the
 * compiler can keep what belongs to them in registers. */
static void gather_columns(const wide *node, const wide_words *windows, narrow *child)
{
    if (child->planes == 1) {
        switch (windows->n) {
        case 1:
            gather_plane(node, windows, 1, child);
            return;
        case 2:
            gather_plane(node, windows, 2, child);
            return;
        case 3:
            gather_plane(node, windows, 3, child);
            return;
        case 4:
            gather_plane(node, windows, 4, child);
            return;
        case 5:
            gather_plane(node, windows, 5, child);
            return;
        case 6:
            gather_plane(node, windows, 6, child);
            return;
        case 7:
            gather_plane(node, windows, 7, child);
            return;
        case 8:
            gather_plane(node, windows, 8, child);
            return;
        default:
            gather_plane(node, windows, windows->n, child);
            return;
        }
    }
    if (child->planes == 2) {
        gather_two_planes(node, windows, child);
        return;
    }
    for (uint32_t k = 0; k < child->n; k++) {
        uint64_t out[NARROW_PLANES] = {0};
        wide_gather(windows, node->column + (size_t)child->rank[k] * node->column_words, out);
        for (uint32_t p = 0; p < child->planes; p++)
            child->column[(size_t)p * child->stride + k] = out[p];
    }
}

/* The branch of item e and the items of the choice, all windows of e. */
static void narrow_from_wide(spk_maxima_search *search, const wide *node, uint32_t e,
                             const choice *c)
{
    wide_words windows;
    narrow child;
    uint32_t at = 0; /* ranks are places in the node at first */
    if (c->n_items == 0 || !narrow_make(search, c->n_items, c->n, &child))
        return;
    if (!wide_words_make(&search->arena, node->column + (size_t)e * node->column_words, 0,
                         node->column_words, &windows)) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return;
    }
    memset(child.column, 0, (size_t)child.planes * child.stride * sizeof *child.column);
    for (uint32_t w = c->from; w < node->words; w++)
        at += list_bits(c->items[w], w * 64, child.rank + at);
    gather_columns(node, &windows, &child);
    for (uint32_t k = 0; k < child.n; k++)
        child.rank[k] = rank_at(node, child.rank[k]);
    narrow_begin(search, &child);
}

/* Searches the set with item e of the node, and then with items of the choice. Its windows are
 * those of the column or, where the node has none, the listed rows. `bound`: as in reduce. */
static void visit(spk_maxima_search *search, const wide *node, uint32_t e, uint32_t bound,
                  choice *c)
{
    if (stopped(search))
        return;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    spk_maxima_push(search, rank_at(node, e));
    if (!spk_maxima_refresh(search) || (raises(search, c->n) && !spk_maxima_raise_by(search)))
        goto done;
    if (node->column != NULL && c->n <= NARROW_WINDOWS && c->n_items <= NARROW_ITEMS) {
        narrow_from_wide(search, node, e, c);
        goto done;
    }
    if (node->column != NULL)
        list_windows(node, e, c->list);
    uint64_t *found = take(search, node->words, sizeof *found);
    c->weight = take(search, c->n, sizeof *c->weight);
    if (found == NULL || c->weight == NULL)
        goto done;
    if (!reduce(search, node, bound, found, c))
        goto done;
    search_as_wide(search, node, c);
done:
    spk_maxima_pop(search);
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
static bool can_matter(const spk_maxima_search *search, const wide *node, const sharing *s,
                       uint32_t e)
{
    const uint64_t *share = s->share + (size_t)e * node->words;
    uint32_t units = missing_units(search);
    uint32_t n = count_row(share, s->alive, 0, node->words);
    if (spk_maxima_bound(search, reach_of(search, n)) >= spk_maxima_useful(search, s->count[e]))
        return false;
    if (units == 0)
        return true;
    return count_units(share, s->alive, node) >= units;
}

/* Clears items that cannot matter, until nothing changes. */
static void prune(const spk_maxima_search *search, const wide *node, sharing *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t w = 0; w < node->words; w++)
            for (uint64_t bits = s->alive[w]; bits != 0; bits &= bits - 1) {
                uint32_t e = w * 64 + (uint32_t)__builtin_ctzll(bits);
                if (can_matter(search, node, s, e))
                    continue;
                s->alive[w] &= ~(UINT64_C(1) << (e % 64));
                changed = true;
            }
    }
}

static bool find_sharing(spk_maxima_search *search, const wide *node, uint32_t *list, sharing *s)
{
    uint64_t n_words = (uint64_t)node->n * node->words;
    *s = (sharing){.bound = spk_maxima_bound(search, reach_of(search, node->n))};
    s->alive = take(search, node->words, sizeof *s->alive);
    s->count = take(search, node->n, sizeof *s->count);
    if (s->alive == NULL || s->count == NULL)
        return false;
    memset(s->alive, 0, node->words * sizeof *s->alive);
    for (uint32_t e = 0; e < node->n; e++)
        s->alive[e / 64] |= UINT64_C(1) << (e % 64);
    if (n_words * sizeof *s->share > KEPT_BYTES)
        return true;
    s->share = take(search, n_words, sizeof *s->share);
    if (s->share == NULL)
        return false;
    uint64_t *inside = take(search, node->words, sizeof *inside);
    lags l;
    if (inside == NULL || !lags_make(search, node->rank, node->n, (node->n + 63) / 64, &l))
        return false;
    for (uint32_t e = 0; e < node->n; e++) {
        uint64_t *share = s->share + (size_t)e * node->words;
        const uint32_t from = node->column_words == 1 ? 0 : e / 64 / ROW_WORDS * ROW_WORDS;
        s->count[e] = count_windows(node, e);
        memset(share, 0, (s->count[e] <= s->bound ? node->words : from) * sizeof *share);
        if (s->count[e] > s->bound && node->column_words == 1)
            pair_masks_64(node->column, (node->n + 63) / 64, node->column[e], s->bound + 1, share,
                          inside);
        else if (s->count[e] > s->bound)
            row_share(node->row, node->words, from, list, list_windows(node, e, list), s->bound + 1,
                      share);
        for (uint32_t w = 0; w < (node->n + 63) / 64 && l.n > 0; w++)
            share[w] &= l.fit[(size_t)w * l.n + l.lag[e]];
    }
    for (uint32_t j = ROW_WORDS; j * 64 < node->n && node->column_words > 1; j++)
        for (uint32_t i = 0; i < j / ROW_WORDS * ROW_WORDS; i++)
            mirror_block(s->share, node->words, node->n, i, j);
    prune(search, node, s);
    return true;
}

/* The items that may be added after item e, into the choice; false when nothing comes of e. */
static bool choose_items(spk_maxima_search *search, const wide *node, const sharing *s, uint32_t e,
                         choice *c)
{
    const uint64_t *share = s->share != NULL ? s->share + (size_t)e * node->words : s->alive;
    c->n_items = 0;
    for (uint32_t w = c->from; w < node->words; w++)
        c->n_items += bit_count(c->items[w] = share[w] & s->alive[w]);
    if (s->share == NULL)
        return true;
    return spk_maxima_bound(search, reach_of(search, 1 + c->n_items)) <
           spk_maxima_useful(search, s->count[e]);
}

/* The same branch, once more, with its `n` items that are alive. */
static void search_alive(spk_maxima_search *search, const wide *node, const sharing *s, uint32_t n,
                         choice *c)
{
    c->n = node->n_windows;
    for (uint32_t i = 0; i < c->n; i++)
        c->list[i] = i;
    c->from = 0;
    c->n_items = n;
    memcpy(c->items, s->alive, node->words * sizeof *c->items);
    search_as_wide(search, node, c);
}

static void search_wide(spk_maxima_search *search, wide *node)
{
    bool lasting = sets_duration(search);
    sharing s;
    choice c = {.items = take(search, node->words, sizeof *c.items),
                .list = take(search, (uint64_t)node->n_windows + LIST_SLACK, sizeof *c.list)};
    uint32_t *order = lasting ? order_items(search, node) : NULL;
    if ((lasting && order == NULL) || c.items == NULL || c.list == NULL ||
        !find_fresh(search, node) || !find_sharing(search, node, c.list, &s))
        return;
    uint32_t n_alive = count_row(s.alive, s.alive, 0, node->words);
    if (n_alive < node->n / 2) {
        if (n_alive > 0)
            search_alive(search, node, &s, n_alive, &c);
        return;
    }
    for (uint32_t i = 0; i < node->n; i++) {
        uint32_t e = lasting ? order[i] : i;
        if (lasting)
            search->duration = spk_maxima_lag(search->job, node->rank[e]);
        if (!bit_get(s.alive, e))
            continue;
        s.alive[e / 64] &= ~(UINT64_C(1) << (e % 64)); /* later ones go without it */
        c.from = lasting ? 0 : e / 64 / ROW_WORDS * ROW_WORDS;
        if (!spk_maxima_refresh(search))
            return;
        if (!choose_items(search, node, &s, e, &c))
            continue;
        c.n = count_windows(node, e);
        visit(search, node, e, s.share != NULL ? s.bound : 0, &c);
    }
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* The root's windows are rows of the job. */
static void root_from_rows(spk_maxima_search *search, uint32_t root, uint32_t *list, uint32_t n)
{
    const spk_bitmap_job *job = search->job;
    wide all = {.n = job->n_items, .words = job->row_words, .row = job->row};
    choice c = {.list = list,
                .n = n,
                .from = root / 64 / ROW_WORDS * ROW_WORDS,
                .n_items = job->n_items - 1 - root,
                .items = take(search, all.words, sizeof *c.items)};
    if (c.items == NULL)
        return;
    for (uint32_t w = 0; w < all.words; w++)
        c.items[w] = w < root / 64 ? 0 : ~UINT64_C(0);
    c.items[root / 64] &= ~UINT64_C(0) << (root % 64);
    c.items[root / 64] &= ~(UINT64_C(1) << (root % 64));
    visit(search, &all, root, 0, &c);
}

/* Items of higher rank in at least `least` of the root's windows: their places, by rank. */
static uint32_t choose_from_lists(const spk_maxima_search *search, uint32_t root,
                                  const uint32_t *list, uint32_t n, uint32_t least, uint32_t *place)
{
    const spk_bitmap_job *job = search->job;
    uint32_t n_items = 0;
    memset(place, 0, job->n_items * sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = job->windows->first[list[i]]; k < job->windows->first[list[i] + 1]; k++) {
            uint32_t rank = job->rank_of[job->windows->item[k]];
            if (rank != UINT32_MAX)
                place[rank]++;
        }
    for (uint32_t rank = 0; rank < job->n_items; rank++)
        place[rank] = rank > root && place[rank] >= least ? n_items++ : UINT32_MAX;
    return n_items;
}

/* The same where the job has no rows. */
static void root_from_lists(spk_maxima_search *search, uint32_t root, const uint32_t *list,
                            uint32_t n)
{
    const spk_bitmap_job *job = search->job;
    wide node;
    uint32_t *place = take(search, job->n_items, sizeof *place);
    spk_maxima_push(search, root);
    if (place == NULL || !spk_maxima_refresh(search) ||
        (raises(search, n) && !spk_maxima_raise_by(search)))
        goto done;
    uint32_t bound = spk_maxima_bound(search, job->limits.max_spikes);
    uint32_t n_items = choose_from_lists(search, root, list, n, bound + 1, place);
    if (bound >= spk_maxima_useful(search, n) || n_items == 0 ||
        !wide_make(search, n_items, n, &node))
        goto done;
    for (uint32_t rank = root + 1; rank < job->n_items; rank++)
        if (place[rank] != UINT32_MAX)
            node.rank[place[rank]] = rank;
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = job->windows->first[list[i]]; k < job->windows->first[list[i] + 1]; k++) {
            uint32_t rank = job->rank_of[job->windows->item[k]];
            uint32_t at = rank != UINT32_MAX ? place[rank] : UINT32_MAX;
            if (at != UINT32_MAX)
                node.row[(size_t)i * node.words + at / 64] |= UINT64_C(1) << (at % 64);
        }
    search_filled(search, &node);
done:
    spk_maxima_pop(search);
}

/* The spikes around that of an anchor: their places are spike + shift. */
typedef struct around {
    const uint32_t *spike;
    const uint32_t *end;
    uint32_t shift;
} around;

static inline around look_around(const spk_maxima_search *search, const spk_bitmap_spikes *spikes,
                                 uint32_t window)
{
    const spk_bitmap_anchors *anchors = &search->shared->anchors;
    return (around){.spike = spikes->spike + spikes->first[anchors->begin[window]],
                    .end = spikes->spike + spikes->first[anchors->end[window]],
                    .shift = search->reach - (uint32_t)search->job->windows->start_bin[window]};
}

/* Counts the spikes around the anchors, by place, into search->count. */
static void count_around(spk_maxima_search *search, uint32_t root, const uint32_t *list, uint32_t n)
{
    const spk_bitmap_anchors *anchors = &search->shared->anchors;
    const spk_bitmap_spikes *spikes = spk_bitmap_spikes_of(anchors, root);
    uint32_t *count = search->count;
    memset(count, 0, (size_t)search->job->n_roots * anchors->span * sizeof *count);
    for (uint32_t i = 0; i < n; i++) {
        const around a = look_around(search, spikes, list[i]);
        for (const uint32_t *k = a.spike; k < a.end; k++)
            count[*k + a.shift]++;
    }
}

/* What lies around the root's anchors often enough. Only later spikes of the anchor's unit count.
 */
static bool find_near(spk_maxima_search *search, uint32_t root, const uint32_t *list, uint32_t n)
{
    spk_bitmap_bounds *shared = search->shared;
    spk_maxima_near *near = &shared->near[root];
    if (near->place != NULL)
        return true;
    const uint32_t least = search->job->limits.min_support;
    const uint32_t from = root * shared->anchors.span + search->reach + 1;
    const uint32_t end = search->job->n_roots * shared->anchors.span;
    uint32_t n_near = 0, most = 0, at = 0;
    count_around(search, root, list, n);
    for (uint32_t k = from; k < end; k++) {
        n_near += search->count[k] >= least;
        most = search->count[k] > most ? search->count[k] : most;
    }
    *near = (spk_maxima_near){.known = true, .most = most, .n = n_near};
    near->place = malloc((n_near + 1) * sizeof *near->place);
    near->count = malloc((n_near + 1) * sizeof *near->count);
    if (near->place == NULL || near->count == NULL) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return false;
    }
    for (uint32_t k = from; k < end; k++) {
        near->place[at] = k;
        near->count[at] = search->count[k];
        at += search->count[k] >= least;
    }
    return true;
}

/* What was found is needed in later passes, but not at any price. */
static void keep_near(spk_maxima_search *search, uint32_t root)
{
    enum { MOST_KEPT = 1 << 22 };
    spk_maxima_near *near = &search->shared->near[root];
    if (near->place == NULL || near->kept)
        return;
    near->kept = atomic_fetch_add(&search->shared->n_kept, near->n) + near->n <= MOST_KEPT;
    if (near->kept)
        return;
    free(near->place);
    free(near->count);
    near->place = near->count = NULL;
}

/* Lists the items around an anchor. Few spikes are items, and no branch foresees which. Writes up
 * to 16 places more than there are items. */
static inline uint32_t list_items(around a, const uint32_t *at, uint32_t none, uint32_t *met)
{
    uint32_t n = 0;
    const uint32_t *k = a.spike;
#ifdef SPK_BITMAP_AVX512
    const __m512i shift = _mm512_set1_epi32((int)a.shift), no = _mm512_set1_epi32((int)none);
    for (; k + 16 <= a.end; k += 16) {
        __m512i place = _mm512_add_epi32(_mm512_loadu_si512(k), shift);
        __m512i item = _mm512_i32gather_epi32(place, at, sizeof *at);
        __mmask16 some = _mm512_cmpneq_epi32_mask(item, no);
        _mm512_storeu_si512(met + n, _mm512_maskz_compress_epi32(some, item));
        n += bit_count(some);
    }
#endif
    for (; k < a.end; k++) {
        met[n] = at[*k + a.shift];
        n += met[n] != none;
    }
    return n;
}

/* Sets the bits of the node's rows, which are zero: at[place] is the item, n_items where it is
 * none. */
static void fill_rows(spk_maxima_search *search, uint32_t root, const uint32_t *list,
                      const uint32_t *at, wide *node)
{
    const spk_bitmap_spikes *spikes = spk_bitmap_spikes_of(&search->shared->anchors, root);
    const uint32_t none = node->n;
    uint32_t *met = take(search, (uint64_t)search->shared->most_around + 16, sizeof *met);
    for (uint32_t i = 0; i < node->n_windows && met != NULL; i++) {
        uint64_t *row = node->row + (size_t)i * node->words;
        const uint32_t n = list_items(look_around(search, spikes, list[i]), at, none, met);
        for (uint32_t k = 0; k < n; k++)
            row[met[k] / 64] |= UINT64_C(1) << met[k] % 64;
    }
}

/* Around each spike of the root's unit: anchors.h. */
static void root_from_spikes(spk_maxima_search *search, uint32_t root, const uint32_t *list,
                             uint32_t n)
{
    const spk_bitmap_anchors *anchors = &search->shared->anchors;
    const spk_maxima_near *near = &search->shared->near[root];
    const uint32_t n_places = search->job->n_roots * anchors->span;
    uint32_t n_items = 0, next = 0;
    wide node;
    spk_maxima_push(search, root * anchors->span + anchors->reach);
    if (!spk_maxima_refresh(search) || (raises(search, n) && !spk_maxima_raise_by(search)))
        goto done;
    uint32_t bound = spk_maxima_bound(search, search->job->limits.max_spikes);
    if (bound >= spk_maxima_useful(search, n) || (near->known && near->most <= bound) ||
        !find_near(search, root, list, n))
        goto done;
    uint32_t *at = take(search, n_places, sizeof *at);
    for (uint32_t k = 0; k < near->n; k++)
        n_items += near->count[k] > bound;
    if (n_items == 0 || at == NULL || !wide_make(search, n_items, n, &node))
        goto done;
    for (uint32_t k = 0; k < n_places; k++)
        at[k] = n_items;
    for (uint32_t k = 0; k < near->n; k++)
        if (near->count[k] > bound) {
            node.rank[next] = near->place[k];
            at[near->place[k]] = next++;
        }
    fill_rows(search, root, list, at, &node);
    search_filled(search, &node);
done:
    keep_near(search, root);
    spk_maxima_pop(search);
}

static void search_root(spk_maxima_search *search, uint32_t root)
{
    const spk_bitmap_job *job = search->job;
    uint64_t begin = job->root_first[root];
    uint32_t n = (uint32_t)(job->root_first[root + 1] - begin);
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    uint32_t *list = take(search, n, sizeof *list);
    search->root = root;
    search->duration = search->shared->given->by_duration ? SPK_MAXIMA_ANY : 0;
    if (list != NULL) {
        memcpy(list, job->root_window + begin, n * sizeof *list);
        if (search->reach > 0)
            root_from_spikes(search, root, list, n);
        else if (job->row != NULL)
            root_from_rows(search, root, list, n);
        else
            root_from_lists(search, root, list, n);
    }
    spk_arena_release(&search->arena, mark);
}

const spk_maxima_kernels SPK_PASTE(spk_maxima_kernels_, SPK_SIMD_SUFFIX) = {
    .root = search_root,
};
