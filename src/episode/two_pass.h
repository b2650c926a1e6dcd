/*
 * Counting a block of candidates, in one pass or two (section 5.2 of the papers): a cheap upper
 * bound first, the exact count only for those it leaves.
 */
#ifndef SPK_EPISODE_TWO_PASS_H
#define SPK_EPISODE_TWO_PASS_H

#include "distribute/fleet.h"
#include "episode/engine/engine.h"

/* An opened engine: its state, or the fleet that has one on every GPU. */
typedef struct episode_opened {
    const spk_episode_engine *engine;
    void *state;
    spk_fleet *fleet;
} episode_opened;

/* An engine at work on a job, with what two passes need. */
typedef struct episode_counter {
    const spk_episode_engine *engine;
    const spk_episode_job *job;
    episode_opened exact;
    bool two_pass;
    spk_episode_phases phases; /* so far; the caller adds to `candidates` */
    /* For engines without a bound of their own: the same job with every lo = 0. */
    spk_episode_job relaxed_job;
    spk_tick_delay *relaxed_delays;
    episode_opened relaxed;
} episode_counter;

spk_status episode_counter_open(spk_context *context, const spk_episode_engine *engine,
                                const spk_episode_job *job, bool two_pass,
                                episode_counter *counter);
void episode_counter_close(episode_counter *counter);

/* Counts a block; a candidate that the first pass drops gets count 0. *eliminated grows by how many
 * it dropped. */
spk_status episode_counter_count(spk_context *context, episode_counter *counter,
                                 const spk_episode_block *block, uint64_t *counts,
                                 uint64_t *eliminated);

#endif
