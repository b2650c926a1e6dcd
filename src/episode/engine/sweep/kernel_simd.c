/*
 * The sweep kernels, compiled once per instruction set (cmake/Simd.cmake). Written with the
 * compilers' vector types, and with the instructions of AVX-512 and NEON: 32 lanes of 16 bits are
 * one AVX-512 register, two of AVX2, four of SSE2 or NEON. Several streams go side by side because
 * one stream's steps depend on each other.
 */
#include "episode/engine/sweep/kernel.h"

#define JOIN_AGAIN(a, b) a##_##b
#define JOIN(a, b)       JOIN_AGAIN(a, b)
#define NARROW           JOIN(sweep_narrow, SPK_SIMD_SUFFIX)
#define WIDE             JOIN(sweep_wide, SPK_SIMD_SUFFIX)

sweep_narrow_fn NARROW;
sweep_wide_fn WIDE;

#if defined(__AVX512BW__)

#include <immintrin.h>

static inline __attribute__((always_inline)) void narrow_streams(
    const uint32_t n_streams, uint32_t n, const uint32_t *row, const uint16_t *shift,
    const uint16_t *base, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    __m512i blocked[SWEEP_MAX_STREAMS];
    __m512i count[SWEEP_MAX_STREAMS];
    const __m512i one = _mm512_set1_epi16(1);
    for (uint32_t s = 0; s < n_streams; s++) {
        blocked[s] = _mm512_load_si512(lanes[s]->blocked);
        count[s] = _mm512_load_si512(lanes[s]->count);
    }
    for (uint32_t i = 0; i < n; i++) {
        const __m512i down = _mm512_set1_epi16((short)shift[i]);
        const __m512i up = _mm512_set1_epi16((short)base[i]);
        for (uint32_t s = 0; s < n_streams; s++) {
            __m512i later = _mm512_load_si512(table[s] + (uint64_t)row[i] * SWEEP_LANES);
            __mmask32 follows = _mm512_test_epi16_mask(later, later);
            blocked[s] = _mm512_subs_epu16(blocked[s], down);
            __mmask32 take = _mm512_mask_testn_epi16_mask(follows, blocked[s], blocked[s]);
            blocked[s] = _mm512_mask_add_epi16(blocked[s], take, later, up);
            count[s] = _mm512_mask_add_epi16(count[s], take, count[s], one);
        }
    }
    for (uint32_t s = 0; s < n_streams; s++) {
        _mm512_store_si512(lanes[s]->blocked, blocked[s]);
        _mm512_store_si512(lanes[s]->count, count[s]);
    }
}

#elif defined(SPK_SIMD_IS_NEON)

#include <arm_neon.h>

enum { PARTS = SWEEP_LANES / 8, MOST_TOGETHER = 2 };

