/*
 * Engine `cuda-mtpe`: the papers' many threads an episode (mtpe.cu).
 *
 * Number of segments: the power of two that gives every multiprocessor as many threads as it holds
 * at once, as far as segments stay longer than the longest span and than 64 events, and as their
 * tuples fit; at least 2. Episodes with spans of more than half the recording (an infinite bound)
 * cannot be cut; a piece of such episodes alone is counted as cuda-ptpe does.
 */
#include "episode/engine/cuda/papers/mtpe.h"

#include <assert.h>

#include "episode/engine/cuda/papers/host_ticks.h"

enum { LEAST_SEGMENTS = 2, LEAST_EVENTS = 64 };

static const char what[] = "many threads an episode (MTPE)";

/* The longest span of a piece's episodes among those not above `most`; 0 when all are. */
static uint64_t longest_span(const papers_counter *p, const spk_episode_block *piece, uint64_t most)
{
    uint64_t longest = 0;
    for (uint64_t k = 0; k < piece->n; k++) {
        const uint16_t *delay = piece->delay + k * piece->size;
        uint64_t span = 0;
        for (uint32_t at = 1; at < piece->size && span <= most; at++) {
            uint64_t hi = p->job->delays[delay[at]].hi;
            span = hi > most - span ? UINT64_MAX : span + hi;
        }
        if (span <= most && span > longest)
            longest = span;
    }
    return longest;
}

static uint64_t recording_length(const papers_counter *p)
{
    spk_events events = spk_recording_events(p->job->recording);
    return (uint64_t)events.time[events.n_events - 1] - (uint64_t)events.time[0];
}

/* 1 where no episode of the piece can be cut. */
static uint32_t choose_segments(const papers_counter *p, const spk_episode_block *piece,
                                uint64_t *longest)
{
    uint64_t length = recording_length(p);
    uint64_t span = longest_span(p, piece, length / 2);
    *longest = span;
    if (span == 0)
        return 1;
    uint64_t machines = piece->n * piece->size;
    uint64_t threads =
        (uint64_t)p->facts.multiprocessors * (uint64_t)p->facts.threads_per_multiprocessor;
    uint64_t most = length / span;
    uint64_t by_events = p->recording.n_events / LEAST_EVENTS;
    uint64_t by_memory = p->memory / 4 / (2 * machines * host_tuple_bytes(p->recording.wide));
    most = by_events < most ? by_events : most;
    most = by_memory < most ? by_memory : most;
    uint32_t n = LEAST_SEGMENTS;
    while (2 * (uint64_t)n <= most && n * machines < threads)
        n *= 2;
    return n;
}

static spk_status run_count(spk_context *context, papers_counter *p, const spk_episode_block *piece,
                            const papers_episodes *episodes)
{
    mtpe_plan plan = {.n_segments = 0};
    plan.n_segments = choose_segments(p, piece, &plan.longest);
    assert((plan.n_segments & (plan.n_segments - 1)) == 0);
    if (plan.n_segments < LEAST_SEGMENTS)
        return papers_piece_ptpe(context, p, piece, episodes);
    uint64_t tick = host_tick_bytes(p->recording.wide);
    uint64_t borders = (uint64_t)plan.n_segments + 1;
    uint64_t tuples = piece->n * piece->size * plan.n_segments;
    spk_status status = gpu_reserve(context, &p->first, borders, sizeof(uint32_t), what);
    if (status == SPK_OK)
        status = gpu_reserve(context, &p->border, borders, tick, what);
    if (status == SPK_OK)
        status = gpu_reserve(context, &p->tuple, tuples, host_tuple_bytes(p->recording.wide), what);
    /* Stretches are joined in a copy: the walk needs the tuples of single segments, too. */
    if (status == SPK_OK)
        status =
            gpu_reserve(context, &p->joined, tuples, host_tuple_bytes(p->recording.wide), what);
    if (status != SPK_OK)
        return status;
    plan.first = p->first.data;
    plan.border = p->border.data;
    plan.tuple = p->tuple.data;
    plan.joined = p->joined.data;
    return mtpe_count(context, p->recording, *episodes, plan);
}

spk_status papers_count_mtpe(spk_context *context, papers_counter *p,
                             const spk_episode_block *block, uint64_t *counts)
{
    uint64_t bytes_each =
        2 * (uint64_t)LEAST_SEGMENTS * block->size * host_tuple_bytes(p->recording.wide);
    return papers_counter_run(context, p, block, run_count, bytes_each, counts);
}

/* ---- the engine ------------------------------------------------------------------------------ */

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **state)
{
    return papers_counter_open(context, job, (papers_counter **)state);
}

static spk_status count(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts)
{
    return papers_count_mtpe(context, state, block, counts);
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

const spk_episode_engine spk_episode_engine_cuda_mtpe = {
    .open = open_job,
    .count = count,
    .bound = bound,
    .close = close_job,
};
