/* Methods that cut each segment into windows and place spikes anew within them (windows.c). */
#pragma once

#include "significance/surrogates/surrogates.h"

/* Lists the groups of all runs. Windows of ticks: each has the length of the dither, the first one
 * begins `offset` ticks before the segment's exact start. Windows of bins: each has n_bins, the
 * first one begins `offset` bins before it, below n_bins. */
spk_status spk_surrogate_find_tick_windows(spk_context *context, spk_duration length,
                                           uint64_t offset, spk_surrogates *surrogates);
spk_status spk_surrogate_find_bin_windows(spk_context *context, spk_duration bin, uint64_t n_bins,
                                          uint64_t offset, spk_surrogates *surrogates);

/* floor(dither / bin), at least 1. Errors: SPK_ERR_ARGUMENT, SPK_ERR_RANGE. */
spk_status spk_surrogate_count_bins(spk_context *context, const spk_surrogate_options *options,
                                    spk_rate rate, uint64_t *out);

/* floor(length / bin), or 0 where that is less than one. Errors: SPK_ERR_ARGUMENT, SPK_ERR_RANGE.
 */
spk_status spk_surrogate_bins_in(spk_context *context, spk_duration length, spk_duration bin,
                                 spk_rate rate, uint64_t *out);

/* A prepare function: windows of ticks, or with a bin of bins, whose offset is drawn once from the
 * seed. */
spk_status spk_surrogate_prepare_windows(spk_context *context, const spk_surrogate_options *options,
                                         spk_surrogates *surrogates);

/* Puts `wanted` spikes into a bin of the run's stretch; returns how many it holds. */
uint64_t spk_surrogate_fill_bin(const spk_surrogates *surrogates, const surrogate_run *run,
                                uint64_t bin, uint64_t wanted, spk_random *random,
                                const surrogate_space *space, int64_t *out);

/* A make function: all placements in the windows are equally likely. */
uint64_t spk_surrogate_place(const spk_surrogates *surrogates, const surrogate_run *run,
                             spk_random *random, const surrogate_space *space, int64_t *out);
