/*
 * The inner loops of the bitmap engine: which items share enough windows with one of them.
 *
 * Narrow nodes hold one word of window bits per item; a pair of items is one AND and one population
 * count, 8 to 32 pairs at a time. Wide nodes hold bit rows over the items; rows are added up in
 * bit-sliced counters (carry-save adders, one plane per binary digit), so that one pass over the
 * windows of an item counts all other items at once.
 *
 *     item               0  1  2  3  4  5             of one vector: 128, 256 or 512 items
 *     row, window 3      1  0  1  1  0  1
 *         window 7       1  0  0  1  1  0
 *         window 9       1  1  0  1  0  0
 *     plane 0 (ones)     1  1  1  1  1  1             counts: 3 1 1 3 1 1
 *     plane 1 (twos)     1  0  0  1  0  0             in 2 windows or more: items 0 and 3
 *
 * Invariant: bit k of word w stands for item 64 w + k, in rows, planes, share and inside alike.
 * Cost: a pair takes one AND and one count; n rows take about 7 n / 8 full adders a vector, and a
 * comparison with the support takes one step a plane. Carry-save adders after Harley and Seal
 * (Warren, Hacker's Delight, section 5-1).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512BITALG__)
#include <immintrin.h>
#define SPK_BITMAP_AVX512 1
#elif defined(__BMI2__)
#include <immintrin.h>
#elif defined(SPK_SIMD_IS_NEON)
#include <arm_neon.h>
#endif

/* ---- narrow: pairs of columns -----------------------------------------------------------------
 */

#ifdef SPK_BITMAP_AVX512

static inline void pair_masks_16(const uint16_t *column, uint32_t words, uint16_t mine,
                                 uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    const __m512i own = _mm512_set1_epi16((short)mine);
    const __m512i least = _mm512_set1_epi16((short)min_support);
    for (uint32_t w = 0; w < words; w++, column += 64) {
        __m512i a = _mm512_and_si512(_mm512_load_si512(column), own);
        __m512i b = _mm512_and_si512(_mm512_load_si512(column + 32), own);
        share[w] = (uint64_t)_mm512_cmpge_epu16_mask(_mm512_popcnt_epi16(a), least) |
                   (uint64_t)_mm512_cmpge_epu16_mask(_mm512_popcnt_epi16(b), least) << 32;
        inside[w] = (uint64_t)_mm512_cmpeq_epi16_mask(a, own) |
                    (uint64_t)_mm512_cmpeq_epi16_mask(b, own) << 32;
    }
}

static inline void pair_masks_32(const uint32_t *column, uint32_t words, uint32_t mine,
                                 uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    const __m512i own = _mm512_set1_epi32((int)mine);
    const __m512i least = _mm512_set1_epi32((int)min_support);
    for (uint32_t w = 0; w < words; w++) {
        uint64_t enough = 0, within = 0;
        for (uint32_t k = 0; k < 64; k += 16, column += 16) {
            __m512i a = _mm512_and_si512(_mm512_load_si512(column), own);
            enough |= (uint64_t)_mm512_cmpge_epu32_mask(_mm512_popcnt_epi32(a), least) << k;
            within |= (uint64_t)_mm512_cmpeq_epi32_mask(a, own) << k;
        }
        share[w] = enough;
        inside[w] = within;
    }
}

/* Whoever asks for no `inside` gives NULL here, also below: half of the work goes then. */
static inline void pair_masks_64(const uint64_t *column, uint32_t words, uint64_t mine,
                                 uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    const __m512i own = _mm512_set1_epi64((long long)mine);
    const __m512i least = _mm512_set1_epi64((long long)min_support);
    for (uint32_t w = 0; w < words; w++) {
        uint64_t enough = 0, within = 0;
        for (uint32_t k = 0; k < 64; k += 8, column += 8) {
            __m512i a = _mm512_and_si512(_mm512_load_si512(column), own);
            enough |= (uint64_t)_mm512_cmpge_epu64_mask(_mm512_popcnt_epi64(a), least) << k;
            within |= (uint64_t)_mm512_cmpeq_epi64_mask(a, own) << k;
        }
        share[w] = enough;
        if (inside != NULL)
            inside[w] = within;
    }
}

