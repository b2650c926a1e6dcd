/* Cross-correlograms of all pairs of units, and how far their peaks lie above what is around. */
#pragma once

#include "spikemine/spikemine.h"

enum {
    CORRELOGRAM_LAGS = 100, /* bins of 1 ms behind an event of the first unit */
    CORRELOGRAM_PEAK = 10,  /* of them, those in which a connection shows */
    CORRELOGRAM_FLANK = 50  /* the first that no connection reaches */
};

typedef struct correlograms {
    uint32_t n_units;
    uint32_t *bin; /* bin[(from * n_units + to) * CORRELOGRAM_LAGS + lag] */
} correlograms;

/* Of bins of bin_ticks, here called a millisecond. Free with correlograms_free. */
spk_status correlograms_make(const spk_recording *recording, int64_t bin_ticks, correlograms *out);
void correlograms_free(correlograms *c);

/* The largest sum of `width` bins, 1 or 5, among the first 10, in standard deviations of such sums
 * in the flanks on both sides, 50 to 100 ms away. */
double correlogram_z(const correlograms *c, uint32_t from, uint32_t to, uint32_t width);

/* The largest -log10 of the chance that a Poisson number reaches a bin among the first 10, where
 * its mean is the correlogram convolved with a Gaussian of 10 ms that is hollow in the middle
 * (Stark & Abeles 2009: hollow fraction 0.6). */
double correlogram_hollow(const correlograms *c, uint32_t from, uint32_t to);
