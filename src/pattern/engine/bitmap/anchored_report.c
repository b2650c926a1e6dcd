/* All patterns in any order: which sets are patterns, and their way out. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/engine/bitmap/anchored.h"

enum { BATCH = 4096 };

/* ---- output ---------------------------------------------------------------------------------- */

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
    free(out->common);
    free(out->mask);
    free(out->key);
    free(out->offset);
    free(out->count);
    free(out->items);
}

void spk_anchored_output_leave(spk_maxima_search *search)
{
    spk_anchored_output *out = search->output;
    const spk_pattern_columns batch = {.n = out->n,
                                       .window = search->job->windows->window,
                                       .offset = out->offset,
                                       .item = out->items,
                                       .count = out->count};
    const spk_pattern_bytes *to = search->job->bytes;
    const char *bytes = NULL;
    uint64_t n_bytes = 0;
    if (out->n == 0)
        return;
    out->offset[out->n] = out->n_items;
    if (to != NULL && to->make(to->user, out->maker, &batch, &bytes, &n_bytes) != SPK_OK) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return;
    }
    /* After a failure nothing goes to the sink, which may have refused the batch before. */
    pthread_mutex_lock(out->lock);
    spk_status status = SPK_OK;
    if (atomic_load(&search->shared->status) == SPK_OK)
        status =
            to != NULL ? to->take(to->user, bytes, n_bytes, out->n) : out->sink(out->user, &batch);
    pthread_mutex_unlock(out->lock);
    if (status != SPK_OK) {
        out->refused = true;
        spk_maxima_fail(search, status);
    }
    out->n = out->n_items = 0;
}

/* The set as a pattern: its items by lag, then unit, with lags from its first spike on. */
static void output_add(spk_maxima_search *search, uint32_t count, uint32_t first)
{
    spk_anchored_output *out = search->output;
    const uint32_t window = search->job->windows->window;
    if (out->n == BATCH || out->n_items + search->size > out->item_capacity)
        spk_anchored_output_leave(search);
    for (uint32_t k = 0; k < search->size; k++) {
        const uint32_t place = search->rank[k], lag = search->lag_of[place] - first;
        const uint64_t key = (uint64_t)lag << 32 | (search->unit_of[place] * window + lag);
        uint32_t at = k;
        for (; at > 0 && out->key[at - 1] > key; at--)
            out->key[at] = out->key[at - 1];
        out->key[at] = key;
    }
    out->offset[out->n] = out->n_items;
    out->count[out->n++] = count;
    for (uint32_t k = 0; k < search->size; k++)
        out->items[out->n_items++] = (uint32_t)out->key[k];
}

/* ---- what the occurrences of a set have in common -------------------------------------------- */

void spk_anchored_root(spk_maxima_search *search, const uint32_t *window, const uint32_t *item,
                       uint32_t n, const uint64_t *column, uint32_t column_words)
{
    spk_anchored_output *out = search->output;
    out->window = window;
    out->n_windows = n;
    out->item = item;
    out->column = column;
    out->column_words = column_words;
}

/* Goes through the windows of the set. */
typedef struct window_walk {
    uint32_t word;
    uint64_t bits;
} window_walk;

static void find_windows(spk_maxima_search *search)
{
    const spk_anchored_output *out = search->output;
    const uint32_t n_words = out->column_words;
    const uint32_t rest = out->n_windows % 64;
    memset(out->mask, 0xff, n_words * sizeof *out->mask);
    if (rest != 0)
        out->mask[n_words - 1] = (UINT64_C(1) << rest) - 1;
    for (uint32_t k = 1; k < search->size; k++) {
        const uint64_t *column = out->column + (size_t)out->item[search->rank[k]] * n_words;
        for (uint32_t w = 0; w < n_words; w++)
            out->mask[w] &= column[w];
    }
}

static uint32_t next_window(const spk_anchored_output *out, window_walk *walk)
{
    while (walk->bits == 0) {
        if (walk->word == out->column_words)
            return UINT32_MAX;
        walk->bits = out->mask[walk->word++];
    }
    uint32_t bit = (walk->word - 1) * 64 + (uint32_t)__builtin_ctzll(walk->bits);
    walk->bits &= walk->bits - 1;
    return out->window[bit];
}

/* Into out->common, rows of bins over units: the `n` words from lag `from` on (counted as in
 * lag_of). Whether it is the set alone. Four windows have hardly anything else in common. */
