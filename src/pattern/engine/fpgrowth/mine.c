/*
 * FP-growth with the filter inside.
 *
 * Header entries are independent of each other: every entry has its own collector, every thread its
 * own arena and prefix (section 2.6). Within an entry the order is depth first, from the least
 * frequent item to the most frequent one, and items that are in every transaction of a conditional
 * pattern base go straight into the prefix ("perfect extensions"). So of all patterns with the same
 * set of windows the closed one is stored first; closed.c relies on that.
 *
 * Bounds beyond the filter, which the paper names as future work: a conditional tree is not built
 * when what it could add lacks a lag-0 item, the neurons or the spikes that are missing.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "pattern/engine/fpgrowth/mine.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* What one thread owns. */
typedef struct fp_miner {
    spk_fp_job *job;
    spk_fp_collector *collector; /* of the header entry at work */
    spk_arena arena;
    spk_fp_prefix prefix;
    uint32_t *seen; /* per unit: the round in which it was counted last */
    uint32_t round;
} fp_miner;

static bool miner_init(fp_miner *miner, spk_fp_job *job)
{
    size_t n_units = job->transactions.n_units;
    *miner = (fp_miner){.job = job};
    miner->arena = spk_arena_make(SPK_FP_ALIGNMENT, SPK_FP_BLOCK_BYTES, &job->budget);
    miner->prefix.filter = &job->filter;
    miner->prefix.item = spk_arena_alloc(&miner->arena, job->tree.n_entries, sizeof(uint32_t));
    miner->prefix.per_unit = spk_arena_alloc(&miner->arena, n_units, sizeof(uint32_t));
    miner->seen = spk_arena_alloc(&miner->arena, n_units, sizeof(uint32_t));
    if (miner->prefix.item == NULL || miner->prefix.per_unit == NULL || miner->seen == NULL)
        return false;
    memset(miner->prefix.per_unit, 0, n_units * sizeof(uint32_t));
    memset(miner->seen, 0, n_units * sizeof(uint32_t));
    return true;
}

/* Splits the items above `entry` by their count in its conditional pattern base: perfect extensions
 * into the prefix, infrequent ones out; the rest becomes header entries. Turns count[] into the new
 * numbers of the items. Returns how many are left. */
static uint32_t split_items(fp_miner *miner, const spk_fp_tree *tree, uint32_t entry,
                            uint32_t *count, spk_fp_header *kept)
{
    uint32_t all = tree->header[entry].count;
    uint32_t minimum = miner->job->filter.min_support;
    uint32_t n_kept = 0;
    for (uint32_t k = 0; k < entry; k++) {
        uint32_t here = count[k];
        count[k] = SPK_FP_NONE;
        if (here == all) {
            spk_fp_prefix_push(&miner->prefix, tree->header[k].item);
        } else if (here >= minimum) {
            kept[n_kept].item = tree->header[k].item;
            count[k] = n_kept++;
        }
    }
    return n_kept;
}

/* Whether prefix and kept items together have the units that a reported pattern needs. */
static bool enough_neurons(fp_miner *miner, const spk_fp_header *kept, uint32_t n_kept)
{
    const spk_fp_filter *filter = &miner->job->filter;
    uint32_t n = miner->prefix.n_neurons;
    if (++miner->round == 0) {
        memset(miner->seen, 0, miner->job->transactions.n_units * sizeof(uint32_t));
        miner->round = 1;
    }
    for (uint32_t k = 0; k < n_kept && n < filter->min_neurons; k++) {
        uint32_t unit = kept[k].item / filter->window;
        if (miner->prefix.per_unit[unit] == 0 && miner->seen[unit] != miner->round) {
            miner->seen[unit] = miner->round;
            n++;
        }
    }
    return n >= filter->min_neurons;
}

