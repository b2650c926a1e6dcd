/*
 * The template of a sequence. A member fires with a probability of `share` in an occurrence, at a
 * lag that is normally distributed; its other spikes come at its own rate. Lag, spread and share
 * are fitted by expectation and maximisation over these two sources of spikes.
 */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/random.h"
#include "sequence/sequence.h"

enum { FIT_ROUNDS = 4 };

/* Spikes that the mean spread of all members counts for in a member's own. */
static const double prior_spikes = 4;

/* Cells, and shares, between which a fit stays. */
static const double least_spread = 1, most_spread = SEQUENCE_CELLS / 3.0;
static const double least_share = 0.02, most_share = 0.97;

/* Spreads on both sides of a lag in which a spike can be the member's. */
static const double reach_in_spreads = 3.5;

static const double root_two_pi = 2.5066282746310005;

static double between(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x;
}

sequence_member spk_sequence_member_of(const sequence_link *link, uint32_t unit)
{
    /* A member without which nothing occurs has no moments to be judged by. */
    const double part = link->n > 0 ? (double)link->with / (double)link->n : 0;
    const double share = (part - link->chance) / (1 - link->chance);
    return (sequence_member){.unit = unit,
                             .lag = link->lag,
                             .spread = link->n > 0 ? link->width / 1.6 : least_spread,
                             .share = between(0.05, share, 0.95),
                             .score = link->score};
}

/* ---- fits ------------------------------------------------------------------------------------ */

/* Expected spikes of the member, and their distances from its lag: sums, and of squares. */
typedef struct sums {
    double n;
    double first;
    double second;
} sums;

static void add_spikes(const sequence_axis *axis, const sequence_member *m, double centre,
                       sums *sum)
{
    const double reach = reach_in_spreads * m->spread;
    const double scale = m->share / (m->spread * root_two_pi);
    sums here = {0, 0, 0};
    uint64_t i = spk_sequence_first_spike(axis, m->unit, centre - reach);
    for (; i < axis->first[m->unit + 1] && axis->at[i] <= centre + reach; i++) {
        const double d = axis->at[i] - centre, x = d / m->spread;
        const double odds = scale * spk_portable_exp(-x * x / 2) / axis->rate[i];
        here.n += odds;
        here.first += odds * d;
        here.second += odds * d * d;
    }
    const double total = 1 - m->share + here.n;
    sum->n += here.n / total;
    sum->first += here.first / total;
    sum->second += here.second / total;
}

static void fit_once(const sequence_axis *axis, const sequence_moments *moments, double usual,
                     sequence_member *m)
{
    sums sum = {0, 0, 0};
    for (uint64_t k = 0; k < moments->n; k++)
        add_spikes(axis, m, moments->at[k] + m->lag, &sum);
    const double shift = sum.n > 0 ? sum.first / sum.n : 0;
    const double squares = sum.second - sum.n * shift * shift;
    const double variance = (squares + prior_spikes * usual * usual) / (sum.n + prior_spikes);
    m->lag += shift;
    m->spread = between(least_spread, sqrt(variance > 0 ? variance : 0), most_spread);
    m->share = between(least_share, (sum.n + 0.5) / ((double)moments->n + 1), most_share);
}

void spk_sequence_fit(const sequence_axis *axis, const sequence_moments *moments,
                      sequence_member *member, uint32_t n)
{
    double usual = 0;
    for (uint32_t m = 0; m < n; m++)
        usual += member[m].spread / n;
    for (uint32_t m = 0; m < n; m++)
        for (int round = 0; round < FIT_ROUNDS; round++)
            fit_once(axis, moments, usual, &member[m]);
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_members(const void *a, const void *b)
{
    const sequence_member *x = a, *y = b;
    return SPK_BY(SPK_UP(x->lag, y->lag), SPK_UP(x->unit, y->unit));
}

void spk_sequence_sort_members(sequence_member *member, uint32_t n)
{
    if (n > 1)
        qsort(member, n, sizeof *member, compare_members);
}
