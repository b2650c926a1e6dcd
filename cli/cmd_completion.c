/* spikemine completion SHELL: prints the script that completes command lines. */
#include <string.h>

#include "commands.h"
#include "options.h"
#include "session.h"

typedef struct shell {
    const char *name;
    void (*print)(FILE *out, const cli_command *const *commands);
} shell;

static int run(cli_session *session, const void *values)
{
    static const shell shells[] = {
        {"bash", cli_completion_bash}, {"zsh", cli_completion_zsh}, {"fish", cli_completion_fish}};
    (void)values;
    const char *wanted = session->arguments[0];
    char nearest[CLI_SUGGEST_BYTES];
    cli_suggestion suggestion = cli_suggest_begin(wanted, strlen(wanted));
    for (size_t k = 0; k < sizeof shells / sizeof shells[0]; k++) {
        if (strcmp(wanted, shells[k].name) == 0) {
            shells[k].print(stdout, cli_commands);
            return CLI_DONE;
        }
        cli_suggest_offer(&suggestion, shells[k].name, strlen(shells[k].name));
    }
    return cli_usage_error(session->command, "%s: must be one of bash|zsh|fish%s", wanted,
                           cli_suggest_end(&suggestion, "", nearest, sizeof nearest));
}

const cli_command cli_cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "print the script that completes command lines in a shell",
    .description =
        "Prints a script with which a shell completes commands, options, their values,\n"
        "names of engines and names of files. make install puts all three scripts where the\n"
        "shells look for them; otherwise the examples show how one is loaded.",
    .examples = "  source <(spikemine completion bash)    # in ~/.bashrc\n"
                "  source <(spikemine completion zsh)     # in ~/.zshrc, after compinit\n"
                "  spikemine completion fish >~/.config/fish/completions/spikemine.fish",
    .min_arguments = 1,
    .run = run,
};
