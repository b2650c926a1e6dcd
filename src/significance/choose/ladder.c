/*
 * Sets of delays to try: steps of 5, 10, 20, 50, 100 and 200 ms, each with one interval, (0,w], and
 * with two, (0,w] and (w,2w]. That covers synapses of cultures and cortex, and sequences of
 * hundreds of ms.
 *
 * On a coarse grid of times, such as frames of a movie, w is a whole number of its steps. A bound
 * that no short decimal can write, such as 1/30 s, moves to the middle between two points of the
 * grid, where no rounding can change what it holds: 50 ms for one frame, 83 ms for two.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "significance/choose/choose.h"
#include "spikemine/describe.h"

static const double COARSE_S = 0.00125; /* steps above it are those of a coarse grid */

/* A time in microseconds; above 0. */
static spk_duration microseconds(double us)
{
    char text[48];
    spk_duration out = {0, 0, 0};
    snprintf(text, sizeof text, "%.0fus", us);
    if (spk_duration_parse(NULL, text, strlen(text), &out) != SPK_OK)
        out = (spk_duration){0, 0, 0};
    return out;
}

/* The step of a coarse grid in seconds; 0 where there is none. Ticks are a grid, too. */
static double coarse_step(const spk_recording *recording, bool *rounded)
{
    spk_time_grid grid;
    spk_recording_find_grid(recording, &grid);
    *rounded = grid.rounded;
    const bool has_grid = grid.points_per_second.numerator > 0;
    const spk_rate rate = has_grid ? grid.points_per_second : spk_recording_rate(recording);
    const double step = (double)rate.denominator / (double)rate.numerator;
    return step > COARSE_S ? step : 0;
}

/* The bound behind `n` steps of the grid. */
static spk_duration bound_on_grid(double step, bool rounded, double n)
{
    const double us = n * step * 1e6;
    if (!rounded && fabs(us - round(us)) < 1e-6)
        return microseconds(round(us));
    return microseconds(round((n + 0.5) * step * 1e3) * 1e3); /* whole milliseconds */
}

size_t choose_ladder(const spk_recording *recording, spk_delay delays[][CHOOSE_SET_DELAYS],
                     size_t n_delays[CHOOSE_MOST_SETS])
{
    static const double steps_ms[] = {5, 10, 20, 50, 100, 200};
    enum { N_STEPS = sizeof steps_ms / sizeof steps_ms[0] };
    bool rounded = false;
    const double step = coarse_step(recording, &rounded);
    double before = 0;
    size_t n = 0;
    for (size_t k = 0; k < N_STEPS; k++) {
        double points = step > 0 ? round(steps_ms[k] / 1e3 / step) : steps_ms[k];
        points = k + 1 == N_STEPS && before == 0 && points < 1 ? 1 : points;
        if (points <= before)
            continue;
        before = points;
        const spk_duration one =
            step > 0 ? bound_on_grid(step, rounded, points) : microseconds(points * 1e3);
        const spk_duration two =
            step > 0 ? bound_on_grid(step, rounded, 2 * points) : microseconds(points * 2e3);
        for (size_t n_intervals = 1; n_intervals <= CHOOSE_SET_DELAYS; n_intervals++) {
            delays[n][0] = (spk_delay){{0, 0, 0}, one};
            delays[n][1] = (spk_delay){one, two};
            n_delays[n++] = n_intervals;
        }
    }
    return n;
}
