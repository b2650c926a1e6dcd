/*
 * Recordings on their grid. Frames of a movie at 30 Hz that are written 0.0333, 0.0667, 0.1 lie now
 * a little before, now a little behind k/30 s: a bin of 1/30 s, or a delay of at most 1/30 s, would
 * hold them by how they were rounded. So a recording is put on its grid when it is made, before
 * anybody counts: the tick becomes 1/30 s, and each time its number of the frame. What is asked for
 * in the times as they were written (a start, a trial) means the point that was written so.
 *
 * Where the grid does not go through time 0, ticks are finer than its step, so that one of them is
 * the place of the first point.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/fraction.h"
#include "recording/grid.h"
#include "recording/segments.h"

enum { FINER = 10 }; /* than the ticks before, where the grid does not go through 0 */
static const uint64_t FINEST_WRITTEN = 1000000000000;

/* Points lie at first + k * step of the new ticks; k counts from the first time of the grid. */
typedef struct grid_map {
    const spk_recording *recording;
    spk_grid_fit fit;
    spk_written written;
    spk_rate rate;
} grid_map;

static int64_t point_of(const grid_map *map, int64_t tick)
{
    __int128 off;
    uint64_t away = (uint64_t)tick - (uint64_t)map->fit.first;
    uint64_t point = spk_grid_point(away, map->recording->rate, map->fit.points, &off);
    return map->written.first + (int64_t)(point / map->fit.common) * (int64_t)map->written.step;
}

/* ---- the ticks ------------------------------------------------------------------------------- */

/* Where the first point lies: at a multiple of the step, if that is within the rounding. */
static bool place_first(grid_map *map, spk_rate points)
{
    const spk_recording *recording = map->recording;
    const __int128 scale = (__int128)map->fit.points * (__int128)recording->rate.denominator;
    const __int128 step = (__int128)recording->rate.numerator * (__int128)map->fit.common;
    const __int128 first = (__int128)map->fit.first * scale + (map->fit.least + map->fit.most) / 2;
    const __int128 nearest = spk_round_quotient(first, step), off = first - nearest * step;
    map->written.step = 1;
    map->written.first = (int64_t)nearest;
    if ((double)(off < 0 ? -off : off) > map->fit.tolerance * (double)scale) {
        const __int128 finer = FINER * (step / scale + 1),
                       rest = spk_round_quotient(off * finer, step);
        __int128 at = nearest * finer + rest;
        if (finer >> 40 != 0 || at >> 62 != at >> 63)
            return false;
        map->written.step = (uint64_t)finer;
        map->written.first = (int64_t)at;
    }
    const unsigned __int128 ticks = (unsigned __int128)points.numerator * map->written.step;
    const uint64_t common = (uint64_t)spk_greatest_divisor(points.denominator, ticks);
    map->rate = (spk_rate){(uint64_t)(ticks / common), points.denominator / common};
    return ticks / common <= UINT64_MAX;
}

static bool make_map(grid_map *map, const spk_time_grid *grid)
{
    const spk_recording *recording = map->recording;
    const spk_rate rate = recording->rate;
    const spk_events *events = &recording->events;
    const unsigned __int128 unit = (unsigned __int128)rate.denominator * map->fit.divisor;
    if (!place_first(map, grid->points_per_second))
        return false;
    spk_rate shown = {rate.numerator, (uint64_t)unit};
    if (unit > UINT64_MAX || shown.numerator / shown.denominator >= FINEST_WRITTEN)
        shown = (spk_rate){FINEST_WRITTEN, 1};
    map->written.rate = shown;
    map->written.tolerance_s =
        map->fit.tolerance * (double)rate.denominator / (double)rate.numerator;
    const int64_t last = point_of(map, events->time[events->n_events - 1]);
    return last >= map->written.first && last < INT64_MAX / 2;
}

/* ---- borders --------------------------------------------------------------------------------- */

static spk_border border_on_grid(const grid_map *map, spk_border border)
{
    const spk_events *events = &map->recording->events;
    spk_duration time = border.time;
    spk_border out = spk_border_at(INT64_MIN);
    const uint64_t next = spk_events_before(events, border.tick);
    if (border.between || spk_duration_of_tick(border.tick, map->recording->rate, &time))
        out = spk_border_written(time, map->rate, &map->written);
    if (next < events->n_events && out.tick > point_of(map, events->time[next]))
        out = spk_border_at(point_of(map, events->time[next]));
    if (next > 0 && out.tick <= point_of(map, events->time[next - 1]))
        out = spk_border_at(point_of(map, events->time[next - 1]) + 1);
    return out;
}

