/* Rows and cells of a table in text. */
#include "recording/readers/text_look.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Blanks around a cell; a tab that separates is none of them. */
static bool is_padding(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

static const char *skip_padding(const char *at, const char *end, char separator)
{
    while (at < end && is_padding(*at, separator))
        at++;
    return at;
}

spk_cells spk_cells_begin(const char *text, const char *end, char separator)
{
    if (end > text && end[-1] == '\r')
        end--;
    spk_cells cells = {.at = text, .end = end, .separator = separator, .more = true};
    if (separator == ' ') {
        cells.at = skip_padding(text, end, separator);
        cells.more = cells.at < end;
    }
    return cells;
}

static bool separates(char c, char separator)
{
    return c == separator || (separator == ' ' && c == '\t');
}

static bool fail(spk_cells *cells, const char *problem)
{
    cells->problem = problem;
    cells->more = false;
    return false;
}

/* What follows a cell: the end, or a separator. */
static bool step(spk_cells *cells, const char *at)
{
    const char *next = skip_padding(at, cells->end, cells->separator);
    if (next == cells->end) {
        cells->more = false;
        cells->at = next;
        return true;
    }
    if (cells->separator == ' ' && next > at) {
        cells->at = next;
        return true;
    }
    if (!separates(*next, cells->separator))
        return fail(cells, "text follows a closing quote; write \"\" for a quote in a label");
    cells->at = next + 1;
    return true;
}

bool spk_cells_next(spk_cells *cells, spk_field *cell)
{
    if (!cells->more)
        return false;
    const char *at = skip_padding(cells->at, cells->end, cells->separator);
    if (at < cells->end && *at == '"') {
        at = spk_field_take_quoted(at + 1, cells->end, cell);
        return at != NULL ? step(cells, at)
                          : fail(cells, "a double quote is not closed; close it, or write \"\" "
                                        "for a quote");
    }
    *cell = (spk_field){.text = at};
    while (at < cells->end && !separates(*at, cells->separator)) {
        if (spk_byte_class_of(*at) == SPK_BYTE_CONTROL)
            return fail(cells, spk_control_problem(*at));
        at++;
    }
    const char *stop = at;
    while (stop > cell->text && is_padding(stop[-1], cells->separator))
        stop--;
    cell->length = (size_t)(stop - cell->text);
    return step(cells, at);
}

bool spk_row_is_empty(const char *text, const char *end)
{
    while (text < end && is_blank(*text))
        text++;
    return text == end || *text == '\n' || *text == '#' ||
           (*text == '\r' && (text + 1 == end || text[1] == '\n'));
}

/* The slow way: the row has quotes in it. */
static const char *quoted_row_end(const char *at, const char *end, char separator,
                                  uint64_t *n_lines)
{
    bool first = true; /* of a cell: only there a quote opens */
    *n_lines = 1;
    while (at < end && *at != '\n') {
        if (first && *at == '"') {
            spk_field cell;
            const char *next = spk_field_take_quoted(at + 1, end, &cell);
            if (next == NULL)
                return NULL;
            for (; at < next; at++)
                *n_lines += *at == '\n';
            first = false;
            continue;
        }
        first = separates(*at, separator) || (first && is_padding(*at, separator));
        at++;
    }
    return at < end ? at : NULL;
}

const char *spk_row_end(const char *text, const char *end, char separator, uint64_t *n_lines)
{
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    *n_lines = 1;
    if (stop == NULL || memchr(text, '"', (size_t)(stop - text)) == NULL)
        return stop;
    return quoted_row_end(text, end, separator, n_lines);
}

bool spk_row_next(const char **text, const char *end, char separator, bool whole, const char **row,
                  const char **stop)
{
    while (*text < end) {
        uint64_t n_lines = 0;
        bool empty = spk_row_is_empty(*text, end);
        *row = *text;
        *stop = empty ? memchr(*text, '\n', (size_t)(end - *text))
                      : spk_row_end(*text, end, separator, &n_lines);
        if (*stop == NULL && whole)
            return false;
        *stop = *stop != NULL ? *stop : end;
        *text = *stop + (*stop < end);
        if (!empty)
            return true;
    }
    return false;
}
