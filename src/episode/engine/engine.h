/*
 * What an episode engine is: one const table of functions, known to the registry and to nobody
 * else. To add one: write a file that defines such a table, and add its line to engine/list.h.
 * Every engine must give the counts of `reference` (semantics: docs/explanation/semantics.md);
 * tests/unit/test_engines.c runs over all that are listed.
 */
#pragma once

#include "base/context.h"
#include "engine/list.h"
#include "spikemine/episode.h"

SPK_BEGIN_C

/* A delay interval in ticks: lo < delay <= hi. hi = UINT64_MAX admits every delay. */
typedef struct spk_tick_delay {
    uint64_t lo;
    uint64_t hi;
} spk_tick_delay;

/* True when `later` follows `earlier` within the interval. Times may be as far apart as int64 goes.
 */
static inline bool spk_tick_delay_admits(spk_tick_delay delay, int64_t earlier, int64_t later)
{
    if (later <= earlier)
        return false;
    uint64_t distance = (uint64_t)later - (uint64_t)earlier;
    return distance > delay.lo && distance <= delay.hi;
}

/* What stays the same during a run; borrowed until close. */
typedef struct spk_episode_job {
    const spk_recording *recording;
    const spk_tick_delay *delays;
    size_t n_delays;
    int threads;
    int gpus;                  /* how many devices; 0 for engines on processors */
    uint64_t memory;           /* bytes that the engine may take; 0: its own default */
    spk_compaction compaction; /* for engine cuda-tracking */
} spk_episode_job;

/* Episodes to count, all of one size, in lexicographic order of (unit 0, delay 1, unit 1, delay 2,
 * ...), so that episodes with a common prefix are neighbours. */
typedef struct spk_episode_block {
    uint32_t size;
    uint64_t n;
    const uint32_t *unit;  /* n * size */
    const uint16_t *delay; /* n * size; entry p leads to position p, entry 0 is 0 */
    /* Where the caller knows the counts of the episodes without their last position: episode k's is
     * prefix_count[prefix[k]]. Both NULL where it does not. */
    const uint32_t *prefix;
    const uint64_t *prefix_count;
    /* A count below it may be given as any number below it; 0: all counts exact. */
    uint64_t support;
} spk_episode_block;

/* A whole search, for engines that keep its levels where they count. */
typedef struct spk_episode_search {
    const spk_episode_job *job;
    uint64_t support;
    uint32_t max_size;
    /* Takes each size's frequent episodes in canonical order with the facts of their level, sizes
     * ascending from 1, the last level also when it is empty; the table of intervals is added on
     * the way. A status other than SPK_OK ends the search. Called from the thread that called
     * mine. */
    spk_episode_sink *deliver;
    void *user;
} spk_episode_search;

/* The functions of an engine. An engine for GPUs works on the calling thread's current device:
 * open, close and what counts are called on a thread for each device, side by side. */
typedef struct spk_episode_engine {
    /* Prepares a job. */
    spk_status (*open)(spk_context *context, const spk_episode_job *job, void **state);
    /* counts[i] = count of episode i. */
    spk_status (*count)(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts);
    /* Counts in a stretch of a recording whose earlier events are elsewhere, for a block of size 2
     * or more; exact whatever the support. No occurrence may start with an event numbered below
     * free_from[i]. On return free_from[i] is the number of the first event that is later than the
     * end of the last one counted, and as it was where none was counted. NULL: it cannot. */
    spk_status (*resume)(spk_context *context, void *state, const spk_episode_block *block,
                         uint64_t *free_from, uint64_t *counts);
    /* counts[i] = an upper bound of the count, cheaper than the count (PreElim, section 5.2); NULL
     * when the engine has none and counting relaxed intervals has to do. */
    spk_status (*bound)(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts);
    /* The bound in a stretch, as `resume` counts there; free_from[i] becomes the number of the
     * event from which on the bound goes on counting. NULL where `bound` is, or where it cannot. */
    spk_status (*resume_bound)(spk_context *context, void *state, const spk_episode_block *block,
                               uint64_t *free_from, uint64_t *counts);
    /* Bytes that counting one more episode of this size takes inside the engine; NULL: next to
     * none. */
    uint64_t (*bytes_per_episode)(uint32_t size);
    /* The whole search, without open; NULL: candidates come in blocks. It looks after the job's
     * GPUs itself. */
    spk_status (*mine)(spk_context *context, const spk_episode_search *search);
    void (*close)(void *state);
} spk_episode_engine;

/* The tables of all listed engines. */
#define SPK_EPISODE_ENGINE_DECLARE(symbol, name, kind, summary)                                    \
    extern const spk_episode_engine spk_episode_engine_##symbol;
SPK_EPISODE_ENGINES(SPK_EPISODE_ENGINE_DECLARE)

SPK_END_C
