/* The exact test as `episodes` and `patterns` offer it. */
#ifndef CLI_EXACT_TEST_H
#define CLI_EXACT_TEST_H

#include "session.h"
#include "shards.h"

/* Entries of the options of `episodes`. */
#define EXACT_TEST_OPTIONS                                                                         \
    CLI_HEADING("test against chance"), CLI_TEST_AGAINST_CHANCE, CLI_SHARED("seed", seed),         \
        CLI_SHARED("alpha", alpha), CLI_SHARED("report", report), CLI_PEEL_OPTIONS,                \
        CLI_SHARD_OPTIONS

/* What the options of a test say, checked. */
typedef struct exact_plan {
    bool wanted;
    const char *null; /* NULL: chosen for the recording */
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    size_t n_jitter;
    uint64_t n_surrogates;
    uint32_t shard;
    uint32_t n_shards; /* 0: all surrogates, and the test */
} exact_plan;

/* Fills the plan. CLI_DONE or an exit code. */
int exact_plan_make(cli_session *session, exact_plan *plan);

/* The options as the library has them; the language is missing. Borrows the plan. */
spk_exact_options exact_plan_options(const cli_session *session, const exact_plan *plan);

#endif
