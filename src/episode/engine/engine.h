/*
 * What an episode engine is: one const table of functions, known to the registry and to nobody
 * else. To add one: write a file that defines such a table, and add its line to registry.c. Every
 * engine must give the counts of `reference` (semantics: docs/semantics.md);
 * tests/unit/test_engines.c runs over all that are registered.
 */
#ifndef SPK_EPISODE_ENGINE_ENGINE_H
#define SPK_EPISODE_ENGINE_ENGINE_H

#include "base/context.h"
#include "spikemine/episode.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    int gpus;        /* for engines that run on GPUs: how many devices */
    uint64_t memory; /* bytes that the engine may take; 0: its own default */
    spk_compaction compaction;
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
    uint64_t threshold;
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

typedef struct spk_episode_engine {
    const char *name;
    const char *summary;
    const char *needs;
    /* False, with the reason written, when it cannot run on this machine. */
    bool (*available)(char *reason, size_t reason_size);
    /* Prepares a job. */
    spk_status (*open)(spk_context *context, const spk_episode_job *job, void **state);
    /* counts[i] = count of episode i. */
    spk_status (*count)(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts);
    /* counts[i] = an upper bound of the count, cheaper than the count (PreElim, section 5.2); NULL
     * when the engine has none and counting relaxed intervals has to do. */
    spk_status (*bound)(spk_context *context, void *state, const spk_episode_block *block,
                        uint64_t *counts);
    /* Bytes that counting one more episode of this size takes inside the engine; NULL: next to
     * none. */
    uint64_t (*bytes_per_episode)(uint32_t size);
    /* The whole search, without open; NULL: candidates come in blocks. It looks after the job's
     * GPUs itself. */
    spk_status (*mine)(spk_context *context, const spk_episode_search *search);
    void (*close)(void *state);
    /* It runs on GPUs: open, count, bound and close act on the calling thread's current device, and
     * several devices work side by side (distribute/fleet.h). */
    bool on_gpu;
} spk_episode_engine;

/* All engines, built or not, NULL-terminated: registry.c. */
extern const spk_episode_engine *const spk_episode_engines[];

/* The engine of that name; SPK_ERR_ARGUMENT when unknown (the message lists them),
 * SPK_ERR_UNAVAILABLE with the reason when it cannot run. Never another one. */
spk_status spk_episode_engine_find(spk_context *context, const char *name,
                                   const spk_episode_engine **out);

/* Automatic choices, all in policy.c. */
typedef struct spk_episode_choice {
    const spk_episode_engine *engine;
    const char *reason; /* static text; "" when the user chose */
} spk_episode_choice;
/* What is known of a job before it runs. */
typedef struct spk_episode_work {
    uint64_t n_events;
    size_t n_delays;
    uint64_t n_episodes; /* to count; UINT64_MAX: a search, which makes its own */
} spk_episode_work;

/* Whether the job is large enough for a GPU's start to pay. */
bool spk_episode_worth_a_gpu(const spk_episode_work *work);

/* The engine of that name, or for "auto" and NULL the one for this machine and this work. */
spk_status spk_episode_choose(spk_context *context, const char *name, const spk_episode_work *work,
                              spk_episode_choice *out);

/* Whether two passes pay for this engine where the user left it open. */
bool spk_episode_two_pass_pays(const spk_episode_engine *engine, const spk_tick_delay *delays,
                               size_t n_delays);

#ifdef __cplusplus
}
#endif

#endif
