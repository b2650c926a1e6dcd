/*
 * Engine fpgrowth: the published method (Porrmann et al. 2021) - FP-tree, conditional trees, header
 * entries in parallel, the filter in the collectors, closed detection afterwards. It is the
 * baseline that others are compared with and an independent check of their answers.
 *
 * Memory: the tree (24 bytes a node), every pattern that passes the filter (24 bytes and 4 a
 * spike), a table for closed detection, and for the order 24 bytes a closed pattern; all charged to
 * the context's limit. The order also lists the windows by the unit that begins them.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "pattern/engine/engine.h"
#include "pattern/engine/fpgrowth/mine.h"
#include "pattern/engine/item_order.h"

/* ---- the order of patterns ------------------------------------------------------------------- */

/* The closed patterns in order; their items are ranks, ascending, from now on. */
typedef struct spk_fp_list {
    uint64_t n;
    spk_found_pattern **pattern;
} spk_fp_list;

static uint64_t count_closed(const spk_fp_job *job)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < job->tree.n_entries; k++) {
        spk_fp_cursor cursor = {.block = NULL};
        const spk_found_pattern *pattern;
        while ((pattern = spk_fp_collector_next(&job->collector[k], &cursor)) != NULL)
            n += pattern->count > 0;
    }
    return n;
}

static spk_status list_closed(spk_fp_job *job, const uint32_t *rank_of, spk_pattern_entry *entry)
{
    spk_status status = SPK_OK;
    for (uint32_t k = 0; k < job->tree.n_entries && status == SPK_OK; k++) {
        spk_fp_cursor cursor = {.block = NULL};
        spk_found_pattern *p;
        while ((p = spk_fp_collector_next(&job->collector[k], &cursor)) != NULL) {
            if (p->count == 0)
                continue;
            for (uint32_t i = 0; i < p->n; i++)
                p->item[i] = rank_of[p->item[i]];
            qsort(p->item, p->n, sizeof *p->item, spk_rising_u32);
            (entry++)->pattern = p;
        }
        status = spk_check_cancel(job->context);
    }
    return status;
}

static spk_status list_ranks(spk_context *context, const spk_window_columns *windows,
                             const spk_item_order *items, uint32_t **rank_of)
{
    const uint64_t n_items = (uint64_t)windows->n_units * windows->window;
    spk_status status = spk_alloc(context, rank_of, n_items, "the order of patterns");
    for (uint32_t rank = 0; rank < items->n && status == SPK_OK; rank++)
        (*rank_of)[items->item[rank]] = rank;
    return status;
}

/* After spk_fp_job_mark_closed. `out` and `items` are to be freed after a failure, too. Errors:
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
static spk_status fp_job_order(spk_fp_job *job, const spk_window_columns *windows,
                               spk_item_order *items, spk_fp_list *out)
{
    uint32_t *rank_of = NULL;
    const uint64_t n = count_closed(job);
    *out = (spk_fp_list){.n = n};
    if (n == 0)
        return SPK_OK;
    /* Entries are there to sort by, and go at the end; the list stays. */
    spk_pattern_entry *entry = spk_budget_alloc(&job->budget, n * sizeof *entry);
    out->pattern = spk_budget_alloc(&job->budget, n * sizeof *out->pattern);
    spk_status status =
        entry != NULL && out->pattern != NULL ? SPK_OK : spk_fp_job_fail_memory(job);
    if (status == SPK_OK)
        status = spk_item_order_find(job->context, windows, job->filter.min_support, items);
    if (status == SPK_OK)
        status = list_ranks(job->context, windows, items, &rank_of);
    if (status == SPK_OK && entry != NULL)
        status = list_closed(job, rank_of, entry);
    if (status == SPK_OK)
        status = spk_pattern_order(job->context, windows,
                                   &(spk_pattern_ranks){.n = items->n, .item = items->item},
                                   job->threads, entry, n, out->pattern);
    spk_budget_free(&job->budget, entry, n * sizeof *entry);
    free(rank_of);
    return status;
}

static void fp_list_free(spk_fp_list *list, spk_budget *budget)
{
    spk_budget_free(budget, list->pattern, list->n * sizeof(void *));
    *list = (spk_fp_list){.n = 0};
}

/* ---- the engine ------------------------------------------------------------------------------ */

enum { BATCH_PATTERNS = 4096, BATCH_ITEMS = 1 << 16 };

/* Patterns on their way to the sink. */
typedef struct pattern_batch {
    spk_pattern_sink *sink;
    void *user;
    uint32_t window;
    uint32_t n;
    uint32_t item_capacity;
    uint64_t *offset;
    uint32_t *item;
    uint32_t *count;
} pattern_batch;

