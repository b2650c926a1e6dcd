/* One engine on several devices. */
#include "distribute/fleet.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

struct spk_fleet {
    const spk_episode_engine *engine;
    const spk_episode_job *job;
    spk_workers *workers;
    void **state; /* per worker */
    /* The present block. */
    const spk_episode_block *block;
    bool bound;
    uint64_t *first; /* per worker + 1 */
    uint64_t *counts;
};

void spk_split(uint64_t n, const uint64_t *weight_before, int n_parts, uint64_t *first)
{
    assert(n_parts > 0 && weight_before[0] == 0);
    uint64_t all = weight_before[n];
    uint64_t at = 0;
    first[0] = 0;
    for (int k = 1; k < n_parts; k++) {
        /* all * k may pass 64 bits */
        uint64_t goal = (uint64_t)((unsigned __int128)all * (unsigned)k / (unsigned)n_parts);
        while (at < n && weight_before[at] < goal)
            at++;
        first[k] = at;
    }
    first[n_parts] = n;
}

static spk_status open_worker(spk_context *context, int worker, void *user)
{
    spk_fleet *fleet = user;
    return fleet->engine->open(context, fleet->job, &fleet->state[worker]);
}

static spk_status close_worker(spk_context *context, int worker, void *user)
{
    (void)context;
    spk_fleet *fleet = user;
    if (fleet->state[worker] != NULL)
        fleet->engine->close(fleet->state[worker]);
    fleet->state[worker] = NULL;
    return SPK_OK;
}

void spk_fleet_close(spk_fleet *fleet)
{
    if (fleet == NULL)
        return;
    if (fleet->workers != NULL)
        (void)spk_workers_run(NULL, fleet->workers, close_worker, fleet);
    spk_workers_close(fleet->workers);
    free(fleet->state);
    free(fleet->first);
    free(fleet);
}

spk_status spk_fleet_open(spk_context *context, const spk_episode_engine *engine,
                          const spk_episode_job *job, int n_workers, spk_worker_task *enter,
                          spk_worker_leave *leave, spk_fleet **out)
{
    assert(engine != NULL && n_workers > 0);
    *out = NULL;
    spk_fleet *fleet = NULL;
    spk_status status = spk_alloc_zero(context, &fleet, 1, "devices");
    if (status != SPK_OK)
        return status;
    *fleet = (spk_fleet){.engine = engine, .job = job};
    uint64_t n = (uint64_t)n_workers;
    status = spk_alloc_columns(context, "devices", SPK_COLUMN_ZERO(&fleet->state, n),
                               SPK_COLUMN(&fleet->first, n + 1));
    if (status == SPK_OK)
        status =
            spk_workers_open(context, n_workers, job->threads, enter, leave, NULL, &fleet->workers);
    if (status == SPK_OK)
        status = spk_workers_run(context, fleet->workers, open_worker, fleet);
    if (status == SPK_OK)
        *out = fleet;
    else
        spk_fleet_close(fleet);
    return status;
}

static spk_status count_part(spk_context *context, int worker, void *user)
{
    spk_fleet *fleet = user;
    uint64_t first = fleet->first[worker];
    spk_episode_block part = *fleet->block;
    part.n = fleet->first[worker + 1] - first;
    if (part.n == 0)
        return SPK_OK;
    part.unit += first * part.size;
    part.delay += first * part.size;
    if (part.prefix != NULL)
        part.prefix += first;
    return (fleet->bound ? fleet->engine->bound : fleet->engine->count)(
        context, fleet->state[worker], &part, fleet->counts + first);
}

/* A candidate's work grows with the occurrences of its prefix, or else with the events of its
 * units. */
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

spk_status spk_fleet_count(spk_context *context, spk_fleet *fleet, const spk_episode_block *block,
                           bool bound, uint64_t *counts)
{
    assert(!bound || fleet->engine->bound != NULL);
    uint64_t *work_before = NULL;
    spk_events events = spk_recording_events(fleet->job->recording);
    spk_status status = spk_alloc(context, &work_before, block->n + 1, "devices");
    if (status != SPK_OK)
        return status;
    work_before[0] = 0;
    for (uint64_t k = 0; k < block->n; k++)
        work_before[k + 1] = work_before[k] + predicted_work(&events, block, k);
    spk_split(block->n, work_before, spk_workers_size(fleet->workers), fleet->first);
    free(work_before);
    fleet->block = block;
    fleet->bound = bound;
    fleet->counts = counts;
    return spk_workers_run(context, fleet->workers, count_part, fleet);
}
