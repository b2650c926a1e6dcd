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

#include "base/memory.h"
#include "pattern/engine/engine.h"
#include "pattern/engine/fpgrowth/mine.h"
#include "pattern/engine/item_order.h"

/* ---- the order of items ---------------------------------------------------------------------- */

/*
 * Puts what the fpgrowth engine found into the canonical order of patterns.
 *
 * That is the order in which a search visits closed sets that adds items of ascending rank
 * (item_order.h) and closes: each set before those that it leads to. A set P leads to a larger one
 * where the items of P before the first further item already decide which windows hold P. So two
 * sets compare by the first item, in rank, that only one of them has: the set with it comes first,
 * unless the other one leads to it.
 */

/* The closed patterns in order; their items are ranks, ascending, from now on, of which
 * items->item[rank] is the item. */
typedef struct spk_fp_list {
    uint64_t n;
    spk_fp_pattern **pattern;
} spk_fp_list;

/* A pattern with its first ranks in one number, which decides most comparisons. After sorting the
 * number is the place of the first pattern that this one leads to, or its own. */
typedef struct entry {
    uint64_t key;
    spk_fp_pattern *pattern;
} entry;

typedef struct ordering {
    spk_fp_job *job;
    const spk_window_columns *windows;
    uint32_t *rank_of; /* by item */
    uint64_t *row;     /* of each rank: a bit for each window */
    uint64_t words;
    uint32_t key_bits; /* of a rank in a key */
    uint64_t n;
    uint64_t room;
    entry *entry;
} ordering;

/* ---- ranks ----------------------------------------------------------------------------------- */

static spk_status make_rows(ordering *o, const spk_item_order *items)
{
    const spk_window_columns *windows = o->windows;
    const uint64_t n_items = (uint64_t)windows->n_units * windows->window;
    o->words = (windows->n_windows + 63) / 64;
    o->key_bits = 1;
    while (items->n >> o->key_bits != 0) /* room for one more: no item is left */
        o->key_bits++;
    spk_status status = spk_alloc_columns(o->job->context, "the order of patterns",
                                          SPK_COLUMN(&o->rank_of, n_items),
                                          SPK_COLUMN_ZERO(&o->row, items->n * o->words));
    if (status != SPK_OK)
        return status;
    for (uint64_t item = 0; item < n_items; item++)
        o->rank_of[item] = UINT32_MAX;
    for (uint32_t rank = 0; rank < items->n; rank++)
        o->rank_of[items->item[rank]] = rank;
    for (uint64_t w = 0; w < windows->n_windows; w++) {
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            const uint32_t rank = o->rank_of[windows->item[k]];
            if (rank != UINT32_MAX)
                o->row[rank * o->words + w / 64] |= UINT64_C(1) << w % 64;
        }
    }
    return SPK_OK;
}

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* As many ranks as fit, behind the last one all ones. */
static uint64_t key_of(const ordering *o, const spk_fp_pattern *p)
{
    const uint64_t none = (UINT64_C(1) << o->key_bits) - 1;
    uint64_t key = 0;
    for (uint32_t i = 0; (i + 1) * o->key_bits <= 64; i++)
        key = key << o->key_bits | (i < p->n ? p->item[i] : none);
    return key;
}

static uint64_t count_closed(const spk_fp_job *job)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < job->tree.n_entries; k++) {
        spk_fp_cursor cursor = {.block = NULL};
        const spk_fp_pattern *pattern;
        while ((pattern = spk_fp_collector_next(&job->collector[k], &cursor)) != NULL)
            n += pattern->count > 0;
    }
    return n;
}

static spk_status list_closed(ordering *o)
{
    spk_fp_job *job = o->job;
    spk_status status = SPK_OK;
    for (uint32_t k = 0; k < job->tree.n_entries && status == SPK_OK; k++) {
        spk_fp_cursor cursor = {.block = NULL};
        spk_fp_pattern *p;
        while ((p = spk_fp_collector_next(&job->collector[k], &cursor)) != NULL) {
            if (p->count == 0)
                continue;
            for (uint32_t i = 0; i < p->n; i++)
                p->item[i] = o->rank_of[p->item[i]];
            qsort(p->item, p->n, sizeof *p->item, compare_ranks);
            o->entry[o->n++] = (entry){key_of(o, p), p};
        }
        status = spk_check_cancel(job->context);
    }
    return status;
}

/* ---- sets behind those that they lead to ----------------------------------------------------- */

