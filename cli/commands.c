/* The list of subcommands: one line here and one file cli/cmd_NAME.c each. */
#include "commands.h"

const cli_command *const cli_commands[] = {
    &cli_cmd_info,
    &cli_cmd_episodes,
    &cli_cmd_patterns,
    &cli_cmd_count,
    &cli_cmd_engines,
    &cli_cmd_calibrate,
    &cli_cmd_simulate_sym26,
    &cli_cmd_simulate_network,
    &cli_cmd_simulate_culture,
    &cli_cmd_simulate,
    &cli_cmd_bench_episodes,
    &cli_cmd_bench_patterns,
    &cli_cmd_bench,
    &cli_cmd_help,
    NULL,
};
