/* Completion of the command line, as scripts for shells, from the option tables. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "options.h"

/* Each prints one script; the list of commands ends with NULL. */
void cli_completion_bash(FILE *out, const cli_command *const *commands);
void cli_completion_fish(FILE *out, const cli_command *const *commands);
void cli_completion_zsh(FILE *out, const cli_command *const *commands);

#endif
