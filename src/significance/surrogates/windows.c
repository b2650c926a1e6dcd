/*
 * Windows: each segment is cut into windows of one length; within each, the spikes of a unit take
 * places anew, and all sets of places are equally likely. Places are ticks, or bins. The windows of
 * a recording are the same in all surrogates, hence found once.
 *
 *     places:    0 1 2 3 4 5 6 7 8 9        windows of 4 places with offset 1: the first one has
 *     windows:  |-0---|---1---|---2--|      3 places in the segment, the last one is cut off by
 *     spikes:      *     * *                its stop
 *     drawn:     *         *     *          one spike stays in window 0, two stay in window 1
 *
 * In bins, the spikes of a bin stay together: a taken bin takes another place, and its spikes get
 * distinct ticks of the new bin. Only spikes that find more company than the bin has ticks are
 * lost.
 */
#include "significance/surrogates/windows.h"

#include <assert.h>

#include "base/memory.h"
#include "base/subset.h"
#include "recording/segments.h"

typedef unsigned __int128 uint128;

enum { MOST_BINS_LOG = 60 }; /* of a segment, so that sums of numbers of bins fit */

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check_bin(spk_context *context, spk_duration bin, spk_rate rate,
                            spk_bin_width *width)
{
    if (bin.digits <= 0 || bin.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "this method of surrogates needs the width of a bin, for example 5ms");
    spk_status status = spk_bin_width_find(context, bin, rate, width);
    if (status == SPK_OK && width->numerator < width->denominator)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "bins are shorter than a tick of the recording; take wider ones");
    return status;
}

spk_status spk_surrogate_bins_in(spk_context *context, spk_duration length, spk_duration bin,
                                 spk_rate rate, uint64_t *out)
{
    spk_bin_width width = {1, 1}, whole = {0, 1};
    char text[48];
    spk_status status = check_bin(context, bin, rate, &width);
    if (status != SPK_OK)
        return status;
    spk_duration_format(length, text, sizeof text);
    if (length.digits > 0 && !spk_length_of(length, rate, &whole.numerator, &whole.denominator))
        return spk_fail(context, SPK_ERR_RANGE,
                        "a jitter of %s has too many digits, or is too long, for exact bins", text);
    uint128 bins = (uint128)whole.numerator * width.denominator /
                   ((uint128)whole.denominator * width.numerator);
    *out = bins >> MOST_BINS_LOG == 0 ? (uint64_t)bins : (uint64_t)1 << MOST_BINS_LOG;
    return SPK_OK;
}

spk_status spk_surrogate_count_bins(spk_context *context, const spk_surrogate_options *options,
                                    spk_rate rate, uint64_t *out)
{
    char text[2][48];
    spk_status status = spk_surrogate_bins_in(context, options->dither, options->bin, rate, out);
    if (status != SPK_OK || *out > 0)
        return status;
    spk_duration_format(options->dither, text[0], sizeof text[0]);
    spk_duration_format(options->bin, text[1], sizeof text[1]);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "a jitter of %s is less than a bin of %s, so that no spike would move; take "
                    "a longer one",
                    text[0], text[1]);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static spk_status make_grid(spk_context *context, const spk_surrogates *s, size_t stretch,
                            spk_bin_width width, spk_bin_grid *out)
{
    spk_bin_bounds bounds;
    int sign = 0;
    size_t segment = s->where.segment[stretch];
    spk_status status = spk_bin_bounds_find(
        context, spk_recording_exact_segment(s->recording, segment), s->recording->rate, &bounds);
    if (status != SPK_OK)
        return status;
    bool is_exact = spk_bin_grid_make(&bounds, width, out, &sign);
    if (!is_exact || spk_bin_of_long(out, s->where.stretch[stretch].stop - 1) >> MOST_BINS_LOG != 0)
        return spk_fail(context, SPK_ERR_RANGE,
                        "windows of surrogates cannot be laid exactly into segment %zu: its start "
                        "and stop have too many digits, or bins or the jitter are too short",
                        segment + 1);
    return SPK_OK;
}

static spk_status add_group(spk_context *context, surrogate_windows *w, surrogate_group group)
{
    spk_status status =
        spk_grow(context, &w->group, &w->capacity, w->n_groups + 1, "windows of surrogates");
    if (status == SPK_OK)
        w->group[w->n_groups++] = group;
    return status;
}

/* ---- windows of ticks ------------------------------------------------------------------------ */

