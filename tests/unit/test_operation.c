/* Which options go together: all pairs of options of all commands, through the parser and the check
 * of the command, against a reading of the rules that is written here by itself. */
#include "../../cli/commands.h"
#include "support/context.h"

/* ---- a command line -------------------------------------------------------------------------- */

/* An option with a value, or a fact of the input. */
typedef struct item {
    const char *name;
    char value[64];
} item;

enum { MOST_ITEMS = 512, MOST_IN_LINE = 24, MOST_STEPS = 8 };

typedef struct line {
    const cli_command *command;
    size_t n;
    item item[MOST_IN_LINE];
} line;

static const char *const FACTS[] = {"ranks",        "input:stdin",    "input:several",
                                    "input:stream", "jitter:several", NULL};

static const cli_option *find_option(const cli_command *command, const char *name)
{
    const cli_option *o = command->options;
    while (o->name != NULL && (o->kind == CLI_SECTION || strcmp(o->name, name) != 0))
        o++;
    return o->name != NULL ? o : NULL;
}

static bool is_fact(const char *name)
{
    const char *const *fact = FACTS;
    while (*fact != NULL && strcmp(*fact, name) != 0)
        fact++;
    return *fact != NULL;
}

static const item *find_item(const line *l, const char *name)
{
    for (size_t k = 0; k < l->n; k++)
        if (strcmp(l->item[k].name, name) == 0)
            return &l->item[k];
    return NULL;
}

/* A fact of the line's own, or of a value in it. */
static const item *find_fact(const line *l, const char *name)
{
    const item *jitter = find_item(l, "jitter");
    if (strcmp(name, "jitter:several") == 0)
        return jitter != NULL && strchr(jitter->value, ',') != NULL ? jitter : NULL;
    return find_item(l, name);
}

/* Parses and checks the line; the message is that of the context. */
static int check_line(const line *l)
{
    static char words[MOST_IN_LINE + 2][96];
    char *argv[MOST_IN_LINE + 2], *values = calloc(1, l->command->values_size + 1);
    int argc = 0, n = 0;
    cli_given given;
    cli_common common = {.quiet = false};
    const bool live = strncmp(l->command->arguments, "SOURCE", 6) == 0;
    assert_non_null(values);
    for (size_t k = 0; k < l->n; k++) {
        const item *i = &l->item[k];
        if (is_fact(i->name))
            continue;
        const bool flag = find_option(l->command, i->name)->kind == CLI_FLAG;
        snprintf(words[argc], sizeof words[argc], "--%s%s%s", i->name, flag ? "" : "=", i->value);
        argv[argc] = words[argc];
        argc++;
    }
    const int n_arguments = l->command->min_arguments + (find_item(l, "input:several") != NULL);
    for (int k = 0; k < n_arguments; k++) {
        const char *word = k == 0 && find_item(l, "input:stdin") != NULL ? "-"
                           : find_item(l, "input:stream") != NULL        ? "tcp://rig:4000"
                           : live                                        ? "."
                                                                         : "rec.txt";
        snprintf(words[argc], sizeof words[argc], "%s", word);
        argv[argc] = words[argc];
        argc++;
    }
    int code = cli_options_parse(l->command, argc, argv, values, &given, &n, &common);
    assert_int_equal(code, CLI_DONE); /* every value is a good one */
    code = cli_options_check(l->command, &given, context, n, argv, find_item(l, "ranks") != NULL);
    cli_values_free(l->command, values);
    free(values);
    return code;
}

/* ---- the rules, read once more --------------------------------------------------------------- */

/* Term number k of "a|b=c" as a name and a value, "" for none. */
static bool take_term(const char *terms, size_t k, char name[64], char value[64])
{
    char text[1024];
    snprintf(text, sizeof text, "%s", terms != NULL ? terms : "");
    char *rest = NULL, *word = strtok_r(text, "|", &rest);
    while (word != NULL && k-- > 0)
        word = strtok_r(NULL, "|", &rest);
    if (word == NULL)
        return false;
    char *equals = strchr(word, '=');
    snprintf(value, 64, "%s", equals != NULL ? equals + 1 : "");
    snprintf(name, 64, "%.*s", equals != NULL ? (int)(equals - word) : (int)strlen(word), word);
    return true;
}

