/* Engine `cuda-ptpe`: the papers' one thread an episode (ptpe.cu). */
#include "episode/engine/cuda/papers/counter.h"

/* Full blocks where there are enough episodes for all multiprocessors, else single warps. */
static uint32_t block_threads(const papers_counter *p, uint32_t n)
{
    return n >= 128u * (uint32_t)p->facts.multiprocessors ? 128 : 32;
}

spk_status papers_piece_ptpe(spk_context *context, papers_counter *p, const spk_episode_block *host,
                             const papers_episodes *episodes)
{
    (void)host;
    return ptpe_count(context, p->recording, *episodes, block_threads(p, episodes->n));
}

static spk_status run_bound(spk_context *context, papers_counter *p, const spk_episode_block *host,
                            const papers_episodes *episodes)
{
    (void)host;
    return ptpe_bound(context, p->recording, *episodes, block_threads(p, episodes->n));
}

spk_status papers_count_ptpe(spk_context *context, papers_counter *p,
                             const spk_episode_block *block, uint64_t *counts)
{
    return papers_counter_run(context, p, block, papers_piece_ptpe, 0, counts);
}

spk_status papers_bound(spk_context *context, papers_counter *p, const spk_episode_block *block,
                        uint64_t *counts)
{
    return papers_counter_run(context, p, block, run_bound, 0, counts);
}

/* ---- the engine ------------------------------------------------------------------------------ */

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **state)
{
    return papers_counter_open(context, job, (papers_counter **)state);
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return papers_count_ptpe(context, state, block, counts);
}

static spk_status bound(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return papers_bound(context, state, block, counts);
}

static void close_job(void *state)
{
    papers_counter_close(state);
}

const spk_episode_engine spk_episode_engine_cuda_ptpe = {
    .open = open_job,
    .count = count,
    .bound = bound,
    .close = close_job,
};
