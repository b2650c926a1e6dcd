/* Parsing and asking tables of clusters. */
#include "recording/readers/sorter_files.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/utf8.h"

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct table_parser {
    spk_context *context;
    const char *path;
    spk_sorter_table *table;
    char separator;
    uint64_t line;
    uint64_t n_cells;
} table_parser;

static spk_status fail(const table_parser *p, const char *why)
{
    return spk_fail(p->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": %s; correct the table, or take it out of the folder", p->path,
                    p->line, why);
}

static spk_status add_cell(table_parser *p, char *cell)
{
    spk_sorter_table *t = p->table;
    spk_status status =
        spk_grow(p->context, &t->cell, &t->cell_capacity, p->n_cells + 1, "a table of clusters");
    if (status == SPK_OK)
        t->cell[p->n_cells++] = cell;
    return status;
}

/* Cuts the line [at, end) into cells, terminated in place; blanks and quotes around them go. */
static spk_status cut(table_parser *p, char *at, char *end, size_t *n)
{
    spk_status status = SPK_OK;
    *n = 0;
    *end = '\0';
    for (bool more = true; more && status == SPK_OK; ++*n) {
        char *stop = at + strcspn(at, (const char[]){p->separator, '\0'}), *last = stop;
        more = *stop != '\0';
        *stop = '\0';
        while (*at == ' ')
            at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '\r'))
            *--last = '\0';
        if (last > at + 1 && *at == '"' && last[-1] == '"') {
            at++;
            *--last = '\0';
        }
        status = add_cell(p, at);
        at = stop + 1;
    }
    return status;
}

/* "7", "7.0" and "007" are one cluster. */
static bool shorten(const char *text, char out[32])
{
    const char *at = text + (*text == '-'), *end = text + strlen(text);
    uint64_t number;
    if (!spk_whole_scan(&at, end, &number) || number > INT64_MAX)
        return false;
    if (*at == '.')
        at += 1 + strspn(at + 1, "0");
    snprintf(out, 32, "%s%" PRIu64, *text == '-' && number > 0 ? "-" : "", number);
    return at == end;
}

static spk_status add_row(table_parser *p)
{
    spk_sorter_table *t = p->table;
    char text[32];
    uint32_t number;
    const char *id = t->cell[(t->n_rows + 1) * t->n_columns + t->id_column];
    if (!shorten(id, text))
        return fail(p, "the cluster is no whole number");
    const uint32_t before = t->ids.n;
    spk_status status = spk_labels_intern(p->context, &t->ids, text, strlen(text), &number);
    if (status == SPK_OK && t->ids.n == before)
        return fail(p, "the cluster stands in the table twice");
    if (status == SPK_OK)
        status = spk_grow(p->context, &t->row, &t->row_capacity, t->ids.n, "a table of clusters");
    if (status == SPK_OK)
        t->row[number] = t->n_rows++;
    return status;
}

static spk_status read_line(table_parser *p, char *at, char *end)
{
    spk_sorter_table *t = p->table;
    size_t n = 0;
    if (at == end || (at + 1 == end && *at == '\r'))
        return SPK_OK;
    if (!spk_utf8_is_text(at, (size_t)(end - at) - (end[-1] == '\r')))
        return fail(p, "the line is no UTF-8 text");
    if (t->n_columns == 0)
        p->separator = memchr(at, '\t', (size_t)(end - at)) != NULL ? '\t' : ',';
    spk_status status = cut(p, at, end, &n);
    if (status != SPK_OK)
        return status;
    if (t->n_columns > 0)
        return n == t->n_columns ? add_row(p) : fail(p, "the row is not as long as the header");
    t->n_columns = n;
    if (!spk_sorter_table_column(t, "cluster_id", &t->id_column) &&
        !spk_sorter_table_column(t, "id", &t->id_column))
        t->id_column = 0;
    return SPK_OK;
}

spk_status spk_sorter_table_parse(spk_context *context, const char *path, const char *name,
                                  const char *text, size_t n, spk_sorter_table *out)
{
    *out = (spk_sorter_table){.name = NULL};
    table_parser p = {.context = context, .path = path, .table = out};
    spk_status status = spk_strdup(context, &out->name, name);
    if (status == SPK_OK)
        status = spk_alloc(context, &out->text, n + 1, "a table of clusters");
    if (status == SPK_OK && n > 0)
        memcpy(out->text, text, n);
    size_t at = status == SPK_OK && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (status == SPK_OK && at < n) {
        char *line = out->text + at, *stop = memchr(line, '\n', n - at);
        stop = stop != NULL ? stop : out->text + n;
        p.line++;
        if (memchr(line, '\0', (size_t)(stop - line)) != NULL)
            status = fail(&p, "a NUL byte: is this text?");
        else
            status = read_line(&p, line, stop);
        at = (size_t)(stop - out->text) + 1;
    }
    if (status == SPK_OK && out->n_columns == 0)
        status = fail(&p, "the table is empty");
    if (status != SPK_OK)
        spk_sorter_table_clear(out);
    return status;
}

