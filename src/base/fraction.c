/* Exact fractions of ticks in 128 bit. */
#include "base/fraction.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

typedef unsigned __int128 uint128;

/* No numerator passes this, so that one more factor below 16 fits. */
#define MOST ((uint128)1 << 123)

bool spk_least_multiple(uint64_t a, uint64_t b, uint64_t *out)
{
    assert(a > 0 && b > 0);
    uint128 product = (uint128)(a / (uint64_t)spk_greatest_divisor(a, b)) * b;
    *out = (uint64_t)product;
    return product <= INT64_MAX;
}

/* ---- durations ------------------------------------------------------------------------------- */

typedef struct fraction {
    uint128 numerator;
    uint128 denominator;
} fraction;

/* *value *= factor unless it passes MOST. */
static bool multiply(uint128 *value, uint64_t factor)
{
    if (*value > MOST / factor)
        return false;
    *value *= factor;
    return true;
}

/* |duration| in ticks, in lowest terms; false when one of its numbers passes MOST. */
static bool magnitude_of(spk_duration duration, spk_rate rate, fraction *out)
{
    static const uint64_t primes[] = {2, 5};
    uint128 up = duration.digits < 0 ? 0 - (uint64_t)duration.digits : (uint64_t)duration.digits;
    uint128 down = duration.divisor > 1 ? duration.divisor : 1;
    *out = (fraction){0, 1};
    if (up == 0)
        return true;
    up *= rate.numerator; /* below 2^127 */
    down *= rate.denominator;
    uint128 common = spk_greatest_divisor(up, down);
    up /= common;
    down /= common;
    for (int64_t e = duration.exponent; e != 0; e += e > 0 ? -1 : 1) {
        uint128 *grows = duration.exponent > 0 ? &up : &down;
        uint128 *shrinks = duration.exponent > 0 ? &down : &up;
        for (size_t k = 0; k < 2; k++) {
            if (*shrinks % primes[k] == 0)
                *shrinks /= primes[k];
            else if (!multiply(grows, primes[k]))
                return false;
        }
    }
    *out = (fraction){up, down};
    return up <= MOST;
}

bool spk_duration_add_seconds(spk_duration time, int64_t seconds, spk_duration *out)
{
    __int128 more = (__int128)seconds * (time.divisor > 1 ? time.divisor : 1);
    __int128 digits = time.digits;
    int32_t exponent = time.exponent;
    for (; exponent > 0 && digits <= INT64_MAX && digits >= INT64_MIN; exponent--)
        digits *= 10;
    for (int32_t e = exponent; e < 0 && more <= INT64_MAX; e++)
        more *= 10;
    digits += more;
    for (; digits != 0 && digits % 10 == 0; exponent++)
        digits /= 10;
    *out =
        (spk_duration){(int64_t)digits, digits != 0 ? exponent : 0, digits != 0 ? time.divisor : 0};
    return more <= INT64_MAX && digits <= INT64_MAX && digits >= INT64_MIN;
}

bool spk_moment_of(spk_duration time, spk_rate rate, spk_moment *out)
{
    fraction f;
    *out = (spk_moment){spk_duration_first_tick(time, rate), 0, 1};
    if (out->tick == INT64_MIN || out->tick == INT64_MAX)
        return true;
    if (!magnitude_of(time, rate, &f) || f.denominator > INT64_MAX)
        return false;
    /* Above 0 the tick is the whole part + 1, below it the whole part: what is left differs. */
    uint128 rest = f.numerator % f.denominator;
    if (rest == 0)
        return true;
    out->part = (uint64_t)(time.digits < 0 ? rest : f.denominator - rest);
    out->parts = (uint64_t)f.denominator;
    return true;
}

bool spk_length_of(spk_duration length, spk_rate rate, uint64_t *numerator, uint64_t *denominator)
{
    fraction f;
    assert(length.digits > 0);
    if (length.exponent == SPK_DURATION_INFINITE || !magnitude_of(length, rate, &f) ||
        f.numerator > INT64_MAX || f.denominator > INT64_MAX)
        return false;
    *numerator = (uint64_t)f.numerator;
    *denominator = (uint64_t)f.denominator;
    return true;
}

double spk_duration_seconds(spk_duration duration)
{
    if (duration.exponent == SPK_DURATION_INFINITE)
        return HUGE_VAL;
    double scale = pow(10, duration.exponent < 0 ? -duration.exponent : duration.exponent);
    double digits = (double)duration.digits / (duration.divisor > 1 ? duration.divisor : 1);
    return duration.exponent < 0 ? digits / scale : digits * scale;
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { MOST_DECIMALS = 24, MOST_PLACES = 45 };

/* The digits of a whole number, without terminator; returns how many. */
static int put_whole(uint128 value, char digits[40])
{
    char reversed[40];
    int n = 0;
    do {
        reversed[n++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    for (int k = 0; k < n; k++)
        digits[k] = reversed[n - 1 - k];
    return n;
}

size_t spk_fraction_format(__int128 numerator, uint128 denominator, int decimals, char *buffer,
                           size_t size)
{
    assert(denominator > 0 && denominator <= MOST && decimals <= MOST_DECIMALS);
    bool negative = numerator < 0;
    uint128 magnitude = negative ? 0 - (uint128)numerator : (uint128)numerator;
    uint128 whole = magnitude / denominator, rest = magnitude % denominator;
    char digits[40], decimal[MOST_DECIMALS] = {0};
    int places = put_whole(whole, digits), n = 0;
    int most = MOST_PLACES - places < MOST_DECIMALS ? MOST_PLACES - places : MOST_DECIMALS;
    for (; rest != 0 && n < most; n++) {
        rest *= 10;
        decimal[n] = (char)('0' + (int)(rest / denominator));
        rest %= denominator;
    }
    if (rest != 0 && decimals < n)
        n = decimals;
    if (negative && rest != 0) { /* down is away from zero below it */
        int k = n;
        while (k > 0 && decimal[k - 1] == '9')
            decimal[--k] = '0';
        if (k > 0)
            decimal[k - 1]++;
        else
            places = put_whole(whole + 1, digits);
    }
    while (n > 0 && decimal[n - 1] == '0')
        n--;
    return (size_t)snprintf(buffer, size, "%s%.*s%s%.*s", negative ? "-" : "", places, digits,
                            n > 0 ? "." : "", n, decimal);
}