#elif defined(SPK_SIMD_IS_NEON)

/* 64 bytes, all ones or all zeros, as 64 bits: each keeps the bit of its place among eight, and
 * neighbours are added up. */
static inline uint64_t pack_bytes(const uint8x16_t byte[4])
{
    static const uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bit = vld1q_u8(place);
    uint8x16_t low = vpaddq_u8(vandq_u8(byte[0], bit), vandq_u8(byte[1], bit));
    uint8x16_t high = vpaddq_u8(vandq_u8(byte[2], bit), vandq_u8(byte[3], bit));
    uint8x16_t all = vpaddq_u8(low, high);
    all = vpaddq_u8(all, all);
    return vgetq_lane_u64(vreinterpretq_u64_u8(all), 0);
}

static inline uint16x8_t bit_counts_16(uint16x8_t a)
{
    return vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u16(a)));
}

static inline uint32x4_t bit_counts_32(uint32x4_t a)
{
    return vpaddlq_u16(bit_counts_16(vreinterpretq_u16_u32(a)));
}

static inline uint64x2_t bit_counts_64(uint64x2_t a)
{
    return vpaddlq_u32(bit_counts_32(vreinterpretq_u32_u64(a)));
}

/* Masks of lanes, made narrower by half. */
static inline uint8x16_t halve_16(uint16x8_t a, uint16x8_t b)
{
    return vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b));
}

static inline uint16x8_t halve_32(uint32x4_t a, uint32x4_t b)
{
    return vuzp1q_u16(vreinterpretq_u16_u32(a), vreinterpretq_u16_u32(b));
}

static inline uint32x4_t halve_64(uint64x2_t a, uint64x2_t b)
{
    return vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
}

static inline void pair_masks_16(const uint16_t *column, uint32_t words, uint16_t mine,
                                 uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    const uint16x8_t own = vdupq_n_u16(mine);
    const uint16x8_t least = vdupq_n_u16((uint16_t)min_support);
    for (uint32_t w = 0; w < words; w++) {
        uint8x16_t enough[4], within[4];
        for (uint32_t k = 0; k < 4; k++, column += 16) {
            uint16x8_t a = vandq_u16(vld1q_u16(column), own);
            uint16x8_t b = vandq_u16(vld1q_u16(column + 8), own);
            enough[k] =
                halve_16(vcgeq_u16(bit_counts_16(a), least), vcgeq_u16(bit_counts_16(b), least));
            within[k] = halve_16(vceqq_u16(a, own), vceqq_u16(b, own));
        }
        share[w] = pack_bytes(enough);
        inside[w] = pack_bytes(within);
    }
}

static inline void pair_masks_32(const uint32_t *column, uint32_t words, uint32_t mine,
                                 uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    const uint32x4_t own = vdupq_n_u32(mine);
    const uint32x4_t least = vdupq_n_u32(min_support);
    /* A word of outcome is 64 lanes of 32 bits: masks of all ones or zeros are halved twice, to
     * bytes, and packed. */
    for (uint32_t w = 0; w < words; w++) {
        uint8x16_t enough[4], within[4];
        for (uint32_t k = 0; k < 4; k++) {
            uint16x8_t more[2], same[2];
            for (uint32_t h = 0; h < 2; h++, column += 8) {
                uint32x4_t a = vandq_u32(vld1q_u32(column), own);
                uint32x4_t b = vandq_u32(vld1q_u32(column + 4), own);
                more[h] = halve_32(vcgeq_u32(bit_counts_32(a), least),
                                   vcgeq_u32(bit_counts_32(b), least));
                same[h] = halve_32(vceqq_u32(a, own), vceqq_u32(b, own));
            }
            enough[k] = halve_16(more[0], more[1]);
            within[k] = halve_16(same[0], same[1]);
        }
        share[w] = pack_bytes(enough);
        inside[w] = pack_bytes(within);
    }
}

