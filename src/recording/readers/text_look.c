/*
 * Telling text formats apart by their first lines. Two fields on most lines are two columns, and a
 * colon behind the first field of most lines makes lines of units. Rows with a header, or with
 * words behind their first cell, are a table. Numbers whose number changes from line to line are
 * lines of units. Where rows of numbers ascend, and there are as many in each, only the user knows.
 */
#include "recording/readers/text_look.h"

#include <stdlib.h>
#include <string.h>

#include "recording/text_time.h"

enum { MOST_LINES = 400, MOST_CELLS = 64 };

/* What is known after some lines. */
typedef struct facts {
    size_t n_lines;
    size_t two;        /* lines of two fields, however they are separated */
    bool two_first;    /* the first line is one of them */
    size_t one;        /* lines of one field */
    size_t colon;      /* lines with a label before a colon and a gap */
    size_t tight;      /* lines with a label before a colon and a number */
    bool words;        /* some field behind the first one that is no number, below line 1 */
    bool words_above;  /* the same in line 1 */
    bool ragged;       /* numbers of fields differ, or empty ones end a line */
    bool descends;     /* some fields behind the first one go down */
    bool first_words;  /* some first field that is no number */
    bool first_points; /* some first field that is no whole number */
    bool first_falls;  /* some first field that is above the second one */
    bool first_twice;  /* a first field that is that of the line before */
    bool points;       /* some other field with a point or an exponent */
    size_t n_fields;   /* of the last line */
    spk_field first;   /* of the last line */
    spk_field row[2][MOST_CELLS]; /* the cells of the first two rows */
    size_t n_cells[2];
} facts;

/* ---- fields of lines of units ---------------------------------------------------------------- */

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/* Behind the label and its colon; NULL where there is none. */
static const char *behind_colon(const char *text, const char *end)
{
    const char *at = text;
    if (at < end && *at == '"')
        for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++)
            at += *at == '"'; /* a doubled one */
    for (; at < end; at++)
        if (*at == ':' && at > text && (at + 1 == end || is_gap(at[1])))
            return at + 1;
        else if (*at == ',' || *at == ';')
            return NULL;
    return NULL;
}

/* The next field between blanks, commas and semicolons; false: there is none. */
static bool next_field(const char **at, const char *end, spk_field *field)
{
    while (*at < end && is_gap(**at))
        (*at)++;
    *field = (spk_field){.text = *at};
    bool quoted = *at < end && **at == '"';
    *at += quoted;
    while (*at < end && (quoted ? **at != '"' : !is_gap(**at)))
        (*at)++;
    *at += quoted && *at < end;
    field->length = (size_t)(*at - field->text);
    return field->length > 0;
}

static bool is_tight(const char *text, const char *end)
{
    spk_field field;
    spk_text_time time;
    if (!next_field(&text, end, &field))
        return false;
    const char *colon = memchr(field.text, ':', field.length);
    size_t length = colon != NULL ? field.length - (size_t)(colon + 1 - field.text) : 0;
    return length > 0 && colon > field.text &&
           spk_text_time_parse(colon + 1, length, &time) == SPK_TEXT_TIME_OK;
}

typedef struct number {
    bool is;     /* a number, also one that is not finite */
    bool finite; /* then `value` is near it */
    bool point;
    double value;
} number;

static number number_of(const spk_field *field)
{
    spk_text_time time;
    number n = {.is = true};
    spk_text_time_result result = spk_text_time_parse(field->text, field->length, &time);
    n.is = result != SPK_TEXT_TIME_NOT_A_NUMBER;
    n.finite = result == SPK_TEXT_TIME_OK;
    n.point = n.finite && (time.decimals > 0 || memchr(field->text, 'e', field->length) != NULL ||
                           memchr(field->text, 'E', field->length) != NULL);
    if (n.finite) {
        char text[48] = "";
        size_t length = field->length < sizeof text - 1 ? field->length : sizeof text - 1;
        memcpy(text, field->text, length);
        n.value = strtod(text, NULL); /* good enough to tell formats apart */
    }
    return n;
}

