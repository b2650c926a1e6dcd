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

/* Options of a subcommand that draws; embed the struct, list these behind --figure. `all` names the
 * panels. */
#define CLI_FIGURE_OPTIONS(type, member, all)                                                      \
    {.name = "figure", .work = true, .kind = CLI_SECTION},                                         \
        {.name = "figure-size",                                                                    \
         .work = true,                                                                             \
         .kind = CLI_TEXT,                                                                         \
         .argument = "W[xH]",                                                                      \
         .offset = offsetof(type, member.size),                                                    \
         .help =                                                                                   \
             "width and height, in mm, cm, in or pt: 180mm, the default, spans two columns of "    \
             "a journal, 88mm one, 338x190mm fills a slide. Without a height the figure is "       \
             "as high as its panels need"},                                                        \
        {.name = "font-size",                                                                      \
         .work = true,                                                                             \
         .kind = CLI_TEXT,                                                                         \
         .argument = "SIZE",                                                                       \
         .offset = offsetof(type, member.font),                                                    \
         .fallback = "7pt",                                                                        \
         .help = "size of the text, e.g. 7pt"},                                                    \
        {.name = "dpi",                                                                            \
         .work = true,                                                                             \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.dpi),                                                     \
         .minimum = 30,                                                                            \
         .maximum = 2400,                                                                          \
         .help = "pixels per inch of a .png; 300 without this option"},                            \
        {.name = "figure-top",                                                                     \
         .work = true,                                                                             \
         .kind = CLI_COUNT,                                                                        \
         .argument = "N|none",                                                                     \
         .offset = offsetof(type, member.top),                                                     \
         .minimum = 1,                                                                             \
         .maximum = 7,                                                                             \
         .help = "how many examples are drawn in colour, 1 to 7; 6 without this option"},          \
    {                                                                                              \
        .name = "panels", .work = true, .kind = CLI_TEXT, .argument = "LIST",                      \
        .offset = offsetof(type, member.panels), .help = "draw these panels only, e.g. a,c: " all  \
    }

/* The same of figures with a raster. */
#define CLI_FIGURE_RANGE_OPTION(type, member)                                                      \
    {                                                                                              \
        .name = "figure-range", .work = true, .kind = CLI_TEXT, .argument = "START:STOP",          \
        .offset = offsetof(type, member.range),                                                    \
        .help = "times that the raster shows, e.g. 12s:14.5s; either may be left out. By "         \
                "default a stretch with many occurrences of the examples"                          \
    }

/* The look that the values describe. Start and stop of the range lie here, since the options borrow
 * them. */
typedef struct cli_figure_look {
    spk_figure_options options;
    spk_duration start;
    spk_duration stop;
} cli_figure_look;

/* Checks what can be known to be wrong before hours of work and fills the look: the ending of
 * `path`, its folder, every option, and whether the panels fit the page. `path` NULL: no figure was
 * asked for. CLI_DONE or an exit code. */
int cli_figure_prepare(cli_session *session, spk_figure_kind kind, const char *path,
                       const cli_figure_values *values, cli_figure_look *look);

/* Whether the range of the look holds something of the recording. CLI_DONE or CLI_USAGE. */
int cli_figure_check_range(cli_session *session, const cli_figure_values *values,
                           const cli_figure_look *look, const spk_recording *recording);

/* "74 units, 3336 events; 1 pattern" for n of `what`. */
void cli_figure_caption(char *text, size_t size, const spk_recording *recording, uint64_t n,
                        const char *what);

#endif
