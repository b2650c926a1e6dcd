/*
 * Narrow branches of the search for the largest counts: at most NARROW_WINDOWS windows and
 * NARROW_ITEMS items, as columns of window bits.
 *
 * Let three items be in 28 windows, let 15 items be left to add, and let only these two matter: 6
 * spikes in 12 windows or more, 7 in 10 or more (the demands of the branch). For 6 spikes, 3 items
 * more are missing: of the 15 only 2 are in 12 of the windows, so that demand cannot be met. For 7,
 * 4 are missing: 14 of the 28 windows hold 4 of the items or more, and in these 14 windows 5 items
 * are left that are in 10 of them, which takes further windows away, and so on (narrow_reduce).
 * What is left then is compared pair by pair: whatever belongs to a set of 7 shares 10 windows with
 * 3 others at least (narrow_share). Most branches end here.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_MAXIMA_NARROW_H
#define SPK_PATTERN_ENGINE_BITMAP_MAXIMA_NARROW_H

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

/* ---- inner loops ------------------------------------------------------------------------------
 */

#ifdef SPK_BITMAP_AVX512

/* How many of the windows hold eight items each. `planes` is a constant where few of them are. */
static inline __m512i count_eight(const uint64_t *column, uint32_t stride, const uint64_t *window,
                                  const uint32_t planes)
{
    __m512i n = _mm512_setzero_si512();
    for (uint32_t p = 0; p < planes; p++) {
        __m512i a = _mm512_load_si512(column + (size_t)p * stride);
        a = _mm512_and_si512(a, _mm512_set1_epi64((long long)window[p]));
        n = _mm512_add_epi64(n, _mm512_popcnt_epi64(a));
    }
    return n;
}

static inline void rich_of(const narrow *node, const uint64_t *window, uint32_t least,
                           uint32_t from, const uint32_t planes, uint64_t *out)
{
    const __m512i enough = _mm512_set1_epi64(least);
    const uint32_t stride = node->stride;
    for (uint32_t w = 0; w < from / 64; w++)
        out[w] = 0;
    for (uint32_t w = from / 64, k = from / 8 * 8; w < node->words; w++) {
        uint64_t rich = 0;
        const uint32_t end = stride < w * 64 + 64 ? stride : w * 64 + 64;
        for (; k < end; k += 8) {
            __m512i n = count_eight(node->column + k, stride, window, planes);
            rich |= (uint64_t)_mm512_cmpge_epu64_mask(n, enough) << k % 64;
        }
        out[w] = rich;
    }
}

/* Items in at least `least` of the windows, from item `from` on or earlier. */
static inline void narrow_rich(const narrow *node, const uint64_t *window, uint32_t n,
                               uint32_t least, uint32_t from, uint64_t *out)
{
    (void)n;
    if (node->planes == 1)
        rich_of(node, window, least, from, 1, out);
    else if (node->planes == 2)
        rich_of(node, window, least, from, 2, out);
    else
        rich_of(node, window, least, from, node->planes, out);
}

static inline void items_of(const narrow *node, const uint64_t *window, uint32_t least,
                            const uint32_t planes, uint64_t *items)
{
    const __m512i enough = _mm512_set1_epi64(least);
    for (uint32_t w = 0; w < node->words; w++) {
        uint64_t asked = items[w], rich = 0;
        for (uint32_t k = 0; k < 64; k += 8) {
            if ((asked >> k & 0xff) == 0)
                continue;
            __m512i n = count_eight(node->column + w * 64 + k, node->stride, window, planes);
            rich |= (uint64_t)_mm512_cmpge_epu64_mask(n, enough) << k;
        }
        items[w] = rich & asked;
    }
}

/* Drops items that are in fewer than `least` of the windows. */
static inline void narrow_items(const narrow *node, const uint64_t *window, uint32_t least,
                                uint64_t *items)
{
    if (node->planes == 1)
        items_of(node, window, least, 1, items);
    else
        items_of(node, window, least, node->planes, items);
}

