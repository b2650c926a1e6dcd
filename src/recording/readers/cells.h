/* Rows and cells of a table in text, as in RFC 4180 with other separators, too. */
#ifndef SPK_RECORDING_READERS_CELLS_H
#define SPK_RECORDING_READERS_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/text_line.h"

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

#endif
