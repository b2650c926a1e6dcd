/* What subcommands that find and test results have in common: the plans of tests, surrogates, and
 * the job of the library's analysis, told of. */
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "session.h"

/* ---- the exact test -------------------------------------------------------------------------- */

/* Entries of the options of `episodes`. */
#define EXACT_TEST_OPTIONS                                                                         \
    CLI_HEADING("test against chance"), CLI_TEST_AGAINST_CHANCE, CLI_SHARED("seed", seed),         \
        CLI_SHARED("alpha", alpha), CLI_SHARED("report", report), CLI_PEEL_OPTIONS,                \
        CLI_SHARD_OPTIONS

/* What the options of a test say, checked. It is not copied: the test points to its windows. */
typedef struct exact_plan {
    bool wanted;
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    spk_exact_options test; /* but for the language */
} exact_plan;

/* Fills the plan. CLI_DONE or an exit code. */
int exact_plan_make(cli_session *session, exact_plan *plan);

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

/* ---- calibration ----------------------------------------------------------------------------- */

/* Runs the test of the plan, whose language is there, on surrogates of the recording; notes what
 * was found, and writes the table. Returns the exit code. */
int calibration_run(cli_session *session, exact_plan *plan, const spk_recording *recording);

/* ---- two conditions -------------------------------------------------------------------------- */

/* What the options say, and the trials. */
typedef struct compare_plan {
    bool wanted;
    const char *input;
    spk_compare_options test;
    uint8_t *condition; /* of the test; owned */
    char *label[2];     /* owned */
    char sha256_b[65];
} compare_plan;

/* Fills the plan. CLI_DONE or an exit code. */
int compare_plan_make(cli_session *session, compare_plan *plan);

/* Reads the other recording, which is put behind *recording, or the labels; checks that the trials
 * can give a p-value that small. CLI_DONE or an exit code; nothing to do where no comparison is
 * wanted. */
int compare_read(cli_session *session, compare_plan *plan, spk_recording **recording);

void compare_plan_free(compare_plan *plan);

/* ---- the job --------------------------------------------------------------------------------- */

/* A job in the making, which points to the plans of its test, and its results. */
typedef struct cli_analysis {
    cli_session *session;
    const char *result; /* "episode" or "pattern" */
    const compare_plan *comparison;
    const spk_surrogate_options *made; /* of a test of signatures that makes surrogates */
    const char *maxima_path;           /* of given ones; NULL: none */
    spk_analysis_options options;
    spk_maxima *maxima;
    spk_analysis *analysis;
    bool searched;                     /* the search has ended */
    const spk_analysis_columns *found; /* NULL: nothing is there */
    spk_family_columns families;       /* those of rows */
} cli_analysis;

/* Begins a job with its selection. */
void cli_analysis_begin(cli_analysis *a, cli_session *session, const char *result);

/* An exact test. */
void cli_analysis_set_exact(cli_analysis *a, const spk_exact_options *test);
void cli_analysis_set_compare(cli_analysis *a, const compare_plan *plan);

/* Runs it, and notes what the families are. With rows also after a failure of peeling. */
spk_status cli_analysis_run(cli_analysis *a, const spk_recording *recording);

/* Runs a search without a test, whose rows go to the sinks of the options, and notes how many of
 * all are listed. An interrupt is the caller's. */
spk_status cli_analysis_search(cli_analysis *a, const spk_recording *recording);

/* The surrogates of a shard, written to --output. Returns the exit code. */
int cli_analysis_shard(cli_analysis *a, const spk_recording *recording);

/* Notes what the test found. */
spk_status cli_analysis_tell(const cli_analysis *a);

/* The comparison for a table. */
spk_compare_report cli_analysis_compared(const cli_analysis *a);

/* What is there of peeling that ended early. */
typedef struct cli_rounds_text {
    char text[64];
} cli_rounds_text;
cli_rounds_text cli_analysis_rounds(const cli_analysis *a);

void cli_analysis_free(cli_analysis *a);

/* ---- what is listed -------------------------------------------------------------------------- */

/* Whether any of them is given. */
bool cli_select_wanted(const cli_session *session);

/* "12 of 10410 episodes are listed", a note. */
void cli_select_tell(cli_session *session, uint64_t n_listed, uint64_t n, const char *result);

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members", a note. */
void cli_families_tell(cli_session *session, const spk_family_columns *families,
                       const char *result);

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

#endif
