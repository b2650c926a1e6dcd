/* The inside of a list of episodes. */
#ifndef SPK_EPISODE_LIST_H
#define SPK_EPISODE_LIST_H

#include "base/stage.h"
#include "recording/labels.h"
#include "spikemine/episode.h"

struct spk_episode_list {
    spk_context *context;
    uint64_t n;
    uint64_t n_positions;
    uint64_t capacity;          /* of offset and count */
    uint64_t position_capacity; /* of unit and delay */
    uint64_t *offset;           /* n + 1 */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
    size_t n_delays;
    spk_delay *delays;
    uint64_t delays_capacity;
    spk_holding holding;
};

/* What a label shares a line with. */
#define SPK_EPISODE_SEPARATORS "()[],"

#endif
