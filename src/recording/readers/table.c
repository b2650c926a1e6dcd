/* Tables of any number of columns, one row an event. */
#include "recording/readers/text_look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/readers/reader.h"

typedef struct table {
    char separator; /* 0: not known yet */
    size_t n_columns;
    spk_table_columns columns;
    char unit_name[64]; /* in the header; that of the times is in the reader */
} table;

/* ---- the first rows -------------------------------------------------------------------------- */

/* What is known of a row before its cells are kept. */
typedef struct outline {
    size_t n_cells;
    bool words;      /* no cell is a number */
    bool ends_empty; /* the last cell is empty */
    bool names_row;  /* the first cell may be the name of a row: "1", or in quotes */
    const char *problem;
} outline;

static outline outline_of(const char *text, const char *end, char separator)
{
    spk_field cell;
    outline o = {.words = true};
    spk_cells cells = spk_cells_begin(text, end, separator);
    for (; spk_cells_next(&cells, &cell); o.n_cells++) {
        spk_text_time time;
        o.words &= spk_text_time_parse(cell.text, cell.length, &time) == SPK_TEXT_TIME_NOT_A_NUMBER;
        o.ends_empty = cell.length == 0;
        if (o.n_cells == 0)
            o.names_row = cell.quoted || (cell.length == 1 && cell.text[0] == '1');
    }
    o.problem = cells.problem;
    return o;
}

static spk_status fail_cells(spk_text_reader *reader, uint64_t line, const char *problem)
{
    return spk_fail(reader->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s", reader->name, line,
                    problem);
}

static spk_status fail_count(spk_text_reader *reader, size_t n, size_t n_columns)
{
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": %zu column%s where the rows before have %zu; correct the row, "
                    "or pass --input-format lines where a row holds the times of a unit",
                    reader->name, reader->line, n, n == 1 ? "" : "s", n_columns);
}

/* Cuts rows of n columns into `cells`; ends with the first row that is not like that. */
static size_t cut_rows(const char *text, const char *end, char separator, size_t n, size_t n_most,
                       spk_field *cells)
{
    const char *row;
    const char *stop;
    size_t n_rows = 0;
    while (n_rows < n_most && spk_row_next(&text, end, separator, true, &row, &stop)) {
        spk_cells walk = spk_cells_begin(row, stop, separator);
        size_t k = 0;
        while (k < n && spk_cells_next(&walk, &cells[n_rows * n + k]))
            k++;
        if (k < n || walk.more || walk.problem != NULL)
            break;
        n_rows++;
    }
    return n_rows;
}

static void keep_name(char name[64], const spk_field *field)
{
    size_t length = field->length < 63 ? field->length : 63;
    memcpy(name, field->text, length);
    name[length] = '\0';
}

static spk_status take_columns(spk_text_reader *reader, const spk_table_head *head, uint64_t line)
{
    table *t = reader->own;
    spk_status status = spk_table_choose(reader, head, line, &t->columns);
    reader->columns = SPK_COLUMNS_TIME_UNIT;
    t->n_columns = head->n_columns;
    if (status != SPK_OK || head->names == NULL)
        return status;
    reader->header_line = line;
    keep_name(reader->header_name[0], &head->names[t->columns.time]);
    keep_name(t->unit_name, &head->names[t->columns.unit]);
    return spk_text_take_unit(reader);
}

/* The first two rows, and where the others begin. */
typedef struct beginning {
    const char *row[2];
    const char *stop[2];
    outline is[2];
    const char *second; /* behind the first row */
    bool short_names;   /* the first row lacks a name: R gives none to the names of rows */
} beginning;

static beginning look_at_rows(const char *text, const char *end, char separator)
{
    beginning b = {.second = text};
    const char *at = text;
    for (size_t k = 0; k < 2 && spk_row_next(&at, end, separator, true, &b.row[k], &b.stop[k]);
         k++) {
        b.is[k] = outline_of(b.row[k], b.stop[k], separator);
        b.second = k == 0 ? at : b.second;
    }
    b.short_names = b.is[0].words && b.is[1].n_cells == b.is[0].n_cells + 1 &&
                    (b.is[1].names_row || b.is[1].ends_empty);
    return b;
}

/* Looks at the rows [text, end), whose first one is the first of the table. */
static spk_status start(spk_text_reader *reader, const char *text, const char *end)
{
    table *t = reader->own;
    beginning b = look_at_rows(text, end, t->separator);
    size_t n_names = b.is[0].n_cells;
    if (b.is[0].problem != NULL || n_names == 0)
        return fail_cells(reader, reader->line + 1,
                          b.is[0].problem != NULL ? b.is[0].problem : "there is no row");
    size_t n = n_names + b.short_names;
    size_t most = 100000 / n < SPK_TABLE_ROWS ? 100000 / n + 2 : SPK_TABLE_ROWS;
    spk_field *cells = NULL;
    spk_table_head head = {.n_columns = n, .separator = t->separator};
    spk_status status = spk_alloc_zero(reader->context, &cells, (most + 1) * n, "the first rows");
    if (status != SPK_OK)
        return status;
    size_t front = b.short_names && !b.is[1].ends_empty;
    cells[0].text = cells[n - 1].text = "";
    (void)cut_rows(b.row[0], b.stop[0] + 1, t->separator, n_names, 1, cells + front);
    size_t n_rows = cut_rows(b.second, end, t->separator, n, most, cells + n);
    bool header = b.short_names || spk_is_header(cells, n_rows > 0 ? cells + n : NULL, n);
    head.names = header ? cells : NULL;
    head.cells = header ? cells + n : cells;
    head.n_rows = header ? n_rows : n_rows + 1;
    status = take_columns(reader, &head, reader->line + 1);
    reader->started = status == SPK_OK;
    free(cells);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static spk_status fail_empty(spk_text_reader *reader, const char *what)
{
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": the %s is empty; fill it in or remove the row", reader->name,
                    reader->line, what);
}

