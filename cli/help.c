/* Writes --help and the man page from the option tables. */
#include "options.h"

#include <string.h>
#include <unistd.h>

#include "say.h"

/* ---- what is told where there is no GPU ------------------------------------------------------ */

/* Whether this machine may have a GPU: the driver has left its marks. Nothing is started. */
static bool is_gpu_likely(void)
{
    static const char *const marks[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg",
                                        "/proc/driver/nvidia/version"};
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (access(marks[k], F_OK) == 0)
            return true;
    return false;
}

static bool is_gpu_engine(const char *name)
{
    return strncmp(name, "cuda-", strlen("cuda-")) == 0;
}

/* Whether short help leaves out something that full help of the command has. */
static bool shortens(const cli_command *command)
{
    bool any = command->more != NULL;
    for (const cli_option *o = command->options; o->name != NULL; o++)
        any |= o->gpu || o->more != NULL || o->kind == CLI_EPISODE_ENGINE;
    return any;
}

/* ---- --help ---------------------------------------------------------------------------------- */

void cli_help_overview(FILE *out, const cli_command *const *commands, bool full)
{
    fprintf(out,
            "spikemine %s - repeated firing patterns in recordings of many neurons\n\n"
            "usage: spikemine COMMAND [OPTION ...] [ARGUMENT ...]\n\ncommands:\n",
            spk_version());
    for (const cli_command *const *c = commands; *c != NULL; c++)
        if (full || (strchr((*c)->name, ' ') == NULL && (!(*c)->gpu || is_gpu_likely())))
            fprintf(out, "  %-18s %s\n", (*c)->name, (*c)->summary);
    fprintf(out, "\nspikemine COMMAND --help explains a command and shows examples.\n"
                 "Results go to standard output or to -o FILE; everything else to standard error.\n"
                 "Exit status: 0 done, 1 failed, 2 wrong usage, 128 + N ended by signal N.\n");
}

/* "  -o, --output FILE" */
static int option_head(char *buffer, size_t size, const cli_option *option)
{
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(buffer, size, "  %s--%s%s%s", letter, option->name,
                    option->kind == CLI_FLAG ? "" : " ",
                    option->kind == CLI_FLAG ? "" : option->argument);
}

static void print_wrapped(FILE *out, const char *text, int indent, int width)
{
    int column = indent;
    while (*text != '\0') {
        int n = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + n > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", n, text);
        column += n;
        text += n;
        while (*text == ' ' || *text == '\n')
            text++;
    }
}

enum { MOST_HELP = 2048 };

/* "auto, sweep, fsm or reference; " */
static void name_all(const cli_option *option, bool full, char *buffer, size_t size)
{
    const char *name, *last = NULL, *before = "";
    for (size_t k = 0; (name = cli_option_name(option, k)) != NULL; k++) {
        if (!full && is_gpu_engine(name))
            continue;
        if (last != NULL)
            cli_append(buffer, size, "%s%s", before, last);
        before = last != NULL ? ", " : "";
        last = name;
    }
    cli_append(buffer, size, "%s%s; ", before[0] != '\0' ? " or " : "", last != NULL ? last : "");
}

/* "dither-spikes (each spike moves ...); trial-shifting (...). " */
static void name_methods(char *buffer, size_t size)
{
    for (size_t k = 0; k < spk_surrogate_method_count(); k++) {
        const spk_surrogate_method *method = spk_surrogate_method_get(k);
        cli_append(buffer, size, "%s%s (%s)", k > 0 ? "; " : "", method->name, method->summary);
    }
    cli_append(buffer, size, ". ");
}

/* The option's help; one that takes an engine or a format begins with the names of them. */
static void option_help(const cli_option *option, bool full, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (option->kind == CLI_EPISODE_ENGINE || option->kind == CLI_PATTERN_ENGINE ||
        option->kind == CLI_FORMAT)
        name_all(option, full, buffer, size);
    if (option->kind == CLI_SURROGATE_METHOD)
        name_methods(buffer, size);
    cli_append(buffer, size, "%s%s", option->help,
               full && option->more != NULL ? option->more : "");
}

