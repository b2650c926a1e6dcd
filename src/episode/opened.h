/*
 * An engine at work in its place: in the calling thread, or in worker threads that have a GPU each.
 * What it counts is a block of episodes, of which each device takes a part.
 */
#ifndef SPK_EPISODE_OPENED_H
#define SPK_EPISODE_OPENED_H

#include "distribute/workers.h"
#include "episode/engine/engine.h"

/* Worker threads that have a device each: `enter` makes a worker use its device, `leave` ends that.
 * n 0: none, the engine works in the calling thread and in those that it starts itself. */
typedef struct episode_devices {
    int n;
    spk_worker_task *enter;
    spk_worker_leave *leave;
} episode_devices;

/* An engine opened for a job, in one place or on every device. */
typedef struct episode_opened {
    const spk_episode_engine *engine;
    const spk_episode_job *job;
    void *state; /* without devices */
    spk_workers *workers;
    void **states;   /* of each worker */
    uint64_t *first; /* worker k counts the episodes [first[k], first[k + 1]) of the block */
    const spk_episode_block *block;
    bool bound;
    uint64_t *free_from; /* of each episode, in a stretch of time; else NULL */
    uint64_t *counts;
} episode_opened;

/* Opens; *out must stay where it is until it is closed. On failure there is nothing to close. */
spk_status episode_opened_open(spk_context *context, const spk_episode_engine *engine,
                               const spk_episode_job *job, const episode_devices *devices,
                               episode_opened *out);
void episode_opened_close(episode_opened *opened);

/* counts[i] of the block by engine->count, or by engine->bound. Devices get runs of neighbours of
 * about equal predicted work. */
spk_status episode_opened_count(spk_context *context, episode_opened *opened,
                                const spk_episode_block *block, bool bound, uint64_t *counts);

/* The same in a stretch of time, by engine->resume or engine->resume_bound. */
spk_status episode_opened_resume(spk_context *context, episode_opened *opened,
                                 const spk_episode_block *block, bool bound, uint64_t *free_from,
                                 uint64_t *counts);

/* ---- parts of blocks ------------------------------------------------------------------------- */

/* Episodes first .. last - 1 of a block. */
spk_episode_block episode_block_part(const spk_episode_block *block, uint64_t first, uint64_t last);

/* Cuts a block into n_parts parts of neighbours with about equal predicted work: part k has the
 * episodes first[k] .. first[k + 1] - 1. Errors: SPK_ERR_MEMORY. */
spk_status episode_block_split(spk_context *context, const spk_episode_job *job,
                               const spk_episode_block *block, int n_parts, uint64_t *first);

#endif
