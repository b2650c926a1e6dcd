/*
 * The null hypothesis of the exact test: within windows of jitter, all placements of a unit's
 * events are equally likely, and units and windows are independent. Known are the numbers of events
 * of each unit in each window, and mean counts that follow from them alone. A recording and its
 * surrogates have the same numbers, hence the same means, bit for bit.
 *
 *     windows of 4 bins:   |. . . .|. . . .|      A -> B one bin later: four start bins of the
 *     unit A:              |  2    |   1   |      first window have A with chance 2 / 4; of the
 *     unit B:              |  1    |   0   |      bins behind them three have B with chance 1 / 4,
 *                                                 one with chance 0. Mean: 3 * 2/4 * 1/4 = 3/8
 *
 * Threads: a null never changes, and any number may read it.
 */
#pragma once

#include "significance/exact/cuda/device_means.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/surrogate.h"

typedef struct spk_null spk_null;

/* From the windows of surrogates of the recording (interval-jitter, pattern-jitter): for patterns
 * in bins as wide as those of `windows`, for episodes in ticks. The null keeps neither recording
 * nor surrogates. Memory: patterns 4 bytes for each unit and window of jitter; episodes 24 for each
 * unit and window of jitter in which it fires, and up to 256 MiB for a table of pairs of units.
 * Errors: SPK_ERR_ARGUMENT (other surrogates), SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of
 * spk_windows_create. */
spk_status spk_null_create_patterns(spk_context *context, const spk_recording *recording,
                                    const spk_window_options *windows,
                                    const spk_surrogates *surrogates, spk_null **out);
spk_status spk_null_create_episodes(spk_context *context, const spk_recording *recording,
                                    const spk_delay *delays, size_t n_delays,
                                    const spk_surrogates *surrogates, spk_null **out);

/* Where surrogates have other numbers in windows, and the recording of the null is one draw: a
 * fifth of each mean number of followers, or mean of a pattern, is that of constant rates. So no
 * mean is 0 only because units never met in that draw. Errors: SPK_ERR_MEMORY. */
spk_status spk_null_lean_episodes(spk_context *context, const spk_recording *recording,
                                  spk_null *null);
spk_status spk_null_lean_patterns(spk_context *context, spk_null *null);

/* Frees it; NULL is accepted. */
void spk_null_free(spk_null *null);

/* The mean count of each pattern: the sum over start bins of the chance that all its items are
 * there. It is exact where trials do not overlap and are the segments of the recording; else the
 * numbers of a window of jitter that lies across a border are shared out by length. Where a mean
 * exceeds limit[i] (NULL: no limits), mean[i] is some number above the limit. Where draws have
 * corrected windows (pairs.h), the mean is that of the windows times the ratios of its pairs of
 * neighbours, and of its nearest items of one unit. spread[i] is the variance of the count divided
 * by the mean; NULL: not wanted. */
void spk_null_pattern_means(const spk_null *null, const spk_pattern_columns *patterns,
                            const double *limit, double *mean, double *spread);

/* The same in steps, where a GPU makes the sums of blocks (cuda/means.h). First the limits of these
 * sums, from those of means: */
void spk_null_pattern_limits(const spk_null *null, const spk_pattern_columns *patterns,
                             const double *limit, double *own);

/* Then from the sums in mean[i] to means and spreads. Those that passed their limit become
 * INFINITY. `limit` is that of sums, and may be `spread`; NULL: no limits. */
void spk_null_pattern_finish(const spk_null *null, const spk_pattern_columns *patterns,
                             const double *limit, double *mean, double *spread);

/* An approximation of the mean count of each episode; episode_means.c says which. The table of
 * intervals must be that of the null. */
void spk_null_episode_means(const spk_null *null, const spk_episode_columns *episodes, double *mean,
                            double *spread);
