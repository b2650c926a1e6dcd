/* Parses a subcommand's arguments by its option table. */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *cli_program(const cli_command *command)
{
    return command != NULL && command->program != NULL ? command->program : "spikemine";
}

void cli_print_title(FILE *out, const cli_command *command)
{
    bool named = command != NULL && command->name[0] != '\0';
    fprintf(out, "%s%s%s", cli_program(command), named ? " " : "", named ? command->name : "");
}

int cli_usage_error(const cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_print_title(stderr, command);
    fputs(": ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(" (see ", stderr);
    cli_print_title(stderr, command);
    fputs(" --help)\n", stderr);
    return CLI_USAGE;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool parse_integer(const cli_option *option, const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') != NULL)
        return false;
    if ((option->minimum != 0 || option->maximum != 0) &&
        ((double)value < option->minimum || (double)value > option->maximum))
        return false;
    *out = value;
    return true;
}

static bool parse_number(const cli_option *option, const char *text, double *out)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !isfinite(value))
        return false;
    if ((option->minimum != 0 || option->maximum != 0) &&
        (value < option->minimum || value > option->maximum))
        return false;
    *out = value;
    return true;
}

static bool parse_bytes(const char *text, uint64_t *out)
{
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = {{"", 1},    {"k", 1e3},  {"K", 1e3},  {"M", 1e6},       {"MB", 1e6},
                    {"G", 1e9}, {"GB", 1e9}, {"T", 1e12}, {"MiB", 1048576}, {"GiB", 1073741824}};
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || !isfinite(value) || value <= 0)
        return false;
    for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
        if (strcmp(end, suffixes[k].suffix) == 0 && value * suffixes[k].factor < 9e18) {
            *out = (uint64_t)(value * suffixes[k].factor);
            return true;
        }
    }
    return false;
}

static bool parse_choice(const cli_option *option, const char *text, int *out)
{
    size_t length = strlen(text);
    const char *at = option->argument;
    for (int k = 0;; k++) {
        size_t n = strcspn(at, "|");
        if (n == length && memcmp(at, text, n) == 0) {
            *out = k;
            return true;
        }
        if (at[n] == '\0')
            return false;
        at += n + 1;
    }
}

static bool add_text(cli_texts *texts, const char *text)
{
    if (texts->n >= CLI_MAX_TEXTS)
        return false;
    const char **larger = realloc(texts->text, (texts->n + 1) * sizeof *larger);
    if (larger == NULL)
        return false;
    texts->text = larger;
    texts->text[texts->n++] = text;
    return true;
}

static int bad_value(const cli_command *command, const cli_option *option, const char *text)
{
    switch (option->kind) {
    case CLI_INTEGER:
    case CLI_NUMBER:
        if (option->minimum != 0 || option->maximum != 0)
            return cli_usage_error(command, "--%s %s: must be a %snumber from %.12g to %.12g",
                                   option->name, text, option->kind == CLI_INTEGER ? "whole " : "",
                                   option->minimum, option->maximum);
        return cli_usage_error(command, "--%s %s: must be a %snumber", option->name, text,
                               option->kind == CLI_INTEGER ? "whole " : "");
    case CLI_CHOICE:
        return cli_usage_error(command, "--%s %s: must be one of %s", option->name, text,
                               option->argument);
    case CLI_BYTES:
        return cli_usage_error(command, "--%s %s: must be a size such as 400M or 4G", option->name,
                               text);
    default:
        return cli_usage_error(command, "--%s %s: not understood", option->name, text);
    }
}

static int set_value(const cli_command *command, const cli_option *option, const char *text,
                     void *values)
{
    void *slot = (char *)values + option->offset;
    bool good = true;
    switch (option->kind) {
    case CLI_SECTION:
        break;
    case CLI_FLAG:
        *(bool *)slot = true;
        break;
    case CLI_TEXT:
    case CLI_EPISODE_ENGINE:
    case CLI_PATTERN_ENGINE:
        *(const char **)slot = text;
        break;
    case CLI_CHOICE:
        good = parse_choice(option, text, slot);
        break;
    case CLI_INTEGER:
        good = parse_integer(option, text, slot);
        break;
    case CLI_NUMBER:
        good = parse_number(option, text, slot);
        break;
    case CLI_BYTES:
        good = parse_bytes(text, slot);
        break;
    case CLI_TEXTS:
        good = add_text(slot, text);
        break;
    case CLI_DURATION: {
        cli_duration *duration = slot;
        duration->given = true;
        if (spk_duration_parse(NULL, text, strlen(text), &duration->value) != SPK_OK)
            return cli_usage_error(command, "--%s %s: must be a duration such as 5ms or 0.25s",
                                   option->name, text);
        break;
    }
    }
    return good ? CLI_DONE : bad_value(command, option, text);
}