/* Whether any pattern made of the prefix and kept items can pass the filter. */
static bool promising(fp_miner *miner, const spk_fp_header *kept, uint32_t n_kept)
{
    const spk_fp_filter *filter = &miner->job->filter;
    const spk_fp_prefix *prefix = &miner->prefix;
    if (prefix->n > filter->max_spikes || (uint64_t)prefix->n + n_kept < filter->min_spikes)
        return false;
    bool first_bin = prefix->n_first_bin > 0;
    for (uint32_t k = 0; k < n_kept && !first_bin; k++)
        first_bin = kept[k].item % filter->window == 0;
    return first_bin && enough_neurons(miner, kept, n_kept);
}

/* The shortcut for a tree of a single path: its closed patterns are the beginnings of the path, cut
 * where the count falls. */
static bool collect_path(fp_miner *miner, const spk_fp_tree *path)
{
    spk_fp_prefix *prefix = &miner->prefix;
    uint32_t kept = prefix->n;
    bool ok = true;
    for (uint32_t k = 0; ok && k < path->n_nodes; k++) {
        const spk_fp_node *node = &path->node[k];
        if (node->count < miner->job->filter.min_support)
            break;
        spk_fp_prefix_push(prefix, path->header[path->step[k].entry].item);
        if (k + 1 == path->n_nodes || path->node[k + 1].count < node->count)
            ok = spk_fp_collect(miner->collector, &miner->job->budget, prefix, node->count,
                                node->signature);
    }
    spk_fp_prefix_pop_to(prefix, kept);
    return ok;
}

static bool grow(fp_miner *miner, const spk_fp_tree *tree, uint32_t entry);

/* Builds the conditional FP-tree of `entry` and mines it. */
static bool grow_conditional(fp_miner *miner, const spk_fp_tree *tree, uint32_t entry,
                             const uint32_t *renumber, spk_fp_header *kept, uint32_t n_kept)
{
    const spk_fp_filter *filter = &miner->job->filter;
    uint32_t missing =
        filter->min_spikes > miner->prefix.n ? filter->min_spikes - miner->prefix.n : 0;
    spk_fp_tree conditional = {.header = kept, .n_entries = n_kept};
    spk_fp_row *rows;
    uint32_t n_rows;
    uint64_t n_total;
    if (!spk_fp_tree_base_rows(&miner->arena, tree, entry, renumber, n_kept, missing, &rows,
                               &n_rows, &n_total) ||
        !spk_fp_tree_build(&miner->arena, &conditional, rows, n_rows, n_total))
        return false;
    if (spk_fp_tree_is_path(&conditional))
        return collect_path(miner, &conditional);
    for (uint32_t k = n_kept; k-- > 0;)
        if (conditional.header[k].count >= filter->min_support && !grow(miner, &conditional, k))
            return false;
    return true;
}

/* Adds the item of `entry` to the prefix and reports every pattern that it begins. false: out of
 * memory or cancelled. */
static bool grow(fp_miner *miner, const spk_fp_tree *tree, uint32_t entry)
{
    const spk_fp_header *header = &tree->header[entry];
    spk_arena_mark mark = spk_arena_get_mark(&miner->arena);
    uint32_t before = miner->prefix.n;
    if (miner->job->context != NULL && spk_context_cancelled(miner->job->context))
        return false;
    uint32_t *count = spk_arena_alloc(&miner->arena, entry, sizeof *count);
    spk_fp_header *kept = spk_arena_alloc(&miner->arena, entry, sizeof *kept);
    if (count == NULL || kept == NULL)
        return false;
    memset(count, 0, entry * sizeof *count);
    spk_fp_tree_count_base(tree, entry, count);
    spk_fp_prefix_push(&miner->prefix, header->item);
    /* Perfect extensions join the prefix before it is reported: what is reported first is the
     * closed pattern of these windows. */
    uint32_t n_kept = split_items(miner, tree, entry, count, kept);
    bool ok = true;
    if (promising(miner, kept, n_kept)) {
        ok = spk_fp_collect(miner->collector, &miner->job->budget, &miner->prefix, header->count,
                            header->signature);
        if (ok && n_kept > 0)
            ok = grow_conditional(miner, tree, entry, count, kept, n_kept);
    }
    spk_fp_prefix_pop_to(&miner->prefix, before);
    spk_arena_release(&miner->arena, mark);
    return ok;
}

