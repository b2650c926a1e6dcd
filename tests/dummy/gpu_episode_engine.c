/*
 * An episode engine for GPUs by its line in the list, which counts as `reference` does.
 * tools/check-engine-list.sh adds it to a copy of the tree that is built without CUDA: it must be
 * listed all the same, as not built.
 */
#include "episode/engine/engine.h"

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **state)
{
    return spk_episode_engine_reference.open(context, job, state);
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return spk_episode_engine_reference.count(context, state, block, counts);
}

static void close_job(void *state)
{
    spk_episode_engine_reference.close(state);
}

const spk_episode_engine spk_episode_engine_cuda_dummy = {
    .open = open_job,
    .count = count,
    .close = close_job,
};
