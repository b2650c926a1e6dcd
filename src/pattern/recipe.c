/*
 * Supports as in the published studies (Stella et al. 2022, SPADE_surrogates): the number of
 * occurrences that no pattern of chance should pass, with a correction for the number of possible
 * patterns. mine.c has the estimate of another paper.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/tails.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

SPK_OPTIONS_INIT(spk_pattern_recipe_options, .rate_percentile = 0.9, .alpha = SPK_USUAL_ALPHA,
                 .floor_support = 10);

static spk_status check(spk_context *context, const spk_pattern_recipe_options *options)
{
    if (!(options->rate_percentile >= 0 && options->rate_percentile <= 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the percentile of the rates is %g; it lies in 0 .. 1",
                        options->rate_percentile);
    if (!(options->alpha > 0 && options->alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "the level alpha is %g; it lies between 0 and 1",
                        options->alpha);
    if (options->floor_support < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the least occurrences must be at least 1");
    return SPK_OK;
}

/* Spikes of each unit that fires, ascending, in the bins at which windows start. */
static spk_status count_spikes(spk_context *context, const spk_window_columns *c, uint64_t **out,
                               uint64_t *n)
{
    uint64_t *spikes = NULL;
    spk_status status = spk_alloc_zero(context, &spikes, c->n_units, "spikes of units");
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < c->first[c->n_windows]; k++)
        if (c->item[k] % c->window == 0)
            spikes[c->item[k] / c->window]++;
    qsort(spikes, c->n_units, sizeof *spikes, spk_compare_uint64);
    uint64_t silent = 0;
    while (silent < c->n_units && spikes[silent] == 0)
        silent++;
    *n = c->n_units - silent;
    for (uint64_t u = 0; u < *n; u++)
        spikes[u] = spikes[silent + u];
    *out = spikes;
    return SPK_OK;
}

/* The percentile of sorted numbers; between two of them by a straight line. */
static double percentile_of(const uint64_t *sorted, uint64_t n, double share)
{
    const double place = share * (double)(n - 1);
    const uint64_t below = (uint64_t)place;
    const uint64_t above = below + 1 < n ? below + 1 : below;
    assert(below < n);
    return (double)sorted[below] +
           ((double)sorted[above] - (double)sorted[below]) * (place - (double)below);
}

/* log of the number of possible patterns of `size` spikes: L! / (L - size - 1)! choices of lags, of
 * which no factor is below 1, times the choices of units. */
static double log_n_patterns(uint32_t window, uint64_t n_units, uint32_t size)
{
    double sum = 0;
    for (uint32_t i = 0; i <= size && i < window; i++)
        sum += spk_portable_log((double)(window - i));
    for (uint32_t i = 0; i < size; i++)
        sum += spk_portable_log((double)(n_units - i)) - spk_portable_log((double)(i + 1));
    return sum;
}

static void fill(const spk_pattern_recipe_options *options, uint32_t window, uint64_t n_bins,
                 uint64_t n_units, double share, spk_pattern_supports *out)
{
    uint64_t before = n_bins;
    double log_before = 0, p = share;
    for (uint32_t size = 2; size <= SPK_PATTERN_MAX_ESTIMATE; size++) {
        uint64_t count = 0;
        p *= share;
        if (n_units >= size) {
            double log_n = log_n_patterns(window, n_units, size);
            const double log_alpha = spk_portable_log(options->alpha);
            count = spk_binomial_isf(fmin(log_alpha - log_n, 0), n_bins, p);
            if (count > before) {
                log_n = log_before;
                count = spk_binomial_isf(fmin(log_alpha - log_n, 0), n_bins, p);
            }
            count = count < before ? count : before;
            log_before = log_n;
        }
        before = count;
        out->n = size;
        out->at_size[size] = count > options->floor_support ? count : options->floor_support;
        if (count <= options->floor_support)
            break;
    }
    out->at_size[0] = out->at_size[1] = out->at_size[2];
}

spk_status spk_pattern_estimate_published(spk_context *context, const spk_windows *windows,
                                          const spk_pattern_recipe_options *options,
                                          spk_pattern_supports *out)
{
    const spk_window_columns c = spk_windows_columns(windows);
    spk_pattern_recipe_options own;
    uint64_t *spikes = NULL;
    uint64_t n_units = 0;
    *out = (spk_pattern_supports){.n = 0};
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_pattern_recipe_options);
    if (status == SPK_OK)
        status = check(context, &own);
    if (status == SPK_OK)
        status = count_spikes(context, &c, &spikes, &n_units);
    if (status != SPK_OK)
        return status;
    uint64_t n_bins = own.n_bins > 0 ? own.n_bins : c.n_bins;
    double share =
        n_units > 0 ? percentile_of(spikes, n_units, own.rate_percentile) / (double)n_bins : 0;
    free(spikes);
    if (share > 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%llu bins are fewer than those in which a unit fires; give the number of "
                        "bins of all trials",
                        (unsigned long long)n_bins);
    fill(&own, c.window, n_bins, n_units, share, out);
    return SPK_OK;
}