static bool batch_init(pattern_batch *batch, spk_fp_job *job, spk_pattern_sink *sink, void *user)
{
    uint64_t n_items = (uint64_t)job->transactions.n_units * job->filter.window;
    uint32_t capacity = n_items > BATCH_ITEMS ? (uint32_t)n_items : BATCH_ITEMS;
    *batch = (pattern_batch){
        .sink = sink, .user = user, .window = job->filter.window, .item_capacity = capacity};
    batch->offset = spk_arena_alloc(&job->arena, BATCH_PATTERNS + 1, sizeof *batch->offset);
    batch->count = spk_arena_alloc(&job->arena, BATCH_PATTERNS, sizeof *batch->count);
    batch->item = spk_arena_alloc(&job->arena, capacity, sizeof *batch->item);
    if (batch->offset == NULL || batch->count == NULL || batch->item == NULL)
        return false;
    batch->offset[0] = 0;
    return true;
}

static spk_status batch_flush(pattern_batch *batch)
{
    if (batch->n == 0)
        return SPK_OK;
    spk_pattern_columns columns = {.n = batch->n,
                                   .window = batch->window,
                                   .offset = batch->offset,
                                   .item = batch->item,
                                   .count = batch->count};
    batch->n = 0;
    return batch->sink(batch->user, &columns);
}

/* Writes the items of ascending ranks in order of lag, then unit. */
static void copy_by_lag(uint32_t *out, const spk_found_pattern *pattern,
                        const spk_item_order *items, uint32_t window)
{
    for (uint32_t i = 0; i < pattern->n; i++) {
        const uint32_t item = items->item[pattern->item[i]], lag = item % window;
        uint32_t k = i;
        for (; k > 0 &&
               (out[k - 1] % window > lag || (out[k - 1] % window == lag && out[k - 1] > item));
             k--)
            out[k] = out[k - 1];
        out[k] = item;
    }
}

static spk_status batch_add(pattern_batch *batch, const spk_found_pattern *pattern,
                            const spk_item_order *items)
{
    uint64_t at = batch->offset[batch->n];
    if (batch->n == BATCH_PATTERNS || batch->item_capacity - at < pattern->n) {
        spk_status status = batch_flush(batch);
        if (status != SPK_OK)
            return status;
        at = 0;
    }
    copy_by_lag(batch->item + at, pattern, items, batch->window);
    batch->count[batch->n++] = pattern->count;
    batch->offset[batch->n] = at + pattern->n;
    return SPK_OK;
}

/* Hands on all closed patterns in the canonical order. */
static spk_status hand_on(spk_fp_job *job, const spk_window_columns *windows,
                          spk_pattern_sink *sink, void *user)
{
    pattern_batch batch;
    spk_item_order items = {.n = 0};
    spk_fp_list list = {.n = 0};
    if (!batch_init(&batch, job, sink, user))
        return spk_fp_job_fail_memory(job);
    spk_status status = fp_job_order(job, windows, &items, &list);
    for (uint64_t k = 0; status == SPK_OK && k < list.n; k++)
        status = batch_add(&batch, list.pattern[k], &items);
    if (status == SPK_OK)
        status = batch_flush(&batch);
    fp_list_free(&list, &job->budget);
    spk_item_order_free(&items);
    return status;
}

static spk_status mine(spk_context *context, const spk_pattern_job *given, spk_pattern_sink *sink,
                       void *user)
{
    const spk_window_columns *windows = given->windows;
    const spk_pattern_limits *limits = &given->limits;
    if (windows->n_windows == 0)
        return SPK_OK;
    spk_fp_job job = {
        .context = context,
        .transactions = {.n_windows = (uint32_t)windows->n_windows,
                         .n_units = windows->n_units,
                         .first = windows->first,
                         .item = windows->item},
        .filter = {.window = windows->window,
                   .min_support = limits->min_support,
                   .max_count = limits->max_count,
                   .min_spikes = limits->min_spikes,
                   .max_spikes = limits->max_spikes,
                   .min_neurons = limits->min_neurons},
        .threads = given->threads,
        .memory = given->memory,
    };
    /* Whether a pattern is closed is known when all are there: none leaves before the last step. */
    spk_status status = spk_fp_job_build(&job);
    if (status == SPK_OK)
        status = spk_fp_job_mine(&job);
    if (status == SPK_OK)
        status = spk_fp_job_mark_closed(&job);
    if (status == SPK_OK)
        status = hand_on(&job, windows, sink, user);
    spk_fp_job_clear(&job);
    return status;
}

/* A set makes a tree of its windows, which share more of their paths the fewer items they lack. */
static double cost(const spk_pattern_shape *shape)
{
    const double of_set = 60, of_place = 3;
    const double lacking = 1 - shape->per_window / (double)shape->n_items;
    return of_set + of_place * (double)shape->support * shape->per_window * lacking * lacking;
}

const spk_pattern_engine spk_pattern_engine_fpgrowth = {
    .mine = mine,
    .cost = cost,
};
