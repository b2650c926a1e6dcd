/*
 * Grids of times. Frames of a movie at 30 Hz are written 0.0333, 0.0667, 0.1: rounded decimals
 * whose exact grid, 1/30 s, no common divisor shows. It is found by trying N = 1, 2, 3 ... points a
 * second: all times must lie within their rounding of a multiple of 1/N, and this may be at most a
 * quarter of the way between two multiples. N tries with n times hit by chance with a probability
 * below N / 4^n. Then each different time must have a point of its own, and what times are off
 * their points must be the rounding of one grid: times that tell more than that are left alone.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fraction.h"
#include "recording/grid.h"
#include "recording/segments.h"
#include "spikemine/describe.h"

typedef unsigned __int128 uint128;

enum { MOST_POINTS = 100000, SAMPLES = 64, FEWEST_SAMPLES = 24 };

typedef unsigned __int128 uint128;

/* A time as the difference to the first one. */
typedef struct sample {
    uint64_t ticks;
    double tolerance; /* how far it may be from the grid, ticks */
} sample;

/* ---- finding --------------------------------------------------------------------------------- */

static uint64_t common_divisor(const spk_events *events)
{
    uint64_t divisor = 0;
    for (uint64_t i = 1; i < events->n_events && divisor != 1; i++) {
        uint64_t step = (uint64_t)events->time[i] - (uint64_t)events->time[i - 1];
        if (divisor == 0 || step % divisor != 0)
            divisor = (uint64_t)spk_greatest_divisor(divisor, step);
    }
    return divisor;
}

/* The error of times that were once floating point, which is in proportion to them. */
static double noise_of(const spk_events *events, uint64_t i)
{
    return 0x1p-50 * (fabs((double)events->time[i]) + fabs((double)events->time[0]));
}

/* Two times that are rounded to the `divisor` of all times differ by at most one more. */
static sample make_sample(const spk_events *events, uint64_t i, uint64_t divisor)
{
    return (sample){(uint64_t)events->time[i] - (uint64_t)events->time[0],
                    (double)divisor + noise_of(events, i)};
}

/* Different times from all over the recording. */
static size_t draw_samples(const spk_events *events, uint64_t divisor, sample *out)
{
    size_t n = 0;
    for (uint64_t k = 1; k <= SAMPLES; k++) {
        uint64_t i = (uint64_t)((uint128)(events->n_events - 1) * k / SAMPLES);
        sample s = make_sample(events, i, divisor);
        if (s.ticks != 0 && (n == 0 || s.ticks != out[n - 1].ticks))
            out[n++] = s;
    }
    return n;
}

uint64_t spk_grid_point(uint64_t ticks, spk_rate rate, uint64_t points, __int128 *off)
{
    uint128 product = (uint128)ticks * points * rate.denominator;
    uint64_t rest = (uint64_t)(product % rate.numerator);
    bool above = rest > rate.numerator / 2;
    *off = (__int128)rest - (above ? (__int128)rate.numerator : 0);
    return (uint64_t)(product / rate.numerator) + above;
}

/* Whether a time lies on the grid of n points a second. */
static bool lies_on(sample s, spk_rate rate, uint64_t n)
{
    __int128 off;
    spk_grid_point(s.ticks, rate, n, &off);
    return fabs((double)off) <= s.tolerance * (double)n * (double)rate.denominator;
}

/* Whether n samples lie on the grid of `points` points a second. */
static bool all_lie_on(const sample *samples, size_t n, spk_rate rate, uint64_t points)
{
    for (size_t k = 0; k < n; k++)
        if (!lies_on(samples[k], rate, points))
            return false;
    return true;
}

/* Most points a second whose distance is four times the tolerance to both sides. */
static uint64_t most_points(const sample *last, spk_rate rate)
{
    double most = (double)rate.numerator / (double)rate.denominator / (8 * last->tolerance);
    return most < MOST_POINTS ? (uint64_t)most : MOST_POINTS;
}

/* The fewest points a second on which the samples lie; 0: none. */
static uint64_t find_points(const sample *samples, size_t n, spk_rate rate)
{
    uint64_t most = most_points(&samples[n - 1], rate);
    for (uint64_t points = 1; points <= most; points++)
        if (all_lie_on(samples, n, rate, points))
            return points;
    return 0;
}

