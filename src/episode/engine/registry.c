/* The registry: from the list of episode engines to their tables. */
#include "episode/engine/policy.h"

#include <assert.h>

#define TABLE(symbol, name, kind, summary) SPK_ENGINE_TABLE_##kind(spk_episode_engine_##symbol),

static const spk_episode_engine *const TABLES[] = {SPK_EPISODE_ENGINES(TABLE)};

const spk_episode_engine *spk_episode_engine_table(const spk_engine_facts *engine)
{
    spk_engine_list list = spk_engines_of(SPK_EPISODES);
    assert(engine >= list.engine && engine < list.engine + list.n);
    return TABLES[engine - list.engine];
}
