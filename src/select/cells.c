/* The cells of time in which results occur. */
#include "select/founders.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "episode/list.h"
#include "recording/segments.h"

/* Cells are made longer where there would be more. */
#define MOST_CELLS ((uint64_t)1 << 24)

void spk_cells_close(spk_cells *cells)
{
    spk_pattern_locator_free(cells->locator);
    spk_free_all(cells->base, cells->number, cells->touches, cells->found);
    *cells = (spk_cells){.n_cells = 0};
}

/* Numbers the cells that are marked in `number`, of which there are n. */
static spk_status number_cells(spk_cells *cells, uint64_t n, size_t n_stretches)
{
    uint64_t last = UINT64_MAX;
    size_t stretch = 0;
    cells->n_cells = 0;
    spk_status status = spk_alloc_zero(cells->context, &cells->touches, n + 1, "families");
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        bool begins = false; /* cells of two segments never touch */
        for (; stretch < n_stretches && cells->base[stretch] <= k; stretch++)
            begins = true;
        if (begins)
            last = UINT64_MAX;
        if (cells->number[k] == 0)
            continue;
        cells->touches[cells->n_cells] = last != UINT64_MAX && last + 1 == k;
        cells->number[k] = cells->n_cells++;
        last = k;
    }
    return status;
}

static spk_status add_cell(spk_cells *cells, uint64_t cell)
{
    uint32_t number = cells->number[cell];
    if (cells->n_found > 0 && cells->found[cells->n_found - 1] == number)
        return SPK_OK;
    spk_status status = spk_grow(cells->context, &cells->found, &cells->found_capacity,
                                 cells->n_found + 1, "families");
    if (status == SPK_OK)
        cells->found[cells->n_found++] = number;
    return status;
}

/* Ascending, without repeats. */
static void order_found(spk_cells *cells)
{
    uint64_t n = 0;
    bool ascending = true;
    for (uint64_t k = 1; k < cells->n_found && ascending; k++)
        ascending = cells->found[k - 1] < cells->found[k];
    if (ascending)
        return;
    qsort(cells->found, cells->n_found, sizeof *cells->found, spk_rising_u32);
    for (uint64_t k = 0; k < cells->n_found; k++)
        if (n == 0 || cells->found[n - 1] != cells->found[k])
            cells->found[n++] = cells->found[k];
    cells->n_found = n;
}

/* ---- episodes -------------------------------------------------------------------------------- */

/* The largest finite upper bound; where there is none the largest lower one, at least a tick. */
static spk_status choose_ticks(spk_cells *cells)
{
    spk_tick_delay *ticks = NULL;
    const spk_episode_columns *e = cells->episodes;
    uint64_t hi = 0, lo = 0;
    spk_status status = spk_delays_to_ticks(cells->context, e->delays, e->n_delays,
                                            spk_recording_rate(cells->recording), &ticks);
    for (size_t d = 0; d < e->n_delays && status == SPK_OK; d++) {
        if (ticks[d].hi != UINT64_MAX && ticks[d].hi > hi)
            hi = ticks[d].hi;
        lo = ticks[d].lo > lo ? ticks[d].lo : lo;
    }
    hi = hi > 0 ? hi : lo;
    cells->cell_ticks = hi == 0 ? 1 : hi < INT64_MAX ? (int64_t)hi : INT64_MAX;
    free(ticks);
    return status;
}

static uint64_t cells_of(const spk_segment *segment, int64_t cell_ticks)
{
    return ((uint64_t)segment->stop - (uint64_t)segment->start) / (uint64_t)cell_ticks + 1;
}

/* Marks the cells in which something fires. */
static void mark_events(spk_cells *cells, const spk_segment *segments, size_t n_segments)
{
    spk_events events = spk_recording_events(cells->recording);
    for (size_t s = 0; s < n_segments; s++) {
        spk_event_range range = spk_segment_events(cells->recording, s);
        for (uint64_t k = range.first; k < range.last; k++)
            cells
                ->number[cells->base[s] + ((uint64_t)events.time[k] - (uint64_t)segments[s].start) /
                                              (uint64_t)cells->cell_ticks] = 1;
    }
}

spk_status spk_cells_of_episodes(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episodes, spk_cells *out)
{
    *out = (spk_cells){.context = context, .recording = recording, .episodes = episodes};
    size_t n_segments = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n_segments);
    uint64_t ticks = 0, n = 0;
    spk_status status = choose_ticks(out);
    for (size_t s = 0; s < n_segments; s++) {
        uint64_t length = (uint64_t)segments[s].stop - (uint64_t)segments[s].start;
        ticks = length < UINT64_MAX - ticks ? ticks + length : UINT64_MAX;
    }
    if (ticks / MOST_CELLS >= (uint64_t)out->cell_ticks)
        out->cell_ticks = (int64_t)(ticks / MOST_CELLS + 1);
    if (status == SPK_OK)
        status = spk_alloc(context, &out->base, n_segments, "families");
    for (size_t s = 0; s < n_segments && status == SPK_OK; s++) {
        out->base[s] = n;
        n += cells_of(&segments[s], out->cell_ticks);
    }
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &out->number, n, "families");
    if (status == SPK_OK) {
        mark_events(out, segments, n_segments);
        status = number_cells(out, n, n_segments);
    }
    return status;
}