static inline void pair_masks_64(const uint64_t *column, uint32_t words, uint64_t mine,
                                 uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    const uint64x2_t own = vdupq_n_u64(mine);
    const uint64x2_t least = vdupq_n_u64(min_support);
    /* As with 32 bits; masks are halved three times. */
    for (uint32_t w = 0; w < words; w++) {
        uint8x16_t enough[4], within[4];
        for (uint32_t k = 0; k < 4; k++) {
            uint32x4_t more[4], same[4];
            for (uint32_t q = 0; q < 4; q++, column += 4) {
                uint64x2_t a = vandq_u64(vld1q_u64(column), own);
                uint64x2_t b = vandq_u64(vld1q_u64(column + 2), own);
                more[q] = halve_64(vcgeq_u64(bit_counts_64(a), least),
                                   vcgeq_u64(bit_counts_64(b), least));
                same[q] = halve_64(vceqq_u64(a, own), vceqq_u64(b, own));
            }
            enough[k] = halve_16(halve_32(more[0], more[1]), halve_32(more[2], more[3]));
            within[k] = halve_16(halve_32(same[0], same[1]), halve_32(same[2], same[3]));
        }
        share[w] = pack_bytes(enough);
        if (inside != NULL)
            inside[w] = pack_bytes(within);
    }
}

#else

/* 64 flags (0 or 1) as 64 bits: the product moves bit 8 i of eight bytes to bit 56 + i. */
static inline uint64_t pack_flags(const uint8_t *flag)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < 64; k += 8) {
        uint64_t eight = 0;
        for (uint32_t i = 0; i < 8; i++)
            eight |= (uint64_t)flag[k + i] << (8 * i);
        bits |= (eight * UINT64_C(0x0102040810204080)) >> 56 << k;
    }
    return bits;
}

/* Population counts written out, so that the compiler can count many lanes at once. */
#define SPK_PAIR_MASKS(bits, type, fives, threes, fifteens, ones)                                  \
    static inline void pair_masks_##bits(const type *column, uint32_t words, type mine,            \
                                         uint32_t min_support, uint64_t *share, uint64_t *inside)  \
    {                                                                                              \
        const type least = (type)min_support;                                                      \
        for (uint32_t w = 0; w < words; w++, column += 64) {                                       \
            uint8_t enough[64], within[64];                                                        \
            for (uint32_t k = 0; k < 64; k++) {                                                    \
                type a = (type)(column[k] & mine);                                                 \
                type x = (type)(a - ((a >> 1) & fives));                                           \
                x = (type)((x & threes) + ((x >> 2) & threes));                                    \
                x = (type)((x + (x >> 4)) & fifteens);                                             \
                x = (type)((type)(x * ones) >> (bits - 8));                                        \
                enough[k] = x >= least;                                                            \
                within[k] = a == mine;                                                             \
            }                                                                                      \
            share[w] = pack_flags(enough);                                                         \
            if (inside != NULL)                                                                    \
                inside[w] = pack_flags(within);                                                    \
        }                                                                                          \
    }

SPK_PAIR_MASKS(16, uint16_t, 0x5555u, 0x3333u, 0x0f0fu, 0x0101u)
SPK_PAIR_MASKS(32, uint32_t, 0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x01010101u)
SPK_PAIR_MASKS(64, uint64_t, UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
               UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x0101010101010101))
#undef SPK_PAIR_MASKS

#endif

/* ---- wide: bit-sliced counters ----------------------------------------------------------------
 */

#if defined(SPK_BITMAP_AVX512)
enum { VECTOR_WORDS = 8 };
#elif defined(__AVX2__)
enum { VECTOR_WORDS = 4 };
#else
enum { VECTOR_WORDS = 2 };
#endif
typedef uint64_t spk_vector __attribute__((vector_size(8 * VECTOR_WORDS)));

/* Bit rows over the items of a wide node have a multiple of this many words in every variant. */
enum { ROW_WORDS = 8 };

/* Full adder of three planes: the majority of three bits, and their sum modulo 2. */
#ifdef SPK_BITMAP_AVX512
#define SPK_TERNARY(a, b, c, table)                                                                \
    ((spk_vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), (table)))
#define SPK_ADD(high, low, a, b, c)                                                                \
    do {                                                                                           \
        spk_vector add_a_ = (a), add_b_ = (b), add_c_ = (c);                                       \
        (high) = SPK_TERNARY(add_a_, add_b_, add_c_, 0xe8);                                        \
        (low) = SPK_TERNARY(add_a_, add_b_, add_c_, 0x96);                                         \
    } while (0)
