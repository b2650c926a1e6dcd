/* spikemine completion SHELL: prints the script that completes command lines; the same facts about
 * options and arguments, told to three shells. */
#include <string.h>

#include "commands.h"
#include "options.h"
#include "session.h"

/* ---- what may stand somewhere ---------------------------------------------------------------- */

typedef enum place {
    PLACE_NOTHING, /* nothing behind it, as behind a flag */
    PLACE_VALUE,   /* a number or a text that only the user knows */
    PLACE_FILES,
    PLACE_WORDS,
    PLACE_COMMANDS
} place;

static place option_place(const cli_option *option)
{
    static const char *const files[] = {"FILE", "FILE|NAME", "FILE|EPISODE", "REC"};
    bool file = false;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
        file = file || (option->argument != NULL && strcmp(option->argument, files[k]) == 0);
    switch (option->kind) {
    case CLI_SECTION:
    case CLI_FLAG:
        return PLACE_NOTHING;
    case CLI_CHOICE:
    case CLI_COUNT:
    case CLI_EPISODE_ENGINE:
    case CLI_PATTERN_ENGINE:
    case CLI_FORMAT:
    case CLI_SURROGATE_METHOD:
    case CLI_CORRECTION:
        return PLACE_WORDS;
    default:
        return file ? PLACE_FILES : PLACE_VALUE;
    }
}

/* Words separated by '|', each between `before` and `after`. */
static void put_words(FILE *out, const char *words, const char *before, const char *after)
{
    while (*words != '\0') {
        size_t n = strcspn(words, "|");
        fprintf(out, "%s%.*s%s", before, (int)n, words, after);
        words += n;
        words += *words == '|';
    }
}

/* The words that an option takes, separated by blanks, between `before` and `after`. */
static void put_option_words(FILE *out, const cli_option *option, const char *before,
                             const char *after)
{
    fputs(before, out);
    if (option->kind == CLI_CHOICE) {
        put_words(out, option->argument, "", " ");
    } else if (option->kind == CLI_COUNT) {
        const char *bar = strchr(option->argument, '|');
        put_words(out, bar != NULL ? bar + 1 : "", "", " ");
    } else {
        const char *name;
        for (size_t k = 0; (name = cli_option_name(option, k)) != NULL; k++)
            fprintf(out, "%s%s", k > 0 ? " " : "", name);
    }
    fputs(after, out);
}

static place argument_place(const cli_command *command)
{
    const char *arguments = command->arguments;
    if (strncmp(arguments, "REC", 3) == 0 || strncmp(arguments, "FILE", 4) == 0 ||
        strncmp(arguments, "SOURCE", 6) == 0)
        return PLACE_FILES;
    if (strcmp(arguments, "[COMMAND]") == 0)
        return PLACE_COMMANDS;
    return strchr(arguments, '|') != NULL ? PLACE_WORDS : PLACE_NOTHING;
}

/* The first words of all commands, each once, between `before` and `after`. */
static void put_commands(FILE *out, const cli_command *const *commands, const char *before,
                         const char *after)
{
    for (const cli_command *const *c = commands; *c != NULL; c++)
        if (strchr((*c)->name, ' ') == NULL)
            fprintf(out, "%s%s%s", before, (*c)->name, after);
}

/* The words that a command takes as arguments, or the commands where it takes their names. */
static void put_arguments(FILE *out, const cli_command *const *commands, const cli_command *command,
                          const char *before, const char *after)
{
    if (argument_place(command) == PLACE_COMMANDS)
        put_commands(out, commands, before, after);
    else
        put_words(out, command->arguments, before, after);
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* What may stand behind an option that the word before names. */
static void put_bash_values(FILE *out, const cli_option *options)
{
    for (const cli_option *o = options; o->name != NULL; o++) {
        place where = option_place(o);
        if (where == PLACE_NOTHING)
            continue;
        fprintf(out, "            --%s", o->name);
        if (o->letter != 0)
            fprintf(out, " | -%c", o->letter);
        fputs(where == PLACE_FILES ? ") files=yes" : ")", out);
        if (where == PLACE_WORDS)
            put_option_words(out, o, " words='", "'");
        fputs(" found=yes ;;\n", out);
    }
}

static void put_bash_names(FILE *out, const cli_option *options)
{
    for (const cli_option *o = options; o->name != NULL; o++) {
        if (o->kind == CLI_SECTION)
            continue;
        fprintf(out, " --%s", o->name);
        if (o->letter != 0)
            fprintf(out, " -%c", o->letter);
    }
}

/* Behind a command of several kinds, as in `help simulate`, stands one of these. */
static void put_bash_kinds(FILE *out, const cli_command *const *commands)
{
    fputs("            case $before in\n", out);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        if ((*c)->kinds != NULL) {
            fprintf(out, "            '%s') arguments='", (*c)->name);
            put_words(out, (*c)->arguments, " ", "");
            fputs("' ;;\n", out);
        }
    fputs("            esac\n", out);
}

static void put_bash_command(FILE *out, const cli_command *const *commands,
                             const cli_command *named)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    fprintf(out, "        '%s')\n            case $before in\n", command->name);
    put_bash_values(out, command->options);
    fputs("            esac\n            options='", out);
    put_bash_names(out, command->options);
    fputs("'\n", out);
    const place where = argument_place(command);
    if (where == PLACE_FILES) {
        fputs("            arguments=files\n", out);
    } else if (where != PLACE_NOTHING) {
        fputs("            arguments='", out);
        put_arguments(out, commands, command, " ", "");
        fputs("'\n", out);
    }
    if (where == PLACE_COMMANDS)
        put_bash_kinds(out, commands);
    fputs("            ;;\n", out);
}

