/* What rows say of an exact test; table->exact is set. */
#ifndef SPK_REPORT_TABLE_EXACT_CELLS_H
#define SPK_REPORT_TABLE_EXACT_CELLS_H

#include "report/table/table.h"

/* Copies the test to where the table will look for it. */
spk_status report_set_exact(report_table *table, const spk_exact_report *given,
                            spk_exact_report *own);

/* The names of the columns, each behind a tab; TSV only. */
void report_put_exact_head(report_table *table);

/* The cells of row k, all but explained_by. */
void report_put_exact(report_table *table, uint64_t k);

/* The cell explained_by; in JSON, explained_without, the position that the part lacks. Where it
 * returns true the caller writes the text form of the part without position *left_out. */
bool report_put_explained(report_table *table, uint64_t k, uint32_t *left_out);

/* The cells meaning, direction_p and round, where the test has them; behind explained_by. */
void report_put_meaning(report_table *table, uint64_t k);

/* SPK_ERR_ARGUMENT where the test has no row k. */
spk_status report_check_exact(const report_table *table, uint64_t k);

/* A further cell; `name` is for JSON. */
void report_begin_cell(report_table *table, const char *name);

#endif
