/*
 * Binomial probabilities by the saddle-point expansion of Loader, "Fast and accurate computation of
 * binomial probabilities" (2000): no sum of large numbers of different sign, so that the error
 * stays at some 1e-14 for any n. Tails are sums of probabilities that fall.
 */
#include "base/binomial.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/bisect.h"
#include "base/portable.h"
#include "base/random.h"
#include "base/saddle_point.h"

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
                            spk_stirling_error(y) - spk_deviance(x, trials * p) -
                            spk_deviance(y, trials * (1 - p));
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
