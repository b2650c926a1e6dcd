/*
 * Engine `cuda-hybrid`: the papers' hybrid (Cao et al., section 5.1, algorithm 2): PTPE for many
 * candidates, MTPE for few. The border is what `spikemine tune` measured on this device
 * (host_crossover.h); without that, the default that follows from occupancy.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "episode/engine/cuda/papers/counter.h"
#include "episode/engine/cuda/papers/host_crossover.h"

typedef struct hybrid {
    papers_counter *counter;
    crossover_fit fit;
} hybrid;

static spk_status load_fit(spk_context *context, const char *id, crossover_fit *fit)
{
    char *path = NULL;
    bool found = false;
    spk_papers_tuning tuning;
    *fit = crossover_default();
    spk_status status = spk_papers_tuning_path(context, &path);
    if (status == SPK_OK && path != NULL)
        status = crossover_load(context, path, id, &found, &tuning);
    if (status == SPK_OK && found)
        *fit = (crossover_fit){.a = tuning.a, .b = tuning.b};
    free(path);
    return status;
}

static void close_job(void *state)
{
    hybrid *h = state;
    papers_counter_close(h->counter);
    free(h);
}

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **state)
{
    hybrid *h = NULL;
    *state = NULL;
    spk_status status = spk_alloc_zero(context, &h, 1, "engine 'cuda-hybrid'");
    if (status != SPK_OK)
        return status;
    status = papers_counter_open(context, job, &h->counter);
    if (status == SPK_OK)
        status = load_fit(context, h->counter->facts.id, &h->fit);
    if (status == SPK_OK)
        *state = h;
    else
        close_job(h);
    return status;
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    hybrid *h = state;
    uint64_t resident = 0;
    spk_status status = ptpe_resident(context, h->counter->recording.wide, block->size, &resident);
    if (status != SPK_OK)
        return status;
    return crossover_takes_ptpe(h->fit, resident, block->size, block->n)
               ? papers_count_ptpe(context, h->counter, block, counts)
               : papers_count_mtpe(context, h->counter, block, counts);
}

static spk_status bound(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return papers_bound(context, ((hybrid *)state)->counter, block, counts);
}

const spk_episode_engine spk_episode_engine_cuda_hybrid = {
    .open = open_job,
    .count = count,
    .bound = bound,
    .close = close_job,
};
