/*
 * Engine `cuda-tracking`: the papers' one thread an occurrence (tracking.cu). A block's seeds, the
 * events of the episodes' last units, are tracked in ranges whose lists fit the memory; schedules
 * go on from range to range, because ranges are in order of ends. A range of a single seed always
 * fits: its lists are no longer than the recording.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "episode/engine/cuda/papers/counter.h"
#include "episode/engine/cuda/papers/tracking/tracking.h"

static const char what[] = "engine 'cuda-tracking'";

enum { BYTES_A_TRACK = 64, MOST_EPISODES = 1 << 20, MOST_TRACKS = 1 << 26 };

typedef struct tracking_state {
    const spk_episode_job *job;
    papers_counter *counter; /* for the bound; opened when first asked */
    tracking_events events;
    gpu_buffer lo, hi;
    gpu_buffer unit, delay, seed_first, schedule;
    tracking_lists lists;
} tracking_state;

static void close_job(void *raw)
{
    tracking_state *s = raw;
    gpu_buffer *buffers[] = {&s->lo, &s->hi, &s->unit, &s->delay, &s->seed_first, &s->schedule};
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++)
        gpu_release(buffers[k]);
    tracking_lists_close(&s->lists);
    tracking_events_close(&s->events);
    papers_counter_close(s->counter);
    free(s);
}

static spk_status upload_job(spk_context *context, const spk_episode_job *job, tracking_state *s)
{
    uint64_t n = spk_recording_events(job->recording).n_events;
    gpu_staging staging = gpu_staging_for(n * sizeof(int64_t));
    spk_status status = tracking_events_open(context, job->recording, &staging, &s->events);
    if (status == SPK_OK)
        status = papers_upload_bounds(context, job, true, &staging, &s->lo, &s->hi);
    gpu_staging_close(&staging);
    return status;
}

static spk_status open_job(spk_context *context, const spk_episode_job *job, void **out)
{
    tracking_state *s = NULL;
    uint64_t memory = 0;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &s, 1, what);
    if (status != SPK_OK)
        return status;
    s->job = job;
    status = upload_job(context, job, s);
    if (status == SPK_OK)
        status = gpu_memory_budget(context, job->memory, &memory);
    /* The lists of a single seed are no longer than the recording: with this capacity a range of
     * one seed always fits, whatever the memory. */
    s->lists.capacity = memory / BYTES_A_TRACK;
    if (s->lists.capacity > MOST_TRACKS)
        s->lists.capacity = MOST_TRACKS;
    if (s->lists.capacity < s->events.view.n_events + 1)
        s->lists.capacity = s->events.view.n_events + 1;
    if (status == SPK_OK)
        *out = s;
    else
        close_job(s);
    return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Tracks one range of seeds from the last unit to the first, and schedules it. */
static spk_status track_seeds(spk_context *context, tracking_state *s, tracking_block block,
                              uint64_t first, uint64_t n, bool *fits)
{
    s->lists.first_seed = first;
    s->lists.n_seeds = n;
    *fits = true;
    assert(n > 0 && first + n > first);
    spk_status status = tracking_begin(context, block, &s->lists);
    for (uint32_t p = block.size - 1; p > 0 && status == SPK_OK && *fits; p--)
        status = tracking_step(context, block, p, s->job->compaction, &s->lists, fits);
    if (status == SPK_OK && *fits)
        status = tracking_count(context, block, &s->lists);
    return status == SPK_OK ? spk_check_cancel(context) : status;
}

/* Ranges of seeds; one that does not fit is halved, and later ones stay as short. */
static spk_status track_block(spk_context *context, tracking_state *s, tracking_block block,
                              uint64_t n_seeds)
{
    uint64_t step = s->lists.capacity < UINT32_MAX ? s->lists.capacity : UINT32_MAX;
    spk_status status = SPK_OK;
    for (uint64_t first = 0; first < n_seeds && status == SPK_OK;) {
        uint64_t n = n_seeds - first < step ? n_seeds - first : step;
        bool fits = true;
        status = track_seeds(context, s, block, first, n, &fits);
        if (fits)
            first += n;
        else
            step = n > 1 ? n / 2 : 1;
    }
    return status;
}

