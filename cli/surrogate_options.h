/* The options that say how surrogates are made. */
#ifndef CLI_SURROGATE_OPTIONS_H
#define CLI_SURROGATE_OPTIONS_H

#include "session.h"

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
