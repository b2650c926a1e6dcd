/* What subcommands that find and test results have in common: the plans of tests, surrogates, and
 * the job of the library's analysis, told of. */
#pragma once

#include "outputs.h"

/* ---- the exact test -------------------------------------------------------------------------- */

/* Entries of the options of `episodes`. */
#define EXACT_TEST_OPTIONS                                                                         \
    CLI_HEADING("test against chance"), CLI_TEST_AGAINST_CHANCE, CLI_SHARED("seed", seed),         \
        CLI_SHARED("alpha", alpha), CLI_SHARED("report", report), CLI_PEEL_OPTIONS,                \
        CLI_SHARD_OPTIONS

/* Notes a jitter so long that its unit may be wrong. */
void cli_jitter_check(cli_session *session, const spk_recording *recording, spk_duration jitter);

/* ---- shards ---------------------------------------------------------------------------------- */

/* Reads I/N; a NULL text leaves both numbers as they are. CLI_DONE or an exit code. */
int cli_shard_parse(const cli_session *session, const char *text, uint32_t *shard,
                    uint32_t *n_shards);

/* A shard of the surrogates is no result yet. The command line of the test makes it: options that
 * only the result heeds do nothing, and a note tells of one that names a file. `pvalues`: --pvalues
 * is given. Nothing to do without --shard. */
void cli_shard_tell(cli_session *session, bool pvalues);

/* Writes the file of a shard, --output, and notes what comes next. `status` is that of the run. */
spk_status cli_shard_write(cli_session *session, spk_status status, const spk_maxima *maxima);

/* ---- the job --------------------------------------------------------------------------------- */

/* The rows that a file may still get. */
typedef struct cli_row_limit {
    uint64_t most; /* UINT64_MAX: no limit */
    uint64_t n;    /* rows so far */
} cli_row_limit;

/* A job of `episodes`, `count` or `patterns`: what is searched for and how it is tested, its
 * results, and the files of them: a table, the occurrences of its rows, a report, a picture. */
typedef struct cli_analysis {
    cli_session *session;
    const char *result; /* "episode" or "pattern" */
    const spk_recording *recording;
    const spk_windows *windows; /* of patterns; NULL: of episodes */
    spk_duration bin;           /* likewise */
    /* The job, whose tests lie below: it is not copied. */
    spk_analysis_options options;
    spk_exact_options exact;
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    spk_compare_options compare;
    uint8_t *condition; /* of trials; owned */
    char *label[2];     /* of conditions; owned */
    char sha256_b[65];
    spk_maxima_options signatures;
    spk_surrogate_options surrogates; /* of signatures */
    spk_signature_options rule;
    spk_reduce_options reduce;
    spk_stability_options stability;
    /* What is told. */
    uint64_t support;           /* for the files; 0: untold */
    const char *support_choice; /* why auto chose it; "" or NULL: it was given */
    const char *pvalues;        /* file of the p-values of signatures; NULL: none */
    bool as_listed;             /* pictures show the first results, not the most telling */
    uint32_t occurrences_from;  /* smallest size of episodes whose occurrences are written */
    cli_figure_look look;       /* prepared before anything is read */
    /* Results. */
    spk_maxima *maxima; /* that were read */
    spk_analysis *analysis;
    bool searched;                      /* the search of a test has ended */
    const spk_analysis_columns *found;  /* NULL: nothing is there */
    const spk_analysis_columns *tested; /* the same after a test */
    const spk_episode_summary *counted; /* of given episodes without a test */
    /* Files. NULL: not wanted, or not any more, since its reader went away. */
    spk_writer *table;
    spk_writer *occurrences;
    cli_page page;              /* with --html */
    spk_episode_list *episodes; /* with --figure or --html: all of them */
    spk_pattern_list *patterns; /* with --html */
    spk_pattern_figure *figure;
    spk_pattern_bytes of_table; /* its rows as bytes */
    spk_pattern_bytes bytes;    /* the same, with the limits */
    cli_row_limit rows;         /* of the table */
    cli_row_limit occurrence_rows;
    char limit[256]; /* why the job ended when it met one of them */
} cli_analysis;