static bool exists(const cli_command *command, const char *name)
{
    return is_fact(name) || find_option(command, name) != NULL;
}

/* The first of the terms that the command has. */
static bool first_known(const line *l, const char *terms, char name[64])
{
    char value[64];
    for (size_t k = 0; take_term(terms, k, name, value); k++)
        if (exists(l->command, name))
            return true;
    return false;
}

/* The first of the terms that the line has, by default, too, where `by_default`. */
static bool has_any(const line *l, const char *terms, bool by_default, char name[64])
{
    char value[64];
    for (size_t k = 0; take_term(terms, k, name, value); k++) {
        const item *i = find_fact(l, name);
        const cli_option *o = find_option(l->command, name);
        const char *now = i != NULL ? i->value : by_default && o != NULL ? o->fallback : NULL;
        if (value[0] == '\0' ? i != NULL : now != NULL && strcmp(now, value) == 0)
            return true;
    }
    return false;
}

/* The first rule that the line breaks, and the names that the message must have. */
static const spk_rule *find_broken(const line *l, char subject[64], char other[64])
{
    const spk_rule *rule;
    for (size_t k = 0; (rule = spk_operation_rule(l->command->name, k)) != NULL; k++) {
        subject[0] = other[0] = '\0';
        if (has_any(l, rule->unless, true, other))
            continue;
        const bool required = rule->verb == SPK_RULE_REQUIRED;
        const bool begins = has_any(l, rule->terms, required, subject);
        const bool goes_on = has_any(l, rule->others, rule->verb == SPK_RULE_NEEDS, other);
        if (required && !begins && first_known(l, rule->terms, subject))
            return rule;
        if (rule->verb == SPK_RULE_NEEDS && begins && !goes_on &&
            first_known(l, rule->others, other))
            return rule;
        if (rule->verb == SPK_RULE_EXCLUDES && begins && goes_on)
            return rule;
    }
    return NULL;
}

/* ---- all options ----------------------------------------------------------------------------- */

/* A value that the parser takes. */
static void sample(const cli_option *o, char value[64])
{
    const bool any = o->minimum == 0 && o->maximum == 0;
    const char *text = o->kind == CLI_DURATION           ? "5ms"
                       : o->kind == CLI_BYTES            ? "1M"
                       : o->kind == CLI_FORMAT           ? spk_format_name(0)
                       : o->kind == CLI_CORRECTION       ? spk_correction_name(0)
                       : o->kind == CLI_SURROGATE_METHOD ? spk_surrogate_method_get(0)->name
                       : o->kind == CLI_EPISODE_ENGINE || o->kind == CLI_PATTERN_ENGINE ? "auto"
                       : o->kind == CLI_FLAG                                            ? ""
                                                                                        : "x";
    snprintf(value, 64, "%s", text);
    if (o->kind == CLI_INTEGER || o->kind == CLI_COUNT)
        snprintf(value, 64, "%.0f", any ? 1 : o->minimum);
    if (o->kind == CLI_NUMBER)
        snprintf(value, 64, "%.12g", any ? 1 : o->maximum);
    if (o->kind == CLI_CHOICE)
        snprintf(value, 64, "%.*s", (int)strcspn(o->argument, "|"), o->argument);
}

static void add(item *items, size_t *n, const char *name, const char *value)
{
    for (size_t k = 0; k < *n; k++)
        if (strcmp(items[k].name, name) == 0 && strcmp(items[k].value, value) == 0)
            return;
    assert_true(*n < MOST_ITEMS);
    items[*n].name = name;
    snprintf(items[(*n)++].value, sizeof items->value, "%s", value);
}

