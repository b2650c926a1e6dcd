/*
 * Two conditions: which episodes or patterns occur more often in one of them?
 *
 * The trials are those of a recording (recording.h), and each has one of two conditions, 0 and 1.
 * What was cut out of a trial, and into how many segments, changes nothing of that: its segments
 * are dealt out together. A trial of which nothing is left takes part in nothing, and a note counts
 * such trials. Episodes or patterns are mined once, in all trials together, so that the list of
 * them knows nothing of conditions. Each result has a count in every trial. Null hypothesis: the
 * conditions say nothing, so that every way to deal them out to the trials, with as many trials for
 * each, is equally likely. Trials are exchangeable then, not spikes: nothing is said of how spikes
 * follow each other within a trial.
 *
 * The statistic of a result is the difference of its rates, as a multiple of its own standard
 * deviation over all ways to deal out the conditions:
 *
 *     y_t = count in trial t - rate in all trials * length of trial t
 *     z   = (sum of y_t over the trials of condition 1) / standard deviation of that sum
 *
 * The sum is the difference of the two rates times (time of condition 0) (time of condition 1) /
 * (time of all trials). With trials of one length z orders all ways to deal the conditions out just
 * as the t statistic of two groups does. The p-value of a result asks how often the largest |z| of
 * all results is as large as its own when the conditions are dealt out anew:
 *
 *     p = (1 + number of ways whose largest |z| is as large) / (number of ways + 1)
 *
 * Where there are few ways all of them are taken. Under the null hypothesis the chance that any
 * result has p <= alpha is at most alpha: all that was searched is taken into account, and no
 * correction is left to do. What decides p is computed from whole numbers, so that equal statistics
 * stay equal.
 *
 * The confidence interval of a difference holds the differences that the same test would not
 * reject: they are taken away from the counts of condition 1, and z is computed again. All
 * intervals together hold the true differences with a probability of about 1 - alpha. What is
 * approximate: the quantile of the largest |z| is that of the recording as it is, and a difference
 * is taken to move the counts of all trials alike. An interval leaves out 0 where p <= alpha.
 * Sources: Westfall & Young 1993 (the largest statistic); Phipson & Smyth 2010 (the + 1).
 *
 *     spk_compare_options options;
 *     spk_compare_options_init(&options, sizeof options);
 *     options.n_trials = n_trials, options.condition = condition;
 *     status = spk_compare_episodes(context, recording, &options, &found, verdicts, &summary);
 */
#ifndef SPIKEMINE_COMPARE_H
#define SPIKEMINE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- conditions of trials -------------------------------------------------------------------- */

/* The conditions of trials, by their labels.
 * Threads: any number may read it at the same time; free it when none does. */
typedef struct spk_conditions spk_conditions;

/* The columns: pointers into the conditions, valid as long as they live. Condition 0 is the label
 * that comes first in natural order. */
typedef struct spk_condition_columns {
    size_t n_trials;
    const uint8_t *condition; /* by trial: 0 or 1 */
    const char *label[2];
    size_t trials[2]; /* how many of each */
} spk_condition_columns;

/* Conditions from a label for each trial. Errors: SPK_ERR_ARGUMENT (one label or more than two),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_conditions_create(spk_context *context, size_t n_trials,
                                                        const char *const *labels,
                                                        spk_conditions **out);

/* Reads the labels of n_trials trials: one a line, in order of the trials; or two columns, the
 * number of the trial from 1 and its label, in any order. Columns are separated by blanks, tabs,
 * commas or semicolons, '#' begins a comment, and a first line `trial label` is skipped. Errors
 * name file and line: SPK_ERR_IO; SPK_ERR_FORMAT (not as many labels as trials, a trial twice, one
 * label or more than two); SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_conditions_read(spk_context *context, const char *path,
                                                      size_t n_trials, spk_conditions **out);

/* Frees them; NULL is accepted. */
SPK_API void spk_conditions_free(spk_conditions *conditions);

