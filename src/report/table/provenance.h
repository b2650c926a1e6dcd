/* Where a result comes from, as JSON; what all result files say alike. */
#ifndef SPK_REPORT_TABLE_PROVENANCE_H
#define SPK_REPORT_TABLE_PROVENANCE_H

#include "spikemine/report.h"

/* One JSON object as text, to be freed; NULL when memory is out. `recording` and all tests may be
 * NULL. */
char *report_provenance_json(const spk_recording *recording, const spk_significance *test,
                             const spk_exact_report *exact, const spk_compare_report *comparison,
                             const spk_provenance *provenance);

#endif
