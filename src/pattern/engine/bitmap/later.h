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
 * Layout: a column is LATER_PLANES words at most, plane after plane, and column[p * stride + k]
 * holds windows 64 p .. 64 p + 63 of item k. Invariant: bit t of a column is window t of its base;
 * children clear bits, and move them once, when 64 windows or fewer are left of several planes.
 * Rows are made once, and the number of ones is the count. Cost: a node of n items takes n * n / 2
 * pairs of 64 bits a plane. Most sets take a row of each of LOOK windows and, where the items left
 * share no windows with each other, no node: the keys of the pattern are in order, and one more is
 * put between them.
 */
#pragma once

#include "pattern/engine/bitmap/bitmap.h"
#include "pattern/engine/bitmap/kernels.h"
#include "pattern/engine/bitmap/rows.h"

/* LOOK windows of a set are looked at first, half of them from each end. Columns of a node are read
 * LATER_STEP at a time. */
enum { LATER_PLANES = 4, LATER_STEP = 8, LOOK = 10 };
enum { ROW_VECTORS = (int)ROW_WORDS / (int)VECTOR_WORDS };

/* What all nodes below the first one have in common. Places are the items of that one. */
typedef struct later_base {
    spk_bitmap_search *search;
    const uint32_t *rank;   /* by place */
    const uint32_t *window; /* of each bit of a column; NULL where nobody asks which they are */
    const uint64_t **row;   /* of each bit: the places that its window holds */
    uint32_t words;   /* of a row: a multiple of ROW_WORDS, with zeros behind the last place */
    uint64_t *own;    /* the places in the pattern */
    uint64_t *common; /* scratch */
} later_base;

/* A pattern's items that may be added to it, ascending. */
typedef struct later_node {
    uint32_t n;
    uint32_t words; /* of a row over them */
    uint32_t planes;
    uint32_t stride;  /* of a plane: n, and zeros up to a multiple of LATER_STEP */
    uint64_t *column; /* their windows */
    uint32_t *place;
    uint64_t *share; /* n rows: the items after each that share enough windows with it */
    uint32_t size;   /* of the pattern */
    uint64_t *key;   /* its keys, ascending */
} later_node;

static void *later_take(spk_bitmap_search *search, uint64_t n, size_t size)
{
    void *out = spk_arena_alloc(&search->arena, n, size);
    if (out == NULL)
        search->status = SPK_ERR_MEMORY;
    return out;
}

static inline uint32_t later_less(uint32_t least, uint32_t n)
{
    return least > n ? least - n : 0;
}

static inline void set_bit(uint64_t *row, uint32_t k)
{
    row[k / 64] |= UINT64_C(1) << (k % 64);
}

static inline uint64_t key_at(const later_base *base, uint32_t place)
{
    return base->search->job->key_of[base->rank[place]];
}

static inline uint32_t unit_at(const later_base *base, uint32_t place)
{
    return base->search->job->unit_of[base->rank[place]];
}

/* ---- closing --------------------------------------------------------------------------------- */

/* Whether a vector of words from w on has no bit but that of a place, which is in all windows. */
static inline bool is_only(const spk_vector *v, uint32_t w, uint32_t place)
{
#ifdef SPK_BITMAP_AVX512
    const __mmask8 here = (__mmask8)(place / 512 == w / 8 ? 1u << place / 64 % 8 : 0);
    const __m512i bit = _mm512_maskz_set1_epi64(here, (long long)(UINT64_C(1) << place % 64));
    return _mm512_cmpneq_epi64_mask((__m512i)*v, bit) == 0;
#else
    uint64_t other = 0;
    for (uint32_t k = 0; k < VECTOR_WORDS; k++)
        other |= (*v)[k] & ~(w + k == place / 64 ? UINT64_C(1) << place % 64 : 0);
    return other == 0;
#endif
}

/* Takes from a vector of words from w on what some windows do not hold; whether the place alone is
 * left then. */
