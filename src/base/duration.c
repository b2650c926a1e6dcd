/* Exact decimal durations: parsing, formatting, comparison, conversion to ticks. */
#include "spikemine/duration.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"

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
                    "duration '%.*s': more than 18 digits, or an exponent beyond %d",
                    (int)(length < 64 ? length : 64), text, SPK_DECIMAL_MAX_EXPONENT);
}

static spk_duration normalise(spk_duration duration)
{
    if (duration.digits == 0)
        return (spk_duration){0, 0};
    while (duration.digits % 10 == 0) {
        duration.digits /= 10;
        duration.exponent++;
    }
    return duration;
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
        *out = (spk_duration){1, SPK_DURATION_INFINITE};
        return SPK_OK;
    }
    spk_decimal number;
    const char *rest;
    spk_decimal_result result = spk_decimal_parse(at, end, &number, &rest);
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
        *out = normalise((spk_duration){number.digits, number.exponent + UNITS[k].exponent});
        /* Its own text, in seconds, is to be read again. */
        return out->exponent >= -SPK_DECIMAL_MAX_EXPONENT ? SPK_OK
                                                          : fail_range(context, text, length);
    }
    if (name_length == 0 && number.digits == 0) {
        *out = (spk_duration){0, 0};
        return SPK_OK;
    }
    return fail_format(context, text, length,
                       name_length == 0 ? "has no unit (s, ms, us or ns)" : "has an unknown unit");
}

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

size_t spk_duration_format(spk_duration duration, char *buffer, size_t size)
{
    if (duration.exponent == SPK_DURATION_INFINITE)
        return (size_t)snprintf(buffer, size, "inf");
    duration = normalise(duration);
    if (duration.digits == 0)
        return (size_t)snprintf(buffer, size, "0");
    if (duration.exponent > 18 || duration.exponent < -27)
        return (size_t)snprintf(buffer, size, "%" PRId64 "e%" PRId32 "s", duration.digits,
                                duration.exponent);
    /* The largest unit in which the number is whole; nanoseconds with a point when none is. */
    size_t k = 0;
    while (k + 1 < N_UNITS && duration.exponent < UNITS[k].exponent)
        k++;
    char number[72];
    format_plain(duration.digits, duration.exponent - UNITS[k].exponent, number, sizeof number);
    return (size_t)snprintf(buffer, size, "%s%s", number, UNITS[k].name);
}

/* *value *= factor; false when 128 bits do not hold it. */
static bool multiply(unsigned __int128 *value, uint64_t factor)
{
    return !__builtin_mul_overflow(*value, (unsigned __int128)factor, value);
}

uint64_t spk_duration_ticks(spk_duration duration, spk_rate rate)
{
    if (duration.exponent == SPK_DURATION_INFINITE)
        return UINT64_MAX;
    if (duration.digits <= 0)
        return 0;
    assert(rate.denominator > 0);
    unsigned __int128 value = (uint64_t)duration.digits;
    value *= rate.numerator; /* below 2^127 */
    for (int32_t e = duration.exponent; e > 0; e--)
        if (!multiply(&value, 10))
            return UINT64_MAX;
    /* floor(floor(x / a) / b) = floor(x / (a b)), so dividing step by step stays exact. */
    value /= rate.denominator;
    for (int32_t e = duration.exponent; e < 0 && value > 0; e++)
        value /= 10;
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

int64_t spk_duration_first_tick(spk_duration time, spk_rate rate)
{
    if (time.exponent == SPK_DURATION_INFINITE)
        return INT64_MAX;
    bool negative = time.digits < 0;
    unsigned __int128 value = negative ? 0 - (uint64_t)time.digits : (uint64_t)time.digits;
    value *= rate.numerator;
    for (int32_t e = time.exponent; e > 0 && value > 0; e--)
        if (!multiply(&value, 10))
            return negative ? INT64_MIN : INT64_MAX;
    bool rest = value % rate.denominator != 0;
    value /= rate.denominator;
    for (int32_t e = time.exponent; e < 0 && value > 0; e++) {
        rest |= value % 10 != 0;
        value /= 10;
    }
    value += rest && !negative; /* up: away from zero only above it */
    if (value > (unsigned __int128)INT64_MAX)
        return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)value : (int64_t)value;
}

int spk_duration_compare(spk_duration a, spk_duration b)
{
    __int128 x = a.exponent == SPK_DURATION_INFINITE ? 1 : a.digits;
    __int128 y = b.exponent == SPK_DURATION_INFINITE ? 1 : b.digits;
    if ((x > 0) != (y > 0) || (x < 0) != (y < 0) || x == 0)
        return (x > y) - (x < y);
    /* Same sign, not zero. 19 decimal places apart, the larger exponent decides. */
    int64_t apart = (int64_t)a.exponent - b.exponent;
    for (; apart > 0 && apart <= 19; apart--)
        x *= 10;
    for (; apart < 0 && apart >= -19; apart++)
        y *= 10;
    if (apart != 0)
        return (apart > 0) == (x > 0) ? 1 : -1;
    return (x > y) - (x < y);
}
