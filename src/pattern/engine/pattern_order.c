/* The canonical order of patterns. */
#include "pattern/engine/item_order.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"

typedef struct ordering {
    spk_context *context;
    const spk_window_columns *windows;
    const spk_pattern_ranks *ranks;
    uint64_t *first; /* unit u begins windows window[first[u]] .. window[first[u + 1] - 1] */
    uint32_t *window;
    spk_pattern_entry *entry;
    uint64_t n;
} ordering;

/* ---- windows by the unit that begins them ---------------------------------------------------- */

static spk_status list_windows(ordering *o)
{
    const spk_window_columns *windows = o->windows;
    const uint64_t n_items = windows->first[windows->n_windows];
    spk_status status =
        spk_alloc_zero(o->context, &o->first, (uint64_t)windows->n_units + 2, "an order");
    if (status != SPK_OK)
        return status;
    uint64_t *first = o->first + 1; /* shifted by one while filling */
    for (uint64_t k = 0; k < n_items; k++)
        if (windows->item[k] % windows->window == 0)
            first[windows->item[k] / windows->window + 1]++;
    for (uint32_t u = 0; u < windows->n_units; u++)
        first[u + 1] += first[u];
    status = spk_alloc(o->context, &o->window, first[windows->n_units], "an order");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++)
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++)
            if (windows->item[k] % windows->window == 0)
                o->window[first[windows->item[k] / windows->window]++] = (uint32_t)w;
    return status;
}

static bool has_rank(const ordering *o, uint64_t w, uint32_t rank)
{
    const spk_window_columns *windows = o->windows;
    if (o->ranks->row != NULL)
        return (o->ranks->row[w * o->ranks->row_words + rank / 64] >> rank % 64 & 1) != 0;
    const uint32_t item = o->ranks->item[rank];
    const uint64_t end = windows->first[w + 1];
    const uint64_t at = spk_first_u32(windows->item, windows->first[w], end, item);
    return at < end && windows->item[at] == item;
}

/* Whether no window holds the first n items of a pattern but those that hold all of it. Most often
 * one does, and is met soon. */
static bool decide(const ordering *o, const spk_found_pattern *p, uint32_t n)
{
    if (n == 0)
        return o->windows->n_windows == p->count;
    const uint32_t unit = o->ranks->item[p->item[0]] / o->windows->window;
    for (uint64_t k = o->first[unit]; k < o->first[unit + 1]; k++) {
        uint32_t i = 1; /* all of these windows begin with the first item */
        while (i < p->n && has_rank(o, o->window[k], p->item[i]))
            i++;
        if (i >= n && i < p->n)
            return false;
    }
    return true;
}

/* ---- sets behind those that they lead to ----------------------------------------------------- */

/* As many ranks as fit, behind the last one all ones. */
static uint64_t key_of(const spk_found_pattern *p, uint32_t key_bits)
{
    const uint64_t none = (UINT64_C(1) << key_bits) - 1;
    uint64_t key = 0;
    for (uint32_t i = 0; (i + 1) * key_bits <= 64; i++)
        key = key << key_bits | (i < p->n ? p->item[i] : none);
    return key;
}

/* The number of ranks with which both begin. */
static uint32_t common_start(const spk_found_pattern *a, const spk_found_pattern *b)
{
    uint32_t i = 0;
    while (i < a->n && i < b->n && a->item[i] == b->item[i])
        i++;
    return i;
}

static int compare_entries(const void *a, const void *b)
{
    const spk_pattern_entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    const spk_found_pattern *p = x->pattern, *q = y->pattern;
    const uint32_t i = common_start(p, q);
    if (i == p->n || i == q->n)
        return (p->n < q->n) - (p->n > q->n);
    return p->item[i] < q->item[i] ? -1 : 1;
}

/* Moves what comes before the middle one to the front (Hoare's partition); how many these are, at
 * least one and not all. */
static uint64_t part_entries(spk_pattern_entry *entry, uint64_t n)
{
    const spk_pattern_entry middle = entry[(n - 1) / 2];
    uint64_t i = 0, j = n - 1;
    for (;; i++, j--) {
        while (compare_entries(&entry[i], &middle) < 0)
            i++;
        while (compare_entries(&middle, &entry[j]) < 0)
            j--;
        if (i >= j)
            return j + 1;
        const spk_pattern_entry kept = entry[i];
        entry[i] = entry[j];
        entry[j] = kept;
    }
}

/* All parts of the entries are cut in two at a time, each by a thread, while they are large on
 * average. No entry of a part comes before one of an earlier part: what is left is to sort each. */
