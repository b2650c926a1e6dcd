/* Delay intervals. */
#include "episode/delays.h"

#include <string.h>

#include "base/memory.h"

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
