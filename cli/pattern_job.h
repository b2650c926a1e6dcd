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
    cli_count min_occurrences;
    double auto_rate_percentile;
    double auto_alpha;
    uint64_t auto_floor;
    uint64_t auto_bins;
    int auto_by;
    cli_duration auto_time;
    uint64_t max_occurrences;
    uint64_t min_neurons;
    int moving_window_filter;
    bool unordered;
    const char *engine;
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
    {.name = "bin",                                                                                \
     .kind = CLI_DURATION,                                                                         \
     .argument = "TIME",                                                                           \
     .offset = offsetof(pattern_values, bin),                                                      \
     .help = "width of a bin, e.g. 5ms or 1/30s; it need not be a whole "                          \
             "number of ticks"},                                                                   \
        {.name = "window",                                                                         \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "BINS",                                                                       \
         .offset = offsetof(pattern_values, window),                                               \
         .fallback = "1",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = SPK_MAX_WINDOW_BINS,                                                           \
         .help = "length of the window in bins; no pattern is longer"},                            \
        {.name = "min-occurrences",                                                                \
         .kind = CLI_COUNT,                                                                        \
         .argument = "N|auto",                                                                     \
         .offset = offsetof(pattern_values, min_occurrences),                                      \
         .fallback = "2",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 4294967294.0,                                                                  \
         .help =                                                                                   \
             "smallest number of windows in which a pattern occurs. auto sets it for each number " \
             "of spikes, from 6 on, by what surrogates have within --jitter: for a test as low "   \
             "as "                                                                                 \
             "--auto-time allows, else so that chance gives at most 1,000 patterns of a size. A "  \
             "note tells what it chose"},                                                          \
        {.name = "auto-by",                                                                        \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "surrogates|published",                                                       \
         .offset = offsetof(pattern_values, auto_by),                                              \
         .fallback = "surrogates",                                                                 \
         .help = "published: auto sets the numbers by the recipe of the published studies, which " \
                 "takes units for Poisson processes: chance patterns of busy units rarely reach "  \
                 "them. --published takes it, too"},                                               \
        {.name = "auto-time",                                                                      \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(pattern_values, auto_time),                                            \
         .fallback = "30s",                                                                        \
         .help =                                                                                   \
             "time for choosing from surrogates. A search may take a hundredth of it on one "      \
             "processor, reckoned from its number of steps, so that the choice is the same on "    \
             "every machine"},                                                                     \
        {.name = "auto-rate-percentile",                                                           \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "SHARE",                                                                      \
         .offset = offsetof(pattern_values, auto_rate_percentile),                                 \
         .fallback = "0.9",                                                                        \
         .minimum = 0.001,                                                                         \
         .maximum = 1,                                                                             \
         .help = "--auto-by published takes all units to be as busy as this percentile of units "  \
                 "that fire"},                                                                     \
        {.name = "auto-alpha",                                                                     \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "P",                                                                          \
         .offset = offsetof(pattern_values, auto_alpha),                                           \
         .fallback = "0.05",                                                                       \
         .minimum = 1e-12,                                                                         \
         .maximum = 0.999999,                                                                      \
         .help = "probability that any chance pattern of a size passes what --auto-by published "  \
                 "chooses"},                                                                       \
        {.name = "auto-floor",                                                                     \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(pattern_values, auto_floor),                                           \
         .fallback = "10",                                                                         \
         .minimum = 1,                                                                             \
         .maximum = 4294967294.0,                                                                  \
         .help = "smallest number that --auto-by published chooses"},                              \
        {.name = "auto-bins",                                                                      \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(pattern_values, auto_bins),                                            \
         .minimum = 1,                                                                             \
         .maximum = 9007199254740992.0,                                                            \
         .help = "number of bins that --auto-by published reckons with; without this option the "  \
                 "bins of the "                                                                    \
                 "recording "                                                                      \
                 "or its trials"},                                                                 \
        {.name = "max-occurrences",                                                                \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(pattern_values, max_occurrences),                                      \
         .minimum = 1,                                                                             \
         .maximum = 4294967294.0,                                                                  \
         .help = "largest number of windows in which a pattern occurs"},                           \
        {.name = "min-spikes",                                                                     \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(pattern_values, min_spikes),                                           \
         .fallback = "2",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 4294967294.0,                                                                  \
         .help = "smallest number of spikes in a pattern"},                                        \
        {.name = "max-spikes",                                                                     \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(pattern_values, max_spikes),                                           \
         .minimum = 1,                                                                             \
         .maximum = 4294967294.0,                                                                  \
         .help = "largest number of spikes in a pattern. A larger pattern is "                     \
                 "not listed; its parts with as many occurrences are not "                         \
                 "closed, and are not listed either"},                                             \
        {.name = "min-neurons",                                                                    \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(pattern_values, min_neurons),                                          \
         .fallback = "1",                                                                          \
         .minimum = 1,                                                                             \
         .maximum = 4294967294.0,                                                                  \
         .help = "smallest number of different units in a pattern"},                               \
        {.name = "moving-window-filter",                                                           \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "on|off",                                                                     \
         .offset = offsetof(pattern_values, moving_window_filter),                                 \
         .fallback = "on",                                                                         \
         .help = "drop a pattern that is the end of another pattern with as "                      \
                 "many occurrences: it is the same event, which a later "                          \
                 "window sees. Engine fpgrowth keeps all patterns in memory for this"},            \
    {                                                                                              \
        .name = "engine", .kind = CLI_PATTERN_ENGINE, .argument = "NAME",                          \
        .offset = offsetof(pattern_values, engine), .fallback = "auto",                            \
        .help = "all engines give the same patterns; spikemine engines lists "                     \
                "them"                                                                             \
    }

/* The choices of --auto-by. */
enum { AUTO_BY_SURROGATES, AUTO_BY_PUBLISHED };

/* The choices of --spectrum. */
enum { SPECTRUM_NONE, SPECTRUM_2D, SPECTRUM_3D };

typedef struct pattern_job {
    cli_session *session;
    const pattern_values *v;
    const char *input;
    bool automatic;           /* the least occurrences */
    uint64_t min_occurrences; /* unless automatic */
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

/* The options of mining; --min-occurrences auto looks at the windows. CLI_DONE or an exit code. */
int pattern_job_set_limits(pattern_job *job);

/* Notes what was mined. */
void pattern_job_tell(cli_session *session, const spk_pattern_summary *summary);

/* What the files say of the job; borrows from job and summary. */
spk_provenance pattern_job_provenance(const pattern_job *job, const spk_pattern_summary *summary);

/* ---- files ----------------------------------------------------------------------------------- */

/* Where patterns go. NULL: not wanted, or not any more, since its reader went away. */
typedef struct pattern_outputs {
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

/* Where the table is all that is wanted, *out is what ranks may do in place of pattern_outputs_add;
 * else NULL. */
spk_status pattern_outputs_bytes(pattern_outputs *outputs, const spk_pattern_bytes **out);

/* The rows of the table are families from now on; `user` is a pattern_outputs. */
spk_status pattern_outputs_set_families(void *user, const spk_family_columns *families);

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
