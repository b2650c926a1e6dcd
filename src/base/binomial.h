/* Tails of the binomial distribution, with the same bits everywhere (random.h says where). */
#ifndef SPK_BASE_BINOMIAL_H
#define SPK_BASE_BINOMIAL_H

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

#endif
