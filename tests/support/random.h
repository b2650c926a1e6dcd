/*
 * Random numbers for tests: xoshiro256** seeded by splitmix64 (Blackman and Vigna). A test that
 * fails can be run again: the seed is printed, and SPIKEMINE_TEST_SEED sets it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct test_random {
    uint64_t state[4];
} test_random;

/* The seed of this run: SPIKEMINE_TEST_SEED (decimal or 0x...), else from the clock. Prints
 * "seed of NAME: ..., repeat with SPIKEMINE_TEST_SEED=...". */
uint64_t test_seed(const char *name);

/* A generator for one case of a test: the same seed and case number give the same numbers, so that
 * a failing case can be repeated without those before it. */
test_random test_random_make(uint64_t seed, uint64_t case_number);

/* 64 random bits. */
uint64_t test_random_bits(test_random *random);

/* Uniform in 0 .. n - 1 without bias, n >= 1. */
uint64_t test_random_below(test_random *random, uint64_t n);

/* Uniform in lo .. hi, both included, lo <= hi; all of int64 is allowed. */
int64_t test_random_between(test_random *random, int64_t lo, int64_t hi);

/* Uniform in [0, 1). */
double test_random_real(test_random *random);

/* True with this probability. */
bool test_random_chance(test_random *random, double probability);
