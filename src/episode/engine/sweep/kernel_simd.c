/*
 * The sweep kernels, compiled once per instruction set (cmake/Simd.cmake). The lanes of a strip lie
 * in parts of a register each: 32 lanes of 16 bits are one register of AVX-512, two of AVX2, four
 * of SSE2 or NEON. Vectors that are longer than a register must be avoided: compilers take them
 * apart into single numbers. Several strips go side by side because one strip's steps depend on
 * each other, as many as have their state in registers.
 *
 * A step of a lane:
 *     left     = blocked - shift, not below 0
 *     take     = left is 0, and the row says `later` > 0
 *     blocked  = take ? later + base : left
 *     count   += take
 *
 * Invariant: lanes of 16 bits are used where no episode spans more than 65535 ranks (plan.c), so
 * that later + base fits; a shift that was saturated still brings blocked to 0. Cost: for each end
 * and strip one cache line of the table, two where lanes are wide, and about five instructions a
 * register. Bytes: none of its own.
 */
#include "episode/engine/sweep/kernel.h"

#define JOIN_AGAIN(a, b) a##_##b
#define JOIN(a, b)       JOIN_AGAIN(a, b)
#define NARROW           JOIN(sweep_narrow, SPK_SIMD_SUFFIX)
#define WIDE             JOIN(sweep_wide, SPK_SIMD_SUFFIX)

sweep_narrow_fn NARROW;
sweep_wide_fn WIDE;

/* ---- lanes of 16 bits ------------------------------------------------------------------------ */

#if defined(__AVX512BW__)

#include <immintrin.h>

typedef __m512i part;
enum { REGISTER_BYTES = 64, MOST_TOGETHER = SWEEP_MAX_STRIPS };

static inline part part_load(const uint16_t *from)
{
    return _mm512_load_si512(from);
}

static inline void part_store(uint16_t *to, part value)
{
    _mm512_store_si512(to, value);
}

static inline part part_of(uint16_t value)
{
    return _mm512_set1_epi16((short)value);
}

static inline void part_step(part later, part down, part up, part *blocked, part *count)
{
    __mmask32 follows = _mm512_test_epi16_mask(later, later);
    part left = _mm512_subs_epu16(*blocked, down);
    __mmask32 take = _mm512_mask_testn_epi16_mask(follows, left, left);
    *blocked = _mm512_mask_add_epi16(left, take, later, up);
    *count = _mm512_mask_add_epi16(*count, take, *count, _mm512_set1_epi16(1));
}

#elif defined(__AVX2__)

#include <immintrin.h>

typedef __m256i part;
enum { REGISTER_BYTES = 32, MOST_TOGETHER = 2 };

static inline part part_load(const uint16_t *from)
{
    return _mm256_load_si256((const __m256i *)from);
}

static inline void part_store(uint16_t *to, part value)
{
    _mm256_store_si256((__m256i *)to, value);
}

static inline part part_of(uint16_t value)
{
    return _mm256_set1_epi16((short)value);
}

static inline void part_step(part later, part down, part up, part *blocked, part *count)
{
    const part zero = _mm256_setzero_si256();
    part left = _mm256_subs_epu16(*blocked, down);
    part take = _mm256_andnot_si256(_mm256_cmpeq_epi16(later, zero),
                                    _mm256_cmpeq_epi16(left, zero)); /* left 0, later not */
    *blocked = _mm256_or_si256(left, _mm256_and_si256(_mm256_add_epi16(later, up), take));
    *count = _mm256_sub_epi16(*count, take); /* take is all ones, -1 */
}

#elif defined(SPK_SIMD_IS_NEON)

#include <arm_neon.h>

typedef uint16x8_t part;
enum { REGISTER_BYTES = 16, MOST_TOGETHER = 2 };

static inline part part_load(const uint16_t *from)
{
    return vld1q_u16(from);
}

static inline void part_store(uint16_t *to, part value)
{
    vst1q_u16(to, value);
}

static inline part part_of(uint16_t value)
{
    return vdupq_n_u16(value);
}

static inline void part_step(part later, part down, part up, part *blocked, part *count)
{
    part left = vqsubq_u16(*blocked, down);
    part take = vtstq_u16(later, vceqzq_u16(left)); /* left 0, later not */
    *blocked = vbslq_u16(take, vaddq_u16(later, up), left);
    *count = vsubq_u16(*count, take); /* take is all ones, -1 */
}

#else

/* 16 bytes are a register wherever there are any. */
typedef uint16_t part __attribute__((vector_size(16), may_alias));
enum { REGISTER_BYTES = 16, MOST_TOGETHER = 1 };

static inline part part_load(const uint16_t *from)
{
    return *(const part *)from;
}

static inline void part_store(uint16_t *to, part value)
{
    *(part *)to = value;
}

static inline part part_of(uint16_t value)
{
    return value - (part){0};
}

static inline void part_step(part later, part down, part up, part *blocked, part *count)
{
    part left = (*blocked - down) & (part)(*blocked > down);
    part take = (part)(left == 0) & (part)(later != 0);
    *blocked = left | ((later + up) & take); /* left is 0 where taken */
    *count -= take;                          /* take is all ones, -1 */
}

#endif

enum { LANES_A_PART = REGISTER_BYTES / 2, PARTS = SWEEP_LANES / LANES_A_PART };

