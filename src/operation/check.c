/* Whether options go together, and the sentence where they do not. */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/options.h"
#include "spikemine/operation.h"

SPK_OPTIONS_INIT(spk_option_uses, .spelling = SPK_SPELLING_COMMAND);

/* ---- terms ----------------------------------------------------------------------------------- */

/* One of "peel|test=exact": its name, and the value behind '='; n_value 0 for none. */
typedef struct term {
    const char *name;
    const char *value;
    size_t n_name;
    size_t n_value;
} term;

/* The term at *at, and moves there to the next one. False: there is none left. */
static bool next_term(const char **at, term *out)
{
    if (*at == NULL || **at == '\0')
        return false;
    const size_t length = strcspn(*at, "|");
    out->name = *at;
    out->n_name = strcspn(*at, "=|");
    out->n_value = out->n_name < length ? length - out->n_name - 1 : 0;
    out->value = out->name + length - out->n_value;
    *at += length + ((*at)[length] == '|');
    return true;
}

/* '_' stands for '-', in names and in names of methods alike. */
static bool same_text(const char *text, const char *other, size_t n)
{
    size_t k = 0;
    while (k < n && (text[k] == other[k] || (text[k] == '_' && other[k] == '-')))
        k++;
    return k == n && text[k] == '\0';
}

/* Its number among the options; uses->n where there is none. */
static size_t find(const spk_option_uses *uses, const term *t)
{
    size_t k = 0;
    while (k < uses->n && !same_text(uses->name[k], t->name, t->n_name))
        k++;
    return k;
}

/* Whether the term was given; with `in_effect` a value may be there by default, too. */
static bool holds(const spk_option_uses *uses, const term *t, bool in_effect)
{
    const size_t k = find(uses, t);
    if (k == uses->n)
        return false;
    const char *value = uses->value[k];
    if (t->n_value == 0)
        return value != NULL;
    if (value == NULL && in_effect && uses->fallback != NULL)
        value = uses->fallback[k];
    return value != NULL && same_text(value, t->value, t->n_value);
}

/* The first of the terms that holds. */
static bool find_holding(const spk_option_uses *uses, const char *terms, bool in_effect, term *out)
{
    while (next_term(&terms, out))
        if (holds(uses, out, in_effect))
            return true;
    return false;
}

/* Whether the front end has any of them. */
static bool knows_any(const spk_option_uses *uses, const char *terms)
{
    for (term t; next_term(&terms, &t);)
        if (find(uses, &t) < uses->n)
            return true;
    return false;
}

/* ---- the sentence ---------------------------------------------------------------------------- */

typedef struct sentence {
    const spk_option_uses *uses;
    char text[1024];
    size_t n;
} sentence;

static void SPK_PRINTF(2, 3) say(sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(s->text + s->n, sizeof s->text - s->n, format, arguments);
    va_end(arguments);
    s->n += n > 0 ? (size_t)n : 0;
    if (s->n >= sizeof s->text)
        s->n = sizeof s->text - 1;
}

static void say_name(sentence *s, const char *name, size_t n)
{
    const bool python = s->uses->spelling == SPK_SPELLING_PYTHON;
    say(s, "%s", python ? "" : "--");
    for (size_t k = 0; k < n; k++)
        say(s, "%c", python && name[k] == '-' ? '_' : name[k]);
}

/* A text by hand, in which options are written --name. */
static void say_prose(sentence *s, const char *text)
{
    for (const char *dashes; (dashes = strstr(text, "--")) != NULL;) {
        const char *name = dashes + 2;
        size_t n = 0;
        while (islower((unsigned char)name[n]) || name[n] == '-')
            n++;
        say(s, "%.*s", (int)(dashes - text), text);
        say_name(s, name, n);
        text = name + n;
    }
    say(s, "%s", text);
}

/* What is true of the input has words of its own. */
static const char *words_of_fact(const term *t)
{
    static const char *const facts[][2] = {{"ranks", "ranks"},
                                           {"input:stdin", "standard input"},
                                           {"input:stream", "a stream"},
                                           {"input:several", "several recordings"},
                                           {"jitter:several", "several windows of --jitter"}};
    for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++)
        if (strlen(facts[k][0]) == t->n_name && memcmp(facts[k][0], t->name, t->n_name) == 0)
            return facts[k][1];
    return NULL;
}

