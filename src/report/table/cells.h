/* Further columns of a table: what tests say of each row (report/columns.h), and pieces of cells.
 */
#pragma once

#include "report/table/table.h"

/* Copies it to where the table looks for it. */
spk_status report_take_signatures(report_table *table, const spk_significance *signatures);

/* The names of the columns, each behind a tab; TSV only. */
void report_put_heads(report_table *table);

/* What a row's language writes into its cells. */
typedef struct report_names {
    const report_texts *labels; /* of units */
    /* The text form of the row's result without one of its positions; TSV only. */
    void (*put_part)(report_table *table, uint64_t left_out);
} report_names;

/* The cells of a row; `signature` is the pattern's, where there is a test of signatures. Nothing
 * where there is no test. Errors: SPK_ERR_ARGUMENT, and nothing is written, where a test has no
 * such row. */
spk_status report_check_cells(const report_table *table, uint64_t row);
void report_put_cells(report_table *table, uint64_t row, const spk_signature *signature,
                      const report_names *names);

/* The same of these columns alone. */
void report_put_column_heads(report_table *table, const report_column *column, size_t n);
void report_put_columns(report_table *table, const report_column *column, size_t n,
                        const report_row *at, const report_names *names);

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A further cell; `name` is for JSON. */
void report_begin_cell(report_table *table, const char *name);

/* A number in 12 digits, with a point in every locale. */
void report_put_real(report_table *table, double value);

/* Further cells: a number, null in JSON where there is none; a whole number; a text of our own, of
 * JSON. */
void report_put_real_cell(report_table *table, const char *name, double value);
void report_put_number_cell(report_table *table, const char *name, uint64_t value);
void report_put_text_cell(report_table *table, const char *name, const char *text);

/* `12@0 40@3 7@11`; `label` by unit, `window` in bins. */
void report_put_pattern(report_table *table, const report_texts *label, uint32_t window,
                        const uint32_t *item, uint32_t size);

/* A time in seconds, with the digits of its ticks. */
void report_put_time(report_table *table, int64_t time);

/* "yes" and "no", in JSON true and false. */
void report_put_verdict(report_table *table, bool verdict);

/* "-", in JSON null. */
void report_put_nothing(report_table *table);
