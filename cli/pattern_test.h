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
    CLI_HEADING("test against surrogates"), CLI_OPTION("test", type, member.test),                 \
        CLI_OPTION("jitter", type, member.jitter), CLI_OPTION("null", type, member.null),          \
        CLI_OPTION("history", type, member.history),                                               \
        CLI_OPTION("surrogates", type, member.n_surrogates),                                       \
        CLI_OPTION("surrogate-method", type, member.method),                                       \
        CLI_OPTION("dither", type, member.dither),                                                 \
        CLI_OPTION("refractory", type, member.refractory),                                         \
        CLI_OPTION("edges", type, member.edges), CLI_OPTION("seed", type, member.seed),            \
        CLI_OPTION("alpha", type, member.alpha),                                                   \
        CLI_OPTION("correction", type, member.correction),                                         \
        CLI_OPTION("published", type, member.published),                                           \
        CLI_OPTION("report", type, member.report), CLI_OPTION("reduce", type, member.reduce),      \
        CLI_OPTION("stability", type, member.stability),                                           \
        CLI_OPTION("pvalues", type, member.pvalues), PEEL_OPTIONS(type, member.peel),              \
        CALIBRATE_OPTIONS(type, member.calibrate), CLI_SHARD_OPTIONS(type, member),                \
        CLI_INTERVAL_OPTIONS(type, member.intervals)

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
