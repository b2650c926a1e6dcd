/*
 * The inner loops of the bitmap engine: which items share enough windows with one of them.
 *
 * Narrow nodes hold one word of window bits per item; a pair of items is one AND and one population
 * count, 8 to 32 pairs at a time. Wide nodes hold bit rows over the items; rows are added up in
 * bit-sliced counters (carry-save adders, one plane per binary digit), so that one pass over the
 * windows of an item counts all other items at once.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_KERNELS_H
#define SPK_PATTERN_ENGINE_BITMAP_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512BITALG__)
#include <immintrin.h>
#define SPK_BITMAP_AVX512 1
#elif defined(__BMI2__)
#include <immintrin.h>
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
        inside[w] = within;
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
            inside[w] = pack_flags(within);                                                        \
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

/* Adds up one vector of items over all listed rows; plane p holds digit p of the counts. */
static inline void plane_sum(const uint64_t *row, uint32_t words, const uint32_t *list, uint32_t n,
                             spk_vector *plane, uint32_t n_planes)
{
    spk_vector ones = {0}, twos = {0}, fours = {0};
    for (uint32_t p = 0; p < n_planes; p++)
        plane[p] = (spk_vector){0};
    uint32_t i = 0;
#define SPK_ROW(k) (*(const spk_vector *)(const void *)(row + (size_t)list[i + (k)] * words))
    for (; i + 8 <= n; i += 8) {
        spk_vector twos_a, twos_b, fours_a, fours_b, eights;
        SPK_ADD(twos_a, ones, ones, SPK_ROW(0), SPK_ROW(1));
        SPK_ADD(twos_b, ones, ones, SPK_ROW(2), SPK_ROW(3));
        SPK_ADD(fours_a, twos, twos, twos_a, twos_b);
        SPK_ADD(twos_a, ones, ones, SPK_ROW(4), SPK_ROW(5));
        SPK_ADD(twos_b, ones, ones, SPK_ROW(6), SPK_ROW(7));
        SPK_ADD(fours_b, twos, twos, twos_a, twos_b);
        SPK_ADD(eights, fours, fours, fours_a, fours_b);
        plane_carry(plane, 3, n_planes, &eights);
    }
    for (; i < n; i++) {
        spk_vector carry = SPK_ROW(0), both = ones & carry;
        ones ^= carry;
        carry = twos & both;
        twos ^= both;
        both = fours & carry;
        fours ^= carry;
        plane_carry(plane, 3, n_planes, &both);
    }
#undef SPK_ROW
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

#endif
