/*
 * Growing patterns from an FP-tree (Porrmann et al. 2021, sections 2.2, 2.5 and 2.6), and finding
 * the closed ones among them afterwards.
 */
#ifndef SPK_PATTERN_ENGINE_FPGROWTH_MINE_H
#define SPK_PATTERN_ENGINE_FPGROWTH_MINE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/context.h"
#include "pattern/engine/fpgrowth/collect.h"
#include "pattern/engine/fpgrowth/tree.h"

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

#endif