/* ---- the command line ------------------------------------------------------------------------ */

static const cli_option *find_long(const cli_command *command, const char *name, size_t length)
{
    for (const cli_option *o = command->options; o->name != NULL; o++)
        if (o->kind != CLI_SECTION && strlen(o->name) == length &&
            memcmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const cli_option *find_letter(const cli_command *command, char letter)
{
    for (const cli_option *o = command->options; o->name != NULL; o++)
        if (o->kind != CLI_SECTION && o->letter == letter)
            return o;
    return NULL;
}

static int set_defaults(const cli_command *command, void *values)
{
    memset(values, 0, command->values_size);
    for (const cli_option *o = command->options; o->name != NULL; o++) {
        if (o->kind == CLI_SECTION || o->fallback == NULL)
            continue;
        int code = set_value(command, o, o->fallback, values);
        if (code != CLI_DONE)
            return code;
        if (o->kind == CLI_DURATION)
            ((cli_duration *)(void *)((char *)values + o->offset))->given = false;
    }
    return CLI_DONE;
}

/* One option at argv[*k]; its value may be in the next argument. */
static int take_option(const cli_command *command, int argc, char **argv, int *k, void *values,
                       bool *help)
{
    const char *text = argv[*k];
    const cli_option *option = NULL;
    const char *value = NULL;
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        *help = true;
        return CLI_DONE;
    }
    if (text[1] == '-') {
        size_t length = strcspn(text + 2, "=");
        option = find_long(command, text + 2, length);
        if (text[2 + length] == '=')
            value = text + 2 + length + 1;
    } else {
        option = find_letter(command, text[1]);
        if (option != NULL && text[2] != '\0')
            value = text + 2;
    }
    if (option == NULL)
        return cli_usage_error(command, "unknown option %s", text);
    if (option->kind == CLI_FLAG) {
        if (value != NULL)
            return cli_usage_error(command, "--%s takes no value", option->name);
        return set_value(command, option, "", values);
    }
    if (value == NULL) {
        if (*k + 1 >= argc)
            return cli_usage_error(command, "--%s needs a value: %s", option->name,
                                   option->argument);
        value = argv[++*k];
    }
    return set_value(command, option, value, values);
}

/* The command line of "simulate" or "bench" whose next word is none of its kinds. */
static int wrong_kind(const cli_command *command, int n_arguments, char **arguments)
{
    if (n_arguments == 0)
        return cli_usage_error(command, "needs a kind; the kinds are %s", command->kinds);
    return cli_usage_error(command, "there is no kind '%s'; the kinds are %s", arguments[0],
                           command->kinds);
}

int cli_options_parse(const cli_command *command, int argc, char **argv, void *values,
                      int *n_arguments, bool *help)
{
    *n_arguments = 0;
    *help = false;
    int code = set_defaults(command, values);
    bool only_arguments = command->kinds != NULL && argc > 0 && argv[0][0] != '-';
    for (int k = 0; k < argc && code == CLI_DONE && !*help; k++) {
        if (!only_arguments && strcmp(argv[k], "--") == 0)
            only_arguments = true;
        else if (!only_arguments && argv[k][0] == '-' && argv[k][1] != '\0')
            code = take_option(command, argc, argv, &k, values, help);
        else
            argv[(*n_arguments)++] = argv[k];
    }
    if (code != CLI_DONE || *help)
        return code;
    if (command->kinds != NULL)
        return wrong_kind(command, *n_arguments, argv);
    if (*n_arguments < command->min_arguments)
        return cli_usage_error(command, "needs %s", command->arguments);
    if (*n_arguments > command->max_arguments)
        return cli_usage_error(command, "unexpected argument '%s'", argv[command->max_arguments]);
    return CLI_DONE;
}

void cli_values_free(const cli_command *command, void *values)
{
    for (const cli_option *o = command->options; o->name != NULL; o++)
        if (o->kind == CLI_TEXTS)
            free(((cli_texts *)(void *)((char *)values + o->offset))->text);
}
