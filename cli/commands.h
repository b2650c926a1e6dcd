/* The subcommands, the list of them, and which one runs. */
#pragma once

#include "options.h"
#include "spikemine/spikemine.h"

/* All of them, NULL-terminated. */
extern const cli_command *const cli_commands[];

/* Says that there is no such command, and what may have been meant; returns CLI_USAGE. `asker` is
 * the command that was asked for it, NULL for the program. */
int cli_unknown_command(const cli_command *asker, const char *word);

/* Each is a const cli_command, cli_cmd_NAME, in the order of the help: what is used first
 * stands first. */
#define CLI_COMMANDS(X)                                                                            \
    X(explore)                                                                                     \
    X(sample)                                                                                      \
    X(info)                                                                                        \
    X(episodes)                                                                                    \
    X(sequences)                                                                                   \
    X(patterns)                                                                                    \
    X(count)                                                                                       \
    X(watch)                                                                                       \
    X(live)                                                                                        \
    X(formats)                                                                                     \
    X(convert)                                                                                     \
    X(surrogates)                                                                                  \
    X(simulate)                                                                                    \
    X(simulate_sym26)                                                                              \
    X(simulate_network)                                                                            \
    X(simulate_probe)                                                                              \
    X(simulate_culture)                                                                            \
    X(engines)                                                                                     \
    X(tune)                                                                                        \
    X(merge)                                                                                       \
    X(plan)                                                                                        \
    X(plan_episodes)                                                                               \
    X(plan_patterns)                                                                               \
    X(bench)                                                                                       \
    X(bench_episodes)                                                                              \
    X(bench_patterns)                                                                              \
    X(completion)                                                                                  \
    X(help)

#define CLI_DECLARE(name) extern const cli_command cli_cmd_##name;
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* Runs the subcommand that argv names, as one of `ranks` (NULL: by itself); returns the exit code.
 */
int cli_dispatch(int argc, char **argv, const spk_ranks *ranks);
