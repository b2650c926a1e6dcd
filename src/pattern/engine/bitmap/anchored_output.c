/*
 * All patterns from their anchors: their way out, as they are found or in order at the end.
 *
 *     no order    set -> keys (lag, item) -> batch of a search -> sink, under the lock
 *     in order    set -> ranks -> arena of a search, newest first -> spk_pattern_order
 *                     -> batches by all threads -> sink, one after the other
 *
 * Invariant: one batch at a time is in the sink, and none follows one that it refused. A batch has
 * BATCH patterns at most; its items are ascending by lag, then by unit. Cost: a pattern of n spikes
 * takes up to n * n / 2 moves to sort, for the few spikes that patterns have.
 */
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"
#include "pattern/engine/bitmap/anchored.h"

enum { BATCH = 4096, AHEAD = 16 };

bool spk_anchored_output_create(const spk_bitmap_bounds *shared, spk_anchored_output *out)
{
    const spk_bitmap_job *job = shared->job;
    const uint32_t longest = shared->longest;
    const size_t n_common = (2 * (size_t)job->windows->window - 1) * job->ends.words;
    out->item_capacity = (uint64_t)BATCH * 8 + longest;
    out->common = malloc(n_common * sizeof *out->common);
    out->mask = malloc((shared->most_windows / 64 + 1) * sizeof *out->mask);
    out->key = malloc(((size_t)longest + 1) * sizeof *out->key);
    out->offset = malloc((BATCH + 1) * sizeof *out->offset);
    out->count = malloc(BATCH * sizeof *out->count);
    out->items = malloc(out->item_capacity * sizeof *out->items);
    return out->common != NULL && out->mask != NULL && out->key != NULL && out->offset != NULL &&
           out->count != NULL && out->items != NULL;
}

void spk_anchored_output_free(spk_anchored_output *out)
{
    spk_free_all(out->common, out->mask, out->key, out->offset, out->count, out->items);
    spk_arena_free(&out->kept);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* What waits, as columns or as bytes. */
typedef struct batch {
    spk_pattern_columns columns;
    const char *bytes;
    uint64_t n_bytes;
} batch;

/* Without the lock. False: no memory. */
static bool make_batch(spk_maxima_search *search, batch *out)
{
    const spk_anchored_output *from = search->output;
    const spk_pattern_bytes *to = search->job->bytes;
    from->offset[from->n] = from->n_items;
    *out = (batch){.columns = {.n = from->n,
                               .window = search->job->windows->window,
                               .offset = from->offset,
                               .item = from->items,
                               .count = from->count}};
    if (to == NULL ||
        to->make(to->user, from->maker, &out->columns, &out->bytes, &out->n_bytes) == SPK_OK)
        return true;
    spk_maxima_fail(search, SPK_ERR_MEMORY);
    return false;
}

/* One thread at a time. After a failure nothing goes to the sink, which may have refused before. */
static void hand_over(spk_maxima_search *search, const batch *b)
{
    spk_anchored_output *out = search->output;
    const spk_pattern_bytes *to = search->job->bytes;
    if (atomic_load(&search->shared->status) != SPK_OK)
        return;
    spk_status status = to != NULL ? to->take(to->user, b->bytes, b->n_bytes, b->columns.n)
                                   : out->sink(out->user, &b->columns);
    if (status == SPK_OK)
        return;
    out->refused = true;
    spk_maxima_fail(search, status);
}

void spk_anchored_output_leave(spk_maxima_search *search)
{
    spk_anchored_output *out = search->output;
    batch b;
    if (out->n > 0 && make_batch(search, &b)) {
        pthread_mutex_lock(out->lock);
        hand_over(search, &b);
        pthread_mutex_unlock(out->lock);
    }
    out->n = out->n_items = 0;
}

/* Adds keys, of lag and item, in ascending order to a batch that has room. */
static void batch_add(spk_anchored_output *out, uint32_t size, uint32_t count)
{
    out->offset[out->n] = out->n_items;
    out->count[out->n++] = count;
    for (uint32_t k = 0; k < size; k++)
        out->items[out->n_items++] = (uint32_t)out->key[k];
}

static void insert_key(spk_anchored_output *out, uint32_t k, uint64_t key)
{
    uint32_t at = k;
    for (; at > 0 && out->key[at - 1] > key; at--)
        out->key[at] = out->key[at - 1];
    out->key[at] = key;
}

/* ---- as they are found ----------------------------------------------------------------------- */

/* Keeps the set, whose ranks are the keys. */
static void keep(spk_maxima_search *search, uint32_t count)
{
    spk_anchored_output *out = search->output;
    const size_t bytes = sizeof(spk_found_pattern) + search->size * sizeof(uint32_t);
    spk_found_pattern *p = spk_arena_alloc(&out->kept, bytes, 1);
    if (p == NULL) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return;
    }
    *p = (spk_found_pattern){.before = out->newest, .count = count, .n = search->size};
    for (uint32_t k = 0; k < search->size; k++)
        p->item[k] = (uint32_t)out->key[k];
    out->newest = p;
    out->n_kept++;
}

