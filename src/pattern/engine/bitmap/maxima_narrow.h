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
    uint32_t planes;
    uint32_t stride; /* words of a plane */
    uint32_t *rank;
    uint64_t *column; /* column[p * stride + k] */
    uint64_t *row;    /* by window: row[(w * planes + p) * 64 + i], word w of a row */
    uint64_t *line;   /* the same for sums by the vector: line[(p * LINES + i) * ROW_WORDS + w] */
    uint64_t *share;  /* by item: the items that share enough windows with it */
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

/* The lowest bit's number; 64: none. */
static inline uint32_t first_bit(uint64_t x)
{
#ifdef __BMI__
    return (uint32_t)_tzcnt_u64(x);
#else
    return x != 0 ? (uint32_t)__builtin_ctzll(x) : 64;
#endif
}

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

static inline void narrow_make_lines(const narrow *node, uint32_t n_windows)
{
    memset(node->line, 0, (size_t)node->planes * LINES * ROW_WORDS * sizeof *node->line);
    for (uint32_t i = 0; i < n_windows; i++)
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

/* The same of the items that share windows with item e. */
static inline uint32_t fresh_units_of(const narrow *node, uint32_t e)
{
    uint64_t items[NARROW_WORDS];
    for (uint32_t w = 0; w < node->words; w++)
        items[w] = node->share[(size_t)e * ROW_WORDS + w] & node->items[w];
    return fresh_units(node, items);
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

/* Whether an item shares windows with enough others for some demand; the last one has the lowest
 * limit, and the items that reach it are known. */
static inline bool item_matters(const narrow *node, uint32_t e, const demand *demands,
                                uint32_t n_demands)
{
    uint64_t own[NARROW_PLANES] = {0}, rich[ROW_WORDS];
    const uint64_t *share = node->share + (size_t)e * ROW_WORDS;
    for (uint32_t i = n_demands; i-- > 0; share = rich) {
        uint32_t n_items = 0; /* an item shares windows with itself, too */
        if (i + 1 < n_demands) {
            narrow_own(node, e, own);
            uint32_t n = count_bits(own, node->planes);
            if (n < demands[i].least)
                return false;
            narrow_rich(node, own, n, demands[i].least, 0, rich);
        }
        for (uint32_t w = 0; w < node->words; w++)
            n_items += bit_count(share[w] & node->items[w]);
        if (n_items >= demands[i].missing)
            return true;
        if (n_items < demands[0].missing)
            return false;
    }
    return false;
}

/* Compares all pairs of items, with many of them each pair once. */
static void narrow_share(const spk_maxima_search *search, narrow *node, const demand *demands,
                         uint32_t n_demands)
{
    enum { MANY = 32 };
    uint32_t units = missing_units(search);
    for (uint32_t e = 0; e < node->n; e++) {
        uint64_t own[NARROW_PLANES] = {0};
        narrow_own(node, e, own);
        narrow_rich(node, own, count_bits(own, node->planes), demands[n_demands - 1].least,
                    node->n > MANY ? e : 0, node->share + (size_t)e * ROW_WORDS);
    }
    for (uint32_t i = 0; i < node->words && node->n > MANY; i++)
        for (uint32_t j = i; j < node->words; j++)
            mirror_block(node->share, ROW_WORDS, node->n, i, j);
    for (uint32_t e = 0; e < node->n; e++)
        if (bit_get(node->items, e) && (!item_matters(node, e, demands, n_demands) ||
                                        (units > 0 && fresh_units_of(node, e) < units)))
            node->items[e / 64] &= ~(UINT64_C(1) << e % 64);
}

/* Drops items that share windows with too few of those left, until nothing changes. */
static void narrow_prune(const spk_maxima_search *search, narrow *node, uint32_t missing)
{
    uint32_t words = node->words, units = missing_units(search);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t bits = node->items[w]; bits != 0; bits &= bits - 1) {
                uint32_t e = w * 64 + (uint32_t)__builtin_ctzll(bits), n = 0;
                for (uint32_t v = 0; v < words; v++)
                    n += bit_count(node->share[(size_t)e * ROW_WORDS + v] & node->items[v]);
                if (n >= missing && (units == 0 || fresh_units_of(node, e) >= units))
                    continue;
                node->items[w] &= ~(bits & -bits);
                changed = true;
            }
    }
}

/* ---- the search -------------------------------------------------------------------------------
 */

