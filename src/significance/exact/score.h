/*
 * The score of a result: how unlikely its count is where the mean is that of the null hypothesis,
 * as -log10 P[Poisson(mean) >= count] in thousandths, rounded down. A count of 9 where 1 is
 * expected has the score 5949, since P is 10^-5.949...; a count of 0 has the score 0.
 *
 * Scores are whole numbers, so that ties, files and merges are exact. They are the same on every
 * machine, as base/random.h says.
 */
#ifndef SPK_SIGNIFICANCE_EXACT_SCORE_H
#define SPK_SIGNIFICANCE_EXACT_SCORE_H

#include <stdint.h>

/* The largest score: whatever is less likely has this one. */
#define SPK_EXACT_MOST_SCORE 4000000000u

/* The score; mean >= 0 and finite. Means below 1e-300 are as 0, where any count but 0 has the
 * largest score. It never falls when the count grows, and never grows with the mean. */
uint32_t spk_exact_score(double mean, uint64_t count);

/* The score of a count whose variance is `spread` means, at least 1: what it has beyond the mean
 * counts as much less as standard deviations are larger. */
uint32_t spk_exact_spread_score(double mean, double spread, uint64_t count);

/* The largest mean with which the count has at least that score: spk_exact_score(m, count) >= score
 * just where m <= spk_exact_mean_for(score, count). INFINITY for score 0; below 0 where there is no
 * such mean, for a count of 0 or above the largest score. It falls strictly where the score grows
 * by as much as the count has of it, and never grows. */
double spk_exact_mean_for(uint32_t score, uint64_t count);

#endif