static void sort_entries(spk_pattern_entry *entry, uint64_t n, int threads)
{
    enum { PART_ENTRIES = 8192, MOST_PARTS = 1024 };
    uint64_t begin[MOST_PARTS + 1] = {0, n};
    size_t n_parts = 1;
    for (; n_parts <= MOST_PARTS / 2 && n / n_parts > PART_ENTRIES; n_parts *= 2) {
        for (size_t k = n_parts; k > 0; k--)
            begin[2 * k] = begin[k];
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic)
#endif
        for (size_t k = 0; k < n_parts; k++) {
            const uint64_t first = begin[2 * k], size = begin[2 * k + 2] - first;
            begin[2 * k + 1] =
                first + (size > PART_ENTRIES ? part_entries(entry + first, size) : size);
        }
    }
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic)
#endif
    for (size_t k = 0; k < n_parts; k++)
        if (begin[k + 1] - begin[k] > 1)
            qsort(entry + begin[k], begin[k + 1] - begin[k], sizeof *entry, compare_entries);
    (void)threads;
}

static void sort_all(ordering *o, int threads)
{
    uint32_t key_bits = 1;
    while (o->ranks->n >> key_bits != 0) /* room for one more: no item is left */
        key_bits++;
    for (uint64_t i = 0; i < o->n; i++)
        o->entry[i].key = key_of(o->entry[i].pattern, key_bits);
    sort_entries(o->entry, o->n, threads);
}

/* ---- and before them ------------------------------------------------------------------------- */

static bool holds_all(const spk_found_pattern *large, const spk_found_pattern *small, uint32_t from)
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

/* Whether `p` leads to `other`, which stands before it. */
static bool leads_to(const ordering *o, const spk_found_pattern *p, const spk_found_pattern *other)
{
    if (p->n >= other->n || p->count <= other->count) /* a larger closed set has fewer windows */
        return false;
    const uint32_t n = common_start(p, other);
    return n == p->n || (holds_all(other, p, n) && decide(o, p, n));
}

/* The place of each in the end: the first one that it leads to, behind all that lead to it. Going
 * down, these are the ones whose stretch has not begun yet. */
static spk_status place(const ordering *o, spk_found_pattern **out)
{
    uint64_t *begun = NULL, capacity = 0, n_begun = 0;
    spk_status status = SPK_OK;
    for (uint64_t i = o->n; i-- > 0 && status == SPK_OK;) {
        const uint64_t first = o->entry[i].key;
        while (n_begun > 0 && begun[n_begun - 1] > i)
            n_begun--;
        out[first + n_begun] = o->entry[i].pattern;
        status = spk_grow(o->context, &begun, &capacity, n_begun + 1, "the order of patterns");
        if (status == SPK_OK)
            begun[n_begun++] = first;
    }
    spk_free(o->context, begun);
    return status;
}

/* By place, the first pattern that each leads to. Few lead to any: who does, all threads find. */
static spk_status find_first(ordering *o, int threads)
{
    enum { LOOK_PATTERNS = 4096, AHEAD = 16 };
    spk_pattern_entry *entry = o->entry;
    spk_status status = SPK_OK;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
    for (uint64_t i = 0; i < o->n; i++) {
        __builtin_prefetch(entry[i + AHEAD < o->n ? i + AHEAD : i].pattern); /* they lie anywhere */
        entry[i].key = i > 0 && leads_to(o, entry[i].pattern, entry[i - 1].pattern);
    }
    for (uint64_t i = 0; i < o->n && status == SPK_OK; i++) {
        const bool leads = entry[i].key != 0;
        uint64_t first = leads ? entry[i - 1].key : i;
        while (leads && first > 0 && leads_to(o, entry[i].pattern, entry[first - 1].pattern))
            first = entry[first - 1].key;
        entry[i].key = first;
        if (i % LOOK_PATTERNS == 0)
            status = spk_check_cancel(o->context);
    }
    (void)threads;
    return status;
}

spk_status spk_pattern_order(spk_context *context, const spk_window_columns *windows,
                             const spk_pattern_ranks *ranks, int threads, spk_pattern_entry *entry,
                             uint64_t n, spk_found_pattern **out)
{
    ordering o = {.context = context, .windows = windows, .ranks = ranks, .entry = entry, .n = n};
    if (n == 0)
        return SPK_OK;
    spk_status status = list_windows(&o);
    if (status == SPK_OK)
        sort_all(&o, threads);
    if (status == SPK_OK)
        status = find_first(&o, threads);
    if (status == SPK_OK)
        status = place(&o, out);
    spk_free(context, o.first);
    spk_free(context, o.window);
    return status;
}
