/* The lengths of trials and the statistic of a result, in whole numbers. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "significance/compare/compare.h"

/* ---- lengths --------------------------------------------------------------------------------- */

/* Whole numbers up to it are exact in double. */
static const uint64_t EXACT = UINT64_C(1) << 53;

void spk_trials_free(spk_trials *trials)
{
    free(trials->length);
    *trials = (spk_trials){.n = 0};
}

static uint64_t ticks_of(const spk_segment *segment)
{
    return (uint64_t)segment->stop - (uint64_t)segment->start;
}

/* Lengths by their greatest common divisor, or so much shorter that the sum times the count is
 * exact in double. */
static void set_lengths(const spk_segment *segments, uint64_t largest_count, spk_trials *t)
{
    unsigned __int128 divisor = 0, total = 0;
    for (size_t k = 0; k < t->n; k++) {
        divisor = spk_greatest_divisor(divisor, ticks_of(&segments[k]));
        total += ticks_of(&segments[k]);
    }
    const uint64_t most = EXACT / (largest_count > 0 ? largest_count : 1);
    const bool exact = divisor > 0 && total / divisor <= most;
    for (size_t k = 0; k < t->n; k++) {
        uint64_t ticks = ticks_of(&segments[k]);
        t->length[k] = divisor == 0 ? 1
                       : exact      ? ticks / (uint64_t)divisor
                                    : (uint64_t)((unsigned __int128)ticks * most / total);
        t->total += t->length[k];
    }
}

spk_status spk_trials_create(spk_context *context, const spk_recording *recording,
                             const uint8_t *condition, uint64_t largest_count, spk_trials *out)
{
    *out = (spk_trials){.condition = condition};
    const spk_segment *segments = spk_recording_segments(recording, &out->n);
    spk_status status = spk_alloc(context, &out->length, out->n, "lengths of trials");
    if (status != SPK_OK)
        return status;
    set_lengths(segments, largest_count, out);
    for (size_t k = 0; k < out->n; k++) {
        out->n_of[condition[k]]++;
        out->length_of[condition[k]] += out->length[k];
        out->ticks_of[condition[k]] += (double)ticks_of(&segments[k]);
    }
    return SPK_OK;
}

/* ---- the statistic --------------------------------------------------------------------------- */

/* The sum over all trials of (count * total - all * length)^2, from sums of whole numbers: they are
 * the same in whatever order trials come. Each is at most (2^53)^2 by some factor of 2. */
static __int128 square_of(const spk_trials *trials, const spk_trial_counts *counts, uint64_t i,
                          uint64_t all)
{
    __int128 square = 0;
    const __int128 total = (__int128)trials->total;
    uint64_t k = counts->first[i], end = k + counts->used[i];
    for (size_t t = 0; t < trials->n; t++) {
        uint64_t count = 0;
        if (k < end && counts->trial[k] == t)
            count = counts->count[k++];
        __int128 y = total * (__int128)count - (__int128)all * (__int128)trials->length[t];
        square += y * y;
    }
    return square;
}

spk_contrast spk_contrast_take(const spk_trials *trials, spk_trial_counts *counts, uint64_t i)
{
    const uint64_t begin = counts->first[i], end = begin + counts->used[i];
    uint64_t all = 0;
    spk_contrast c = {.divisor = 0};
    for (uint64_t k = begin; k < end; k++)
        c.divisor = (uint32_t)spk_greatest_divisor(c.divisor, counts->count[k]);
    c.divisor = c.divisor > 0 ? c.divisor : 1;
    for (uint64_t k = begin; k < end; k++)
        all += counts->count[k] /= c.divisor;
    assert((unsigned __int128)all * trials->total <= EXACT);
    c.total = (double)all;
    c.square = (double)square_of(trials, counts, i, all);
    c.divide_by = c.square > 0 ? c.square : 1;
    return c;
}

uint64_t spk_contrast_count(const spk_trials *trials, const spk_trial_counts *counts, uint64_t i)
{
    uint64_t count = 0;
    for (uint64_t k = counts->first[i]; k < counts->first[i] + counts->used[i]; k++)
        if (trials->condition[counts->trial[k]] == 1)
            count += counts->count[k];
    return count;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* With d taken from the rate of condition 1, y_t = count_t total - all length_t becomes y_t - d
 * v_t, where v_t = length_t (total - one) in condition 1, else -length_t one, and `one` is the
 * length of condition 1. N becomes N - d (total - one) one. Score <= critical is a quadratic
 * inequality in d.
 */
void spk_contrast_interval(const spk_trials *trials, const spk_trial_counts *counts,
                           const spk_contrast *contrast, uint64_t i, double critical, double *lower,
                           double *upper)
{
    const double total = (double)trials->total, one = (double)trials->length_of[1];
    const double product = (double)trials->length_of[0] * one;
    double yv = 0, vv = 0;
    uint64_t k = counts->first[i], end = k + counts->used[i];
    for (size_t t = 0; t < trials->n; t++) {
        double count = 0, length = (double)trials->length[t];
        if (k < end && counts->trial[k] == t)
            count = (double)counts->count[k++];
        double v = length * (trials->condition[t] == 1 ? total - one : -one);
        yv += (count * total - contrast->total * length) * v;
        vv += v * v;
    }
    const double numerator =
        spk_contrast_numerator(contrast, total, (double)spk_contrast_count(trials, counts, i), one);
    const double a = product * product - critical * vv, b = numerator * product - critical * yv;
    const double c = numerator * numerator - critical * contrast->square;
    const double root = sqrt(fmax(b * b - a * c, 0));
    *lower = -HUGE_VAL;
    *upper = HUGE_VAL;
    if (a > 0) {
        *lower = (b - root) / a;
        *upper = (b + root) / a;
    } else if (c > 0 && numerator > 0) { /* all differences beyond one are left */
        *lower = c / (b + root);
    } else if (c > 0) {
        *upper = c / (b - root);
    }
}
