/* From times in floating point seconds, as many formats have them, to a recording. */
#pragma once

#include "recording/clock.h"
#include "recording/recording.h"

/* What was read. `labels` are borrowed. */
typedef struct spk_seconds {
    const char *name; /* of the file */
    const spk_read_options *options;
    double *time; /* n, in any order; allocated, as is unit; both are taken over */
    uint32_t *unit;
    uint64_t n;
    uint32_t n_units;
    const char *const *labels;
    bool has_ends; /* somebody fired: the first and the last time of all units, listed or not */
    double first;
    double last;
    uint64_t n_unread; /* events that the options leave out and that were not read */
    bool in_order;     /* as the format orders them; else options->sort allowed it */
    char sha256[65];
} spk_seconds;

void spk_seconds_free(spk_seconds *seconds);

/* Finds the clock. */
spk_status spk_seconds_find_clock(spk_context *context, const spk_seconds *seconds,
                                  const spk_clock_hints *hints, spk_clock *clock);

/* Makes the recording: ticks of the clock, start and stop of the options, segments (none: n = 0).
 * A note tells the clock. */
spk_status spk_seconds_finish(spk_context *context, spk_seconds *seconds, const spk_clock *clock,
                              const spk_time_range *segments, size_t n, spk_recording **out);

/* Turns n times into exact durations: points of the grid of `rate` where they all are that within
 * float rounding ({0, 0}: none is preferred), else of another grid, else the shortest decimals.
 * Infinite ones stay so; others must be finite. */
spk_status spk_seconds_exact(spk_context *context, const double *times, size_t n, spk_rate rate,
                             const spk_clock_hints *hints, spk_duration *out);