/* "--test exact"; with `argument` also "--surrogates N". */
static void say_term(sentence *s, const term *t, bool argument)
{
    const spk_option_uses *uses = s->uses;
    const char *words = words_of_fact(t), *placeholder = NULL;
    if (words != NULL) {
        say_prose(s, words);
        return;
    }
    say_name(s, t->name, t->n_name);
    if (argument && uses->argument != NULL)
        placeholder = uses->argument[find(uses, t)];
    if (t->n_value > 0)
        say(s, uses->spelling == SPK_SPELLING_PYTHON ? "='%.*s'" : " %.*s", (int)t->n_value,
            t->value);
    else if (placeholder != NULL && placeholder[0] != '\0')
        say(s, " %s", placeholder);
}

/* Those that the front end has, as "--test exact, --surrogates N or --maxima FILE"; returns their
 * number. */
static size_t say_terms(sentence *s, const char *terms)
{
    size_t n = 0;
    term ahead = {.name = NULL};
    for (term t; next_term(&terms, &t);) {
        if (find(s->uses, &t) == s->uses->n)
            continue;
        if (n++ > 0) {
            say_term(s, &ahead, true);
            say(s, "%s", knows_any(s->uses, terms) ? ", " : " or ");
        }
        ahead = t;
    }
    say_term(s, &ahead, true);
    return n;
}

static void say_why(sentence *s, const spk_rule *rule)
{
    if (rule->why != NULL) {
        say(s, ": ");
        say_prose(s, rule->why);
    }
    say(s, "; ");
    if (rule->remedy != NULL)
        say_prose(s, rule->remedy);
}

static void say_required(sentence *s, const spk_rule *rule)
{
    const char *terms = rule->terms;
    say(s, "there is ");
    for (term t; next_term(&terms, &t);) {
        if (t.n_value > 0 || find(s->uses, &t) == s->uses->n)
            continue;
        say(s, "%s", t.name == rule->terms ? "no " : " and no ");
        say_term(s, &t, false);
    }
    say_why(s, rule);
}

static void say_needs(sentence *s, const spk_rule *rule, const term *subject)
{
    say_term(s, subject, false);
    say(s, " needs ");
    const size_t n = say_terms(s, rule->others);
    say_why(s, rule);
    if (rule->remedy != NULL)
        return;
    say(s, "add %s, or leave out ", n > 1 ? "one of them" : "it");
    say_name(s, subject->name, subject->n_name);
}

static void say_excludes(sentence *s, const spk_rule *rule, const term *subject, const term *other)
{
    say_term(s, subject, false);
    say(s, " cannot go with ");
    say_term(s, other, false);
    say_why(s, rule);
    if (rule->remedy == NULL)
        say(s, "leave out one of them");
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Whether the options break the rule; then the sentence says how. */
static bool breaks(const spk_rule *rule, sentence *s)
{
    const spk_option_uses *uses = s->uses;
    term subject, other;
    if (find_holding(uses, rule->unless, true, &other))
        return false;
    if (rule->verb == SPK_RULE_REQUIRED) {
        if (!knows_any(uses, rule->terms) || find_holding(uses, rule->terms, true, &subject))
            return false;
        say_required(s, rule);
        return true;
    }
    if (!find_holding(uses, rule->terms, false, &subject))
        return false;
    if (rule->verb == SPK_RULE_NEEDS) {
        if (!knows_any(uses, rule->others) || find_holding(uses, rule->others, true, &other))
            return false;
        say_needs(s, rule, &subject);
        return true;
    }
    if (!find_holding(uses, rule->others, false, &other))
        return false;
    say_excludes(s, rule, &subject, &other);
    return true;
}

spk_status spk_operation_check(spk_context *context, const char *operation,
                               const spk_option_uses *uses)
{
    spk_option_uses own;
    spk_status status = SPK_OPTIONS_TAKE(context, uses, &own, spk_option_uses);
    sentence s = {.uses = &own};
    if (status != SPK_OK)
        return status;
    const spk_rule *rule;
    for (size_t k = 0; (rule = spk_operation_rule(operation, k)) != NULL; k++)
        if (breaks(rule, &s))
            return spk_fail(context, SPK_ERR_ARGUMENT, "%s", s.text);
    return SPK_OK;
}