/* A bound that was given stays where it lies between two ticks. */
static int64_t move_bound(spk_border border, bool *has, spk_duration *time)
{
    *has = border.between;
    if (border.between)
        *time = border.time;
    return border.tick;
}

static void move_borders(const grid_map *map, spk_recording *recording)
{
    spk_recording_bounds *given = &recording->given;
    for (size_t k = 0; k < recording->n_segments; k++) {
        recording->exact[k].start = border_on_grid(map, recording->exact[k].start);
        recording->exact[k].stop = border_on_grid(map, recording->exact[k].stop);
    }
    spk_segments_sort(recording->n_segments, recording->exact); /* two may begin at one point now */
    for (size_t k = 0; k < recording->n_segments; k++)
        recording->segments[k] =
            (spk_segment){recording->exact[k].start.tick, recording->exact[k].stop.tick};
    spk_border start = spk_border_at(recording->extent.start);
    spk_border stop = spk_border_at(recording->extent.stop);
    if (given->has_start)
        start = spk_border_of(given->start, recording->rate);
    if (given->has_stop)
        stop = spk_border_of(given->stop, recording->rate);
    start = border_on_grid(map, start);
    stop = border_on_grid(map, stop);
    recording->extent.start = move_bound(start, &given->has_start, &given->start);
    recording->extent.stop = move_bound(stop, &given->has_stop, &given->stop);
}

/* ---- the recording --------------------------------------------------------------------------- */

/* Less is the rounding of a double, which is nothing to tell. */
static const double TOLD_S = 1e-12;

static void tell(spk_context *context, const char *name, const grid_map *map, spk_rate points,
                 spk_recording_facts *facts)
{
    const double scale = (double)map->fit.points * (double)map->recording->rate.numerator;
    const double worst = (double)(map->fit.most - map->fit.least) / scale;
    snprintf(facts->clock, sizeof facts->clock, "a grid of %" PRIu64 "/%" PRIu64 "s",
             points.denominator, points.numerator);
    facts->clock_worst_s = worst > facts->clock_worst_s ? worst : facts->clock_worst_s;
    char apart[60] = "";
    if (worst >= TOLD_S)
        snprintf(apart, sizeof apart, ": they differ by no more than %.2g s", worst);
    spk_note(context,
             "%s: times are rounded multiples of %" PRIu64 "/%" PRIu64
             " s, and are taken to be exactly these%s",
             name, points.denominator, points.numerator, apart);
}

/* Whether there is a grid to put the recording on. */
static bool find_map(const spk_recording *recording, const spk_whole_grid *whole,
                     spk_time_grid *grid, grid_map *map)
{
    map->recording = recording;
    if (recording->time_unit == SPK_TIME_SAMPLES || recording->events.n_events == 0)
        return false;
    if (whole == NULL || !whole->rounded)
        return spk_recording_fit_grid(recording, grid, &map->fit);
    *grid = whole->grid;
    map->fit = whole->fit;
    return true;
}

static spk_status settle(spk_context *context, const char *name, const spk_whole_grid *whole,
                         spk_recording *recording)
{
    spk_time_grid grid;
    grid_map map;
    if (!find_map(recording, whole, &grid, &map))
        return SPK_OK;
    if (!make_map(&map, &grid))
        return spk_fail(context, SPK_ERR_RANGE,
                        "%s: times are rounded multiples of %" PRIu64 "/%" PRIu64
                        " s, and 64 bit do not hold their grid; write fewer digits, or let times "
                        "begin near 0",
                        name, grid.points_per_second.denominator, grid.points_per_second.numerator);
    tell(context, name, &map, grid.points_per_second, &recording->facts);
    move_borders(&map, recording);
    for (uint64_t e = recording->events.n_events; e-- > 0;)
        recording->time[e] = point_of(&map, recording->time[e]);
    recording->rate = map.rate;
    recording->written = map.written;
    return SPK_OK;
}

spk_status spk_recording_on_grid(spk_context *context, const spk_recording *recording,
                                 spk_recording **out)
{
    spk_time_grid grid;
    *out = NULL;
    spk_recording_find_grid(recording, &grid);
    if (!grid.rounded)
        return SPK_OK;
    spk_status status = spk_recording_slice(context, recording, NULL, NULL, 0, NULL, out);
    if (status != SPK_OK)
        return status;
    (*out)->time_unit = SPK_TIME_SECONDS;
    (*out)->given = recording->given;
    return spk_recording_settle(context, "the recording", NULL, out);
}

spk_status spk_recording_settle(spk_context *context, const char *name, const spk_whole_grid *whole,
                                spk_recording **recording)
{
    spk_status status = settle(context, name, whole, *recording);
    if (status != SPK_OK) {
        spk_recording_free(*recording);
        *recording = NULL;
    }
    return status;
}
