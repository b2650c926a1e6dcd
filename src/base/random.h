/*
 * Counter-based random numbers (Philox 4x32-10: Salmon, Moraes, Dror & Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011) and the few distributions that the generators need.
 *
 * A sequence, which others call a random stream, is named by (seed, use, index) and depends on
 * nothing else. `use` is a number of the caller's for what the numbers are needed for, and keeps
 * sequences of different purposes apart. Work may be cut into pieces in any way: every piece (unit,
 * burst, surrogate) gets its own index.
 *
 * Reproducibility: logarithm, exponential and sine are our own, from +, -, *, / and sqrt in double,
 * which IEEE 754 rounds the same everywhere. So all draws are the same on every machine that
 * evaluates double in double (x86-64, aarch64, POWER, RISC-V; not the x87 unit), with every
 * compiler that does not reorder floating point (no -ffast-math) and whatever libm is installed.
 */
#pragma once

#include <stdint.h>

/* What random numbers are used for: no two uses ever share numbers. Part of what a seed means:
 * append, never renumber. */
enum {
    SPK_RANDOM_SYM26_BASAL = 1,
    SPK_RANDOM_SYM26_CHAIN,
    SPK_RANDOM_NETWORK_RATE,
    SPK_RANDOM_NETWORK_UNITS,
    SPK_RANDOM_NETWORK_CHAIN,
    SPK_RANDOM_NETWORK_SPIKES,
    SPK_RANDOM_CULTURE_ORDER,
    SPK_RANDOM_CULTURE_RATE,
    SPK_RANDOM_CULTURE_BURST,
    SPK_RANDOM_CULTURE_GAP,
    SPK_RANDOM_CULTURE_TONIC,
    SPK_RANDOM_SHUFFLE,
    SPK_RANDOM_SURROGATE_KEY, /* + (number of the method << 16): one seed for each surrogate */
    SPK_RANDOM_SURROGATE_UNIT,
    SPK_RANDOM_SURROGATE_OFFSET,
    SPK_RANDOM_PEEL_ROUND,
    SPK_RANDOM_COMPARE,
    SPK_RANDOM_CALIBRATION_TIE,
    SPK_RANDOM_SEQUENCE_ROUND,
    SPK_RANDOM_SEQUENCE_MOVE,
    SPK_RANDOM_SEQUENCE_RANK,
    SPK_RANDOM_PROBE_UNIT,     /* rate, phases and latencies of a unit */
    SPK_RANDOM_PROBE_SPIKES,   /* its spikes, or how far a real one is shifted */
    SPK_RANDOM_PROBE_STIMULUS, /* times of stimuli */
    SPK_RANDOM_PROBE_MEMBERS,  /* units and lags of a sequence */
    SPK_RANDOM_PROBE_PLANT,    /* its occurrences */
    SPK_RANDOM_PROBE_SORT,     /* which units are merged and split; their spikes */
    SPK_RANDOM_SEQUENCE_TOGETHER
};

/* A number whose bits all depend on all bits of z (SplitMix64's finaliser: Steele, Lea & Flood
 * 2014); 0 gives 0. */
static inline uint64_t spk_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Such a number of its own for 0, too. */
static inline uint64_t spk_hash(uint64_t z)
{
    return spk_mix(z + 0x9E3779B97F4A7C15u);
}

/* One sequence: up to 2^33 numbers of 64 bits. Copying it copies its place. */
typedef struct spk_random {
    uint32_t key[2];
    uint32_t counter[4]; /* block within the sequence, index (low, high), use */
    uint64_t word[2];
    unsigned n_left;
} spk_random;

/* The start of the sequence (seed, use, index). */
spk_random spk_random_start(uint64_t seed, uint32_t use, uint64_t index);

/* 64 uniform bits. */
uint64_t spk_random_u64(spk_random *random);

/* Uniform in 0 .. bound - 1 without bias (Lemire 2019); bound 0 stands for 2^64. */
uint64_t spk_random_below(spk_random *random, uint64_t bound);

/* Uniform in the open interval (0, 1): odd multiples of 2^-53. */
double spk_random_unit(spk_random *random);

/* True with this probability (up to 0: never, from 1 on to 2: always); decided by comparing
 * integers. */
int spk_random_chance(spk_random *random, double probability);

/* Exponential with mean 1. */
double spk_random_exponential(spk_random *random);

/* Standard normal (Box and Muller 1958); takes two numbers of the sequence. */
double spk_random_normal(spk_random *random);

/* Poisson; time grows with the mean. */
uint64_t spk_random_poisson(spk_random *random, double mean);

/* Natural logarithm of x > 0 (finite), exponential for |x| <= 700, sine of 2 pi x for |x| < 2^40:
 * within some 1e-15 of the truth, and the same bits everywhere (see above). */
double spk_portable_log(double x);
double spk_portable_exp(double x);
double spk_portable_sin_turns(double x);

/* ---- more portable functions ----------------------------------------------------------------- */

/* They, too, have the same bits everywhere, whatever libm is installed. */

/* log(1 + x) for x >= -1, and exp(x) - 1 for x <= 0, without loss near 0. log(0) is -INFINITY. */
double spk_portable_log1p(double x);
double spk_portable_expm1(double x);

/* The m-th root of x in 0 .. 1, m >= 1; x itself for m = 1. */
double spk_portable_root(double x, uint64_t m);