/* Bytes of links of items 0 .. end - 1 with the eight items of a block. */
static inline void pairs_of(const narrow *node, uint32_t block, uint32_t end, uint32_t least,
                            const uint32_t planes, uint64_t *link)
{
    const __m512i enough = _mm512_set1_epi64(least);
    const uint64_t *column = node->column;
    const uint32_t stride = node->stride;
    __m512i mine[NARROW_PLANES];
    __mmask8 *out = (__mmask8 *)(link + (size_t)(block / 8) * node->link_stride) + block % 8;
    for (uint32_t p = 0; p < planes; p++)
        mine[p] = _mm512_and_si512(_mm512_load_si512(column + (size_t)p * stride + block * 8),
                                   _mm512_set1_epi64((long long)node->window[p]));
    for (uint32_t e = 0; e < end; e++) {
        __m512i n = _mm512_setzero_si512();
        for (uint32_t p = 0; p < planes; p++) {
            __m512i own = _mm512_set1_epi64((long long)column[(size_t)p * stride + e]);
            n = _mm512_add_epi64(n, _mm512_popcnt_epi64(_mm512_and_si512(mine[p], own)));
        }
        out[(size_t)e * 8] = _mm512_cmpge_epu64_mask(n, enough);
    }
}

/* Which items share at least `least` windows; of `half`, what is on and right of the diagonal. */
static inline void compare_pairs(const narrow *node, uint32_t least, bool half, uint64_t *link)
{
    memset(link, 0, (size_t)node->words * node->link_stride * sizeof *link);
    for (uint32_t block = 0; block * 8 < node->n; block++) {
        const uint32_t end = half && block * 8 + 8 < node->n ? block * 8 + 8 : node->n;
        if (node->planes == 1)
            pairs_of(node, block, end, least, 1, link);
        else if (node->planes == 2)
            pairs_of(node, block, end, least, 2, link);
        else
            pairs_of(node, block, end, least, node->planes, link);
    }
}

/* Which of a few items, of one word, share at least `least` windows. */
static inline void narrow_pairs(const narrow *node, uint32_t least, uint64_t *link)
{
    compare_pairs(node, least, false, link);
}

static inline void linked_of(const uint64_t *link, uint32_t stride, uint32_t least,
                             const uint32_t words, uint64_t *items)
{
    const __m512i enough = _mm512_set1_epi64(least);
    uint64_t left[NARROW_WORDS];
    for (uint32_t w = 0; w < words; w++) {
        uint64_t asked = items[w], rich = 0;
        for (uint32_t k = 0; k < 64; k += 8) {
            if ((asked >> k & 0xff) == 0)
                continue;
            __m512i n = count_eight(link + w * 64 + k, stride, items, words);
            rich |= (uint64_t)_mm512_cmpge_epu64_mask(n, enough) << k;
        }
        left[w] = rich & asked;
    }
    for (uint32_t w = 0; w < words; w++)
        items[w] = left[w];
}

/* Drops items that are linked with fewer than `least` of the items. */
static inline void keep_linked(const narrow *node, const uint64_t *link, uint32_t least,
                               uint64_t *items)
{
    if (node->words == 1)
        linked_of(link, node->link_stride, least, 1, items);
    else if (node->words == 2)
        linked_of(link, node->link_stride, least, 2, items);
    else
        linked_of(link, node->link_stride, least, node->words, items);
}

