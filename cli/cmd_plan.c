/* spikemine plan: what its kinds are. */
#include "commands.h"

const cli_command cli_cmd_plan = {
    .name = "plan",
    .arguments = "episodes|patterns",
    .summary = "predict time and memory of a job on many machines: episodes, patterns",
    .description =
        "Runs small pieces of a job on this machine and predicts how long the whole job takes\n"
        "with N ranks of spikemine-mpi, how much memory each needs, and from how many ranks on\n"
        "more of them stop paying. There are two kinds:\n\n"
        "  episodes  a job of spikemine episodes\n"
        "  patterns  a job of spikemine patterns\n\n"
        "spikemine plan KIND --help explains a kind.",
    .examples = "  spikemine plan episodes rec.txt -d 5ms:10ms -s 0.1% --ranks 1,8,64\n"
                "  spikemine plan patterns rec.txt --bin 5ms --window 20 --support 10 "
                "--min-spikes 5",
    .kinds = "episodes and patterns",
};
