/* Philox sequences and distributions that give the same bits on every machine. */
#include "base/random.h"

#include <Random123/philox.h>
#include <assert.h>
#include <math.h>

/* Fused multiply-add would round differently where the processor has it. GCC has it off in ISO mode
 * (-std=c17); clang needs to be told. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

__extension__ typedef unsigned __int128 wide;

/* ---- bits ------------------------------------------------------------------------------------ */

spk_random spk_random_start(uint64_t seed, uint32_t use, uint64_t index)
{
    return (spk_random){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, (uint32_t)index, (uint32_t)(index >> 32), use},
    };
}

static void refill(spk_random *random)
{
    philox4x32_ctr_t counter = {
        {random->counter[0], random->counter[1], random->counter[2], random->counter[3]}};
    philox4x32_key_t key = {{random->key[0], random->key[1]}};
    philox4x32_ctr_t block = philox4x32(counter, key);
    random->counter[0]++;
    random->word[1] = (uint64_t)block.v[1] << 32 | block.v[0];
    random->word[0] = (uint64_t)block.v[3] << 32 | block.v[2];
    random->n_left = 2;
}

uint64_t spk_random_u64(spk_random *random)
{
    if (random->n_left == 0)
        refill(random);
    return random->word[--random->n_left];
}

uint64_t spk_random_below(spk_random *random, uint64_t bound)
{
    if (bound == 0)
        return spk_random_u64(random);
    wide product = (wide)spk_random_u64(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t biased = (0 - bound) % bound; /* 2^64 mod bound: so many low parts are surplus */
        while ((uint64_t)product < biased)
            product = (wide)spk_random_u64(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

double spk_random_unit(spk_random *random)
{
    return ((double)(spk_random_u64(random) >> 12) + 0.5) * 0x1p-52;
}

int spk_random_chance(spk_random *random, double probability)
{
    assert(probability > -1 && probability <= 2); /* rounding may lead a little out of 0 .. 1 */
    uint64_t draw = spk_random_u64(random) >> 11;
    return probability > 0 && draw < (uint64_t)(probability * 0x1p53);
}

/* ---- functions without libm ------------------------------------------------------------------ */

static const double LN2_HIGH = 0x1.62e42feep-1; /* few enough bits that k * LN2_HIGH is exact */
static const double LN2_LOW = 0x1.a39ef35793c76p-33;

/* x = m 2^k with m near 1; log m = 2 atanh((m - 1) / (m + 1)), whose series in s^2 < 0.03 is short.
 * frexp and ldexp are exact. */
double spk_portable_log(double x)
{
    assert(x > 0 && isfinite(x));
    int k = 0;
    assert(x > 0 && isfinite(x));
    double m = frexp(x, &k);
    if (m < 0.70710678118654752) {
        m *= 2;
        k--;
    }
    double s = (m - 1) / (m + 1);
    double s2 = s * s;
    double sum = 0;
    for (int n = 21; n >= 3; n -= 2)
        sum = s2 * (sum + 1.0 / n);
    return k * LN2_HIGH + (2 * s + (2 * s * sum + k * LN2_LOW));
}

/* x = k ln 2 + r, |r| < 0.35; Taylor series of exp r. */
double spk_portable_exp(double x)
{
    assert(fabs(x) <= 700);
    double k = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double sum = 1;
    for (int n = 14; n >= 1; n--)
        sum = 1 + sum * r / n;
    return ldexp(sum, (int)k);
}

/* Folded to a quarter turn, |x| <= 1/4; Taylor series of sin(2 pi x). */
double spk_portable_sin_turns(double x)
{
    assert(fabs(x) < 0x1p40);
    x -= floor(x + 0.5);
    if (x > 0.25)
        x = 0.5 - x;
    else if (x < -0.25)
        x = -0.5 - x;
    double angle = x * 6.283185307179586;
    double square = angle * angle;
    double sum = 1;
    for (int n = 22; n >= 2; n -= 2)
        sum = 1 - sum * square / (n * (n + 1));
    return angle * sum;
}

/* ---- distributions --------------------------------------------------------------------------- */

double spk_random_exponential(spk_random *random)
{
    return -spk_portable_log(spk_random_unit(random));
}

double spk_random_normal(spk_random *random)
{
    double radius = sqrt(2 * spk_random_exponential(random));
    return radius * spk_portable_sin_turns(spk_random_unit(random));
}

/* Counts how many uniforms may be multiplied before the product falls under exp(-mean) (Knuth); a
 * large mean is a sum of smaller ones, so that the exponential never underflows. */
uint64_t spk_random_poisson(spk_random *random, double mean)
{
    enum { PIECE = 64 };
    assert(isfinite(mean));
    uint64_t count = 0;
    assert(isfinite(mean));
    while (mean > 0) {
        double piece = mean < PIECE ? mean : PIECE;
        double limit = spk_portable_exp(-piece);
        double product = spk_random_unit(random);
        while (product > limit) {
            count++;
            product *= spk_random_unit(random);
        }
        mean -= piece;
    }
    return count;
}

/* ---- log1p, expm1 and roots from the portable logarithm and exponential ---------------------- */

/* The rounding of 1 + x cancels in the quotient (Kahan). */
double spk_portable_log1p(double x)
{
    assert(x >= -1 && isfinite(x));
    double u = 1 + x;
    if (u <= 0)
        return -INFINITY;
    return u == 1 ? x : spk_portable_log(u) * (x / (u - 1));
}

double spk_portable_expm1(double x)
{
    assert(x <= 0);
    if (x < -50)
        return -1;
    double u = spk_portable_exp(x);
    return u == 1 ? x : (u - 1) * (x / spk_portable_log(u));
}

double spk_portable_root(double x, uint64_t m)
{
    assert(x >= 0 && x <= 1 && m >= 1);
    if (m == 1 || x == 0)
        return x;
    return spk_portable_exp(spk_portable_log(x) / (double)m);
}
