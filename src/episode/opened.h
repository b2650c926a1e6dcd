/*
 * An engine at work in its place: in the calling thread, or in worker threads that have a GPU each.
 * What it counts is a block of episodes, of which each device takes a part.
 */
#pragma once

#include "distribute/ranks.h"
#include "distribute/workers.h"
#include "episode/engine/engine.h"

/* ---- engine time ----------------------------------------------------------------------------- */

/*
 * Engine time: the segments of a recording laid one behind the other, so that no engine needs to
 * know of them. Between two segments lie more ticks than any delay can take:
 *
 *     recording:   |---A---|             |--B--|   |--C--|
 *     engines:     |---A---|  more  |--B--|  more  |--C--|
 *
 * Engines only look at differences of times, and those within a segment stay, as far as a delay can
 * tell them apart. Segments that overlap have copies of their events. An infinite delay becomes one
 * of the longest segment's length.
 */

typedef struct episode_layout {
    const spk_recording *recording; /* for engines */
    spk_recording *own;             /* the same where it is a copy, else NULL */
} episode_layout;

/* Makes it, and bounds the delays by the longest segment. Where no delay reaches from one segment
 * to the next the recording itself will do, which is borrowed. Errors: SPK_ERR_MEMORY,
 * SPK_ERR_RANGE (the copy has more events than a recording holds, or passes 64 bit). */
spk_status episode_layout_make(spk_context *context, const spk_recording *recording,
                               size_t n_delays, spk_tick_delay *delays, episode_layout *out);

void episode_layout_free(episode_layout *layout);

/* ---- an engine at work ----------------------------------------------------------------------- */

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

/* ---- ranks that share a recording by time ---------------------------------------------------- */

/*
 * Ranks that share a recording by time. Each rank holds the events of its own stretch, and before
 * them the margin: as much as the longest episode reaches back over. An occurrence belongs to the
 * stretch in which it ends, and lies in that stretch and its margin:
 *
 *     the whole:  0 ------------------------------------------------------------ n
 *     rank 0:     [ own            )
 *     rank 1:                [mar.][ own            )
 *     rank 2:                                 [mar.][ own                        )
 *
 * What is counted is greedy by earliest end. So all that a rank needs from its left is, for each
 * episode, the end of the last occurrence that was counted there: it counts from there on, and
 * finds none that ends in the margin, since that one would have been counted already. Episodes go
 * from rank to rank in pieces. While rank 1 counts the first piece rank 0 counts the second one.
 * The last rank has the counts, and tells them to all.
 */

/* What a rank holds of a recording. Events of the whole are numbered in order of time. */
typedef struct episode_stretch {
    const spk_recording *recording; /* margin and own events */
    spk_recording *view;            /* the same where it was made here, else NULL */
    uint64_t before;                /* events of the whole that are left of it */
    uint64_t margin;                /* events of the margin, the first ones */
    uint64_t *unit_count;           /* per unit: events of the whole */
} episode_stretch;

/* Takes the rank's stretch of a recording that every rank has: events are shared out evenly, and
 * those at one time stay together. The recording is borrowed until close. Errors: SPK_ERR_MEMORY.
 */
spk_status episode_stretch_take(spk_context *context, const spk_ranks *ranks,
                                const spk_recording *whole, const spk_tick_delay *delays,
                                size_t n_delays, uint32_t max_size, episode_stretch *out);

/* The same of a recording that is the rank's part already, and joined (spk_ranks_join_parts).
 * Errors also: SPK_ERR_ARGUMENT (not joined; a margin that is too short for the delays). */
spk_status episode_stretch_adopt(spk_context *context, const spk_ranks *ranks,
                                 const spk_recording *recording, const spk_tick_delay *delays,
                                 size_t n_delays, uint32_t max_size, episode_stretch *out);
void episode_stretch_close(episode_stretch *stretch);

/* Whether an engine, its passes and the ranks can do it. Errors: SPK_ERR_UNSUPPORTED. */
spk_status episode_stretch_check(spk_context *context, const spk_ranks *ranks, const char *name,
                                 const spk_episode_engine *engine, bool two_pass);

/* counts[i] of the block in the whole recording, the same in all ranks, or the engine's bounds of
 * them; the engine was opened for the stretch. Collective. */
spk_status episode_stretch_count(spk_context *context, const spk_ranks *ranks,
                                 const episode_stretch *stretch, episode_opened *opened,
                                 const spk_episode_block *block, bool bound, uint64_t *counts);
