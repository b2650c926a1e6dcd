/* The test of patterns against surrogates, as `patterns` offers it: options, checks, the run. */
#ifndef CLI_PATTERN_TEST_H
#define CLI_PATTERN_TEST_H

#include "chance_test.h"
#include "surrogate_options.h"

typedef struct pattern_test_values {
    const char *method;
    spk_duration dither;
    spk_duration refractory;
    cli_interval_values intervals;
    int edges;
    const char *correction;
    bool published;
    const char *reduce;
    const char *stability;
    const char *pvalues;
} pattern_test_values;

#define PATTERN_TEST_OPTIONS(type, member)                                                         \
    CLI_HEADING("test against surrogates"), CLI_TEST_AGAINST_CHANCE,                               \
        CLI_OPTION("surrogate-method", type, member.method),                                       \
        CLI_OPTION("dither", type, member.dither),                                                 \
        CLI_OPTION("refractory", type, member.refractory),                                         \
        CLI_OPTION("edges", type, member.edges), CLI_SHARED("seed", seed),                         \
        CLI_SHARED("alpha", alpha), CLI_OPTION("correction", type, member.correction),             \
        CLI_OPTION("published", type, member.published), CLI_SHARED("report", report),             \
        CLI_OPTION("reduce", type, member.reduce),                                                 \
        CLI_OPTION("stability", type, member.stability),                                           \
        CLI_OPTION("pvalues", type, member.pvalues), CLI_PEEL_OPTIONS, CLI_SHARD_OPTIONS,          \
        CLI_INTERVAL_OPTIONS(type, member.intervals)

/* What the options say, checked. */
typedef struct pattern_test_plan {
    bool wanted;
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
