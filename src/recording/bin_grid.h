/* Bins over a stretch of time, exactly: bin = floor((time - start) / width) with a rational start
 * and width, in integers. */
#pragma once

#include "base/fraction.h"
#include "recording/recording.h"

/* The width of a bin: numerator / denominator ticks, both below 2^63. */
typedef struct spk_bin_width {
    uint64_t numerator;
    uint64_t denominator;
} spk_bin_width;

/* Start and stop between the ticks. */
typedef struct spk_bin_bounds {
    spk_moment start;
    spk_moment stop;
} spk_bin_bounds;

/*
 * How bins lie among the ticks. A tick is `scale` parts; everything else here is a whole number of
 * parts, so that bins are exact:
 *
 *     ticks:        |     .     |           |     with scale 4, offset 2 and width 3:
 *     start:              ^                       the first tick of the trial is 2 parts after its
 *     bins:               |--0--|--1- ...         start, hence in bin 0; the next one in bin 2
 */
typedef struct spk_bin_grid {
    int64_t first_tick;      /* the first one that does not lie before the start */
    uint64_t scale;          /* parts of a tick */
    uint64_t offset;         /* from the start to the first tick, below scale */
    unsigned __int128 width; /* of a bin */
    unsigned __int128 length;
    uint64_t short_width; /* the width where 64 bit hold it and the length, else 0 */
} spk_bin_grid;

/* The width in ticks. Errors: SPK_ERR_RANGE (64 bit do not hold it exactly). */
spk_status spk_bin_width_find(spk_context *context, spk_duration bin, spk_rate rate,
                              spk_bin_width *out);

/* The moment of a time from which bins count. Errors: SPK_ERR_RANGE (64 bit hold no such part of a
 * tick). */
spk_status spk_bin_moment_find(spk_context *context, spk_duration time, spk_rate rate,
                               spk_moment *out);

/* Start and stop of a segment; errors as above. */
spk_status spk_bin_bounds_find(spk_context *context, spk_exact_segment segment, spk_rate rate,
                               spk_bin_bounds *out);

/* Lays the bins from the start on; false where 64 bit do not hold the parts of a tick.
 * *length_sign: that of stop - start. */
bool spk_bin_grid_make(const spk_bin_bounds *bounds, spk_bin_width width, spk_bin_grid *grid,
                       int *length_sign);

/* The bin of a time from the first tick on, which 64 bit need not hold. */
static inline unsigned __int128 spk_bin_of_long(const spk_bin_grid *grid, int64_t time)
{
    uint64_t ticks = (uint64_t)time - (uint64_t)grid->first_tick;
    return ((unsigned __int128)ticks * grid->scale + grid->offset) / grid->width;
}

/* The same before the stop, where 64 bit were found to hold the bins. */
static inline uint64_t spk_bin_of(const spk_bin_grid *grid, int64_t time)
{
    if (grid->short_width == 0)
        return (uint64_t)spk_bin_of_long(grid, time);
    uint64_t ticks = (uint64_t)time - (uint64_t)grid->first_tick;
    return (ticks * grid->scale + grid->offset) / grid->short_width;
}

/* First tick in a bin that holds a tick before the stop, hence no overflow. */
static inline int64_t spk_bin_first_tick(const spk_bin_grid *grid, uint64_t bin)
{
    unsigned __int128 parts = bin * grid->width;
    unsigned __int128 ticks =
        parts <= grid->offset ? 0 : (parts - grid->offset + grid->scale - 1) / grid->scale;
    return (int64_t)((uint64_t)grid->first_tick + (uint64_t)ticks);
}
