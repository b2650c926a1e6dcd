/* What the first lines of a text look like: which of the text formats it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/readers/reader.h"
#include "recording/text_line.h"
#include "recording/text_reader.h"

typedef enum spk_text_form {
    SPK_FORM_NONE, /* no text */
    SPK_FORM_TWO,  /* two columns; also what is empty or too short to tell */
    SPK_FORM_TABLE,
    SPK_FORM_LINES,  /* one line for each unit */
    SPK_FORM_UNCLEAR /* a table without a header, or one line for each unit */
} spk_text_form;

/* Where the labels of lines are, one line for each unit. */
typedef enum spk_line_labels {
    SPK_LABELS_UNCLEAR,
    SPK_LABELS_COLON, /* before a colon, which a blank or a separator follows */
    SPK_LABELS_TIGHT, /* before the first colon, which a time follows */
    SPK_LABELS_FIRST, /* the first field */
    SPK_LABELS_NONE
} spk_line_labels;

typedef struct spk_text_look {
    spk_text_form form;
    char separator; /* of cells: ',', ';', '\t' or ' ' */
    spk_line_labels labels;
} spk_text_look;

/* Looks at the first SPK_PROBE_BYTES of `n` bytes. `whole`: nothing follows them. */
spk_text_look spk_text_look_at(const char *text, size_t n, bool whole);

/* The same for an input. */
spk_text_look spk_text_look_probe(const spk_probe *probe);

/* Refuses a folder, for which there is no input. Errors: SPK_ERR_IO. */
spk_status spk_text_check_input(spk_context *context, const spk_probe *probe);

/* Whether cells of the first row are names, by the second row. */
bool spk_is_header(const spk_field *first, const spk_field *second, size_t n);

/* ---- tables ---------------------------------------------------------------------------------- */

/* Tables: what the reader of rows and the choice of columns share. */

enum { SPK_TABLE_ROWS = 200 }; /* rows that are looked at before the first one is read */

/* The first rows of a table. */
typedef struct spk_table_head {
    size_t n_columns;
    const spk_field *names; /* n_columns; NULL: there is no header */
    size_t n_rows;
    const spk_field *cells; /* cell of row i and column k: cells[i * n_columns + k] */
    char separator;
} spk_table_head;

/* Columns by number from 0, and how they were found. */
typedef struct spk_table_columns {
    size_t time;
    size_t unit;
    bool by_name;    /* of the header: a note tells */
    bool by_content; /* likewise */
} spk_table_columns;

/* Chooses the columns of times and units. Errors: SPK_ERR_FORMAT, SPK_ERR_ARGUMENT (a column that
 * an option names is not there). `line`: that of the first row, for messages. */
spk_status spk_table_choose(spk_text_reader *reader, const spk_table_head *head, uint64_t line,
                            spk_table_columns *out);

/* ---- cells ----------------------------------------------------------------------------------- */

/* Rows and cells of a table in text, as in RFC 4180 with other separators, too. */

/* Walks through the cells of one row. */
typedef struct spk_cells {
    const char *at;
    const char *end;
    char separator; /* ',', ';', '\t', or ' ' for runs of blanks and tabs */
    bool more;
    const char *problem; /* why it cannot be cut, static text; NULL when it can */
} spk_cells;

/* [text, end): a row without its line end, but maybe with the '\r' of one. */
spk_cells spk_cells_begin(const char *text, const char *end, char separator);

/* The next cell, without blanks around it and without its quotes; false behind the last one, and
 * on a problem. */
bool spk_cells_next(spk_cells *cells, spk_field *cell);

/* Whether nothing is in the line that begins at `text`, or a comment. */
bool spk_row_is_empty(const char *text, const char *end);

/* The line end that ends the row at `text`: one in quotes does not. *n_lines: how many lines it
 * has. NULL: the row is not complete. */
const char *spk_row_end(const char *text, const char *end, char separator, uint64_t *n_lines);

/* The next row that is neither empty nor a comment, from *text on; false: there is none. A row that
 * `end` cuts off is none when they must be `whole`. *text is behind the row then. */
bool spk_row_next(const char **text, const char *end, char separator, bool whole, const char **row,
                  const char **stop);
