/*
 * A run: one engine at work on the windows of one recording. The one place that knows where pattern
 * engines work. It chooses the engine and the GPUs, shares out memory and threads, cuts the sizes
 * into ranges of one support each, and does the moving-window step. Everything that mines patterns
 * goes through it; several runs may work on the same windows side by side.
 */
#pragma once

#include "base/context.h"
#include "pattern/engine/engine.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

/* Mines with options that have been checked; `sink` may be NULL. *summary is filled in as far as
 * the run comes. Errors as spk_pattern_mine. */
spk_status spk_pattern_run(spk_context *context, const spk_window_columns *windows,
                           const spk_pattern_options *options, spk_pattern_sink *sink, void *user,
                           spk_pattern_summary *summary);

/* The same for a sink to which the order does not matter, and to which it may differ from run to
 * run. `sieve` may be NULL; else patterns on a GPU go there, as a job says. */
spk_status spk_pattern_run_unordered(spk_context *context, const spk_window_columns *windows,
                                     const spk_pattern_options *options, spk_pattern_sink *sink,
                                     void *user, const spk_pattern_sieve *sieve);

/* Sizes begin .. end that share a support: each range is a search of its own. */
typedef struct spk_pattern_range {
    uint32_t begin;
    uint32_t end;
    uint64_t support;
} spk_pattern_range;

/* The ranges of options that have been checked, at most SPK_PATTERN_MAX_ESTIMATE; their number. */
uint32_t spk_pattern_ranges(const spk_pattern_options *options, spk_pattern_range *range);

/* The largest size of options that have been checked; UINT32_MAX: any. */
static inline uint32_t spk_pattern_most_spikes(const spk_pattern_options *options)
{
    return options->max_spikes != 0 ? options->max_spikes : UINT32_MAX;
}

/* Whether the options want the moving-window step, and whether the engine does it by itself as it
 * finds patterns (job.drop_ends_of). */
typedef enum spk_pattern_step {
    SPK_PATTERN_NO_STEP,
    SPK_PATTERN_STEP_INSIDE,
    SPK_PATTERN_STEP_AFTER
} spk_pattern_step;

spk_pattern_step spk_pattern_step_of(const spk_pattern_engine *engine,
                                     const spk_window_columns *windows,
                                     const spk_pattern_options *options);

/* How many GPUs the searches of these options use; 0: they run on processors. Errors: those of the
 * choice of an engine. */
spk_status spk_pattern_gpus(spk_context *context, const spk_pattern_options *options, int *gpus);

/* Whether the options are sound. Errors: SPK_ERR_ARGUMENT. */
spk_status spk_pattern_check_options(spk_context *context, const spk_pattern_options *options);

/* The largest counts, with options that have been checked; *out and *n are set on success. Errors
 * as spk_pattern_find_maxima. */
spk_status spk_pattern_run_maxima(spk_context *context, const spk_window_columns *windows,
                                  const spk_pattern_options *given, bool by_duration,
                                  spk_pattern_maximum **out, size_t *n);

/* Asks the engine for the largest counts; *done is false when it has no way to find them but
 * mining. With durations and the moving-window step, `windows` must be those of a recording. */
spk_status spk_pattern_run_bounds(spk_context *context, const spk_window_columns *windows,
                                  const spk_pattern_options *options, bool by_duration,
                                  spk_maxima_table *table, bool *done);
