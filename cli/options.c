/* Parses a subcommand's arguments by its option table. */
#include "options.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "numbers.h"
#include "say.h"

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
    cli_say_list(format, arguments);
    va_end(arguments);
    fputs(" (see ", stderr);
    cli_print_title(stderr, command);
    fputs(" --help)\n", stderr);
    return CLI_USAGE;
}

/* ---- what the library says ------------------------------------------------------------------- */

/* The option of the command, or one that any command may offer. */
static const spk_option *find_described(const char *operation, const char *name)
{
    const spk_option *found;
    for (size_t k = 0; (found = spk_operation_option(operation, k)) != NULL; k++)
        if (strcmp(found->name, name) == 0)
            return found;
    return operation[0] != '\0' ? find_described("", name) : NULL;
}

cli_command cli_describe(const cli_command *command, cli_option table[CLI_MOST_OPTIONS])
{
    cli_command described = *command;
    size_t n = 0;
    for (const cli_option *o = command->options; o != NULL && o->name != NULL; o++) {
        assert(n + 1 < CLI_MOST_OPTIONS);
        table[n] = *o;
        if (o->kind == SPK_OPTION_NAMED) {
            const spk_option *found = find_described(command->name, o->name);
            assert(found != NULL);
            table[n] = *found;
            table[n].letter = o->letter != 0 ? o->letter : found->letter;
            table[n].offset = o->offset;
            table[n].size = o->size;
        }
        n++;
    }
    table[n] = (cli_option)CLI_END;
    described.options = table;
    return described;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The range of an option for whole numbers. */
static uint64_t least_of(const cli_option *option)
{
    return (uint64_t)option->minimum;
}

static uint64_t most_of(const cli_option *option)
{
    bool any = option->minimum == 0 && option->maximum == 0;
    return any ? UINT64_MAX : (uint64_t)option->maximum;
}

static bool parse_integer(const cli_option *option, const char *text, uint64_t *out)
{
    return cli_whole_parse(text, strlen(text), least_of(option), most_of(option), out);
}

/* The word of "N|all"; "" where there is none. */
static const char *word_of(const cli_option *option)
{
    const char *bar = option->kind == CLI_COUNT ? strchr(option->argument, '|') : NULL;
    return bar != NULL ? bar + 1 : "";
}

static bool parse_count(const cli_option *option, const char *text, cli_count *out)
{
    *out = (cli_count){.given = true, .word = strcmp(text, word_of(option)) == 0};
    return out->word || parse_integer(option, text, &out->value);
}

static bool parse_number(const cli_option *option, const char *text, double *out)
{
    bool any = option->minimum == 0 && option->maximum == 0;
    return cli_number_parse(text, any ? -DBL_MAX : option->minimum, any ? DBL_MAX : option->maximum,
                            out);
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

/* ---- names ----------------------------------------------------------------------------------- */

const char *cli_option_name(const cli_option *option, size_t k)
{
    const bool of_patterns = option->kind == CLI_PATTERN_ENGINE;
    switch (option->kind) {
    case CLI_EPISODE_ENGINE:
    case CLI_PATTERN_ENGINE:
        return k == 0 ? "auto" : spk_engine_name(of_patterns ? SPK_PATTERNS : SPK_EPISODES, k - 1);
    case CLI_FORMAT:
        return spk_format_name(k);
    case CLI_SURROGATE_METHOD:
        return k < spk_surrogate_method_count() ? spk_surrogate_method_get(k)->name : NULL;
    case CLI_CORRECTION:
        return spk_correction_name(k);
    default:
        return NULL;
    }
}

/* The name as the library has it; '_' stands for '-' in methods and corrections. NULL where there
 * is none. */
static const char *find_name(const cli_option *option, const char *text)
{
    const bool loose = option->kind == CLI_SURROGATE_METHOD || option->kind == CLI_CORRECTION;
    const char *name;
    for (size_t k = 0; (name = cli_option_name(option, k)) != NULL; k++) {
        size_t i = 0;
        while (name[i] != '\0' &&
               (text[i] == name[i] || (loose && text[i] == '_' && name[i] == '-')))
            i++;
        if (name[i] == '\0' && text[i] == '\0')
            return name;
    }
    return NULL;
}

/* ---- wrong values ---------------------------------------------------------------------------- */

/* What names of a kind are called, and where they are listed. */
static const struct {
    const char *what;
    const char *of; /* behind the name that is wrong */
    const char *where;
} named[] = {
    [CLI_EPISODE_ENGINE] = {"engine", " for episodes", "; spikemine engines lists them"},
    [CLI_PATTERN_ENGINE] = {"engine", " for patterns", "; spikemine engines lists them"},
    [CLI_FORMAT] = {"format", "", "; spikemine formats lists them"},
    [CLI_SURROGATE_METHOD] = {"method of surrogates", "",
                              "; spikemine surrogates --help lists them"},
    [CLI_CORRECTION] = {"correction", "", "; spikemine patterns --help lists them"},
};

static int bad_name(const cli_command *command, const cli_option *option, const char *text)
{
    char nearest[CLI_SUGGEST_BYTES];
    const char *name;
    cli_suggestion suggestion = cli_suggest_begin(text, strlen(text));
    for (size_t k = 0; (name = cli_option_name(option, k)) != NULL; k++)
        cli_suggest_offer(&suggestion, name, strlen(name));
    cli_suggest_end(&suggestion, "", nearest, sizeof nearest);
    return cli_usage_error(command, "--%s %s: there is no %s '%s'%s%s", option->name, text,
                           named[option->kind].what, text, named[option->kind].of,
                           nearest[0] != '\0' ? nearest : named[option->kind].where);
}

/* Words separated by '|'. */
static void offer_words(cli_suggestion *suggestion, const char *words)
{
    while (*words != '\0') {
        size_t n = strcspn(words, "|");
        cli_suggest_offer(suggestion, words, n);
        words += n;
        words += *words == '|';
    }
}

static int bad_choice(const cli_command *command, const cli_option *option, const char *text)
{
    char nearest[CLI_SUGGEST_BYTES];
    cli_suggestion suggestion = cli_suggest_begin(text, strlen(text));
    offer_words(&suggestion, option->argument);
    return cli_usage_error(command, "--%s %s: must be one of %s%s", option->name, text,
                           option->argument,
                           cli_suggest_end(&suggestion, "", nearest, sizeof nearest));
}

static int bad_value(const cli_command *command, const cli_option *option, const char *text)
{
    bool any = option->minimum == 0 && option->maximum == 0;
    switch (option->kind) {
    case CLI_INTEGER:
    case CLI_COUNT:
        return cli_usage_error(
            command, "--%s %s: must be a whole number from %" PRIu64 " to %" PRIu64 "%s%s",
            option->name, text, least_of(option), most_of(option),
            option->kind == CLI_COUNT ? ", or " : "", word_of(option));
    case CLI_NUMBER:
        if (!any)
            return cli_usage_error(command, "--%s %s: must be a number from %.12g to %.12g",
                                   option->name, text, option->minimum, option->maximum);
        return cli_usage_error(command, "--%s %s: must be a number", option->name, text);
    case CLI_CHOICE:
        return bad_choice(command, option, text);
    case CLI_EPISODE_ENGINE:
    case CLI_PATTERN_ENGINE:
    case CLI_FORMAT:
    case CLI_SURROGATE_METHOD:
    case CLI_CORRECTION:
        return bad_name(command, option, text);
    case CLI_BYTES:
        return cli_usage_error(command,
                               "--%s %s: must be a size of at least one byte, such as 400M or 4G",
                               option->name, text);
    case CLI_DURATION:
        return cli_usage_error(command, "--%s %s: must be a duration such as 5ms, 0.25s or 1/30s",
                               option->name, text);
    default:
        return cli_usage_error(command, "--%s %s: given more than %d times", option->name, text,
                               CLI_MAX_TEXTS);
    }
}

void *cli_value_at(const cli_option *option, void *values, cli_shared *shared)
{
    return option->offset >= CLI_SHARED_AT ? (char *)shared + (option->offset - CLI_SHARED_AT)
                                           : (char *)values + option->offset;
}

uint64_t cli_whole_at(const cli_option *option, const void *at)
{
    return option->size == sizeof(uint32_t)   ? *(const uint32_t *)at
           : option->size == sizeof(uint16_t) ? *(const uint16_t *)at
                                              : *(const uint64_t *)at;
}

/* The ranges of options see to it that a number fits. */
static bool set_integer(const cli_option *option, const char *text, void *slot)
{
    uint64_t value = 0;
    if (!parse_integer(option, text, &value))
        return false;
    if (option->size == sizeof(uint32_t))
        *(uint32_t *)slot = (uint32_t)value;
    else if (option->size == sizeof(uint16_t))
        *(uint16_t *)slot = (uint16_t)value;
    else
        *(uint64_t *)slot = value;
    return true;
}

static bool set_duration(const cli_option *option, const char *text, void *slot)
{
    const bool plain = option->size == sizeof(spk_duration);
    spk_duration *value = plain ? slot : &((cli_duration *)slot)->value;
    if (!plain)
        ((cli_duration *)slot)->given = true;
    return spk_duration_parse(NULL, text, strlen(text), value) == SPK_OK;
}

static bool set_name(const cli_option *option, const char *text, void *slot)
{
    const char *name = find_name(option, text);
    *(const char **)slot = name;
    return name != NULL;
}

static int set_value(const cli_command *command, const cli_option *option, const char *text,
                     void *slot)
{
    bool good = true;
    switch (option->kind) {
    case SPK_OPTION_NAMED:
    case CLI_SECTION:
        break;
    case CLI_FLAG:
        *(bool *)slot = true;
        break;
    case CLI_TEXT:
        *(const char **)slot = text;
        break;
    case CLI_CHOICE:
        good = parse_choice(option, text, slot);
        break;
    case CLI_EPISODE_ENGINE:
    case CLI_PATTERN_ENGINE:
    case CLI_FORMAT:
    case CLI_SURROGATE_METHOD:
    case CLI_CORRECTION:
        good = set_name(option, text, slot);
        break;
    case CLI_INTEGER:
        good = set_integer(option, text, slot);
        break;
    case CLI_NUMBER:
        good = parse_number(option, text, slot);
        break;
    case CLI_BYTES:
        good = cli_bytes_parse(text, slot);
        break;
    case CLI_COUNT:
        good = parse_count(option, text, slot);
        break;
    case CLI_TEXTS:
        good = add_text(slot, text);
        break;
    case CLI_DURATION:
        good = set_duration(option, text, slot);
        break;
    }
    return good ? CLI_DONE : bad_value(command, option, text);
}

/* ---- the command line ------------------------------------------------------------------------ */

const cli_option cli_common_options[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = CLI_FLAG,
     .offset = offsetof(cli_common, quiet),
     .help = "print errors only: no notes, no summary and no progress"},
    {.name = "verbose",
     .letter = 'v',
     .kind = CLI_FLAG,
     .offset = offsetof(cli_common, verbose),
     .help = "tell more: what was read, each step as it ends, and how long it took"},
    {.name = "help",
     .letter = 'h',
     .kind = CLI_FLAG,
     .offset = offsetof(cli_common, help),
     .help = "show this help; --verbose adds the options for other machines"},
    {.name = "version",
     .letter = 'V',
     .kind = CLI_FLAG,
     .offset = offsetof(cli_common, version),
     .help = "show the version"},
    CLI_END,
};

/* A command line while it is read. */
typedef struct parser {
    const cli_command *command;
    void *values;
    cli_common *common;
    int argc;
    char **argv;
    int k; /* the argument that is read */
    cli_given *given;
} parser;

static bool is_called(const char *name, const char *text, size_t length)
{
    return name != NULL && strlen(name) == length && memcmp(name, text, length) == 0;
}

static const cli_option *find_long(const cli_option *options, const char *name, size_t length)
{
    const cli_option *found = NULL;
    for (const cli_option *o = options; o->name != NULL; o++) {
        if (o->kind != CLI_SECTION && is_called(o->name, name, length))
            return o;
        if (is_called(o->synonym, name, length))
            found = o;
    }
    return found;
}

static const cli_option *find_letter(const cli_option *options, char letter)
{
    for (const cli_option *o = options; o->name != NULL; o++)
        if (o->kind != CLI_SECTION && o->letter == letter)
            return o;
    return NULL;
}

static int set_defaults(const cli_command *command, void *values, cli_common *common)
{
    memset(values, 0, command->values_size);
    for (const cli_option *o = command->options; o->name != NULL; o++) {
        if (o->kind == CLI_SECTION || o->fallback == NULL)
            continue;
        void *slot = cli_value_at(o, values, &common->shared);
        int code = set_value(command, o, o->fallback, slot);
        if (code != CLI_DONE)
            return code;
        if (o->kind == CLI_DURATION && o->size != sizeof(spk_duration))
            ((cli_duration *)slot)->given = false;
        if (o->kind == CLI_COUNT)
            ((cli_count *)slot)->given = false;
    }
    return CLI_DONE;
}

static void offer_options(cli_suggestion *suggestion, const cli_option *options)
{
    for (const cli_option *o = options; o->name != NULL; o++)
        if (o->kind != CLI_SECTION)
            cli_suggest_offer(suggestion, o->name, strlen(o->name));
}

static int unknown_option(const cli_command *command, const char *text)
{
    char nearest[CLI_SUGGEST_BYTES];
    size_t dashes = strspn(text, "-");
    cli_suggestion suggestion = cli_suggest_begin(text + dashes, strcspn(text + dashes, "="));
    if (suggestion.length > 1) { /* a single letter is near to nothing */
        offer_options(&suggestion, command->options);
        offer_options(&suggestion, cli_common_options);
    }
    return cli_usage_error(command, "unknown option %s%s", text,
                           cli_suggest_end(&suggestion, "--", nearest, sizeof nearest));
}

/* Refuses a second value where there is place for one. */
static int check_once(parser *p, const cli_option *option, const char *value)
{
    ptrdiff_t number = option - p->command->options;
    assert(number >= 0 && number < CLI_MOST_OPTIONS);
    const char *before = p->given->value[number];
    p->given->value[number] = value;
    if (before == NULL || option->kind == CLI_TEXTS)
        return CLI_DONE;
    return cli_usage_error(p->command, "--%s is given twice, as %s and as %s; give it once",
                           option->name, before, value);
}

/* The option that the present argument names; *value is what stands behind it in the same argument,
 * NULL for nothing. `options` is a command's table or the common one. */
static const cli_option *find_option(const cli_option *options, const char *text,
                                     const char **value)
{
    const cli_option *option = NULL;
    *value = NULL;
    if (text[1] == '-') {
        size_t length = strcspn(text + 2, "=");
        option = find_long(options, text + 2, length);
        if (text[2 + length] == '=')
            *value = text + 2 + length + 1;
    } else {
        option = find_letter(options, text[1]);
        if (option != NULL && text[2] != '\0')
            *value = text + 2;
    }
    return option;
}

static void set_common(cli_common *common, const cli_option *option)
{
    *(bool *)(void *)((char *)common + option->offset) = true;
}

/* -q, -v, -h and -V may stand together: -hv. False: the argument is none of these. */
static bool take_common(parser *p, const char *text)
{
    const char *value = NULL;
    const cli_option *option = find_option(cli_common_options, text, &value);
    if (option == NULL || (value != NULL && text[1] == '-'))
        return false;
    for (const char *at = value; at != NULL && *at != '\0'; at++)
        if (find_letter(cli_common_options, *at) == NULL)
            return false;
    set_common(p->common, option);
    for (const char *at = value; at != NULL && *at != '\0'; at++)
        set_common(p->common, find_letter(cli_common_options, *at));
    return true;
}

static void *slot_of(const parser *p, const cli_option *option)
{
    return cli_value_at(option, p->values, &p->common->shared);
}

/* One option; its value may be in the next argument. */
static int take_option(parser *p)
{
    const char *text = p->argv[p->k];
    const char *value = NULL;
    const cli_option *option = find_option(p->command->options, text, &value);
    if (option == NULL)
        return take_common(p, text) ? CLI_DONE : unknown_option(p->command, text);
    if (option->kind == CLI_FLAG) {
        if (value != NULL)
            return cli_usage_error(p->command, "--%s takes no value", option->name);
        p->given->value[option - p->command->options] = "";
        return set_value(p->command, option, "", slot_of(p, option));
    }
    if (value == NULL) {
        if (p->k + 1 >= p->argc)
            return cli_usage_error(p->command, "--%s needs a value: %s", option->name,
                                   option->argument);
        value = p->argv[++p->k];
    }
    int code = check_once(p, option, value);
    return code == CLI_DONE ? set_value(p->command, option, value, slot_of(p, option)) : code;
}

/* The rest of a command line that asks for help: only -v and -V count. */
static void skim(parser *p)
{
    for (int k = p->k; k < p->argc; k++)
        if (p->argv[k][0] == '-' && p->argv[k][1] != '\0')
            (void)take_common(p, p->argv[k]);
}

/* The command line of "simulate" or "bench" whose next word is none of its kinds. */
static int wrong_kind(const cli_command *command, int n_arguments, char **arguments)
{
    if (n_arguments == 0)
        return cli_usage_error(command, "the command needs a kind; the kinds are %s",
                               command->kinds);
    char nearest[CLI_SUGGEST_BYTES];
    size_t length = strlen(arguments[0]);
    const char *elsewhere = command->elsewhere != NULL ? command->elsewhere : "";
    if (strncmp(elsewhere, arguments[0], length) == 0 && elsewhere[length] == ':')
        return cli_usage_error(command, "there is no kind '%s';%s", arguments[0],
                               elsewhere + length + 1);
    cli_suggestion suggestion = cli_suggest_begin(arguments[0], length);
    offer_words(&suggestion, command->arguments);
    return cli_usage_error(command, "there is no kind '%s'; the kinds are %s%s", arguments[0],
                           command->kinds,
                           cli_suggest_end(&suggestion, "", nearest, sizeof nearest));
}

static int check_arguments(const cli_command *command, int n, char **arguments)
{
    if (command->kinds != NULL)
        return wrong_kind(command, n, arguments);
    if (n < command->min_arguments)
        return cli_usage_error(command, "the command needs %s", command->arguments);
    const int most = command->max_arguments > 0 ? command->max_arguments : command->min_arguments;
    if (n > most)
        return cli_usage_error(command, "unexpected argument '%s'", arguments[most]);
    return CLI_DONE;
}

int cli_options_parse(const cli_command *command, int argc, char **argv, void *values,
                      cli_given *given, int *n_arguments, cli_common *common)
{
    parser p = {command, values, common, argc, argv, 0, given};
    *n_arguments = 0;
    *given = (cli_given){.value = {NULL}};
    int code = set_defaults(command, values, common);
    bool only_arguments = command->kinds != NULL && argc > 0 && argv[0][0] != '-';
    for (; p.k < argc && code == CLI_DONE && !common->help && !common->version; p.k++) {
        const char *text = argv[p.k];
        if (!only_arguments && strcmp(text, "--") == 0)
            only_arguments = true;
        else if (!only_arguments && text[0] == '-' && text[1] != '\0')
            code = take_option(&p);
        else
            argv[(*n_arguments)++] = argv[p.k];
    }
    if (code == CLI_DONE && (common->help || common->version)) {
        skim(&p);
        return CLI_DONE;
    }
    if (code == CLI_DONE && common->quiet && common->verbose)
        return cli_usage_error(command, "--quiet and --verbose contradict each other; give one");
    return code == CLI_DONE ? check_arguments(command, *n_arguments, argv) : code;
}

/* ---- what goes together ---------------------------------------------------------------------- */

bool cli_is_replay(const char *source)
{
    return strstr(source, "://") == NULL && access(source, F_OK) == 0;
}

enum { N_FACTS = 5 };

/* What is true of the input. */
typedef struct fact {
    const char *name;
    bool holds;
} fact;

/* By the rules of the command; facts may be NULL. */
static spk_status check_rules(const cli_command *command, const cli_given *given, const fact *facts,
                              spk_context *context)
{
    enum { MOST = CLI_MOST_OPTIONS + N_FACTS };
    const char *name[MOST], *value[MOST], *fallback[MOST], *argument[MOST];
    spk_option_uses uses;
    spk_option_uses_init(&uses, sizeof uses);
    uses.name = name, uses.value = value, uses.fallback = fallback, uses.argument = argument;
    for (const cli_option *o = command->options; o->name != NULL; o++) {
        if (o->kind == CLI_SECTION)
            continue;
        name[uses.n] = o->name;
        value[uses.n] = given->value[o - command->options];
        fallback[uses.n] = o->fallback;
        argument[uses.n++] = o->argument;
    }
    for (size_t k = 0; facts != NULL && k < N_FACTS; k++) {
        name[uses.n] = facts[k].name;
        value[uses.n] = facts[k].holds ? "" : NULL;
        fallback[uses.n] = argument[uses.n] = NULL;
        uses.n++;
    }
    return spk_operation_check(context, command->name, &uses);
}

const char *cli_given_value(const cli_command *command, const cli_given *given, const char *name)
{
    for (const cli_option *o = command->options; o->name != NULL; o++)
        if (o->kind != CLI_SECTION && strcmp(o->name, name) == 0)
            return given->value[o - command->options];
    return NULL;
}

int cli_options_check(const cli_command *command, const cli_given *given, spk_context *context,
                      int n_arguments, char **arguments, bool of_ranks)
{
    const bool live =
        command->arguments != NULL && strncmp(command->arguments, "SOURCE", strlen("SOURCE")) == 0;
    const char *jitter = cli_given_value(command, given, "jitter");
    bool from_stdin = false;
    for (int k = 0; k < n_arguments; k++)
        from_stdin |= strcmp(arguments[k], "-") == 0;
    const fact facts[N_FACTS] = {
        {"ranks", of_ranks},
        {"input:stdin", from_stdin},
        {"input:several", n_arguments > 1},
        {"input:stream", live && n_arguments > 0 && !cli_is_replay(arguments[0])},
        {"jitter:several", jitter != NULL && strchr(jitter, ',') != NULL}};
    return check_rules(command, given, facts, context) == SPK_OK
               ? CLI_DONE
               : cli_usage_error(command, "%s", spk_context_message(context));
}

bool cli_option_heeded(const cli_command *command, const cli_given *given, const cli_option *option)
{
    cli_given also = *given;
    const char **value = &also.value[option - command->options];
    if (*value == NULL)
        *value = option->fallback != NULL ? option->fallback : "";
    return check_rules(command, &also, NULL, NULL) == SPK_OK;
}

int cli_gpus(cli_count gpus)
{
    return gpus.word ? SPK_GPUS_ALL : (int)gpus.value;
}

void cli_values_free(const cli_command *command, void *values)
{
    for (const cli_option *o = command->options; o->name != NULL; o++)
        if (o->kind == CLI_TEXTS)
            free(((cli_texts *)(void *)((char *)values + o->offset))->text);
}