/* The block's episodes and their seeds on the device. */
static spk_status upload_block(spk_context *context, tracking_state *s,
                               const spk_episode_block *block, uint64_t *seed_first)
{
    spk_events events = spk_recording_events(s->job->recording);
    uint64_t places = block->n * block->size;
    seed_first[0] = 0;
    /* Seeds are numbered through all episodes. Those of an episode are as many as its last unit has
     * events. */
    for (uint64_t k = 0; k < block->n; k++) {
        uint32_t unit = block->unit[(k + 1) * block->size - 1];
        seed_first[k + 1] = seed_first[k] + events.unit_first[unit + 1] - events.unit_first[unit];
    }
    spk_status status =
        gpu_upload(context, &s->unit, block->unit, places, sizeof *block->unit, what);
    if (status == SPK_OK)
        status = gpu_upload(context, &s->delay, block->delay, places, sizeof *block->delay, what);
    if (status == SPK_OK)
        status =
            gpu_upload(context, &s->seed_first, seed_first, block->n + 1, sizeof *seed_first, what);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->schedule, block->n, sizeof(tracking_schedule), what);
    if (status == SPK_OK)
        status = gpu_clear(context, s->schedule.data, block->n * sizeof(tracking_schedule), what);
    return status;
}

static spk_status count_piece(spk_context *context, tracking_state *s,
                              const spk_episode_block *piece, uint64_t *counts)
{
    uint64_t *seed_first = NULL;
    tracking_schedule *schedule = NULL;
    spk_status status = spk_alloc_columns(context, what, SPK_COLUMN(&seed_first, piece->n + 1),
                                          SPK_COLUMN(&schedule, piece->n));
    if (status == SPK_OK)
        status = upload_block(context, s, piece, seed_first);
    if (status != SPK_OK)
        goto done;
    tracking_block block = {.events = s->events.view,
                            .lo = s->lo.data,
                            .hi = s->hi.data,
                            .n = (uint32_t)piece->n,
                            .size = piece->size,
                            .unit = s->unit.data,
                            .delay = s->delay.data,
                            .seed_first = s->seed_first.data,
                            .schedule = s->schedule.data};
    status = track_block(context, s, block, seed_first[piece->n]);
    if (status == SPK_OK)
        status = gpu_download(context, schedule, block.schedule, piece->n * sizeof *schedule, what);
    for (uint64_t k = 0; k < piece->n && status == SPK_OK; k++)
        counts[k] = schedule[k].count;
done:
    (void)gpu_wait(context, what); /* before host memory goes */
    free(seed_first);
    free(schedule);
    return status;
}

static spk_status count(spk_context *context, void *raw, const spk_episode_block *block,
                        uint64_t *counts)
{
    tracking_state *s = raw;
    spk_status status = SPK_OK;
    for (uint64_t first = 0; first < block->n && status == SPK_OK; first += MOST_EPISODES) {
        uint64_t left = block->n - first;
        spk_episode_block piece = {.size = block->size,
                                   .n = left < MOST_EPISODES ? left : MOST_EPISODES,
                                   .unit = block->unit + first * block->size,
                                   .delay = block->delay + first * block->size};
        status = count_piece(context, s, &piece, counts + first);
    }
    return status;
}

/* PreElim, as the papers' other engines do it. */
static spk_status bound(spk_context *context, void *raw, const spk_episode_block *block,
                        uint64_t *counts)
{
    tracking_state *s = raw;
    spk_status status =
        s->counter == NULL ? papers_counter_open(context, s->job, &s->counter) : SPK_OK;
    return status == SPK_OK ? papers_bound(context, s->counter, block, counts) : status;
}

const spk_episode_engine spk_episode_engine_cuda_tracking = {
    .open = open_job,
    .count = count,
    .bound = bound,
    .close = close_job,
};
