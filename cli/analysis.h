/* What subcommands that test results have in common: the job of the library's analysis, told of. */
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "chance_test.h"
#include "compare.h"
#include "session.h"

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

#endif
