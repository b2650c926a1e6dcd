/* The list of pattern engines: one line here and one table each. */
#include <stdio.h>

#include "pattern/engine/engine.h"

static const spk_pattern_engine *const ENGINES[] = {
    &spk_pattern_engine_bitmap,
    &spk_pattern_engine_fpgrowth,
};

enum { N_ENGINES = sizeof ENGINES / sizeof ENGINES[0] };

size_t spk_pattern_engines(const spk_pattern_engine *const **engines)
{
    *engines = ENGINES;
    return N_ENGINES;
}

size_t spk_pattern_engine_count(void)
{
    return N_ENGINES;
}

spk_status spk_pattern_engine_info(size_t k, spk_engine_info *out)
{
    if (k >= N_ENGINES)
        return SPK_ERR_ARGUMENT;
    *out = (spk_engine_info){
        .name = ENGINES[k]->name, .summary = ENGINES[k]->summary, .needs = ENGINES[k]->needs};
    out->available = ENGINES[k]->available(out->reason, sizeof out->reason);
    return SPK_OK;
}
