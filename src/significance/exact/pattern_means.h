/*
 * The inner loops of the mean counts of patterns: products of numbers along a row of windows, and
 * their sum. They exist once for each instruction set (pattern_means_simd.c), and for GPUs
 * (cuda/means.h), with the same results bit for bit: products are made from left to right, window k
 * of a call adds to lane k modulo MEANS_LANES, and the lanes are added in one order. Numbers of
 * windows below are multiples of MEANS_LANES.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "significance/exact/cuda/means.h"

/* to[k] = from[k] * max(row[k] - less, 0); whether any is above 0. `to` may be `from`. */
typedef bool means_multiply_fn(uint32_t n, const double *from, const float *row, double less,
                               double *to);
/* The sum of from[k] * max(row[k] - less, 0) * max(last[k] - last_less, 0) * mask[k]; without a
 * factor whose pointer (row, mask) is NULL. */
typedef double means_sum_fn(uint32_t n, const double *from, const float *row, double less,
                            const float *last, double last_less, const double *mask);

typedef struct means_kernels {
    means_multiply_fn *multiply;
    means_sum_fn *sum;
} means_kernels;

/* The kernels of the best instruction set of this machine. */
means_kernels means_kernels_choose(void);
