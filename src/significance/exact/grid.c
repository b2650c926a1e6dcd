/*
 * Recordings whose times lie on a grid coarser than their ticks, as those of spikes in bins of 5 ms
 * that were written as seconds. Placed on any tick, spikes of surrogates would leave the grid.
 * Their delays would then fall elsewhere than those of the recording: a delay that is always 5 ms
 * lies within (0,5ms], and one of 4.9 to 5.1 ms does so half of the time. So the test looks at the
 * same recording with a tick for each point of the grid. Delays are multiples of the grid, and
 * every count stays the same.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "significance/exact/exact.h"

/* ceil((tick - first) / step): the first point of the grid that is not before the tick. */
static int64_t point_from(int64_t tick, int64_t first, uint64_t step)
{
    __int128 away = (__int128)tick - first;
    __int128 points = away / (__int128)step;
    return (int64_t)(points + (away > 0 && away % (__int128)step != 0));
}

static spk_status make(spk_context *context, const spk_recording *recording, uint64_t step,
                       spk_rate rate, spk_recording **out)
{
    const spk_events events = spk_recording_events(recording);
    size_t n_segments = 0, n_kept = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n_segments);
    const int64_t first = events.time[0];
    const int64_t start = point_from(spk_recording_start(recording), first, step);
    const int64_t stop = point_from(spk_recording_stop(recording), first, step);
    int64_t *time = NULL;
    spk_segment *kept = NULL;
    const char **label = NULL;
    spk_recording_source source;
    spk_status status =
        spk_alloc_columns(context, "a recording on its grid", SPK_COLUMN(&time, events.n_events),
                          SPK_COLUMN(&kept, n_segments), SPK_COLUMN(&label, events.n_units));
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++)
        label[u] = spk_recording_label(recording, u);
    for (uint64_t e = 0; e < events.n_events && status == SPK_OK; e++)
        time[e] = point_from(events.time[e], first, step);
    for (size_t k = 0; k < n_segments && status == SPK_OK; k++) {
        const spk_segment on_grid = {point_from(segments[k].start, first, step),
                                     point_from(segments[k].stop, first, step)};
        if (on_grid.start < on_grid.stop)
            kept[n_kept++] = on_grid;
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = events.n_events;
    source.time = time;
    source.unit = events.unit;
    source.n_units = events.n_units;
    source.labels = label;
    source.rate = rate;
    source.start = &start, source.stop = &stop;
    source.segments = kept, source.n_segments = n_kept;
    if (status == SPK_OK)
        status = spk_recording_create(context, &source, out);
    spk_free(context, time);
    spk_free(context, kept);
    spk_free(context, label);
    return status;
}

spk_status spk_exact_on_grid(spk_context *context, const spk_recording *recording,
                             spk_recording **out)
{
    spk_time_grid grid;
    *out = NULL;
    spk_recording_find_grid(recording, &grid);
    if (grid.rounded) {
        spk_note(context,
                 "the times are rounded multiples of %llu/%llu s, and those of surrogates are not: "
                 "p-values are not exact; number the points, and read them with --time-unit "
                 "samples@RATE",
                 (unsigned long long)grid.points_per_second.denominator,
                 (unsigned long long)grid.points_per_second.numerator);
        return SPK_OK;
    }
    if (grid.ticks <= 1 || grid.points_per_second.numerator == 0)
        return SPK_OK;
    return make(context, recording, grid.ticks, grid.points_per_second, out);
}
