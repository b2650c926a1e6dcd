/*
 * Scores and their inverse. The logarithm of a tail is a number with an error of its last digits,
 * so that near a whole score it could be rounded to either side. There the inverse decides: it is a
 * fixed number, and who asks for the score or for the mean gets the same answer.
 */
#include "significance/exact/score.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/bisect.h"
#include "base/random.h"
#include "base/tails.h"

/* Means below are as 0. */
static const double LEAST_MEAN = 1e-300;
/* 1000 / log(10). */
static const double THOUSANDTHS = 434.29448190325182765;

/* The score before rounding; mean >= LEAST_MEAN. */
static double exact_value(double mean, uint64_t count)
{
    return -spk_poisson_log_tail(count, mean, NULL) * THOUSANDTHS;
}

/* ---- the inverse ----------------------------------------------------------------------------- */

/* The number of a positive double in their order, and back. */
static uint64_t number_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t number)
{
    double value = 0;
    memcpy(&value, &number, sizeof value);
    return value;
}

/* log of a mean near that whose tail has this logarithm. The logarithm of the tail is concave in
 * log(mean), so that Newton's steps from the left stay left; P <= mean^count / count! is left. */
static double solve(double log_tail, uint64_t count)
{
    const double x = (double)count;
    const double log_factorial =
        spk_stirling_error(x) + (x + 0.5) * spk_portable_log(x) - x + SPK_LOG_TWO_PI / 2;
    double u = (log_tail + log_factorial) / x;
    for (int k = 0; k < 200 && u > -690; k++) {
        double slope = 0, mean = spk_portable_exp(u);
        double missing = log_tail - spk_poisson_log_tail(count, mean, &slope);
        double step = missing / (slope * mean);
        u += step;
        if (!(step > 4e-16 * (1 + fabs(u))))
            break;
    }
    return u;
}

/* Whether a mean of this number has the score. */
static bool has_score(uint64_t number, uint64_t count, double score)
{
    double mean = double_of(number);
    return mean < LEAST_MEAN || exact_value(mean, count) >= score;
}

double spk_exact_mean_for(uint32_t score, uint64_t count)
{
    if (score == 0)
        return INFINITY;
    if (count == 0 || score > SPK_EXACT_MOST_SCORE)
        return -1;
    double u = solve(-(double)score / THOUSANDTHS, count);
    double near = u > -690 ? spk_portable_exp(u) : LEAST_MEAN;
    uint64_t least = number_of(LEAST_MEAN) - 1; /* has every score */
    uint64_t low = number_of(near < LEAST_MEAN ? LEAST_MEAN : near), high = low, step = 1;
    for (; low > least && !has_score(low, count, score); step *= 2) {
        high = low;
        low = low - least > step ? low - step : least;
    }
    for (; high == low || has_score(high, count, score); step *= 2) {
        low = high;
        high += step;
    }
    spk_bisect s = {low + 1, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, has_score(s.middle, count, score));
    return double_of(s.low - 1);
}

/* ---- the score ------------------------------------------------------------------------------- */

uint32_t spk_exact_score(double mean, uint64_t count)
{
    assert(mean >= 0 && isfinite(mean));
    if (count == 0)
        return 0;
    if (mean < LEAST_MEAN)
        return SPK_EXACT_MOST_SCORE;
    double value = exact_value(mean, count);
    double doubt = 1e-6 + value * 1e-13; /* far above the error of the value */
    if (value > SPK_EXACT_MOST_SCORE + doubt)
        return SPK_EXACT_MOST_SCORE;
    uint32_t score = (uint32_t)value;
    double beyond = value - score;
    if (beyond < doubt && mean > spk_exact_mean_for(score, count))
        return score - 1;
    if (beyond > 1 - doubt && mean <= spk_exact_mean_for(score + 1, count))
        return score + 1;
    return score;
}

uint32_t spk_exact_spread_score(double mean, double spread, uint64_t count)
{
    const double beyond = (double)count - mean;
    assert(spread >= 1);
    if (spread > 1 && beyond > 0)
        count = (uint64_t)(mean + beyond / sqrt(spread));
    return spk_exact_score(mean, count);
}
