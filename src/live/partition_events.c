/* Blocks of spikes in a list: appending never moves what is there. */
#include "live/partition_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_EVENTS = 8192 };

struct partition_block {
    partition_block *next;
    uint64_t first; /* number of its first spike */
    int64_t time[BLOCK_EVENTS];
    uint32_t unit[BLOCK_EVENTS];
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void count_bytes(spk_context *context, partition_events *events)
{
    uint64_t n = events->n_blocks + (events->spare != NULL);
    spk_holding_set(context, &events->holding, n * sizeof *events->oldest);
}

void partition_events_free(partition_events *events)
{
    while (events->oldest != NULL) {
        partition_block *next = events->oldest->next;
        free(events->oldest);
        events->oldest = next;
    }
    free(events->spare);
    spk_holding_release(&events->holding);
    *events = (partition_events){.oldest = NULL};
}

static spk_status add_block(spk_context *context, partition_events *events)
{
    partition_block *block = events->spare;
    if (block == NULL) {
        spk_stage stage = spk_stage_open(context);
        spk_status status = spk_alloc(context, &block, 1, "spikes of partitions");
        spk_stage_close(context, &stage);
        if (status != SPK_OK)
            return status;
    }
    block->next = NULL;
    block->first = events->n_appended;
    events->spare = NULL;
    if (events->newest != NULL)
        events->newest->next = block;
    else
        events->oldest = block;
    events->newest = block;
    if (events->cursor_block == NULL)
        events->cursor_block = block;
    events->n_blocks++;
    count_bytes(context, events);
    return SPK_OK;
}

spk_status partition_events_append(spk_context *context, partition_events *events, uint64_t n,
                                   const int64_t *time, const uint32_t *unit)
{
    for (uint64_t done = 0; done < n;) {
        partition_block *block = events->newest;
        if (block == NULL || events->n_appended == block->first + BLOCK_EVENTS) {
            spk_status status = add_block(context, events);
            if (status != SPK_OK)
                return status;
            block = events->newest;
        }
        uint64_t at = events->n_appended - block->first;
        uint64_t some = least(n - done, BLOCK_EVENTS - at);
        memcpy(block->time + at, time + done, (size_t)some * sizeof *time);
        memcpy(block->unit + at, unit + done, (size_t)some * sizeof *unit);
        events->n_appended += some;
        done += some;
    }
    return SPK_OK;
}

void partition_events_release(spk_context *context, partition_events *events, uint64_t needed)
{
    needed = least(needed, events->cursor);
    while (events->oldest != NULL && events->oldest != events->cursor_block &&
           events->oldest->first + BLOCK_EVENTS <= needed) {
        partition_block *block = events->oldest;
        events->oldest = block->next;
        events->n_blocks--;
        free(events->spare);
        events->spare = block;
        count_bytes(context, events);
    }
}

uint64_t partition_events_held(const partition_events *events)
{
    return events->oldest != NULL ? events->n_appended - events->oldest->first : 0;
}

/* ---- the cursor ------------------------------------------------------------------------------ */

/* Into the block that holds the cursor's spike, where there is one. */
static void follow_cursor(partition_events *events)
{
    while (events->cursor_block != NULL && events->cursor_block->next != NULL &&
           events->cursor >= events->cursor_block->first + BLOCK_EVENTS)
        events->cursor_block = events->cursor_block->next;
}

void partition_events_seek(partition_events *events, int64_t tick)
{
    for (; events->cursor < events->n_appended; events->cursor++) {
        follow_cursor(events);
        if (events->cursor_block->time[events->cursor - events->cursor_block->first] >= tick)
            return;
    }
}

void partition_events_pass(partition_events *events)
{
    events->cursor = events->n_appended;
    events->cursor_block = events->newest;
}

partition_span partition_events_span(const partition_events *events)
{
    partition_span span = {.first = events->cursor, .n = events->n_appended - events->cursor};
    if (span.n == 0)
        return span;
    const partition_block *block = events->cursor_block;
    while (events->cursor >= block->first + BLOCK_EVENTS)
        block = block->next;
    span.block = block;
    span.offset = (uint32_t)(events->cursor - block->first);
    return span;
}

void partition_span_copy(const partition_span *span, const uint32_t *number, int64_t *time,
                         uint32_t *unit)
{
    const partition_block *block = span->block;
    uint32_t offset = span->offset;
    for (uint64_t done = 0; done < span->n;) {
        uint64_t some = least(span->n - done, BLOCK_EVENTS - offset);
        memcpy(time + done, block->time + offset, (size_t)some * sizeof *time);
        for (uint64_t k = 0; k < some; k++)
            unit[done + k] = number[block->unit[offset + k]];
        done += some;
        offset = 0;
        /* The block behind the last spike may be in the making: it is not looked at. */
        block = done < span->n ? block->next : NULL;
    }
}
