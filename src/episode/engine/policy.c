/*
 * The automatic choices and their reasons, all of them here.
 *
 * Engine: `sweep`. On every recording that we measured it is the fastest CPU engine by a factor of
 * ten or more (bench/results), it needs no more memory than the others, and it has no limits that
 * they lack.
 *
 * Two passes: the bound of `fsm` and `reference` (PreElim) keeps one time stamp per position in
 * place of a list, and pays when some interval has lo > 0; with lo = 0 everywhere it would count
 * the same thing twice. `sweep` does the same work for the relaxed as for the exact count, so it
 * never pays.
 */
#include <string.h>

#include "episode/engine/engine.h"

spk_status spk_episode_choose(spk_context *context, const char *name, spk_episode_choice *out)
{
    bool automatic = name == NULL || strcmp(name, "auto") == 0;
    out->reason = automatic ? "the fastest engine for this machine" : "";
    return spk_episode_engine_find(context, automatic ? "sweep" : name, &out->engine);
}

bool spk_episode_two_pass_pays(const spk_episode_engine *engine, const spk_tick_delay *delays,
                               size_t n_delays)
{
    if (engine->bound == NULL)
        return false;
    for (size_t k = 0; k < n_delays; k++)
        if (delays[k].lo > 0)
            return true;
    return false;
}
