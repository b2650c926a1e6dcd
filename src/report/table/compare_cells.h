/* What rows say of a comparison of two conditions. */
#ifndef SPK_REPORT_TABLE_COMPARE_CELLS_H
#define SPK_REPORT_TABLE_COMPARE_CELLS_H

#include "report/table/table.h"

/* Copies the comparison to where the table will look for it. */
spk_status report_set_compare(report_table *table, const spk_compare_report *given,
                              spk_compare_report *own);

/* The names of the columns, each behind a tab; TSV only. Nothing where there is no comparison. */
void report_put_compare_head(report_table *table);

/* The cells of row k. Nothing where there is no comparison. SPK_ERR_ARGUMENT where it has no row k.
 */
spk_status report_put_compare(report_table *table, uint64_t k);

#endif
