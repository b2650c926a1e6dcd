/* Which subcommand runs. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "session.h"

#define ADDRESS(name) &cli_cmd_##name,
const cli_command *const cli_commands[] = {CLI_COMMANDS(ADDRESS) NULL};
#undef ADDRESS

int cli_unknown_command(const cli_command *asker, const char *word)
{
    char nearest[CLI_SUGGEST_BYTES];
    cli_suggestion suggestion = cli_suggest_begin(word, strlen(word));
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        cli_suggest_offer(&suggestion, (*c)->name, strcspn((*c)->name, " "));
    return cli_usage_error(asker, "unknown command '%s'%s", word,
                           cli_suggest_end(&suggestion, "", nearest, sizeof nearest));
}

/* ---- which one runs -------------------------------------------------------------------------- */

/* Commands by the names that they had once, which no help tells. */
static const char *present_name(const char *word)
{
    return strcmp(word, "calibrate") == 0 ? "tune" : word;
}

/* The command with the most words that argv starts with: a kind ("simulate probe") stands behind
 * its command ("simulate"), and is taken before it. */
static const cli_command *find_command(int argc, char **argv, int *n_words)
{
    const char *word = present_name(argv[1]);
    const cli_command *found = NULL;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        const char *space = strchr((*c)->name, ' ');
        size_t first = space != NULL ? (size_t)(space - (*c)->name) : strlen((*c)->name);
        if (strlen(word) != first || memcmp(word, (*c)->name, first) != 0 ||
            (space != NULL && (argc < 3 || strcmp(argv[2], space + 1) != 0)))
            continue;
        found = *c;
        *n_words = space != NULL ? 2 : 1;
        if (space != NULL)
            break;
    }
    return found;
}

static bool is_either(const char *text, const char *one, const char *other)
{
    return strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

int cli_dispatch(int argc, char **argv, const spk_ranks *ranks)
{
    int n_words = 0;
    if (argc < 2) {
        cli_help_overview(stderr, cli_commands, false);
        return CLI_USAGE;
    }
    if (is_either(argv[1], "--help", "-h"))
        return cli_session_run(&cli_cmd_help, argc - 2, argv + 2, argc, argv, ranks);
    if (is_either(argv[1], "--version", "-V")) {
        printf("spikemine %s\n", spk_version());
        return CLI_DONE;
    }
    if (argv[1][0] == '-')
        return cli_usage_error(
            NULL, "%s stands where a command is expected; options follow the command", argv[1]);
    const cli_command *command = find_command(argc, argv, &n_words);
    if (command == NULL)
        return cli_unknown_command(NULL, argv[1]);
    return cli_session_run(command, argc - 1 - n_words, argv + 1 + n_words, argc, argv, ranks);
}
