/* Two-pass elimination over any engine. */
#include "episode/two_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static spk_status open_relaxed(spk_context *context, episode_counter *counter)
{
    const spk_episode_job *job = counter->job;
    spk_status status = spk_alloc(context, (void **)&counter->relaxed_delays, job->n_delays,
                                  sizeof(spk_tick_delay), "relaxed intervals");
    if (status != SPK_OK)
        return status;
    for (size_t d = 0; d < job->n_delays; d++)
        counter->relaxed_delays[d] = (spk_tick_delay){0, job->delays[d].hi};
    counter->relaxed_job = *job;
    counter->relaxed_job.delays = counter->relaxed_delays;
    return counter->engine->open(context, &counter->relaxed_job, &counter->relaxed_state);
}

spk_status episode_counter_open(spk_context *context, const spk_episode_engine *engine,
                                const spk_episode_job *job, bool two_pass, episode_counter *counter)
{
    *counter = (episode_counter){.engine = engine, .job = job, .two_pass = two_pass};
    spk_status status = engine->open(context, job, &counter->state);
    if (status == SPK_OK && two_pass && engine->bound == NULL)
        status = open_relaxed(context, counter);
    if (status != SPK_OK)
        episode_counter_close(counter);
    return status;
}

void episode_counter_close(episode_counter *counter)
{
    if (counter->state != NULL)
        counter->engine->close(counter->state);
    if (counter->relaxed_state != NULL)
        counter->engine->close(counter->relaxed_state);
    free(counter->relaxed_delays);
    *counter = (episode_counter){.engine = NULL};
}

static spk_status first_pass(spk_context *context, episode_counter *counter,
                             const spk_episode_block *block, uint64_t *counts)
{
    if (counter->engine->bound != NULL)
        return counter->engine->bound(context, counter->state, block, counts);
    /* The known counts of the prefixes are exact ones, too small for relaxed intervals. */
    spk_episode_block relaxed = *block;
    relaxed.prefix = NULL;
    relaxed.prefix_count = NULL;
    return counter->engine->count(context, counter->relaxed_state, &relaxed, counts);
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
    spk_status status = spk_alloc(context, (void **)unit, n * size, sizeof **unit, "survivors");
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)delay, n * size, sizeof **delay, "survivors");
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)row, n, sizeof **row, "survivors");
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
        status = spk_alloc(context, (void **)&exact, survivors.n, sizeof *exact, "counts");
    if (status != SPK_OK)
        goto done;
    survivors.unit = unit;
    survivors.delay = delay;
    status = counter->engine->count(context, counter->state, &survivors, exact);
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
    if (!counter->two_pass || block->size == 1 || block->threshold == 0)
        return counter->engine->count(context, counter->state, block, counts);
    spk_status status = first_pass(context, counter, block, counts);
    return status == SPK_OK ? second_pass(context, counter, block, counts, eliminated) : status;
}
