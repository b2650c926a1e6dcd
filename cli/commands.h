/* The subcommands, the list of them, and which one runs. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"
#include "spikemine/spikemine.h"

/* All subcommands, NULL-terminated, in the order of the help. */
extern const cli_command *const cli_commands[];

/* Says that there is no such command, and what may have been meant; returns CLI_USAGE. `asker` is
 * the command that was asked for it, NULL for the program. */
int cli_unknown_command(const cli_command *asker, const char *word);

extern const cli_command cli_cmd_bench;
extern const cli_command cli_cmd_bench_episodes;
extern const cli_command cli_cmd_bench_patterns;
extern const cli_command cli_cmd_tune;
extern const cli_command cli_cmd_completion;
extern const cli_command cli_cmd_convert;
extern const cli_command cli_cmd_sample;
extern const cli_command cli_cmd_count;
extern const cli_command cli_cmd_engines;
extern const cli_command cli_cmd_episodes;
extern const cli_command cli_cmd_explore;
extern const cli_command cli_cmd_formats;
extern const cli_command cli_cmd_help;
extern const cli_command cli_cmd_info;
extern const cli_command cli_cmd_live;
extern const cli_command cli_cmd_merge;
extern const cli_command cli_cmd_patterns;
extern const cli_command cli_cmd_plan;
extern const cli_command cli_cmd_plan_episodes;
extern const cli_command cli_cmd_plan_patterns;
extern const cli_command cli_cmd_sequences;
extern const cli_command cli_cmd_simulate;
extern const cli_command cli_cmd_simulate_culture;
extern const cli_command cli_cmd_simulate_network;
extern const cli_command cli_cmd_simulate_probe;
extern const cli_command cli_cmd_simulate_sym26;
extern const cli_command cli_cmd_surrogates;
extern const cli_command cli_cmd_watch;

/* Runs the subcommand that argv names, as one of `ranks` (NULL: by itself); returns the exit code.
 */
int cli_dispatch(int argc, char **argv, const spk_ranks *ranks);

#endif
