/* The list of subcommands: one line here and one file cli/cmd_NAME.c each. */
#include "commands.h"

const cli_command *const cli_commands[] = {
    &cli_cmd_info,
    &cli_cmd_patterns,
    &cli_cmd_help,
    NULL,
};
