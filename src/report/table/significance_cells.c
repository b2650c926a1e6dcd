/* What rows say of the test of signatures. */
#include "report/table/significance_cells.h"

#include <stdio.h>

void report_put_real(report_table *table, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    for (char *at = text; *at != '\0'; at++)
        if (*at == ',')
            *at = '.';
    report_put_text(table, text);
}

void report_put_verdict(report_table *table, bool verdict)
{
    if (table->format == SPK_FORMAT_JSON)
        report_put_text(table, verdict ? "true" : "false");
    else
        report_put_text(table, verdict ? "yes" : "no");
}

void report_put_p_corrected(report_table *table, const spk_signature *signature)
{
    if (signature->tested)
        report_put_real(table, signature->p_corrected);
    else
        report_put_text(table, table->format == SPK_FORMAT_JSON ? "null" : "-");
}
