/*
 * Tails by the saddle-point expansion of Loader, "Fast and accurate computation of
 * binomial probabilities" (2000): no sum of large numbers of different sign, so that the error
 * stays at some 1e-14 for any n. Tails are sums of probabilities that fall.
 */
#include "base/tails.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/bisect.h"
#include "base/random.h"

/* ---- the saddle-point expansion -------------------------------------------------------------- */

double spk_stirling_error(double n)
{
    enum { EXACT = 16 };
    if (n < EXACT) {
        double log_factorial = 0;
        for (int k = 2; k <= (int)n; k++)
            log_factorial += spk_portable_log(k);
        return log_factorial - (n + 0.5) * spk_portable_log(n) + n - SPK_LOG_TWO_PI / 2;
    }
    const double s = 1 / (n * n);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / n;
}

/* x log(x / mean) + mean - x for x and mean > 0; a series where they are near, without loss. */
static double deviance(double x, double mean)
{
    const double d = x - mean;
    if (fabs(d) >= 0.1 * (x + mean))
        return x * (spk_portable_log(x) - spk_portable_log(mean)) + mean - x;
    const double v = d / (x + mean);
    double sum = d * v, term = 2 * x * v;
    for (int k = 3; k < 1000; k += 2) {
        term *= v * v;
        double next = sum + term / k;
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

/* ---- the binomial distribution --------------------------------------------------------------- */

double spk_binomial_log_pmf(uint64_t k, uint64_t n, double p)
{
    assert(k <= n && p >= 0 && p <= 1);
    if (p <= 0 || p >= 1)
        return k == (p <= 0 ? 0 : n) ? 0 : -INFINITY;
    const double x = (double)k, trials = (double)n, y = (double)(n - k);
    if (k == 0)
        return trials * spk_portable_log1p(-p);
    if (k == n)
        return trials * spk_portable_log(p);
    const double exponent = spk_stirling_error(trials) - spk_stirling_error(x) -
                            spk_stirling_error(y) - deviance(x, trials * p) -
                            deviance(y, trials * (1 - p));
    return exponent +
           (spk_portable_log(trials) - spk_portable_log(x) - spk_portable_log(y) - SPK_LOG_TWO_PI) /
               2;
}

/* The sum of P[X = k], P[X = k + 1] and so on up to n in units of P[X = k]; `down`: k - 1 and so on
 * to 0. Terms fall from the mean on, so that the sum ends when one of them no longer counts. */
static double sum_from(uint64_t k, uint64_t n, double p, bool down)
{
    const double odds = p / (1 - p);
    double sum = 1, term = 1;
    for (uint64_t j = k; down ? j > 0 : j < n; j = down ? j - 1 : j + 1) {
        term *= down ? (double)j / ((double)(n - j + 1) * odds)
                     : (double)(n - j) * odds / (double)(j + 1);
        double next = sum + term;
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

double spk_binomial_log_tail(uint64_t k, uint64_t n, double p)
{
    if (k >= n)
        return -INFINITY;
    if ((double)(k + 1) >= (double)n * p)
        return spk_binomial_log_pmf(k + 1, n, p) + spk_portable_log(sum_from(k + 1, n, p, false));
    double below = spk_binomial_log_pmf(k, n, p) + spk_portable_log(sum_from(k, n, p, true));
    return below < -700 ? 0 : spk_portable_log1p(-fmin(spk_portable_exp(fmin(below, 0)), 1));
}

uint64_t spk_binomial_isf(double log_q, uint64_t n, double p)
{
    assert(log_q <= 0 && p >= 0 && p <= 1);
    if (p <= 0 || p >= 1)
        return p <= 0 || log_q >= 0 ? 0 : n;
    spk_bisect s = {0, n};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, spk_binomial_log_tail(s.middle, n, p) > log_q);
    return s.low;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* The p with P[X >= k] = tail. */
static double find_lower(uint64_t k, uint64_t n, double tail)
{
    enum { STEPS = 60 };
    const double log_wanted = spk_portable_log(tail);
    double low = 0, high = (double)k / (double)n;
    if (k == 0)
        return 0;
    for (int step = 0; step < STEPS; step++) {
        double middle = low + (high - low) / 2;
        if (spk_binomial_log_tail(k - 1, n, middle) < log_wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void spk_binomial_interval(uint64_t k, uint64_t n, double level, double *low, double *high)
{
    assert(n > 0 && k <= n && level > 0 && level < 1);
    *low = find_lower(k, n, (1 - level) / 2);
    *high = 1 - find_lower(n - k, n, (1 - level) / 2);
}

/* ---- the Poisson distribution ---------------------------------------------------------------- */

/*
 * Poisson tails: the probability of one number by the saddle-point expansion, times the sum of the
 * probabilities beside it in units of it. Terms fall from the mean on, so that the sum ends when
 * one of them no longer counts.
 */

/* Errors of Stirling's formula for 1 .. 15; [0] stands for a number that has none. */
static const double SMALL_ERROR[] = {
    0,
    0.08106146679532725822,
    0.041340695955409294094,
    0.027677925684998339149,
    0.020790672103765093112,
    0.016644691189821192163,
    0.013876128823070747999,
    0.011896709945891770095,
    0.010411265261972096497,
    0.0092554621827127329177,
    0.0083305634333628712565,
    0.007573675487951840795,
    0.0069428401072095298657,
    0.0064089941880042070684,
    0.0059513701127588477356,
    0.005554733551962801371,
};

/* log P[X = k], k >= 1. */
static double log_pmf(uint64_t k, double mean)
{
    enum { N_SMALL = sizeof SMALL_ERROR / sizeof *SMALL_ERROR };
    const double x = (double)k;
    const double error = k < N_SMALL ? SMALL_ERROR[k] : spk_stirling_error(x);
    return -error - deviance(x, mean) - (spk_portable_log(x) + SPK_LOG_TWO_PI) / 2;
}

/* P[X >= k] / P[X = k] for k >= mean. */
static double sum_upwards(uint64_t k, double mean)
{
    double sum = 1, term = 1;
    for (uint64_t j = k + 1;; j++) {
        term *= mean / (double)j;
        double next = sum + term;
        if (next == sum)
            return sum;
        sum = next;
    }
}

/* P[X <= k] / P[X = k] for k < mean. */
static double sum_downwards(uint64_t k, double mean)
{
    double sum = 1, term = 1;
    for (uint64_t j = k; j > 0; j--) {
        term *= (double)j / mean;
        double next = sum + term;
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

/* The slope of P[X >= count] is P[X = count - 1]. */
double spk_poisson_log_tail(uint64_t count, double mean, double *slope)
{
    assert(count >= 1 && mean > 0 && isfinite(mean));
    const double x = (double)count;
    double tail = 0, unused = 0;
    slope = slope != NULL ? slope : &unused;
    if (x >= mean) {
        double sum = sum_upwards(count, mean);
        *slope = x / mean / sum;
        return fmin(log_pmf(count, mean) + spk_portable_log(sum), 0);
    }
    double one = count == 1 ? -mean : log_pmf(count - 1, mean);
    double below = one + spk_portable_log(sum_downwards(count - 1, mean));
    if (below < -700) {
        *slope = 0;
        return 0;
    }
    tail = spk_portable_log1p(-fmin(spk_portable_exp(fmin(below, 0)), 1));
    *slope = spk_portable_exp(one - tail);
    return tail;
}
