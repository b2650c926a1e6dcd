/*
 * Nodes of later items: how the search of the bitmap engine goes on in few windows. Included by
 * files that are compiled once per instruction set.
 *
 * A node of bitmap.h holds items of lower rank as well, for one purpose: where one of them is in
 * all windows of a set, another branch has the set. Most sets are closed, and a look at a few of
 * their windows tells that. So the items that extend a node stand alone here, as columns, and those
 * of all ranks are rows of bits, one per window, that stay the same for all nodes below:
 *
 *     windows of the set    1       3       8
 *     items                 a b d   b d e   b c d
 *     in common             b d: the set itself, it is closed
 *
 * What is in common beside the set belongs to its closure. An item of lower rank among that ends
 * the branch, as anywhere else.
 *
 * Invariant: bit t of a column is window t of the first node in all nodes below; children clear
 * bits, and never move them. So rows are made once, and the number of ones is the count. Cost: a
 * node of n items takes n * n / 2 pairs of 64 bits, a set the rows of its windows until nothing is
 * left in common.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_LATER_H
#define SPK_PATTERN_ENGINE_BITMAP_LATER_H

#include "pattern/engine/bitmap/bitmap.h"
#include "pattern/engine/bitmap/kernels.h"
#include "pattern/engine/bitmap/rows.h"

enum { FEW_WORDS = 2 };

/* What all nodes below the first one have in common. Places are the items of that one. */
typedef struct later_base {
    spk_bitmap_search *search;
    const uint32_t *rank;   /* by place */
    const uint32_t *window; /* of each bit of a column */
    uint32_t words;         /* of a row: FEW_WORDS at most, or a multiple of ROW_WORDS */
    uint64_t *row;          /* by window: the places that it holds */
    uint64_t *own;          /* the places in the pattern */
    uint64_t *common;       /* scratch */
} later_base;

/* A pattern's items that may be added to it, ascending. */
typedef struct later_node {
    uint32_t n;
    uint32_t words;   /* of a row over them */
    uint64_t *column; /* their windows; zero behind the last one */
    uint32_t *place;
    uint32_t *unit;  /* where units are missing */
    uint64_t *share; /* n rows: the items after each that share enough windows with it */
} later_node;

static void *later_take(spk_bitmap_search *search, uint64_t n, size_t size)
{
    void *out = spk_arena_alloc(&search->arena, n, size);
    if (out == NULL)
        search->status = SPK_ERR_MEMORY;
    return out;
}

static inline uint32_t later_missing(uint32_t least, uint32_t n)
{
    return least > n ? least - n : 0;
}

static inline void set_bit(uint64_t *row, uint32_t k)
{
    row[k / 64] |= UINT64_C(1) << (k % 64);
}

static inline bool is_empty(const spk_vector *v)
{
#ifdef SPK_BITMAP_AVX512
    return _mm512_test_epi64_mask((__m512i)*v, (__m512i)*v) == 0;
#else
    uint64_t any = 0;
    for (uint32_t k = 0; k < VECTOR_WORDS; k++)
        any |= (*v)[k];
    return any == 0;
#endif
}

/* ---- closing --------------------------------------------------------------------------------- */

/* One vector of places that the windows have in common and the pattern has not. First and last
 * windows in turn: they are least alike. */
static inline spk_vector common_vector(const later_base *base, uint64_t windows, uint32_t w)
{
    spk_vector left = ~*(const spk_vector *)(const void *)(base->own + w);
    const uint64_t *row = base->row + w;
    while (windows != 0) {
        const uint32_t low = first_bit(windows), high = 63 - (uint32_t)__builtin_clzll(windows);
        left &= *(const spk_vector *)(const void *)(row + (size_t)low * base->words);
        left &= *(const spk_vector *)(const void *)(row + (size_t)high * base->words);
        if (is_empty(&left))
            break;
        windows &= windows - 1;
        windows &= ~(UINT64_C(1) << high);
    }
    return left;
}

/* The same of one word, where rows are short. */
static inline uint64_t common_word(const later_base *base, uint64_t windows, uint32_t w)
{
    uint64_t left = ~base->own[w];
    const uint64_t *row = base->row + w;
    for (; windows != 0 && left != 0; windows &= windows - 1)
        left &= row[(size_t)first_bit(windows) * base->words];
    return left;
}

