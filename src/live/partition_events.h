/*
 * The spikes that partitions still need, in blocks. One thread appends and frees; another one may
 * meanwhile copy a span that was taken before, as long as nobody frees its blocks.
 */
#ifndef SPK_LIVE_PARTITION_EVENTS_H
#define SPK_LIVE_PARTITION_EVENTS_H

#include "base/context.h"
#include "base/stage.h"

typedef struct partition_block partition_block;

/* n spikes from one on; those are numbered by order of appending, from 0. */
typedef struct partition_span {
    uint64_t first;
    uint64_t n;
    const partition_block *block; /* of the first one; NULL: n is 0 */
    uint32_t offset;              /* in the block */
} partition_span;

/* Begins zeroed. */
typedef struct partition_events {
    partition_block *oldest;
    partition_block *newest;
    partition_block *spare; /* freed last, for the next one */
    uint64_t n_blocks;
    uint64_t n_appended;
    /* The next partition begins at the cursor. */
    uint64_t cursor;
    partition_block *cursor_block; /* NULL: no spike was appended yet */
    spk_holding holding;
} partition_events;

void partition_events_free(partition_events *events);

spk_status partition_events_append(spk_context *context, partition_events *events, uint64_t n,
                                   const int64_t *time, const uint32_t *unit);

/* Moves the cursor to the first spike that does not lie before the tick. */
void partition_events_seek(partition_events *events, int64_t tick);

/* Moves the cursor behind all spikes. */
void partition_events_pass(partition_events *events);

/* All spikes from the cursor on. */
partition_span partition_events_span(const partition_events *events);

/* Frees what lies before the cursor and before spike `needed`. */
void partition_events_release(spk_context *context, partition_events *events, uint64_t needed);

/* Spikes that are held. */
uint64_t partition_events_held(const partition_events *events);

/* Copies a span; number[unit] is written in the place of each unit. */
void partition_span_copy(const partition_span *span, const uint32_t *number, int64_t *time,
                         uint32_t *unit);

#endif
