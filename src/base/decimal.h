/* Decimal numbers as text: read exactly into digits and exponent, never through floating point. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool spk_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a whole number without a sign from *at on, as far as there are digits; *at is where it
 * stopped. False: no digits, or more than 64 bits hold. */
static inline bool spk_whole_scan(const char **at, const char *end, uint64_t *out)
{
    const char *start = *at;
    bool fits = true;
    *out = 0;
    for (; *at < end && spk_is_digit(**at); ++*at)
        fits &= !__builtin_mul_overflow(*out, 10, out) &&
                !__builtin_add_overflow(*out, (uint64_t)(**at - '0'), out);
    return fits && *at > start;
}

/* 10^0 .. 10^18, the powers that int64 holds. */
enum { SPK_POWERS_OF_TEN = 19 };
extern const int64_t spk_power_of_ten[SPK_POWERS_OF_TEN];

/* ---- as written ------------------------------------------------------------------------------ */

/* Significant digits that a written decimal keeps. */
enum { SPK_DECIMAL_MAX_DIGITS = 38 };

/* A number as it was written: (-1)^negative * digits * 10^exponent, followed by further digits that
 * are not all zero when `more`. */
typedef struct spk_written_decimal {
    unsigned __int128 digits; /* the first SPK_DECIMAL_MAX_DIGITS significant ones */
    int64_t exponent;
    int64_t decimals; /* places after the point, trailing zeros included, at least 0 */
    bool negative;
    bool more;
} spk_written_decimal;

/* Reads [+-]digits[.digits][e[+-]digits] from [text, end), the longest such start; *rest is where
 * it stopped. An 'e' without digits is no part of the number. False: no digits where a number
 * should start. Reads nothing beyond `end`. */
bool spk_decimal_scan(const char *text, const char *end, spk_written_decimal *out,
                      const char **rest);

/* ---- in few digits --------------------------------------------------------------------------- */

/* Exponents that are read lie within plus and minus this. */
#define SPK_DECIMAL_MAX_EXPONENT 10000

/* digits * 10^exponent */
typedef struct spk_decimal {
    int64_t digits;
    int32_t exponent;
} spk_decimal;

typedef enum spk_decimal_result {
    SPK_DECIMAL_OK,
    SPK_DECIMAL_NOT_A_NUMBER, /* no digits where a number should start */
    SPK_DECIMAL_TOO_LONG      /* more than 18 significant digits, or an exponent out of range */
} spk_decimal_result;

/* The same into few digits: without leading zeros and without trailing ones. */
spk_decimal_result spk_decimal_parse(const char *text, const char *end, spk_decimal *out,
                                     const char **rest);

/* Writes value * 10^-decimals with exactly so many decimals (0 .. 18), always terminated; returns
 * the length like snprintf; 24 bytes always suffice. */
size_t spk_decimal_format(int64_t value, int decimals, char *buffer, size_t size);

/* ---- for people ------------------------------------------------------------------------------ */

enum { SPK_GROUPED_BYTES = 32 }; /* a buffer that suffices */

/* "s" for any number but 1. */
static inline const char *spk_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Writes 31262 as "31,262", and returns the buffer. */
const char *spk_group_digits(uint64_t number, char buffer[SPK_GROUPED_BYTES]);
