/* Declares every subcommand. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const cli_command cli_cmd_help;
extern const cli_command cli_cmd_info;
extern const cli_command cli_cmd_patterns;

#endif
