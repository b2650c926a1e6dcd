/*
 * A search for patterns over ranks: each mines pieces, and all get what all have found, in the
 * order in which one process finds it.
 */
#ifndef SPK_PATTERN_SHARE_H
#define SPK_PATTERN_SHARE_H

#include "pattern/engine/engine.h"

/* Whether the context's ranks share a search by this engine. */
bool spk_pattern_is_shared(const spk_context *context, const spk_pattern_engine *engine);

/* engine->mine over all ranks. `sink` gets all patterns, when all are found. What all ranks have
 * found is in the memory of each, unless the job is unordered: then the sink gets patterns
 * whenever ranks exchange. With `bytes`, for which the ranks need send and receive, patterns go
 * there in place of the sink, and each rank has in memory what it found itself. Errors also:
 * SPK_ERR_MEMORY. */
spk_status spk_pattern_mine_shared(spk_context *context, const spk_pattern_engine *engine,
                                   const spk_pattern_job *job, const spk_pattern_bytes *bytes,
                                   spk_pattern_sink *sink, void *user);

#endif
