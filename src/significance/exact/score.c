/*
 * Scores and their inverse. The logarithm of a tail is a number with an error of its last digits,
 * so that near a whole score it could be rounded to either side. There the inverse decides: it is a
 * fixed number, and who asks for the score or for the mean gets the same answer.
 */
#include "significance/exact/exact.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/order.h"
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

/* ---- the largest scores ---------------------------------------------------------------------- */

static void keep_largest(spk_top_scores *top)
{
    qsort(top->score, top->n, sizeof *top->score, spk_falling_u32);
    if (top->n < SPK_EXACT_KEPT)
        return;
    top->n = SPK_EXACT_KEPT;
    top->least = top->score[SPK_EXACT_KEPT - 1];
}

void spk_top_scores_add(spk_top_scores *top, uint32_t score)
{
    if (score <= top->least)
        return;
    assert(top->n < 2 * SPK_EXACT_KEPT);
    top->score[top->n++] = score;
    if (top->n == 2 * SPK_EXACT_KEPT)
        keep_largest(top);
}

size_t spk_top_scores_steps(spk_top_scores *top, uint32_t scale, spk_score_step *out)
{
    size_t n = 0;
    keep_largest(top);
    for (uint32_t k = 0; k < top->n; k++)
        if (k + 1 == top->n || top->score[k] != top->score[k + 1])
            out[n++] = (spk_score_step){.scale = scale, .score = top->score[k], .results = k + 1};
    return n;
}

/* ---- classes of results ---------------------------------------------------------------------- */

/* Number of different values among the n, each divided by `divisor`: those of one result lie in a
 * stretch of that length. */
static uint64_t count_different(const uint32_t *value, uint64_t n, uint32_t divisor)
{
    uint64_t different = 0;
    for (uint64_t k = 0; k < n; k++) {
        const uint32_t first = value[k] - value[k] % divisor;
        uint64_t j = 0;
        while (j < k && value[j] - first >= divisor)
            j++;
        different += j == k;
    }
    return different;
}

uint32_t spk_exact_class_of(const spk_exact_job *job, const uint32_t *value, uint64_t size)
{
    const spk_exact_options *o = &job->options;
    const uint64_t units = count_different(value, size, job->of_patterns ? job->windows.window : 1);
    if (size < 2 || size < o->min_size || units < o->distinct_units)
        return SPK_EXACT_NO_CLASS;
    return spk_exact_class(size, units);
}
