/* The list of subcommands, one line each, and which one runs. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "session.h"
#include "suggest.h"

const cli_command *const cli_commands[] = {
    &cli_cmd_explore,
    &cli_cmd_info,
    &cli_cmd_episodes,
    &cli_cmd_patterns,
    &cli_cmd_sequences,
    &cli_cmd_merge,
    &cli_cmd_count,
    &cli_cmd_live,
    &cli_cmd_watch,
    &cli_cmd_surrogates,
    &cli_cmd_formats,
    &cli_cmd_convert,
    &cli_cmd_sample,
    &cli_cmd_engines,
    &cli_cmd_tune,
    &cli_cmd_simulate_sym26,
    &cli_cmd_simulate_network,
    &cli_cmd_simulate_probe,
    &cli_cmd_simulate_culture,
    &cli_cmd_simulate,
    &cli_cmd_plan_episodes,
    &cli_cmd_plan_patterns,
    &cli_cmd_plan,
    &cli_cmd_bench_episodes,
    &cli_cmd_bench_patterns,
    &cli_cmd_bench,
    &cli_cmd_completion,
    &cli_cmd_help,
    NULL,
};

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

/* The command with the most words that argv starts with ("simulate sym26" before "simulate"). */
static const cli_command *find_command(int argc, char **argv, int *n_words)
{
    const char *word = present_name(argv[1]);
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        const char *space = strchr((*c)->name, ' ');
        size_t first = space != NULL ? (size_t)(space - (*c)->name) : strlen((*c)->name);
        if (strlen(word) != first || memcmp(word, (*c)->name, first) != 0)
            continue;
        *n_words = space != NULL ? 2 : 1;
        if (space == NULL || (argc > 2 && strcmp(argv[2], space + 1) == 0))
            return *c;
    }
    return NULL;
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
