/* The exact test as `episodes` and `patterns` offer it: options and checks. */
#ifndef CLI_EXACT_TEST_H
#define CLI_EXACT_TEST_H

#include "session.h"
#include "shards.h"

typedef struct peel_values {
    bool wanted;
    uint64_t max_rounds; /* 0: no bound */
} peel_values;

#define PEEL_OPTIONS(type, member)                                                                 \
    CLI_OPTION("peel", type, member.wanted), CLI_OPTION("peel-max", type, member.max_rounds)

typedef struct calibrate_values {
    uint64_t n_runs;    /* 0: none */
    const char *method; /* of the data; NULL: that of the test */
} calibrate_values;

#define CALIBRATE_OPTIONS(type, member)                                                            \
    CLI_OPTION("calibrate", type, member.n_runs),                                                  \
        CLI_OPTION("calibrate-method", type, member.method)

typedef struct exact_values {
    int null;             /* 0: chosen; else its number (spk_exact_null_get) + 1 */
    cli_duration history; /* not given: that of the null hypothesis */
    const char *jitter;
    uint64_t n_surrogates; /* 0: 199 */
    uint64_t seed;
    double alpha;
    int report;
    const char *checkpoint;
    const char *shard;
    const char *maxima;
    peel_values peel;
    calibrate_values calibrate;
} exact_values;

/* The choices of --report. */
enum { EXACT_REPORT_SIGNIFICANT, EXACT_REPORT_CORE, EXACT_REPORT_ALL };

/* Options of `episodes`. */
#define EXACT_TEST_OPTIONS(type, test, member)                                                     \
    CLI_HEADING("test against chance"), CLI_OPTION("test", type, test),                            \
        CLI_OPTION("jitter", type, member.jitter), CLI_OPTION("null", type, member.null),          \
        CLI_OPTION("history", type, member.history),                                               \
        CLI_OPTION("surrogates", type, member.n_surrogates),                                       \
        CLI_OPTION("seed", type, member.seed), CLI_OPTION("alpha", type, member.alpha),            \
        CLI_OPTION("report", type, member.report), PEEL_OPTIONS(type, member.peel),                \
        CALIBRATE_OPTIONS(type, member.calibrate), CLI_SHARD_OPTIONS(type, member)

/* What the options say, checked. */
typedef struct exact_plan {
    bool wanted;
    const exact_values *values;
    const char *null; /* NULL: chosen for the recording */
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    size_t n_jitter;
    uint64_t n_surrogates;
    double alpha;
    uint32_t shard;
    uint32_t n_shards; /* 0: all surrogates, and the test */
} exact_plan;

/* Fills the plan, which borrows the values. CLI_DONE or an exit code. */
int exact_plan_make(cli_session *session, const exact_values *values, bool wanted,
                    exact_plan *plan);

/* The plan's part of the options; the language is missing. Borrows the plan. */
spk_exact_options exact_plan_options(const exact_plan *plan);

#endif
