/*
 * Groups of candidates.
 *
 *     candidates    A B C   A B D   A C B   B A C      in order of their prefix
 *     groups        [0       1   ]  [2   ]  [3   ]     first: 0 2 3 4
 *
 * Invariant: a group's candidates are neighbours. A prefix that comes again makes one group more,
 * whose list is made again; counts are the same. Cost: one comparison of prefixes a candidate.
 */
#include "episode/engine/sweep/groups.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

static bool same_prefix(const spk_episode_block *block, uint64_t a, uint64_t b)
{
    size_t n = block->size - 1;
    return memcmp(block->unit + a * block->size, block->unit + b * block->size,
                  n * sizeof(uint32_t)) == 0 &&
           memcmp(block->delay + a * block->size, block->delay + b * block->size,
                  n * sizeof(uint16_t)) == 0;
}

spk_status sweep_groups_find(spk_context *context, const spk_episode_block *block,
                             sweep_groups *groups)
{
    uint64_t capacity = 0;
    spk_status status = SPK_OK;
    for (uint64_t c = 0; c <= block->n && status == SPK_OK; c++) {
        if (c > 0 && c < block->n && same_prefix(block, c - 1, c))
            continue;
        status = spk_grow(context, &groups->first, &capacity, groups->n + 1, "candidate groups");
        if (status == SPK_OK)
            groups->first[groups->n++] = c;
    }
    groups->n--; /* the last entry only closes the last group */
    return status;
}

uint32_t sweep_groups_last_unit(const spk_episode_block *block, const sweep_groups *groups,
                                uint64_t g)
{
    return block->unit[groups->first[g] * block->size + block->size - 2];
}

bool sweep_groups_same_family(const spk_episode_block *block, const sweep_groups *groups,
                              uint64_t g, uint64_t h)
{
    uint64_t a = groups->first[g] * block->size;
    uint64_t b = groups->first[h] * block->size;
    uint32_t n = block->size - 2;
    return n > 0 && memcmp(block->unit + a, block->unit + b, n * sizeof *block->unit) == 0 &&
           memcmp(block->delay + a, block->delay + b, (n + 1) * sizeof *block->delay) == 0;
}

uint64_t sweep_groups_mark(const sweep_index *index, const spk_episode_block *block,
                           const sweep_groups *groups, const sweep_group_set *set, bool *needed)
{
    uint64_t n = 0;
    memset(needed, 0, sweep_n_strips(index) * sizeof *needed);
    for (uint64_t k = 0; k < set->n; k++) {
        uint64_t g = sweep_group_at(set, k);
        for (uint64_t c = groups->first[g]; c < groups->first[g + 1]; c++) {
            size_t strip = sweep_final_strip(index, block, c);
            assert(strip < sweep_n_strips(index));
            n += !needed[strip];
            needed[strip] = true;
        }
    }
    return n;
}
