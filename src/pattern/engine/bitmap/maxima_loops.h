/*
 * Inner loops of narrow branches: windows and items that fall short, and pairs of items, by vectors
 * of eight columns or by digits of sums of rows. Included by files that are compiled once per
 * instruction set.
 *
 *     AVX-512    column[p * stride + k]   a register has items k .. k + 7: and, count, compare
 *     others     line[window]             a vector has 128 or 256 items: digits of sums (kernels.h)
 *
 * Invariant: bits that are asked about only fall; what is not asked about stays as it was. Cost
 * with n items, p planes of 64 windows: AVX-512 takes n * p / 8 steps for all items against one
 * mask, and n times as many for all pairs; elsewhere the pairs of an item take a full adder for
 * each of its windows and vector of items.
 */
#pragma once

#include "pattern/engine/bitmap/maxima_node.h"

#ifdef SPK_BITMAP_AVX512

/* How many bits of the mask eight columns have. `planes` is a constant where few of them are. */
static inline __m512i count_eight(const uint64_t *column, uint32_t stride, const uint64_t *mask,
                                  const uint32_t planes)
{
    __m512i n = _mm512_setzero_si512();
    for (uint32_t p = 0; p < planes; p++) {
        __m512i a = _mm512_load_si512(column + (size_t)p * stride);
        a = _mm512_and_si512(a, _mm512_set1_epi64((long long)mask[p]));
        n = _mm512_add_epi64(n, _mm512_popcnt_epi64(a));
    }
    return n;
}

static inline void rich_of(const uint64_t *column, uint32_t stride, const uint64_t *mask,
                           const uint32_t planes, uint32_t least, uint64_t *bits, uint32_t n_words)
{
    const __m512i enough = _mm512_set1_epi64(least);
    uint64_t left[NARROW_WORDS];
    for (uint32_t w = 0; w < n_words; w++) {
        uint64_t rich = 0;
        for (uint32_t k = 0; k < 64; k += 8) {
            if ((bits[w] >> k & 0xff) == 0)
                continue;
            __m512i n = count_eight(column + w * 64 + k, stride, mask, planes);
            rich |= (uint64_t)_mm512_cmpge_epu64_mask(n, enough) << k;
        }
        left[w] = rich & bits[w];
    }
    for (uint32_t w = 0; w < n_words; w++)
        bits[w] = left[w];
}

/* Drops bits whose columns have fewer than `least` bits of the mask. Column k has a word in each
 * plane: column[p * stride + k]. The bits may be the mask. */
static inline void keep_rich(const uint64_t *column, uint32_t stride, const uint64_t *mask,
                             uint32_t planes, uint32_t least, uint64_t *bits, uint32_t n_words)
{
    if (planes == 1)
        rich_of(column, stride, mask, 1, least, bits, n_words);
    else if (planes == 2)
        rich_of(column, stride, mask, 2, least, bits, n_words);
    else
        rich_of(column, stride, mask, planes, least, bits, n_words);
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
                /* groups_of for the rows of eight items at once: one bit a unit. */
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

/* Marks the groups of items, by units, once their ranks are there. */
static inline void narrow_group(const uint32_t *unit_of, const uint32_t *unit_count, narrow *node)
{
    enum { LANES = 16 };
    const __m512i no = _mm512_set1_epi32(-1);
    uint32_t unit[NARROW_ITEMS + LANES];
    uint64_t fresh = 0, last = 0;
    for (uint32_t k = 0; k < node->n; k += LANES) {
        const uint32_t left = node->n - k;
        const __mmask16 here = (__mmask16)(left < LANES ? (1u << left) - 1 : 0xffff);
        const __m512i rank = _mm512_maskz_loadu_epi32(here, node->rank + k);
        const __m512i u = _mm512_mask_i32gather_epi32(no, here, rank, unit_of, sizeof *unit);
        const __m512i in_set = _mm512_mask_i32gather_epi32(no, here, u, unit_count, sizeof *unit);
        _mm512_storeu_si512(unit + k, u);
        fresh |= (uint64_t)_mm512_testn_epi32_mask(in_set, in_set) << k % 64;
        if (k % 64 == 64 - LANES || left <= LANES) {
            node->fresh[k / 64] = fresh;
            fresh = 0;
        }
    }
    unit[node->n] = UINT32_MAX;
    for (uint32_t k = 0; k < node->n; k += LANES) {
        const __m512i next = _mm512_loadu_si512(unit + k + 1);
        last |= (uint64_t)_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(unit + k), next) << k % 64;
        if (k % 64 < 64 - LANES && node->n - k > LANES)
            continue;
        const uint64_t all = bits_of_word(node->n, k / 64);
        last |= all & ~(all >> 1); /* groups end with their word */
        node->last[k / 64] = last & all;
        node->low[k / 64] = ~last & all;
        last = 0;
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
    spk_vector row[8];
    for (uint32_t k = 0; k < 8; k++, *bits &= *bits - 1)
        row[k] = *(const spk_vector *)(const void *)(line + (size_t)first_bit(*bits) * ROW_WORDS);
    add_eight(row, ones, twos, fours, eights);
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
            /* Bit k of digit p is digit p of the sum of item k. A carry goes beyond digit 4 only
             * where there are 32 windows or more. */
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

static inline void keep_rich(const uint64_t *column, uint32_t stride, const uint64_t *mask,
                             uint32_t planes, uint32_t least, uint64_t *bits, uint32_t n_words)
{
    for (uint32_t w = 0; w < n_words; w++)
        for (uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
            uint32_t n = 0, k = w * 64 + (uint32_t)__builtin_ctzll(rest);
            for (uint32_t p = 0; p < planes; p++)
                n += bit_count(column[(size_t)p * stride + k] & mask[p]);
            if (n < least)
                bits[w] &= ~(rest & -rest);
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

/* Marks the groups of items, by units, once their ranks are there. */
static inline void narrow_group(const uint32_t *unit_of, const uint32_t *unit_count, narrow *node)
{
    uint32_t unit = unit_of[node->rank[0]];
    for (uint32_t w = 0; w < node->words; w++) {
        const uint64_t all = bits_of_word(node->n, w);
        const uint32_t end = bit_count(all);
        uint64_t last = 0, fresh = 0;
        for (uint32_t k = 0; k < end; k++) { /* without branches: units change at random */
            const uint32_t at = w * 64 + k + 1;
            const uint32_t next = unit_of[node->rank[at < node->n ? at : at - 1]];
            fresh |= (uint64_t)(unit_count[unit] == 0) << k;
            last |= (uint64_t)(unit != next) << k;
            unit = next;
        }
        last |= all & ~(all >> 1); /* groups end with their word */
        node->last[w] = last;
        node->low[w] = ~last & all;
        node->fresh[w] = fresh;
    }
}

#endif

/* Drops items that are in fewer than `least` of the windows. */
static inline void narrow_items(const narrow *node, const uint64_t *window, uint32_t least,
                                uint64_t *items)
{
    keep_rich(node->column, node->stride, window, node->planes, least, items, node->words);
}

/* Drops windows with fewer than `least` of the items. */
static inline void narrow_windows(const narrow *node, const uint64_t *items, uint32_t least,
                                  uint64_t *window)
{
    keep_rich(node->row, node->planes * 64, items, node->words, least, window, node->planes);
}

/* Drops items that are linked with fewer than `least` of the items. */
static inline void keep_linked(const narrow *node, const uint64_t *link, uint32_t least,
                               uint64_t *items)
{
    keep_rich(link, node->link_stride, items, node->words, least, items, node->words);
}