/* Whether all times lie on the grid: within the tolerance, different ones on different points, and
 * off these by less than the rounding, from the earliest to the latest. */
static bool fit(const spk_events *events, uint64_t divisor, spk_rate rate, uint64_t points,
                spk_grid_fit *out)
{
    uint64_t before = 0;
    double noise = noise_of(events, events->n_events - 1);
    *out = (spk_grid_fit){.first = events->time[0], .points = points, .divisor = divisor};
    for (uint64_t i = 1; i < events->n_events; i++) {
        __int128 off;
        sample s = make_sample(events, i, divisor);
        if (events->time[i] == events->time[i - 1])
            continue;
        uint64_t point = spk_grid_point(s.ticks, rate, points, &off);
        if (point == before || !lies_on(s, rate, points))
            return false;
        before = point;
        out->common = (uint64_t)spk_greatest_divisor(point, out->common);
        out->least = off < out->least ? off : out->least;
        out->most = off > out->most ? off : out->most;
    }
    double width = (double)(out->most - out->least) / (double)points / (double)rate.denominator;
    out->tolerance = (double)divisor + noise;
    return out->common > 0 &&
           (width < (double)divisor || (noise > 0.01 && width <= out->tolerance));
}

static spk_rate reduce(uint128 numerator, uint128 denominator)
{
    uint128 common = spk_greatest_divisor(numerator, denominator);
    numerator /= common;
    denominator /= common;
    if (numerator > UINT64_MAX || denominator > UINT64_MAX)
        return (spk_rate){0, 1};
    return (spk_rate){(uint64_t)numerator, (uint64_t)denominator};
}

static bool fit_events(const spk_events *events, spk_rate rate, spk_time_grid *out,
                       spk_grid_fit *how)
{
    sample samples[SAMPLES];
    *out = (spk_time_grid){.points_per_second = {0, 1}};
    uint64_t divisor = common_divisor(events);
    if (divisor == 0)
        return false;
    out->ticks = divisor;
    out->points_per_second = reduce(rate.numerator, (uint128)rate.denominator * divisor);
    size_t n = draw_samples(events, divisor, samples);
    if (n < FEWEST_SAMPLES || rate.denominator >> 40 != 0)
        return false;
    uint64_t points = find_points(samples, n, rate);
    if (points == 0 || !fit(events, divisor, rate, points, how))
        return false;
    out->rounded = true;
    out->points_per_second = reduce(points, how->common);
    out->tolerance_s = samples[n - 1].tolerance * (double)rate.denominator / (double)rate.numerator;
    return true;
}

bool spk_recording_fit_grid(const spk_recording *recording, spk_time_grid *out, spk_grid_fit *how)
{
    return fit_events(&recording->events, recording->rate, out, how);
}

bool spk_times_are_few(const spk_events *events)
{
    sample samples[SAMPLES] = {{.ticks = 0}};
    return events->n_events == 0 || draw_samples(events, 1, samples) < FEWEST_SAMPLES;
}

void spk_times_fit_grid(const int64_t *time, uint64_t n, spk_rate rate, spk_whole_grid *out)
{
    const spk_events events = {.n_events = n, .time = time};
    *out = (spk_whole_grid){.rounded = false};
    out->rounded = fit_events(&events, rate, &out->grid, &out->fit);
}

void spk_recording_find_grid(const spk_recording *recording, spk_time_grid *out)
{
    spk_grid_fit how;
    spk_recording_fit_grid(recording, out, &how);
}

/* ---- delays and bins on a grid --------------------------------------------------------------- */

/* twice / 2 steps of the grid as text: "1/20s". */
static const char *steps(const spk_time_grid *grid, uint64_t twice, char text[48])
{
    spk_rate time = reduce((uint128)twice * grid->points_per_second.denominator,
                           (uint128)2 * grid->points_per_second.numerator);
    spk_duration duration;
    char fraction[64];
    snprintf(fraction, sizeof fraction, "%" PRIu64 "/%" PRIu64 "s", time.numerator,
             time.denominator);
    if (spk_duration_parse(NULL, fraction, strlen(fraction), &duration) == SPK_OK)
        spk_duration_format(duration, text, 48);
    else
        snprintf(text, 48, "%s", fraction);
    return text;
}

