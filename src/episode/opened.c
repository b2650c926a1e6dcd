/* An engine in its place. */
#include "episode/opened.h"

#include <stdlib.h>

#include "base/memory.h"

/* ---- parts of blocks ------------------------------------------------------------------------- */

spk_episode_block episode_block_part(const spk_episode_block *block, uint64_t first, uint64_t last)
{
    spk_episode_block part = *block;
    part.n = last - first;
    part.unit += first * part.size;
    part.delay += first * part.size;
    if (part.prefix != NULL)
        part.prefix += first;
    return part;
}

/* An episode's work grows with the occurrences of its prefix, or else with the events of its units.
 */
static uint64_t predicted_work(const spk_events *events, const spk_episode_block *block, uint64_t k)
{
    if (block->prefix != NULL)
        return 1 + block->prefix_count[block->prefix[k]];
    uint64_t work = 1;
    for (uint32_t p = 0; p < block->size; p++) {
        uint32_t unit = block->unit[k * block->size + p];
        work += events->unit_first[unit + 1] - events->unit_first[unit];
    }
    return work;
}

spk_status episode_block_split(spk_context *context, const spk_episode_job *job,
                               const spk_episode_block *block, int n_parts, uint64_t *first)
{
    uint64_t *work_before = NULL;
    spk_events events = spk_recording_events(job->recording);
    spk_status status = spk_alloc(context, &work_before, block->n + 1, "devices");
    if (status != SPK_OK)
        return status;
    work_before[0] = 0;
    for (uint64_t k = 0; k < block->n; k++)
        work_before[k + 1] = work_before[k] + predicted_work(&events, block, k);
    spk_split(block->n, work_before, n_parts, first);
    free(work_before);
    return SPK_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static spk_status open_worker(spk_context *context, int worker, void *user)
{
    episode_opened *opened = user;
    return opened->engine->open(context, opened->job, &opened->states[worker]);
}

static spk_status close_worker(spk_context *context, int worker, void *user)
{
    (void)context;
    episode_opened *opened = user;
    if (opened->states[worker] != NULL)
        opened->engine->close(opened->states[worker]);
    opened->states[worker] = NULL;
    return SPK_OK;
}

void episode_opened_close(episode_opened *opened)
{
    if (opened->state != NULL)
        opened->engine->close(opened->state);
    if (opened->workers != NULL)
        (void)spk_workers_run(NULL, opened->workers, close_worker, opened);
    spk_workers_close(opened->workers);
    free(opened->states);
    free(opened->first);
    *opened = (episode_opened){.engine = NULL};
}

static spk_status open_on_devices(spk_context *context, const episode_devices *devices,
                                  episode_opened *opened)
{
    uint64_t n = (uint64_t)devices->n;
    spk_status status = spk_alloc_columns(context, "devices", SPK_COLUMN_ZERO(&opened->states, n),
                                          SPK_COLUMN(&opened->first, n + 1));
    if (status == SPK_OK)
        status = spk_workers_open(context, devices->n, opened->job->threads, devices->enter,
                                  devices->leave, NULL, &opened->workers);
    return status == SPK_OK ? spk_workers_run(context, opened->workers, open_worker, opened)
                            : status;
}

spk_status episode_opened_open(spk_context *context, const spk_episode_engine *engine,
                               const spk_episode_job *job, const episode_devices *devices,
                               episode_opened *out)
{
    *out = (episode_opened){.engine = engine, .job = job};
    spk_status status = devices->n > 0 ? open_on_devices(context, devices, out)
                                       : engine->open(context, job, &out->state);
    if (status != SPK_OK)
        episode_opened_close(out);
    return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Counts a part of opened->block that begins with its episode `first`. */
static spk_status count_in(spk_context *context, const episode_opened *opened, void *state,
                           const spk_episode_block *part, uint64_t first)
{
    const spk_episode_engine *engine = opened->engine;
    uint64_t *counts = opened->counts + first;
    if (opened->free_from != NULL)
        return (opened->bound ? engine->resume_bound : engine->resume)(
            context, state, part, opened->free_from + first, counts);
    return (opened->bound ? engine->bound : engine->count)(context, state, part, counts);
}

static spk_status count_part(spk_context *context, int worker, void *user)
{
    const episode_opened *opened = user;
    uint64_t first = opened->first[worker];
    spk_episode_block part = episode_block_part(opened->block, first, opened->first[worker + 1]);
    if (part.n == 0)
        return SPK_OK;
    return count_in(context, opened, opened->states[worker], &part, first);
}

spk_status episode_opened_resume(spk_context *context, episode_opened *opened,
                                 const spk_episode_block *block, bool bound, uint64_t *free_from,
                                 uint64_t *counts)
{
    opened->block = block;
    opened->bound = bound;
    opened->free_from = free_from;
    opened->counts = counts;
    if (opened->workers == NULL)
        return count_in(context, opened, opened->state, block, 0);
    spk_status status = episode_block_split(context, opened->job, block,
                                            spk_workers_size(opened->workers), opened->first);
    return status == SPK_OK ? spk_workers_run(context, opened->workers, count_part, opened)
                            : status;
}

spk_status episode_opened_count(spk_context *context, episode_opened *opened,
                                const spk_episode_block *block, bool bound, uint64_t *counts)
{
    return episode_opened_resume(context, opened, block, bound, NULL, counts);
}
