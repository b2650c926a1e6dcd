/* A job of `patterns`: its options, the recording in windows, the limits, the test. */
#pragma once

#include "analysis.h"

/* ---- options --------------------------------------------------------------------------------- */

typedef struct pattern_test_values {
    cli_surrogate_values surrogates;
    const char *correction;
    bool published;
    const char *reduce;
    const char *stability;
    const char *pvalues;
} pattern_test_values;

#define PATTERN_TEST_OPTIONS(type, member)                                                         \
    CLI_HEADING("test against surrogates"), CLI_TEST_AGAINST_CHANCE,                               \
        CLI_OPTION("surrogate-method", type, member.surrogates.made.method),                       \
        CLI_OPTION("dither", type, member.surrogates.made.dither),                                 \
        CLI_OPTION("refractory", type, member.surrogates.made.refractory),                         \
        CLI_OPTION("edges", type, member.surrogates.edges), CLI_SHARED("seed", seed),              \
        CLI_SHARED("alpha", alpha), CLI_OPTION("correction", type, member.correction),             \
        CLI_OPTION("published", type, member.published), CLI_SHARED("report", report),             \
        CLI_OPTION("reduce", type, member.reduce),                                                 \
        CLI_OPTION("stability", type, member.stability),                                           \
        CLI_OPTION("pvalues", type, member.pvalues), CLI_PEEL_OPTIONS, CLI_SHARD_OPTIONS,          \
        CLI_INTERVAL_OPTIONS(type, member.surrogates)

typedef struct pattern_values {
    spk_pattern_options search; /* but for what stands below */
    uint64_t n_units;
    spk_duration bin;
    uint32_t window;
    cli_count support;
    spk_pattern_recipe_options recipe; /* of --auto-by published */
    int auto_by;
    cli_duration support_time;
    int moving_window_filter;
    int spectrum;
    pattern_test_values test;
} pattern_values;

/* The options of the search, into a pattern_values at the beginning of a command's values. */
#define PATTERN_SEARCH_OPTIONS                                                                     \
    CLI_OPTION("bin", pattern_values, bin), CLI_OPTION("window", pattern_values, window),          \
        CLI_OPTION("support", pattern_values, support),                                            \
        CLI_OPTION("auto-by", pattern_values, auto_by),                                            \
        CLI_OPTION("support-time", pattern_values, support_time),                                  \
        CLI_OPTION("auto-rate-percentile", pattern_values, recipe.rate_percentile),                \
        CLI_OPTION("auto-alpha", pattern_values, recipe.alpha),                                    \
        CLI_OPTION("auto-floor", pattern_values, recipe.floor_support),                            \
        CLI_OPTION("auto-bins", pattern_values, recipe.n_bins),                                    \
        CLI_OPTION("max-occurrences", pattern_values, search.max_count),                           \
        CLI_OPTION("min-spikes", pattern_values, search.min_spikes),                               \
        CLI_OPTION("max-spikes", pattern_values, search.max_spikes),                               \
        CLI_OPTION("min-neurons", pattern_values, search.min_neurons),                             \
        CLI_OPTION("moving-window-filter", pattern_values, moving_window_filter),                  \
        CLI_SHARED("engine", engine)

/* The choices of --auto-by. */
enum { AUTO_BY_SURROGATES, AUTO_BY_PUBLISHED };

/* The choices of --spectrum. */
enum { SPECTRUM_NONE, SPECTRUM_2D, SPECTRUM_3D };

/* ---- the job --------------------------------------------------------------------------------- */

typedef struct pattern_job {
    cli_session *session;
    const pattern_values *v;
    spk_recording *recording;
    spk_window_options cut; /* how the recording becomes windows */
    spk_windows *windows;
    spk_pattern_options options;
    spk_pattern_supports supports;
    cli_analysis analysis;
} pattern_job;

/* Begins with the session, the values and an analysis that was begun. */

/* Reads the recording, or the transactions, and cuts it into windows. CLI_DONE or an exit code. */
int pattern_job_read(pattern_job *job);

/* The options of mining; --support auto looks at the windows. CLI_DONE or an exit code. */
int pattern_job_set_limits(pattern_job *job);

/* ---- tests ----------------------------------------------------------------------------------- */

/* How far surrogates of a test of signatures move spikes. */
spk_duration pattern_job_dither(const pattern_job *job);

/* Takes the test of the options, or the search alone, into the analysis. CLI_DONE or an exit code.
 */
int pattern_test_take(pattern_job *job);