static void add_first(facts *f, const spk_field *field, const number *n)
{
    f->first_words |= !n->is;
    f->first_points |= n->point;
    f->first_twice |= f->n_lines > 0 && f->first.length == field->length &&
                      memcmp(f->first.text, field->text, field->length) == 0;
    f->first = *field;
}

/* The line as one of units: fields behind the first one are times. `cut`: the line goes on. */
static void add_fields(facts *f, const char *text, const char *end, bool cut)
{
    spk_field field;
    size_t n_fields = 0;
    number before = {.finite = false};
    bool comma_ends = end > text && (end[-1] == ',' || end[-1] == ';');
    for (const char *at = text; next_field(&at, end, &field); n_fields++) {
        number n = number_of(&field);
        if (cut && at == end && n_fields > 0)
            break; /* its end is not here */
        if (n_fields == 0)
            add_first(f, &field, &n);
        else if (!n.is)
            *(f->n_lines == 0 ? &f->words_above : &f->words) = true;
        if (n_fields == 1)
            f->first_falls |= before.finite && n.finite && n.value < before.value;
        if (n_fields > 1)
            f->descends |= before.finite && n.finite && n.value < before.value;
        if (n_fields > 0)
            f->points |= n.point;
        before = n;
    }
    f->ragged |= comma_ends || (f->n_lines > 0 && n_fields != f->n_fields);
    f->one += n_fields == 1;
    f->n_fields = n_fields;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_line(facts *f, const char *text, const char *end, bool cut)
{
    spk_line line;
    if (f->n_lines == 0)
        spk_line_cut_header(text, end, &line);
    else
        spk_line_cut(text, end, &line);
    f->two += line.problem == NULL && line.n_fields == 2 && !cut;
    f->two_first |= f->n_lines == 0 && f->two == 1;
    f->colon += behind_colon(text, end) != NULL;
    f->tight += is_tight(text, end);
    add_fields(f, text, end, cut);
    f->n_lines++;
}

/* Calls add_line for the first lines that hold something. */
static void read_lines(facts *f, const char *text, const char *end, bool whole)
{
    while (text < end && f->n_lines < MOST_LINES) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        bool cut = stop == NULL && !whole;
        if (cut && f->n_lines > 0)
            break; /* lines before tell enough */
        stop = stop != NULL ? stop : end;
        if (!spk_row_is_empty(text, stop))
            add_line(f, text, stop, cut);
        text = stop + (stop < end);
    }
}

/* The cells of the first two rows. */
static void read_rows(facts *f, const char *text, const char *end, char separator)
{
    const char *row;
    const char *stop;
    for (size_t k = 0; k < 2 && spk_row_next(&text, end, separator, false, &row, &stop); k++) {
        spk_field cell;
        spk_cells cells = spk_cells_begin(row, stop, separator);
        while (f->n_cells[k] < MOST_CELLS && spk_cells_next(&cells, &cell))
            f->row[k][f->n_cells[k]++] = cell;
    }
}

/* How many of the first rows have as many cells as the first one, or one more; 0 when the first one
 * is not cut. */
static size_t rows_alike(const char *text, const char *end, char separator)
{
    enum { ROWS = 20 };
    const char *row;
    const char *stop;
    size_t first = 0;
    size_t alike = 0;
    for (size_t k = 0; k < ROWS && spk_row_next(&text, end, separator, false, &row, &stop); k++) {
        spk_field cell;
        size_t n = 0;
        spk_cells cells = spk_cells_begin(row, stop, separator);
        while (spk_cells_next(&cells, &cell))
            n++;
        first = k == 0 ? n : first;
        alike += cells.problem == NULL && (n == first || n == first + 1);
    }
    return first > 1 ? alike : 0;
}

