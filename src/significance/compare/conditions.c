/* The conditions of trials: two labels, from the caller or from a file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
#include "base/reads.h"
#include "significance/compare/compare.h"

struct spk_conditions {
    spk_condition_columns columns;
    uint8_t *condition;
    char *label[2];
};

void spk_conditions_free(spk_conditions *conditions)
{
    if (conditions == NULL)
        return;
    spk_free_all(conditions->condition, conditions->label[0], conditions->label[1], conditions);
}

spk_condition_columns spk_conditions_columns(const spk_conditions *conditions)
{
    return conditions->columns;
}

/* ---- from labels ----------------------------------------------------------------------------- */

/* Trials without a condition so far. */
enum { NO_CONDITION = 2 };

static spk_status conditions_start(spk_context *context, size_t n_trials, spk_conditions **out)
{
    spk_conditions *c = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &c, 1, "conditions");
    if (status == SPK_OK)
        status = spk_alloc(context, &c->condition, n_trials, "conditions");
    if (status != SPK_OK) {
        spk_conditions_free(c);
        return status;
    }
    memset(c->condition, NO_CONDITION, n_trials);
    c->columns.n_trials = n_trials;
    *out = c;
    return SPK_OK;
}

/* Gives trial t its label, the first two of which are kept; SPK_ERR_RANGE without a message for a
 * third one. */
static spk_status give_label(spk_context *context, spk_conditions *c, size_t t, const char *label)
{
    for (uint8_t g = 0; g < 2; g++) {
        spk_status status = c->label[g] == NULL ? spk_strdup(context, &c->label[g], label) : SPK_OK;
        if (status != SPK_OK)
            return status;
        if (strcmp(c->label[g], label) != 0)
            continue;
        c->condition[t] = g;
        return SPK_OK;
    }
    return SPK_ERR_RANGE;
}

/* Numbers the labels in natural order and fills the columns; there are two labels. */
static void conditions_end(spk_conditions *c)
{
    const bool swap = spk_natural_compare(c->label[0], c->label[1]) > 0;
    for (size_t t = 0; t < c->columns.n_trials; t++) {
        c->condition[t] = swap ? !c->condition[t] : c->condition[t];
        c->columns.trials[c->condition[t]]++;
    }
    if (swap) {
        char *first = c->label[0];
        c->label[0] = c->label[1];
        c->label[1] = first;
    }
    c->columns.condition = c->condition;
    c->columns.label[0] = c->label[0];
    c->columns.label[1] = c->label[1];
}

spk_status spk_conditions_create(spk_context *context, size_t n_trials, const char *const *labels,
                                 spk_conditions **out)
{
    spk_status status = conditions_start(context, n_trials, out);
    for (size_t t = 0; t < n_trials && status == SPK_OK; t++) {
        status = give_label(context, *out, t, labels[t]);
        if (status == SPK_ERR_RANGE)
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "trial %zu has a third label, '%s', after '%s' and '%s'; a "
                              "comparison has two",
                              t + 1, labels[t], (*out)->label[0], (*out)->label[1]);
    }
    if (status == SPK_OK && (n_trials == 0 || (*out)->label[1] == NULL))
        status =
            spk_fail(context, SPK_ERR_ARGUMENT, "all trials have one label; a comparison has two");
    if (status == SPK_OK) {
        conditions_end(*out);
        return SPK_OK;
    }
    spk_conditions_free(*out);
    *out = NULL;
    return status;
}

/* ---- from a file ----------------------------------------------------------------------------- */

enum { MAX_LINE = 4096 };

typedef struct reading {
    spk_context *context;
    const char *path;
    FILE *file;
    uint64_t line;
    char text[MAX_LINE];
    size_t n_columns; /* 0: no line yet */
    size_t n_read;    /* labels */
    spk_conditions *conditions;
} reading;

/* The next line without its end and its comment; false at the end of the file and after a failure.
 */
static bool read_line(reading *r, spk_status *status)
{
    size_t n = 0;
    int c = getc(r->file);
    r->line++;
    for (; c != EOF && c != '\n'; c = getc(r->file)) {
        const char *problem = c == '\0'           ? "a NUL byte in the line; give a text file"
                              : n + 1 == MAX_LINE ? "the line is too long; it is one label"
                                                  : NULL;
        if (problem != NULL) {
            *status = spk_fail(r->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s", r->path, r->line,
                               problem);
            return false;
        }
        r->text[n++] = (char)c;
    }
    r->text[n] = '\0';
    if (c == EOF && ferror(r->file) != 0) {
        *status = spk_fail(r->context, SPK_ERR_IO, "%s: reading the labels failed: %s", r->path,
                           strerror(errno));
        return false;
    }
    r->text[strcspn(r->text, "#")] = '\0';
    return c != EOF || n > 0;
}

