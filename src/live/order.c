/* Spikes that wait: a queue of those in order, a heap of the others. */
#include "live/stream.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void live_order_clear(live_order *order)
{
    spk_holding_release(&order->holding);
    free(order->queue);
    free(order->heap);
    *order = (live_order){.n_queue = 0};
}

/* ---- the queue ------------------------------------------------------------------------------- */

static live_spike *queue_at(const live_order *order, uint64_t k)
{
    return &order->queue[(order->queue_first + k) & (order->queue_capacity - 1)];
}

static spk_status enlarge_queue(spk_context *context, live_order *order)
{
    uint64_t capacity = order->queue_capacity == 0 ? 64 : order->queue_capacity * 2;
    live_spike *queue = NULL;
    const spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc(context, &queue, capacity, "spikes that are held back");
    for (uint64_t k = 0; k < order->n_queue && status == SPK_OK; k++)
        queue[k] = *queue_at(order, k);
    if (status == SPK_OK)
        spk_free(context, order->queue);
    spk_stage_keep(context, &stage, &order->holding);
    if (status != SPK_OK)
        return status;
    order->queue = queue;
    order->queue_capacity = capacity;
    order->queue_first = 0;
    return SPK_OK;
}

spk_status live_order_append(spk_context *context, live_order *order, live_spike spike)
{
    if (order->n_queue == order->queue_capacity) {
        spk_status status = enlarge_queue(context, order);
        if (status != SPK_OK)
            return status;
    }
    *queue_at(order, order->n_queue) = spike;
    order->n_queue++;
    return SPK_OK;
}

/* ---- the heap -------------------------------------------------------------------------------- */

spk_status live_order_insert(spk_context *context, live_order *order, live_spike spike)
{
    if (order->n_heap == order->heap_capacity) {
        const spk_stage stage = spk_stage_open(context);
        spk_status status = spk_grow(context, &order->heap, &order->heap_capacity,
                                     order->n_heap + 1, "spikes out of order");
        spk_stage_keep(context, &stage, &order->holding);
        if (status != SPK_OK)
            return status;
    }
    uint64_t k = order->n_heap++;
    for (; k > 0 && order->heap[(k - 1) / 2].time > spike.time; k = (k - 1) / 2)
        order->heap[k] = order->heap[(k - 1) / 2];
    order->heap[k] = spike;
    return SPK_OK;
}

static live_spike take_from_heap(live_order *order)
{
    live_spike *heap = order->heap;
    live_spike first = heap[0], moved = heap[--order->n_heap];
    uint64_t k = 0;
    for (;;) {
        uint64_t child = 2 * k + 1;
        if (child >= order->n_heap)
            break;
        if (child + 1 < order->n_heap && heap[child + 1].time < heap[child].time)
            child++;
        if (heap[child].time >= moved.time)
            break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = moved;
    return first;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool heap_is_first(const live_order *order)
{
    assert(live_order_n(order) > 0);
    return order->n_queue == 0 ||
           (order->n_heap > 0 && order->heap[0].time < queue_at(order, 0)->time);
}

int64_t live_order_oldest(const live_order *order)
{
    return heap_is_first(order) ? order->heap[0].time : queue_at(order, 0)->time;
}

live_spike live_order_take(live_order *order)
{
    if (heap_is_first(order))
        return take_from_heap(order);
    live_spike spike = *queue_at(order, 0);
    order->queue_first = (order->queue_first + 1) & (order->queue_capacity - 1);
    order->n_queue--;
    return spike;
}