static char find_separator(const char *text, const char *end)
{
    static const char separators[] = {'\t', ';', ',', ' '};
    char best = ' ';
    size_t most = 0;
    for (size_t k = 0; k < sizeof separators; k++) {
        size_t alike = rows_alike(text, end, separators[k]);
        if (alike > most) {
            most = alike;
            best = separators[k];
        }
    }
    return best;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

bool spk_is_header(const spk_field *first, const spk_field *second, size_t n)
{
    bool all = n > 0;
    bool any = false;
    for (size_t k = 0; k < n; k++) {
        bool word = !number_of(&first[k]).is;
        bool empty = first[k].length == 0;
        all &= word;
        any |= word && !empty && second != NULL && second[k].length > 0 && number_of(&second[k]).is;
    }
    /* Without names of columns, pandas writes ",0,1" above a row that begins with 0. */
    bool numbered = n > 1 && first[0].length == 0 && second != NULL && second[0].length == 1 &&
                    second[0].text[0] == '0';
    return all || any || numbered;
}

static bool has_header(const facts *f)
{
    size_t n = f->n_cells[0] < f->n_cells[1] ? f->n_cells[0] : f->n_cells[1];
    if (f->n_cells[1] == 0)
        return spk_is_header(f->row[0], NULL, f->n_cells[0]);
    return n > 1 && f->n_cells[1] - n <= 1 && spk_is_header(f->row[0], f->row[1], n);
}

static spk_text_form form_of(const facts *f)
{
    if (f->n_lines == 0)
        return SPK_FORM_TWO;
    if (2 * f->colon > f->n_lines)
        return SPK_FORM_LINES;
    if (2 * f->two > f->n_lines || (2 * f->two == f->n_lines && f->two_first) ||
        f->one == f->n_lines)
        return SPK_FORM_TWO;
    if (has_header(f) || f->words || (f->words_above && f->n_lines == 1))
        return SPK_FORM_TABLE;
    if (f->n_cells[0] == 2 && (f->n_cells[1] == 2 || f->n_lines == 1))
        return SPK_FORM_TABLE; /* a label with blanks, or decimal commas */
    if (f->n_lines == 1 || f->ragged)
        return SPK_FORM_LINES;
    return f->descends ? SPK_FORM_TABLE : SPK_FORM_UNCLEAR;
}

static spk_line_labels labels_of(const facts *f)
{
    if (f->n_lines == 0)
        return SPK_LABELS_NONE;
    if (2 * f->colon > f->n_lines)
        return SPK_LABELS_COLON;
    if (2 * f->tight > f->n_lines)
        return SPK_LABELS_TIGHT;
    if (f->first_words)
        return SPK_LABELS_FIRST;
    if (f->first_points || f->first_twice)
        return SPK_LABELS_NONE;
    bool several = f->n_lines > 1;
    return f->first_falls || (f->points && several) ? SPK_LABELS_FIRST : SPK_LABELS_UNCLEAR;
}

static bool looks_binary(const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if ((unsigned char)text[k] < 32 && text[k] != '\t' && text[k] != '\n' && text[k] != '\r')
            return true;
    return false;
}

spk_text_look spk_text_look_at(const char *text, size_t n, bool whole)
{
    spk_text_look look = {.form = SPK_FORM_NONE, .separator = ' '};
    if (n >= SPK_PROBE_BYTES) {
        n = SPK_PROBE_BYTES;
        whole = false;
    }
    if (n == 0)
        look = (spk_text_look){SPK_FORM_TWO, ' ', SPK_LABELS_NONE};
    if (n == 0 || looks_binary(text, n))
        return look;
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        n -= 3;
    }
    facts f = {.n_lines = 0};
    read_lines(&f, text, text + n, whole);
    look.separator = find_separator(text, text + n);
    read_rows(&f, text, text + n, look.separator);
    look.form = form_of(&f);
    look.labels = labels_of(&f);
    return look;
}

spk_text_look spk_text_look_probe(const spk_probe *probe)
{
    if (probe->is_folder)
        return (spk_text_look){.form = SPK_FORM_NONE};
    return spk_text_look_at((const char *)probe->head, probe->n_head,
                            probe->n_head < SPK_PROBE_BYTES);
}

spk_status spk_text_check_input(spk_context *context, const spk_probe *probe)
{
    return probe->is_folder
               ? spk_fail(context, SPK_ERR_IO, "%s: is a directory; give a file in it", probe->path)
               : SPK_OK;
}