static const char bash_start[] =
    "# Completion of spikemine for bash, written by: spikemine completion bash\n"
    "_spikemine() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command='' options='' arguments='' words='' files='' found='' word\n"
    "    local -i k\n"
    "    COMPREPLY=()\n"
    "    # bash cuts --option=value into three words.\n"
    "    if [[ $current == '=' ]]; then\n"
    "        current=''\n"
    "    elif [[ $before == '=' ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    for ((k = 1; k < COMP_CWORD; k++)); do\n"
    "        word=${COMP_WORDS[k]}\n"
    "        case $command,$word in\n"
    "        *,-*) [[ $command ]] && break ;;\n"
    "        ,*) command=$word ;;\n";

static const char bash_end[] =
    "    if [[ -z $found ]]; then\n"
    "        if [[ $current == -* ]]; then\n"
    "            words=\"$options --quiet -q --verbose -v --help -h --version -V\"\n"
    "        elif [[ $arguments == files ]]; then\n"
    "            files=yes\n"
    "        else\n"
    "            words=$arguments\n"
    "        fi\n"
    "    fi\n"
    "    local IFS=$' \\t\\n'\n"
    "    if [[ $files ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        while IFS= read -r word; do\n"
    "            COMPREPLY+=(\"$word\")\n"
    "        done < <(compgen -f -- \"$current\")\n"
    "    elif [[ $words ]]; then\n"
    "        while IFS= read -r word; do\n"
    "            COMPREPLY+=(\"$word\")\n"
    "        done < <(compgen -W \"$words\" -- \"$current\")\n"
    "    fi\n"
    "}\n"
    "complete -F _spikemine spikemine\n";

static void print_bash(FILE *out, const cli_command *const *commands)
{
    fputs(bash_start, out);
    for (const cli_command *const *c = commands; *c != NULL; c++) {
        const char *kind = strchr((*c)->name, ' ');
        if (kind != NULL)
            fprintf(out, "        '%.*s,%s') command='%s' ;;\n", (int)(kind - (*c)->name),
                    (*c)->name, kind + 1, (*c)->name);
    }
    fputs("        esac\n    done\n    case $command in\n        '')\n"
          "            arguments='",
          out);
    put_commands(out, commands, " ", "");
    fputs("'\n            ;;\n", out);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        put_bash_command(out, commands, *c);
    fputs("    esac\n", out);
    fputs(bash_end, out);
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* Text between single quotes, where fish knows \\ and \'. */
static void put_fish_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_fish_option(FILE *out, const char *condition, const cli_option *option)
{
    if (option->kind == CLI_SECTION)
        return;
    fprintf(out, "complete -c spikemine -n '%s' -l %s", condition, option->name);
    if (option->letter != 0)
        fprintf(out, " -s %c", option->letter);
    switch (option_place(option)) {
    case PLACE_FILES:
        fputs(" -r -F", out);
        break;
    case PLACE_WORDS:
        put_option_words(out, option, " -x -a '", "'");
        break;
    case PLACE_NOTHING:
        break;
    default:
        fputs(" -x", out);
    }
    fputs(" -d '", out);
    put_fish_text(out, option->help);
    fputs("'\n", out);
}

static void put_fish_command(FILE *out, const cli_command *const *commands,
                             const cli_command *named)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    char condition[80];
    snprintf(condition, sizeof condition, "__spikemine_is \"%s\"", command->name);
    for (const cli_option *o = command->options; o->name != NULL; o++)
        put_fish_option(out, condition, o);
    const place where = argument_place(command);
    if (where == PLACE_FILES) {
        fprintf(out, "complete -c spikemine -n '%s' -F\n", condition);
    } else if (where != PLACE_NOTHING) {
        fprintf(out, "complete -c spikemine -n '%s' -a '", condition);
        put_arguments(out, commands, command, "", " ");
        fputs("'\n", out);
    }
}

