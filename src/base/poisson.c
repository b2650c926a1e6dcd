/*
 * Poisson tails: the probability of one number by the saddle-point expansion, times the sum of the
 * probabilities beside it in units of it. Terms fall from the mean on, so that the sum ends when
 * one of them no longer counts.
 */
#include "base/poisson.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/portable.h"
#include "base/random.h"
#include "base/saddle_point.h"

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
    return -error - spk_deviance(x, mean) - (spk_portable_log(x) + SPK_LOG_TWO_PI) / 2;
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
