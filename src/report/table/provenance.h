/* Where a result comes from, as JSON; what all result files say alike. */
#ifndef SPK_REPORT_TABLE_PROVENANCE_H
#define SPK_REPORT_TABLE_PROVENANCE_H

#include "report/columns.h"

/* One JSON object as text, to be freed; NULL when memory is out. `recording` may be
 * NULL. */
char *report_provenance_json(const spk_recording *recording, const report_tests *tests,
                             const spk_provenance *provenance);

#endif
