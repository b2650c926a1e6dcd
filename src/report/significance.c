/* The outcomes of tests, as tables and figures take them. */
#include "base/options.h"
#include "spikemine/report.h"
#include "spikemine/report_tests.h"

void spk_significance_init(spk_significance *significance, size_t struct_size)
{
    static const spk_significance defaults = {.alpha = SPK_USUAL_ALPHA, .correction = "fdr-bh"};
    spk_options_init(significance, struct_size, &defaults, sizeof defaults);
}

void spk_compare_report_init(spk_compare_report *report, size_t struct_size)
{
    static const spk_compare_report defaults = {.alpha = SPK_USUAL_ALPHA};
    spk_options_init(report, struct_size, &defaults, sizeof defaults);
}

void spk_exact_report_init(spk_exact_report *report, size_t struct_size)
{
    static const spk_exact_report defaults = {.alpha = SPK_USUAL_ALPHA, .history = {-1, 0, 0}};
    spk_options_init(report, struct_size, &defaults, sizeof defaults);
}

void spk_sequence_report_init(spk_sequence_report *report, size_t struct_size)
{
    static const spk_sequence_report defaults = {.null = "shift-apart", .alpha = SPK_USUAL_ALPHA};
    spk_options_init(report, struct_size, &defaults, sizeof defaults);
}
