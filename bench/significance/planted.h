/* A chain of units that is planted into a recording, and what of it a test gives back. */
#pragma once

#include "exact_job.h"
#include "trains.h"

/* Units 0 .. size - 1 fire one after the other. */
typedef struct planted {
    uint32_t size;
    uint32_t occurrences; /* starts */
    double delay_s;
    double jitter_s;   /* each delay is uniform in delay_s +- jitter_s */
    double strength;   /* chance of every further unit to follow; else the occurrence ends */
    double missing;    /* chance of each spike to be left out */
    uint16_t interval; /* of episodes: the number of the interval that delay_s lies in */
    double bin_s;      /* of patterns */
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

/* Adds those with keep[i]. Units of an episode belong together where the chain has them as
 * neighbours; intervals matter to the whole alone, since jitter changes them. Spikes of a pattern
 * belong together where their lags differ by the chain's delays, or by as much more or less as its
 * jitter can do. */
void planted_tally_found(planted_tally *tally, const planted *chain, const exact_found *found,
                         const uint8_t *keep);

/* Writes a column for each of n tallies, a tab before it: its five numbers. */
void planted_tallies_print(const planted_tally *tally, size_t n, char *out, size_t size);
