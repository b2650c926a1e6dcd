/* A job of `patterns`: its options, the recording in windows, the limits, and the files it writes.
 */
#ifndef CLI_PATTERN_JOB_H
#define CLI_PATTERN_JOB_H

#include "compare.h"
#include "figure_options.h"
#include "files.h"
#include "page_options.h"
#include "pattern_test.h"
#include "select_options.h"

/* The options. */
typedef struct pattern_values {
    cli_recording_values recording;
    uint64_t n_units;
    cli_duration bin;
    uint64_t window;
    uint64_t min_spikes;
    uint64_t max_spikes;
    cli_count support;
    double auto_rate_percentile;
    double auto_alpha;
    uint64_t auto_floor;
    uint64_t auto_bins;
    int auto_by;
    cli_duration support_time;
    uint64_t max_occurrences;
    uint64_t min_neurons;
    int moving_window_filter;
    bool unordered;
    const char *engine;
    cli_count gpus;
    uint64_t threads;
    uint64_t max_memory;
    bool energy;
    int spectrum;
    pattern_test_values test;
    compare_values compare;
    cli_select_values select;
    const char *occurrences;
    const char *figure;
    cli_page_values page;
    cli_figure_values look;
    int format;
    const char *output;
    cli_count max_results;
    cli_file_values files;
} pattern_values;

/* The options of the search, into a pattern_values at the beginning of a command's values. */
#define PATTERN_SEARCH_OPTIONS                                                                     \
    CLI_OPTION("bin", pattern_values, bin), CLI_OPTION("window", pattern_values, window),          \
        CLI_OPTION("support", pattern_values, support),                                            \
        CLI_OPTION("auto-by", pattern_values, auto_by),                                            \
        CLI_OPTION("support-time", pattern_values, support_time),                                  \
        CLI_OPTION("auto-rate-percentile", pattern_values, auto_rate_percentile),                  \
        CLI_OPTION("auto-alpha", pattern_values, auto_alpha),                                      \
        CLI_OPTION("auto-floor", pattern_values, auto_floor),                                      \
        CLI_OPTION("auto-bins", pattern_values, auto_bins),                                        \
        CLI_OPTION("max-occurrences", pattern_values, max_occurrences),                            \
        CLI_OPTION("min-spikes", pattern_values, min_spikes),                                      \
        CLI_OPTION("max-spikes", pattern_values, max_spikes),                                      \
        CLI_OPTION("min-neurons", pattern_values, min_neurons),                                    \
        CLI_OPTION("moving-window-filter", pattern_values, moving_window_filter),                  \
        CLI_OPTION("engine", pattern_values, engine)

/* The choices of --auto-by. */
enum { AUTO_BY_SURROGATES, AUTO_BY_PUBLISHED };

/* The choices of --spectrum. */
enum { SPECTRUM_NONE, SPECTRUM_2D, SPECTRUM_3D };

typedef struct pattern_job {
    cli_session *session;
    const pattern_values *v;
    const char *input;
    bool automatic;   /* the support */
    uint64_t support; /* unless automatic */
    spk_recording *recording;
    spk_windows *windows;
    spk_pattern_options options;
    spk_pattern_supports supports;
    cli_figure_look look;
    pattern_test_plan test;
    compare_plan compare;
} pattern_job;

/* Reads the recording, or the transactions, and cuts it into windows. CLI_DONE or an exit code. */
int pattern_job_read(pattern_job *job, const char *path);

/* How the recording is cut; borrows from the job. */
spk_window_options pattern_job_windows(const pattern_job *job);

/* The options of mining; --support auto looks at the windows. CLI_DONE or an exit code. */
int pattern_job_set_limits(pattern_job *job);

/* Notes what was mined. */
void pattern_job_tell(cli_session *session, const spk_pattern_summary *summary);

/* What the files say of the job; borrows from job and summary. */
spk_provenance pattern_job_provenance(const pattern_job *job, const spk_pattern_summary *summary);

/* ---- files ----------------------------------------------------------------------------------- */

/* Where patterns go. NULL: not wanted, or not any more, since its reader went away. */
typedef struct pattern_outputs {
    cli_session *session;
    spk_writer *table;
    spk_writer *occurrences;
    spk_pattern_figure *figure;
    spk_pattern_list *shown; /* with --html: all patterns */
    cli_page page;
    cli_row_limit pattern_rows;
    cli_row_limit occurrence_rows;
    char limit[256];         /* why the job ended when it met one of them */
    spk_pattern_bytes rows;  /* of the table */
    spk_pattern_bytes bytes; /* the same, with the limits */
} pattern_outputs;

/* Starts the files; `test` is NULL where there is none. Free with pattern_outputs_discard, after a
 * failure, too. */
spk_status pattern_outputs_open(pattern_job *job, const spk_significance *test,
                                pattern_outputs *out);

/* Adds what an exact test found, a row for each pattern that will come. */
spk_status pattern_outputs_set_exact(pattern_outputs *out, const spk_exact_report *report);

/* A spk_pattern_sink: writes patterns to all files; `user` is a pattern_outputs. */
spk_status pattern_outputs_add(void *user, const spk_pattern_columns *patterns);

/* The same for many patterns, part of them at a time, so that a reader who has seen enough ends it.
 */
spk_status pattern_outputs_add_all(pattern_outputs *out, const spk_pattern_columns *patterns);

/* Where the table is all that is wanted, *out is what threads and ranks may do in place of
 * pattern_outputs_add; else NULL. */
spk_status pattern_outputs_bytes(pattern_outputs *outputs, const spk_pattern_bytes **out);

/* The rows of the table are families from now on; `user` is a pattern_outputs. */
spk_status pattern_outputs_set_families(void *user, const spk_family_columns *families);

/* A spk_analysis_families_fn: the same for the first n_rows, and a note of all. */
spk_status pattern_outputs_take_families(void *user, const spk_family_columns *families,
                                         uint64_t n_rows);

/* Names the files and draws the figure, after everything went well. CLI_DONE or an exit code. */
int pattern_outputs_commit(pattern_job *job, pattern_outputs *out,
                           const spk_pattern_summary *summary);

/* Reports why the job ended early, and keeps the patterns that are written: each is exact. Returns
 * the exit code. */
int pattern_outputs_keep(const pattern_job *job, pattern_outputs *out,
                         const spk_pattern_summary *summary, spk_status status);

/* What was not committed leaves nothing behind. */
void pattern_outputs_discard(pattern_outputs *out);

#endif
