/*
 * Which columns of a table are times and units. What the user says comes first; then the names of
 * the header, where they leave one column for each; then, of two columns, the content. An index
 * column, as pandas and R write it, is neither.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "recording/readers/text_look.h"
#include "recording/text_line.h"

static const size_t NO_COLUMN = SIZE_MAX;

static int shown(const spk_field *field)
{
    return (int)(field->length < 40 ? field->length : 40);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* "a, b, c": the names, or the cells of the first row, as far as they fit. */
static void list_columns(const spk_table_head *head, char *text, size_t size)
{
    size_t used = 0;
    const spk_field *cells = head->names != NULL ? head->names : head->cells;
    text[0] = '\0';
    for (size_t k = 0; k < head->n_columns; k++) {
        if (k == 12 || used + 64 > size) {
            snprintf(text + used, size - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%zu '%.*s'", k > 0 ? ", " : "", k + 1,
                                 shown(&cells[k]), cells[k].text);
    }
}

static spk_status fail_columns(spk_text_reader *reader, const spk_table_head *head, uint64_t line,
                               const char *what)
{
    char columns[512];
    list_columns(head, columns, sizeof columns);
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": %s; the columns are %s; pass --time-column and --unit-column, "
                    "each a name or a number",
                    reader->name, line, what, columns);
}

/* ---- what the user says ---------------------------------------------------------------------- */

static bool is_named(const spk_field *name, const char *text, size_t length, bool exactly)
{
    return name->length == length && (exactly ? memcmp(name->text, text, length) == 0
                                              : strncasecmp(name->text, text, length) == 0);
}

/* The column of that name; NO_COLUMN: none. *n: how many have it. */
static size_t find_name(const spk_table_head *head, const char *text, size_t length, bool exactly,
                        size_t *n)
{
    size_t found = NO_COLUMN;
    *n = 0;
    for (size_t k = 0; k < head->n_columns && head->names != NULL; k++)
        if (is_named(&head->names[k], text, length, exactly)) {
            found = found == NO_COLUMN ? k : found;
            ++*n;
        }
    return found;
}

static bool find_number(const spk_table_head *head, const char *text, size_t *column)
{
    const char *at = text;
    uint64_t number = 0;
    if (!spk_whole_scan(&at, text + strlen(text), &number) || *at != '\0')
        return false;
    *column = number >= 1 && number <= head->n_columns ? (size_t)number - 1 : NO_COLUMN;
    return true;
}

/* A number, or a name; a name that is a number stands in double quotes. */
static spk_status find_asked(spk_text_reader *reader, const spk_table_head *head,
                             const char *option, const char *text, size_t *column)
{
    char columns[512];
    size_t length = strlen(text);
    size_t n = 1;
    bool quoted = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    *column = NO_COLUMN;
    if (quoted || !find_number(head, text, column)) {
        const char *name = text + quoted;
        size_t name_length = length - 2 * (size_t)quoted;
        *column = find_name(head, name, name_length, true, &n);
        if (n == 0)
            *column = find_name(head, name, name_length, false, &n);
    }
    list_columns(head, columns, sizeof columns);
    if (n > 1)
        return spk_fail(reader->context, SPK_ERR_ARGUMENT,
                        "%s: %zu columns are called '%s'; give the number of one with %s; the "
                        "columns are %s",
                        reader->name, n, text, option, columns);
    if (*column != NO_COLUMN)
        return SPK_OK;
    return spk_fail(reader->context, SPK_ERR_ARGUMENT, "%s: there is no column '%s'; the %s are %s",
                    reader->name, text,
                    head->names != NULL ? "columns" : "table has no header; its columns", columns);
}

/* ---- what the names say ---------------------------------------------------------------------- */