static inline __attribute__((always_inline)) void narrow_few(
    const uint32_t n_strips, uint32_t n, const uint32_t *row, const uint16_t *shift,
    const uint16_t *base, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    /* The state of all strips stays in registers for the whole list: n_strips and PARTS are
     * constants where this is inlined. */
    part blocked[MOST_TOGETHER][PARTS];
    part count[MOST_TOGETHER][PARTS];
    for (uint32_t s = 0; s < n_strips; s++) {
        for (uint32_t p = 0; p < PARTS; p++) {
            blocked[s][p] = part_load(lanes[s]->blocked + LANES_A_PART * p);
            count[s][p] = part_load(lanes[s]->count + LANES_A_PART * p);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const part down = part_of(shift[i]);
        const part up = part_of(base[i]);
        for (uint32_t s = 0; s < n_strips; s++) {
            const uint16_t *later = table[s] + (uint64_t)row[i] * SWEEP_LANES;
            for (uint32_t p = 0; p < PARTS; p++)
                part_step(part_load(later + LANES_A_PART * p), down, up, &blocked[s][p],
                          &count[s][p]);
        }
    }
    for (uint32_t s = 0; s < n_strips; s++) {
        for (uint32_t p = 0; p < PARTS; p++) {
            part_store(lanes[s]->blocked + LANES_A_PART * p, blocked[s][p]);
            part_store(lanes[s]->count + LANES_A_PART * p, count[s][p]);
        }
    }
}

/* In turns of as many strips as have their state in registers, each turn over the whole list. */
static inline __attribute__((always_inline)) void narrow_strips(
    const uint32_t n_strips, uint32_t n, const uint32_t *row, const uint16_t *shift,
    const uint16_t *base, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    const uint32_t rest = n_strips % MOST_TOGETHER;
    uint32_t s = 0;
    for (; s + MOST_TOGETHER <= n_strips; s += MOST_TOGETHER)
        narrow_few(MOST_TOGETHER, n, row, shift, base, table + s, lanes + s);
    if (rest > 0)
        narrow_few(rest, n, row, shift, base, table + s, lanes + s);
}

void NARROW(uint32_t n, const uint32_t *row, const uint16_t *shift, const uint16_t *base,
            uint32_t n_strips, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    /* Constant strip counts let the compiler keep all lanes in registers. */
    switch (n_strips) {
    case 1:
        narrow_strips(1, n, row, shift, base, table, lanes);
        break;
    case 2:
        narrow_strips(2, n, row, shift, base, table, lanes);
        break;
    case 3:
        narrow_strips(3, n, row, shift, base, table, lanes);
        break;
    default:
        narrow_strips(SWEEP_MAX_STRIPS, n, row, shift, base, table, lanes);
    }
}

/* ---- lanes of 32 bits ------------------------------------------------------------------------ */

typedef uint32_t wide_part __attribute__((vector_size(REGISTER_BYTES), may_alias));
enum { WIDE_LANES = REGISTER_BYTES / 4, WIDE_PARTS = SWEEP_LANES / WIDE_LANES };

/* One strip, some of its parts. */
static inline __attribute__((always_inline)) void wide_some(
    const uint32_t n_parts, uint32_t n, const uint32_t *row, const uint32_t *shift,
    const uint32_t *base, const uint32_t *table, uint32_t *blocked_lanes, uint32_t *count_lanes)
{
    wide_part blocked[WIDE_PARTS];
    wide_part count[WIDE_PARTS];
    for (uint32_t p = 0; p < n_parts; p++) {
        blocked[p] = ((const wide_part *)blocked_lanes)[p];
        count[p] = ((const wide_part *)count_lanes)[p];
    }
    for (uint32_t i = 0; i < n; i++) {
        const wide_part *later = (const wide_part *)(table + (uint64_t)row[i] * SWEEP_LANES);
        for (uint32_t p = 0; p < n_parts; p++) {
            /* As part_step, with masks in place of branches: blocked falls by shift, not below 0; a
             * lane at 0 that has a follower counts it and is blocked up to it. */
            wide_part above = (wide_part)(blocked[p] > shift[i]);
            wide_part left = (blocked[p] - shift[i]) & above;
            wide_part take = (wide_part)(left == 0) & (wide_part)(later[p] != 0);
            blocked[p] = left | ((later[p] + base[i]) & take);
            count[p] -= take;
        }
    }
    for (uint32_t p = 0; p < n_parts; p++) {
        ((wide_part *)blocked_lanes)[p] = blocked[p];
        ((wide_part *)count_lanes)[p] = count[p];
    }
}

void WIDE(uint32_t n, const uint32_t *row, const uint32_t *shift, const uint32_t *base,
          uint32_t n_strips, const uint32_t *const *table, sweep_wide *const *lanes)
{
    /* At a time as many parts as have their state in registers. */
    enum { SOME = WIDE_PARTS < 4 ? WIDE_PARTS : 4 };
    for (uint32_t s = 0; s < n_strips; s++)
        for (uint32_t p = 0; p < WIDE_PARTS; p += SOME)
            wide_some(SOME, n, row, shift, base, table[s] + p * WIDE_LANES,
                      lanes[s]->blocked + p * WIDE_LANES, lanes[s]->count + p * WIDE_LANES);
}