/* Into base->common; whether there is anything. */
static inline bool find_common(later_base *base, uint64_t windows)
{
    bool any = false;
    if (base->words <= FEW_WORDS) {
        for (uint32_t w = 0; w < base->words; w++)
            any |= (base->common[w] = common_word(base, windows, w)) != 0;
        return any;
    }
    for (uint32_t w = 0; w < base->words; w += VECTOR_WORDS) {
        const spk_vector left = common_vector(base, windows, w);
        any |= !is_empty(&left);
        memcpy(base->common + w, &left, sizeof left);
    }
    return any;
}

static void push_place(later_base *base, uint32_t place)
{
    const spk_bitmap_job *job = base->search->job;
    const uint32_t rank = base->rank[place];
    set_bit(base->own, place);
    spk_bitmap_push(base->search, job->key_of[rank], job->unit_of[rank]);
}

/* Whether some of it comes before the place. */
static bool common_before(const later_base *base, uint32_t place)
{
    for (uint32_t w = 0; w < place / 64; w++)
        if (base->common[w] != 0)
            return true;
    return (base->common[place / 64] & ((UINT64_C(1) << place % 64) - 1)) != 0;
}

/* Pushes it; what it was, for later. NULL: no memory. */
static const uint64_t *push_common(later_base *base)
{
    uint64_t *kept = later_take(base->search, base->words, sizeof *kept);
    if (kept == NULL)
        return NULL;
    memcpy(kept, base->common, base->words * sizeof *kept);
    for (uint32_t w = 0; w < base->words; w++)
        for (uint64_t bits = kept[w]; bits != 0; bits &= bits - 1)
            push_place(base, w * 64 + (uint32_t)__builtin_ctzll(bits));
    return kept;
}

/* Takes a place off the pattern, and what was in common with it, if anything. */
static void pop_places(later_base *base, uint32_t size, uint32_t place, const uint64_t *kept)
{
    base->own[place / 64] &= ~(UINT64_C(1) << place % 64);
    for (uint32_t w = 0; w < base->words && kept != NULL; w++)
        base->own[w] &= ~kept[w];
    spk_bitmap_pop(base->search, size);
}

/* ---- what can still be reported -------------------------------------------------------------- */

/* Whether the items of a row from word `from` on are of so many units that the pattern lacks, not
 * counting one. */
static bool has_units(const later_base *base, const later_node *node, const uint64_t *items,
                      uint32_t from, uint32_t least, uint32_t except)
{
    spk_bitmap_search *search = base->search;
    uint32_t n = 0;
    if (least == 0)
        return true;
    const uint64_t mark = ++search->mark;
    search->unit_met[except] = mark;
    for (uint32_t w = from; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            const uint32_t unit = node->unit[w * 64 + first_bit(bits)];
            if (search->unit_count[unit] != 0 || search->unit_met[unit] == mark)
                continue;
            search->unit_met[unit] = mark;
            if (++n == least)
                return true;
        }
    return false;
}

/* Leaves the items that share enough windows with another one of them: where two or more must be
 * added, others do not help. */
static void keep_pairs(const later_node *node, const uint64_t *share, uint32_t from,
                       uint64_t *items)
{
    for (uint32_t w = from; w < node->words; w++)
        items[w] = 0;
    for (uint32_t w = from; w < node->words; w++)
        for (uint64_t bits = share[w]; bits != 0; bits &= bits - 1) {
            const uint32_t k = w * 64 + first_bit(bits);
            const uint64_t *others = node->share + (size_t)k * node->words;
            uint64_t any = 0;
            for (uint32_t v = w; v < node->words; v++) {
                const uint64_t both = share[v] & others[v];
                items[v] |= both;
                any |= both;
            }
            items[w] |= any != 0 ? bits & -bits : 0;
        }
}

/* The items that may be added after item x, into `items`; false where neither x nor what they make
 * with it can be reported. */
