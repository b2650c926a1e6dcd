/*
 * FP-tree (Han, Pei and Yin 2000; Porrmann et al. 2021, section 2.2): a prefix tree over
 * transactions whose items are ordered by falling count, with one header entry per item that
 * links all nodes of that item.
 *
 * Beside its count every node carries a signature: the sum modulo 2^64 of one random number per
 * transaction below it. Summed like the counts, it makes every pattern arrive with a signature of
 * the set of windows that contain it, which is what the closed detection afterwards sorts by.
 */
#ifndef SPK_PATTERN_ENGINE_FPGROWTH_TREE_H
#define SPK_PATTERN_ENGINE_FPGROWTH_TREE_H

#include <stdint.h>

#include "base/arena.h"

/* "No node": the parent of the top nodes, the end of a node-link chain. */
#define SPK_FP_NONE UINT32_MAX

/* A node on the way to the root: its header entry and its parent's number. Apart from the rest of
 * the node, because climbing is what most of the time goes to. */
typedef struct spk_fp_step {
    uint32_t entry;
    uint32_t parent;
} spk_fp_step;

/* The rest of a node; `next` is the number of the next node of the same item. */
typedef struct spk_fp_node {
    uint32_t next;
    uint32_t count;
    uint64_t signature;
} spk_fp_node;

/* One item of the tree; entries stand in order of falling count in the whole data, in conditional
 * trees too, so "lower entry" always means "nearer to the root". */
typedef struct spk_fp_header {
    uint32_t item;
    uint32_t count;
    uint32_t first; /* first and last node of the item */
    uint32_t last;
    uint64_t signature;
} spk_fp_header;

typedef struct spk_fp_tree {
    spk_fp_header *header;
    spk_fp_step *step;
    spk_fp_node *node;
    uint32_t n_entries;
    uint32_t n_nodes;
} spk_fp_tree;

/* A transaction for building: header entries, ascending, and how often it occurs. */
typedef struct spk_fp_row {
    const uint32_t *entry;
    uint32_t n;
    uint32_t count;
    uint64_t signature;
} spk_fp_row;

/* Builds a tree in the arena. tree->header[0 .. n_entries) has its items set by the caller; counts,
 * links and signatures are filled here. Sorts the rows, so that equal beginnings stand together and
 * the tree is the same for any order of them. n_total: sum of the rows' lengths. false: no memory.
 */
bool spk_fp_tree_build(spk_arena *arena, spk_fp_tree *tree, spk_fp_row *rows, uint32_t n_rows,
                       uint64_t n_total);

/* The conditional pattern base of one header entry, first half: adds to count[0 .. entry) how many
 * transactions with that item hold each item nearer to the root. */
void spk_fp_tree_count_base(const spk_fp_tree *tree, uint32_t entry, uint32_t *count);

/* Second half: one row per node of the entry, with the items that `renumber` keeps (SPK_FP_NONE:
 * dropped) under their new numbers; rows shorter than min_items are left out. Rows lie in the
 * arena. Returns false when there is no memory. */
bool spk_fp_tree_base_rows(spk_arena *arena, const spk_fp_tree *tree, uint32_t entry,
                           const uint32_t *renumber, uint32_t n_kept, uint32_t min_items,
                           spk_fp_row **rows, uint32_t *n_rows, uint64_t *n_total);

/* True when the tree is one path: node i is the only child of node i-1. */
bool spk_fp_tree_is_path(const spk_fp_tree *tree);

/* A well-mixed number per transaction, for the signatures. */
uint64_t spk_fp_row_signature(uint64_t row);

#endif
