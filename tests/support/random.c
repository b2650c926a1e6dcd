/* xoshiro256** and splitmix64, from the public domain code of David Blackman and Sebastiano Vigna.
 */
#include "support/random.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t test_seed(const char *name)
{
    const char *text = getenv("SPIKEMINE_TEST_SEED");
    uint64_t seed = 0;
    if (text != NULL && *text != '\0') {
        seed = strtoull(text, NULL, 0);
    } else {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t mixed = (uint64_t)now.tv_sec * UINT64_C(1000000007) + (uint64_t)now.tv_nsec;
        seed = splitmix64(&mixed);
    }
    printf("seed of %s: %" PRIu64 ", repeat with SPIKEMINE_TEST_SEED=%" PRIu64 "\n", name, seed,
           seed);
    fflush(stdout);
    return seed;
}

test_random test_random_make(uint64_t seed, uint64_t case_number)
{
    uint64_t state = case_number;
    state = seed ^ splitmix64(&state);
    test_random random;
    for (int k = 0; k < 4; k++)
        random.state[k] = splitmix64(&state);
    return random;
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t test_random_bits(test_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t test_random_below(test_random *random, uint64_t n)
{
    assert(n >= 1);
    /* The lowest 2^64 mod n values are drawn once more often than the rest: refuse them. */
    uint64_t refused = (0 - n) % n;
    uint64_t bits = 0;
    do
        bits = test_random_bits(random);
    while (bits < refused);
    return bits % n;
}

int64_t test_random_between(test_random *random, int64_t lo, int64_t hi)
{
    assert(lo <= hi);
    uint64_t span = (uint64_t)hi - (uint64_t)lo;
    uint64_t step =
        span == UINT64_MAX ? test_random_bits(random) : test_random_below(random, span + 1);
    return (int64_t)((uint64_t)lo + step);
}

double test_random_real(test_random *random)
{
    return (double)(test_random_bits(random) >> 11) * 0x1p-53;
}

bool test_random_chance(test_random *random, double probability)
{
    return test_random_real(random) < probability;
}
