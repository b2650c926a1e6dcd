/* Limits of links. */
#include "episode/links.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "episode/delays.h"
#include "recording/segments.h"

static spk_status check(spk_context *context, const spk_recording *recording, double share)
{
    if (!(share >= 0 && share <= SPK_EPISODE_MAX_LINK_SHARE))
        return spk_fail(context, SPK_ERR_ARGUMENT, "a link share is a number from 0 to %g",
                        SPK_EPISODE_MAX_LINK_SHARE);
    if (share > 0 && recording->part.divided)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "a link share needs the numbers of events of the whole recording, which "
                        "ranks that divide it by time do not have; divide candidates");
    return SPK_OK;
}

static double observed_ticks(const spk_recording *recording)
{
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n);
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)segment[k].stop - (double)segment[k].start;
    return sum;
}

spk_status episode_links_open(spk_context *context, const spk_recording *recording,
                              const spk_episode_options *options, const episode_run *run,
                              episode_links *out)
{
    spk_tick_delay *delay = NULL;
    const uint32_t n_units = episode_run_n_units(run);
    *out = (episode_links){.share = options->link_share};
    spk_status status = check(context, recording, options->link_share);
    if (status != SPK_OK || out->share == 0)
        return status;
    out->ticks = observed_ticks(recording);
    status = spk_delays_to_ticks(context, options->delays, options->n_delays,
                                 spk_recording_rate(recording), &delay);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "links", SPK_COLUMN(&out->events, n_units),
                                   SPK_COLUMN(&out->width, options->n_delays));
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++)
        out->events[u] = (double)episode_run_unit_count(run, u);
    for (size_t d = 0; d < options->n_delays && status == SPK_OK; d++)
        out->width[d] = fmax(fmin((double)delay[d].hi, out->ticks) - (double)delay[d].lo, 0);
    free(delay);
    return status;
}

void episode_links_close(episode_links *links)
{
    free(links->events);
    free(links->width);
    *links = (episode_links){.share = 0};
}

/* What chance gives a link at the mean rates. Counted occurrences do not overlap, so that where the
 * interval holds events all the time they are nearly as many as the events of the rarer unit. */
static double by_chance(const episode_links *l, uint32_t before, uint16_t delay, uint32_t unit)
{
    const double a = l->events[before], b = l->events[unit], width = l->width[delay];
    return a > 0 && b > 0 ? a * b * width / (l->ticks + fmax(a, b) * width) : 0;
}

uint64_t episode_links_limit(const episode_links *links, uint32_t size, const uint32_t *unit,
                             const uint16_t *delay)
{
    double most = 0;
    for (uint32_t p = 1; p < size && links->share > 0; p++)
        most = fmax(most, by_chance(links, unit[p - 1], delay[p], unit[p]));
    const double limit = ceil(links->share * most);
    return limit < 0x1p63 ? (uint64_t)limit : UINT64_MAX;
}