/* A stretch seen from the first tick of its segment; `shift` is the offset in parts. */
typedef struct tick_windows {
    const spk_bin_grid *grid;
    uint128 shift;
    uint128 begin; /* of the stretch, in ticks from the grid's first tick */
    uint128 end;
} tick_windows;

/* The first tick of a window, within the stretch. */
static uint128 first_of(const tick_windows *t, uint128 window)
{
    uint128 parts = window * t->grid->width, before = t->grid->offset + t->shift;
    uint128 tick = parts <= before ? 0 : (parts - before + t->grid->scale - 1) / t->grid->scale;
    return tick < t->begin ? t->begin : tick > t->end ? t->end : tick;
}

/* The groups of one run. */
static spk_status add_tick_groups(spk_context *context, spk_surrogates *s, const surrogate_run *run,
                                  const spk_bin_grid *grid, uint64_t offset)
{
    spk_segment stretch = surrogate_stretch(s, run);
    uint128 begin = (uint64_t)stretch.start - (uint64_t)grid->first_tick;
    tick_windows t = {grid, (uint128)offset * grid->scale, begin,
                      begin + surrogate_length(stretch)};
    spk_status status = SPK_OK;
    for (uint64_t i = run->first, end = run->first + run->n; i < end && status == SPK_OK;) {
        uint128 tick = (uint64_t)s->time[i] - (uint64_t)grid->first_tick;
        uint128 window = (tick * grid->scale + grid->offset + t.shift) / grid->width;
        uint128 first = first_of(&t, window), stop = first_of(&t, window + 1);
        assert(first <= tick && tick < stop);
        surrogate_group group = {.first = (uint64_t)(first - begin), .n = (uint64_t)(stop - first)};
        for (; i < end && (uint64_t)s->time[i] - (uint64_t)grid->first_tick < stop; i++)
            group.n_taken++;
        status = add_group(context, &s->windows, group);
    }
    return status;
}

spk_status spk_surrogate_find_tick_windows(spk_context *context, spk_duration length,
                                           uint64_t offset, spk_surrogates *s)
{
    spk_bin_width width = {1, 1};
    spk_bin_grid grid;
    size_t at = SIZE_MAX; /* the stretch of the grid */
    s->windows.offset = offset;
    spk_status status = spk_alloc(context, &s->windows.first_group, s->n_runs + 1, "surrogates");
    if (status == SPK_OK &&
        !spk_length_of(length, s->recording->rate, &width.numerator, &width.denominator))
        status = spk_fail(context, SPK_ERR_RANGE,
                          "the jitter has too many digits, or is too long, for exact windows");
    for (uint64_t r = 0; r < s->n_runs && status == SPK_OK; r++) {
        s->windows.first_group[r] = s->windows.n_groups;
        if (s->run[r].stretch != at)
            status = make_grid(context, s, s->run[r].stretch, width, &grid);
        at = s->run[r].stretch;
        if (status == SPK_OK)
            status = add_tick_groups(context, s, &s->run[r], &grid, offset);
    }
    if (status == SPK_OK)
        s->windows.first_group[s->n_runs] = s->windows.n_groups;
    return status;
}

/* ---- windows of bins ------------------------------------------------------------------------- */

/* The taken bins of one window, from spike *i of the run on. */
static surrogate_group take_window(spk_surrogates *s, const surrogate_run *run, uint64_t n_bins,
                                   uint64_t offset, uint64_t *i, uint64_t *n_taken)
{
    const spk_bin_grid *grid = &s->windows.grid[run->stretch];
    spk_segment stretch = surrogate_stretch(s, run);
    uint64_t begin = spk_bin_of(grid, stretch.start), end = spk_bin_of(grid, stretch.stop - 1) + 1;
    uint64_t bin = spk_bin_of(grid, s->time[*i]), window = (bin + offset) / n_bins;
    uint64_t first = window * n_bins < offset + begin ? begin : window * n_bins - offset;
    uint64_t stop = (window + 1) * n_bins - offset < end ? (window + 1) * n_bins - offset : end;
    surrogate_group group = {.first = first, .n = stop - first};
    while (*i < run->first + run->n && (bin = spk_bin_of(grid, s->time[*i])) < stop) {
        uint32_t spikes = 0;
        for (; *i < run->first + run->n && spk_bin_of(grid, s->time[*i]) == bin; (*i)++)
            spikes++;
        group.mixed |= spikes > 1;
        s->windows.in_bin[*n_taken + group.n_taken++] = spikes;
    }
    *n_taken += group.n_taken;
    return group;
}