/* The number of ranks with which both begin. */
static uint32_t common_start(const spk_fp_pattern *a, const spk_fp_pattern *b)
{
    uint32_t i = 0;
    while (i < a->n && i < b->n && a->item[i] == b->item[i])
        i++;
    return i;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    const spk_fp_pattern *p = x->pattern, *q = y->pattern;
    const uint32_t i = common_start(p, q);
    if (i == p->n || i == q->n)
        return (p->n < q->n) - (p->n > q->n);
    return p->item[i] < q->item[i] ? -1 : 1;
}

/* ---- and before them ------------------------------------------------------------------------- */

static bool holds_all(const spk_fp_pattern *large, const spk_fp_pattern *small, uint32_t from)
{
    uint32_t j = from;
    for (uint32_t i = from; i < small->n; i++, j++) {
        while (j < large->n && large->item[j] < small->item[i])
            j++;
        if (j == large->n || large->item[j] != small->item[i])
            return false;
    }
    return true;
}

/* How many windows hold the first n items of a pattern. */
static uint32_t count_windows(const ordering *o, const spk_fp_pattern *p, uint32_t n)
{
    uint32_t count = 0;
    for (uint64_t w = 0; w < o->words; w++) {
        const uint64_t left = o->windows->n_windows - w * 64;
        uint64_t bits = left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
        for (uint32_t i = 0; i < n; i++)
            bits &= o->row[p->item[i] * o->words + w];
        count += (uint32_t)__builtin_popcountll(bits);
    }
    return count;
}

/* Whether `p` leads to `other`, which stands before it. */
static bool leads_to(const ordering *o, const spk_fp_pattern *p, const spk_fp_pattern *other)
{
    const uint32_t n = common_start(p, other);
    return n == p->n || (p->n < other->n && other->count < p->count && holds_all(other, p, n) &&
                         count_windows(o, p, n) == p->count);
}

/* The place of each in the end: the first one that it leads to, behind all that lead to it. Going
 * down, these are the ones whose stretch has not begun yet. */
static spk_status place(const ordering *o, spk_fp_pattern **out)
{
    uint64_t *begun = NULL, capacity = 0, n_begun = 0;
    spk_status status = SPK_OK;
    for (uint64_t i = o->n; i-- > 0 && status == SPK_OK;) {
        const uint64_t first = o->entry[i].key;
        while (n_begun > 0 && begun[n_begun - 1] > i)
            n_begun--;
        out[first + n_begun] = o->entry[i].pattern;
        status = spk_grow(o->job->context, &begun, &capacity, n_begun + 1, "the order of patterns");
        if (status == SPK_OK)
            begun[n_begun++] = first;
    }
    spk_free(o->job->context, begun);
    return status;
}

static spk_status sort(ordering *o, spk_fp_list *out)
{
    spk_status status = list_closed(o);
    if (status == SPK_OK && o->n > 1)
        qsort(o->entry, o->n, sizeof *o->entry, compare_entries);
    for (uint64_t i = 0; i < o->n && status == SPK_OK; i++) {
        uint64_t first = i;
        while (first > 0 && leads_to(o, o->entry[i].pattern, o->entry[first - 1].pattern))
            first = o->entry[first - 1].key;
        o->entry[i].key = first;
        if (i % 4096 == 0)
            status = spk_check_cancel(o->job->context);
    }
    out->n = o->n;
    return status == SPK_OK ? place(o, out->pattern) : status;
}

/* After spk_fp_job_mark_closed. `out` and `items` are to be freed after a failure, too. Errors:
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
static spk_status fp_job_order(spk_fp_job *job, const spk_window_columns *windows,
                               spk_item_order *items, spk_fp_list *out)
{
    ordering o = {.job = job, .windows = windows, .room = count_closed(job)};
    *out = (spk_fp_list){.n = o.room};
    if (o.room == 0)
        return SPK_OK;
    spk_status status = spk_item_order_find(job->context, windows, job->filter.min_support, items);
    if (status == SPK_OK)
        status = make_rows(&o, items);
    if (status == SPK_OK) {
        o.entry = spk_budget_alloc(&job->budget, o.room * sizeof *o.entry);
        out->pattern = spk_budget_alloc(&job->budget, out->n * sizeof(void *));
        status =
            o.entry != NULL && out->pattern != NULL ? sort(&o, out) : spk_fp_job_fail_memory(job);
    }
    spk_budget_free(&job->budget, o.entry, o.room * sizeof *o.entry);
    free(o.rank_of);
    free(o.row);
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
