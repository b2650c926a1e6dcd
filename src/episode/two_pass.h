/*
 * Two-pass elimination (PreElim, section 5.2 of the papers): a cheap upper bound of every count
 * first, the exact count only for the candidates that the bound leaves.
 */
#ifndef SPK_EPISODE_TWO_PASS_H
#define SPK_EPISODE_TWO_PASS_H

#include "episode/engine/engine.h"

/* The candidates that a first pass leaves. */
typedef struct two_pass_survivors {
    spk_episode_block block; /* to be counted; its columns are those below */
    uint64_t *count;         /* their exact counts, for the caller to fill in */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *row; /* where in the whole block each was */
} two_pass_survivors;

/* Takes the candidates whose bound reaches the block's support. */
spk_status two_pass_survivors_take(spk_context *context, const spk_episode_block *block,
                                   const uint64_t *bounds, two_pass_survivors *out);

/* counts[] of the whole block of n: the survivors' exact counts, 0 for the others. */
void two_pass_survivors_spread(const two_pass_survivors *survivors, uint64_t n, uint64_t *counts);

void two_pass_survivors_free(two_pass_survivors *survivors);

/* The job with every lower bound of its delay intervals at 0: its counts are upper bounds, for
 * engines that have no cheaper one. *delays is the new job's table; free it with free(). */
spk_status two_pass_relax(spk_context *context, const spk_episode_job *job, spk_tick_delay **delays,
                          spk_episode_job *relaxed);

#endif
