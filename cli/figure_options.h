/* How figures look: the options that `episodes`, `count` and `patterns` share. */
#ifndef CLI_FIGURE_OPTIONS_H
#define CLI_FIGURE_OPTIONS_H

#include "session.h"

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

/* The name of the input as title; as caption "74 units, 3336 events; 1 pattern"
 * for n of `what`, or the families. */
void cli_figure_label(cli_figure_look *look, const cli_session *session,
                      const spk_recording *recording, uint64_t n, const char *what);

#endif