static spk_status add_occurrence(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    spk_cells *cells = user;
    size_t n_segments = 0;
    const spk_segment *segments = spk_recording_segments(cells->recording, &n_segments);
    spk_status status = SPK_OK;
    for (uint32_t p = 0; p < size && status == SPK_OK; p++)
        status = add_cell(cells, cells->base[segment] +
                                     ((uint64_t)time[p] - (uint64_t)segments[segment].start) /
                                         (uint64_t)cells->cell_ticks);
    return status;
}

static spk_status find_episode(spk_cells *cells, uint64_t i)
{
    const spk_episode_columns *e = cells->episodes;
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    uint32_t size = (uint32_t)(e->offset[i + 1] - e->offset[i]);
    for (uint32_t p = 1; p < size; p++) {
        uint16_t number = e->delay[e->offset[i] + p];
        if (number >= e->n_delays)
            return spk_fail(cells->context, SPK_ERR_ARGUMENT, "an episode has an unknown interval");
        delays[p - 1] = e->delays[number];
    }
    return spk_episode_occurrences_in_segments(cells->context, cells->recording, size,
                                               e->unit + e->offset[i], delays, add_occurrence,
                                               cells);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* First cells of trials: each has bins up to the end of its last window. */
static spk_status lay_trials_out(spk_cells *cells, size_t *n_trials, uint64_t *n)
{
    const spk_window_columns *w = &cells->windows;
    *n_trials = w->n_windows > 0 ? (size_t)w->trial[w->n_windows - 1] + 1 : 0;
    spk_status status = spk_alloc(cells->context, &cells->base, *n_trials, "families");
    uint64_t at = 0;
    *n = 0;
    for (size_t t = 0; t < *n_trials && status == SPK_OK; t++) {
        cells->base[t] = *n;
        uint64_t last = 0;
        for (; at < w->n_windows && w->trial[at] == t; at++)
            last = w->start_bin[at] + w->window;
        *n += last / (uint64_t)cells->cell_ticks + 1;
    }
    return status;
}

static uint64_t cell_in_window(const spk_cells *cells, uint64_t w, uint32_t item)
{
    const spk_window_columns *windows = &cells->windows;
    return cells->base[windows->trial[w]] +
           (windows->start_bin[w] + item % windows->window) / (uint64_t)cells->cell_ticks;
}

spk_status spk_cells_of_patterns(spk_context *context, const spk_windows *windows,
                                 const spk_pattern_columns *patterns, spk_cells *out)
{
    *out = (spk_cells){
        .context = context, .windows = spk_windows_columns(windows), .patterns = patterns};
    size_t n_trials = 0;
    uint64_t n = 0;
    if (patterns->window != out->windows.window)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the patterns have windows of %u bins, the windows %u; give those in which "
                        "they were mined",
                        patterns->window, out->windows.window);
    out->cell_ticks = out->windows.window;
    if (out->windows.n_bins / MOST_CELLS >= (uint64_t)out->cell_ticks)
        out->cell_ticks = (int64_t)(out->windows.n_bins / MOST_CELLS + 1);
    spk_status status = spk_pattern_locator_create(context, windows, &out->locator);
    if (status == SPK_OK)
        status = lay_trials_out(out, &n_trials, &n);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &out->number, n, "families");
    if (status != SPK_OK)
        return status;
    for (uint64_t w = 0; w < out->windows.n_windows; w++)
        for (uint64_t k = out->windows.first[w]; k < out->windows.first[w + 1]; k++)
            out->number[cell_in_window(out, w, out->windows.item[k])] = 1;
    return number_cells(out, n, n_trials);
}

static spk_status find_pattern(spk_cells *cells, uint64_t i)
{
    const spk_pattern_columns *p = cells->patterns;
    const uint32_t *item = p->item + p->offset[i];
    uint32_t size = (uint32_t)(p->offset[i + 1] - p->offset[i]);
    const uint32_t *window = NULL;
    uint32_t n = 0;
    spk_status status = spk_pattern_locate(cells->locator, size, item, &window, &n);
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        for (uint32_t j = 0; j < size && status == SPK_OK; j++)
            status = add_cell(cells, cell_in_window(cells, window[k], item[j]));
    return status;
}

spk_status spk_cells_find(spk_cells *cells, uint64_t i)
{
    cells->n_found = 0;
    spk_status status = cells->episodes != NULL ? find_episode(cells, i) : find_pattern(cells, i);
    if (status == SPK_OK)
        order_found(cells);
    return status;
}
