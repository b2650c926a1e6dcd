/* The options that say how surrogates are made. */
#ifndef CLI_SURROGATE_OPTIONS_H
#define CLI_SURROGATE_OPTIONS_H

#include "session.h"

/* Of the methods that keep intervals likely. */
typedef struct cli_interval_values {
    cli_duration truncation;
    uint64_t n_bins;
    cli_duration sigma;
    bool in_order;
    bool use_sqrt;
    bool fast;
    bool no_cutoff;
} cli_interval_values;

typedef struct cli_surrogate_values {
    const char *method;
    cli_duration dither;
    cli_duration bin;
    cli_duration history;
    int edges;
    cli_duration refractory;
    cli_interval_values intervals;
    uint64_t seed;
} cli_surrogate_values;

/* Entries of an option table. */
#define CLI_INTERVAL_OPTIONS(type, member)                                                         \
    {.name = "joint-isi-dithering and isi-dithering", .kind = CLI_SECTION},                        \
        {.name = "truncation",                                                                     \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.truncation),                                              \
         .fallback = "100ms",                                                                      \
         .help = "longer intervals are in no histogram"},                                          \
        {.name = "interval-bins",                                                                  \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.n_bins),                                                  \
         .fallback = "100",                                                                        \
         .minimum = 2,                                                                             \
         .maximum = 4096,                                                                          \
         .help = "bins of the histogram"},                                                         \
        {.name = "sigma",                                                                          \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.sigma),                                                   \
         .fallback = "2ms",                                                                        \
         .help = "standard deviation of its smoothing; 0: none"},                                  \
        {.name = "in-order",                                                                       \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.in_order),                                                \
         .help = "move spikes in order of time, not every other one first"},                       \
        {.name = "square-root",                                                                    \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.use_sqrt),                                                \
         .help = "take the square root of the histogram"},                                         \
        {.name = "up-to-neighbours",                                                               \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.fast),                                                    \
         .help = "let spikes move further than the dither, up to their neighbours"},               \
    {                                                                                              \
        .name = "no-cutoff", .kind = CLI_FLAG, .offset = offsetof(type, member.no_cutoff),         \
        .help = "let smoothing make intervals shorter than the refractory period"                  \
    }

#define CLI_SURROGATE_OPTIONS(type, member)                                                        \
    {.name = "surrogates", .kind = CLI_SECTION},                                                   \
        {.name = "method",                                                                         \
         .letter = 'm',                                                                            \
         .kind = CLI_SURROGATE_METHOD,                                                             \
         .argument = "NAME",                                                                       \
         .offset = offsetof(type, member.method),                                                  \
         .fallback = "joint-isi-dithering",                                                        \
         .help = "docs/reference/surrogates.md says more of each"},                                \
        {.name = "dither",                                                                         \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.dither),                                                  \
         .fallback = "15ms",                                                                       \
         .help = "how far spikes move, both ways; the length of windows in interval-jitter, "      \
                 "pattern-jitter, shift-pieces and jitter-spikes, half of it in bin-shuffling"},   \
        {.name = "bin",                                                                            \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.bin),                                                     \
         .help = "width of the bins that bin-shuffling, interval-jitter, pattern-jitter and "      \
                 "shift-pieces keep; without this option the last three keep ticks"},              \
        {.name = "history",                                                                        \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.history),                                                 \
         .help = "spikes of a unit that follow each other within this move together; the default " \
                 "is half the dither in pattern-jitter, 4 times the dither in shift-pieces"},      \
        CLI_SEED_OPTION(type, member.seed,                                                         \
                        "seed of the random numbers; the same seed gives the same surrogates"),    \
        {.name = "edges",                                                                          \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "drop|keep",                                                                  \
         .offset = offsetof(type, member.edges),                                                   \
         .fallback = "drop",                                                                       \
         .help = "spikes that dither-spikes and dither-spike-train move out of their segment: "    \
                 "drop them, or keep them at its end"},                                            \
        {.name = "refractory",                                                                     \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.refractory),                                              \
         .fallback = "4ms",                                                                        \
         .help = "methods that keep a refractory period make no shorter interval, unless the "     \
                 "unit has one"},                                                                  \
        CLI_INTERVAL_OPTIONS(type, member.intervals)

/* What the options of intervals say. */
void cli_interval_options(const cli_interval_values *values, spk_surrogate_options *options);

/* What the options say, for the library; pointers are those of the values. */
spk_surrogate_options cli_surrogate_options(const cli_surrogate_values *values);

/* A note of what is known to go wrong with the method. */
void cli_surrogate_warn(cli_session *session, const spk_surrogate_options *options);

#endif
