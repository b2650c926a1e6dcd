/* The registry: from the list of pattern engines to their tables. */
#include "pattern/engine/policy.h"

#include <assert.h>

#define TABLE(symbol, name, kind, summary) SPK_ENGINE_TABLE_##kind(spk_pattern_engine_##symbol),

static const spk_pattern_engine *const TABLES[] = {SPK_PATTERN_ENGINES(TABLE)};

const spk_pattern_engine *spk_pattern_engine_table(const spk_engine_facts *engine)
{
    spk_engine_list list = spk_engines_of(SPK_PATTERNS);
    assert(engine >= list.engine && engine < list.engine + list.n);
    return TABLES[engine - list.engine];
}
