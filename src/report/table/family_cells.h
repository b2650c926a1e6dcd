/* What rows say of families. */
#ifndef SPK_REPORT_TABLE_FAMILY_CELLS_H
#define SPK_REPORT_TABLE_FAMILY_CELLS_H

#include "report/table/table.h"
#include "spikemine/select.h"

/* The names of the columns, in TSV. */
void report_put_family_names(report_table *table);

/* The columns of a family; `gap` is what stands behind a comma of JSON. SPK_ERR_ARGUMENT for more
 * rows than families. */
spk_status report_put_family(report_table *table, const spk_family_columns *families, uint64_t row,
                             const report_texts *labels, const char *gap);

#endif
