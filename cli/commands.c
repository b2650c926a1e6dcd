/* The list of subcommands: one line here and one file cli/cmd_NAME.c each. */
#include "commands.h"

#include <string.h>

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
