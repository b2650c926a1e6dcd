/*
 * Where partial occurrences end that a next spike may continue.
 *
 * A queue belongs to a beginning of episodes and to one delay interval (lo, hi] that follows it. An
 * entry is a chain: the times of all positions, of which the last one is where it ends. Ends rise.
 * Spikes come in order, so that the newest chain that ends more than lo before now never goes back:
 * all before it are useless, and are dropped.
 *
 *     ends:    3    9   14   18      now 20, (5,10]
 *                   |    \
 *                dropped  first: 20 - 14 = 6 is admitted; 18 may be used later
 */
#ifndef SPK_LIVE_WATCH_QUEUE_H
#define SPK_LIVE_WATCH_QUEUE_H

#include "base/stage.h"

/* Begins zeroed but for lo, hi, depth and next. */
typedef struct watch_queue {
    uint64_t lo; /* in ticks */
    uint64_t hi;
    int64_t *chain;   /* a ring of `capacity` chains of `depth` times each */
    int64_t newest;   /* end of the last chain */
    uint64_t segment; /* to which the chains belong, its number + 1 */
    uint32_t first;
    uint32_t n;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t depth;
    uint32_t next; /* queue of the same beginning, for another interval */
} watch_queue;

static inline int64_t *watch_queue_at(const watch_queue *queue, uint32_t k)
{
    uint64_t slot = (queue->first + k) & (queue->capacity - 1);
    return queue->chain + slot * queue->depth;
}

static inline int64_t watch_queue_end(const watch_queue *queue, uint32_t k)
{
    return watch_queue_at(queue, k)[queue->depth - 1];
}

/* Drops what no spike from `time` on can use; how many. */
static inline uint32_t watch_queue_drop(watch_queue *queue, int64_t time)
{
    uint32_t dropped = 0;
    while (queue->n - dropped > 1 &&
           (uint64_t)time - (uint64_t)watch_queue_end(queue, dropped + 1) > queue->lo)
        dropped++;
    queue->first = (queue->first + dropped) & (queue->capacity - 1);
    queue->n -= dropped;
    return dropped;
}

/* The chain that a spike at `time` continues, NULL where there is none: the one that ends last, of
 * those within the interval. *dropped grows by what was dropped on the way. */
static inline const int64_t *watch_queue_find(watch_queue *queue, uint64_t segment, int64_t time,
                                              uint64_t *dropped)
{
    if (queue->segment != segment || queue->n == 0 ||
        (uint64_t)time - (uint64_t)queue->newest > queue->hi)
        return NULL;
    *dropped += watch_queue_drop(queue, time);
    uint64_t distance = (uint64_t)time - (uint64_t)watch_queue_end(queue, 0);
    return distance > queue->lo && distance <= queue->hi ? watch_queue_at(queue, 0) : NULL;
}

/* Appends the chain `before`, of depth - 1 times, continued by `time`; the holding has the bytes of
 * all rings. */
spk_status watch_queue_push(spk_context *context, spk_holding *holding, watch_queue *queue,
                            uint64_t segment, const int64_t *before, int64_t time);

#endif
