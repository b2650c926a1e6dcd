/* Tails of the binomial and of the Poisson distribution, with the same bits everywhere (random.h
 * says where). */
#pragma once

#include <stdint.h>

/* log P[X = k] of n trials with probability p in 0 .. 1, k <= n; -INFINITY where it is 0. */
double spk_binomial_log_pmf(uint64_t k, uint64_t n, double p);

/* log P[X > k], p above 0 and below 1; -INFINITY where it is 0. */
double spk_binomial_log_tail(uint64_t k, uint64_t n, double p);

/* The smallest k with P[X > k] <= exp(log_q), log_q <= 0. The tail may be far below the range of
 * double. */
uint64_t spk_binomial_isf(double log_q, uint64_t n, double p);

/* The interval of Clopper and Pearson (1934) for the probability of what happened k times of n > 0,
 * at a level such as 0.95. */
void spk_binomial_interval(uint64_t k, uint64_t n, double level, double *low, double *high);

/* ---- the Poisson distribution ---------------------------------------------------------------- */

/* log P[X >= count], mean > 0 and finite, count >= 1, within some 1e-14 of it or of 1. The tail may
 * be far below the range of double. *slope: how it grows with the mean, where not NULL. Time: some
 * sqrt(mean) steps at most. */
double spk_poisson_log_tail(uint64_t count, double mean, double *slope);

/* ---- the saddle-point expansion -------------------------------------------------------------- */

/* The two parts of Loader's saddle-point expansion, with the same bits
 * everywhere (random.h says where). */

/* log(2 pi) */
#define SPK_LOG_TWO_PI 1.8378770664093454836

/* log(n!) - log(sqrt(2 pi n) (n / e)^n), the error of Stirling's formula, n >= 1. */
double spk_stirling_error(double n);
