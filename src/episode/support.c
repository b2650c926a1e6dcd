/* Supports: counts, and shares of a recording's events. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "recording/segments.h"
#include "spikemine/episode.h"

uint64_t spk_episode_support(const spk_recording *recording, spk_fraction share)
{
    uint64_t n = spk_recording_counted_events(recording);
    /* ceil(n * f) = n - floor(n * (1 - f)) is no help; count in units of the last digit instead. */
    unsigned __int128 value = share.digits > 0 ? (uint64_t)share.digits : 0;
    value *= n;
    for (int32_t e = share.exponent; e > 0 && value > 0 && value >> 100 == 0; e--)
        value *= 10;
    for (int32_t e = share.exponent; e < 0 && value > 1; e++)
        value = value / 10 + (value % 10 != 0);
    if (value > UINT64_MAX)
        return UINT64_MAX;
    return value > 0 ? (uint64_t)value : 1;
}

/* ---- reading --------------------------------------------------------------------------------- */

static spk_status fail_form(spk_context *context, const char *text)
{
    return spk_fail(context, SPK_ERR_FORMAT,
                    "support '%.60s': write a count such as 173 or a share such as 0.1%%", text);
}

/* Whether the number, which is not negative, is over 100. */
static bool over_hundred(spk_decimal number)
{
    if (number.exponent > 2)
        return number.digits > 0;
    if (number.exponent >= 0)
        return number.digits > 100 / spk_power_of_ten[number.exponent];
    /* 100 * 10^16 is above all digits. */
    return number.exponent > -16 && number.digits > 100 * spk_power_of_ten[-number.exponent];
}

/* digits * 10^exponent as people write it: 1.50 is "1.5". */
static void put_decimal(spk_decimal number, char *buffer, size_t size)
{
    int64_t whole = number.digits;
    bool fits = number.exponent >= 0 && number.exponent < SPK_POWERS_OF_TEN &&
                !__builtin_mul_overflow(whole, spk_power_of_ten[number.exponent], &whole);
    if (fits)
        snprintf(buffer, size, "%" PRId64, whole);
    else if (number.exponent > 0 || number.exponent < -18)
        snprintf(buffer, size, "%" PRId64 "e%" PRId32, number.digits, number.exponent);
    else
        spk_decimal_format(number.digits, -number.exponent, buffer, size);
}

/* The number as a share with a percent sign, where it is one. */
static bool put_share(spk_decimal number, const char *before, char *buffer, size_t size)
{
    char text[48];
    buffer[0] = '\0';
    if (over_hundred(number))
        return false;
    put_decimal(number, text, sizeof text);
    snprintf(buffer, size, "%s%s%%", before, text);
    return true;
}

/* "1.0" may mean a count of one, one event in a hundred, or all events. */
static spk_status fail_point(spk_context *context, const char *text, spk_decimal number)
{
    char count[64] = "";
    char percent[64];
    char share[64];
    bool whole = number.exponent >= 0;
    if (whole)
        put_decimal(number, count, sizeof count);
    bool is_share = put_share(number, "", percent, sizeof percent);
    put_share((spk_decimal){number.digits, number.exponent + 2}, " or ", share, sizeof share);
    if (!whole && !is_share)
        return fail_form(context, text);
    return spk_fail(context, SPK_ERR_FORMAT,
                    "support '%.60s': a number with a point could be a count or a share; write "
                    "%s%s%s%s%s%s",
                    text, count, whole ? " for a count" : "", whole && is_share ? ", " : "",
                    percent, share, is_share ? " for a share of the events" : "");
}

static spk_status take_count(spk_context *context, const char *text, uint64_t *support)
{
    const char *end = text + strlen(text);
    const char *rest = text;
    uint64_t value = 0;
    bool fits = spk_whole_scan(&rest, end, &value);
    if (rest == text || rest != end)
        return fail_form(context, text);
    if (!fits)
        return spk_fail(context, SPK_ERR_RANGE,
                        "support '%.60s': no recording has so many events; write a smaller count",
                        text);
    if (value == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "support '%.60s': must be positive", text);
    *support = value;
    return SPK_OK;
}

spk_status spk_episode_support_parse(spk_context *context, const spk_recording *recording,
                                     const char *text, uint64_t *support)
{
    const char *end = text + strlen(text);
    const char *rest = text;
    spk_decimal number;
    bool decimal = (spk_is_digit(text[0]) || text[0] == '.') &&
                   spk_decimal_parse(text, end, &number, &rest) == SPK_DECIMAL_OK;
    bool percent = decimal && rest + 1 == end && *rest == '%';
    if (decimal && rest == end && memchr(text, '.', (size_t)(end - text)) != NULL)
        return fail_point(context, text, number);
    if (!percent)
        return take_count(context, text, support);
    if (number.digits == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "support '%.60s': must be positive", text);
    if (over_hundred(number))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "support '%.60s': is over 100%%, more than all events; write a smaller "
                        "share, or a count without a percent sign",
                        text);
    if (recording != NULL)
        *support =
            spk_episode_support(recording, (spk_fraction){number.digits, number.exponent - 2});
    return SPK_OK;
}
