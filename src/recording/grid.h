/* Grids of rounded times from inside: how times lie on one, and recordings that are put on theirs.
 */
#pragma once

#include "recording/recording.h"
#include "spikemine/describe.h"

/* How times lie on a grid of `points` points a second from the first one on. Times are off their
 * points by least .. most, in units of 1 / (points * rate.denominator) ticks. */
typedef struct spk_grid_fit {
    int64_t first; /* the first time */
    uint64_t points;
    uint64_t common;  /* divides the number of each point with a time */
    uint64_t divisor; /* of all differences between times, ticks */
    __int128 least;
    __int128 most;
    double tolerance; /* how far a time may be from its point, ticks */
} spk_grid_fit;

/* As spk_recording_find_grid; whether the grid is one of rounded times, and then how they lie. */
bool spk_recording_fit_grid(const spk_recording *recording, spk_time_grid *out, spk_grid_fit *how);

/* Times of which a recording has a part, and the grid on which they lie, if it is one of rounded
 * times. */
typedef struct spk_whole_grid {
    bool rounded;
    spk_time_grid grid;
    spk_grid_fit fit;
} spk_whole_grid;

/* Whether there are too few different times for a grid to be recognised. */
bool spk_times_are_few(const spk_events *events);

/* The grid of n times in order. */
void spk_times_fit_grid(const int64_t *time, uint64_t n, spk_rate rate, spk_whole_grid *out);

/* The point next to a time, counted from the first event, and how far the time is above it, in the
 * units of spk_grid_fit. */
uint64_t spk_grid_point(uint64_t ticks, spk_rate rate, uint64_t points, __int128 *off);

/* Where times are rounded multiples of a step, makes them these multiples: ticks become points of
 * the grid, borders stay between the events between which they lie, and the facts and a note say
 * so. The grid is that of the times of which these are a part, else their own; `whole` may be NULL.
 * Times that were given as numbers of samples stay as they are. For a recording that owns its
 * columns and that nobody else has seen; after a failure it is freed, and NULL. Errors:
 * SPK_ERR_RANGE. */
spk_status spk_recording_settle(spk_context *context, const char *name, const spk_whole_grid *whole,
                                spk_recording **recording);