/* Whether the cells count up, as those of an index do. */
static bool counts_up(const spk_table_head *head, size_t column)
{
    uint64_t before = 0;
    for (size_t i = 0; i < head->n_rows; i++) {
        const spk_field *cell = &head->cells[i * head->n_columns + column];
        const char *at = cell->text;
        uint64_t value = 0;
        if (!spk_whole_scan(&at, cell->text + cell->length, &value) ||
            at != cell->text + cell->length || (i > 0 && value <= before))
            return false;
        before = value;
    }
    return head->n_rows > 0;
}

/* The index that pandas and R put before the columns: it has no name. */
static bool has_index(const spk_table_head *head)
{
    static const char unnamed[] = "Unnamed: 0";
    if (head->names == NULL || head->n_columns < 3)
        return false;
    const spk_field *name = &head->names[0];
    return (name->length == 0 || is_named(name, unnamed, strlen(unnamed), true)) &&
           counts_up(head, 0);
}

/* The columns of a kind: those whose names are sure, else those whose names are near. */
typedef struct candidates {
    size_t n;
    size_t first;
    size_t second;
} candidates;

static candidates find_candidates(const spk_table_head *head, spk_named_column kind, size_t except)
{
    candidates c = {.n = 0};
    for (size_t k = 0; k < head->n_columns && head->names != NULL; k++) {
        if (k == except || spk_column_of_name(&head->names[k]) != kind)
            continue;
        if (c.n < 2)
            *(c.n == 0 ? &c.first : &c.second) = k;
        c.n++;
    }
    return c;
}

static spk_status fail_ambiguous(spk_text_reader *reader, const spk_table_head *head, uint64_t line,
                                 const candidates *c, bool time)
{
    const spk_field *a = &head->names[c->first];
    const spk_field *b = &head->names[c->second];
    const char *option = time ? "--time-column" : "--unit-column";
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": columns '%.*s' and '%.*s' may both be the %s; pass %s '%.*s', "
                    "or %s '%.*s'",
                    reader->name, line, shown(a), a->text, shown(b), b->text,
                    time ? "times" : "units", option, shown(a), a->text, option, shown(b), b->text);
}

/* *column stays NO_COLUMN where the names do not tell. `except`: a column that is taken. */
static spk_status find_named(spk_text_reader *reader, const spk_table_head *head, uint64_t line,
                             bool time, size_t except, size_t *column)
{
    candidates c = find_candidates(head, time ? SPK_NAMED_TIME : SPK_NAMED_UNIT, except);
    if (c.n == 0)
        c = find_candidates(head, time ? SPK_NAMED_NEAR_TIME : SPK_NAMED_NEAR_UNIT, except);
    if (c.n > 1)
        return fail_ambiguous(reader, head, line, &c, time);
    if (c.n == 1)
        *column = c.first;
    return SPK_OK;
}

/* ---- what the content says ------------------------------------------------------------------- */

static bool is_decimal_comma(const spk_field *cell)
{
    size_t k = 0;
    size_t commas = 0;
    for (; k < cell->length && (spk_is_digit(cell->text[k]) || cell->text[k] == ','); k++)
        commas += cell->text[k] == ',';
    return k == cell->length && commas == 1 && spk_is_digit(cell->text[0]) &&
           spk_is_digit(cell->text[k - 1]);
}

static spk_status check_commas(spk_text_reader *reader, const spk_table_head *head, uint64_t line)
{
    for (size_t k = 0; k < head->n_columns && head->n_rows > 0; k++)
        if (head->separator != ',' && is_decimal_comma(&head->cells[k]))
            return spk_fail(reader->context, SPK_ERR_FORMAT,
                            "%s:%" PRIu64 ": '%.*s': are these decimal commas? write points, for "
                            "example with tr , .",
                            reader->name, line + (head->names != NULL), shown(&head->cells[k]),
                            head->cells[k].text);
    return SPK_OK;
}

/* Of two columns: those that are no index. */
static bool two_columns(const spk_table_head *head, size_t two[2])
{
    size_t first = has_index(head) ? 1 : 0;
    two[0] = first;
    two[1] = first + 1;
    return head->n_columns - first == 2;
}

