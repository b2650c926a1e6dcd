/*
 * What the plan measures: how much memory a part of the program takes, how long the pieces of a job
 * take that ranks would share, and the line through costs that were measured.
 */
#pragma once

#include <stddef.h>

#include "spikemine/ranks.h"

/* ---- peaks of memory, as the system counts it ------------------------------------------------ */

/* Bytes of the process now; 0 where the system does not say. From now on the peak is counted. */
double spk_peak_begin(void);

/* Bytes that the peak since then lies above `begin`, without the first 4 MB, which any work takes;
 * 0 where `begin` is 0. */
double spk_peak_end(double begin);

/*
 * Ranks that one process plays, to measure the pieces of a real job. Rank 0 by candidates takes all
 * pieces itself; the last rank by time is told that nothing was counted at its left. What other
 * ranks would say is what this one says.
 */

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

/* ---- a line through costs -------------------------------------------------------------------- */

/* y = a + b * x, with neither a nor b below 0, by least squares of (a + b * x - y) / y: what was
 * measured is wrong by a share of itself. Points with y <= 0 are left out; without any a = b = 0,
 * and points of one x give b = y / x. x is above 0. */
void spk_plan_fit(size_t n, const double *x, const double *y, double *a, double *b);