static const char fish_start[] =
    "# Completion of spikemine for fish, written by: spikemine completion fish\n"
    "# The command that the words before the cursor name, of one or two words.\n"
    "function __spikemine_command\n"
    "    set -l words (commandline -opc)[2..-1]\n"
    "    set -q words[1]; or return 0\n"
    "    if set -q words[2]; and contains -- \"$words[1] $words[2]\" $argv\n"
    "        echo \"$words[1] $words[2]\"\n"
    "    else\n"
    "        echo $words[1]\n"
    "    end\n"
    "end\n";

static void print_fish(FILE *out, const cli_command *const *commands)
{
    fputs(fish_start, out);
    fputs("function __spikemine_is\n    set -l command (__spikemine_command", out);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        if (strchr((*c)->name, ' ') != NULL)
            fprintf(out, " '%s'", (*c)->name);
    fputs(")\n    test \"$command\" = \"$argv[1]\"\nend\ncomplete -c spikemine -f\n", out);
    for (const cli_command *const *c = commands; *c != NULL; c++) {
        if (strchr((*c)->name, ' ') != NULL)
            continue;
        fprintf(out, "complete -c spikemine -n '__spikemine_is \"\"' -a %s -d '", (*c)->name);
        put_fish_text(out, (*c)->summary);
        fputs("'\n", out);
    }
    for (const cli_option *o = cli_common_options; o->name != NULL; o++)
        put_fish_option(out, "not __spikemine_is \"\"", o);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        put_fish_command(out, commands, *c);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Text of an explanation in a specification of _arguments, between single quotes. */
static void put_zsh_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr("[]:\\", *text) != NULL)
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_zsh_option(FILE *out, const cli_option *option)
{
    place where = option_place(option);
    if (option->kind == CLI_SECTION)
        return;
    bool many = option->kind == CLI_TEXTS;
    fputs("        ", out);
    if (option->letter != 0 && many)
        fprintf(out, "'*'{-%c,--%s=}", option->letter, option->name);
    else if (option->letter != 0)
        fprintf(out, "'(-%c --%s)'{-%c,--%s%s}", option->letter, option->name, option->letter,
                option->name, where == PLACE_NOTHING ? "" : "=");
    else
        fprintf(out, "%s--%s%s", many ? "'*'" : "", option->name,
                where == PLACE_NOTHING ? "" : "=");
    fputs("'[", out);
    put_zsh_text(out, option->help);
    fputs("]", out);
    if (where != PLACE_NOTHING) {
        fputs(":", out);
        put_zsh_text(out, option->argument);
        fputs(":", out);
    }
    if (where == PLACE_FILES)
        fputs("_files", out);
    if (where == PLACE_WORDS)
        put_option_words(out, option, "(", ")");
    fputs("' \\\n", out);
}

static void put_zsh_command(FILE *out, const cli_command *const *commands, const cli_command *named)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    fprintf(out, "    '%s')\n        _arguments -s \\\n", command->name);
    for (const cli_option *o = command->options; o->name != NULL; o++)
        put_zsh_option(out, o);
    for (const cli_option *o = cli_common_options; o->name != NULL; o++)
        put_zsh_option(out, o);
    const place where = argument_place(command);
    if (where == PLACE_FILES) {
        fputs("        '*:file:_files'\n", out);
    } else if (where == PLACE_NOTHING) {
        fputs("        && return\n", out);
    } else {
        fprintf(out, "        '*:%s:(", where == PLACE_WORDS ? "kind" : "command");
        put_arguments(out, commands, command, "", " ");
        fputs(")'\n", out);
    }
    fputs("        ;;\n", out);
}

static void print_zsh(FILE *out, const cli_command *const *commands)
{
    fputs("#compdef spikemine\n"
          "# Completion of spikemine for zsh, written by: spikemine completion zsh\n"
          "_spikemine() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          out);
    for (const cli_command *const *c = commands; *c != NULL; c++) {
        if (strchr((*c)->name, ' ') != NULL)
            continue;
        fprintf(out, "        '%s:", (*c)->name);
        put_zsh_text(out, (*c)->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe -t commands command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=${words[2]}\n"
          "    case \"${words[2]} ${words[3]}\" in\n",
          out);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        if (strchr((*c)->name, ' ') != NULL)
            fprintf(out, "    '%s') ((CURRENT > 3)) && command='%s' ;;\n", (*c)->name, (*c)->name);
    fputs("    esac\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    if [[ $command == *' '* ]]; then\n"
          "        shift words\n"
          "        ((CURRENT--))\n"
          "    fi\n"
          "    case $command in\n",
          out);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        put_zsh_command(out, commands, *c);
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _spikemine ]]; then\n"
          "    _spikemine \"$@\"\n"
          "else\n"
          "    compdef _spikemine spikemine\n"
          "fi\n",
          out);
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct shell {
    const char *name;
    void (*print)(FILE *out, const cli_command *const *commands);
} shell;

static int run(cli_session *session, const void *values)
{
    static const shell shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
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
