/* The options that say how surrogates are made. */
#ifndef CLI_SURROGATE_OPTIONS_H
#define CLI_SURROGATE_OPTIONS_H

#include "session.h"

/* Of the methods that keep intervals likely. */
typedef struct cli_interval_values {
    spk_duration truncation;
    uint32_t n_bins;
    spk_duration sigma;
    bool in_order;
    bool use_sqrt;
    bool fast;
    bool no_cutoff;
} cli_interval_values;

typedef struct cli_surrogate_values {
    const char *method;
    spk_duration dither;
    spk_duration bin;
    int edges;
    spk_duration refractory;
    cli_interval_values intervals;
} cli_surrogate_values;

/* Entries of an option table. */
#define CLI_INTERVAL_OPTIONS(type, member)                                                         \
    CLI_HEADING("joint-isi-dithering and isi-dithering"),                                          \
        CLI_OPTION("truncation", type, member.truncation),                                         \
        CLI_OPTION("interval-bins", type, member.n_bins), CLI_OPTION("sigma", type, member.sigma), \
        CLI_OPTION("in-order", type, member.in_order),                                             \
        CLI_OPTION("square-root", type, member.use_sqrt),                                          \
        CLI_OPTION("up-to-neighbours", type, member.fast),                                         \
        CLI_OPTION("no-cutoff", type, member.no_cutoff)

#define CLI_SURROGATE_OPTIONS(type, member)                                                        \
    CLI_HEADING("surrogates"), CLI_OPTION("method", type, member.method),                          \
        CLI_OPTION("dither", type, member.dither), CLI_OPTION("bin", type, member.bin),            \
        CLI_SHARED("history", history), CLI_SHARED("seed", seed),                                  \
        CLI_OPTION("edges", type, member.edges),                                                   \
        CLI_OPTION("refractory", type, member.refractory),                                         \
        CLI_INTERVAL_OPTIONS(type, member.intervals)

/* What the options of intervals say. */
void cli_interval_options(const cli_interval_values *values, spk_surrogate_options *options);

/* What the options say, for the library; pointers are those of the values. */
spk_surrogate_options cli_surrogate_options(const cli_session *session,
                                            const cli_surrogate_values *values);

/* A note of what is known to go wrong with the method. */
void cli_surrogate_warn(cli_session *session, const spk_surrogate_options *options);

#endif
