/* spikemine plan: what its kinds are. */
#include "commands.h"

static const cli_option options[] = {CLI_END};

const cli_command cli_cmd_plan = {
    .name = "plan",
    .arguments = "episodes",
    .summary = "predict time and memory of a job on many machines: episodes",
    .description =
        "Runs small pieces of a job on this machine and predicts how long the whole job takes\n"
        "with N ranks of spikemine-mpi, how much memory each needs, and from how many ranks on\n"
        "more of them stop paying. There is one kind:\n\n"
        "  episodes  a job of spikemine episodes\n\n"
        "spikemine plan KIND --help explains a kind.",
    .examples = "  spikemine plan episodes rec.txt -d 5ms:10ms -s 0.1% --ranks 1,8,64",
    .kinds = "episodes",
    .options = options,
};
