/* A chain of units that is planted into a recording, and what of it a test gives back. */
#ifndef BENCH_SIGNIFICANCE_PLANTED_H
#define BENCH_SIGNIFICANCE_PLANTED_H

#include "trains.h"

/* Units 0 .. size - 1 fire one after the other. */
typedef struct planted {
    uint32_t size;
    uint32_t occurrences; /* starts */
    double delay_s;
    double jitter_s; /* each delay is uniform in delay_s +- jitter_s */
    double strength; /* chance of every further unit to follow; else the occurrence ends */
} planted;

/* Adds the occurrences: start k lies anywhere in the k-th of equal stretches of the recording, so
 * that occurrences do not overlap. */
void planted_add(const planted *chain, trains *t, trains_random *random, double seconds);

/* Results of a test by what they hold of the chain. */
typedef struct planted_tally {
    uint64_t whole;  /* the chain itself */
    uint64_t parts;  /* of it, three units or more, and nothing else */
    uint64_t pairs;  /* two units of it, and nothing else */
    uint64_t mixed;  /* two units of it or more, and something else */
    uint64_t others; /* no two units of it: a false result */
} planted_tally;

/* Adds result i. Units of an episode belong together where the chain has them as neighbours;
 * intervals matter to the whole alone, since jitter changes them. `interval` is the number of the
 * interval with the chain's delay. */
void planted_tally_episode(planted_tally *tally, const planted *chain, uint16_t interval,
                           const spk_episode_columns *episodes, uint64_t i);
/* Spikes of a pattern belong together where their lags differ by the chain's delays, or by as much
 * more or less as its jitter can do. */
void planted_tally_pattern(planted_tally *tally, const planted *chain, double bin_s,
                           const spk_pattern_columns *patterns, uint64_t i);

#endif