/* Each option with a usual value, with all values of a choice, and with those that rules name. */
static size_t list_items(const cli_command *command, item *items)
{
    size_t n = 0;
    char name[64], value[64];
    const spk_rule *rule;
    for (const cli_option *o = command->options; o->name != NULL; o++) {
        if (o->kind == CLI_SECTION)
            continue;
        sample(o, value);
        add(items, &n, o->name, value);
        if (strcmp(o->name, "jitter") == 0 && o->kind == CLI_TEXT)
            add(items, &n, o->name, "5ms,25ms");
        for (size_t k = 1; o->kind == CLI_CHOICE && take_term(o->argument, k, value, name); k++)
            add(items, &n, o->name, value);
    }
    for (size_t k = 0; (rule = spk_operation_rule(command->name, k)) != NULL; k++) {
        const char *const terms[] = {rule->terms, rule->others, rule->unless};
        for (size_t t = 0; t < 3; t++)
            for (size_t i = 0; take_term(terms[t], i, name, value); i++)
                if (value[0] != '\0' && find_option(command, name) != NULL)
                    add(items, &n, find_option(command, name)->name, value);
    }
    if (command->min_arguments > 0) {
        add(items, &n, "ranks", "");
        add(items, &n, "input:stdin", "");
    }
    if (command->max_arguments > command->min_arguments && command->min_arguments > 0)
        add(items, &n, "input:several", "");
    if (strncmp(command->arguments, "SOURCE", 6) == 0)
        add(items, &n, "input:stream", "");
    return n;
}

/* Adds what the line lacks, until no rule is broken; items from `fixed` on may get other values.
 * False: nothing helps. */