/* What two streams keep from step to step fills half of the 32 registers. */
static inline __attribute__((always_inline)) void narrow_few(
    const uint32_t n_streams, uint32_t n, const uint32_t *row, const uint16_t *shift,
    const uint16_t *base, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    uint16x8_t blocked[MOST_TOGETHER][PARTS];
    uint16x8_t count[MOST_TOGETHER][PARTS];
    for (uint32_t s = 0; s < n_streams; s++) {
        for (uint32_t p = 0; p < PARTS; p++) {
            blocked[s][p] = vld1q_u16(lanes[s]->blocked + 8 * p);
            count[s][p] = vld1q_u16(lanes[s]->count + 8 * p);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint16x8_t down = vdupq_n_u16(shift[i]);
        const uint16x8_t up = vdupq_n_u16(base[i]);
        for (uint32_t s = 0; s < n_streams; s++) {
            const uint16_t *later_lanes = table[s] + (uint64_t)row[i] * SWEEP_LANES;
            for (uint32_t p = 0; p < PARTS; p++) {
                uint16x8_t later = vld1q_u16(later_lanes + 8 * p);
                uint16x8_t left = vqsubq_u16(blocked[s][p], down);
                uint16x8_t take = vtstq_u16(later, vceqzq_u16(left)); /* left 0, later not */
                blocked[s][p] = vbslq_u16(take, vaddq_u16(later, up), left);
                count[s][p] = vsubq_u16(count[s][p], take); /* take is all ones, -1 */
            }
        }
    }
    for (uint32_t s = 0; s < n_streams; s++) {
        for (uint32_t p = 0; p < PARTS; p++) {
            vst1q_u16(lanes[s]->blocked + 8 * p, blocked[s][p]);
            vst1q_u16(lanes[s]->count + 8 * p, count[s][p]);
        }
    }
}

static inline __attribute__((always_inline)) void narrow_streams(
    const uint32_t n_streams, uint32_t n, const uint32_t *row, const uint16_t *shift,
    const uint16_t *base, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    uint32_t s = 0;
    for (; s + MOST_TOGETHER <= n_streams; s += MOST_TOGETHER)
        narrow_few(MOST_TOGETHER, n, row, shift, base, table + s, lanes + s);
    if (s < n_streams)
        narrow_few(1, n, row, shift, base, table + s, lanes + s);
}

#else

typedef uint16_t lanes16 __attribute__((vector_size(SWEEP_LANES * sizeof(uint16_t)), may_alias));

static inline __attribute__((always_inline)) void narrow_streams(
    const uint32_t n_streams, uint32_t n, const uint32_t *row, const uint16_t *shift,
    const uint16_t *base, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    for (uint32_t s = 0; s < n_streams; s++) {
        lanes16 blocked = *(const lanes16 *)lanes[s]->blocked;
        lanes16 count = *(const lanes16 *)lanes[s]->count;
        for (uint32_t i = 0; i < n; i++) {
            lanes16 later = *(const lanes16 *)(table[s] + (uint64_t)row[i] * SWEEP_LANES);
            lanes16 above = (lanes16)(blocked > shift[i]);
            blocked = (blocked - shift[i]) & above;
            lanes16 take = (lanes16)(blocked == 0) & (lanes16)(later != 0);
            blocked |= (later + base[i]) & take; /* was 0 where taken */
            count -= take;                       /* take is all ones, -1 */
        }
        *(lanes16 *)lanes[s]->blocked = blocked;
        *(lanes16 *)lanes[s]->count = count;
    }
}

#endif

void NARROW(uint32_t n, const uint32_t *row, const uint16_t *shift, const uint16_t *base,
            uint32_t n_streams, const uint16_t *const *table, sweep_narrow *const *lanes)
{
    /* Constant stream counts let the compiler keep all lanes in registers. */
    switch (n_streams) {
    case 1:
        narrow_streams(1, n, row, shift, base, table, lanes);
        break;
    case 2:
        narrow_streams(2, n, row, shift, base, table, lanes);
        break;
    case 3:
        narrow_streams(3, n, row, shift, base, table, lanes);
        break;
    default:
        narrow_streams(SWEEP_MAX_STREAMS, n, row, shift, base, table, lanes);
    }
}

typedef uint32_t lanes32 __attribute__((vector_size(SWEEP_LANES * sizeof(uint32_t)), may_alias));

void WIDE(uint32_t n, const uint32_t *row, const uint32_t *shift, const uint32_t *base,
          uint32_t n_streams, const uint32_t *const *table, sweep_wide *const *lanes)
{
    for (uint32_t s = 0; s < n_streams; s++) {
        lanes32 blocked = *(const lanes32 *)lanes[s]->blocked;
        lanes32 count = *(const lanes32 *)lanes[s]->count;
        for (uint32_t i = 0; i < n; i++) {
            lanes32 later = *(const lanes32 *)(table[s] + (uint64_t)row[i] * SWEEP_LANES);
            lanes32 above = (lanes32)(blocked > shift[i]);
            blocked = (blocked - shift[i]) & above;
            lanes32 take = (lanes32)(blocked == 0) & (lanes32)(later != 0);
            blocked |= (later + base[i]) & take;
            count -= take;
        }
        *(lanes32 *)lanes[s]->blocked = blocked;
        *(lanes32 *)lanes[s]->count = count;
    }
}
