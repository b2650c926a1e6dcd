/* The lengths of trials and the statistic of a result, in whole numbers. */
#include <assert.h>
#include <math.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "recording/segments.h"
#include "significance/compare/compare.h"

/* ---- lengths --------------------------------------------------------------------------------- */

/* Whole numbers up to it are exact in double. */
static const uint64_t EXACT = UINT64_C(1) << 53;

void spk_trials_free(spk_trials *trials)
{
    spk_free_all(trials->of_segment, trials->condition, trials->ticks, trials->length);
    *trials = (spk_trials){.n = 0};
}

/* Lengths by their greatest common divisor, or so much shorter that the sum times the count is
 * exact in double. */
static void set_lengths(uint64_t largest_count, spk_trials *t)
{
    unsigned __int128 divisor = 0, total = 0;
    for (size_t k = 0; k < t->n; k++) {
        divisor = spk_greatest_divisor(divisor, t->ticks[k]);
        total += t->ticks[k];
    }
    const uint64_t most = EXACT / (largest_count > 0 ? largest_count : 1);
    const bool exact = divisor > 0 && total / divisor <= most;
    for (size_t k = 0; k < t->n; k++) {
        uint64_t ticks = t->ticks[k];
        t->length[k] = divisor == 0 ? 1
                       : exact      ? ticks / (uint64_t)divisor
                                    : (uint64_t)((unsigned __int128)ticks * most / total);
        t->total += t->length[k];
    }
}

spk_status spk_trials_create(spk_context *context, const spk_recording *recording,
                             const uint8_t *condition, uint64_t largest_count, spk_trials *out)
{
    size_t n_segments = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n_segments);
    *out = (spk_trials){.n = 0};
    spk_status status = spk_alloc(context, &out->of_segment, n_segments, "trials");
    if (status == SPK_OK)
        status = spk_trials_left(context, recording, out->of_segment, &out->n);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "trials", SPK_COLUMN(&out->condition, out->n),
                                   SPK_COLUMN_ZERO(&out->ticks, out->n),
                                   SPK_COLUMN(&out->length, out->n));
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < n_segments; k++) {
        out->condition[out->of_segment[k]] = condition[spk_recording_trial(recording, k)];
        out->ticks[out->of_segment[k]] += (uint64_t)segments[k].stop - (uint64_t)segments[k].start;
    }
    set_lengths(largest_count, out);
    for (size_t t = 0; t < out->n; t++) {
        out->n_of[out->condition[t]]++;
        out->length_of[out->condition[t]] += out->length[t];
        out->ticks_of[out->condition[t]] += (double)out->ticks[t];
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