/* Room for n items in n_windows windows. */
static bool narrow_make(spk_maxima_search *search, uint32_t n, uint32_t n_windows, narrow *node)
{
    node->n = n;
    node->words = (n + 63) / 64;
    node->planes = (n_windows + 63) / 64;
    node->stride = (n + 7) / 8 * 8;
    node->rank = take(search, n, sizeof *node->rank);
    node->column = take(search, (uint64_t)node->planes * node->stride, sizeof *node->column);
#ifndef SPK_BITMAP_AVX512
    node->line = take(search, (uint64_t)node->planes * LINES * ROW_WORDS, sizeof *node->line);
    if (node->line == NULL)
        return false;
#endif
    node->row = take(search, (uint64_t)node->words * node->planes * 64, sizeof *node->row);
    node->share = take(search, (uint64_t)n * ROW_WORDS, sizeof *node->share);
    memset(node->items, 0xff, sizeof node->items);
    memset(node->window, 0xff, sizeof node->window);
    if (n % 64 != 0)
        node->items[n / 64] = (UINT64_C(1) << n % 64) - 1;
    if (n_windows % 64 != 0)
        node->window[n_windows / 64] = (UINT64_C(1) << n_windows % 64) - 1;
    return node->rank != NULL && node->column != NULL && node->row != NULL && node->share != NULL;
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
    const uint32_t *unit_of = search->job->unit_of;
    for (uint32_t w = 0; w < node->words; w++)
        node->low[w] = node->last[w] = node->fresh[w] = 0;
    for (uint32_t k = 0; k < node->n; k++) {
        uint32_t unit = unit_of[node->rank[k]];
        uint64_t bit = UINT64_C(1) << k % 64;
        bool ends = k + 1 == node->n || k % 64 == 63 || unit != unit_of[node->rank[k + 1]];
        *(ends ? &node->last[k / 64] : &node->low[k / 64]) |= bit;
        if (search->unit_count[unit] == 0)
            node->fresh[k / 64] |= bit;
    }
}

/* Completes a branch whose ranks and columns are there. */
static void narrow_fill(const spk_maxima_search *search, narrow *node, uint32_t n_windows)
{
    for (uint32_t p = 0; p < node->planes; p++) {
        uint32_t n = n_windows - p * 64 < 64 ? n_windows - p * 64 : 64;
        for (uint32_t w = 0; w < node->words; w++)
            turn_words(node->column + (size_t)p * node->stride + w * 64, node->stride - w * 64,
                       node->row + (size_t)(w * node->planes + p) * 64, n);
    }
#ifndef SPK_BITMAP_AVX512
    narrow_make_lines(node, n_windows);
#endif
    if (missing_units(search) > 0)
        narrow_group(search, node);
}

static void search_narrow(spk_maxima_search *search, narrow *node, demand *demands,
                          uint32_t n_demands);

/* Searches a branch that nothing was dropped of yet. */
static void narrow_begin(spk_maxima_search *search, narrow *node, uint32_t n_windows)
{
    demand demands[MOST_DEMANDS];
    narrow_fill(search, node, n_windows);
    uint32_t n = narrow_reduce(search, node, node->items, node->window, demands);
    if (n > 0)
        search_narrow(search, node, demands, n);
}

/* Searches the set with item e, and then with the items left. */
static void narrow_visit(spk_maxima_search *search, const narrow *node, uint32_t e)
{
    uint64_t own[NARROW_PLANES], items[NARROW_WORDS];
    demand demands[MOST_DEMANDS];
    narrow child;
    narrow_own(node, e, own);
    for (uint32_t w = 0; w < node->words; w++)
        items[w] = node->share[(size_t)e * ROW_WORDS + w] & node->items[w];
    uint32_t n = count_bits(own, node->planes), n_demands;
    spk_maxima_push(search, node->rank[e]);
    bool lives = !raises(search, n) || spk_maxima_raise_by(search);
    if (!lives || (n_demands = narrow_reduce(search, node, items, own, demands)) == 0)
        goto done;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    n = count_bits(own, node->planes);
    if (narrow_child(search, node, items, count_bits(items, node->words), own, n, &child)) {
        narrow_fill(search, &child, n);
        search_narrow(search, &child, demands, n_demands);
    }
    spk_arena_release(&search->arena, mark);
done:
    spk_maxima_pop(search);
}

/* The same branch, once more, without what was dropped. */
static void search_again(spk_maxima_search *search, const narrow *node, demand *demands,
                         uint32_t n_demands)
{
    narrow rest;
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    uint32_t n = count_bits(node->window, node->planes);
    if (narrow_child(search, node, node->items, count_bits(node->items, node->words), node->window,
                     n, &rest)) {
        narrow_fill(search, &rest, n);
        search_narrow(search, &rest, demands, n_demands);
    }
    spk_arena_release(&search->arena, mark);
}

/* Searches a branch whose items and windows can meet the demands. */
static void search_narrow(spk_maxima_search *search, narrow *node, demand *demands,
                          uint32_t n_demands)
{
    if (stopped(search) || !spk_maxima_refresh(search))
        return;
    if (missing_units(search) > 0 && fresh_units(node, node->items) < missing_units(search))
        return;
    narrow_share(search, node, demands, n_demands);
    narrow_prune(search, node, demands[0].missing);
    n_demands = narrow_reduce(search, node, node->items, node->window, demands);
    if (n_demands == 0)
        return;
    uint32_t n_left = count_bits(node->items, node->words);
    if (n_left + n_left / 4 < node->n) {
        search_again(search, node, demands, n_demands);
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