static spk_status guess_content(spk_text_reader *reader, const spk_table_head *head,
                                const size_t two[2], spk_table_columns *out)
{
    spk_field(*fields)[2] = NULL;
    spk_status status = spk_alloc(reader->context, &fields, head->n_rows, "the first rows");
    if (status != SPK_OK)
        return status;
    for (size_t i = 0; i < head->n_rows; i++)
        for (size_t k = 0; k < 2; k++)
            fields[i][k] = head->cells[i * head->n_columns + two[k]];
    spk_columns found = spk_guess_from_content(head->n_rows, (const spk_field(*)[2])fields,
                                               reader->options->time_unit == SPK_TIME_SAMPLES);
    free(fields);
    if (found == SPK_COLUMNS_GUESS)
        return SPK_OK;
    out->by_content = true;
    out->time = two[found == SPK_COLUMNS_TIME_UNIT ? 0 : 1];
    out->unit = two[found == SPK_COLUMNS_TIME_UNIT ? 1 : 0];
    return SPK_OK;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static spk_status take_asked(spk_text_reader *reader, const spk_table_head *head,
                             spk_table_columns *out)
{
    const spk_read_options *o = reader->options;
    spk_status status = SPK_OK;
    if (o->time_column != NULL)
        status = find_asked(reader, head, "--time-column", o->time_column, &out->time);
    if (status == SPK_OK && o->unit_column != NULL)
        status = find_asked(reader, head, "--unit-column", o->unit_column, &out->unit);
    if (status == SPK_OK && out->time != NO_COLUMN && out->time == out->unit)
        status = spk_fail(reader->context, SPK_ERR_ARGUMENT,
                          "%s: --time-column %s and --unit-column %s are one column; give two",
                          reader->name, o->time_column, o->unit_column);
    return status;
}

static spk_status take_named(spk_text_reader *reader, const spk_table_head *head, uint64_t line,
                             spk_table_columns *out)
{
    spk_status status = SPK_OK;
    bool asked = out->time != NO_COLUMN && out->unit != NO_COLUMN;
    if (out->time == NO_COLUMN)
        status = find_named(reader, head, line, true, out->unit, &out->time);
    if (status == SPK_OK && out->unit == NO_COLUMN)
        status = find_named(reader, head, line, false, out->time, &out->unit);
    out->by_name = !asked;
    return status;
}

/* Where one of two columns is known, the other one is, too. */
static spk_status take_rest(spk_text_reader *reader, const spk_table_head *head,
                            spk_table_columns *out)
{
    size_t two[2];
    if ((out->time != NO_COLUMN && out->unit != NO_COLUMN) || !two_columns(head, two))
        return SPK_OK;
    if (out->time == NO_COLUMN && out->unit == NO_COLUMN)
        return guess_content(reader, head, two, out);
    size_t known = out->time != NO_COLUMN ? out->time : out->unit;
    if (known == two[0] || known == two[1])
        *(out->time != NO_COLUMN ? &out->unit : &out->time) = two[known == two[0] ? 1 : 0];
    return SPK_OK;
}

spk_status spk_table_choose(spk_text_reader *reader, const spk_table_head *head, uint64_t line,
                            spk_table_columns *out)
{
    *out = (spk_table_columns){.time = NO_COLUMN, .unit = NO_COLUMN};
    spk_status status = take_asked(reader, head, out);
    if (status == SPK_OK && (out->time == NO_COLUMN || out->unit == NO_COLUMN))
        status = check_commas(reader, head, line);
    if (status == SPK_OK)
        status = take_named(reader, head, line, out);
    if (status == SPK_OK)
        status = take_rest(reader, head, out);
    if (status != SPK_OK || (out->time != NO_COLUMN && out->unit != NO_COLUMN))
        return status;
    return fail_columns(reader, head, line,
                        out->time == NO_COLUMN ? "no column is known as that of the times"
                                               : "no column is known as that of the units");
}