static spk_status read_row(spk_text_reader *reader, const char *text, const char *end)
{
    const table *t = reader->own;
    spk_field cell;
    spk_field time = {.text = ""};
    spk_field unit = {.text = ""};
    size_t n = 0;
    spk_cells cells = spk_cells_begin(text, end, t->separator);
    for (; spk_cells_next(&cells, &cell); n++) {
        if (n == t->columns.time)
            time = cell;
        if (n == t->columns.unit)
            unit = cell;
    }
    if (cells.problem != NULL)
        return fail_cells(reader, reader->line, cells.problem);
    if (n != t->n_columns)
        return fail_count(reader, n, t->n_columns);
    if (time.length == 0)
        return fail_empty(reader, "time");
    if (unit.length == 0)
        return fail_empty(reader, "unit");
    return spk_text_event(reader, &time, &unit);
}

/* A row that is not complete is a quote without an end, unless more bytes follow. */
static spk_status check_rest(spk_text_reader *reader, const char *text, const char *end)
{
    bool stuck = reader->at_end || end - text >= SPK_TEXT_BUFFER;
    if (text == end || !stuck || memchr(text, '\n', (size_t)(end - text)) == NULL)
        return SPK_OK;
    return fail_cells(reader, reader->line + 1,
                      "a double quote is not closed; close it, or write \"\" for a quote");
}

static spk_status take_rows(spk_text_reader *reader, const char *text, const char *end,
                            const char **rest)
{
    table *t = reader->own;
    spk_status status = SPK_OK;
    if (t->separator == 0)
        t->separator = spk_text_look_at(text, (size_t)(end - text), reader->at_end).separator;
    while (text < end && status == SPK_OK) {
        uint64_t n_lines = 1;
        bool empty = spk_row_is_empty(text, end);
        const char *stop = empty ? memchr(text, '\n', (size_t)(end - text))
                                 : spk_row_end(text, end, t->separator, &n_lines);
        if (stop == NULL)
            break;
        if (!empty && !reader->started)
            status = start(reader, text, end);
        else if (empty && !reader->started)
            status = spk_text_take_comment(reader, text, stop);
        reader->line++;
        if (status == SPK_OK && !empty && reader->line != reader->header_line)
            status = read_row(reader, text, stop);
        reader->line += n_lines - 1;
        text = stop + 1;
    }
    *rest = text;
    return status == SPK_OK ? check_rest(reader, text, end) : status;
}

static void tell_columns(const spk_text_reader *reader)
{
    const table *t = reader->own;
    if (t->columns.by_content)
        spk_note(reader->context,
                 "%s: columns guessed from the content: times are column %zu, units column %zu",
                 reader->name, t->columns.time + 1, t->columns.unit + 1);
    else if (t->columns.by_name && reader->header_line > 0)
        spk_note(reader->context,
                 "%s: times are taken from the column '%s', units from the column '%s'",
                 reader->name, reader->header_name[0], t->unit_name);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static const spk_text_way rows = {
    .take = take_rows,
    .wanted = "give a table with a row for each event",
    .swapped = "are these the right columns? pass --time-column and --unit-column",
    .tell = tell_columns,
};

static spk_match recognise(const spk_probe *probe)
{
    switch (spk_text_look_probe(probe).form) {
    case SPK_FORM_TABLE:
        return SPK_MATCH_SURE;
    case SPK_FORM_TWO: /* which is a table where its columns are asked for */
    case SPK_FORM_UNCLEAR:
        return SPK_MATCH_POSSIBLE;
    default:
        return SPK_MATCH_NO;
    }
}

static spk_status read_table(spk_context *context, const spk_probe *probe, spk_input *input,
                             const spk_read_options *options, spk_recording **out)
{
    table t = {.separator = 0};
    *out = NULL;
    spk_status status = spk_text_check_input(context, probe);
    return status == SPK_OK ? spk_text_read(context, input, options, &rows, &t, out) : status;
}

const spk_reader spk_reader_table = {
    .name = "table",
    .summary = "columns of any number, one row an event: CSV, TSV, exports of pandas and R",
    .endings = ".csv .tsv .txt",
    .options = "time_unit time_column unit_column",
    .recognise = recognise,
    .read = read_table,
};
