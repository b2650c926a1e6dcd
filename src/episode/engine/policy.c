/*
 * The automatic choices for episodes and their reasons, all of them here. engine/facts.c has the
 * rules for engines that are asked for by name.
 *
 * Engine: `sweep` and `cuda-sweep`. On every recording that we measured they are the fastest on
 * CPUs and on GPUs, by a factor of ten or more, they need no more memory than the others, and they
 * have no limits that those lack (bench/results).
 *
 * Which of the two: a GPU takes 0.2 to 0.3 s to start, once a process. A search over 200,000 events
 * times intervals takes `sweep` about as long on one thread with a support that leaves some
 * thousand episodes; how deep a search goes is not known before. Given episodes are counted at
 * about 10^9 events times episodes a second and thread, so a GPU pays from some 10^9 on. Below, the
 * driver is not even asked.
 *
 * Ranks: `cuda-sweep` searches alone, so every rank would search everything. The engine that shares
 * candidates among ranks is taken for searches; given episodes are shared by both.
 *
 * Two passes: the bound of `fsm` and `reference` (PreElim) keeps one time stamp per position in
 * place of a list, and pays when some interval has lo > 0; with lo = 0 everywhere it would count
 * the same thing twice. `sweep` does the same work for the relaxed as for the exact count, so it
 * never pays.
 */
#include "episode/engine/policy.h"

static const uint64_t LEAST_SEARCH = 200000;       /* events * intervals */
static const uint64_t LEAST_COUNTING = 1000000000; /* events * episodes */

/* Whether the job is large enough for a GPU's start to pay. */
static bool episode_worth_a_gpu(const spk_episode_work *work)
{
    uint64_t size = 0;
    bool search = work->n_episodes == UINT64_MAX;
    if (__builtin_mul_overflow(work->n_events, search ? work->n_delays : work->n_episodes, &size))
        return true;
    return size >= (search ? LEAST_SEARCH : LEAST_COUNTING);
}

/* Whether auto takes an engine for GPUs. */
static bool automatic(const spk_engine_request *request, const spk_episode_work *work,
                      const char **reason)
{
    if (request->gpus != 0) {
        *reason = "the fastest engine on GPUs";
        return true;
    }
    if (request->n_ranks > 1 && work->n_episodes == UINT64_MAX) {
        *reason = "the fastest engine whose search ranks can share";
        return false;
    }
    if (!episode_worth_a_gpu(work)) {
        *reason = "the fastest engine for a job of this size";
        return false;
    }
    spk_gpus_found found;
    request->look(&found);
    *reason = found.n > 0 ? "the fastest engine, and the job is large enough for a GPU"
                          : "the fastest engine for processors";
    return found.n > 0;
}

spk_status spk_episode_choose(spk_context *context, const spk_engine_request *request,
                              const spk_episode_work *work, spk_engine_choice *out)
{
    const char *reason = "";
    const char *name = request->engine;
    if (spk_engine_is_auto(request))
        name = spk_engine_usual(SPK_EPISODES, automatic(request, work, &reason))->name;
    return spk_engine_take(context, SPK_EPISODES, request, name, reason, out);
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
