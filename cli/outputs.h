/* The report and the picture of a job that lists results. */
#pragma once

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