static bool clear_by(const later_base *base, const uint64_t *windows, uint32_t planes, uint32_t w,
                     uint32_t place, spk_vector *left)
{
    for (uint32_t p = 0; p < planes; p++)
        for (uint64_t bits = windows[p]; bits != 0; bits &= bits - 1) {
            const uint64_t *row = base->row[p * 64 + first_bit(bits)] + w;
            *left &= *(const spk_vector *)(const void *)row;
            if (is_only(left, w, place))
                return true;
        }
    return false;
}

/* The row of the first window that is left, or of the last one, which is taken from what is left.
 */
static inline const uint64_t *take_row(const later_base *base, const uint32_t planes,
                                       uint64_t *rest, bool last)
{
    uint32_t p = last ? planes - 1 : 0;
    while (planes > 1 && rest[p] == 0)
        p = last ? p - 1 : p + 1;
    const uint32_t b = last ? 63 - (uint32_t)__builtin_clzll(rest[p]) : first_bit(rest[p]);
    rest[p] = last ? rest[p] ^ UINT64_C(1) << b : rest[p] & (rest[p] - 1);
    return base->row[p * 64 + b];
}

/* A row's words from w on, taken from what is left. */
static inline void clear_row(const uint64_t *row, uint32_t w, spk_vector *left)
{
    for (uint32_t i = 0; i < ROW_VECTORS; i++)
        left[i] &= *(const spk_vector *)(const void *)(row + w + i * VECTOR_WORDS);
}

/* Whether the windows of a set, to which the place was added, have nothing else in common. LOOK
 * rows come first, first and last ones in turn: they are least alike. */
static inline bool is_closed(const later_base *base, const uint64_t *windows, const uint32_t planes,
                             uint32_t place)
{
    const bool looks = base->search->job->limits.min_support >= LOOK;
    for (uint32_t w = 0; w < base->words; w += ROW_WORDS) {
        uint64_t rest[LATER_PLANES];
        spk_vector left[ROW_VECTORS];
        memcpy(rest, windows, planes * sizeof *rest);
        for (uint32_t i = 0; i < ROW_VECTORS; i++)
            left[i] = ~*(const spk_vector *)(const void *)(base->own + w + i * VECTOR_WORDS);
        for (uint32_t k = 0; k < LOOK && looks; k += 2) {
            clear_row(take_row(base, planes, rest, false), w, left);
            clear_row(take_row(base, planes, rest, true), w, left);
        }
        for (uint32_t i = 0; i < ROW_VECTORS; i++)
            if (!is_only(&left[i], w + i * VECTOR_WORDS, place) &&
                !clear_by(base, rest, planes, w + i * VECTOR_WORDS, place, &left[i]))
                return false;
    }
    return true;
}