static bool find_common(spk_maxima_search *search, uint32_t from, size_t n)
{
    const spk_anchored_output *out = search->output;
    const spk_bitmap_ends *ends = &search->job->ends;
    const uint64_t *row[SPK_MAXIMA_ROWS] = {NULL}, *base = ends->row;
    window_walk walk = {.word = 0};
    uint32_t n_rows = 0;
    find_windows(search);
    for (uint32_t w; (w = next_window(out, &walk)) != UINT32_MAX;) {
        row[n_rows++] = base + ((size_t)ends->place[w] + from - search->reach) * ends->words;
        if (n_rows < SPK_MAXIMA_ROWS)
            continue;
        if (search->shared->kernels->common(row, n, out->common) == search->size)
            return true;
        row[0] = out->common;
        n_rows = 1;
    }
    assert(n_rows > 0); /* a set has windows */
    if (row[0] == out->common && n_rows == 1)
        return false;
    for (uint32_t k = n_rows; k < SPK_MAXIMA_ROWS; k++)
        row[k] = row[n_rows - 1];
    return search->shared->kernels->common(row, n, out->common) == search->size;
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* The place of a unit's item; UINT32_MAX where the root has none: rarer units, and spikes of the
 * anchor's unit before it. */
static uint32_t place_of(const spk_maxima_search *search, uint32_t unit, uint32_t lag)
{
    const spk_bitmap_job *job = search->job;
    const uint32_t r = job->rank_of[(size_t)unit * job->windows->window];
    if (r == UINT32_MAX || r < search->root || (r == search->root && lag < search->reach))
        return UINT32_MAX;
    return r * search->shared->anchors.span + lag;
}

static bool has_place(const spk_maxima_search *search, uint32_t place)
{
    for (uint32_t k = 0; k < search->size; k++)
        if (search->rank[k] == place)
            return true;
    return false;
}

/* Moves an item from the branch to the set; false where the branch does not have it. */
static bool move_item(spk_maxima_search *search, uint32_t place, const uint32_t *rank, uint32_t n,
                      uint64_t *items)
{
    for (uint32_t w = 0; w * 64 < n; w++)
        for (uint64_t bits = items[w]; bits != 0; bits &= bits - 1)
            if (rank[w * 64 + (uint32_t)__builtin_ctzll(bits)] == place) {
                items[w] &= ~(bits & -bits);
                spk_maxima_push(search, place);
                return true;
            }
    return false;
}

/* From the first spike of a set to its last one, as in lag_of. */
typedef struct span {
    uint32_t first;
    uint32_t last;
} span;

static span span_of(const spk_maxima_search *search)
{
    span s = {UINT32_MAX, 0};
    for (uint32_t k = 0; k < search->size; k++) {
        const uint32_t lag = search->lag_of[search->rank[k]];
        s.first = lag < s.first ? lag : s.first;
        s.last = lag > s.last ? lag : s.last;
    }
    return s;
}

/* What else the occurrences of a set have in common. */
typedef struct excess {
    bool within; /* something in the window that begins with the set's first spike */
    bool moved;  /* some of it, between the first and the last spike, was moved to the set */
    bool passed; /* something there is no item of the branch: the search has been through it */
} excess;

/* One more item in common. */
static void meet_item(spk_maxima_search *search, span s, uint32_t unit, uint32_t lag,
                      const uint32_t *rank, uint32_t n, uint64_t *items, excess *e)
{
    const uint32_t place = place_of(search, unit, lag);
    if (lag < s.first || (place != UINT32_MAX && has_place(search, place)))
        return;
    e->within = true;
    if (lag > s.last)
        return;
    if (place != UINT32_MAX && move_item(search, place, rank, n, items))
        e->moved = true;
    else
        e->passed = true;
}

static excess find_excess(spk_maxima_search *search, span s, size_t n_words, const uint32_t *rank,
                          uint32_t n, uint64_t *items)
{
    const uint32_t words = search->job->ends.words;
    excess e = {.within = false};
    for (size_t k = 0; k < n_words && !e.passed; k++)
        for (uint64_t bits = search->output->common[k]; bits != 0; bits &= bits - 1)
            meet_item(search, s, (uint32_t)(k % words) * 64 + (uint32_t)__builtin_ctzll(bits),
                      s.last - search->reach + (uint32_t)(k / words), rank, n, items, &e);
    return e;
}

bool spk_anchored_report(spk_maxima_search *search, uint32_t count, const uint32_t *rank,
                         uint32_t n, uint64_t *items)
{
    for (;;) {
        const span s = span_of(search);
        const uint32_t from = s.last - search->reach, n_bins = s.first + search->reach - from + 1;
        const size_t n_words = (size_t)n_bins * search->job->ends.words;
        if (find_common(search, from, n_words)) {
            output_add(search, count, s.first);
            return true;
        }
        const excess e = find_excess(search, s, n_words, rank, n, items);
        if (e.passed)
            return false;
        search->output->n_dropped += !e.within; /* what lies before makes it an end */
        if (!e.moved)
            return true;
    }
}
