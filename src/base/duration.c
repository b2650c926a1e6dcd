/* Exact durations, decimals and fractions: parsing, formatting, comparison, conversion to ticks. */
#include "spikemine/duration.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/fraction.h"

typedef struct unit_name {
    const char *name;
    int32_t exponent;
} unit_name;

static const unit_name UNITS[] = {{"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}};
enum { N_UNITS = sizeof UNITS / sizeof UNITS[0] };

static spk_status fail_format(spk_context *context, const char *text, size_t length,
                              const char *why)
{
    return spk_fail(context, SPK_ERR_FORMAT, "duration '%.*s': %s; write for example 5ms or 0.25s",
                    (int)(length < 64 ? length : 64), text, why);
}

static spk_status fail_range(spk_context *context, const char *text, size_t length)
{
    return spk_fail(context, SPK_ERR_RANGE,
                    "duration '%.*s': more than 18 digits, an exponent beyond %d, or a fraction "
                    "whose divisor passes 32 bit",
                    (int)(length < 64 ? length : 64), text, SPK_DECIMAL_MAX_EXPONENT);
}

static uint64_t magnitude_of(int64_t digits)
{
    return digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits;
}

spk_duration spk_duration_reduce(spk_duration duration)
{
    static const struct {
        uint32_t factor;
        int64_t other;
    } tenths[] = {{2, 5}, {5, 2}};
    if (duration.digits == 0)
        return (spk_duration){.digits = 0};
    uint32_t divisor = duration.divisor > 1 ? duration.divisor : 1;
    uint32_t common = (uint32_t)spk_greatest_divisor(divisor, magnitude_of(duration.digits));
    duration.digits /= (int64_t)common;
    divisor /= common;
    int64_t larger;
    for (size_t k = 0; k < 2; k++)
        while (divisor % tenths[k].factor == 0 &&
               !__builtin_mul_overflow(duration.digits, tenths[k].other, &larger)) {
            duration.digits = larger;
            duration.exponent--;
            divisor /= tenths[k].factor;
        }
    while (duration.digits % 10 == 0) {
        duration.digits /= 10;
        duration.exponent++;
    }
    duration.divisor = divisor > 1 ? divisor : 0;
    return duration;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The digits of a whole number with its zeros: 30 of {3, 1}; false beyond `most`. */
static bool write_out(spk_decimal number, int64_t most, int64_t *out)
{
    for (; number.exponent > 0; number.exponent--)
        if (__builtin_mul_overflow(number.digits, 10, &number.digits))
            return false;
    *out = number.digits;
    return number.exponent == 0 && magnitude_of(number.digits) <= (uint64_t)most;
}

/* number / divisor in lowest terms, in seconds; false when it does not fit. */
static bool divide_reduced(spk_decimal number, spk_decimal divisor, spk_duration *out)
{
    assert(divisor.digits > 0);
    *out = (spk_duration){.digits = 0};
    if (number.digits == 0)
        return true;
    int64_t common =
        (int64_t)spk_greatest_divisor(magnitude_of(number.digits), (uint64_t)divisor.digits);
    int64_t digits = number.digits / common, rest = divisor.digits / common;
    int32_t exponent = number.exponent - divisor.exponent;
    for (; rest % 10 == 0; rest /= 10)
        exponent--;
    for (int prime = 2; prime <= 5; prime += 3)
        for (; rest % prime == 0; rest /= prime, exponent--)
            if (__builtin_mul_overflow(digits, 10 / prime, &digits))
                return false;
    if (rest > UINT32_MAX)
        return false;
    *out = spk_duration_reduce((spk_duration){digits, exponent, (uint32_t)rest});
    return magnitude_of(out->digits) < (uint64_t)spk_power_of_ten[SPK_POWERS_OF_TEN - 1];
}

/* The same; where this is no decimal, a fraction of whole numbers stays as it is: 8/30, not 4/15.
 */
static bool divide(spk_decimal number, spk_decimal divisor, spk_duration *out)
{
    const int64_t most = spk_power_of_ten[SPK_POWERS_OF_TEN - 1] - 1;
    int64_t up, down;
    if (!divide_reduced(number, divisor, out))
        return false;
    if (out->divisor > 1 && write_out(number, most, &up) && write_out(divisor, UINT32_MAX, &down))
        *out = (spk_duration){up, 0, (uint32_t)down};
    return true;
}

/* So many ticks as a fraction of the clock, 8/30 s; of 30 kHz 8/30 ms, and 8 ms are 8000/30000 s.
 */
static void keep_clock(uint64_t ticks, spk_rate rate, spk_duration *out)
{
    unsigned __int128 up = (unsigned __int128)ticks * rate.denominator;
    uint64_t down = rate.numerator;
    int32_t exponent = 0;
    for (; up % 1000 == 0 && down % 1000 == 0; up /= 1000)
        down /= 1000;
    for (; down % 1000 == 0 && exponent > UNITS[N_UNITS - 1].exponent; exponent -= 3)
        down /= 1000;
    if (up < (uint64_t)spk_power_of_ten[SPK_POWERS_OF_TEN - 1] && down <= UINT32_MAX)
        *out = (spk_duration){(int64_t)up, exponent, (uint32_t)down};
}

bool spk_duration_of_tick(int64_t tick, spk_rate rate, spk_duration *out)
{
    unsigned __int128 up = (unsigned __int128)magnitude_of(tick) * rate.denominator;
    unsigned __int128 common = spk_greatest_divisor(up, rate.numerator);
    *out = (spk_duration){.digits = 0};
    if (tick == 0)
        return true;
    up /= common;
    uint64_t down = (uint64_t)(rate.numerator / common);
    if (up > INT64_MAX || down > INT64_MAX)
        return false;
    const spk_decimal ticks = {.digits = (int64_t)up};
    const spk_decimal per_second = {.digits = (int64_t)down};
    if (!divide_reduced(ticks, per_second, out))
        return false;
    if (out->divisor > 1)
        keep_clock(magnitude_of(tick), rate, out);
    out->digits = tick < 0 ? -out->digits : out->digits;
    return true;
}

/* Reads N or N/D, in seconds; SPK_DECIMAL_NOT_A_NUMBER also for a D that is not above 0. */
static spk_decimal_result parse_number(const char *at, const char *end, spk_duration *out,
                                       const char **rest)
{
    spk_decimal number, divisor;
    spk_decimal_result result = spk_decimal_parse(at, end, &number, rest);
    if (result != SPK_DECIMAL_OK)
        return result;
    *out = spk_duration_reduce((spk_duration){number.digits, number.exponent, 0});
    if (*rest == end || **rest != '/')
        return result;
    result = spk_decimal_parse(*rest + 1, end, &divisor, rest);
    if (result != SPK_DECIMAL_OK)
        return result;
    if (divisor.digits <= 0)
        return SPK_DECIMAL_NOT_A_NUMBER;
    return divide(number, divisor, out) ? SPK_DECIMAL_OK : SPK_DECIMAL_TOO_LONG;
}

spk_status spk_duration_parse(spk_context *context, const char *text, size_t length,
                              spk_duration *out)
{
    const char *end = text + length;
    const char *at = text;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (end - at == 3 && strncmp(at, "inf", 3) == 0) {
        *out = (spk_duration){.digits = 1, .exponent = SPK_DURATION_INFINITE};
        return SPK_OK;
    }
    spk_duration number = {.digits = 0};
    const char *rest;
    spk_decimal_result result = parse_number(at, end, &number, &rest);
    if (result == SPK_DECIMAL_TOO_LONG)
        return fail_range(context, text, length);
    if (result != SPK_DECIMAL_OK)
        return fail_format(context, text, length, "is not a number with a unit");
    while (rest < end && *rest == ' ')
        rest++;
    size_t name_length = (size_t)(end - rest);
    for (size_t k = 0; k < N_UNITS; k++) {
        if (strlen(UNITS[k].name) != name_length || memcmp(UNITS[k].name, rest, name_length) != 0)
            continue;
        number.exponent += number.digits != 0 ? UNITS[k].exponent : 0;
        *out = number;
        /* Its own text, in seconds, is to be read again. */
        return out->exponent >= -SPK_DECIMAL_MAX_EXPONENT &&
                       out->exponent <= SPK_DECIMAL_MAX_EXPONENT
                   ? SPK_OK
                   : fail_range(context, text, length);
    }
    if (name_length == 0 && number.digits == 0) {
        *out = number;
        return SPK_OK;
    }
    return fail_format(context, text, length,
                       name_length == 0 ? "has no unit (s, ms, us or ns)" : "has an unknown unit");
}

spk_status spk_rate_parse(spk_context *context, const char *text, size_t length, spk_rate *out)
{
    spk_duration number = {.digits = 0};
    const char *rest;
    int shown = (int)(length < 64 ? length : 64);
    *out = (spk_rate){0, 1};
    spk_decimal_result result = parse_number(text, text + length, &number, &rest);
    if (result == SPK_DECIMAL_NOT_A_NUMBER ||
        (result == SPK_DECIMAL_OK && (rest != text + length || number.digits <= 0)))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "rate '%.*s': is no number above 0; write for example 30000 or 24414.0625",
                        shown, text);
    uint64_t up = (uint64_t)number.digits, down = number.divisor > 1 ? number.divisor : 1;
    uint64_t *grows = number.exponent > 0 ? &up : &down;
    int32_t places = number.exponent > 0 ? number.exponent : -number.exponent;
    if (result != SPK_DECIMAL_OK || places >= SPK_POWERS_OF_TEN ||
        __builtin_mul_overflow(*grows, (uint64_t)spk_power_of_ten[places], grows))
        return spk_fail(context, SPK_ERR_RANGE,
                        "rate '%.*s': has too many digits; write it as a fraction of whole numbers",
                        shown, text);
    uint64_t common = (uint64_t)spk_greatest_divisor(up, down);
    *out = (spk_rate){up / common, down / common};
    return SPK_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The decimal digits of |digits| * 10^exponent with a point, no exponent; exponent within +-40. */
static size_t format_plain(int64_t digits, int32_t exponent, char *buffer, size_t size)
{
    assert(exponent >= -40 && exponent <= 40);
    char text[24];
    uint64_t magnitude = digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits;
    const char *sign = digits < 0 ? "-" : "";
    int n = snprintf(text, sizeof text, "%" PRIu64, magnitude);
    if (exponent >= 0)
        return (size_t)snprintf(buffer, size, "%s%s%.*s", sign, text, (int)exponent,
                                "0000000000000000000000000000000000000000");
    int point = n + exponent;
    if (point > 0)
        return (size_t)snprintf(buffer, size, "%s%.*s.%s", sign, point, text, text + point);
    return (size_t)snprintf(buffer, size, "%s0.%.*s%s", sign, -point,
                            "0000000000000000000000000000000000000000", text);
}

/* digits / divisor * 10^exponent as a fraction of whole numbers of at most 18 digits; false when
 * there is none. Only tens are cancelled. */
static bool format_fraction(spk_duration duration, const char *unit, char *buffer, size_t size)
{
    const uint64_t most = (uint64_t)spk_power_of_ten[SPK_POWERS_OF_TEN - 1] - 1;
    uint64_t up = magnitude_of(duration.digits), down = duration.divisor;
    uint64_t *grows = duration.exponent > 0 ? &up : &down;
    uint64_t *shrinks = duration.exponent > 0 ? &down : &up;
    for (int32_t e = duration.exponent; e != 0; e += e > 0 ? -1 : 1) {
        if (*shrinks % 10 == 0)
            *shrinks /= 10;
        else if (__builtin_mul_overflow(*grows, 10, grows))
            return false;
    }
    if (up > most || down > most)
        return false;
    snprintf(buffer, size, "%s%" PRIu64 "/%" PRIu64 "%s", duration.digits < 0 ? "-" : "", up, down,
             unit);
    return true;
}

/* In the unit of its exponent, as it is: 8/30 is what was written, or counts frames. Otherwise the
 * shortest fraction in any unit, in the largest one of these; 0 when there is none. */
static size_t format_shortest(spk_duration duration, char *buffer, size_t size)
{
    char best[64] = "", text[64];
    for (size_t k = 0; k < N_UNITS; k++) {
        spk_duration in_unit = duration;
        in_unit.exponent -= UNITS[k].exponent;
        if (in_unit.exponent == 0 && format_fraction(in_unit, UNITS[k].name, text, sizeof text))
            return (size_t)snprintf(buffer, size, "%s", text);
        if (format_fraction(in_unit, UNITS[k].name, text, sizeof text) &&
            (best[0] == '\0' || strlen(text) < strlen(best)))
            memcpy(best, text, sizeof best);
    }
    return best[0] != '\0' ? (size_t)snprintf(buffer, size, "%s", best) : 0;
}

static size_t format_any_fraction(spk_duration duration, spk_duration reduced, char *buffer,
                                  size_t size)
{
    size_t length = format_shortest(duration, buffer, size);
    if (length == 0)
        length = format_shortest(reduced, buffer, size);
    if (length > 0)
        return length;
    return (size_t)snprintf(buffer, size, "%" PRId64 "e%" PRId32 "/%" PRIu32 "s", reduced.digits,
                            reduced.exponent, reduced.divisor);
}

static int32_t count_digits(uint64_t number)
{
    int32_t n = 0;
    for (; number > 0; number /= 10)
        n++;
    return n;
}

size_t spk_duration_format(spk_duration duration, char *buffer, size_t size)
{
    enum { MOST_DECIMALS = 3 };
    if (duration.exponent == SPK_DURATION_INFINITE)
        return (size_t)snprintf(buffer, size, "inf");
    const spk_duration reduced = spk_duration_reduce(duration);
    if (reduced.digits == 0)
        return (size_t)snprintf(buffer, size, "0");
    if (reduced.divisor > 1)
        return format_any_fraction(duration, reduced, buffer, size);
    duration = reduced;
    if (duration.exponent > 18 || duration.exponent < -27)
        return (size_t)snprintf(buffer, size, "%" PRId64 "e%" PRId32 "s", duration.digits,
                                duration.exponent);
    /* The largest unit in which the number is whole, or at least 1 with few decimals:
     * 250us, 4.99ms; nanoseconds with a point when there is none. */
    const int32_t first = count_digits(magnitude_of(duration.digits)) + duration.exponent;
    size_t k = 0;
    while (k + 1 < N_UNITS && duration.exponent < UNITS[k].exponent &&
           (first <= UNITS[k].exponent || duration.exponent < UNITS[k].exponent - MOST_DECIMALS))
        k++;
    char number[72];
    format_plain(duration.digits, duration.exponent - UNITS[k].exponent, number, sizeof number);
    return (size_t)snprintf(buffer, size, "%s%s", number, UNITS[k].name);
}

/* ---- ticks ----------------------------------------------------------------------------------- */

/* floor(|duration| * rate), or something above UINT64_MAX for all that is; *rest: whether the
 * product is more than that. */
static unsigned __int128 whole_ticks(spk_duration duration, spk_rate rate, bool *rest)
{
    assert(rate.denominator > 0);
    unsigned __int128 value = magnitude_of(duration.digits);
    unsigned __int128 divisor = duration.divisor > 1 ? duration.divisor : 1;
    value *= rate.numerator;     /* at most 2^127 */
    divisor *= rate.denominator; /* below 2^96, so that ten times a remainder fits */
    unsigned __int128 left = value % divisor;
    value /= divisor;
    /* Long division: value + left / divisor, times ten. */
    for (int32_t e = duration.exponent; e > 0 && value <= UINT64_MAX && (value | left) != 0; e--) {
        left *= 10;
        value = value * 10 + left / divisor;
        left %= divisor;
    }
    *rest = left != 0;
    /* floor(floor(x / a) / b) = floor(x / (a b)), so dividing step by step stays exact. */
    for (int32_t e = duration.exponent; e < 0 && value > 0; e++) {
        *rest |= value % 10 != 0;
        value /= 10;
    }
    return value;
}

uint64_t spk_duration_ticks(spk_duration duration, spk_rate rate)
{
    bool rest;
    if (duration.exponent == SPK_DURATION_INFINITE)
        return UINT64_MAX;
    if (duration.digits <= 0)
        return 0;
    unsigned __int128 value = whole_ticks(duration, rate, &rest);
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

int64_t spk_duration_first_tick(spk_duration time, spk_rate rate)
{
    if (time.exponent == SPK_DURATION_INFINITE)
        return INT64_MAX;
    bool negative = time.digits < 0, rest;
    unsigned __int128 value = whole_ticks(time, rate, &rest);
    value += rest && !negative; /* up: away from zero only above it */
    if (value > (unsigned __int128)INT64_MAX)
        return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)value : (int64_t)value;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int order(unsigned __int128 x, unsigned __int128 y)
{
    return (x > y) - (x < y);
}

/* Orders x * 10^apart and y, both below 2^96 and not zero; apart >= 0. */
static int order_apart(unsigned __int128 x, unsigned __int128 y, int64_t apart)
{
    for (; apart > 0 && x <= y; apart--)
        x *= 10;
    return apart > 0 ? 1 : order(x, y);
}

int spk_duration_compare(spk_duration a, spk_duration b)
{
    bool endless[2] = {a.exponent == SPK_DURATION_INFINITE, b.exponent == SPK_DURATION_INFINITE};
    if (endless[0] || endless[1])
        return endless[0] - endless[1];
    if ((a.digits > 0) != (b.digits > 0) || (a.digits < 0) != (b.digits < 0) || a.digits == 0)
        return (a.digits > b.digits) - (a.digits < b.digits);
    unsigned __int128 x = magnitude_of(a.digits), y = magnitude_of(b.digits);
    x *= b.divisor > 1 ? b.divisor : 1;
    y *= a.divisor > 1 ? a.divisor : 1;
    int64_t apart = (int64_t)a.exponent - b.exponent;
    int larger = apart >= 0 ? order_apart(x, y, apart) : -order_apart(y, x, -apart);
    return a.digits > 0 ? larger : -larger;
}
