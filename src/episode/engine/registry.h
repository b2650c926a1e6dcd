/* From the list of episode engines to their tables. Engines themselves know nothing of it. */
#ifndef SPK_EPISODE_ENGINE_REGISTRY_H
#define SPK_EPISODE_ENGINE_REGISTRY_H

#include "engine/facts.h"
#include "episode/engine/engine.h"

/* The table of an engine of the list; NULL where it is not built. */
const spk_episode_engine *spk_episode_engine_table(const spk_engine_facts *engine);

#endif
