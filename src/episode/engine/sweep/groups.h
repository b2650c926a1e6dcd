/*
 * Candidates of a block grouped by their prefix, which is what the sweep engine goes over.
 */
#pragma once

#include "episode/engine/sweep/index.h"

/* Candidates [first[g], first[g + 1]) share their prefix. The caller frees `first`. */
typedef struct sweep_groups {
    uint64_t n;
    uint64_t *first;
} sweep_groups;

/* Some of the groups, in order; list = NULL: all of them. */
typedef struct sweep_group_set {
    uint64_t n;
    const uint64_t *list;
} sweep_group_set;

static inline uint64_t sweep_group_at(const sweep_group_set *set, uint64_t k)
{
    return set->list != NULL ? set->list[k] : k;
}

spk_status sweep_groups_find(spk_context *context, const spk_episode_block *block,
                             sweep_groups *groups);

/* Last position of candidate c. */
static inline uint32_t sweep_final_unit(const spk_episode_block *block, uint64_t c)
{
    return block->unit[c * block->size + block->size - 1];
}

static inline uint16_t sweep_final_delay(const spk_episode_block *block, uint64_t c)
{
    return block->delay[c * block->size + block->size - 1];
}

/* The strip in which candidate c is counted. */
static inline size_t sweep_final_strip(const sweep_index *index, const spk_episode_block *block,
                                       uint64_t c)
{
    return sweep_strip_number(index, sweep_final_delay(block, c), sweep_final_unit(block, c));
}

/* The unit that the group's prefix ends with. */
uint32_t sweep_groups_last_unit(const spk_episode_block *block, const sweep_groups *groups,
                                uint64_t g);

/* Whether the prefixes of both groups are the same but for their last unit. */
bool sweep_groups_same_family(const spk_episode_block *block, const sweep_groups *groups,
                              uint64_t g, uint64_t h);

/* Marks in `needed` (a flag per strip) the strips that hold candidates of these groups; returns
 * how many. */
uint64_t sweep_groups_mark(const sweep_index *index, const spk_episode_block *block,
                           const sweep_groups *groups, const sweep_group_set *set, bool *needed);
