/* Tables: what the reader of rows and the choice of columns share. */
#ifndef SPK_RECORDING_READERS_TABLE_H
#define SPK_RECORDING_READERS_TABLE_H

#include "recording/text_reader.h"

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

#endif
