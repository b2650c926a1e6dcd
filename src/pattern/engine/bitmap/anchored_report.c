/*
 * All patterns from their anchors: which sets are patterns.
 *
 *     bins         from ...           first ..... last        ... first + reach
 *     in common    a unit fires       the set, other items    a unit fires
 *     the set      ends a longer one  owns these items        is not closed
 *
 * Rows of bins over units (ends.h) are and-ed over the windows of a set, from the earliest bin that
 * shares a window with `last` on. Where the set alone is left, it is a pattern. Invariant: an item
 * in common between `first` and `last` is in all larger sets, too; it moves to the set at once, or
 * ends the branch where the branch has lost it: another branch has all of these sets
 * (excess.passed).
 *
 * Cost: of a set that is a pattern, mostly one step over SPK_MAXIMA_ROWS windows, each of up to 2
 * reach + 1 bins; windows of other sets are all looked at.
 */
#include <assert.h>
#include <string.h>

#include "pattern/engine/bitmap/anchored.h"

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

static excess find_excess(spk_maxima_search *search, span s, uint32_t from, size_t n_words,
                          const uint32_t *rank, uint32_t n, uint64_t *items)
{
    const uint32_t words = search->job->ends.words;
    excess e = {.within = false};
    for (size_t k = 0; k < n_words && !e.passed; k++)
        for (uint64_t bits = search->output->common[k]; bits != 0; bits &= bits - 1)
            meet_item(search, s, (uint32_t)(k % words) * 64 + (uint32_t)__builtin_ctzll(bits),
                      from + (uint32_t)(k / words), rank, n, items, &e);
    return e;
}

bool spk_anchored_report(spk_maxima_search *search, uint32_t count, const uint32_t *rank,
                         uint32_t n, uint64_t *items)
{
    for (;;) {
        const span s = span_of(search);
        const uint32_t from = search->output->drops ? s.last - search->reach : s.first;
        const uint32_t n_bins = s.first + search->reach - from + 1;
        const size_t n_words = (size_t)n_bins * search->job->ends.words;
        if (find_common(search, from, n_words)) {
            spk_anchored_output_add(search, count, s.first);
            return true;
        }
        const excess e = find_excess(search, s, from, n_words, rank, n, items);
        if (e.passed)
            return false;
        search->output->n_dropped += !e.within; /* what lies before makes it an end */
        if (!e.moved)
            return true;
    }
}
