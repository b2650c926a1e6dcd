/* `episodes --test exact`: the search with its test. */
#ifndef CLI_EPISODE_TEST_H
#define CLI_EPISODE_TEST_H

#include "episode_job.h"
#include "exact_test.h"
#include "select_options.h"

/* Mines, tests and writes; with --shard makes surrogates only. Fills the summary of the search.
 * CLI_DONE or an exit code. */
int episode_test_run(episode_job *job, const spk_episode_options *options, const exact_plan *plan,
                     const cli_select_values *select, spk_episode_summary *summary);

/* The same with --peel: `test` has the options of each round. */
int episode_peel_run(episode_job *job, const spk_exact_options *test, const exact_plan *plan,
                     spk_episode_summary *summary);

#endif
