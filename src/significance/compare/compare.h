/*
 * The inside of the comparison of two conditions: counts of results by trial, ways to deal out the
 * conditions, and the largest statistic of each way.
 *
 * The statistic that decides is z^2 without its constant factor, N^2 / S. Counts and lengths of
 * trials are whole numbers, and a count times the length of all trials stays below 2^53, so that N
 * is exact in double. Up to some 2^25 N^2 and S are exact, too; then equal statistics, also those
 * of different results, are equal bit by bit.
 */
#pragma once

#include "base/context.h"
#include "spikemine/compare.h"

/* ---- lengths --------------------------------------------------------------------------------- */

/* The trials of a test: those of which something is left, in order of their first segments. */
typedef struct spk_trials {
    size_t n;
    size_t *of_segment; /* by segment of the recording: its trial among these */
    uint8_t *condition;
    size_t n_of[2];
    double ticks_of[2]; /* time of each condition */
    uint64_t *ticks;    /* of all segments of each */
    uint64_t *length;   /* the same in the unit of the statistic */
    uint64_t total;     /* of `length` */
    uint64_t length_of[2];
} spk_trials;

/* `condition` is that of each trial of the recording. The unit of lengths is their greatest common
 * divisor; where `total` times the largest count would pass 2^53 it is longer, and lengths are
 * rounded. In the caller's stage; to be freed after a failure, too. */
spk_status spk_trials_create(spk_context *context, const spk_recording *recording,
                             const uint8_t *condition, uint64_t largest_count, spk_trials *out);
void spk_trials_free(spk_trials *trials);

/* ---- counts ---------------------------------------------------------------------------------- */

/* Counts by trial of a list of results. Result i has used[i] trials in which it occurs,
 * trial[first[i]] .. and count[first[i]] .., ascending; entries up to first[i + 1] are room. */
typedef struct spk_trial_counts {
    uint64_t n;
    size_t n_trials;
    uint64_t *first;
    uint32_t *used;
    uint32_t *trial;
    uint32_t *count;
} spk_trial_counts;

/* In the caller's stage; to be freed after a failure, too. */
spk_status spk_trial_counts_of_episodes(spk_context *context, const spk_recording *recording,
                                        const spk_trials *trials,
                                        const spk_episode_columns *episodes, spk_trial_counts *out);
spk_status spk_trial_counts_of_patterns(spk_context *context, const spk_recording *recording,
                                        const spk_windows *windows, const spk_trials *trials,
                                        const spk_pattern_columns *patterns, spk_trial_counts *out);
void spk_trial_counts_free(spk_trial_counts *counts);

/* ---- the statistic --------------------------------------------------------------------------- */

/* What the statistic of a result needs. */
typedef struct spk_contrast {
    uint32_t divisor; /* greatest common divisor of the counts as they were */
    double total;     /* of the counts */
    double square;    /* S: sum over trials of (count * total length - total count * length)^2 */
    double divide_by; /* S; 1 where S is 0, as the rate is the same in all trials, and so is N */
} spk_contrast;

/* Divides the counts of result i by their greatest common divisor, so that results whose counts are
 * multiples of each other have one statistic. All functions below take the counts after that. */
spk_contrast spk_contrast_take(const spk_trials *trials, spk_trial_counts *counts, uint64_t i);

/* N, from the count and the length of the trials that have condition 1. */
static inline double spk_contrast_numerator(const spk_contrast *c, double total_length,
                                            double count, double length)
{
    return count * total_length - c->total * length;
}

/* N^2 / S */
static inline double spk_contrast_score(const spk_contrast *c, double numerator)
{
    return numerator * numerator / c->divide_by;
}

/* The count in the trials of condition 1 as they are. */
uint64_t spk_contrast_count(const spk_trials *trials, const spk_trial_counts *counts, uint64_t i);

/* The differences of rates, in counts a unit of length, at which the score is at most `critical`;
 * -HUGE_VAL and HUGE_VAL stand for no bound. */
void spk_contrast_interval(const spk_trials *trials, const spk_trial_counts *counts,
                           const spk_contrast *contrast, uint64_t i, double critical, double *lower,
                           double *upper);

/* ---- ways to deal out the conditions --------------------------------------------------------- */

/* Ways to choose k of n, UINT64_MAX where they pass 2^53. */
uint64_t spk_count_choices(uint64_t n, uint64_t k);

typedef struct spk_labellings {
    size_t n_trials;
    size_t n_chosen; /* trials of the condition with fewer of them ... */
    uint8_t chosen;  /* ... which is this one */
    uint64_t n;      /* ways that are taken, beside the recording's own */
    bool all;        /* of all, in lexicographic order */
    uint64_t own;    /* where the recording's own would stand in that order */
    uint64_t seed;
} spk_labellings;

spk_labellings spk_labellings_of(const spk_trials *trials, uint64_t most, uint64_t seed);

/* The trials of way k < n that get the condition `chosen`, ascending or in no order. `words` has
 * spk_labellings_words entries. */
uint64_t spk_labellings_words(const spk_labellings *labellings);
void spk_labelling_draw(const spk_labellings *labellings, uint64_t k, uint64_t *words,
                        uint64_t *chosen);

/* ---- the largest statistic ------------------------------------------------------------------- */

typedef struct spk_compare_search {
    const spk_trials *trials;
    const spk_trial_counts *counts;
    const spk_contrast *contrast;
    const uint64_t *tested; /* numbers of the results that count */
    uint64_t n_tested;
    const spk_labellings *labellings;
} spk_compare_search;

/* Largest score of these results in each way, into largest[labellings->n]. */
spk_status spk_compare_largest(spk_context *context, const spk_compare_search *of, double *largest);
