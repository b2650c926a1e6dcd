/* spikemine help [COMMAND] and help --man. */
#include <string.h>

#include "commands.h"
#include "session.h"

typedef struct values {
    bool man;
} values;

/* A command's name is one or two words. */
static bool is_named(const cli_command *command, int n_words, char **words)
{
    size_t first = strlen(words[0]);
    if (strncmp(command->name, words[0], first) != 0)
        return false;
    if (n_words == 1)
        return command->name[first] == '\0';
    return command->name[first] == ' ' && strcmp(command->name + first + 1, words[1]) == 0;
}

/* The second word is wrong where a command has the first one for its name. */
static int unknown(const cli_command *asker, int n_words, char **words)
{
    for (const cli_command *const *c = cli_commands; *c != NULL && n_words > 1; c++) {
        if (!is_named(*c, 1, words))
            continue;
        if ((*c)->kinds == NULL)
            return cli_usage_error(asker, "command %s has no kinds, hence no '%s'", words[0],
                                   words[1]);
        return cli_usage_error(asker, "%s has no kind '%s'; the kinds are %s", words[0], words[1],
                               (*c)->kinds);
    }
    return cli_unknown_command(asker, words[0]);
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    const int n_arguments = session->n_arguments;
    char **arguments = session->arguments;
    if (v->man) {
        cli_help_man(stdout, cli_commands);
        return CLI_DONE;
    }
    if (n_arguments == 0) {
        cli_help_overview(stdout, cli_commands, session->verbose);
        return CLI_DONE;
    }
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        if (is_named(*c, n_arguments, arguments)) {
            cli_help_command(stdout, *c, session->verbose);
            return CLI_DONE;
        }
    }
    return unknown(session->command, n_arguments, arguments);
}

static const cli_option options[] = {
    CLI_OPTION("man", values, man),
    CLI_END,
};

const cli_command cli_cmd_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "explain a command, or list them all",
    .description =
        "Explains a command, or lists all commands. --verbose adds what is of use on other\n"
        "machines only.",
    .examples = "  spikemine help info\n  spikemine help simulate network\n  spikemine help --man "
                "| man -l -",
    .options = options,
    .values_size = sizeof(values),
    .max_arguments = 2,
    .run = run,
};
