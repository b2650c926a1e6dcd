/* From the list of pattern engines to their tables. Engines themselves know nothing of it. */
#ifndef SPK_PATTERN_ENGINE_REGISTRY_H
#define SPK_PATTERN_ENGINE_REGISTRY_H

#include "engine/facts.h"
#include "pattern/engine/engine.h"

/* The table of an engine of the list; NULL where it is not built. */
const spk_pattern_engine *spk_pattern_engine_table(const spk_engine_facts *engine);

#endif
