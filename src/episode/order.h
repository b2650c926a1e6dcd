/* The canonical order of episodes of one size: count descending, then units, then intervals. */
#ifndef SPK_EPISODE_ORDER_H
#define SPK_EPISODE_ORDER_H

#include "episode/level.h"

/* Columns of a level in canonical order, without table and facts; owned by the struct, free with
 * episode_sorted_free. */
typedef struct episode_sorted {
    spk_episode_columns columns;
    uint64_t *offset;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
} episode_sorted;

spk_status episode_sorted_make(spk_context *context, const episode_level *level,
                               episode_sorted *out);
void episode_sorted_free(episode_sorted *sorted);

#endif