/* One thread's share: header entries from the least frequent up, taken from a common counter. */
static bool mine_share(spk_fp_job *job, atomic_uint *next, atomic_bool *failed)
{
    fp_miner miner;
    bool ok = miner_init(&miner, job);
    while (ok && !atomic_load(failed)) {
        uint32_t taken = atomic_fetch_add(next, 1);
        if (taken >= job->tree.n_entries)
            break;
        /* Entries are independent, each with a collector of its own: who takes which one does not
         * matter. */
        uint32_t entry = job->tree.n_entries - 1 - taken;
        miner.collector = &job->collector[entry];
        if (job->tree.header[entry].count >= job->filter.min_support)
            ok = grow(&miner, &job->tree, entry);
#ifdef _OPENMP
        if (omp_get_thread_num() != 0)
            continue;
#endif
        spk_progress(job->context, "growing patterns", taken + 1, job->tree.n_entries);
    }
    if (!ok)
        atomic_store(failed, true);
    spk_arena_free(&miner.arena);
    return ok;
}

int spk_fp_job_threads(const spk_fp_job *job, uint64_t n)
{
    int threads = job->threads > 0 ? job->threads : 1;
    return (uint64_t)threads <= n ? threads : (n > 0 ? (int)n : 1);
}

spk_status spk_fp_job_fail_memory(const spk_fp_job *job)
{
    double limit = (double)job->budget.limit / 1e6;
    if (job->budget.limit == 0)
        return spk_fail(job->context, SPK_ERR_MEMORY,
                        "fpgrowth: out of memory at %.1f MB; raise the minimum of occurrences or "
                        "of spikes, or use the bitmap engine",
                        (double)atomic_load(&job->budget.peak) / 1e6);
    return spk_fail(job->context, SPK_ERR_MEMORY,
                    "fpgrowth: the job needs more than the memory limit of %.1f MB; raise the "
                    "limit, the minimum of occurrences or of spikes, or use the bitmap engine",
                    limit);
}

spk_status spk_fp_job_mine(spk_fp_job *job)
{
    atomic_uint next = 0;
    atomic_bool failed = false;
    uint32_t n = job->tree.n_entries;
    job->collector = spk_budget_alloc(&job->budget, n * sizeof *job->collector);
    if (job->collector == NULL)
        return spk_fp_job_fail_memory(job);
    memset(job->collector, 0, n * sizeof *job->collector);
#ifdef _OPENMP
#pragma omp parallel num_threads(spk_fp_job_threads(job, n))
#endif
    mine_share(job, &next, &failed);
    for (uint32_t k = 0; k < n; k++)
        job->n_patterns += job->collector[k].n_patterns;
    if (!atomic_load(&failed))
        return SPK_OK;
    spk_status cancelled = spk_check_cancel(job->context);
    return cancelled != SPK_OK ? cancelled : spk_fp_job_fail_memory(job);
}

/* ---- the tree of all transactions ---------------------------------------------------------------
 */

typedef struct item_count {
    uint32_t item;
    uint32_t count;
} item_count;

/* By falling count, ties by item, so that the order is the same on every machine. */
static int compare_counts(const void *left, const void *right)
{
    const item_count *a = left, *b = right;
    return SPK_BY(SPK_DOWN(a->count, b->count), SPK_UP(a->item, b->item));
}

/* Header entries of the frequent items. On entry entry_of[] holds the items' counts, on return
 * the numbers of their header entries (SPK_FP_NONE: infrequent). */
static bool rank_items(spk_fp_job *job, uint32_t *entry_of, uint32_t n_items)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_items; k++)
        n += entry_of[k] >= job->filter.min_support;
    item_count *frequent = spk_arena_alloc(&job->arena, n, sizeof *frequent);
    job->tree.header = spk_arena_alloc(&job->arena, n, sizeof *job->tree.header);
    if (frequent == NULL || job->tree.header == NULL)
        return false;
    /* Counts are read and numbers written in one array: an item's count is not needed any more when
     * its number comes. */
    for (uint32_t k = 0; k < n_items; k++) {
        if (entry_of[k] >= job->filter.min_support)
            frequent[job->tree.n_entries++] = (item_count){k, entry_of[k]};
        entry_of[k] = SPK_FP_NONE;
    }
    qsort(frequent, n, sizeof *frequent, compare_counts);
    for (uint32_t k = 0; k < n; k++) {
        job->tree.header[k].item = frequent[k].item;
        entry_of[frequent[k].item] = k;
    }
    return true;
}