/* Drops items that are linked with items of fewer than `least` units that are not in the set. */
static inline void keep_units(const narrow *node, const uint64_t *link, uint32_t least,
                              uint64_t *items)
{
    const __m512i enough = _mm512_set1_epi64(least);
    uint64_t left[NARROW_WORDS];
    for (uint32_t w = 0; w < node->words; w++) {
        uint64_t asked = items[w], rich = 0;
        for (uint32_t k = 0; k < 64; k += 8) {
            if ((asked >> k & 0xff) == 0)
                continue;
            __m512i n = _mm512_setzero_si512();
            for (uint32_t v = 0; v < node->words; v++) {
                const __m512i low = _mm512_set1_epi64((long long)node->low[v]);
                const __m512i last = _mm512_set1_epi64((long long)node->last[v]);
                __m512i x = _mm512_load_si512(link + (size_t)v * node->link_stride + w * 64 + k);
                x = _mm512_and_si512(x, _mm512_set1_epi64((long long)(items[v] & node->fresh[v])));
                x = _mm512_or_si512(_mm512_add_epi64(_mm512_and_si512(x, low), low), x);
                n = _mm512_add_epi64(n, _mm512_popcnt_epi64(_mm512_and_si512(x, last)));
            }
            rich |= (uint64_t)_mm512_cmpge_epu64_mask(n, enough) << k;
        }
        left[w] = rich & asked;
    }
    for (uint32_t w = 0; w < node->words; w++)
        items[w] = left[w];
}

/* Drops windows with fewer than `least` of the items. */
static inline void narrow_windows(const narrow *node, const uint64_t *items, uint32_t least,
                                  uint64_t *window)
{
    const __m512i enough = _mm512_set1_epi64(least);
    for (uint32_t p = 0; p < node->planes; p++) {
        uint64_t rich = 0;
        for (uint32_t i = 0; i < 64; i += 8) {
            if ((window[p] >> i & 0xff) == 0)
                continue;
            const uint64_t *row = node->row + p * 64 + i;
            __m512i n = _mm512_setzero_si512();
            for (uint32_t w = 0; w < node->words; w++, row += (size_t)node->planes * 64) {
                __m512i a = _mm512_set1_epi64((long long)items[w]);
                a = _mm512_and_si512(_mm512_load_si512(row), a);
                n = _mm512_add_epi64(n, _mm512_popcnt_epi64(a));
            }
            rich |= (uint64_t)_mm512_cmpge_epu64_mask(n, enough) << i;
        }
        window[p] &= rich;
    }
}

#else

/* Digits of how many windows hold each item. */
enum { LOW_DIGITS = 5, DIGITS = 9 };
static_assert(NARROW_WINDOWS < 1 << DIGITS, "digits of a number of windows");
typedef struct sums {
    spk_vector digit[DIGITS];
} sums;

/* Sums of eight rows: digits of a number up to 8. Where fewer windows are left, empty rows stand
 * in. Takes the windows off `bits`. */
static inline void sum_eight(const uint64_t *line, uint64_t *bits, spk_vector *ones,
                             spk_vector *twos, spk_vector *fours, spk_vector *eights)
{
    spk_vector row[8], twos_a, twos_b, fours_a, fours_b;
    for (uint32_t k = 0; k < 8; k++, *bits &= *bits - 1)
        row[k] = *(const spk_vector *)(const void *)(line + (size_t)first_bit(*bits) * ROW_WORDS);
    SPK_ADD(twos_a, *ones, *ones, row[0], row[1]);
    SPK_ADD(twos_b, *ones, *ones, row[2], row[3]);
    SPK_ADD(fours_a, *twos, *twos, twos_a, twos_b);
    SPK_ADD(twos_a, *ones, *ones, row[4], row[5]);
    SPK_ADD(twos_b, *ones, *ones, row[6], row[7]);
    SPK_ADD(fours_b, *twos, *twos, twos_a, twos_b);
    SPK_ADD(*eights, *fours, *fours, fours_a, fours_b);
}