static bool complete(line *l, size_t fixed, int depth)
{
    char subject[64], other[64], name[64], value[64];
    const spk_rule *rule = find_broken(l, subject, other);
    if (rule == NULL || depth == 0)
        return rule == NULL;
    const line before = *l;
    const char *terms = rule->verb == SPK_RULE_REQUIRED ? rule->terms : rule->others;
    for (size_t k = 0; rule->verb != SPK_RULE_EXCLUDES && take_term(terms, k, name, value); k++) {
        const cli_option *o = find_option(l->command, name);
        const item *there = find_item(l, name);
        const size_t at = there != NULL ? (size_t)(there - l->item) : l->n;
        if (o == NULL || at < fixed || at == MOST_IN_LINE)
            continue;
        l->n += there == NULL;
        l->item[at].name = o->name;
        snprintf(l->item[at].value, sizeof value, "%s", value);
        if (value[0] == '\0')
            sample(o, l->item[at].value);
        if (complete(l, fixed, depth - 1))
            return true;
        *l = before;
    }
    return false;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static char wrong[2048]; /* what was wrong first; the walk is silent */

static void note_wrong(const line *l, const char *what)
{
    size_t n = (size_t)snprintf(wrong, sizeof wrong, "%s: %s:", l->command->name, what);
    for (size_t k = 0; k < l->n && n < sizeof wrong; k++)
        n += (size_t)snprintf(wrong + n, sizeof wrong - n, " --%s %s", l->item[k].name,
                              l->item[k].value);
    if (n < sizeof wrong)
        snprintf(wrong + n, sizeof wrong - n, " (%s)", spk_context_message(context));
}

static bool names(const char *option)
{
    char text[80];
    snprintf(text, sizeof text, "--%s", option);
    return option[0] == '\0' || is_fact(option) ||
           strstr(spk_context_message(context), text) != NULL;
}

/* The line as it is, and with what it lacks. Returns whether it can be used. */
static bool look_at(const line *l)
{
    char subject[64], other[64];
    line whole = *l;
    const spk_rule *broken = find_broken(l, subject, other);
    const int code = check_line(l);
    if (code != (broken != NULL ? CLI_USAGE : CLI_DONE))
        note_wrong(l, "the verdict is not that of the rules");
    else if (broken != NULL && (!names(subject) || !names(other)))
        note_wrong(l, "the message does not name the options");
    if (!complete(&whole, l->n, MOST_STEPS))
        return false;
    if (check_line(&whole) != CLI_DONE)
        note_wrong(&whole, "the whole line is refused");
    return true;
}

static void walk(const cli_command *command, size_t *n_pairs, size_t *n_forbidden)
{
    static item items[MOST_ITEMS];
    const size_t n = list_items(command, items);
    for (size_t a = 0; a < n && wrong[0] == '\0'; a++) {
        line l = {.command = command, .n = 1, .item = {items[a]}};
        if (!look_at(&l))
            note_wrong(&l, "it can never be used");
        for (size_t b = 0; b < a && wrong[0] == '\0'; b++) {
            if (strcmp(items[a].name, items[b].name) == 0)
                continue;
            l.n = 2;
            l.item[1] = items[b];
            ++*n_pairs;
            *n_forbidden += !look_at(&l);
        }
    }
}

static void all_pairs(void **state)
{
    (void)state;
    size_t n_pairs = 0, n_forbidden = 0;
    const int error = dup(STDERR_FILENO);
    assert_true(error >= 0);
    fflush(stderr);
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (const cli_command *const *c = cli_commands; *c != NULL && wrong[0] == '\0'; c++)
        if ((*c)->kinds == NULL) {
            cli_option table[CLI_MOST_OPTIONS];
            const cli_command command = cli_describe(*c, table);
            walk(&command, &n_pairs, &n_forbidden);
        }
    fflush(stderr);
    dup2(error, STDERR_FILENO);
    close(error);
    if (wrong[0] != '\0')
        fail_msg("%s", wrong);
    assert_true(n_pairs > 10000 && n_forbidden > 300);
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* Whether a command that has this rule has the option. */
static bool known_beside(const spk_rule *rule, const char *name)
{
    static const char *const of_python[] = {"executor", "method", "n-bins", "alternate",
                                            "use-sqrt", "fast",   "cutoff"};
    for (size_t k = 0; k < sizeof of_python / sizeof of_python[0]; k++)
        if (strcmp(of_python[k], name) == 0)
            return true;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        const spk_rule *r;
        for (size_t k = 0; (r = spk_operation_rule((*c)->name, k)) != NULL; k++)
            if (r == rule && exists(*c, name))
                return true;
    }
    return false;
}

/* No term is misspelt. */
static void terms_are_options(void **state)
{
    (void)state;
    char name[64], value[64];
    for (const cli_command *const *c = cli_commands; *c != NULL; c++) {
        const spk_rule *rule;
        for (size_t k = 0; (rule = spk_operation_rule((*c)->name, k)) != NULL; k++) {
            const char *const terms[] = {rule->terms, rule->others, rule->unless};
            for (size_t t = 0; t < 3; t++)
                for (size_t i = 0; take_term(terms[t], i, name, value); i++)
                    if (!known_beside(rule, name))
                        fail_msg("%s: a rule names --%s, which no command has", (*c)->name, name);
        }
    }
    assert_null(spk_operation_rule("no such operation", 0));
    assert_non_null(spk_operation_rule("episodes", 0));
}

/* Tables of commands name options, and say where values go; the rest stands in the library. */
static void options_are_described_once(void **state)
{
    (void)state;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        for (const cli_option *o = (*c)->options; o != NULL && o->name != NULL; o++)
            if (o->kind != SPK_OPTION_NAMED && o->kind != CLI_SECTION)
                fail_msg("%s --%s is described in cli/", (*c)->name, o->name);
}

/* Each option is whole and stands once in its operation, which has it; its default is a value that
 * it takes. */
static void options_are_whole(void **state)
{
    (void)state;
    const spk_option *o, *other;
    size_t n_options = 0;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        for (size_t k = 0; (o = spk_operation_option((*c)->name, k)) != NULL; k++) {
            char name[64], value[64] = "", text[64];
            snprintf(text, sizeof text, "%s", o->fallback != NULL ? o->fallback : "");
            bool is_choice = o->fallback == NULL;
            assert_true(o->kind > SPK_OPTION_SECTION && o->offset == 0 && o->help[0] != '\0');
            assert_int_equal(o->argument == NULL, o->kind == SPK_OPTION_FLAG);
            assert_true(o->help[strlen(o->help) - 1] != '.'); /* it ends in its default */
            assert_true(o->minimum <= o->maximum);
            for (size_t n = 0; take_term(o->argument, n, name, value); n++)
                is_choice |= strcmp(name, text) == 0;
            if (o->kind == SPK_OPTION_CHOICE && !is_choice)
                fail_msg("%s --%s: %s is none of %s", (*c)->name, o->name, text, o->argument);
            if (!exists(*c, o->name))
                fail_msg("%s does not offer --%s", (*c)->name, o->name);
            for (size_t n = 0; n < k; n++) {
                other = spk_operation_option((*c)->name, n);
                assert_string_not_equal(o->name, other->name);
                assert_true(o->synonym == NULL || strcmp(o->synonym, other->name) != 0);
                assert_true(other->synonym == NULL || strcmp(other->synonym, o->name) != 0);
            }
            n_options++;
        }
    assert_true(n_options > 100);
    assert_null(spk_operation_option("no such operation", 0));
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* What is said of options that are given, "" for nothing. */
static void says(const char *operation, spk_spelling spelling, const char *expected,
                 const char *const *options)
{
    const char *name[16], *value[16], *argument[16];
    spk_option_uses uses;
    spk_option_uses_init(&uses, sizeof uses);
    uses.name = name, uses.value = value, uses.spelling = spelling;
    uses.argument = spelling == SPK_SPELLING_COMMAND ? argument : NULL;
    for (; options[3 * uses.n] != NULL; uses.n++) {
        name[uses.n] = options[3 * uses.n];
        value[uses.n] = options[3 * uses.n + 1];
        argument[uses.n] = options[3 * uses.n + 2];
    }
    const spk_status status = spk_operation_check(context, operation, &uses);
    assert_int_equal(status, expected[0] != '\0' ? SPK_ERR_ARGUMENT : SPK_OK);
    if (expected[0] != '\0')
        assert_string_equal(spk_context_message(context), expected);
    assert_int_equal(spk_operation_check(NULL, operation, &uses), status);
}

#define SAYS(operation, spelling, expected, ...)                                                   \
    says(operation, spelling, expected, (const char *const[]){__VA_ARGS__, NULL})

static void sentences(void **state)
{
    (void)state;
    const spk_spelling shell = SPK_SPELLING_COMMAND, python = SPK_SPELLING_PYTHON;
    SAYS("count", shell, "--figure-top needs --figure FILE; add it, or leave out --figure-top",
         "figure-top", "3", "N|none", "figure", NULL, "FILE");
    SAYS("count", shell, "", "figure-top", "3", "N|none", "figure", "x.png", "FILE");
    SAYS("sequences", shell,
         "--history needs --null pattern-jitter or --null shift: the others move single spikes, or "
         "all that a unit does; add one of them, or leave out --history",
         "history", "5ms", "TIME", "null", NULL, "NAME");
    SAYS("sequences", python,
         "history needs null='pattern-jitter' or null='shift': the others move single spikes, or "
         "all that a unit does; add one of them, or leave out history",
         "history", "5ms", "", "null", "trials", "");
    SAYS("episodes", python,
         "peel cannot go with top: peel lists each finding once; leave out one of them; peel_max N "
         "ends after N findings",
         "peel", "", "", "top", "3", "", "test", "exact", "");
    SAYS("watch", shell,
         "there is no --episodes and no --patterns; give --episodes FILE with an episode on each "
         "line, such as 56 (5ms,10ms] 49, or --patterns FILE",
         "episodes", NULL, "FILE", "patterns", NULL, "FILE");
    SAYS("surrogates", shell, "", "method", "pattern_jitter", "", "history", "5ms", "", "output",
         "x", "");
    SAYS("no such operation", shell, "", "peel", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(terms_are_options),
        cmocka_unit_test(options_are_described_once),
        cmocka_unit_test(options_are_whole),
        cmocka_unit_test(sentences),
    };
    return cmocka_run_group_tests_name("operation", tests, context_setup, context_teardown);
}
