/* Queues of partial occurrences. */
#include "live/watch_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 2, MAX_CAPACITY = 1 << 30 };

static spk_status enlarge(spk_context *context, spk_holding *holding, watch_queue *queue)
{
    uint32_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : queue->capacity * 2;
    int64_t *chain = NULL;
    if (capacity > MAX_CAPACITY)
        return spk_fail(context, SPK_ERR_RANGE,
                        "more than %d spikes of a unit within the lower bound of a watched "
                        "interval; take a shorter one",
                        MAX_CAPACITY);
    const spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_alloc(context, &chain, (uint64_t)capacity * queue->depth, "partial occurrences");
    for (uint32_t k = 0; k < queue->n && status == SPK_OK; k++)
        memcpy(chain + (uint64_t)k * queue->depth, watch_queue_at(queue, k),
               queue->depth * sizeof *chain);
    if (status == SPK_OK)
        spk_free(context, queue->chain);
    spk_stage_keep(context, &stage, holding);
    if (status != SPK_OK)
        return status;
    queue->chain = chain;
    queue->capacity = capacity;
    queue->first = 0;
    return SPK_OK;
}

spk_status watch_queue_push(spk_context *context, spk_holding *holding, watch_queue *queue,
                            uint64_t segment, const int64_t *before, int64_t time)
{
    if (queue->segment != segment) {
        queue->segment = segment;
        queue->n = 0;
    }
    if (queue->n == queue->capacity) {
        if (queue->n > 0)
            watch_queue_drop(queue, time);
        spk_status status = queue->n == queue->capacity ? enlarge(context, holding, queue) : SPK_OK;
        if (status != SPK_OK)
            return status;
    }
    int64_t *chain = watch_queue_at(queue, queue->n);
    for (uint32_t p = 0; p + 1 < queue->depth; p++)
        chain[p] = before[p];
    chain[queue->depth - 1] = time;
    queue->newest = time;
    queue->n++;
    return SPK_OK;
}
