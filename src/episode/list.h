/* The inside of a list of episodes. */
#ifndef SPK_EPISODE_LIST_H
#define SPK_EPISODE_LIST_H

#include "spikemine/episode.h"

struct spk_episode_list {
    uint64_t n;
    uint64_t n_positions;
    uint64_t offset_capacity;
    uint64_t unit_capacity;
    uint64_t delay_capacity;
    uint64_t count_capacity;
    uint64_t *offset; /* n + 1 */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
    size_t n_delays;
    spk_delay *delays;
    uint64_t delays_capacity;
};

#endif
