/* Patterns in rows. */
#include "report/table/pattern_names.h"

void report_put_pattern(report_table *table, const report_texts *label, uint32_t window,
                        const uint32_t *item, uint32_t size)
{
    for (uint32_t k = 0; k < size; k++) {
        if (k > 0)
            report_put_char(table, ' ');
        report_put_piece(table, label, item[k] / window);
        report_put_char(table, '@');
        report_put_number(table, item[k] % window);
    }
}