/* Begins a job with its selection, and with the limits of --max-results. */
void cli_analysis_begin(cli_analysis *a, cli_session *session, const char *result);

/* An exact test as the options say it, but for its language; nothing to do without --test exact.
 * CLI_DONE or an exit code. */
int cli_exact_take(cli_analysis *a);

/* A comparison, but for the search: its options, then the other recording, which is put behind
 * *recording, or the labels, and whether the trials can give a p-value that small. Nothing to do
 * where none is wanted. CLI_DONE or an exit code. */
int cli_compare_take(cli_analysis *a);
int cli_compare_read(cli_analysis *a, spk_recording **recording);

/* Runs the exact test on surrogates of the recording; notes what was found, and writes the table.
 * Returns the exit code. */
int cli_calibration_run(cli_analysis *a);

/* Searches, tests and writes the files; with --shard or --calibrate it does these. Without a test
 * rows are written as they are found. The first signal keeps what is complete. CLI_DONE or an exit
 * code. */
int cli_analysis_run(cli_analysis *a);

/* The parts of it, for episodes that are counted alone. Opens the files; from now on the first
 * signal keeps what is complete. CLI_DONE or an exit code. */
int cli_analysis_open(cli_analysis *a);

/* A spk_episode_sink: writes episodes to all files; `user` is the job. */
spk_status cli_analysis_add_episodes(void *user, const spk_episode_columns *episodes);

/* Ends the files: names them when status is SPK_OK, marks them incomplete where something is
 * complete or after a cancel, removes them otherwise. Reports errors; returns the exit code. */
int cli_analysis_close(cli_analysis *a, spk_status status);

void cli_analysis_free(cli_analysis *a);

/* Notes what was mined. */
void cli_patterns_tell(cli_session *session, const spk_pattern_summary *summary);

/* What the files say of patterns; borrows from job and summary. */
spk_provenance cli_patterns_provenance(const cli_analysis *a, const spk_pattern_summary *summary);

/* ---- surrogates ------------------------------------------------------------------------------ */

typedef struct cli_surrogate_values {
    spk_surrogate_options made; /* but for what stands below */
    int edges;
    bool in_order;
    bool no_cutoff;
} cli_surrogate_values;

/* Entries of an option table: of the methods that keep intervals likely, and all. */
#define CLI_INTERVAL_OPTIONS(type, member)                                                         \
    CLI_HEADING("joint-isi-dithering and isi-dithering"),                                          \
        CLI_OPTION("truncation", type, member.made.truncation),                                    \
        CLI_OPTION("interval-bins", type, member.made.n_bins),                                     \
        CLI_OPTION("sigma", type, member.made.sigma),                                              \
        CLI_OPTION("in-order", type, member.in_order),                                             \
        CLI_OPTION("square-root", type, member.made.use_sqrt),                                     \
        CLI_OPTION("up-to-neighbours", type, member.made.fast),                                    \
        CLI_OPTION("no-cutoff", type, member.no_cutoff)

#define CLI_SURROGATE_OPTIONS(type, member)                                                        \
    CLI_HEADING("surrogates"), CLI_OPTION("method", type, member.made.method),                     \
        CLI_OPTION("dither", type, member.made.dither), CLI_OPTION("bin", type, member.made.bin),  \
        CLI_SHARED("history", history), CLI_SHARED("seed", seed),                                  \
        CLI_OPTION("edges", type, member.edges),                                                   \
        CLI_OPTION("refractory", type, member.made.refractory), CLI_INTERVAL_OPTIONS(type, member)

/* What the options say, for the library; pointers are those of the values. */
spk_surrogate_options cli_surrogate_options(const cli_session *session,
                                            const cli_surrogate_values *values);

/* A note of what is known to go wrong with the method. */
void cli_surrogate_warn(cli_session *session, const spk_surrogate_options *options);