/* What all windows have in common, beside the pattern and the place, into base->common. */
static void find_common(later_base *base, const uint64_t *windows, uint32_t planes, uint32_t place)
{
    for (uint32_t w = 0; w < base->words; w += VECTOR_WORDS) {
        spk_vector left = ~*(const spk_vector *)(const void *)(base->own + w);
        (void)clear_by(base, windows, planes, w, place, &left);
        memcpy(base->common + w, &left, sizeof left);
    }
    base->common[place / 64] &= ~(UINT64_C(1) << place % 64);
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
static inline bool has_units(const later_base *base, const later_node *node, const uint64_t *items,
                             const uint32_t words, uint32_t from, uint32_t least, uint32_t except)
{
    spk_bitmap_search *search = base->search;
    uint32_t n = 0;
    if (least == 0)
        return true;
    const uint64_t mark = ++search->mark;
    search->unit_met[except] = mark;
    for (uint32_t w = from; w < words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            const uint32_t unit = unit_at(base, node->place[w * 64 + first_bit(bits)]);
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
static inline void keep_pairs(const later_node *node, const uint64_t *share, const uint32_t words,
                              uint32_t from, uint64_t *items)
{
    for (uint32_t w = from; w < words; w++)
        items[w] = 0;
    for (uint32_t w = from; w < words; w++)
        for (uint64_t bits = share[w]; bits != 0; bits &= bits - 1) {
            const uint32_t k = w * 64 + first_bit(bits);
            const uint64_t *others = node->share + (size_t)k * words;
            uint64_t any = 0;
            for (uint32_t v = w; v < words; v++) {
                const uint64_t both = share[v] & others[v];
                items[v] |= both;
                any |= both;
            }
            items[w] |= any != 0 ? bits & -bits : 0;
        }
}

/* What the pattern of a node misses to the limits: spikes once an item is added, units before. */
typedef struct later_missing {
    uint32_t spikes;
    uint32_t units;
} later_missing;

/* The items that may be added after item x, into `items`; false where neither x nor what they make
 * with it can be reported. */
static inline bool choose_later(const later_base *base, const later_node *node,
                                const later_missing *missing, const uint32_t words, uint32_t x,
                                uint64_t *items)
{
    const uint64_t *share = node->share + (size_t)x * words;
    const uint32_t from = x / 64, spikes = missing->spikes;
    uint32_t units = missing->units, unit = 0, n = 0;
    if (units > 0) {
        unit = unit_at(base, node->place[x]);
        units -= base->search->unit_count[unit] == 0;
    }
    for (uint32_t w = from; w < words; w++)
        n += bit_count(items[w] = share[w]);
    /* Where one item more will do, the row has all of them. Where two or more are missing, they
     * must share windows with each other, too. */
    if ((spikes > 1 || units > 1) && n >= spikes && n >= units) {
        keep_pairs(node, share, words, from, items);
        n = 0;
        for (uint32_t w = from; w < words; w++)
            n += bit_count(items[w]);
    }
    return n >= spikes && n >= units && has_units(base, node, items, words, from, units, unit);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* ---- the search ------------------------------------------------------------------------------ */

static void search_later(later_base *base, later_node *node);

/* Columns, places and keys, one behind the other. A vector is written whole. */
static bool later_make(spk_bitmap_search *search, uint32_t n, uint32_t planes, later_node *node)
{
    const uint32_t stride = (n + LATER_STEP - 1) / LATER_STEP * LATER_STEP;
    const uint64_t n_words = (uint64_t)stride * planes + LATER_STEP;
    const uint64_t place_words = ((uint64_t)stride + LATER_STEP) / 2;
    uint64_t *all = later_take(search, n_words + place_words + search->size, sizeof *all);
    if (all == NULL)
        return false;
    *node = (later_node){.n = n,
                         .words = (n + 63) / 64,
                         .planes = planes,
                         .stride = stride,
                         .size = search->size,
                         .column = all,
                         .place = (uint32_t *)(void *)(all + n_words),
                         .key = all + n_words + place_words};
    return true;
}

#ifdef SPK_BITMAP_AVX512
/* Up to seven keys in order, and one more between them: those above it move up by one. */
static inline __m512i keys_with(const uint64_t *before, uint32_t n, uint64_t key)
{
    const __m512i more = _mm512_set1_epi64((long long)key);
    const __mmask8 here = (__mmask8)((1u << n) - 1);
    const __m512i keys = _mm512_maskz_loadu_epi64(here, before);
    const uint32_t below = _mm512_mask_cmplt_epu64_mask(here, keys, more);
    return _mm512_mask_expand_epi64(more, (__mmask8) ~(below + 1), keys);
}
#endif

/* Keys in order, and one more between them. */
static inline void add_key(const uint64_t *before, uint32_t n, uint64_t key, uint64_t *out)
{
#ifdef SPK_BITMAP_AVX512
    if (n < 8) {
        _mm512_mask_storeu_epi64(out, (__mmask8)((2u << n) - 1), keys_with(before, n, key));
        return;
    }
#endif
    uint32_t at = 0;
    for (uint32_t k = 0; k < n; k++) {
        out[k + (before[k] > key)] = before[k];
        at += before[k] < key;
    }
    out[at] = key;
}

/* The same as items: the low halves of keys. */
static inline void add_item(const uint64_t *before, uint32_t n, uint64_t key, uint32_t *out)
{
#ifdef SPK_BITMAP_AVX512
    if (n < 8) {
        _mm256_mask_storeu_epi32(out, (__mmask8)((2u << n) - 1),
                                 _mm512_cvtepi64_epi32(keys_with(before, n, key)));
        return;
    }
#endif
    uint32_t at = 0;
    for (uint32_t k = 0; k < n; k++) {
        out[k + (before[k] > key)] = (uint32_t)before[k];
        at += before[k] < key;
    }
    out[at] = (uint32_t)key;
}

/* Puts the keys of the pattern in order, of which the first n are. */
static inline void order_keys(const spk_bitmap_search *search, uint32_t n, uint64_t *key)
{
    for (; n < search->size; n++) {
        uint32_t at = n;
        for (; at > 0 && key[at - 1] > search->key[n]; at--)
            key[at] = key[at - 1];
        key[at] = search->key[n];
    }
}

/* One plane of columns, and places, of the items of a row, in some windows. */
static inline void fill_plane(const later_node *node, const uint64_t *items, uint32_t x,
                              uint32_t plane, uint64_t windows, later_node *child)
{
    const uint64_t *from = node->column + (size_t)plane * node->stride;
    uint64_t *to = child->column + (size_t)plane * child->stride;
    uint32_t at = 0;
#ifdef SPK_BITMAP_AVX512
    const __m512i own = _mm512_set1_epi64((long long)windows);
    /* Eight items at a time, from the vector of x on: those before x have no bit in the row. A
     * vector is written whole, also beyond the last item: the child has room for it
     * (later_make). */
    for (uint32_t k = x / LATER_STEP * LATER_STEP; k < node->n; k += LATER_STEP) {
        const __mmask8 here = (__mmask8)(items[k / 64] >> k % 64);
        if (here == 0)
            continue;
        const __m512i column = _mm512_and_si512(own, _mm512_load_si512(from + k));
        const __m256i place = _mm256_load_si256((const __m256i *)(const void *)(node->place + k));
        _mm512_storeu_si512(to + at, _mm512_maskz_compress_epi64(here, column));
        _mm256_storeu_si256((__m256i *)(void *)(child->place + at),
                            _mm256_maskz_compress_epi32(here, place));
        at += bit_count(here);
    }
    _mm512_storeu_si512(to + at, _mm512_setzero_si512());
#else
    for (uint32_t w = x / 64; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            const uint32_t k = w * 64 + first_bit(bits);
            to[at] = from[k] & windows;
            child->place[at++] = node->place[k];
        }
    memset(to + at, 0, (child->stride - at) * sizeof *to);
#endif
    assert(at == child->n);
}

/* The same with the windows of several planes in one. */
static void squeeze_planes(const later_node *node, const uint64_t *items, uint32_t x,
                           const uint64_t *windows, later_node *child)
{
    gatherer gather[LATER_PLANES];
    uint32_t offset[LATER_PLANES] = {0}, n = 0, at = 0;
    for (uint32_t p = 0; p < node->planes; p++) {
        gather[p] = gatherer_make(windows[p]);
        offset[p] = n % 64; /* 64 in a plane leave none for others */
        n += bit_count(windows[p]);
    }
    for (uint32_t w = x / 64; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1, at++) {
            const uint32_t k = w * 64 + first_bit(bits);
            child->place[at] = node->place[k];
            child->column[at] = 0;
            for (uint32_t p = 0; p < node->planes; p++)
                child->column[at] |=
                    gather_bits(&gather[p], node->column[(size_t)p * node->stride + k])
                    << offset[p];
        }
    memset(child->column + at, 0, (child->stride - at) * sizeof *child->column);
}

/* The windows of a set become the bits of columns: their rows, and which they are. */
static bool name_bits(const later_base *base, const uint64_t *windows, uint32_t planes,
                      later_base *out)
{
    const uint64_t **row = later_take(base->search, 64, sizeof *row);
    uint32_t *window = later_take(base->search, 64, sizeof *window), n = 0;
    *out = *base;
    if (row == NULL || window == NULL)
        return false;
    for (uint32_t p = 0; p < planes; p++)
        for (uint64_t bits = windows[p]; bits != 0; bits &= bits - 1, n++) {
            const uint32_t b = p * 64 + first_bit(bits);
            row[n] = base->row[b];
            window[n] = base->window != NULL ? base->window[b] : b;
        }
    out->row = row;
    out->window = base->window != NULL ? window : NULL;
    return true;
}

/* Searches beyond the pattern, to which item x was added, with the items of a row. */
static inline void descend_later(later_base *base, const later_node *node, const uint32_t planes,
                                 uint32_t x, uint32_t count, const uint64_t *windows,
                                 const uint64_t *items)
{
    spk_bitmap_search *search = base->search;
    const bool fewer = planes > 1 && count <= 64;
    later_base few;
    later_node child;
    uint32_t n = 0;
    for (uint32_t w = x / 64; w < node->words; w++)
        n += bit_count(items[w]);
    if (n == 0 || n < later_less(search->job->limits.min_spikes, search->size) ||
        !later_make(search, n, fewer ? 1 : planes, &child))
        return;
    add_key(node->key, node->size, search->key[node->size], child.key);
    order_keys(search, node->size + 1, child.key);
    if (fewer) {
        if (!name_bits(base, windows, planes, &few))
            return;
        squeeze_planes(node, items, x, windows, &child);
        search_later(&few, &child);
        return;
    }
    for (uint32_t p = 0; p < planes; p++)
        fill_plane(node, items, x, p, windows[p], &child);
    search_later(base, &child);
}

/* Reports the set of the keys, ascending, and a place, which has spikes and neurons enough. */
static inline void report_set(const later_base *base, const uint64_t *before, uint32_t size,
                              uint32_t place, uint32_t count, const uint64_t *windows,
                              uint32_t planes)
{
    spk_bitmap_search *search = base->search;
    const uint64_t key = key_at(base, place);
    if (count > search->job->limits.max_count)
        return;
    if (search->job->ends.row != NULL) {
        const uint64_t last = key > before[size - 1] ? key : before[size - 1];
        const spk_bitmap_places places = {base->window, windows, planes};
        if (spk_bitmap_drops(search, &places, (uint32_t)(last >> 32), size + 1))
            return;
    }
    uint32_t *item = spk_bitmap_room(search, size + 1, count);
    if (item != NULL)
        add_item(before, size, key, item);
}

/* The same, where it has. */
static inline void report_later(const later_base *base, const uint64_t *before, uint32_t size,
                                uint32_t place, uint32_t count, const uint64_t *windows,
                                uint32_t planes)
{
    spk_bitmap_search *search = base->search;
    uint32_t neurons = search->neurons;
    if (neurons < search->job->limits.min_neurons)
        neurons += search->unit_count[unit_at(base, place)] == 0;
    if (spk_bitmap_within(search, size + 1, neurons, count))
        report_set(base, before, size, place, count, windows, planes);
}

/* The same where the windows of the item have more in common: the closure of the set. */
static void visit_open(later_base *base, const later_node *node, uint32_t x, uint32_t count,
                       const uint64_t *windows, uint64_t *items)
{
    spk_bitmap_search *search = base->search;
    const uint32_t size = search->size, place = node->place[x];
    find_common(base, windows, node->planes, place);
    if (common_before(base, place))
        return;
    const spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    const spk_bitmap_places places = {base->window, windows, node->planes};
    push_place(base, place);
    const uint64_t *kept = push_common(base);
    if (kept == NULL)
        goto done;
    spk_bitmap_emit(search, count, &places);
    for (uint32_t w = x / 64; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1)
            if (bit_get(kept, node->place[w * 64 + first_bit(bits)]))
                items[w] &= ~(bits & -bits);
    if (search->size < search->job->limits.max_spikes)
        descend_later(base, node, node->planes, x, count, windows, items);
done:
    pop_places(base, size, place, kept);
    spk_arena_release(&search->arena, mark);
}

/* Whether no two of up to 64 items share enough windows. */
static inline bool are_apart(const later_node *node, uint64_t items)
{
    uint64_t any = 0;
    for (uint64_t bits = items; bits != 0; bits &= bits - 1)
        any |= node->share[first_bit(bits)];
    return (any & items) == 0;
}

/* Beyond item x, which was pushed, items of one plane are left that lie apart: nothing lies below
 * them, and they need no node. What their sets have in common beside the set comes before x. */
static inline void visit_last(later_base *base, const later_node *node, uint32_t x, uint64_t items)
{
    uint64_t *key = base->search->sorted;
    add_key(node->key, node->size, key_at(base, node->place[x]), key);
    for (; items != 0 && base->search->status == SPK_OK; items &= items - 1) {
        const uint32_t y = first_bit(items), place = node->place[y];
        const uint64_t windows = node->column[x] & node->column[y];
        if (is_closed(base, &windows, 1, place))
            report_later(base, key, node->size + 1, place, bit_count(windows), &windows, 1);
    }
}

/* Item x of the node, and what lies below. */
static inline __attribute__((always_inline)) void visit_later(
    later_base *base, const later_node *node, const later_missing *missing, const uint32_t words,
    const uint32_t planes, uint32_t x, uint64_t *items)
{
    spk_bitmap_search *search = base->search;
    const uint32_t place = node->place[x];
    uint64_t windows[LATER_PLANES], any = 0;
    uint32_t count = 0;
    if (!choose_later(base, node, missing, words, x, items))
        return;
    for (uint32_t p = 0; p < planes; p++)
        count += bit_count(windows[p] = node->column[(size_t)p * node->stride + x]);
    for (uint32_t w = x / 64; w < words; w++)
        any |= items[w];
    if (!is_closed(base, windows, planes, place)) {
        visit_open(base, node, x, count, windows, items);
        return;
    }
    report_later(base, node->key, node->size, place, count, windows, planes);
    if (any == 0 || node->size + 1 >= search->job->limits.max_spikes)
        return;
    push_place(base, place);
    if (words == 1 && planes == 1 && are_apart(node, any)) {
        visit_last(base, node, x, any);
    } else {
        const spk_arena_mark mark = spk_arena_get_mark(&search->arena);
        descend_later(base, node, planes, x, count, windows, items);
        spk_arena_release(&search->arena, mark);
    }
    pop_places(base, node->size, place, NULL);
}

/* Of the 64 items of word w, those that share enough windows with item x: planes of columns, with
 * zeros behind the last one up to a multiple of eight. What comes before x is left out or not. */
static inline uint64_t pair_word(const uint64_t *column, uint32_t stride, const uint32_t planes,
                                 uint32_t x, uint32_t w, uint32_t min_support)
{
    const uint32_t begin = (x > w * 64 ? x : w * 64) / 8 * 8;
    const uint32_t end = stride < w * 64 + 64 ? stride : w * 64 + 64;
    uint64_t enough = 0;
#ifdef SPK_BITMAP_AVX512
    const __m512i least = _mm512_set1_epi64((long long)min_support);
    for (uint32_t k = begin; k < end; k += 8) {
        __m512i n = _mm512_setzero_si512();
        for (uint32_t p = 0; p < planes; p++) {
            const uint64_t *plane = column + (size_t)p * stride;
            const __m512i own = _mm512_set1_epi64((long long)plane[x]);
            n = _mm512_add_epi64(
                n, _mm512_popcnt_epi64(_mm512_and_si512(own, _mm512_load_si512(plane + k))));
        }
        enough |= (uint64_t)_mm512_cmpge_epu64_mask(n, least) << k % 64;
    }
#else
    for (uint32_t k = begin; k < end; k++) {
        uint32_t n = 0;
        for (uint32_t p = 0; p < planes; p++)
            n += bit_count(column[(size_t)p * stride + k] & column[(size_t)p * stride + x]);
        enough |= (uint64_t)(n >= min_support) << k % 64;
    }
#endif
    return enough;
}

/* Items without a later one to share windows with, as bits: nothing lies below their sets, and what
 * these have in common beside the set comes before the item. */
static void visit_leaves(later_base *base, const later_node *node, uint64_t leaves)
{
    for (; leaves != 0 && base->search->status == SPK_OK; leaves &= leaves - 1) {
        const uint32_t x = first_bit(leaves), place = node->place[x];
        const uint64_t windows = node->column[x];
        if (is_closed(base, &windows, 1, place))
            report_set(base, node->key, node->size, place, bit_count(windows), &windows, 1);
    }
}

/* Items of units that the pattern lacks, among up to 64. */
static inline uint64_t fresh_items(const later_base *base, const later_node *node)
{
    uint64_t fresh = 0;
    for (uint32_t x = 0; x < node->n; x++)
        fresh |= (uint64_t)(base->search->unit_count[unit_at(base, node->place[x])] == 0) << x;
    return fresh;
}

/* Up to 64 items in up to 64 windows, as most nodes have them: leaves between two other items go
 * together. */
static void visit_few(later_base *base, later_node *node)
{
    spk_bitmap_search *search = base->search;
    const spk_pattern_limits *limits = &search->job->limits;
    const later_missing missing = {later_less(limits->min_spikes, search->size + 1),
                                   later_less(limits->min_neurons, search->neurons)};
    uint64_t *share = node->share = later_take(search, node->n, sizeof *share);
    uint64_t left = 0, items;
    if (share == NULL)
        return;
    for (uint32_t x = 0; x < node->n; x++) {
        share[x] =
            pair_word(node->column, node->stride, 1, x, 0, limits->min_support) & ~UINT64_C(1) << x;
        left |= (uint64_t)(share[x] != 0) << x;
    }
    uint64_t leaves =
        missing.spikes == 0 && missing.units <= 1 ? ~left & (~UINT64_C(0) >> (64 - node->n)) : 0;
    if (leaves != 0 && missing.units == 1)
        leaves &= fresh_items(base, node);
    for (; left != 0 && search->status == SPK_OK; left &= left - 1) {
        const uint64_t before = (left & -left) - 1;
        visit_leaves(base, node, leaves & before);
        leaves &= ~before;
        visit_later(base, node, &missing, 1, 1, first_bit(left), &items);
    }
    visit_leaves(base, node, leaves);
}

/* Rows of pairs. */
static inline void fill_share(const later_node *node, const uint32_t planes, uint32_t min_support)
{
    for (uint32_t x = 0; x < node->n; x++) {
        uint64_t *share = node->share + (size_t)x * node->words;
        for (uint32_t w = x / 64; w < node->words; w++)
            share[w] = pair_word(node->column, node->stride, planes, x, w, min_support);
        share[x / 64] &= ~UINT64_C(1) << x % 64; /* x, and what comes before it */
    }
}

/* All items of a larger node. */
static void visit_many(later_base *base, later_node *node)
{
    spk_bitmap_search *search = base->search;
    const spk_pattern_limits *limits = &search->job->limits;
    const later_missing missing = {later_less(limits->min_spikes, search->size + 1),
                                   later_less(limits->min_neurons, search->neurons)};
    const uint32_t words = node->words, planes = node->planes;
    uint64_t *items = later_take(search, words, sizeof *items);
    node->share = later_take(search, (uint64_t)node->n * words, sizeof *node->share);
    if (node->share == NULL || items == NULL)
        return;
    switch (planes) {
    case 1:
        fill_share(node, 1, limits->min_support);
        break;
    case 2:
        fill_share(node, 2, limits->min_support);
        break;
    default:
        fill_share(node, planes, limits->min_support);
    }
    for (uint32_t x = 0; x < node->n && search->status == SPK_OK; x++)
        if (planes == 1)
            visit_later(base, node, &missing, words, 1, x, items);
        else
            visit_later(base, node, &missing, words, planes, x, items);
}

static void search_later(later_base *base, later_node *node)
{
    if (spk_bitmap_stopped(base->search))
        return;
    if (node->words == 1 && node->planes == 1)
        visit_few(base, node);
    else
        visit_many(base, node);
}

/* ---- from a node of all items ---------------------------------------------------------------- */

/* Rows of the node's windows, from its columns. */
static void turn_columns(const spk_bitmap_node *from, uint32_t words, uint64_t *row)
{
    const uint64_t *column = from->column;
    memset(row, 0, (size_t)from->n_windows * words * sizeof *row);
    for (uint32_t k = 0; k < from->n; k += 64) {
        _Alignas(64) uint64_t turned[64];
        turn_words(column + k, from->n - k < 64 ? (from->n - k + 7) / 8 * 8 : 64, turned,
                   from->n_windows);
        for (uint32_t i = 0; i < from->n_windows; i++)
            row[(size_t)i * words + k / 64] = turned[i];
    }
}

/* Extensions alone become items. Excluded items stay in the rows, as witnesses of lower rank. */
static void take_extensions(const spk_bitmap_node *from, later_node *node)
{
    const uint32_t words = from->width != 0 ? 1 : from->column_words;
    const uint64_t *column = (const uint64_t *)from->column + (size_t)from->n_excluded * words;
    memset(node->column, 0, (size_t)node->stride * words * sizeof *node->column);
    for (uint32_t k = 0; k < node->n; k++) {
        for (uint32_t p = 0; p < words; p++)
            node->column[(size_t)p * node->stride + k] = column[(size_t)k * words + p];
        node->place[k] = from->n_excluded + k;
    }
}

/* Searches beyond the pattern whose node this is, with columns of 64 bits. */
static void search_beyond(spk_bitmap_search *search, const spk_bitmap_node *from)
{
    const bool wide = from->width == 0; /* it has rows */
    const uint32_t words =
        wide ? from->words : ((from->n + 63) / 64 + ROW_WORDS - 1) / ROW_WORDS * ROW_WORDS;
    uint64_t *row =
        wide ? from->row : later_take(search, (uint64_t)from->n_windows * words, sizeof *row);
    later_base base = {.search = search,
                       .rank = from->rank,
                       .window = from->window,
                       .words = words,
                       .row = later_take(search, from->n_windows, sizeof *base.row),
                       .own = later_take(search, words, sizeof *base.own),
                       .common = later_take(search, words, sizeof *base.common)};
    later_node node;
    if (row == NULL || base.row == NULL || base.own == NULL || base.common == NULL ||
        !later_make(search, from->n - from->n_excluded, wide ? from->column_words : 1, &node))
        return;
    memset(base.own, 0, words * sizeof *base.own);
    if (!wide)
        turn_columns(from, words, row);
    for (uint32_t i = 0; i < from->n_windows; i++)
        base.row[i] = row + (size_t)i * words;
    order_keys(search, 0, node.key);
    take_extensions(from, &node);
    search_later(&base, &node);
}
