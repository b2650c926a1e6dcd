/* The kernels of pattern_means.h, compiled once per instruction set (cmake/Simd.cmake). Vectors
 * have the length of a register: compilers take longer ones apart into single numbers. */
#include "significance/exact/pattern_means.h"

#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define JOIN_AGAIN(a, b) a##_##b
#define JOIN(a, b)       JOIN_AGAIN(a, b)
#define MULTIPLY         JOIN(means_multiply, SPK_SIMD_SUFFIX)
#define SUM              JOIN(means_sum, SPK_SIMD_SUFFIX)

means_multiply_fn MULTIPLY;
means_sum_fn SUM;

#if defined(__AVX512F__)
#include <immintrin.h>
#define PART_BYTES 64
#elif defined(__AVX2__)
#define PART_BYTES 32
#else
#define PART_BYTES 16
#endif

typedef double part __attribute__((vector_size(PART_BYTES)));
typedef int64_t part_bits __attribute__((vector_size(PART_BYTES)));
typedef float short_part __attribute__((vector_size(PART_BYTES / 2)));
enum { WIDTH = PART_BYTES / sizeof(double), PARTS = MEANS_LANES / WIDTH };

static inline part load(const double *from)
{
    part value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline part load_short(const float *from)
{
    short_part value;
    memcpy(&value, from, sizeof value);
#if defined(__AVX512F__) /* compilers take the conversion apart */
    return (part)_mm512_cvtps_pd((__m256)value);
#else
    return __builtin_convertvector(value, part);
#endif
}

static inline part positive(part value)
{
    return (part)((part_bits)value & (value > (part){0}));
}

/* max(row - less, 0) */
static inline part left_of(const float *row, part less, bool some_less)
{
    part value = load_short(row);
    return some_less ? positive(value - less) : value;
}

static inline part all_of(double value)
{
    return value - (part){0};
}

/* ---- multiply -------------------------------------------------------------------------------- */

static inline bool multiply(uint32_t n, const double *from, const float *row, double less,
                            bool some_less, double *to)
{
    const part taken = all_of(less);
    part_bits some = {0};
    for (uint32_t k = 0; k < n; k += WIDTH) {
        part value = load(from + k) * left_of(row + k, taken, some_less);
        some |= (part_bits)value;
        memcpy(to + k, &value, sizeof value);
    }
    int64_t any = 0;
    for (int k = 0; k < (int)WIDTH; k++)
        any |= some[k];
    return any != 0;
}

bool MULTIPLY(uint32_t n, const double *from, const float *row, double less, double *to)
{
    return less > 0 ? multiply(n, from, row, less, true, to) : multiply(n, from, row, 0, false, to);
}

/* ---- sum ------------------------------------------------------------------------------------- */

static inline double fold(const part *lanes)
{
    double lane[MEANS_LANES];
    memcpy(lane, lanes, sizeof lane);
    for (int width = MEANS_LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            lane[k] += lane[k + width];
    return lane[0];
}

/* The usual case: two rows, or one, from which nothing is taken. */
static inline double sum_plainly(uint32_t n, const double *from, const float *row,
                                 const float *last)
{
    part lanes[PARTS] = {{0}};
    for (uint32_t k = 0; k < n; k += MEANS_LANES)
        for (uint32_t j = 0; j < PARTS; j++) {
            uint32_t at = k + j * WIDTH;
            part value = row != NULL ? load(from + at) * load_short(row + at) : load(from + at);
            lanes[j] += value * load_short(last + at);
        }
    return fold(lanes);
}

static double sum(uint32_t n, const double *from, const float *row, double less, const float *last,
                  double last_less, const double *mask)
{
    const part taken = all_of(less), last_taken = all_of(last_less);
    part lanes[PARTS] = {{0}};
    for (uint32_t k = 0; k < n; k += MEANS_LANES)
        for (uint32_t j = 0; j < PARTS; j++) {
            uint32_t at = k + j * WIDTH;
            part value = load(from + at);
            value = row != NULL ? value * left_of(row + at, taken, true) : value;
            value *= left_of(last + at, last_taken, true);
            lanes[j] += mask != NULL ? value * load(mask + at) : value;
        }
    return fold(lanes);
}

double SUM(uint32_t n, const double *from, const float *row, double less, const float *last,
           double last_less, const double *mask)
{
    if (less > 0 || last_less > 0 || mask != NULL)
        return sum(n, from, row, less, last, last_less, mask);
    return row != NULL ? sum_plainly(n, from, row, last) : sum_plainly(n, from, NULL, last);
}
