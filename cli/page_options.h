/* `--html` of commands that find something: its options, their checks, and what a report tells of
 * the command. */
#ifndef CLI_PAGE_OPTIONS_H
#define CLI_PAGE_OPTIONS_H

#include "session.h"

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

#endif
