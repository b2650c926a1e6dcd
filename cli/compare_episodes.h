/* `episodes --compare`: the search with its comparison. */
#ifndef CLI_COMPARE_EPISODES_H
#define CLI_COMPARE_EPISODES_H

#include "compare.h"
#include "episode_job.h"

/* Mines, compares and writes. Fills the summary of the search. CLI_DONE or an exit code. */
int compare_episodes_run(episode_job *job, const spk_episode_options *options,
                         const compare_plan *plan, const cli_select_values *select,
                         spk_episode_summary *summary);

#endif