void spk_sorter_table_clear(spk_sorter_table *table)
{
    spk_free_all(table->name, table->text, table->cell, table->row);
    spk_labels_clear(&table->ids);
    *table = (spk_sorter_table){.name = NULL};
}

bool spk_sorter_table_column(const spk_sorter_table *table, const char *name, size_t *column)
{
    for (size_t k = 0; k < table->n_columns; k++)
        if (strcasecmp(table->cell[k], name) == 0) {
            *column = k;
            return true;
        }
    return false;
}

const char *spk_sorter_table_cell(const spk_sorter_table *table, const char *cluster, size_t column)
{
    uint32_t number;
    assert(column < table->n_columns);
    if (!spk_labels_find(&table->ids, cluster, strlen(cluster), &number))
        return NULL;
    return table->cell[(table->row[number] + 1) * table->n_columns + column];
}

/* ---- parameters ------------------------------------------------------------------------------ */

static const char VARIABLE[] = "sample_rate";

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Where the number at `at` ends; it is copied without the underscores and the last point that
 * Python allows. NULL: it is too long. */
static const char *copy_number(const char *at, const char *end, char *out, size_t size)
{
    size_t n = 0;
    for (; at < end && (spk_is_digit(*at) || strchr("._eE+-", *at) != NULL) && *at != '\0'; at++) {
        bool point_ends = *at == '.' && (at + 1 == end || !spk_is_digit(at[1]));
        if (*at == '_' || point_ends)
            continue;
        if (n + 1 == size)
            return NULL;
        out[n++] = *at;
    }
    out[n] = '\0';
    return at;
}

/* Reads what stands behind the name: "= NUMBER", a comment, nothing more. */
static bool read_value(const char *at, const char *end, spk_rate *out)
{
    char number[64];
    at = skip_blanks(at, end);
    if (at == end || *at++ != '=')
        return false;
    at = copy_number(skip_blanks(at, end), end, number, sizeof number);
    if (at == NULL || spk_rate_parse(NULL, number, strlen(number), out) != SPK_OK)
        return false;
    at = skip_blanks(at, end);
    return at == end || *at == '#' || *at == '\r';
}

/* Whether the line begins with the name; *after is what follows it. */
static bool names_it(const char *text, const char *end, const char **after)
{
    const size_t n = sizeof VARIABLE - 1;
    const char *at = skip_blanks(text, end);
    if ((size_t)(end - at) < n || memcmp(at, VARIABLE, n) != 0)
        return false;
    *after = at + n;
    at = skip_blanks(*after, end);
    return at < end && strchr("=+-*/%&|^>:,", *at) != NULL;
}

static spk_status fail_line(spk_context *context, const char *name, uint64_t line, const char *text,
                            const char *end, const char *why)
{
    size_t n = (size_t)(end - text) < 60 ? (size_t)(end - text) : 60;
    while (n > 0 && (text[n - 1] == '\r' || !spk_utf8_is_text(text, n)))
        n--;
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": '%.*s' %s, and the file is never run; write sample_rate = "
                    "30000, or pass --time-unit samples@RATE",
                    name, line, (int)n, text, why);
}

spk_status spk_sorter_params_rate(spk_context *context, const char *name, const char *text,
                                  size_t n, spk_rate *out)
{
    const char *at = text, *const end = text + n;
    uint64_t line = 0;
    *out = (spk_rate){0, 1};
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *after;
        spk_rate rate;
        stop = stop != NULL ? stop : end;
        line++;
        if (names_it(at, stop, &after)) {
            if (!read_value(after, stop, &rate))
                return fail_line(context, name, line, at, stop, "is no plain number");
            if (*at == ' ' || *at == '\t')
                return fail_line(context, name, line, at, stop, "is assigned under a condition");
            if (out->numerator > 0 &&
                (out->numerator != rate.numerator || out->denominator != rate.denominator))
                return fail_line(context, name, line, at, stop, "is a second value");
            *out = rate;
        }
        at = stop < end ? stop + 1 : end;
    }
    return SPK_OK;
}