/* Where a time lies on the grid: the nearest point, and how far above it in steps. */
typedef struct place {
    uint64_t point;
    double above;
} place;

enum { MOST_PLACES = 1000000000 }; /* further on, doubles do not tell */

static bool find_place(const spk_time_grid *grid, spk_duration time, place *out)
{
    spk_rate rate = grid->points_per_second;
    double at = spk_duration_seconds(time) * (double)rate.numerator / (double)rate.denominator;
    if (rate.numerator == 0 || time.digits < 0 || !(at < MOST_PLACES))
        return false;
    out->point = (uint64_t)llround(at);
    out->above = at - (double)out->point;
    /* Below, above or exactly on the point: that is not left to floating point. */
    uint64_t whole = spk_duration_ticks(time, rate);
    if ((uint64_t)spk_duration_first_tick(time, rate) == whole && whole == out->point)
        out->above = 0;
    else if (whole < out->point)
        out->above = fmin(out->above, -1e-15);
    else
        out->above = fmax(out->above, 1e-15);
    return true;
}

/* The tolerance in steps. */
static double rounding(const spk_time_grid *grid)
{
    return grid->tolerance_s * (double)grid->points_per_second.numerator /
           (double)grid->points_per_second.denominator;
}

static const double BESIDE = 0.02; /* so many steps below a point, it was meant */

/* Whether delays of the nearest point are divided by a bound there, or just miss it: bounds such as
 * 33.333ms mean 1/30 s. */
static bool is_beside(const spk_time_grid *grid, place at)
{
    return at.point > 0 && at.above > -BESIDE - rounding(grid) &&
           (grid->rounded ? at.above <= rounding(grid) : at.above < 0);
}

static const char *how(const spk_time_grid *grid)
{
    return grid->rounded ? "on which all times lie (rounded)" : "on which all times lie";
}

/* (lo,hi] holds no point: the next one is `next`. */
static size_t tell_empty(const spk_time_grid *grid, const char *lo, const char *hi, uint64_t next,
                         char *buffer, size_t size)
{
    char text[3][48];
    return (size_t)snprintf(
        buffer, size,
        "no delay falls into (%s,%s]: all times lie on a grid of %s%s, whose next "
        "delay is %s; an upper bound of %s takes it in",
        lo, hi, steps(grid, 2, text[0]), grid->rounded ? " (rounded)" : "",
        steps(grid, 2 * next, text[1]), steps(grid, 2 * next + grid->rounded, text[2]));
}

static size_t tell_beside(const spk_time_grid *grid, const char *bound, uint64_t point,
                          char *buffer, size_t size)
{
    char text[4][48];
    steps(grid, 2, text[0]);
    steps(grid, 2 * point, text[1]);
    if (!grid->rounded)
        return (size_t)snprintf(
            buffer, size,
            "the bound %s lies just below the point %s of the grid of %s %s; write "
            "%s if you mean that",
            bound, text[1], text[0], how(grid), text[1]);
    return (size_t)snprintf(
        buffer, size,
        "the bound %s lies at the point %s of the grid of %s %s, so that rounding "
        "decides which of these delays count; write a bound between two points, "
        "%s or %s",
        bound, text[1], text[0], how(grid), steps(grid, 2 * point - 1, text[2]),
        steps(grid, 2 * point + 1, text[3]));
}

size_t spk_time_grid_check_delay(const spk_time_grid *grid, spk_duration lo, spk_duration hi,
                                 char *buffer, size_t size)
{
    place from = {0}, to = {0};
    char text[2][48];
    bool below = find_place(grid, lo, &from), above = find_place(grid, hi, &to);
    spk_duration_format(lo, text[0], sizeof text[0]);
    spk_duration_format(hi, text[1], sizeof text[1]);
    /* The first point that may be more than lo, the last one that may be at most hi. */
    uint64_t first = from.point + (from.above >= rounding(grid));
    uint64_t last = to.point - (to.above < -rounding(grid));
    first = first > 1 ? first : 1;
    if (below && above && first > last)
        return tell_empty(grid, text[0], text[1], first, buffer, size);
    if (below && is_beside(grid, from))
        return tell_beside(grid, text[0], from.point, buffer, size);
    if (above && is_beside(grid, to))
        return tell_beside(grid, text[1], to.point, buffer, size);
    return (size_t)snprintf(buffer, size, "%s", "");
}

