/* The outcomes of tests, as tables and figures take them. */
#include "base/options.h"
#include "spikemine/report.h"
#include "spikemine/report_tests.h"

SPK_OPTIONS_INIT(spk_significance, .alpha = SPK_USUAL_ALPHA, .correction = "fdr-bh");

SPK_OPTIONS_INIT(spk_compare_report, .alpha = SPK_USUAL_ALPHA);

SPK_OPTIONS_INIT(spk_exact_report, .alpha = SPK_USUAL_ALPHA, .history = {-1, 0, 0});

SPK_OPTIONS_INIT(spk_sequence_report, .null = "shift-apart", .alpha = SPK_USUAL_ALPHA);
