/*
 * The automatic choices and their reasons, all of them here.
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
 * Two passes: the bound of `fsm` and `reference` (PreElim) keeps one time stamp per position in
 * place of a list, and pays when some interval has lo > 0; with lo = 0 everywhere it would count
 * the same thing twice. `sweep` does the same work for the relaxed as for the exact count, so it
 * never pays.
 */
#include <string.h>

#include "episode/engine/cuda/engines.h"
#include "episode/engine/engine.h"

static const uint64_t LEAST_SEARCH = 200000;       /* events * intervals */
static const uint64_t LEAST_COUNTING = 1000000000; /* events * episodes */

bool spk_episode_worth_a_gpu(const spk_episode_work *work)
{
    uint64_t size = 0;
    bool search = work->n_episodes == UINT64_MAX;
    if (__builtin_mul_overflow(work->n_events, search ? work->n_delays : work->n_episodes, &size))
        return true;
    return size >= (search ? LEAST_SEARCH : LEAST_COUNTING);
}

spk_status spk_episode_choose(spk_context *context, const char *name, const spk_episode_work *work,
                              spk_episode_choice *out)
{
    out->reason = "";
    if (name != NULL && strcmp(name, "auto") != 0)
        return spk_episode_engine_find(context, name, &out->engine);
    char no_gpu[160];
    bool large = spk_episode_worth_a_gpu(work);
    bool gpu = large && spk_engine_cuda_sweep.available(no_gpu, sizeof no_gpu);
    out->reason = gpu     ? "the fastest engine, and the job is large enough for a GPU"
                  : large ? "the fastest engine without a GPU"
                          : "the fastest engine for a job that ends before a GPU has started";
    return spk_episode_engine_find(context, gpu ? "cuda-sweep" : "sweep", &out->engine);
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