/* The columns, valid as long as the conditions. */
SPK_API spk_condition_columns spk_conditions_columns(const spk_conditions *conditions);

/* ---- the test -------------------------------------------------------------------------------- */

/* Initialise with spk_compare_options_init; pointers are borrowed for the call. */
typedef struct spk_compare_options {
    size_t struct_size;       /* set by spk_compare_options_init */
    size_t n_trials;          /* as many as the recording has (spk_recording_trials) */
    const uint8_t *condition; /* by trial: 0 or 1, at least one of each that something is left of */
    uint64_t n_permutations;  /* ways to deal out the conditions; 9999. Where there are no more than
                                 that beside the recording's own, all of them are taken */
    uint64_t seed;            /* of the ways that are drawn; 0 */
    double alpha;             /* above 0 and below 1; 0.05 */
    /* Results of less are no part of the test. */
    uint32_t min_size;       /* positions of an episode, spikes of a pattern; 0: no limit */
    uint32_t distinct_units; /* 0: no limit */
} spk_compare_options;

/* 9999 permutations, alpha 0.05; the conditions are missing. */
SPK_API void spk_compare_options_init(spk_compare_options *options, size_t struct_size);

/* What the test says of a result. Filled in by the library. Rates are
 * occurrences a second of the condition's trials. */
typedef struct spk_compare_verdict {
    bool tested; /* false outside the limits: p is 1, and the interval has no bounds */
    uint64_t count[2];
    double rate_hz[2];
    double difference_hz; /* rate_hz[1] - rate_hz[0] */
    double lower_hz;      /* simultaneous confidence interval of the difference, level 1 - alpha; */
    double upper_hz;      /* -HUGE_VAL and HUGE_VAL where there is no bound */
    double z;             /* positive where the rate of condition 1 is larger */
    double p;             /* family-wise */
} spk_compare_verdict;

/* What the test was made of. Filled in by the library. */
typedef struct spk_compare_summary {
    size_t trials[2]; /* of which something is left */
    double duration_s[2];
    uint64_t n_permutations; /* ways to deal out the conditions, beside the recording's own */
    bool all;                /* these are all that there are */
    uint64_t n_tested;       /* results */
    double smallest_p;       /* no p-value can be below it */
    double critical_z;       /* p <= alpha where |z| is larger; HUGE_VAL: nowhere */
} spk_compare_summary;

/* The smallest p-value that a test of this many trials in each condition can give, with at most
 * n_permutations ways to deal them out. With as many trials in both conditions swapping the two
 * gives the same |z|, so that it is 2 by the number of all ways, where all are taken. */
SPK_API double spk_compare_smallest_p(size_t n_trials_0, size_t n_trials_1,
                                      uint64_t n_permutations);

/* Compares the two conditions for each result of a list, which knew nothing of the conditions when
 * it was made. Counts by trial are those of episode.h and pattern.h, and their sum must be the
 * count of the list. `out` has an entry for each result; `summary` may be NULL. The answer is the
 * same for any number of threads. Time grows with the number of permutations times that of trials
 * in which results occur, summed over the results. Errors: SPK_ERR_ARGUMENT (not as many conditions
 * as trials, one without a trial, a list that is not of this recording), SPK_ERR_RANGE (a result
 * with over 4294967295 occurrences), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_compare_episodes(
    spk_context *context, const spk_recording *recording, const spk_compare_options *options,
    const spk_episode_columns *episodes, spk_compare_verdict *out, spk_compare_summary *summary);
/* The windows are those of the recording, cut at its segments only. */
SPK_API SPK_MUST_CHECK spk_status spk_compare_patterns(
    spk_context *context, const spk_recording *recording, const spk_windows *windows,
    const spk_compare_options *options, const spk_pattern_columns *patterns,
    spk_compare_verdict *out, spk_compare_summary *summary);

SPK_END_C

#endif