/* The trial of a line with two columns: its number from 1. */
static spk_status take_trial(const reading *r, const char *word, size_t *trial)
{
    const size_t n_trials = r->conditions->columns.n_trials;
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(word, &end, 10);
    if (*end != '\0' || *word < '0' || *word > '9' || errno != 0 || number < 1 || number > n_trials)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64
                        ": '%.40s' is no trial; a line is the number of a trial, 1 to %zu, "
                        "and its label",
                        r->path, r->line, word, n_trials);
    *trial = (size_t)number - 1;
    if (r->conditions->condition[*trial] != NO_CONDITION)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": trial %llu has a label already; give one a trial", r->path,
                        r->line, number);
    return SPK_OK;
}

static spk_status take_label(reading *r, size_t trial, const char *label)
{
    spk_conditions *c = r->conditions;
    if (trial >= c->columns.n_trials)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": label %zu, but there are %zu trials; give one a trial",
                        r->path, r->line, trial + 1, c->columns.n_trials);
    spk_status status = give_label(r->context, c, trial, label);
    if (status == SPK_ERR_RANGE)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64
                        ": '%.40s' is a third label, after '%.40s' and '%.40s'; a comparison has "
                        "two: leave out the trials of the others with --trials",
                        r->path, r->line, label, c->label[0], c->label[1]);
    r->n_read += status == SPK_OK;
    return status;
}

/* A line, which may be empty. */
static spk_status take_line(reading *r)
{
    static const char blanks[] = " \t\r,;";
    char *rest = NULL;
    const char *word[3] = {strtok_r(r->text, blanks, &rest), NULL, NULL};
    for (int k = 1; k < 3 && word[k - 1] != NULL; k++)
        word[k] = strtok_r(NULL, blanks, &rest);
    if (word[0] == NULL)
        return SPK_OK;
    const size_t n_columns = word[1] != NULL ? 2 : 1;
    if (word[2] != NULL || (r->n_columns > 0 && n_columns != r->n_columns))
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": %s; every line is a label, or every line is the number of "
                        "a trial and its label",
                        r->path, r->line,
                        word[2] != NULL ? "more than two columns" : "another number of columns");
    const bool head = r->n_columns == 0 && n_columns == 2 && strcmp(word[0], "trial") == 0;
    r->n_columns = n_columns;
    if (head)
        return SPK_OK;
    size_t trial = r->n_read;
    spk_status status = n_columns == 2 ? take_trial(r, word[0], &trial) : SPK_OK;
    return status == SPK_OK ? take_label(r, trial, word[n_columns - 1]) : status;
}

static spk_status check_all(const reading *r)
{
    const spk_conditions *c = r->conditions;
    if (r->n_read < c->columns.n_trials)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s: %zu labels for %zu trials; give one for each, in their order", r->path,
                        r->n_read, c->columns.n_trials);
    if (c->label[1] == NULL)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "%s: all trials have the label '%.40s'; a comparison has two", r->path,
                        c->label[0] != NULL ? c->label[0] : "");
    return SPK_OK;
}

static spk_status read_all(reading *r)
{
    spk_status status = SPK_OK;
    while (status == SPK_OK && read_line(r, &status))
        status = take_line(r);
    return status == SPK_OK ? check_all(r) : status;
}

spk_status spk_conditions_read(spk_context *context, const char *path, size_t n_trials,
                               spk_conditions **out)
{
    reading r = {.context = context, .path = path};
    *out = NULL;
    r.file = fopen(path, "r");
    if (r.file == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot read the labels: %s; check the name", path,
                        strerror(errno));
    spk_status status = spk_reads_add(context, fileno(r.file));
    if (status == SPK_OK)
        status = conditions_start(context, n_trials, &r.conditions);
    if (status == SPK_OK)
        status = read_all(&r);
    fclose(r.file);
    if (status == SPK_OK) {
        conditions_end(r.conditions);
        *out = r.conditions;
        return SPK_OK;
    }
    spk_conditions_free(r.conditions);
    return status;
}
