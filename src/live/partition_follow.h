/*
 * Episodes over partitions: which ones of a partition were frequent in the one before, and with
 * which count. Units are those of the stream, whose numbers never change.
 */
#ifndef SPK_LIVE_PARTITION_FOLLOW_H
#define SPK_LIVE_PARTITION_FOLLOW_H

#include "base/stage.h"
#include "spikemine/episode.h"

/* Episodes of its own, as columns; begins zeroed. */
typedef struct partition_episodes {
    uint64_t n;
    uint64_t *offset; /* n + 1 */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
    uint64_t *slots; /* a table of hashes: number + 1, 0 empty; n_slots is a power of two */
    uint64_t n_slots;
    spk_holding holding;
} partition_episodes;

void partition_episodes_free(partition_episodes *episodes);

/* A copy with other numbers of units, and the table that finds episodes. */
spk_status partition_episodes_copy(spk_context *context, const spk_episode_columns *from,
                                   const uint32_t *unit_number, partition_episodes *out);

/* What became of the episodes of `now` since `before`: trend[i] and count_before[i] of each, both
 * of now->n entries, and those of `before` that are not among them, in their order. All delay
 * numbers are of one table. */
spk_status partition_follow(spk_context *context, const partition_episodes *before,
                            const partition_episodes *now, uint8_t *trend, uint64_t *count_before,
                            partition_episodes *vanished);

#endif
