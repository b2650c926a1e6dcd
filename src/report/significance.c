/* The outcome of a test, as tables and figures take it. */
#include "base/options.h"
#include "spikemine/report.h"

void spk_significance_init(spk_significance *significance, size_t struct_size)
{
    static const spk_significance defaults = {.alpha = 0.05, .correction = "fdr-bh"};
    spk_options_init(significance, struct_size, &defaults, sizeof defaults);
}
