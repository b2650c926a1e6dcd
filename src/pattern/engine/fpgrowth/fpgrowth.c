/*
 * Engine fpgrowth: the published method (Porrmann et al. 2021) - FP-tree, conditional trees, header
 * entries in parallel, the filter in the collectors, closed detection afterwards. It is the
 * baseline that others are compared with and an independent check of their answers.
 *
 * Memory: the tree (24 bytes a node), every pattern that passes the filter (24 bytes and 4 a
 * spike), a table for closed detection, and for the order 24 bytes a closed pattern and a bit for
 * each window of each frequent item; all charged to the context's limit.
 */
#include <stdlib.h>
#include <string.h>

#include "pattern/engine/engine.h"
#include "pattern/engine/fpgrowth/mine.h"
#include "pattern/engine/fpgrowth/order.h"

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
static void copy_by_lag(uint32_t *out, const spk_fp_pattern *pattern, const spk_item_order *items,
                        uint32_t window)
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

static spk_status batch_add(pattern_batch *batch, const spk_fp_pattern *pattern,
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
    spk_status status = spk_fp_job_order(job, windows, &items, &list);
    for (uint64_t k = 0; status == SPK_OK && k < list.n; k++)
        status = batch_add(&batch, list.pattern[k], &items);
    if (status == SPK_OK)
        status = batch_flush(&batch);
    spk_fp_list_free(&list, &job->budget);
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

const spk_pattern_engine spk_pattern_engine_fpgrowth = {
    .mine = mine,
};
