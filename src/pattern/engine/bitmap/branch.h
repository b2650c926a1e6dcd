/*
 * Branches of a search that several processes share: where a node is, and which of its extensions
 * nobody has begun. They go from process to process as numbers of 64 bits:
 *
 *     depth, n_chunks; per item: rank, words of its node's mask; the masks; per chunk: begin, end,
 *     cost
 *
 * The items are those that lead to the node, the root first. The mask of a node has a bit for each
 * of its items that is alive, so that whoever goes there need not prune again.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_BRANCH_H
#define SPK_PATTERN_ENGINE_BITMAP_BRANCH_H

#include "pattern/engine/bitmap/bitmap.h"

/* Numbers that grow at their end; begins as {0}. */
typedef struct spk_bitmap_words {
    uint64_t *word;
    uint64_t n;
    uint64_t capacity;
} spk_bitmap_words;

/* Into the numbers, which must stay. */
typedef struct spk_bitmap_branch {
    uint32_t depth;
    uint32_t n_chunks;
    const uint64_t *item;  /* rank and words, by item */
    const uint64_t *alive; /* the masks, one behind the other */
    const uint64_t *chunk; /* begin, end and cost, by chunk */
} spk_bitmap_branch;

typedef struct spk_bitmap_branches {
    uint64_t n;
    uint64_t capacity;
    spk_bitmap_branch *branch;
} spk_bitmap_branches;

static inline uint32_t spk_bitmap_branch_rank(const spk_bitmap_branch *branch, uint32_t k)
{
    return (uint32_t)branch->item[2 * (uint64_t)k];
}

/* Appends a branch without chunks: that of `base`, then one item for each level, and `node` at the
 * end. *at is where its chunks are counted. Errors: SPK_ERR_MEMORY. */
spk_status spk_bitmap_branch_open(spk_context *context, spk_bitmap_words *words,
                                  const spk_bitmap_branch *base, const spk_bitmap_level *level,
                                  uint32_t n_levels, const spk_bitmap_node *node, uint64_t *at);
/* Appends a chunk to the branch that was opened last. */
spk_status spk_bitmap_branch_add(spk_context *context, spk_bitmap_words *words, uint64_t at,
                                 uint64_t begin, uint64_t end, uint64_t cost);

/* Finds the branches among n numbers. Errors: SPK_ERR_MEMORY, SPK_ERR_INTERNAL (they make no
 * sense). */
spk_status spk_bitmap_branches_read(spk_context *context, const uint64_t *word, uint64_t n,
                                    const spk_bitmap_job *job, spk_bitmap_branches *out);
void spk_bitmap_branches_free(spk_bitmap_branches *branches);

#endif
