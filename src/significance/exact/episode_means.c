/*
 * Mean counts of episodes: an approximation, which takes some steps for each position.
 *
 * 1. A chain of events E1 -> E2 -> ... stays in the class of windows (null_episodes.c) in which it
 *    starts. Each class has its own mean, and the mean count is their sum.
 * 2. x(k) events of E(k+1) follow one of E(k) on average. The chance that an event of E(k) is
 *    continued to the end is s(k) = h(x(k) s(k+1)), h(y) = 1 - exp(-y): followers are as if
 * Poisson, and independent. chains = number of events of E1 * s(1).
 * 3. Chains that begin apart may share their later events, and such ones overlap. Going back from
 *    the end in the same way, one end has on average c times as many chains as it would have if
 * each had one: c is the product of y / h(y).
 * 4. A counted chain of length S hides those that start meanwhile. So the count is
 *    chains / (1 + chains * S / T + (c - 1) * (1 - s(1))), T being the length of all windows of the
 *    class. Where nearly every event of E1 is continued, the second term has all that overlap.
 *
 * Compared with averages over surrogates: products of 1 - exp(-x) without classes are too large by
 * half in bursts; classes without step 3 by a seventh for each further event, since many chains
 * share events there; rates of units in place of pairs double the spread between episodes. A spread
 * costs power, since the largest score of a surrogate grows with it. Any of them is valid: all are
 * functions of the same conserved numbers.
 */
#include <assert.h>

#include "significance/exact/null_inside.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* Of the polynomial p = 1 + y t that stands for exp(y): h(y) = y t / p and y / h(y) = p / t. */
static inline double cubic_t(double y)
{
    return 1 + y * (0.5 + y * (1.0 / 6));
}

/* x for one position and all classes. Without a table: from the rates of the classes. */
static void find_followers(const spk_null *null, uint32_t unit, uint16_t delay, uint32_t next,
                           double x[NULL_CLASSES])
{
    const null_episodes *e = &null->episodes;
    uint64_t row = (uint64_t)unit * e->n_delays + delay;
    double length = null_delay_length(e, delay);
    for (int q = 0; q < NULL_CLASSES; q++)
        if (e->followers != NULL)
            x[q] = e->followers[(row * null->n_units + next) * NULL_CLASSES + (uint64_t)q];
        else
            x[q] = e->ticks.of[q] > 0 ? e->events[next].of[q] * (length / e->ticks.of[q]) : 0;
    if (e->followers != NULL || e->rate == NULL) /* the table leans already */
        return;
    for (int q = 0; q < NULL_CLASSES; q++)
        x[q] = means_lean(x[q], e->rate[next] * length);
}

/* Step 2, and the mean length of a chain: of the first follower of several. */
static void go_forward(const null_episodes *e, uint32_t size, const uint16_t *delay,
                       double (*x)[NULL_CLASSES], double *chance, double *span)
{
    for (uint32_t k = size; k-- > 1;) {
        double lo = (double)e->delay[delay[k]].lo, length = null_delay_length(e, delay[k]);
        for (int q = 0; q < NULL_CLASSES; q++) {
            double y = x[k][q] * chance[q], t = cubic_t(y);
            chance[q] = y * t / (1 + y * t);
            span[q] += lo + length * (y + 2) / (y * y + 2 * y + 4);
        }
    }
}

/* Step 3. */
static void go_back(const null_episodes *e, uint32_t size, const uint32_t *unit,
                    double (*x)[NULL_CLASSES], double *shared)
{
    double chance[NULL_CLASSES];
    for (int q = 0; q < NULL_CLASSES; q++)
        chance[q] = 1;
    for (uint32_t k = 1; k < size; k++) {
        const double *before = e->events[unit[k - 1]].of, *own = e->events[unit[k]].of;
        for (int q = 0; q < NULL_CLASSES; q++) {
            double leading = x[k][q] * before[q] / (own[q] > 1 ? own[q] : 1);
            double y = leading * chance[q], t = cubic_t(y);
            chance[q] = y * t / (1 + y * t);
            shared[q] *= (1 + y * t) / t;
        }
    }
}

static double episode_mean(const spk_null *null, uint32_t size, const uint32_t *unit,
                           const uint16_t *delay)
{
    const null_episodes *e = &null->episodes;
    double x[SPK_EPISODE_MAX_SIZE][NULL_CLASSES];
    double chance[NULL_CLASSES], shared[NULL_CLASSES], span[NULL_CLASSES], mean = 0;
    assert(size >= 1 && size <= SPK_EPISODE_MAX_SIZE);
    /* Behind the last event a chain has ended: it is complete, shares nothing and takes no time. */
    for (int q = 0; q < NULL_CLASSES; q++) {
        chance[q] = shared[q] = 1;
        span[q] = 0;
    }
    for (uint32_t k = 1; k < size; k++)
        find_followers(null, unit[k - 1], delay[k], unit[k], x[k]);
    go_forward(e, size, delay, x, chance, span);
    go_back(e, size, unit, x, shared);
    for (int q = 0; q < NULL_CLASSES; q++) {
        double chains = e->events[unit[0]].of[q] * chance[q];
        /* Step 4: what a counted chain hides, as numbers of chains. A class without chains has no
         * length to divide by, either. */
        if (chains > 0)
            mean += chains /
                    (1 + chains * (span[q] / e->ticks.of[q]) + (shared[q] - 1) * (1 - chance[q]));
    }
    return mean;
}

static null_correction correct(const null_pairs *pairs, uint32_t size, const uint32_t *unit,
                               const uint16_t *delay)
{
    null_correction c = {.ratio = 1};
    for (uint32_t k = 1; k < size && pairs->ratio != NULL; k++)
        null_add_pair(pairs, unit[k - 1], delay[k], unit[k], &c);
    return c;
}

void spk_null_episode_means(const spk_null *null, const spk_episode_columns *episodes, double *mean,
                            double *spread)
{
    assert(episodes->n == 0 || episodes->n_delays == null->episodes.n_delays);
    for (uint64_t i = 0; i < episodes->n; i++) {
        const uint64_t at = episodes->offset[i];
        const uint32_t size = (uint32_t)(episodes->offset[i + 1] - at);
        const uint32_t *unit = episodes->unit + at;
        const uint16_t *delay = episodes->delay + at;
        const null_correction c = correct(&null->pairs, size, unit, delay);
        mean[i] = episode_mean(null, size, unit, delay) * c.ratio;
        if (spread != NULL)
            spread[i] = null_spread(&c, mean[i]);
    }
}