/* Sums up the rows of the n windows `own`, from word w on. */
static inline void narrow_sum(const narrow *node, const uint64_t *own, uint32_t n, uint32_t w,
                              sums *out)
{
    spk_vector ones = {0}, twos = {0}, fours = {0}, eights = {0}, sixteens = {0};
    if (n >= 1 << LOW_DIGITS)
        for (uint32_t p = LOW_DIGITS; p < DIGITS; p++)
            out->digit[p] = (spk_vector){0};
    for (uint32_t p = 0; p < node->planes; p++) {
        const uint64_t *line = node->line + (size_t)p * LINES * ROW_WORDS + w;
        for (uint64_t bits = own[p]; bits != 0;) {
            spk_vector more, carry;
            sum_eight(line, &bits, &ones, &twos, &fours, &more);
            carry = eights & more;
            eights ^= more;
            more = sixteens & carry;
            sixteens ^= carry;
            if (n >= 1 << LOW_DIGITS)
                plane_carry(out->digit, LOW_DIGITS, DIGITS, &more);
        }
    }
    out->digit[0] = ones, out->digit[1] = twos, out->digit[2] = fours;
    out->digit[3] = eights, out->digit[4] = sixteens;
}

/* Items in at least `least` of the n windows that were summed up. */
static inline spk_vector sums_from(const sums *s, uint32_t n, uint32_t least)
{
    const spk_vector none = {0};
    const uint32_t digits = n >= 1 << LOW_DIGITS ? DIGITS : LOW_DIGITS;
    spk_vector borrow = none;
    if (least > n)
        return none;
    for (uint32_t p = 0; p < digits; p++) {
        const spk_vector mine = none - (uint64_t)(least >> p & 1);
        borrow = (~s->digit[p] & (mine | borrow)) | (mine & borrow);
    }
    return ~borrow;
}

static inline void narrow_make_lines(const narrow *node)
{
    memset(node->line, 0, (size_t)node->planes * LINES * ROW_WORDS * sizeof *node->line);
    for (uint32_t i = 0; i < node->n_windows; i++)
        for (uint32_t w = 0; w < node->words; w++)
            node->line[(size_t)(i / 64 * LINES + i % 64) * ROW_WORDS + w] =
                node->row[(size_t)(w * node->planes + i / 64) * 64 + i % 64];
}

/* Items in at least `least` of the n windows. */
static inline void narrow_rich(const narrow *node, const uint64_t *window, uint32_t n,
                               uint32_t least, uint32_t from, uint64_t *out)
{
    sums all;
    const uint32_t first = from / 64 / VECTOR_WORDS * VECTOR_WORDS;
    for (uint32_t w = 0; w < first; w++)
        out[w] = 0;
    for (uint32_t w = first; w < node->words; w += VECTOR_WORDS) {
        narrow_sum(node, window, n, w, &all);
        spk_vector enough = sums_from(&all, n, least);
        memcpy(out + w, &enough, sizeof enough);
    }
}

static inline void narrow_items(const narrow *node, const uint64_t *window, uint32_t least,
                                uint64_t *items)
{
    for (uint32_t w = 0; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            uint32_t n = 0, k = (uint32_t)__builtin_ctzll(bits);
            for (uint32_t p = 0; p < node->planes; p++)
                n += bit_count(node->column[(size_t)p * node->stride + w * 64 + k] & window[p]);
            if (n < least)
                items[w] &= ~(bits & -bits);
        }
}

static inline void narrow_windows(const narrow *node, const uint64_t *items, uint32_t least,
                                  uint64_t *window)
{
    for (uint32_t p = 0; p < node->planes; p++)
        for (uint64_t bits = window[p]; bits != 0; bits &= bits - 1) {
            uint32_t n = 0;
            const uint64_t *row = node->row + p * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t w = 0; w < node->words; w++, row += (size_t)node->planes * 64)
                n += bit_count(*row & items[w]);
            if (n < least)
                window[p] &= ~(bits & -bits);
        }
}

/* Which of a few items, of one word, share at least `least` windows. */
static inline void narrow_pairs(const narrow *node, uint32_t least, uint64_t *link)
{
    for (uint32_t e = 0; e < node->n; e++)
        link[e] = 0;
    for (uint32_t e = 0; e < node->n; e++)
        for (uint32_t f = e; f < node->n; f++) {
            uint32_t n = 0;
            for (uint32_t p = 0; p < node->planes; p++)
                n += bit_count(node->column[(size_t)p * node->stride + e] &
                               node->column[(size_t)p * node->stride + f] & node->window[p]);
            link[e] |= (uint64_t)(n >= least) << f;
            link[f] |= (uint64_t)(n >= least) << e;
        }
}

