/* What rows say of the test of signatures. */
#ifndef SPK_REPORT_TABLE_SIGNIFICANCE_CELLS_H
#define SPK_REPORT_TABLE_SIGNIFICANCE_CELLS_H

#include "report/table/table.h"

/* A number in 12 digits, with a point in every locale. */
void report_put_real(report_table *table, double value);

/* "yes" and "no", in JSON true and false. */
void report_put_verdict(report_table *table, bool verdict);

/* The corrected p-value; "-", in JSON null, for a signature that was not tested. */
void report_put_p_corrected(report_table *table, const spk_signature *signature);

#endif