#elif defined(SPK_SIMD_IS_NEON)
#define SPK_ADD(high, low, a, b, c)                                                                \
    do {                                                                                           \
        spk_vector add_a_ = (a), add_b_ = (b), add_c_ = (c), add_u_ = add_a_ ^ add_b_;             \
        (high) =                                                                                   \
            (spk_vector)vbslq_u64((uint64x2_t)add_u_, (uint64x2_t)add_c_, (uint64x2_t)add_a_);     \
        (low) = add_u_ ^ add_c_;                                                                   \
    } while (0)
#else
#define SPK_ADD(high, low, a, b, c)                                                                \
    do {                                                                                           \
        spk_vector add_b_ = (b), add_c_ = (c), add_u_ = (a) ^ add_b_;                              \
        (high) = ((a)&add_b_) | (add_u_ & add_c_);                                                 \
        (low) = add_u_ ^ add_c_;                                                                   \
    } while (0)
#endif

static inline void plane_carry(spk_vector *plane, uint32_t from, uint32_t n_planes,
                               const spk_vector *carry_in)
{
    spk_vector carry = *carry_in;
    for (uint32_t p = from; p < n_planes; p++) {
        spk_vector both = plane[p] & carry;
        plane[p] ^= carry;
        carry = both;
    }
}

/* Adds eight rows to digits of sums: those of 1, 2 and 4 are added to, and 8 are carried. */
static inline void add_eight(const spk_vector *row, spk_vector *ones, spk_vector *twos,
                             spk_vector *fours, spk_vector *eights)
{
    spk_vector twos_a, twos_b, fours_a, fours_b;
    SPK_ADD(twos_a, *ones, *ones, row[0], row[1]);
    SPK_ADD(twos_b, *ones, *ones, row[2], row[3]);
    SPK_ADD(fours_a, *twos, *twos, twos_a, twos_b);
    SPK_ADD(twos_a, *ones, *ones, row[4], row[5]);
    SPK_ADD(twos_b, *ones, *ones, row[6], row[7]);
    SPK_ADD(fours_b, *twos, *twos, twos_a, twos_b);
    SPK_ADD(*eights, *fours, *fours, fours_a, fours_b);
}

/* Up to eight rows of a list: `n` of them, which is a constant where they are eight. */
static inline void sum_up_to_eight(const uint64_t *row, uint32_t words, const uint32_t *list,
                                   const uint32_t n, spk_vector *ones, spk_vector *twos,
                                   spk_vector *fours, spk_vector *eights)
{
#define SPK_ROW(k)                                                                                 \
    ((k) < n ? *(const spk_vector *)(const void *)(row + (size_t)list[k] * words)                  \
             : (const spk_vector){0})
    const spk_vector all[] = {SPK_ROW(0), SPK_ROW(1), SPK_ROW(2), SPK_ROW(3),
                              SPK_ROW(4), SPK_ROW(5), SPK_ROW(6), SPK_ROW(7)};
#undef SPK_ROW
    add_eight(all, ones, twos, fours, eights);
}

/* The next eight of the n rows of a list, or what is left of them. */
static inline void sum_rows(const uint64_t *row, uint32_t words, const uint32_t *list, uint32_t n,
                            spk_vector *ones, spk_vector *twos, spk_vector *fours,
                            spk_vector *eights)
{
    if (n >= 8)
        sum_up_to_eight(row, words, list, 8, ones, twos, fours, eights);
    else
        sum_up_to_eight(row, words, list, n, ones, twos, fours, eights);
}

/* Adds up one vector of items over all listed rows; plane p holds digit p of the counts. */
static inline void plane_sum(const uint64_t *row, uint32_t words, const uint32_t *list, uint32_t n,
                             spk_vector *plane, uint32_t n_planes)
{
    enum { FEW_PLANES = 6 };
    const spk_vector none = {0};
    spk_vector ones = none, twos = none, fours = none, eights;
    uint32_t i = 0;
    /* Eight rows make one carry into plane 3, as adders do: few planes stay in registers, and their
     * number is known to the compiler. No carry leaves the last plane: n is below 2^n_planes. */
    if (n_planes <= FEW_PLANES) {
        spk_vector plane_3 = none, plane_4 = none, plane_5 = none, carry;
        for (; i < n; i += 8) {
            sum_rows(row, words, list + i, n - i, &ones, &twos, &fours, &eights);
            carry = plane_3 & eights;
            plane_3 ^= eights;
            plane_5 ^= plane_4 & carry;
            plane_4 ^= carry;
        }
        plane[3] = plane_3;
        plane[4] = plane_4;
        plane[5] = plane_5;
    } else {
        for (uint32_t p = 3; p < n_planes; p++)
            plane[p] = none;
        for (; i < n; i += 8) {
            sum_rows(row, words, list + i, n - i, &ones, &twos, &fours, &eights);
            plane_carry(plane, 3, n_planes, &eights);
        }
    }
    plane[0] = ones;
    plane[1] = twos;
    plane[2] = fours;
}

