/* Stretches of a recording. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/stretch.h"

spk_stretch spk_stretch_inside(const spk_recording *recording, int64_t start, uint64_t length)
{
    int64_t first = spk_recording_start(recording);
    uint64_t total = spk_time_difference(spk_recording_stop(recording), first);
    if (length >= total)
        return (spk_stretch){first, total > 0 ? total : 1};
    uint64_t latest = total - length;
    uint64_t offset = start > first ? spk_time_difference(start, first) : 0;
    if (offset > latest)
        offset = latest;
    return (spk_stretch){(int64_t)((uint64_t)first + offset), length};
}

spk_stretch spk_stretch_first(const spk_recording *recording)
{
    enum { EVENTS = 4000 };
    const spk_events events = spk_recording_events(recording);
    const int64_t first = spk_recording_start(recording);
    const uint64_t length =
        events.n_events > EVENTS ? spk_time_difference(events.time[EVENTS], first) : UINT64_MAX;
    return spk_stretch_inside(recording, first, length > 0 ? length : 1);
}

spk_status spk_stretch_between(spk_context *context, const spk_recording *recording,
                               const spk_figure_options *options, spk_stretch *out)
{
    spk_rate rate = spk_recording_rate(recording);
    int64_t start = spk_recording_start(recording);
    int64_t stop = spk_recording_stop(recording);
    if (options->start != NULL) {
        int64_t tick = spk_duration_first_tick(*options->start, rate);
        start = tick > start ? tick : start;
    }
    if (options->stop != NULL) {
        int64_t tick = spk_duration_first_tick(*options->stop, rate);
        stop = tick < stop ? tick : stop;
    }
    if (start >= stop)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the range of the figure holds nothing of the recording; spikemine info "
                        "tells from when to when it lasts");
    *out = (spk_stretch){start, spk_time_difference(stop, start)};
    return SPK_OK;
}
#endif
