/* spikemine bench: what its kinds are. */
#include "commands.h"

const cli_command cli_cmd_bench = {
    .name = "bench",
    .arguments = "episodes|patterns",
    .summary = "time engines against each other: episodes, patterns",
    .description = "Times engines against each other. There are two kinds:\n\n"
                   "  episodes  the episode engines, on a recording of yours\n"
                   "  patterns  the SPADE engines, on a recording or on transactions\n\n"
                   "spikemine bench KIND --help explains a kind.",
    .more = "The papers' tables and figures on this machine's GPUs come from a program of\n"
            "its own, spikemine-bench-gpu. It is built with the project, not installed.",
    .examples = "  spikemine bench episodes rec.txt -d 5ms:10ms -s 173\n"
                "  spikemine bench patterns data/movement_PGHF.spikes.txt",
    .kinds = "episodes and patterns",
    .elsewhere = "gpu: the papers' figures on GPUs come from the program spikemine-bench-gpu",
};
