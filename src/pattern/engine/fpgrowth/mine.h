/*
 * Growing patterns from an FP-tree (Porrmann et al. 2021, sections 2.2, 2.5 and 2.6), and finding
 * the closed ones among them afterwards.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/context.h"
#include "pattern/engine/item_order.h"

/* ---- what is collected ----------------------------------------------------------------------- */

/*
 * Pattern collector of the fpgrowth engine (Porrmann et al. 2021, section 2.5.2): one per header
 * entry, so that threads never share one and the patterns keep the order of the entries. Every
 * pattern passes the filter (their Algorithm 1) on arrival; survivors are stored in blocks that
 * grow from small to large, because most of the thousands of collectors stay nearly empty. The
 * blocks are no arena: nothing is released before the end, and patterns are walked through.
 */

/* What a pattern must fulfil to be stored. Sizes in spikes, occurrences in windows. */
typedef struct spk_fp_filter {
    uint32_t window; /* length in bins: item = unit * window + lag */
    uint32_t min_support;
    uint32_t max_count;
    uint32_t min_spikes;
    uint32_t max_spikes;
    uint32_t min_neurons;
} spk_fp_filter;

/* The pattern being grown: its items with the counts that the filter asks for kept up to date, so
 * that a pattern that is thrown away costs nothing more. */
typedef struct spk_fp_prefix {
    const spk_fp_filter *filter;
    uint32_t *item;
    uint32_t n;
    uint32_t n_first_bin; /* items with lag 0 */
    uint32_t n_neurons;   /* distinct units */
    uint32_t *per_unit;   /* items per unit */
} spk_fp_prefix;

void spk_fp_prefix_push(spk_fp_prefix *prefix, uint32_t item);
void spk_fp_prefix_pop_to(spk_fp_prefix *prefix, uint32_t n);

typedef struct spk_fp_block spk_fp_block;
typedef struct spk_fp_collector {
    spk_fp_block *first;
    spk_fp_block *last;
    uint64_t n_patterns;
} spk_fp_collector;

/* Filters and stores the prefix. false: over the memory budget. */
bool spk_fp_collect(spk_fp_collector *collector, spk_budget *budget, const spk_fp_prefix *prefix,
                    uint32_t count, uint64_t signature);

/* Iterates in order of arrival: starts with {.block = NULL}; NULL at the end, where the cursor is
 * ready to start again. */
typedef struct spk_fp_cursor {
    spk_fp_block *block;
    size_t at;
} spk_fp_cursor;
spk_found_pattern *spk_fp_collector_next(const spk_fp_collector *collector, spk_fp_cursor *cursor);

void spk_fp_collector_free(spk_fp_collector *collector, spk_budget *budget);

/* ---- the tree -------------------------------------------------------------------------------- */

/*
 * FP-tree (Han, Pei and Yin 2000; Porrmann et al. 2021, section 2.2): a prefix tree over
 * transactions whose items are ordered by falling count, with one header entry per item that
 * links all nodes of that item.
 *
 * Beside its count every node carries a signature: the sum modulo 2^64 of one random number per
 * transaction below it. Summed like the counts, it makes every pattern arrive with a signature of
 * the set of windows that contain it, which is what the closed detection afterwards sorts by.
 */

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

/* Of the arenas: a conditional tree is made of many short arrays. */
enum { SPK_FP_ALIGNMENT = 16, SPK_FP_BLOCK_BYTES = 1 << 18 };

/* Transactions as columns: window w holds item[first[w]] .. item[first[w + 1] - 1], ascending. */
typedef struct spk_fp_transactions {
    uint32_t n_windows;
    uint32_t n_units;
    const uint64_t *first;
    const uint32_t *item;
} spk_fp_transactions;

/* Everything of one job. Set context, transactions, filter (supports and sizes >= 1),
 * threads and memory, zero the rest. */
typedef struct spk_fp_job {
    spk_context *context;
    spk_fp_transactions transactions;
    spk_fp_filter filter;
    int threads;
    uint64_t memory; /* bytes, 0: no limit */
    spk_budget budget;
    spk_arena arena; /* of the tree; every thread has one more for what it grows */
    spk_fp_tree tree;
    spk_fp_collector *collector; /* one per header entry */
    uint64_t n_patterns;         /* stored, in all collectors */
} spk_fp_job;

/* Builds the FP-tree of the frequent items. SPK_ERR_MEMORY. */
spk_status spk_fp_job_build(spk_fp_job *job);

/* Fills the collectors, header entries in parallel. SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_fp_job_mine(spk_fp_job *job);

/* Sets count to 0 in every stored pattern that is not closed with respect to supersets of any
 * size. Call after spk_fp_job_mine. SPK_ERR_MEMORY. */
spk_status spk_fp_job_mark_closed(spk_fp_job *job);

/* Threads for n independent pieces of work: no more than pieces, at least 1. */
int spk_fp_job_threads(const spk_fp_job *job, uint64_t n);

/* SPK_ERR_MEMORY with a message that tells the limit and what helps. */
spk_status spk_fp_job_fail_memory(const spk_fp_job *job);

/* Frees what the calls above made; a zeroed job is fine. */
void spk_fp_job_clear(spk_fp_job *job);
