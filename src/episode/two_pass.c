/* Two-pass elimination over any engine. */
#include "episode/two_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/gpus.h"

/* ---- engines, on one processor or on GPUs ---------------------------------------------------- */

static spk_status open_engine(spk_context *context, const spk_episode_engine *engine,
                              const spk_episode_job *job, episode_opened *opened)
{
    *opened = (episode_opened){.engine = engine};
    if (!engine->on_gpu)
        return engine->open(context, job, &opened->state);
    return spk_fleet_open(context, engine, job, job->gpus, spk_gpus_enter, spk_gpus_leave,
                          &opened->fleet);
}

static spk_status run_engine(spk_context *context, const episode_opened *opened, bool bound,
                             const spk_episode_block *block, uint64_t *counts)
{
    if (opened->fleet != NULL)
        return spk_fleet_count(context, opened->fleet, block, bound, counts);
    return (bound ? opened->engine->bound : opened->engine->count)(context, opened->state, block,
                                                                   counts);
}

static void close_engine(episode_opened *opened)
{
    if (opened->state != NULL)
        opened->engine->close(opened->state);
    spk_fleet_close(opened->fleet);
    *opened = (episode_opened){.engine = NULL};
}

/* ---- two passes ------------------------------------------------------------------------------ */

static spk_status open_relaxed(spk_context *context, episode_counter *counter)
{
    const spk_episode_job *job = counter->job;
    spk_status status =
        spk_alloc(context, &counter->relaxed_delays, job->n_delays, "relaxed intervals");
    if (status != SPK_OK)
        return status;
    for (size_t d = 0; d < job->n_delays; d++)
        counter->relaxed_delays[d] = (spk_tick_delay){0, job->delays[d].hi};
    counter->relaxed_job = *job;
    counter->relaxed_job.delays = counter->relaxed_delays;
    return open_engine(context, counter->engine, &counter->relaxed_job, &counter->relaxed);
}

spk_status episode_counter_open(spk_context *context, const spk_episode_engine *engine,
                                const spk_episode_job *job, bool two_pass, episode_counter *counter)
{
    double start = spk_seconds_now();
    *counter = (episode_counter){.engine = engine, .job = job, .two_pass = two_pass};
    spk_status status = open_engine(context, engine, job, &counter->exact);
    if (status == SPK_OK && two_pass && engine->bound == NULL)
        status = open_relaxed(context, counter);
    counter->phases.opening = spk_seconds_now() - start;
    if (status != SPK_OK)
        episode_counter_close(counter);
    return status;
}

void episode_counter_close(episode_counter *counter)
{
    close_engine(&counter->exact);
    close_engine(&counter->relaxed);
    free(counter->relaxed_delays);
    *counter = (episode_counter){.engine = NULL};
}

static spk_status first_pass(spk_context *context, episode_counter *counter,
                             const spk_episode_block *block, uint64_t *counts)
{
    if (counter->engine->bound != NULL)
        return run_engine(context, &counter->exact, true, block, counts);
    /* The known counts of the prefixes are exact ones, too small for relaxed intervals. */
    spk_episode_block relaxed = *block;
    relaxed.prefix = NULL;
    relaxed.prefix_count = NULL;
    return run_engine(context, &counter->relaxed, false, &relaxed, counts);
}

/* A block of the candidates whose bound reaches the threshold; `row` tells which they were. */
static spk_status copy_survivors(spk_context *context, const spk_episode_block *block,
                                 const uint64_t *bounds, uint32_t **unit, uint16_t **delay,
                                 uint64_t **row, uint64_t *n_out)
{
    uint32_t size = block->size;
    uint64_t n = 0;
    for (uint64_t k = 0; k < block->n; k++)
        n += bounds[k] >= block->threshold;
    spk_status status = spk_alloc_columns(context, "survivors", SPK_COLUMN(unit, n * size),
                                          SPK_COLUMN(delay, n * size), SPK_COLUMN(row, n));
    *n_out = 0;
    for (uint64_t k = 0; k < block->n && status == SPK_OK; k++) {
        if (bounds[k] < block->threshold)
            continue;
        memcpy(*unit + *n_out * size, block->unit + k * size, size * sizeof **unit);
        memcpy(*delay + *n_out * size, block->delay + k * size, size * sizeof **delay);
        (*row)[(*n_out)++] = k;
    }
    return status;
}

static spk_status second_pass(spk_context *context, episode_counter *counter,
                              const spk_episode_block *block, uint64_t *counts,
                              uint64_t *eliminated)
{
    uint32_t *unit = NULL;
    uint16_t *delay = NULL;
    uint64_t *row = NULL;
    uint64_t *exact = NULL;
    spk_episode_block survivors = {.size = block->size, .threshold = block->threshold};
    spk_status status = copy_survivors(context, block, counts, &unit, &delay, &row, &survivors.n);
    if (status == SPK_OK)
        status = spk_alloc(context, &exact, survivors.n, "counts");
    if (status != SPK_OK)
        goto done;
    survivors.unit = unit;
    survivors.delay = delay;
    status = run_engine(context, &counter->exact, false, &survivors, exact);
    if (status != SPK_OK)
        goto done;
    memset(counts, 0, block->n * sizeof *counts);
    for (uint64_t k = 0; k < survivors.n; k++)
        counts[row[k]] = exact[k];
    *eliminated += block->n - survivors.n;
done:
    free(unit);
    free(delay);
    free(row);
    free(exact);
    return status;
}

spk_status episode_counter_count(spk_context *context, episode_counter *counter,
                                 const spk_episode_block *block, uint64_t *counts,
                                 uint64_t *eliminated)
{
    double start = spk_seconds_now();
    bool two_pass = counter->two_pass && block->size > 1 && block->threshold > 0;
    spk_status status = SPK_OK;
    if (two_pass) {
        status = first_pass(context, counter, block, counts);
        counter->phases.bounding += spk_seconds_now() - start;
        start = spk_seconds_now();
    }
    if (status == SPK_OK)
        status = two_pass ? second_pass(context, counter, block, counts, eliminated)
                          : run_engine(context, &counter->exact, false, block, counts);
    counter->phases.counting += spk_seconds_now() - start;
    return status;
}
