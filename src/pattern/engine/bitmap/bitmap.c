/*
 * The bitmap engine's job: the ranking of items, the windows of roots, and rows of bits.
 *
 *     rank          0 .. n_lag0 - 1      n_lag0 .. n_items - 1      none
 *     item          lag 0: begin          larger lags, a unit's       in every window, or rare
 *                   a pattern             items are neighbours
 *     root_window   the windows of rank 0, of rank 1, ...             from root_first on
 *     row           bit r of row w: window w holds the item of rank r
 *
 * Cost: two passes over the windows. Bytes: root_window takes 4 a spike that begins a window, rows
 * n_windows * n_items / 8, which are left out where lists take less.
 */
#include "pattern/engine/bitmap/bitmap.h"

#include <string.h>

#include "base/memory.h"
#include "pattern/engine/item_order.h"

/* ---- ranking ----------------------------------------------------------------------------------
 */

/* Lag, unit and item in one word that sorts like a pattern's items; the item is its low half. */
static uint64_t item_key(const spk_window_columns *windows, uint32_t item)
{
    return (uint64_t)(item % windows->window) << 32 | item;
}

/* Items in every window have no rank. */
static spk_status rank_items(spk_context *context, const spk_item_order *order, spk_bitmap_job *job)
{
    const spk_window_columns *windows = job->windows;
    const uint32_t n_all = windows->n_units * windows->window;
    spk_status status = spk_alloc_columns(
        context, "items", SPK_COLUMN(&job->rank_of, n_all), SPK_COLUMN(&job->unit_of, order->n),
        SPK_COLUMN(&job->key_of, order->n), SPK_COLUMN(&job->always_unit, order->n),
        SPK_COLUMN(&job->always_key, order->n));
    if (status != SPK_OK)
        return status;
    /* What is in every window belongs to every pattern: it needs no search, only to be put into
     * what is found. Without a lag-0 item among it a pattern must begin with a root of lag 0. */
    for (uint32_t item = 0; item < n_all; item++)
        job->rank_of[item] = UINT32_MAX;
    for (uint32_t k = 0; k < order->n; k++) {
        const uint32_t item = order->item[k], unit = item / windows->window;
        const bool is_first = item % windows->window == 0;
        if (order->count[item] == windows->n_windows) {
            job->always_unit[job->n_always] = unit;
            job->always_key[job->n_always++] = item_key(windows, item);
            job->always_lag0 |= is_first;
            continue;
        }
        job->rank_of[item] = job->n_items;
        job->unit_of[job->n_items] = unit;
        job->key_of[job->n_items++] = item_key(windows, item);
        job->n_lag0 += is_first;
    }
    job->n_roots = job->always_lag0 ? job->n_items : job->n_lag0;
    return SPK_OK;
}

/* The windows of every root, by counting sort. */
static spk_status list_roots(spk_context *context, spk_bitmap_job *job)
{
    const spk_window_columns *windows = job->windows;
    spk_status status =
        spk_alloc_zero(context, &job->root_first, (uint64_t)job->n_roots + 2, "root windows");
    if (status != SPK_OK)
        return status;
    uint64_t *first = job->root_first + 1; /* shifted by one while filling */
    for (uint64_t k = 0; k < windows->first[windows->n_windows]; k++) {
        uint32_t rank = job->rank_of[windows->item[k]];
        if (rank < job->n_roots)
            first[rank + 1]++;
    }
    for (uint32_t r = 0; r < job->n_roots; r++)
        first[r + 1] += first[r];
    status = spk_alloc(context, &job->root_window, first[job->n_roots], "root windows");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++) {
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            uint32_t rank = job->rank_of[windows->item[k]];
            if (rank < job->n_roots)
                job->root_window[first[rank]++] = (uint32_t)w;
        }
    }
    return status;
}

/* Bit rows make roots by the vector; they are left out when they would be larger than the lists of
 * items that they repeat (a megabyte apart, which nobody misses). */
static spk_status make_rows(spk_context *context, spk_bitmap_job *job)
{
    enum { ALIGNMENT = 64, ROW_WORDS = ALIGNMENT / 8, ROW_BITS = 64 * ROW_WORDS };
    enum { ALWAYS_BYTES = 1 << 20 };
    const spk_window_columns *windows = job->windows;
    uint64_t words = ((uint64_t)job->n_items + ROW_BITS - 1) / ROW_BITS * ROW_WORDS;
    uint64_t bytes = windows->n_windows * words * sizeof *job->row;
    if (bytes > windows->first[windows->n_windows] * sizeof(uint32_t) + ALWAYS_BYTES)
        return SPK_OK;
    spk_status status =
        spk_alloc_bytes_zero(context, &job->row_memory, bytes + ALIGNMENT, 1, "windows as bits");
    if (status != SPK_OK)
        return status;
    /* Rows begin where a vector does, and have whole vectors of words: loops over them have no
     * rest. */
    size_t rest = (uintptr_t)job->row_memory % ALIGNMENT;
    job->row = (uint64_t *)(void *)((char *)job->row_memory + (rest > 0 ? ALIGNMENT - rest : 0));
    job->row_words = (uint32_t)words;
    for (uint64_t w = 0; w < windows->n_windows; w++) {
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            uint32_t rank = job->rank_of[windows->item[k]];
            if (rank != UINT32_MAX)
                job->row[w * words + rank / 64] |= UINT64_C(1) << (rank % 64);
        }
    }
    return SPK_OK;
}

spk_status spk_bitmap_job_create(spk_context *context, const spk_pattern_job *given,
                                 spk_bitmap_job *job)
{
    const spk_window_columns *windows = given->windows;
    *job = (spk_bitmap_job){.limits = given->limits,
                            .windows = windows,
                            .threads = given->threads,
                            .unordered = given->unordered,
                            .n_dropped = given->n_dropped,
                            .bytes = given->bytes};
    spk_item_order order;
    /* The order of items comes first: roots and rows are told in ranks. */
    spk_status status = spk_item_order_find(context, windows, given->limits.min_support, &order);
    if (status == SPK_OK)
        status = rank_items(context, &order, job);
    if (status == SPK_OK)
        status = list_roots(context, job);
    if (status == SPK_OK)
        status = make_rows(context, job);
    if (status == SPK_OK && given->drop_ends_of != 0)
        status = spk_bitmap_ends_create(context, windows, given->drop_ends_of, &job->ends);
    spk_item_order_free(&order);
    return status;
}

void spk_bitmap_job_free(spk_bitmap_job *job)
{
    spk_free_all(job->rank_of, job->unit_of, job->key_of, job->root_first, job->root_window,
                 job->always_unit, job->always_key, job->row_memory);
    spk_bitmap_ends_free(&job->ends);
}
