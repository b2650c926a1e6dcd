/*
 * How many patterns there are, without a list of them: their spectrum, their largest counts, and
 * the supports that they rarely reach by chance.
 */
#ifndef SPIKEMINE_SPECTRUM_H
#define SPIKEMINE_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/pattern.h"

SPK_BEGIN_C

/* ---- the spectrum ---------------------------------------------------------------------------- */

/* Counts patterns by (size, count) or (size, count, duration); keeps none of them.
 * Threads: one at a time, also for spk_spectrum_entries, which sorts. */
typedef struct spk_spectrum spk_spectrum;

/* How many patterns have this size and this count. */
typedef struct spk_spectrum_entry {
    uint32_t size;
    uint32_t count;
    uint32_t duration; /* 0 where the spectrum has no durations */
    uint64_t n_patterns;
} spk_spectrum_entry;

/* An empty spectrum, with or without durations; spk_spectrum_free accepts NULL. `context` must
 * outlive it: messages go there. */
SPK_API SPK_MUST_CHECK spk_status spk_spectrum_create(spk_context *context, bool with_duration,
                                                      spk_spectrum **out);
SPK_API void spk_spectrum_free(spk_spectrum *spectrum);
SPK_API bool spk_spectrum_has_duration(const spk_spectrum *spectrum);

/* A spk_pattern_sink: counts the batch; `spectrum` is a spk_spectrum. Errors: SPK_ERR_ARGUMENT (a
 * pattern without items), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_spectrum_add(void *spectrum,
                                                   const spk_pattern_columns *patterns);

/* The entries in order of size, count, duration: pointers into the spectrum, valid until its
 * next call. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_spectrum_entries(spk_spectrum *spectrum,
                                                       const spk_spectrum_entry **entries,
                                                       uint64_t *n);

/* ---- largest counts, supports ---------------------------------------------------------------- */

/* The largest count of a pattern with at least `size` spikes; with durations, of one that lasts
 * `duration` bins. */
typedef struct spk_pattern_maximum {
    uint32_t size;
    uint32_t duration; /* 0 where durations were not asked for */
    uint32_t count;
} spk_pattern_maximum;

/* Finds M(z), the largest count of a pattern with at least z spikes, of the patterns that
 * spk_pattern_mine reports with these options; with `by_duration` for each duration (largest lag)
 * by itself. Entries are ordered by duration, then size, and only steps are listed: M(z) is the
 * count of the first entry of the duration with size >= z, and 0 when there is none, so that counts
 * fall within a duration. *out has *n entries, also for n = 0, and free() frees it; NULL after an
 * error. The answer never depends on engine or threads. Errors as spk_pattern_mine. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_find_maxima(spk_context *context,
                                                          const spk_windows *windows,
                                                          const spk_pattern_options *options,
                                                          bool by_duration,
                                                          spk_pattern_maximum **out, size_t *n);

/* Estimates supports that patterns rarely reach by chance (section 3.1). For each size it takes
 * independent units at the mean rate, the number of occurrences of one pattern as a Poisson
 * distribution, and the 95th percentile of it, at least `floor_support`. Sizes run from 2 to the
 * first one at the floor. Errors: SPK_ERR_ARGUMENT. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_estimate(spk_context *context,
                                                       const spk_windows *windows,
                                                       uint64_t floor_support,
                                                       spk_pattern_supports *out);

/* The recipe of the published studies. Initialise with spk_pattern_recipe_options_init. */
typedef struct spk_pattern_recipe_options {
    size_t struct_size;     /* set by spk_pattern_recipe_options_init */
    double rate_percentile; /* of the rates that are not 0, as a share; 0.9 by default */
    double alpha;           /* above 0, below 1; 0.05 by default */
    uint64_t floor_support; /* smallest support; 10 by default */
    uint64_t n_bins; /* 0 (default): the bins of the windows. Another number stands for a recording
                        whose trials lay farther apart or nearer when the support was chosen. */
} spk_pattern_recipe_options;

/* The percentile 0.9 of the rates, alpha 0.05, floor 10. */
SPK_API void spk_pattern_recipe_options_init(spk_pattern_recipe_options *options,
                                             size_t struct_size);

/* Supports by the recipe of the published studies (Stella et al. 2022, program SPADE_surrogates).
 * A pattern of z spikes occurs in a bin with p = f^z, f the percentile of the shares of bins in
 * which a unit fires, of the units that fire. There are n = L! / (L - z - 1)! * C(units, z) of
 * them. The support is the smallest k that a binomial number of (bins, p) passes with a probability
 * of at most alpha / n; at least the floor, and no larger than that of the size before. Sizes run
 * from 2 to the first one at the floor. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_estimate_published(
    spk_context *context, const spk_windows *windows, const spk_pattern_recipe_options *options,
    spk_pattern_supports *out);

SPK_END_C

#endif
