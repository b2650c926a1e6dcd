/* The automatic choice for patterns. */
#ifndef SPK_PATTERN_ENGINE_POLICY_H
#define SPK_PATTERN_ENGINE_POLICY_H

#include "engine/take.h"

/* The engine and the GPUs for a request. Errors as spk_engine_take. */
spk_status spk_pattern_choose(spk_context *context, const spk_engine_request *request,
                              spk_engine_choice *out);

#endif
