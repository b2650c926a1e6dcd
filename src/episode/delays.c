/* Delay intervals: the text form, the rules, the bounds in ticks. */
#include "episode/delays.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

size_t spk_delay_format(const spk_delay *delay, char *buffer, size_t size)
{
    char lo[48];
    char hi[48];
    spk_duration_format(delay->lo, lo, sizeof lo);
    spk_duration_format(delay->hi, hi, sizeof hi);
    return (size_t)snprintf(buffer, size, "(%s,%s]", lo, hi);
}

spk_status spk_delay_check(spk_context *context, const char *place, const spk_delay *delay)
{
    char text[112];
    spk_delay_format(delay, text, sizeof text);
    if (delay->lo.digits < 0 || delay->hi.digits < 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%sdelay interval %s is negative", place, text);
    if (spk_duration_compare(delay->lo, delay->hi) >= 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%sdelay interval %s is empty: the lower bound must be below the upper",
                        place, text);
    return SPK_OK;
}

spk_status spk_delay_parse_range(spk_context *context, const char *text, size_t length,
                                 spk_delay *out)
{
    const char *start = text;
    const char *end = text + length;
    char separator = ':';
    if (length >= 2 && text[0] == '(' && end[-1] == ']') {
        start++;
        end--;
        separator = ',';
    }
    const char *middle = memchr(start, separator, (size_t)(end - start));
    if (middle == NULL)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "delay interval '%.*s': write LO:HI, for example 5ms:10ms for (5ms,10ms]",
                        (int)(length < 80 ? length : 80), text);
    spk_status status = spk_duration_parse(context, start, (size_t)(middle - start), &out->lo);
    if (status == SPK_OK)
        status = spk_duration_parse(context, middle + 1, (size_t)(end - middle - 1), &out->hi);
    return status == SPK_OK ? spk_delay_check(context, "", out) : status;
}

spk_status spk_delay_parse(spk_context *context, const char *text, spk_delay *out)
{
    return spk_delay_parse_range(context, text, strlen(text), out);
}

spk_status spk_delays_check(spk_context *context, const spk_delay *delays, size_t n_delays)
{
    if (n_delays > SPK_EPISODE_MAX_DELAYS)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%zu delay intervals are more than %u", n_delays,
                        SPK_EPISODE_MAX_DELAYS);
    spk_status status = SPK_OK;
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++)
        status = spk_delay_check(context, "", &delays[d]);
    return status;
}

spk_status spk_delays_to_ticks(spk_context *context, const spk_delay *delays, size_t n_delays,
                               spk_rate rate, spk_tick_delay **out)
{
    spk_status status = spk_alloc(context, out, n_delays, "delay intervals");
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++)
        (*out)[d] = (spk_tick_delay){spk_duration_ticks(delays[d].lo, rate),
                                     spk_duration_ticks(delays[d].hi, rate)};
    return status;
}
