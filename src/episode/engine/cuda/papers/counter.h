/*
 * What the engines of the papers' GPU strategies (cuda-ptpe, cuda-mtpe, cuda-hybrid) share: the
 * recording on the calling thread's device, blocks of candidates in pieces that fit its memory, and
 * the kernels.
 */
#pragma once

#include "cuda/shared.h"
#include "cuda/staging.h"
#include "episode/engine/engine.h"

SPK_BEGIN_C

/* The recording and the delay intervals on a device; passed by value. A tick is uint64_t where
 * `wide`, else uint32_t (machine.h). */
typedef struct papers_recording {
    bool wide;
    uint32_t n_events;
    const void *event; /* struct machine_event */
    const void *lo;    /* ticks, one per interval */
    const void *hi;
} papers_recording;

/* Episodes of one size on a device; passed by value. */
typedef struct papers_episodes {
    uint32_t n;
    uint32_t size;
    const uint32_t *unit; /* n * size, as in spk_episode_block */
    const uint16_t *delay;
    uint32_t *count; /* n; MACHINE_UNKNOWN: not counted, its lists overflowed */
} papers_episodes;

typedef struct papers_counter {
    const spk_episode_job *job;
    papers_recording recording;
    uint64_t base; /* the time of tick 0 */
    gpu_facts facts;
    uint64_t memory; /* bytes for everything beyond the recording */
    gpu_buffer event, lo, hi;
    gpu_buffer unit, delay, count; /* the present piece */
    gpu_buffer row, stamp;         /* episodes that overflowed */
    gpu_buffer tuple, joined;      /* MTPE */
    gpu_buffer first, border;
    uint64_t host_capacity;
    uint32_t *host_count; /* counts of the present piece */
    uint32_t *host_row;
} papers_counter;

/* Puts the recording on the calling thread's device. */
spk_status papers_counter_open(spk_context *context, const spk_episode_job *job,
                               papers_counter **out);
void papers_counter_close(papers_counter *p);

/* Puts the bounds of the job's intervals on the device as ticks, of 64 bits where `wide`. */
spk_status papers_upload_bounds(spk_context *context, const spk_episode_job *job, bool wide,
                                gpu_staging *staging, gpu_buffer *lo, gpu_buffer *hi);

/* Counts one piece on the device: fills episodes->count. `host` is the same piece in host memory.
 */
typedef spk_status papers_method(spk_context *context, papers_counter *p,
                                 const spk_episode_block *host, const papers_episodes *episodes);

/* Counts a block by a method, piece by piece; bytes_each: what the method takes for an episode
 * beside the episode itself. Episodes that overflow are counted again with larger lists. */
spk_status papers_counter_run(spk_context *context, papers_counter *p,
                              const spk_episode_block *block, papers_method *method,
                              uint64_t bytes_each, uint64_t *counts);

/* The methods as engines offer them. */
spk_status papers_count_ptpe(spk_context *context, papers_counter *p,
                             const spk_episode_block *block, uint64_t *counts);
spk_status papers_count_mtpe(spk_context *context, papers_counter *p,
                             const spk_episode_block *block, uint64_t *counts);
spk_status papers_bound(spk_context *context, papers_counter *p, const spk_episode_block *block,
                        uint64_t *counts);

/* A papers_method: PTPE. */
spk_status papers_piece_ptpe(spk_context *context, papers_counter *p, const spk_episode_block *host,
                             const papers_episodes *episodes);

/* ---- kernels (ptpe.cu) ----------------------------------------------------------------------- */

/* Algorithm 1, a thread an episode, lists of a few stamps. */
spk_status ptpe_count(spk_context *context, papers_recording recording, papers_episodes episodes,
                      uint32_t threads);

/* The same for the episodes row[0 .. n_rows - 1], with lists of `capacity` stamps (a power of two)
 * at `stamp`: ptpe_stamps ticks for each row. */
spk_status ptpe_count_rows(spk_context *context, papers_recording recording,
                           papers_episodes episodes, uint32_t n_rows, const uint32_t *row,
                           uint32_t capacity, void *stamp);
SPK_SHARED uint64_t ptpe_stamps(uint32_t size, uint32_t capacity)
{
    return (uint64_t)(size - 1) * capacity;
}

/* PreElim, a thread an episode. */
spk_status ptpe_bound(spk_context *context, papers_recording recording, papers_episodes episodes,
                      uint32_t threads);

/* Threads of ptpe_count's kernel for this size that the current device holds at once. */
spk_status ptpe_resident(spk_context *context, bool wide, uint32_t size, uint64_t *threads);

/* Stamps that a list of ptpe_count holds. */
uint32_t ptpe_capacity(uint32_t size);

SPK_END_C