/* share: items in at least min_support of the n listed rows; inside: items in all of them.
 * 1 <= min_support <= n. */
static inline void row_masks(const uint64_t *row, uint32_t words, const uint32_t *list, uint32_t n,
                             uint32_t min_support, uint64_t *share, uint64_t *inside)
{
    spk_vector plane[32];
    uint32_t n_planes = 32u - (uint32_t)__builtin_clz(n);
    n_planes = n_planes < 3 ? 3 : n_planes;
    for (uint32_t w = 0; w < words; w += VECTOR_WORDS) {
        plane_sum(row + w, words, list, n, plane, n_planes);
        /* Bit-sliced subtraction: a borrow is left where the count is below min_support. */
        spk_vector borrow = {0}, all = ~borrow;
        for (uint32_t p = 0; p < n_planes; p++) {
            borrow = (min_support >> p & 1) != 0 ? ~plane[p] | borrow : ~plane[p] & borrow;
            all &= (n >> p & 1) != 0 ? plane[p] : ~plane[p];
        }
        spk_vector enough = ~borrow;
        memcpy(share + w, &enough, sizeof enough);
        memcpy(inside + w, &all, sizeof all);
    }
}

/* The items in at least min_support of the n listed rows, from word `from` on, which is a multiple
 * of ROW_WORDS. */
static inline void row_share(const uint64_t *row, uint32_t words, uint32_t from,
                             const uint32_t *list, uint32_t n, uint32_t min_support,
                             uint64_t *share)
{
    spk_vector plane[32];
    uint32_t n_planes = 32u - (uint32_t)__builtin_clz(n);
    n_planes = n_planes < 3 ? 3 : n_planes;
    for (uint32_t w = from; w < words; w += VECTOR_WORDS) {
        plane_sum(row + w, words, list, n, plane, n_planes);
        spk_vector borrow = {0};
        for (uint32_t p = 0; p < n_planes; p++)
            borrow = (min_support >> p & 1) != 0 ? ~plane[p] | borrow : ~plane[p] & borrow;
        spk_vector enough = ~borrow;
        memcpy(share + w, &enough, sizeof enough);
    }
}

/* ---- gathering the bits of a mask ---------------------------------------------------------------
 */

/* Moves the bits of a word that lie under a mask together (parallel suffix, as in Warren, Hacker's
 * Delight, section 7-4); one instruction where there is one. */
typedef struct gatherer {
    uint64_t mask;
#ifndef __BMI2__
    uint64_t move[6];
#endif
} gatherer;

static inline gatherer gatherer_make(uint64_t mask)
{
    gatherer g = {.mask = mask};
#ifndef __BMI2__
    uint64_t zeros = ~mask << 1;
    for (uint32_t k = 0; k < 6; k++) {
        uint64_t odd = zeros ^ (zeros << 1);
        for (uint32_t shift = 2; shift < 64; shift *= 2)
            odd ^= odd << shift;
        g.move[k] = odd & mask;
        mask = (mask ^ g.move[k]) | (g.move[k] >> (1u << k));
        zeros &= ~odd;
    }
#endif
    return g;
}

static inline uint64_t gather_bits(const gatherer *g, uint64_t word)
{
#ifdef __BMI2__
    return _pext_u64(word, g->mask);
#else
    word &= g->mask;
    for (uint32_t k = 0; k < 6; k++) {
        uint64_t moving = word & g->move[k];
        word = (word ^ moving) | (moving >> (1u << k));
    }
    return word;
#endif
}
