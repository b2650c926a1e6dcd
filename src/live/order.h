/*
 * Spikes that wait until no older one may come. Those that arrived in order stand in a queue, the
 * others in a heap, and the older one of both ends goes first: a spike in order costs the same
 * however many wait.
 */
#ifndef SPK_LIVE_ORDER_H
#define SPK_LIVE_ORDER_H

#include "base/stage.h"

typedef struct live_spike {
    int64_t time;
    int64_t arrival_ns;
    uint32_t unit;
} live_spike;

/* Begins zeroed. */
typedef struct live_order {
    live_spike *queue;       /* a ring, times never go back */
    uint64_t queue_capacity; /* a power of two, or 0 */
    uint64_t queue_first;
    uint64_t n_queue;
    live_spike *heap; /* the oldest first, as heaps are */
    uint64_t heap_capacity;
    uint64_t n_heap;
    spk_holding holding;
} live_order;

void live_order_clear(live_order *order);

static inline uint64_t live_order_n(const live_order *order)
{
    return order->n_queue + order->n_heap;
}

/* A spike that is not older than any that was appended before. */
spk_status live_order_append(spk_context *context, live_order *order, live_spike spike);

/* Any spike. */
spk_status live_order_insert(spk_context *context, live_order *order, live_spike spike);

/* The oldest one; there must be one. */
int64_t live_order_oldest(const live_order *order);
live_spike live_order_take(live_order *order);

#endif
