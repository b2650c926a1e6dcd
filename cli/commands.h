/* The subcommands, the list of them, and which one runs. */
#pragma once

#include "options.h"
#include "spikemine/spikemine.h"

/* All of them, NULL-terminated. */
extern const cli_command *const cli_commands[];

/* Says that there is no such command, and what may have been meant; returns CLI_USAGE. `asker` is
 * the command that was asked for it, NULL for the program. */
int cli_unknown_command(const cli_command *asker, const char *word);

/* Each is a const cli_command, cli_cmd_NAME, in the order of the help. */
#define CLI_COMMANDS(X)                                                                            \
    X(explore)                                                                                     \
    X(info)                                                                                        \
    X(episodes)                                                                                    \
    X(patterns)                                                                                    \
    X(sequences)                                                                                   \
    X(merge)                                                                                       \
    X(count)                                                                                       \
    X(live)                                                                                        \
    X(watch)                                                                                       \
    X(surrogates)                                                                                  \
    X(formats)                                                                                     \
    X(convert)                                                                                     \
    X(sample)                                                                                      \
    X(engines)                                                                                     \
    X(tune)                                                                                        \
    X(simulate_sym26)                                                                              \
    X(simulate_network)                                                                            \
    X(simulate_probe)                                                                              \
    X(simulate_culture)                                                                            \
    X(simulate)                                                                                    \
    X(plan_episodes)                                                                               \
    X(plan_patterns)                                                                               \
    X(plan)                                                                                        \
    X(bench_episodes)                                                                              \
    X(bench_patterns)                                                                              \
    X(bench)                                                                                       \
    X(completion)                                                                                  \
    X(help)

#define CLI_DECLARE(name) extern const cli_command cli_cmd_##name;
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* Runs the subcommand that argv names, as one of `ranks` (NULL: by itself); returns the exit code.
 */
int cli_dispatch(int argc, char **argv, const spk_ranks *ranks);