/* Whether bins that begin at a border begin where times lie, or too near to it. */
static bool starts_on_grid(const spk_time_grid *grid, const spk_recording *recording,
                           spk_border border)
{
    const double near = 0.05;
    double tick = (double)recording->rate.denominator / (double)recording->rate.numerator;
    double start = border.between ? spk_duration_seconds(border.time) : (double)border.tick * tick;
    double at = ((double)recording->events.time[0] * tick - start) *
                (double)grid->points_per_second.numerator /
                (double)grid->points_per_second.denominator;
    at -= floor(at);
    return at < near || at > 1 - near;
}

/* In how many of its segments. */
static size_t segments_on_grid(const spk_time_grid *grid, const spk_recording *recording)
{
    size_t n = 0, on = 0;
    (void)spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++)
        on += starts_on_grid(grid, recording, spk_recording_exact_segment(recording, k).start);
    return on;
}

/* Half a step before the first event; on the grid of multiples of the step, exactly. */
static const char *better_start(const spk_time_grid *grid, const spk_recording *recording,
                                char text[48])
{
    spk_rate rate = grid->points_per_second;
    double first = (double)recording->events.time[0] * (double)recording->rate.denominator /
                   (double)recording->rate.numerator;
    double at = first * (double)rate.numerator / (double)rate.denominator;
    if (at > 0.5 && at < MOST_PLACES && fabs(at - round(at)) <= 0.25)
        return steps(grid, 2 * (uint64_t)llround(at) - 1, text);
    snprintf(text, 48, "%.9gs", first - 0.5 * (double)rate.denominator / (double)rate.numerator);
    return text;
}

size_t spk_time_grid_check_bins(const spk_time_grid *grid, const spk_recording *recording,
                                spk_duration bin, char *buffer, size_t size)
{
    place at;
    char text[4][48];
    const char *all = how(grid);
    if (recording->events.n_events == 0 || bin.digits <= 0 || !find_place(grid, bin, &at))
        return (size_t)snprintf(buffer, size, "%s", "");
    double points = (double)at.point + at.above, parts = 1 / points;
    bool whole = at.above == 0 || (points < 1 && fabs(parts - round(parts)) < 1e-9);
    spk_duration_format(bin, text[0], sizeof text[0]);
    steps(grid, 2, text[1]);
    size_t on = whole && grid->rounded ? segments_on_grid(grid, recording) : 0;
    if (on > 0 && recording->n_segments > 0)
        return (size_t)snprintf(
            buffer, size,
            "bins of %s begin at points of the grid of %s %s in %zu of %zu segments: rounding "
            "decides in which bin a time falls; let these segments begin half a step earlier",
            text[0], text[1], all, on, recording->n_segments);
    if (on > 0)
        return (size_t)snprintf(
            buffer, size,
            "bins of %s begin at points of the grid of %s %s: rounding decides in "
            "which bin a time falls; let them begin half a step earlier, "
            "--start=%s",
            text[0], text[1], all, better_start(grid, recording, text[2]));
    if (!whole && at.point > 0 && fabs(at.above) <= BESIDE)
        return (size_t)snprintf(buffer, size,
                                "bins of %s drift against the grid of %s %s; write %s if you mean "
                                "that",
                                text[0], text[1], all, steps(grid, 2 * at.point, text[2]));
    if (whole || points < 0.1 || points > 10)
        return (size_t)snprintf(buffer, size, "%s", "");
    uint64_t fewer = (uint64_t)points;
    return (size_t)snprintf(
        buffer, size,
        "bins of %s hold now %" PRIu64 ", now %" PRIu64 " points of the grid of %s "
        "%s, so that counts and lags beat; take a multiple such as %s",
        text[0], fewer, fewer + 1, text[1], all, steps(grid, 2 * (fewer > 0 ? fewer : 1), text[2]));
}

size_t spk_recording_check_bins(const spk_recording *recording, spk_duration bin, char *buffer,
                                size_t size)
{
    spk_time_grid grid;
    spk_recording_find_grid(recording, &grid);
    return spk_time_grid_check_bins(&grid, recording, bin, buffer, size);
}