/* The count of every item. */
static void count_items(const spk_fp_transactions *all, uint32_t *count, uint32_t n_items)
{
    memset(count, 0, n_items * sizeof *count);
    for (uint64_t k = all->first[0]; k < all->first[all->n_windows]; k++)
        count[all->item[k]]++;
}

/* Transactions as sorted header entries; those with fewer than min_spikes frequent items are left
 * out (section 2.2). */
static bool make_rows(spk_fp_job *job, const uint32_t *entry_of, spk_fp_row **rows,
                      uint32_t *n_rows, uint64_t *n_total)
{
    const spk_fp_transactions *all = &job->transactions;
    uint64_t n_items = all->first[all->n_windows] - all->first[0];
    uint32_t *entries = spk_arena_alloc(&job->arena, n_items, sizeof *entries);
    *rows = spk_arena_alloc(&job->arena, all->n_windows, sizeof **rows);
    if (entries == NULL || *rows == NULL)
        return false;
    *n_rows = 0;
    *n_total = 0;
    /* Rows lie one behind the other; one that is left out is overwritten by the next. */
    for (uint32_t w = 0; w < all->n_windows; w++) {
        uint32_t *row = entries + *n_total;
        uint32_t n = 0;
        for (uint64_t k = all->first[w]; k < all->first[w + 1]; k++)
            if (entry_of[all->item[k]] != SPK_FP_NONE)
                row[n++] = entry_of[all->item[k]];
        if (n == 0 || n < job->filter.min_spikes)
            continue;
        qsort(row, n, sizeof *row, spk_rising_u32);
        (*rows)[(*n_rows)++] = (spk_fp_row){row, n, 1, spk_fp_row_signature(w)};
        *n_total += n;
    }
    return true;
}

spk_status spk_fp_job_build(spk_fp_job *job)
{
    spk_budget_init(&job->budget, job->memory);
    job->arena = spk_arena_make(SPK_FP_ALIGNMENT, SPK_FP_BLOCK_BYTES, &job->budget);
    uint64_t n_items = (uint64_t)job->transactions.n_units * job->filter.window;
    if (n_items >= SPK_FP_NONE)
        return spk_fail(job->context, SPK_ERR_RANGE,
                        "fpgrowth: %u units times a window of %u bins are more items than 32 bits "
                        "can number; use a shorter window or fewer units",
                        job->transactions.n_units, job->filter.window);
    uint32_t *entry_of = spk_arena_alloc(&job->arena, n_items, sizeof *entry_of);
    spk_fp_row *rows = NULL;
    uint32_t n_rows = 0;
    uint64_t n_total = 0;
    if (entry_of == NULL)
        return spk_fp_job_fail_memory(job);
    /* entry_of has the counts of items first, then their entries. Windows are read twice; the tree
     * has all that is needed of them. */
    count_items(&job->transactions, entry_of, (uint32_t)n_items);
    if (!rank_items(job, entry_of, (uint32_t)n_items) ||
        !make_rows(job, entry_of, &rows, &n_rows, &n_total) ||
        !spk_fp_tree_build(&job->arena, &job->tree, rows, n_rows, n_total))
        return spk_fp_job_fail_memory(job);
    return SPK_OK;
}

void spk_fp_job_clear(spk_fp_job *job)
{
    for (uint32_t k = 0; job->collector != NULL && k < job->tree.n_entries; k++)
        spk_fp_collector_free(&job->collector[k], &job->budget);
    spk_budget_free(&job->budget, job->collector, job->tree.n_entries * sizeof *job->collector);
    job->collector = NULL;
    spk_arena_free(&job->arena);
}
