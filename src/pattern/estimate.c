/*
 * How often a chance pattern occurs (Porrmann et al. 2021, section 3.1): independent units at the
 * mean rate, every one of them firing in a bin with the same probability p. One pattern of k spikes
 * then occurs in about n_bins * p^k windows; the number is taken as Poisson distributed, and its
 * 95th percentile is what a pattern must reach.
 */
#include <math.h>

#include "base/context.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

/* The smallest n with P(N <= n) >= level for a Poisson variable of this mean; sums up to a mean of
 * thousands, beyond that by the normal approximation, which is good to a fraction of one there. */
static uint64_t poisson_quantile(double mean, double level)
{
    const double normal_95 = 1.6448536269514722;
    if (mean > 5000)
        return (uint64_t)ceil(mean + normal_95 * sqrt(mean));
    double log_term = -mean, sum = exp(log_term);
    uint64_t n = 0;
    while (sum < level && n < 100000) {
        n++;
        log_term += log(mean) - log((double)n);
        sum += exp(log_term);
    }
    return n;
}

spk_status spk_pattern_estimate(spk_context *context, const spk_windows *windows,
                                uint64_t floor_support, spk_pattern_supports *out)
{
    const spk_window_columns c = spk_windows_columns(windows);
    *out = (spk_pattern_supports){.n = 0};
    if (floor_support < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the least occurrences must be at least 1");
    uint64_t spikes = 0;
    for (uint64_t k = 0; k < c.first[c.n_windows]; k++)
        spikes += c.item[k] % c.window == 0;
    double cells = (double)c.n_bins * (double)c.n_units;
    double p = cells > 0 ? (double)spikes / cells : 0;
    double mean = (double)c.n_bins * p;
    for (uint32_t k = 2; k <= SPK_PATTERN_MAX_ESTIMATE; k++) {
        mean *= p;
        uint64_t n = mean > 0 ? poisson_quantile(mean, 0.95) : 0;
        out->at_size[k] = n > floor_support ? n : floor_support;
        out->n = k;
        if (n <= floor_support)
            break;
    }
    out->at_size[0] = out->at_size[1] = out->at_size[2];
    return SPK_OK;
}
