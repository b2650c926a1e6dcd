/*
 * What a thread of cuda-tracking does for one partial occurrence, shared by host and device; and
 * Algorithm 2. tests/unit/test_cuda_tracking_arithmetic.c covers it without a GPU.
 *
 * A seed is an event of an episode's last unit: the end of all occurrences that are tracked from it
 * backwards. A track is a seed and an event that the seed has been reached from, as one number, so
 * that tracks in rising order are in order of episode, end, and event.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda/shared.h"

typedef uint64_t track;

SPK_SHARED track track_make(uint32_t seed, uint32_t place)
{
    return (track)seed << 32 | place;
}

SPK_SHARED uint32_t track_seed(track t)
{
    return (uint32_t)(t >> 32);
}

SPK_SHARED uint32_t track_place(track t)
{
    return (uint32_t)t;
}

/* Number of the events first .. last - 1, whose times rise, that are more than `bound` ticks before
 * `time`. */
SPK_SHARED uint64_t tracking_before(const int64_t *place_time, uint64_t first, uint64_t last,
                                    int64_t time, uint64_t bound)
{
    uint64_t low = first;
    uint64_t high = last;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int64_t earlier = place_time[middle];
        if (earlier < time && (uint64_t)time - (uint64_t)earlier > bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low - first;
}

/* A range of places. */
typedef struct tracking_range {
    uint64_t from, to;
} tracking_range;

/* The events of a unit (places first .. last - 1) that the event at `time` may follow: more than lo
 * and at most hi ticks before it. */
SPK_SHARED tracking_range tracking_earlier(const int64_t *place_time, uint64_t first, uint64_t last,
                                           int64_t time, uint64_t lo, uint64_t hi)
{
    tracking_range range;
    range.from = first + tracking_before(place_time, first, last, time, hi);
    range.to = first + tracking_before(place_time, first, last, time, lo);
    return range;
}

/* Leaves out what the track before, if it is of the same seed, has found already: later events
 * reach later ones, so that is a beginning of the range. */
SPK_SHARED tracking_range tracking_new(tracking_range range, bool same_seed, uint64_t to_before)
{
    if (same_seed && to_before > range.from)
        range.from = to_before;
    return range;
}

/* Algorithm 2 for one episode: {0} to begin with, then its occurrences by rising end. */
typedef struct tracking_schedule {
    int64_t last_end;
    uint64_t count;
} tracking_schedule;
static_assert(sizeof(tracking_schedule) == 16, "hosts read what devices write");

SPK_SHARED void tracking_take(tracking_schedule *schedule, int64_t start, int64_t end)
{
    if (schedule->count == 0 || start > schedule->last_end) {
        schedule->last_end = end;
        schedule->count++;
    }
}
