/*
 * Spike trains for the studies of significance: processes whose units know nothing of each other,
 * and patterns planted into them. Drawn by a generator of their own (SplitMix64), so that nothing
 * is shared with the library's surrogates.
 */
#pragma once

#include "spikemine/spikemine.h"

/* Ticks a second of all recordings here. No time is a whole number of milliseconds, so that
 * programs that divide in floating point find the same bins. */
enum { TRAINS_RATE = 1000000 };

/* ---- random numbers -------------------------------------------------------------------------- */

typedef struct trains_random {
    uint64_t state;
} trains_random;

/* A sequence for each (seed, a, b, c). */
trains_random trains_start(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);
/* Uniform in (0, 1); exponential with mean 1; uniform in 0 .. bound - 1. */
double trains_unit(trains_random *random);
double trains_exponential(trains_random *random);
uint32_t trains_below(trains_random *random, uint32_t bound);

/* ---- growing trains -------------------------------------------------------------------------- */

typedef struct trains {
    uint64_t n, room;
    int64_t *time;
    uint32_t *unit;
    bool failed; /* memory ran out; trains_recording tells */
} trains;

/* Appends a spike at `seconds`. */
void trains_add(trains *t, uint32_t unit, double seconds);
/* What was added, as a recording of [0, seconds) in segments of equal length. Frees the trains. */
spk_status trains_recording(spk_context *context, trains *t, uint32_t n_units, double seconds,
                            uint32_t n_segments, spk_recording **out);

/* ---- processes ------------------------------------------------------------------------------- */

/* A renewal process in operational time: intervals are a dead time and then a gamma of whole order,
 * `order` exponentials. Rate as a function of time, at most `most`, by thinning for order 1 and by
 * rescaling of time else. */
typedef struct trains_process {
    uint32_t order;
    double dead_s;
    double rate_hz;        /* mean */
    double depth, wave_hz; /* rate_hz * (1 + depth * sin(2 pi wave_hz t)) for all units alike */
} trains_process;

/* One unit in [0, seconds), in equilibrium. */
void trains_renewal(trains *t, trains_random *random, uint32_t unit, const trains_process *process,
                    double seconds);

/* The same rate in cycles of the unit's own, each up to `wander` of its length longer or shorter:
 * the phases of two units know nothing of each other. Of order 1 and without dead time only. */
void trains_rhythm(trains *t, trains_random *random, uint32_t unit, const trains_process *process,
                   double wander, double seconds);

/* Bursts of n_spikes, each gap_s behind the one before it; rate_hz is that of the spikes. */
void trains_bursts(trains *t, trains_random *random, uint32_t unit, double rate_hz,
                   uint32_t n_spikes, double gap_s, double seconds);

/* Poisson spikes with this rate in [from, to). */
void trains_poisson(trains *t, trains_random *random, uint32_t unit, double rate_hz, double from,
                    double to);
