/* What a recording holds, in numbers: rates, gaps, intervals; and what looks wrong about them. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "recording/describe.h"

enum { FEW_EVENTS = 10, ENOUGH_EVENTS = 100 };

static uint64_t apart(int64_t earlier, int64_t later)
{
    return (uint64_t)later - (uint64_t)earlier;
}

static double tick_seconds(const spk_recording *recording)
{
    return (double)recording->rate.denominator / (double)recording->rate.numerator;
}

static double duration_seconds(const spk_recording *recording)
{
    return (double)apart(recording->extent.start, recording->extent.stop) * tick_seconds(recording);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static spk_status describe_rates(spk_context *context, const spk_recording *recording,
                                 spk_recording_description *out)
{
    const spk_events *events = &recording->events;
    uint32_t n = events->n_units;
    uint64_t *count = NULL;
    out->tick_s = tick_seconds(recording);
    out->duration_s = duration_seconds(recording);
    if (n == 0)
        return SPK_OK;
    spk_status status = spk_alloc(context, &count, n, "the numbers of events by unit");
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < n; u++) {
        count[u] = events->unit_first[u + 1] - events->unit_first[u];
        out->units_without_events += count[u] == 0;
        out->units_with_few_events += count[u] > 0 && count[u] < FEW_EVENTS;
    }
    qsort(count, n, sizeof *count, compare_counts);
    if (out->duration_s > 0) {
        out->rate_total_hz = (double)events->n_events / out->duration_s;
        out->rate_unit_min_hz = (double)count[0] / out->duration_s;
        out->rate_unit_median_hz =
            ((double)count[(n - 1) / 2] + (double)count[n / 2]) / 2 / out->duration_s;
        out->rate_unit_max_hz = (double)count[n - 1] / out->duration_s;
    }
    free(count);
    return SPK_OK;
}

/* Whether the rates cannot be those of neurons, or of most other things. */
static spk_rate_doubt doubt(const spk_recording *recording, const spk_recording_description *d)
{
    uint64_t n = recording->events.n_events;
    if (n < 2)
        return SPK_RATES_PLAUSIBLE;
    if (apart(recording->extent.start, recording->extent.stop) <= 1)
        return SPK_RATES_ONE_TIME;
    if (d->rate_unit_median_hz > 1000)
        return SPK_RATES_TOO_HIGH;
    return n >= ENOUGH_EVENTS && d->rate_unit_median_hz < 1e-3 ? SPK_RATES_TOO_LOW
                                                               : SPK_RATES_PLAUSIBLE;
}

spk_status spk_recording_describe(spk_context *context, const spk_recording *recording,
                                  spk_recording_description *out)
{
    *out = (spk_recording_description){.tick_s = 0};
    spk_status status = describe_rates(context, recording, out);
    out->rate_doubt = doubt(recording, out);
    return status;
}

spk_status spk_recording_tell_rates(spk_context *context, const spk_recording *recording,
                                    const char *name)
{
    spk_recording_description d = {.tick_s = 0};
    spk_status status = describe_rates(context, recording, &d);
    if (status != SPK_OK)
        return status;
    spk_rate_doubt found = doubt(recording, &d);
    if (found == SPK_RATES_ONE_TIME)
        spk_note(context,
                 "%s: all events have the same time; is the time column right (--columns)?", name);
    else if (found != SPK_RATES_PLAUSIBLE)
        spk_note(
            context,
            "%s: half of the units fire %s than %.3g times a second; is the unit of time right "
            "(--time-unit)?",
            name, found == SPK_RATES_TOO_HIGH ? "more" : "less", d.rate_unit_median_hz);
    return SPK_OK;
}