static inline bool choose_later(const later_base *base, const later_node *node, uint32_t x,
                                uint64_t *items)
{
    const spk_bitmap_search *search = base->search;
    const spk_pattern_limits *limits = &search->job->limits;
    const uint64_t *share = node->share + (size_t)x * node->words;
    const uint32_t from = x / 64;
    const uint32_t spikes = later_missing(limits->min_spikes, search->size + 1);
    uint32_t units = later_missing(limits->min_neurons, search->neurons), unit = 0, n = 0;
    /* Units are counted only where some are missing: node->unit is there only then. */
    if (units > 0) {
        unit = node->unit[x];
        units -= search->unit_count[unit] == 0;
    }
    /* Where one item more will do, the row has all of them. Where two or more are missing, they
     * must share windows with each other, too. */
    const bool several = spikes > 1 || units > 1;
    if (several)
        keep_pairs(node, share, from, items);
    for (uint32_t w = from; w < node->words; w++) {
        items[w] = several ? items[w] : share[w];
        n += bit_count(items[w]);
    }
    return n >= spikes && n >= units && has_units(base, node, items, from, units, unit);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void search_later(later_base *base, later_node *node);

static bool later_make(spk_bitmap_search *search, uint32_t n, later_node *node)
{
    const uint32_t words = (n + 63) / 64;
    const uint64_t room = (uint64_t)words * 64 + ROW_WORDS; /* a vector more is written */
    *node = (later_node){.n = n,
                         .words = words,
                         .column = later_take(search, room, sizeof *node->column),
                         .place = later_take(search, room, sizeof *node->place)};
    return node->column != NULL && node->place != NULL;
}

/* Columns and places of the items of a row, in the windows of item x. */
static inline void fill_later(const later_node *node, const uint64_t *items, uint32_t x,
                              later_node *child)
{
    const uint64_t windows = node->column[x];
    uint32_t at = 0;
#ifdef SPK_BITMAP_AVX512
    enum { LANES = 8 };
    const __m512i own = _mm512_set1_epi64((long long)windows);
    /* Eight items at a time, from the vector of x on: those before x have no bit in the row. A
     * vector is written whole, also beyond the last item: the child has room for it
     * (later_make). */
    for (uint32_t k = x / LANES * LANES; k < node->n; k += LANES) {
        const __mmask8 here = (__mmask8)(items[k / 64] >> k % 64);
        if (here == 0)
            continue;
        const __m512i column = _mm512_and_si512(own, _mm512_load_si512(node->column + k));
        const __m256i place = _mm256_load_si256((const __m256i *)(const void *)(node->place + k));
        _mm512_storeu_si512(child->column + at, _mm512_maskz_compress_epi64(here, column));
        _mm256_storeu_si256((__m256i *)(void *)(child->place + at),
                            _mm256_maskz_compress_epi32(here, place));
        at += bit_count(here);
    }
#else
    for (uint32_t w = x / 64; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            const uint32_t k = w * 64 + first_bit(bits);
            child->column[at] = node->column[k] & windows;
            child->place[at++] = node->place[k];
        }
#endif
    assert(at == child->n);
    memset(child->column + at, 0, ((size_t)child->words * 64 - at) * sizeof *child->column);
}

/* Searches beyond the pattern, to which item x was added, and what was in common with it. */
static inline void descend_later(later_base *base, const later_node *node, uint32_t x,
                                 const uint64_t *kept, uint64_t *items)
{
    spk_bitmap_search *search = base->search;
    later_node child;
    uint32_t n = 0;
    for (uint32_t w = x / 64; w < node->words; w++) {
        for (uint64_t bits = kept != NULL ? items[w] : 0; bits != 0; bits &= bits - 1)
            if (bit_get(kept, node->place[w * 64 + first_bit(bits)]))
                items[w] &= ~(bits & -bits);
        n += bit_count(items[w]);
    }
    if (n == 0 || n < later_missing(search->job->limits.min_spikes, search->size) ||
        !later_make(search, n, &child))
        return;
    fill_later(node, items, x, &child);
    search_later(base, &child);
}

/* Reports the pattern, to which item x was added, and searches beyond it. */
static inline void report_later(later_base *base, const later_node *node, uint32_t x,
                                const uint64_t *kept, uint64_t *items)
{
    spk_bitmap_search *search = base->search;
    const spk_bitmap_places places = {base->window, &node->column[x], 1};
    spk_bitmap_emit(search, bit_count(node->column[x]), &places);
    if (search->size < search->job->limits.max_spikes)
        descend_later(base, node, x, kept, items);
}

/* Item x of the node, and what lies below. */
static inline void visit_later(later_base *base, const later_node *node, uint32_t x,
                               uint64_t *items)
{
    const uint32_t size = base->search->size, place = node->place[x];
    const uint64_t *kept = NULL;
    if (!choose_later(base, node, x, items))
        return;
    const spk_arena_mark mark = spk_arena_get_mark(&base->search->arena);
    push_place(base, place);
    bool valid = true;
    if (find_common(base, node->column[x])) {
        valid = !common_before(base, place) && (kept = push_common(base)) != NULL;
    }
    if (valid)
        report_later(base, node, x, kept, items);
    pop_places(base, size, place, kept);
    spk_arena_release(&base->search->arena, mark);
}

/* Which items share enough windows with the later ones, and of which units they are. */
static bool link_later(later_base *base, later_node *node)
{
    spk_bitmap_search *search = base->search;
    const spk_pattern_limits *limits = &search->job->limits;
    const uint32_t words = node->words;
    node->share = later_take(search, (uint64_t)node->n * words, sizeof *node->share);
    if (limits->min_neurons > search->neurons)
        node->unit = later_take(search, node->n, sizeof *node->unit);
    if (node->share == NULL || search->status != SPK_OK)
        return false;
    for (uint32_t x = 0; x < node->n; x++) {
        const uint32_t from = x / 64;
        uint64_t *share = node->share + (size_t)x * words;
        pair_masks_64(node->column + (size_t)from * 64, words - from, node->column[x],
                      limits->min_support, share + from, NULL);
        share[from] &= ~UINT64_C(1) << x % 64; /* x, and what comes before it */
        if (node->unit != NULL)
            node->unit[x] = search->job->unit_of[base->rank[node->place[x]]];
    }
    return true;
}

static void search_later(later_base *base, later_node *node)
{
    spk_bitmap_search *search = base->search;
    if (spk_bitmap_stopped(search) || !link_later(base, node))
        return;
    uint64_t *items = later_take(search, node->words, sizeof *items);
    for (uint32_t x = 0; x < node->n && items != NULL && search->status == SPK_OK; x++)
        visit_later(base, node, x, items);
}

/* ---- from a node of all items ---------------------------------------------------------------- */

/* Rows of the node's windows, from its columns. */
static void turn_columns(const later_base *base, const uint64_t *column, uint32_t n,
                         uint32_t n_windows)
{
    for (uint32_t k = 0; k < n; k += 64) {
        _Alignas(64) uint64_t turned[64];
        turn_words(column + k, n - k < 64 ? (n - k + 7) / 8 * 8 : 64, turned, n_windows);
        for (uint32_t i = 0; i < n_windows; i++)
            base->row[(size_t)i * base->words + k / 64] = turned[i];
    }
}

/* Searches beyond the pattern whose node this is, with columns of 64 bits. */
static void search_beyond(spk_bitmap_search *search, const spk_bitmap_node *from)
{
    const uint64_t *column = from->column;
    uint32_t words = (from->n + 63) / 64;
    /* Few places fit into words of the machine; more are read by the vector, with zeros behind the
     * last. */
    if (words > FEW_WORDS)
        words = (words + ROW_WORDS - 1) / ROW_WORDS * ROW_WORDS;
    const uint64_t row_bytes = (uint64_t)from->n_windows * words * sizeof(uint64_t);
    later_base base = {.search = search,
                       .rank = from->rank,
                       .window = from->window,
                       .words = words,
                       .row = later_take(search, row_bytes, 1),
                       .own = later_take(search, words, sizeof *base.own),
                       .common = later_take(search, words, sizeof *base.common)};
    later_node node;
    if (base.row == NULL || base.own == NULL || base.common == NULL ||
        !later_make(search, from->n - from->n_excluded, &node))
        return;
    if (words > FEW_WORDS)
        memset(base.row, 0, row_bytes);
    memset(base.own, 0, words * sizeof *base.own);
    turn_columns(&base, column, from->n, from->n_windows);
    /* Extensions alone become items. Excluded items stay in the rows, as witnesses of lower
     * rank. */
    memset(node.column, 0, (size_t)node.words * 64 * sizeof *node.column);
    memcpy(node.column, column + from->n_excluded, node.n * sizeof *column);
    for (uint32_t k = 0; k < node.n; k++)
        node.place[k] = from->n_excluded + k;
    search_later(&base, &node);
}

#endif
