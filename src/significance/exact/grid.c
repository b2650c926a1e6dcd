/*
 * Recordings whose times lie on a grid coarser than their ticks, as those of spikes in bins of 5 ms
 * that were written as seconds. Placed on any tick, spikes of surrogates would leave the grid.
 * Their delays would then fall elsewhere than those of the recording: a delay that is always 5 ms
 * lies within (0,5ms], and one of 4.9 to 5.1 ms does so half of the time. So the test looks at the
 * same recording with a tick for each point of the grid. Delays are multiples of the grid, and
 * every count stays the same.
 *
 * Frames of 1/30 s written as rounded decimals go to the nearest point. Counts stay the same where
 * no bound of a delay lies so near to a point that rounding decides. Where one does, or where two
 * times share a point, there is no exact test. Readers put such recordings on their grid
 * (recording/on_grid.c); left are those whose ticks were given as samples.
 */
#include <math.h>

#include "base/memory.h"
#include "recording/segments.h"
#include "significance/exact/exact.h"
#include "spikemine/describe.h"

/* Where the points lie: `numerator` / `denominator` points a tick from the first event on, times
 * `tolerance` ticks beside them. */
typedef struct grid_map {
    int64_t first;
    unsigned __int128 numerator;
    unsigned __int128 denominator;
    int64_t tolerance;
} grid_map;

static __int128 floor_points(const grid_map *map, __int128 away, unsigned __int128 shift)
{
    const __int128 denominator = (__int128)map->denominator;
    const __int128 product = away * (__int128)map->numerator + (__int128)shift;
    const __int128 points = product / denominator;
    return points - (product < 0 && product % denominator != 0);
}

/* The nearest point. */
static int64_t point_of(const grid_map *map, int64_t tick)
{
    return (int64_t)floor_points(map, (__int128)tick - map->first, map->denominator / 2);
}

/* The first point that is not before the tick. */
static int64_t point_from(const grid_map *map, int64_t tick)
{
    return (int64_t)floor_points(map, (__int128)tick - map->first - map->tolerance,
                                 map->denominator - 1);
}

/* The same for a border of a segment: it stays between the events that it lies between. */
static int64_t border_from(const grid_map *map, const spk_events *events, int64_t tick)
{
    const uint64_t low = spk_events_before(events, tick);
    int64_t point = point_from(map, tick);
    if (low > 0 && point <= point_of(map, events->time[low - 1]))
        point = point_of(map, events->time[low - 1]) + 1;
    if (low < events->n_events && point > point_of(map, events->time[low]))
        point = point_of(map, events->time[low]);
    return point;
}

/* Whether different times have different points. */
static bool keeps_times(const grid_map *map, const spk_events *events)
{
    for (uint64_t e = 1; e < events->n_events; e++)
        if (events->time[e] != events->time[e - 1] &&
            point_of(map, events->time[e]) == point_of(map, events->time[e - 1]))
            return false;
    return true;
}

static spk_status make(spk_context *context, const spk_recording *recording, const grid_map *map,
                       spk_rate rate, spk_recording **out)
{
    const spk_events events = spk_recording_events(recording);
    size_t n_segments = 0, n_kept = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n_segments);
    const int64_t start = border_from(map, &events, spk_recording_start(recording));
    const int64_t stop = border_from(map, &events, spk_recording_stop(recording));
    int64_t *time = NULL;
    spk_segment *kept = NULL;
    size_t *trial = NULL;
    const char **label = NULL;
    spk_recording_source source;
    spk_status status =
        spk_alloc_columns(context, "a recording on its grid", SPK_COLUMN(&time, events.n_events),
                          SPK_COLUMN(&kept, n_segments), SPK_COLUMN(&trial, n_segments),
                          SPK_COLUMN(&label, events.n_units));
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++)
        label[u] = spk_recording_label(recording, u);
    for (uint64_t e = 0; e < events.n_events && status == SPK_OK; e++)
        time[e] = point_of(map, events.time[e]);
    /* Borders that meet on the grid leave nothing between them: such a segment had no event. */
    for (size_t k = 0; k < n_segments && status == SPK_OK; k++) {
        const spk_segment on_grid = {border_from(map, &events, segments[k].start),
                                     border_from(map, &events, segments[k].stop)};
        trial[n_kept] = spk_recording_trial(recording, k);
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
    source.trial = trial, source.n_trials = spk_recording_trials(recording);
    if (status == SPK_OK)
        status = spk_recording_create(context, &source, out);
    spk_free(context, time);
    spk_free(context, kept);
    spk_free(context, trial);
    spk_free(context, label);
    return status;
}

/* Whether rounding decides what a delay holds. */
static bool delays_keep_off(const spk_time_grid *grid, const spk_delay *delays, size_t n_delays)
{
    char text[8];
    for (size_t d = 0; d < n_delays; d++)
        if (spk_time_grid_check_delay(grid, delays[d].lo, delays[d].hi, text, sizeof text) > 0)
            return false;
    return true;
}

/* The map of rounded times; false where it would not keep what is counted. */
static bool map_rounded(const spk_recording *recording, const spk_time_grid *grid,
                        const spk_delay *delays, size_t n_delays, grid_map *map)
{
    const spk_rate rate = spk_recording_rate(recording), points = grid->points_per_second;
    const spk_events events = spk_recording_events(recording);
    map->numerator = (unsigned __int128)points.numerator * rate.denominator;
    map->denominator = (unsigned __int128)points.denominator * rate.numerator;
    map->tolerance =
        (int64_t)ceil(grid->tolerance_s * (double)rate.numerator / (double)rate.denominator);
    return map->numerator >> 60 == 0 && map->denominator >> 120 == 0 &&
           delays_keep_off(grid, delays, n_delays) && keeps_times(map, &events);
}

spk_status spk_exact_on_grid(spk_context *context, const spk_recording *recording,
                             const spk_delay *delays, size_t n_delays, spk_recording **out)
{
    spk_time_grid grid;
    grid_map map = {.denominator = 1};
    *out = NULL;
    spk_recording_find_grid(recording, &grid);
    if (!grid.rounded && (grid.ticks <= 1 || grid.points_per_second.numerator == 0))
        return SPK_OK;
    map.first = spk_recording_events(recording).time[0];
    map.numerator = 1, map.denominator = grid.ticks;
    if (!grid.rounded || map_rounded(recording, &grid, delays, n_delays, &map))
        return make(context, recording, &map, grid.points_per_second, out);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "the times are rounded multiples of %llu/%llu s, and those of surrogates would "
                    "not be: p-values would not be exact; number the points and read them with "
                    "--time-unit samples@RATE (spk_recording_on_grid does so), or put bounds of "
                    "delays between two multiples",
                    (unsigned long long)grid.points_per_second.denominator,
                    (unsigned long long)grid.points_per_second.numerator);
}
