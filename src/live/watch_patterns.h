/*
 * Patterns followed bin by bin. Each unit of a pattern has a ring of bits, one a bin, and the times
 * of its first spikes in these bins. A pattern with the largest lag D is complete in bin b when all
 * its units have fired in their bins from b - D on. Only a spike of a unit with that largest lag
 * can complete it, and only its first one in the bin: so each occurrence is found once, by the last
 * of its spikes.
 */
#ifndef SPK_LIVE_WATCH_PATTERNS_H
#define SPK_LIVE_WATCH_PATTERNS_H

#include "live/watch_recent.h"
#include "recording/bin_grid.h"
#include "spikemine/live.h"

typedef struct watch_fired {
    uint64_t bin;
    int64_t time; /* of the first spike there */
} watch_fired;

/* The spikes of a unit. */
typedef struct watch_train {
    uint64_t segment;   /* to which all of it belongs, its number + 1 */
    uint64_t last;      /* bin */
    watch_fired *fired; /* a ring: the bins that the bits stand for */
    uint32_t first;
    uint32_t n;
    uint32_t capacity; /* a power of two, or 0 */
} watch_train;

typedef struct watch_item {
    uint32_t train;
    uint32_t lag;
} watch_item;

typedef struct watch_pattern {
    uint64_t first_item; /* by lag, then in the order of the labels */
    uint32_t size;
    uint32_t duration;
    uint64_t count;
    uint64_t since_segment; /* windows of this segment (its number + 1) up to since_bin are older */
    uint64_t since_bin;     /* than the pattern */
    watch_recent recent;    /* first ticks of windows */
} watch_pattern;

/* Begins zeroed but for rate and width. Threads: one at a time. */
typedef struct watch_patterns {
    spk_rate rate;
    spk_bin_width width; /* of a bin; numerator 0: there is none */
    uint64_t n_patterns, pattern_capacity;
    watch_pattern *pattern;
    uint64_t n_items, item_capacity;
    watch_item *item;
    uint64_t n_trains, train_capacity;
    watch_train *train;
    uint32_t *train_unit; /* by train: unit of the watch */
    uint64_t train_unit_capacity;
    uint32_t *train_of; /* by unit of the watch: UINT32_MAX: in no pattern */
    uint64_t n_units, unit_capacity;

    bool laid_out;
    spk_holding holding;  /* of trains, and recent occurrences */
    uint64_t n_bits;      /* of a train: a power of two, 64 at least, above all lags */
    uint64_t *bits;       /* by train, n_bits / 64 words each */
    uint64_t *first_last; /* train k is last in the patterns last[first_last[k]] .. */
    uint32_t *last;

    spk_bin_grid grid; /* of the segment */
    bool has_grid;
    uint64_t segment;  /* number + 1 */
    uint64_t bin;      /* of the last spike */
    int64_t next_tick; /* of the bin after it; or the last spike's time where it is not known */
} watch_patterns;

void watch_patterns_clear(watch_patterns *patterns);

/* Adds a pattern of units of the watch; items by lag. */
spk_status watch_patterns_add(spk_context *context, watch_patterns *patterns, uint32_t size,
                              const uint32_t *unit, const uint32_t *lag);

/* Makes the tables for what was added, keeping the spikes that are there. */
spk_status watch_patterns_lay_out(spk_context *context, watch_patterns *patterns);

/* Bins count anew. */
void watch_patterns_begin_segment(watch_patterns *patterns, uint64_t segment);

/* Lays the bins of a segment: from its start where it is known, else from the time of its first
 * spike. Errors: SPK_ERR_RANGE. */
spk_status watch_patterns_make_grid(spk_context *context, watch_patterns *patterns,
                                    const spk_duration *start, int64_t time);

/* Moves on to the time of a spike of any unit; `start` is that of the segment where it is known. */
spk_status watch_patterns_move(spk_context *context, watch_patterns *patterns,
                               const spk_duration *start, int64_t time);

/* Takes a spike of train `number` in the bin to which was moved. *is_first: it is the
 * train's first one there. */
spk_status watch_patterns_fire(spk_context *context, watch_patterns *patterns, uint32_t number,
                               int64_t time, bool *is_first);

/* Whether a pattern is complete in the bin to which was moved. */
bool watch_patterns_complete(const watch_patterns *patterns, const watch_pattern *pattern);

/* The times of its spikes then, and the first tick of its window. */
void watch_patterns_times(const watch_patterns *patterns, const watch_pattern *pattern,
                          int64_t *time);
int64_t watch_patterns_first_tick(const watch_patterns *patterns, const watch_pattern *pattern);

#endif
