/*
 * Candidates of a block grouped by their prefix, which is what the sweep engine goes over.
 */
#ifndef SPK_EPISODE_ENGINE_SWEEP_GROUPS_H
#define SPK_EPISODE_ENGINE_SWEEP_GROUPS_H

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

/* The unit that the group's prefix ends with. */
uint32_t sweep_groups_last_unit(const spk_episode_block *block, const sweep_groups *groups,
                                uint64_t g);

/* Marks in `needed` (a flag per strip) the strips that hold candidates of these groups; returns
 * how many. */
uint64_t sweep_groups_mark(const sweep_index *index, const spk_episode_block *block,
                           const sweep_groups *groups, const sweep_group_set *set, bool *needed);

#endif
