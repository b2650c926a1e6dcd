/* The test of patterns against surrogates, as `patterns` offers it: options, checks, the run. */
#ifndef CLI_PATTERN_TEST_H
#define CLI_PATTERN_TEST_H

#include "exact_test.h"
#include "surrogate_options.h"

typedef struct pattern_test_values {
    int test; /* the choices of --test */
    int null;
    cli_duration history;
    const char *jitter;
    uint64_t n_surrogates; /* 0: no test, unless maxima are read */
    const char *method;
    cli_duration dither;
    cli_duration refractory;
    cli_interval_values intervals;
    int edges;
    uint64_t seed;
    double alpha;
    const char *correction;
    bool published;
    int report;
    const char *reduce;
    const char *stability;
    const char *pvalues;
    const char *checkpoint;
    const char *shard;
    const char *maxima;
    peel_values peel;
    calibrate_values calibrate;
} pattern_test_values;

/* The choices of --test: by default a test of signatures where surrogates are asked for. */
enum { TEST_SIGNATURES, TEST_EXACT };

/* The choices of --report. */
enum { REPORT_SIGNIFICANT, REPORT_CORE, REPORT_ALL };

#define PATTERN_TEST_OPTIONS(type, member)                                                         \
    {.name = "test against surrogates", .kind = CLI_SECTION},                                      \
        {.name = "test",                                                                           \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "signatures|exact",                                                           \
         .offset = offsetof(type, member.test),                                                    \
         .fallback = "signatures",                                                                 \
         .help = "signatures: patterns with as many spikes and occurrences have one p-value, as "  \
                 "published, where --surrogates is given. exact: each pattern has a p-value of "   \
                 "its own, which takes the whole search into account; "                            \
                 "docs/explanation/chance.md"},                                                    \
        {.name = "jitter",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "TIME,...",                                                                   \
         .offset = offsetof(type, member.jitter),                                                  \
         .fallback = "25ms",                                                                       \
         .help = "with --test exact: " EXACT_JITTER_HELP ", in whole bins"},                       \
        EXACT_NULL_OPTIONS(type, member.null, member.history, "with --test exact: "),              \
        {.name = "surrogates",                                                                     \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.n_surrogates),                                            \
         .minimum = 1,                                                                             \
         .maximum = 1e9,                                                                           \
         .help = "test the patterns against N surrogates: copies of the recording in "             \
                 "which spikes were moved. The table then has the p-value of each pattern's "      \
                 "signature (its numbers of spikes and occurrences), and significant patterns "    \
                 "only. 1000 is usual"},                                                           \
        {.name = "surrogate-method",                                                               \
         .kind = CLI_SURROGATE_METHOD,                                                             \
         .argument = "NAME",                                                                       \
         .offset = offsetof(type, member.method),                                                  \
         .help = "The default is joint-isi-dithering, with --published dither-spikes"},            \
        {.name = "dither",                                                                         \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.dither),                                                  \
         .fallback = "15ms",                                                                       \
         .help = "how far spikes are moved, some bins at least"},                                  \
        {.name = "refractory",                                                                     \
         .kind = CLI_DURATION,                                                                     \
         .argument = "TIME",                                                                       \
         .offset = offsetof(type, member.refractory),                                              \
         .fallback = "4ms",                                                                        \
         .help = "shortest interval that methods with a refractory period make"},                  \
        {.name = "edges",                                                                          \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "drop|keep",                                                                  \
         .offset = offsetof(type, member.edges),                                                   \
         .fallback = "drop",                                                                       \
         .help = "spikes that dithering moves out of the recording or trial are left out, or "     \
                 "stay at its end"},                                                               \
        CLI_SEED_OPTION(type, member.seed,                                                         \
                        "seed of the random numbers; the same seed and options give the same "     \
                        "surrogates and p-values, with any number of threads and shards"),         \
        {.name = "alpha",                                                                          \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "P",                                                                          \
         .offset = offsetof(type, member.alpha),                                                   \
         .fallback = "0.05",                                                                       \
         .minimum = 1e-12,                                                                         \
         .maximum = 1,                                                                             \
         .help = "level of significance of all tests together"},                                   \
        {.name = "correction",                                                                     \
         .kind = CLI_CORRECTION,                                                                   \
         .argument = "NAME",                                                                       \
         .offset = offsetof(type, member.correction),                                              \
         .fallback = "fdr-bh",                                                                     \
         .help = "correction for many tests: bonferroni, sidak, holm-sidak, holm, "                \
                 "simes-hochberg, hommel, fdr-bh, fdr-by, fdr-tsbh, fdr-tsbky or none"},           \
        {.name = "published",                                                                      \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.published),                                               \
         .help = "test by the rule of the published program Elephant: p is the share of "          \
                 "surrogates that reach a signature, without + 1, and not every signature is "     \
                 "tested"},                                                                        \
        {.name = "report",                                                                         \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "significant|core|all",                                                       \
         .offset = offsetof(type, member.report),                                                  \
         .fallback = "significant",                                                                \
         .help = "which patterns a test lists; core, with --test exact: significant ones that no " \
                 "part of them explains"},                                                         \
        {.name = "reduce",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "H,K,L",                                                                      \
         .offset = offsetof(type, member.reduce),                                                  \
         .help =                                                                                   \
             "drop significant patterns that a larger or an overlapping one explains (pattern "    \
             "set reduction); H, K and L are the corrections h, k and l of the published "         \
             "method, e.g. 2,2,0"},                                                                \
        {.name = "stability",                                                                      \
         .kind = CLI_TEXT,                                                                         \
         .argument = "E,D",                                                                        \
         .offset = offsetof(type, member.stability),                                               \
         .help = "add the approximate stability of each pattern, intensional and "                 \
                 "extensional, with an error of at most E at a risk of D, e.g. 0.05,0.05"},        \
        {.name = "pvalues",                                                                        \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE",                                                                       \
         .offset = offsetof(type, member.pvalues),                                                 \
         .help = "file of the p-value spectrum, with all signatures of the recording and "         \
                 "their verdicts, in the form that --format says"},                                \
        PEEL_OPTIONS(type, member.peel, "pattern"), CALIBRATE_OPTIONS(type, member.calibrate),     \
        CLI_SHARD_OPTIONS(type, member, "maxima"), CLI_INTERVAL_OPTIONS(type, member.intervals)

/* What the options say, checked. */
typedef struct pattern_test_plan {
    bool wanted;
    exact_values exact_values;
    exact_plan exact; /* wanted in place of a test of signatures */
    spk_surrogate_options surrogates;
    spk_signature_options rule;
    uint32_t shard;
    uint32_t n_shards; /* 0: all surrogates, and the test */
    bool reduces;
    uint32_t reduce[3]; /* h, k, l */
    bool wants_stability;
    spk_stability_options stability;
} pattern_test_plan;

/* Fills the plan. CLI_DONE or an exit code. */
struct pattern_values;
int pattern_test_take(cli_session *session, const struct pattern_values *values,
                      pattern_test_plan *plan);

/* Mines, tests and writes: an exact test, a comparison, a test of signatures. CLI_DONE or an exit
 * code. */
struct pattern_job;
int pattern_exact_run(struct pattern_job *job);

int pattern_compare_run(struct pattern_job *job);
int pattern_test_run(struct pattern_job *job);

#endif