static inline void keep_linked(const narrow *node, const uint64_t *link, uint32_t least,
                               uint64_t *items)
{
    for (uint32_t w = 0; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            uint32_t n = 0, e = w * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t v = 0; v < node->words; v++)
                n += bit_count(link[(size_t)v * node->link_stride + e] & items[v]);
            if (n < least)
                items[w] &= ~(bits & -bits);
        }
}

static inline void keep_units(const narrow *node, const uint64_t *link, uint32_t least,
                              uint64_t *items)
{
    for (uint32_t w = 0; w < node->words; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1) {
            uint32_t n = 0, e = w * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t v = 0; v < node->words; v++) {
                uint64_t x = link[(size_t)v * node->link_stride + e] & items[v] & node->fresh[v];
                n += bit_count(groups_of(x, node->low[v], node->last[v]));
            }
            if (n < least)
                items[w] &= ~(bits & -bits);
        }
}

#endif

static inline uint32_t count_bits(const uint64_t *word, uint32_t n_words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < n_words; w++)
        n += bit_count(word[w]);
    return n;
}

static inline void copy_bits(uint64_t *to, const uint64_t *from, uint32_t n_words)
{
    for (uint32_t w = 0; w < n_words; w++)
        to[w] = from[w];
}

/* ---- what cannot matter -----------------------------------------------------------------------
 */