static void print_option(FILE *out, const cli_option *option, bool full)
{
    enum { HELP_COLUMN = 32, WIDTH = 98 };
    if (option->gpu && !full)
        return;
    if (option->kind == CLI_SECTION) {
        fprintf(out, "\n%s:\n", option->name);
        return;
    }
    char head[160];
    int n = option_head(head, sizeof head, option);
    if (n > HELP_COLUMN - 2)
        fprintf(out, "%s\n%*s", head, HELP_COLUMN, "");
    else
        fprintf(out, "%-*s", HELP_COLUMN, head);
    char help[MOST_HELP];
    char text[MOST_HELP + 64];
    option_help(option, full, help, sizeof help);
    snprintf(text, sizeof text, "%s%s%s%s", help, option->fallback != NULL ? " [" : "",
             option->fallback != NULL ? option->fallback : "", option->fallback != NULL ? "]" : "");
    print_wrapped(out, text, HELP_COLUMN, WIDTH);
    fputc('\n', out);
}

void cli_help_command(FILE *out, const cli_command *named, bool full)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    full |= is_gpu_likely();
    fputs("usage: ", out);
    cli_print_title(out, command);
    fprintf(out, "%s%s [OPTION ...]\n\n%s\n", command->arguments[0] != '\0' ? " " : "",
            command->arguments, command->description);
    if (full && command->more != NULL)
        fprintf(out, "\n%s\n", command->more);
    if (command->options[0].name != NULL && command->options[0].kind != CLI_SECTION)
        fprintf(out, "\noptions (defaults in brackets):\n");
    for (const cli_option *o = command->options; o->name != NULL; o++)
        print_option(out, o, full);
    fprintf(out, "\ngeneral:\n");
    for (const cli_option *o = cli_common_options; o->name != NULL; o++)
        print_option(out, o, full);
    if (command->examples != NULL)
        fprintf(out, "\nexamples:\n%s\n", command->examples);
    if (!full && shortens(command)) {
        fputs("\nOptions for other machines: ", out);
        cli_print_title(out, command);
        fputs(" --help --verbose\n", out);
    }
}

/* ---- man page -------------------------------------------------------------------------------- */

/* Text for roff: backslashes and leading dots escaped, '-' kept as minus. */
static void man_text(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void man_option(FILE *out, const cli_option *option)
{
    if (option->kind == CLI_SECTION) {
        fputs(".PP\n.I ", out);
        man_text(out, option->name);
        fputs("\n", out);
        return;
    }
    char head[160];
    option_head(head, sizeof head, option);
    fputs(".TP\n.B ", out);
    man_text(out, head + strspn(head, " "));
    fputs("\n", out);
    char help[MOST_HELP];
    option_help(option, true, help, sizeof help);
    man_text(out, help);
    if (option->fallback != NULL) {
        fputs(" [", out);
        man_text(out, option->fallback);
        fputs("]", out);
    }
    fputs("\n", out);
}

static void man_command(FILE *out, const cli_command *named)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    fputs(".SS spikemine ", out);
    man_text(out, command->name);
    fputs(" ", out);
    man_text(out, command->arguments);
    fputs("\n", out);
    man_text(out, command->description);
    if (command->more != NULL) {
        fputs("\n.PP\n", out);
        man_text(out, command->more);
    }
    fputs("\n", out);
    for (const cli_option *o = command->options; o->name != NULL; o++)
        man_option(out, o);
    if (command->examples == NULL)
        return;
    fputs(".PP\nExamples:\n.PP\n.nf\n", out);
    man_text(out, command->examples);
    fputs("\n.fi\n", out);
}

void cli_help_man(FILE *out, const cli_command *const *commands)
{
    fprintf(out, ".TH SPIKEMINE 1 \"\" \"spikemine %s\" \"User Commands\"\n", spk_version());
    fputs(".SH NAME\nspikemine \\- repeated firing patterns in recordings of many neurons\n"
          ".SH SYNOPSIS\n.B spikemine\nCOMMAND [OPTION ...] [ARGUMENT ...]\n"
          ".SH DESCRIPTION\nFinds repeated firing patterns in spike times of many units: serial "
          "episodes with delay intervals, and spatio-temporal patterns (SPADE). Counts are exact.\n"
          "Results go to standard output or to a file, everything else to standard error.\n.SH "
          "COMMANDS\n",
          out);
    for (const cli_command *const *c = commands; *c != NULL; c++)
        man_command(out, *c);
    fputs(".SH GENERAL OPTIONS\nEvery command understands these.\n", out);
    for (const cli_option *o = cli_common_options; o->name != NULL; o++)
        man_option(out, o);
    fputs(".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 128 + N ended by signal N, as 130 "
          "after Ctrl\\-C.\n",
          out);
}
