/*
 * Two passes: the column of units becomes numbers, then times are appended of the units that are
 * wanted. What is not kept costs 4 bytes an event within the range or part that is read. Floating
 * point stays where it is until the clock is found, which looks at all times that are kept.
 */
#include "recording/readers/spikes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stage.h"
#include "recording/read_text.h"
#include "recording/readers/events.h"

/* ---- what times mean ------------------------------------------------------------------------- */

static spk_status fail_meaning(spk_context *context, const spk_spikes *spikes, const char *what)
{
    char type[32];
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: times are %s, %s; pass --time-unit samples@RATE, for example "
                    "samples@30000, or s, ms or us",
                    spikes->name, spk_npy_type_name(&spikes->times.type, type), what);
}

/* The rate of whole numbers, the divisor of floating point. */
static spk_status find_meaning(spk_context *context, const spk_spikes *spikes,
                               const spk_read_options *options, spk_event_work *work)
{
    static const uint64_t parts[] = {1, 1000, 1000000};
    static_assert(sizeof parts / sizeof parts[0] == SPK_TIME_SAMPLES, "one for every decimal unit");
    work->real = spikes->times.type.kind == 'f';
    if (options->time_unit != SPK_TIME_GUESS &&
        (spikes->ticks || (spikes->in_seconds && options->time_unit != SPK_TIME_SECONDS)))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: the file says what its times are; leave --time-unit out",
                        spikes->name);
    if (spikes->ticks && work->real)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: its ticks are no whole numbers; save the recording again",
                        spikes->name);
    work->time_unit = options->time_unit;
    if (work->time_unit == SPK_TIME_GUESS) {
        bool samples = spikes->samples || spikes->rate.numerator > 0;
        if (!work->real && !samples && !spikes->in_seconds)
            return fail_meaning(context, spikes, "and nothing says of what");
        if (samples && spikes->rate.numerator == 0)
            return fail_meaning(context, spikes, "samples, and nothing says how many are a second");
        work->time_unit = samples ? SPK_TIME_SAMPLES : SPK_TIME_SECONDS;
        work->rate = spikes->rate;
    } else if (work->time_unit == SPK_TIME_SAMPLES) {
        work->rate = spk_sample_rate_given(options);
        if (spikes->rate.numerator > 0 &&
            (unsigned __int128)spikes->rate.numerator * work->rate.denominator !=
                (unsigned __int128)work->rate.numerator * spikes->rate.denominator)
            spk_note(context, "%s: samples are those of --time-unit; the files say another rate",
                     spikes->name);
    }
    if (work->time_unit != SPK_TIME_SAMPLES) {
        work->rate = (spk_rate){parts[work->time_unit], 1};
        work->divisor = (double)parts[work->time_unit];
    }
    return SPK_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static spk_status check_columns(spk_context *context, const spk_spikes *spikes)
{
    char type[32];
    if (spikes->times.n != spikes->units.n)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: %" PRIu64 " times and %" PRIu64
                        " units; each event needs one of both, are these files of one recording?",
                        spikes->name, spikes->times.n, spikes->units.n);
    if (!spk_values_are_whole(&spikes->times) && spikes->times.type.kind != 'f')
        return spk_fail(context, SPK_ERR_FORMAT, "%s: times are %s; give an array of numbers",
                        spikes->name, spk_npy_type_name(&spikes->times.type, type));
    return SPK_OK;
}

/* Reads units and times of the range; *again: all are to be read, as it was taken for sorted and is
 * not, or is a part of what cannot be read. */
static spk_status read_range(spk_event_work *work, bool *again)
{
    *again = false;
    if (work->n > SPK_MAX_EVENTS)
        return spk_fail(work->context, SPK_ERR_RANGE,
                        "%s: more than %u events; cut the file by time", work->spikes->name,
                        SPK_MAX_EVENTS);
    spk_status status = spk_events_read_units(work);
    if (status == SPK_OK)
        status = spk_events_choose(work);
    if (status == SPK_OK)
        status = spk_events_read_times(work);
    *again = status == SPK_OK &&
             ((work->narrow && work->disorder) || (work->part && !spk_events_part_is_good(work)));
    if (*again)
        spk_events_take_all(work);
    return status;
}

spk_status spk_spikes_read(spk_context *context, const spk_spikes *spikes,
                           const spk_read_options *options, spk_recording **out)
{
    bool again = true;
    spk_event_work *work = NULL;
    spk_stage stage = spk_stage_open(context);
    *out = NULL;
    spk_status status = check_columns(context, spikes);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &work, 1, "reading arrays");
    if (status != SPK_OK)
        goto done;
    *work = (spk_event_work){.context = context,
                             .spikes = spikes,
                             .options = options,
                             .times = &spikes->times,
                             .divisor = 1,
                             .has_start = options->start != NULL,
                             .has_stop = options->stop != NULL &&
                                         options->stop->exponent != SPK_DURATION_INFINITE};
    status = find_meaning(context, spikes, options, work);
    if (status == SPK_OK)
        status = spk_events_find_range(work);
    while (status == SPK_OK && again)
        status = read_range(work, &again);
    if (status == SPK_OK)
        status = spk_events_finish(work, out);
done:
    spk_events_clear(work);
    free(work);
    spk_stage_close(context, &stage);
    if (status == SPK_OK)
        status = spk_recording_tell_rates(context, *out, spikes->name);
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    return status;
}
