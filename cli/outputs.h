/* The files of a job that lists results: a table, the occurrences of its rows, a report, a picture.
 * What table and occurrences hold is of the language: episode_job.h, pattern_job.h. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "session.h"

/* ---- the picture ----------------------------------------------------------------------------- */

/* The look that the values describe. Start and stop of the range and the caption lie here, since
 * the options borrow them. */
typedef struct cli_figure_look {
    spk_figure_options options;
    spk_duration start;
    spk_duration stop;
    char families[224]; /* in words; empty: there are none */
    char caption[320];
} cli_figure_look;

/* Checks what can be known to be wrong before hours of work and fills the look: the ending of
 * --figure, its folder, every option, and whether the panels fit the page. CLI_DONE or an exit
 * code.
 */
int cli_figure_prepare(cli_session *session, spk_figure_kind kind, cli_figure_look *look);

/* Whether the range of the look holds something of the recording. CLI_DONE or CLI_USAGE. */
int cli_figure_check_range(cli_session *session, const cli_figure_look *look,
                           const spk_recording *recording);

/* What stands in the caption where results are drawn for families. */
void cli_figure_take_families(cli_figure_look *look, const spk_family_columns *families,
                              const char *result);

/* The name of the input as title; as caption "74 units, 3,336 spikes; 1 pattern"
 * for n of `what`, or the families. */
void cli_figure_label(cli_figure_look *look, const cli_session *session,
                      const spk_recording *recording, uint64_t n, const char *what);

/* ---- the report ------------------------------------------------------------------------------ */

/* Checks before any work whether the file can be written. CLI_DONE or an exit code. */
int cli_page_check(cli_session *session);

/* What a report tells of the command, with the texts that it points to. */
typedef struct cli_page {
    spk_page_options options;
    spk_page_setting *setting;
    char (*number)[64]; /* texts of numbers, by setting */
    char *command;
    char *joined; /* of an option that was given several times */
    double *largest_score;
    spk_family_columns families;
} cli_page;

/* Fills the options from the command line: the title, the settings, the limits. Options
 * that this job does not heed are left out. Free with cli_page_free, after a failure, too. */
spk_status cli_page_make(const cli_session *session, cli_page *page);

/* Adds a setting, unless its value is empty or NULL. Both are borrowed. */
void cli_page_add_setting(cli_page *page, const char *name, const char *value);

/* The null distribution of an exact test. */
spk_status cli_page_take_maxima(cli_page *page, const spk_maxima *maxima);

/* Families, whose units must live as long as the page. It cannot fail: the status is for calls in a
 * row. */
spk_status cli_page_take_families(cli_page *page, const spk_family_columns *families);

void cli_page_free(cli_page *page);

/* ---- all of them ----------------------------------------------------------------------------- */

/* The rows that a file may still get. */
typedef struct cli_row_limit {
    uint64_t most; /* UINT64_MAX: no limit */
    uint64_t n;    /* rows so far */
} cli_row_limit;

/* What the files of a language begin with, so that a pointer to them is a pointer to this. */
typedef struct cli_outputs {
    cli_session *session;
    const char *result; /* "episode" or "pattern" */
    /* NULL: not wanted, or not any more, since its reader went away. */
    spk_writer *table;
    spk_writer *occurrences;
    cli_page page;         /* with --html */
    cli_figure_look *look; /* of the picture */
    cli_row_limit rows;    /* of the table */
    cli_row_limit occurrence_rows;
    char limit[256]; /* why the job ended when it met one of them */
} cli_outputs;

/* Without files yet, with the limits of --max-results. */
void cli_outputs_begin(cli_outputs *out, cli_session *session, const char *result,
                       cli_figure_look *look);

/* Counts rows that are about to be written. The limit that they are beyond; NULL: there is none. */
const cli_row_limit *cli_outputs_count(cli_outputs *out, uint64_t n, uint64_t n_occurrences);

/* What writing to a file said. A file whose reader has seen enough is dropped: the work goes on
 * while another one is wanted. */
spk_status cli_outputs_wrote(spk_writer **file, spk_status status);

/* The rows are families from now on; `user` begins with cli_outputs. */
spk_status cli_outputs_set_families(void *user, const spk_family_columns *families);

/* A spk_analysis_families_fn: the same for the first n_rows, and a note of all. */
spk_status cli_outputs_take_families(void *user, const spk_family_columns *families,
                                     uint64_t n_rows);

/* Names the table and the occurrences. Of an incomplete result each on its own: one that cannot be
 * ended does not take the other one with it. */
spk_status cli_outputs_commit(cli_outputs *out, const spk_provenance *provenance);

enum { CLI_REASON_BYTES = 1024 };

/* Reports why the job ended early: a limit, or `status`. Returns the exit code. */
int cli_outputs_report(const cli_outputs *out, spk_status status, char reason[CLI_REASON_BYTES]);

/* Keeps what is complete as `provenance` tells it, and notes what is not made. That a file cannot
 * even be ended is told by the failure that ended the job. */
void cli_outputs_keep(cli_outputs *out, const spk_provenance *provenance);

/* What was not committed leaves nothing behind. */
void cli_outputs_discard(cli_outputs *out);

#endif
