/* Cross-correlograms of all pairs of units. */
#include <math.h>
#include <stdlib.h>

#include "correlograms.h"

spk_status correlograms_make(const spk_recording *recording, int64_t bin_ticks, correlograms *out)
{
    const spk_events events = spk_recording_events(recording);
    const size_t n = events.n_units;
    *out = (correlograms){.n_units = events.n_units,
                          .bin = calloc(n * n * CORRELOGRAM_LAGS + 1, sizeof *out->bin)};
    if (out->bin == NULL)
        return SPK_ERR_MEMORY;
    for (uint64_t i = 0; i < events.n_events; i++)
        for (uint64_t j = i + 1; j < events.n_events; j++) {
            const int64_t lag = (events.time[j] - events.time[i]) / bin_ticks;
            if (lag >= CORRELOGRAM_LAGS)
                break;
            out->bin[(events.unit[i] * n + events.unit[j]) * CORRELOGRAM_LAGS + (size_t)lag]++;
        }
    return SPK_OK;
}

void correlograms_free(correlograms *c)
{
    free(c->bin);
    *c = (correlograms){0};
}

static const uint32_t *bins_of(const correlograms *c, uint32_t from, uint32_t to)
{
    return c->bin + ((size_t)from * c->n_units + to) * CORRELOGRAM_LAGS;
}

/* ---- peaks above flanks ---------------------------------------------------------------------- */

static double sum_of(const uint32_t *bin, uint32_t width)
{
    double sum = 0;
    for (uint32_t k = 0; k < width; k++)
        sum += bin[k];
    return sum;
}

double correlogram_z(const correlograms *c, uint32_t from, uint32_t to, uint32_t width)
{
    const uint32_t *side[] = {bins_of(c, from, to), bins_of(c, to, from)};
    double peak = 0, sum = 0, squares = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < CORRELOGRAM_PEAK; k += width)
        peak = fmax(peak, sum_of(side[0] + k, width));
    for (int s = 0; s < 2; s++)
        for (uint32_t k = CORRELOGRAM_FLANK; k < CORRELOGRAM_LAGS; k += width) {
            const double value = sum_of(side[s] + k, width);
            sum += value;
            squares += value * value;
            n++;
        }
    const double mean = sum / n;
    const double variance = (squares - sum * mean) / (n - 1);
    return (peak - mean) / sqrt(variance > 0 ? variance : 1);
}

/* ---- peaks above a smooth mean --------------------------------------------------------------- */

/* -log10 P[Poisson(mean) >= count]. */
static double surprise(double mean, uint32_t count)
{
    if (count <= mean) {
        double below = 0;
        for (uint32_t k = 0; k < count; k++)
            below += exp(k * log(mean) - mean - lgamma(k + 1.0));
        return -log10(fmax(1 - below, 1e-12));
    }
    double ratio = 1, sum = 1;
    for (uint32_t k = count + 1; ratio > 1e-12 * sum; k++)
        sum += ratio *= mean / k;
    return -(count * log(mean) - mean - lgamma(count + 1.0) + log(sum)) / log(10);
}

/* The mean that bins around lag `at` of 0 .. 9 predict; lags below 0 are those of the other side.
 */
static double mean_around(const uint32_t *forward, const uint32_t *backward, int at)
{
    enum { REACH = 30 };
    static const double sd = 10, hollow = 0.6;
    double sum = 0, weights = 0;
    for (int d = -REACH; d <= REACH; d++) {
        const int lag = at + d;
        const double weight = exp(-0.5 * d * d / (sd * sd)) * (d == 0 ? 1 - hollow : 1);
        sum += weight * (lag >= 0 ? forward[lag] : backward[-1 - lag]);
        weights += weight;
    }
    return sum / weights;
}

double correlogram_hollow(const correlograms *c, uint32_t from, uint32_t to)
{
    const uint32_t *forward = bins_of(c, from, to), *backward = bins_of(c, to, from);
    double most = 0;
    for (int k = 0; k < CORRELOGRAM_PEAK; k++) {
        const double mean = mean_around(forward, backward, k);
        if (mean > 0)
            most = fmax(most, surprise(mean, forward[k]));
    }
    return most;
}
