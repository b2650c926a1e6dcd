/* How figures look: the options that `episodes`, `count` and `patterns` share. */
#ifndef CLI_FIGURE_OPTIONS_H
#define CLI_FIGURE_OPTIONS_H

#include "session.h"

typedef struct cli_figure_values {
    const char *size;
    const char *font;
    uint64_t dpi;
    const char *range;
    cli_count top;
    const char *panels;
} cli_figure_values;

/* Options of a subcommand that draws; embed the struct, list these behind --figure. */
#define CLI_FIGURE_OPTIONS(type, member)                                                           \
    CLI_HEADING("figure"), CLI_OPTION("figure-size", type, member.size),                           \
        CLI_OPTION("font-size", type, member.font), CLI_OPTION("dpi", type, member.dpi),           \
        CLI_OPTION("figure-top", type, member.top), CLI_OPTION("panels", type, member.panels)

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
 * `path`, its folder, every option, and whether the panels fit the page. `path` NULL: no figure was
 * asked for. CLI_DONE or an exit code. */
int cli_figure_prepare(cli_session *session, spk_figure_kind kind, const char *path,
                       const cli_figure_values *values, cli_figure_look *look);

/* Whether the range of the look holds something of the recording. CLI_DONE or CLI_USAGE. */
int cli_figure_check_range(cli_session *session, const cli_figure_values *values,
                           const cli_figure_look *look, const spk_recording *recording);

/* What stands in the caption where results are drawn for families. */
void cli_figure_take_families(cli_figure_look *look, const spk_family_columns *families,
                              const char *result);

/* The name of the input, which is borrowed, as title; as caption "74 units, 3336 events; 1 pattern"
 * for n of `what`, or the families. */
void cli_figure_label(cli_figure_look *look, const spk_recording *recording, const char *input,
                      uint64_t n, const char *what);

#endif