/* Items and windows that can meet one demand; false when none can. */
static bool meet(const narrow *node, demand d, uint64_t *items, uint64_t *window)
{
    for (;;) {
        uint64_t changed = 0, before[NARROW_PLANES];
        narrow_items(node, window, d.least, items);
        if (count_bits(items, node->words) < d.missing)
            return false;
        copy_bits(before, window, node->planes);
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

/* Leaves the items and windows that can meet some demand, and these demands. */
static uint32_t narrow_reduce(const spk_maxima_search *search, const narrow *node, uint64_t *items,
                              uint64_t *window, demand *demands)
{
    uint64_t some[NARROW_WORDS], within[NARROW_PLANES];
    uint64_t all[NARROW_WORDS] = {0}, whole[NARROW_PLANES] = {0};
    uint32_t n_left = 0;
    uint32_t count = spk_maxima_useful(search, count_bits(window, node->planes));
    uint32_t n = list_demands(search, count_bits(items, node->words), count, demands);
    for (uint32_t i = 0; i < n; i++) {
        copy_bits(some, items, node->words);
        copy_bits(within, window, node->planes);
        if (!meet(node, demands[i], some, within))
            continue;
        for (uint32_t w = 0; w < node->words; w++)
            all[w] |= some[w];
        for (uint32_t p = 0; p < node->planes; p++)
            whole[p] |= within[p];
        demands[n_left++] = demands[i];
    }
    copy_bits(items, all, node->words);
    copy_bits(window, whole, node->planes);
    return n_left;
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
        copy_bits(few.window, node->window, node->planes);
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

/* Leaves the items that can meet some demand, by the pairs that share enough windows. */
static void narrow_prune(spk_maxima_search *search, narrow *node, const demand *demands,
                         uint32_t n_demands)
{
    uint64_t all[NARROW_WORDS] = {0}, some[MOST_DEMANDS][NARROW_WORDS];
    uint32_t units = missing_units(search), n_left = 0, left[MOST_DEMANDS];
    narrow_compare(node, demands[n_demands - 1].least);
    for (uint32_t i = n_demands; i-- > 0;) {
        copy_bits(some[i], node->items, node->words);
        if (i + 1 == n_demands ? narrow_core(node, node->link, demands[i].missing, units, some[i])
                               : narrow_core_above(node, demands[i], units, some[i]))
            left[n_left++] = i;
    }
    if (n_left > 0 && !narrow_cut(search, node))
        return;
    for (uint32_t k = 0; k < n_left; k++)
        if (narrow_core(node, node->link, demands[left[k]].missing, units, some[left[k]]))
            for (uint32_t w = 0; w < node->words; w++)
                all[w] |= some[left[k]][w];
    copy_bits(node->items, all, node->words);
}

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

/* Marks the groups of items, once their ranks are there. */
static void narrow_group(const spk_maxima_search *search, narrow *node)
{
    const uint32_t *unit_of = search->unit_of;
    uint32_t unit = unit_of[node->rank[0]];
    for (uint32_t w = 0; w < node->words; w++) {
        const uint32_t end = node->n - w * 64 < 64 ? node->n - w * 64 : 64;
        uint64_t last = 0, fresh = 0;
        for (uint32_t k = 0; k < end; k++) { /* without branches: units change at random */
            const uint32_t at = w * 64 + k + 1;
            const uint32_t next = unit_of[node->rank[at < node->n ? at : at - 1]];
            fresh |= (uint64_t)(search->unit_count[unit] == 0) << k;
            last |= (uint64_t)(unit != next) << k;
            unit = next;
        }
        last |= UINT64_C(1) << (end - 1);
        node->last[w] = last;
        node->low[w] = ~last & (UINT64_MAX >> (64 - end));
        node->fresh[w] = fresh;
    }
}

static void search_narrow(spk_maxima_search *search, narrow *node, demand *demands,
                          uint32_t n_demands);

/* Searches a branch whose ranks and columns are there. Of many items, hardly any is dropped before
 * they are compared. */
static void narrow_begin(spk_maxima_search *search, narrow *node)
{
    enum { MANY = 24 };
    demand demands[MOST_DEMANDS];
    uint32_t n;
    if (node->n > MANY) {
        n = list_demands(search, node->n, spk_maxima_useful(search, node->n_windows), demands);
    } else {
        narrow_fill(node);
        n = narrow_reduce(search, node, node->items, node->window, demands);
    }
    if (n == 0)
        return;
    if (missing_units(search) > 0)
        narrow_group(search, node);
    search_narrow(search, node, demands, n);
}

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
    uint32_t n = count_bits(own, node->planes);
    spk_maxima_push(search, node->rank[e]);
    bool lives = !raises(search, n) || spk_maxima_raise_by(search);
    if (!lives)
        goto done;
    uint32_t n_items = count_bits(items, node->words), units = missing_units(search);
    if (list_demands(search, n_items, spk_maxima_useful(search, n), demands) == 0 ||
        n_items < demands[0].missing)
        goto done;
    if (units > 0 && fresh_units_after(node, e, items) < units)
        goto done;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    if (narrow_child(search, node, items, n_items, own, n, &child))
        narrow_begin(search, &child);
    spk_arena_release(&search->arena, mark);
done:
    spk_maxima_pop(search);
}

/* The same branch, once more, without what was dropped. */
static void search_again(spk_maxima_search *search, const narrow *node)
{
    narrow rest;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    if (narrow_child(search, node, node->items, count_bits(node->items, node->words), node->window,
                     count_bits(node->window, node->planes), &rest))
        narrow_begin(search, &rest);
    spk_arena_release(&search->arena, mark);
}

/* Whether so much was dropped that the rest is searched by itself. */
static inline bool much_dropped(const narrow *node)
{
    uint32_t n = count_bits(node->items, node->words);
    return n + n / 4 < node->n;
}

/* Searches a branch whose items and windows can meet the demands. */
static void search_narrow(spk_maxima_search *search, narrow *node, demand *demands,
                          uint32_t n_demands)
{
    if (stopped(search) || !spk_maxima_refresh(search))
        return;
    if (missing_units(search) > 0 && fresh_units(node, node->items) < missing_units(search))
        return;
    narrow_prune(search, node, demands, n_demands);
    if (count_bits(node->items, node->words) == 0)
        return;
    if (!much_dropped(node)) {
        narrow_fill(node);
        if (narrow_reduce(search, node, node->items, node->window, demands) == 0)
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

#endif