/* The set as a pattern: its items by lag, then unit, with lags from its first spike on; to be kept,
 * their ranks. */
void spk_anchored_output_add(spk_maxima_search *search, uint32_t count, uint32_t first)
{
    spk_anchored_output *out = search->output;
    const spk_bitmap_job *job = search->job;
    for (uint32_t k = 0; k < search->size; k++) {
        const uint32_t place = search->rank[k], lag = search->lag_of[place] - first;
        const uint32_t item = search->unit_of[place] * job->windows->window + lag;
        insert_key(out, k, out->keeps ? job->rank_of[item] : (uint64_t)lag << 32 | item);
    }
    if (out->keeps) {
        keep(search, count);
        return;
    }
    if (out->n == BATCH || out->n_items + search->size > out->item_capacity)
        spk_anchored_output_leave(search);
    batch_add(out, search->size, count);
}

/* ---- in order -------------------------------------------------------------------------------- */

static bool fill_batch(spk_maxima_search *search, spk_found_pattern *const *list, uint64_t n)
{
    spk_anchored_output *out = search->output;
    uint64_t n_items = 0;
    for (uint64_t i = 0; i < n; i++) {
        __builtin_prefetch(list[i + AHEAD < n ? i + AHEAD : i]);
        n_items += list[i]->n;
    }
    /* There is room for eight items a pattern. Longer patterns make it grow, once for all batches
     * after. */
    if (n_items > out->item_capacity) {
        uint32_t *larger = realloc(out->items, n_items * sizeof *larger);
        if (larger == NULL) {
            spk_maxima_fail(search, SPK_ERR_MEMORY);
            return false;
        }
        out->items = larger;
        out->item_capacity = n_items;
    }
    out->n = out->n_items = 0;
    /* Kept items are ranks. Their keys have the order of a pattern's items, which is by lag. */
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < list[i]->n; k++)
            insert_key(out, k, search->job->key_of[list[i]->item[k]]);
        batch_add(out, list[i]->n, list[i]->count);
    }
    return true;
}

void spk_anchored_output_all(const spk_bitmap_bounds *shared, spk_found_pattern *const *list,
                             uint64_t n)
{
    /* All threads make batches, each in the buffers of its own search, and each hands on its batch
     * when all before it have left. The sink therefore needs no lock here. */
    const int64_t n_batches = (int64_t)((n + BATCH - 1) / BATCH);
#ifdef _OPENMP
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(shared->n_searches)
#endif
    for (int64_t b = 0; b < n_batches; b++) {
        int thread = 0;
        batch made = {.bytes = NULL};
#ifdef _OPENMP
        thread = omp_get_thread_num();
#endif
        spk_maxima_search *search = &shared->search[thread];
        const uint64_t begin = (uint64_t)b * BATCH;
        const bool good = fill_batch(search, list + begin, n - begin < BATCH ? n - begin : BATCH) &&
                          make_batch(search, &made);
#ifdef _OPENMP
#pragma omp ordered
#endif
        if (good)
            hand_over(search, &made);
    }
}
