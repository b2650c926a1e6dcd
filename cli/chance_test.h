/* Tests against chance of `episodes` and `patterns`: what the options say, shards of surrogates,
 * and how often the exact test is alarmed by chance. */
#ifndef CLI_CHANCE_TEST_H
#define CLI_CHANCE_TEST_H

#include "session.h"

/* Entries of the options of `episodes`. */
#define EXACT_TEST_OPTIONS                                                                         \
    CLI_HEADING("test against chance"), CLI_TEST_AGAINST_CHANCE, CLI_SHARED("seed", seed),         \
        CLI_SHARED("alpha", alpha), CLI_SHARED("report", report), CLI_PEEL_OPTIONS,                \
        CLI_SHARD_OPTIONS

/* What the options of a test say, checked. It is not copied: the test points to its windows. */
typedef struct exact_plan {
    bool wanted;
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    spk_exact_options test; /* but for the language */
} exact_plan;

/* Fills the plan. CLI_DONE or an exit code. */
int exact_plan_make(cli_session *session, exact_plan *plan);

/* ---- shards ---------------------------------------------------------------------------------- */

/* Reads I/N; a NULL text leaves both numbers as they are. CLI_DONE or an exit code. */
int cli_shard_parse(const cli_session *session, const char *text, uint32_t *shard,
                    uint32_t *n_shards);

/* A shard of the surrogates is no result yet. The command line of the test makes it: options that
 * only the result heeds do nothing, and a note tells of one that names a file. `pvalues`: --pvalues
 * is given. Nothing to do without --shard. */
void cli_shard_tell(cli_session *session, bool pvalues);

/* Writes the file of a shard, --output, and notes what comes next. `status` is that of the run. */
spk_status cli_shard_write(cli_session *session, spk_status status, const spk_maxima *maxima);

/* ---- calibration ----------------------------------------------------------------------------- */

/* Runs the test of the plan, whose language is there, on surrogates of the recording; notes what
 * was found, and writes the table. Returns the exit code. */
int calibration_run(cli_session *session, exact_plan *plan, const spk_recording *recording);

#endif