static spk_status make_grids(spk_context *context, spk_surrogates *s, spk_bin_width width)
{
    spk_status status =
        spk_alloc_columns(context, "surrogates", SPK_COLUMN(&s->windows.grid, s->where.n),
                          SPK_COLUMN(&s->windows.first_group, s->n_runs + 1),
                          SPK_COLUMN(&s->windows.first_bin, s->n_runs + 1),
                          SPK_COLUMN(&s->windows.in_bin, s->recording->events.n_events));
    for (size_t k = 0; k < s->where.n && status == SPK_OK; k++)
        status = make_grid(context, s, k, width, &s->windows.grid[k]);
    return status;
}

spk_status spk_surrogate_find_bin_windows(spk_context *context, spk_duration bin, uint64_t n_bins,
                                          uint64_t offset, spk_surrogates *s)
{
    spk_bin_width width = {1, 1};
    uint64_t n_taken = 0;
    assert(offset < n_bins);
    s->windows.length = n_bins;
    s->windows.offset = offset;
    spk_status status = check_bin(context, bin, s->recording->rate, &width);
    if (status == SPK_OK)
        status = make_grids(context, s, width);
    for (uint64_t r = 0; r < s->n_runs && status == SPK_OK; r++) {
        const surrogate_run *run = &s->run[r];
        s->windows.first_group[r] = s->windows.n_groups;
        /* A window without spikes has no group: nothing is drawn in it. */
        s->windows.first_bin[r] = n_taken;
        for (uint64_t i = run->first; i < run->first + run->n && status == SPK_OK;)
            status =
                add_group(context, &s->windows, take_window(s, run, n_bins, offset, &i, &n_taken));
    }
    if (status == SPK_OK) {
        s->windows.first_group[s->n_runs] = s->windows.n_groups;
        s->windows.first_bin[s->n_runs] = n_taken;
        spk_shrink(context, &s->windows.in_bin, n_taken);
    }
    return status;
}

/* ---- placing --------------------------------------------------------------------------------- */

uint64_t spk_surrogate_fill_bin(const spk_surrogates *s, const surrogate_run *run, uint64_t bin,
                                uint64_t wanted, spk_random *random, const surrogate_space *space,
                                int64_t *out)
{
    const spk_bin_grid *grid = &s->windows.grid[run->stretch];
    spk_segment stretch = surrogate_stretch(s, run);
    int64_t first = spk_bin_first_tick(grid, bin), stop = stretch.stop;
    first = first < stretch.start ? stretch.start : first;
    if (bin < spk_bin_of(grid, stretch.stop - 1))
        stop = spk_bin_first_tick(grid, bin + 1);
    uint64_t ticks = (uint64_t)stop - (uint64_t)first;
    assert(first < stop);
    if (wanted == 1) {
        *out = (int64_t)((uint64_t)first + spk_random_below(random, ticks));
        return 1;
    }
    wanted = wanted < ticks ? wanted : ticks;
    spk_draw_subset(random, ticks, wanted, space->words, space->other);
    for (uint64_t i = 0; i < wanted; i++)
        out[i] = (int64_t)((uint64_t)first + space->other[i]);
    return wanted;
}

uint64_t spk_surrogate_place(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                             const surrogate_space *space, int64_t *out)
{
    const surrogate_windows *w = &s->windows;
    uint64_t r = (uint64_t)(run - s->run), n = 0;
    uint64_t taken = w->grid != NULL ? w->first_bin[r] : 0;
    spk_segment stretch = surrogate_stretch(s, run);
    for (uint64_t g = w->first_group[r]; g < w->first_group[r + 1]; g++) {
        const surrogate_group *group = &w->group[g];
        /* Sets of places come in ascending order. Where a bin holds several spikes, the order is
         * drawn, too: else places and numbers of spikes would go together. */
        spk_draw_subset(random, group->n, group->n_taken, space->words, space->number);
        if (group->mixed)
            spk_put_in_random_order(random, group->n_taken, space->number);
        for (uint64_t i = 0; i < group->n_taken; i++) {
            uint64_t place = group->first + space->number[i];
            if (w->grid == NULL)
                out[n++] = surrogate_tick(stretch, place);
            else
                n += spk_surrogate_fill_bin(s, run, place, w->in_bin[taken++], random, space,
                                            out + n);
        }
    }
    assert(w->grid == NULL || taken == w->first_bin[r + 1]);
    return n;
}
