/*
 * Ranks that one process plays, to measure the pieces of a real job. Rank 0 by candidates takes all
 * pieces itself; the last rank by time is told that nothing was counted at its left. What other
 * ranks would say is what this one says.
 */
#ifndef SPK_PLAN_PLAYED_H
#define SPK_PLAN_PLAYED_H

#include "spikemine/ranks.h"

/* A piece that was taken, in order. */
typedef struct spk_played {
    spk_ranks ranks; /* to be set on a context; `user` is this */
    int threads;     /* of the clock */
    double since;    /* when the piece in work was taken; below 0: none is */
    double *piece_s; /* of each piece, also empty ones; malloc'ed */
    uint64_t n;
    uint64_t capacity;
    uint64_t next;     /* number of the next piece */
    uint64_t n_pieces; /* of a round: ranks * 8 */
} spk_played;

/* Rank `rank` of n_ranks; `played` must stay where it is. */
void spk_played_begin(spk_played *played, int rank, int n_ranks, int threads);
void spk_played_free(spk_played *played);

#endif
