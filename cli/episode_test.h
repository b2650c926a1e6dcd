/* `episodes` with a test: against chance, or of two conditions. */
#ifndef CLI_EPISODE_TEST_H
#define CLI_EPISODE_TEST_H

#include "analysis.h"
#include "chance_test.h"
#include "compare.h"
#include "episode_job.h"

/* Mines, tests and writes; with --shard makes surrogates only. Fills the summary of the search.
 * CLI_DONE or an exit code. */
int episode_test_run(episode_job *job, const spk_episode_options *options, const exact_plan *plan,
                     spk_episode_summary *summary);

/* The same for a comparison. */
int episode_compare_run(episode_job *job, const spk_episode_options *options,
                        const compare_plan *plan, spk_episode_summary *summary);

#endif
