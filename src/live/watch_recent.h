/*
 * Occurrences of the last stretch of time, from which the count of that stretch is found: those of
 * which no other one lies within. In order of their ends their starts rise, too, so that those of a
 * later stretch are the last ones.
 */
#ifndef SPK_LIVE_WATCH_RECENT_H
#define SPK_LIVE_WATCH_RECENT_H

#include "base/stage.h"

typedef struct watch_span {
    int64_t start;
    int64_t end;
    uint64_t segment;
} watch_span;

/* The stretch (now - window, now], of the segments from `since` on. */
typedef struct watch_window {
    uint64_t ticks; /* a time t is inside when now - t < ticks; 0: there is no window */
    uint64_t since;
    int64_t now;
} watch_window;

/* Begins zeroed. */
typedef struct watch_recent {
    watch_span *span;  /* a ring */
    uint64_t capacity; /* a power of two, or 0 */
    uint64_t first;
    uint64_t n;
} watch_recent;

void watch_recent_clear(watch_recent *recent);

static inline watch_span *watch_recent_at(const watch_recent *recent, uint64_t k)
{
    return &recent->span[(recent->first + k) & (recent->capacity - 1)];
}

/* Takes an occurrence that ends now. One with an earlier one within is left out. The holding has
 * the bytes of all rings. */
spk_status watch_recent_add(spk_context *context, spk_holding *holding, watch_recent *recent,
                            const watch_window *window, watch_span span);

/* The largest number of occurrences inside the window of which no two overlap. */
uint64_t watch_recent_count(watch_recent *recent, const watch_window *window);

/* The number of occurrences inside the window. */
uint64_t watch_recent_n(watch_recent *recent, const watch_window *window);

#endif
