/*
 * The automatic choice for patterns and its reason. engine/take.c has the rules for engines that
 * are asked for by name.
 *
 * bitmap visits only closed patterns with a lag-0 item and needs memory for the depth of the search
 * alone; of the engines for processors it is the faster one on every job that was measured, from
 * two windows to dense recordings. A GPU is the faster one for many surrogates, not for one list,
 * and what is asked here is one list or one surrogate: so it is taken where GPUs are asked for.
 */
#include "pattern/engine/policy.h"

spk_status spk_pattern_choose(spk_context *context, const spk_engine_request *request,
                              spk_engine_choice *out)
{
    if (!spk_engine_is_auto(request))
        return spk_engine_take(context, SPK_PATTERNS, request, request->engine, "", out);
    if (request->gpus != 0)
        return spk_engine_take(context, SPK_PATTERNS, request,
                               spk_engine_usual(SPK_PATTERNS, true)->name, "the engine for GPUs",
                               out);
    return spk_engine_take(context, SPK_PATTERNS, request,
                           spk_engine_usual(SPK_PATTERNS, false)->name,
                           "visits only what can be reported, in memory that does not grow", out);
}
