/* Patterns in rows. */
#ifndef SPK_REPORT_TABLE_PATTERN_NAMES_H
#define SPK_REPORT_TABLE_PATTERN_NAMES_H

#include "report/table/table.h"

/* Writes `12@0 40@3 7@11`; `label` by unit, `window` in bins. */
void report_put_pattern(report_table *table, const report_texts *label, uint32_t window,
                        const uint32_t *item, uint32_t size);

#endif
