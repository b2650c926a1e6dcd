/*
 * Ends of longer patterns; see ends.h.
 *
 * Rows of bins, `words` words each; a bit is set where its unit begins a window:
 *     row      0 .. window - 2     place[0]      ...     place[1]      ...
 *     bin      before the first    of window 0           of window 1
 *
 * Invariant: between the rows of two windows lie as many rows as bins between their starts, or a
 * window's length where they do not see each other. So word i before a window's row tells of the
 * bin i / words + 1 before it. Cost: a look at the rows that a longer pattern could begin in, for
 * SEVERAL windows of the pattern; the others are asked where those agree. Bytes: a bit for each
 * unit and bin, at most 64 MiB or twice the windows' items.
 */
#include "pattern/engine/bitmap/ends.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- rows of bins ---------------------------------------------------------------------------- */

/* The bins from the start of window w to that of the next one; where w does not see the next one,
 * as many as separate them. */
static uint32_t step_after(const spk_window_columns *windows, uint64_t w)
{
    uint32_t step = windows->window;
    if (windows->start_time != NULL) { /* of a recording */
        const bool last = w + 1 == windows->n_windows || windows->trial[w + 1] != windows->trial[w];
        const uint64_t bins = last ? step : windows->start_bin[w + 1] - windows->start_bin[w];
        return bins < step ? (uint32_t)bins : step;
    }
    for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
        uint32_t lag = windows->item[k] % windows->window;
        step = lag > 0 && lag < step ? lag : step;
    }
    return step;
}

/* Rows before the first window, as many as a window looks back. */
static uint64_t first_place(const spk_window_columns *windows)
{
    return windows->window - 1;
}

/* Of a row: at least one, also without units. */
static uint32_t words_of(const spk_window_columns *windows)
{
    return windows->n_units > 0 ? (windows->n_units + 63) / 64 : 1;
}

bool spk_bitmap_can_drop_ends(const spk_window_columns *windows)
{
    const uint64_t always_bytes = UINT64_C(64) << 20;
    const uint64_t list_bytes = 2 * windows->first[windows->n_windows] * sizeof *windows->item;
    const uint64_t most = list_bytes > always_bytes ? list_bytes : always_bytes;
    const uint64_t row_bytes = words_of(windows) * sizeof(uint64_t);
    uint64_t n_rows = first_place(windows);
    if ((windows->n_windows + 1) * windows->window <= always_bytes / row_bytes)
        return true;
    for (uint64_t w = 0; w < windows->n_windows; w++)
        n_rows += step_after(windows, w);
    return n_rows < UINT32_MAX && n_rows <= most / row_bytes;
}

spk_status spk_bitmap_ends_create(spk_context *context, const spk_window_columns *windows,
                                  uint32_t most_spikes, spk_bitmap_ends *ends)
{
    *ends = (spk_bitmap_ends){
        .window = windows->window, .most_spikes = most_spikes, .words = words_of(windows)};
    uint64_t at = first_place(windows);
    spk_status status =
        spk_alloc(context, &ends->place, windows->n_windows, "the moving-window step");
    /* Places count bins, as many as lie between the starts of neighbouring windows; where windows
     * do not slide on, a whole window, so that none looks back into another stretch. */
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++) {
        assert(at < UINT32_MAX);
        ends->place[w] = (uint32_t)at;
        at += step_after(windows, w);
    }
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &ends->row, at * ends->words, "the moving-window step");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++) {
        uint64_t *row = ends->row + (size_t)ends->place[w] * ends->words;
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            uint32_t unit = windows->item[k] / windows->window;
            if (windows->item[k] % windows->window == 0)
                row[unit / 64] |= UINT64_C(1) << (unit % 64);
        }
    }
    return status;
}

void spk_bitmap_ends_free(spk_bitmap_ends *ends)
{
    free(ends->place);
    free(ends->row);
    *ends = (spk_bitmap_ends){.row = NULL};
}

/* ---- one pattern ----------------------------------------------------------------------------- */

/* Windows that are looked at together: they have so little in common that the others are rarely
 * asked. */
enum { SEVERAL = 6 };

/* Behind the last word of the bin before window w. */
static const uint64_t *before(const spk_bitmap_ends *ends, uint64_t w)
{
    return ends->row + (size_t)ends->place[w] * ends->words;
}

/* Goes through the windows of a pattern. */
typedef struct window_walk {
    const spk_bitmap_places *places;
    uint32_t next;
    uint64_t bits; /* of the word before `next` that are left */
} window_walk;

static bool next_window(window_walk *walk, uint64_t *w)
{
    const spk_bitmap_places *p = walk->places;
    uint64_t b = 0;
    if (p->mask == NULL) {
        if (walk->next == p->n)
            return false;
        b = walk->next++;
    } else {
        while (walk->bits == 0) {
            if (walk->next == p->n)
                return false;
            walk->bits = p->mask[walk->next++];
        }
        b = ((uint64_t)walk->next - 1) * 64 + (uint32_t)__builtin_ctzll(walk->bits);
        walk->bits &= walk->bits - 1;
    }
    *w = p->window != NULL ? p->window[b] : b;
    return true;
}

/* The bits of x that word i before each window has, too; words are numbered from the nearest on. */
static uint64_t in_all(const spk_bitmap_ends *ends, const spk_bitmap_places *places, uint64_t i,
                       uint64_t x)
{
    window_walk walk = {.places = places};
    for (uint64_t w; x != 0 && next_window(&walk, &w);)
        x &= *(before(ends, w) - 1 - i);
    return x;
}

/* Units that fire in all windows d bins before. */
static uint32_t units_before(const spk_bitmap_ends *ends, const spk_bitmap_places *places,
                             uint64_t d)
{
    uint32_t n = 0;
    for (uint64_t i = (d - 1) * ends->words; i < d * ends->words; i++)
        n += (uint32_t)__builtin_popcountll(in_all(ends, places, i, UINT64_MAX));
    return n;
}

bool spk_bitmap_is_end(const spk_bitmap_ends *ends, const spk_bitmap_places *places,
                       uint32_t duration, uint32_t size)
{
    assert(duration < ends->window);
    const uint64_t n = (uint64_t)(ends->window - 1 - duration) * ends->words;
    window_walk walk = {.places = places};
    const uint64_t *first[SEVERAL];
    uint64_t w = 0;
    bool more = next_window(&walk, &w);
    assert(more);
    for (uint32_t k = 0; k < SEVERAL; k++) { /* the last one again, where there are fewer */
        first[k] = before(ends, w) - 1;
        more = more && next_window(&walk, &w);
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t common = *(first[0] - i);
        for (uint32_t k = 1; k < SEVERAL; k++)
            common &= *(first[k] - i);
        if (common == 0 || in_all(ends, places, i, common) == 0)
            continue;
        uint64_t d = i / ends->words + 1;
        return size < ends->most_spikes &&
               units_before(ends, places, d) <= ends->most_spikes - size;
    }
    return false;
}
