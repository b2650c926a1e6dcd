/* Supports: counts, and shares of a recording's events. */
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "spikemine/episode.h"

/* digits * 10^exponent, exponent >= 0; UINT64_MAX for everything larger. */
static uint64_t whole_number(spk_decimal number)
{
    uint64_t value = (uint64_t)number.digits;
    for (int32_t e = number.exponent; e > 0; e--)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value))
            return UINT64_MAX;
    return value;
}

uint64_t spk_episode_support(const spk_recording *recording, spk_share share)
{
    uint64_t n = spk_recording_events(recording).n_events;
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

spk_status spk_episode_support_parse(spk_context *context, const spk_recording *recording,
                                     const char *text, uint64_t *support)
{
    const char *end = text + strlen(text);
    const char *rest = text;
    spk_decimal number;
    spk_decimal_result result = spk_decimal_parse(text, end, &number, &rest);
    bool percent = rest < end && *rest == '%';
    if (result != SPK_DECIMAL_OK || rest + percent != end)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "support '%.60s': write a count such as 173 or a share such as 0.1%%",
                        text);
    if (number.digits <= 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "support '%.60s': must be positive", text);
    bool whole = number.exponent >= 0;
    if (percent || (!whole && memchr(text, '.', (size_t)(end - text)) != NULL && text[0] == '0')) {
        spk_share share = {number.digits, number.exponent - (percent ? 2 : 0)};
        *support = spk_episode_support(recording, share);
        return SPK_OK;
    }
    if (!whole)
        return spk_fail(context, SPK_ERR_FORMAT, "support '%.60s': a count must be a whole number",
                        text);
    *support = whole_number(number);
    return SPK_OK;
}
