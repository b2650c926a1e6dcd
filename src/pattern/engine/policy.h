/* The automatic choice for patterns. */
#pragma once

#include "engine/facts.h"
#include "pattern/engine/engine.h"
#include "spikemine/pattern.h"

/* The engine and the GPUs for a request. Errors as spk_engine_take. */
spk_status spk_pattern_choose(spk_context *context, const spk_engine_request *request,
                              spk_engine_choice *out);

/* Whether another engine on processors than the usual one finds these patterns at less cost: then
 * *choice is that one. It may keep all patterns, though. */
bool spk_pattern_choose_cheaper(const spk_window_columns *windows, uint64_t support,
                                spk_engine_choice *choice);

/* How many threads find largest counts as fast as one GPU; 0 in builds without. */
double spk_pattern_gpu_like_threads(void);

/* One GPU finds the largest counts of n surrogates sooner than so many threads, where one thread
 * takes more than so many seconds for each; infinite: never. Whether there is a GPU is not asked.
 */
double spk_pattern_gpu_pays_from(uint64_t n, int threads);

/* The table of an engine of the list; NULL where it is not built. */
const spk_pattern_engine *spk_pattern_engine_table(const spk_engine_facts *engine);
