/*
 * The null hypothesis of patterns: numbers of occupied bins of each unit in each window of jitter,
 * and mean counts of patterns.
 *
 * Windows of jitter are those of the surrogates. They are laid over the trials of the patterns'
 * windows anew, with the same length and offset: where trials are the segments of the recording and
 * do not overlap, both are the same windows with the same numbers. Elsewhere the number of a window
 * of the surrogates is shared out by length.
 *
 * n occupied bins of D are every one of the sets of n bins with the same chance. Then one bin is
 * occupied with chance n / D, a second one with (n - 1) / (D - 1) once the first one is, and so on.
 */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/order.h"
#include "pattern/windows.h"
#include "significance/exact/null_inside.h"

/* ---- ticks of bins --------------------------------------------------------------------------- */

/* First tick of a bin within a stretch, and first tick behind it. */
static int64_t start_of_bin(const spk_bin_grid *grid, spk_segment ticks, uint64_t bin)
{
    int64_t start = spk_bin_first_tick(grid, bin);
    return start < ticks.start ? ticks.start : start;
}

static int64_t stop_of_bin(const spk_bin_grid *grid, spk_segment ticks, uint64_t bin)
{
    return bin < spk_bin_of(grid, ticks.stop - 1) ? spk_bin_first_tick(grid, bin + 1) : ticks.stop;
}

static uint64_t ticks_between(int64_t start, int64_t stop)
{
    return start < stop ? (uint64_t)stop - (uint64_t)start : 0;
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Whether bins of both have the same width. */
static bool have_one_width(const spk_bin_grid *a, const spk_bin_grid *b)
{
    unsigned __int128 common_a = spk_greatest_divisor(a->width, a->scale);
    unsigned __int128 common_b = spk_greatest_divisor(b->width, b->scale);
    return a->width / common_a == b->width / common_b && a->scale / common_a == b->scale / common_b;
}

/* The trial's extent in ticks and bins, from its grid. */
static null_trial make_trial(const spk_bin_grid *grid)
{
    null_trial trial = {.grid = *grid, .ticks = {grid->first_tick, grid->first_tick}};
    if (grid->length <= grid->offset)
        return trial;
    unsigned __int128 n = (grid->length - grid->offset + grid->scale - 1) / grid->scale;
    trial.ticks.stop = (int64_t)((uint64_t)grid->first_tick + (uint64_t)n);
    trial.n_bins = spk_bin_of(grid, trial.ticks.stop - 1) + 1;
    return trial;
}

/* The trials of windows with these options, with their places in a row. */
static spk_status list_trials(spk_context *context, const spk_recording *recording,
                              const spk_window_options *options, null_patterns *p)
{
    spk_windows *windows = NULL;
    spk_window_options own = *options;
    own.window = 1; /* the trials are wanted, not the items */
    spk_status status = spk_windows_create(context, recording, &own, &windows);
    if (status != SPK_OK)
        return status;
    p->most_shift = (p->length - 1 + p->window - 1) / p->length;
    status = spk_alloc(context, &p->trial, windows->n_trials, "trials");
    for (size_t k = 0; k < windows->n_trials && status == SPK_OK; k++) {
        null_trial trial = make_trial(&windows->grid[k]);
        trial.first = p->n_row;
        trial.n_windows = trial.n_bins > 0 ? (trial.n_bins - 1 + p->offset) / p->length + 1 : 0;
        p->n_row += trial.n_windows + p->most_shift;
        p->trial[p->n_trials++] = trial;
    }
    spk_windows_free(windows);
    return status;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Adds the occupied bins of a group to the windows of a trial that it lies in. */
static void add_group(const null_patterns *p, const null_trial *trial, const surrogate_group *group,
                      const spk_bin_grid *grid, spk_segment stretch, float *row)
{
    int64_t start = start_of_bin(grid, stretch, group->first);
    int64_t stop = stop_of_bin(grid, stretch, group->first + group->n - 1);
    int64_t from = start > trial->ticks.start ? start : trial->ticks.start;
    int64_t to = stop < trial->ticks.stop ? stop : trial->ticks.stop;
    if (from >= to)
        return;
    uint64_t w = (spk_bin_of(&trial->grid, from) + p->offset) / p->length;
    uint64_t last = (spk_bin_of(&trial->grid, to - 1) + p->offset) / p->length;
    for (; w <= last; w++) {
        int64_t begin = start_of_bin(&trial->grid, trial->ticks, null_first_bin(p, w));
        int64_t end = stop_of_bin(&trial->grid, trial->ticks, null_stop_bin(p, trial, w) - 1);
        uint64_t shared = ticks_between(begin > start ? begin : start, end < stop ? end : stop);
        double share = (double)shared / (double)ticks_between(start, stop);
        row[trial->first + w] += (float)((double)group->n_taken * share);
    }
}

/* The first of the runs first .. last - 1, which are one unit's, in this stretch or behind. */
static uint64_t run_from(const spk_surrogates *s, uint64_t first, uint64_t last, size_t stretch)
{
    spk_bisect at = {first, last};
    while (spk_bisect_next(&at))
        spk_bisect_told(&at, s->run[at.middle].stretch < stretch);
    return at.low;
}

/* The numbers of a unit, which has the runs first .. last - 1. */
static void fill_row(const spk_surrogates *s, uint64_t first, uint64_t last, null_patterns *p,
                     float *row)
{
    for (size_t k = 0; k < p->n_trials; k++) {
        const null_trial *trial = &p->trial[k];
        size_t stretch = spk_stretches_behind(&s->where, 0, trial->ticks.start);
        for (uint64_t r = run_from(s, first, last, stretch); r < last; r++) {
            size_t own = s->run[r].stretch;
            if (s->where.stretch[own].start >= trial->ticks.stop)
                break;
            for (uint64_t g = s->windows.first_group[r]; g < s->windows.first_group[r + 1]; g++)
                add_group(p, trial, &s->windows.group[g], &s->windows.grid[own],
                          s->where.stretch[own], row);
        }
        for (uint64_t w = 0; w < trial->n_windows; w++) { /* what was shared out may be too much */
            float bins = (float)(null_stop_bin(p, trial, w) - null_first_bin(p, w));
            float *n = &row[trial->first + w];
            *n = *n < bins ? *n : bins;
        }
    }
}

static spk_status fill_rows(spk_context *context, const spk_surrogates *s, uint32_t n_units,
                            null_patterns *p)
{
    spk_status status = spk_alloc_zero(context, &p->row, n_units * p->stride, "null hypothesis");
    for (uint64_t r = 0, next; r < s->n_runs && status == SPK_OK; r = next) {
        uint32_t unit = s->run[r].unit;
        for (next = r; next < s->n_runs && s->run[next].unit == unit;)
            next++;
        fill_row(s, r, next, p, p->row + unit * p->stride);
        status = spk_check_cancel(context);
    }
    return status;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct block_load {
    double load;
    uint64_t block;
} block_load;

static int compare_loads(const void *a, const void *b)
{
    const block_load *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->load, y->load), SPK_UP(x->block, y->block));
}

/* Puts the blocks into an order in which mean counts grow fast: by the third powers of the numbers
 * of events. */
static spk_status order_blocks(spk_context *context, uint32_t n_units, null_patterns *p)
{
    block_load *load = NULL;
    spk_status status = spk_alloc_zero(context, &load, p->n_blocks, "null hypothesis");
    if (status != SPK_OK)
        return status;
    for (uint64_t w = 0; w < p->n_row; w++) {
        double n = 0;
        /* All units together: the mean of a pattern grows with the product of its items'
         * numbers. */
        for (uint32_t u = 0; u < n_units; u++)
            n += p->row[u * p->stride + w];
        load[w / NULL_BLOCK].load += n * n * n;
    }
    for (uint64_t b = 0; b < p->n_blocks; b++)
        load[b].block = b;
    if (p->n_blocks > 0)
        qsort(load, p->n_blocks, sizeof *load, compare_loads);
    for (uint64_t b = 0; b < p->n_blocks; b++)
        p->block_order[b] = load[b].block;
    spk_free(context, load);
    return SPK_OK;
}

/* Tells blocks apart that the last window of a trial is within reach of. */
static void mark_ends(null_patterns *p, const null_trial *trial)
{
    if (trial->n_windows == 0)
        return;
    uint64_t end = trial->first + trial->n_windows - 1;
    p->starts[trial->first] = 0;
    p->ends[end] = 0;
    uint64_t first = end < p->most_shift ? 0 : (end - p->most_shift) / NULL_BLOCK;
    for (uint64_t b = first; b <= end / NULL_BLOCK; b++)
        p->has_end[b] = true;
}

/* Columns by lag, window and block. */
static spk_status lay_blocks(spk_context *context, null_patterns *p)
{
    p->n_blocks = (p->n_row + NULL_BLOCK - 1) / NULL_BLOCK;
    p->stride = p->n_blocks * NULL_BLOCK + p->most_shift;
    spk_status status = spk_alloc_columns(
        context, "null hypothesis", SPK_COLUMN(&p->lag, p->window),
        SPK_COLUMN_ZERO(&p->starts, p->stride), SPK_COLUMN(&p->ends, p->stride),
        SPK_COLUMN(&p->block_order, p->n_blocks), SPK_COLUMN_ZERO(&p->has_end, p->n_blocks));
    if (status != SPK_OK)
        return status;
    /* With windows of 5 bins a lag of 13 leads 2 windows on, and 3 from phase 2 on. */
    for (uint64_t lag = 0; lag < p->window; lag++)
        p->lag[lag] = (null_lag){lag / p->length, p->length - lag % p->length};
    for (uint64_t w = 0; w < p->stride; w++)
        p->ends[w] = 1;
    for (size_t k = 0; k < p->n_trials; k++) {
        for (uint64_t w = 1; w < p->trial[k].n_windows; w++)
            p->starts[p->trial[k].first + w] = 1;
        mark_ends(p, &p->trial[k]);
    }
    return SPK_OK;
}

/* ---- windows of one draw --------------------------------------------------------------------- */

spk_status spk_null_lean_patterns(spk_context *context, spk_null *null)
{
    null_patterns *p = &null->patterns;
    double bins = 0;
    spk_status status =
        spk_alloc_columns(context, "null hypothesis", SPK_COLUMN(&p->chance, null->n_units),
                          SPK_COLUMN_ZERO(&p->rate_starts, p->window));
    for (size_t k = 0; k < p->n_trials && status == SPK_OK; k++) {
        const uint64_t n = p->trial[k].n_bins;
        bins += (double)n;
        for (uint64_t lag = 0; lag < p->window && lag < n; lag++)
            p->rate_starts[lag] += (double)(n - lag);
    }
    for (uint64_t u = 0; u < null->n_units && status == SPK_OK; u++) {
        double n = 0;
        for (uint64_t w = 0; w < p->n_row; w++)
            n += p->row[u * p->stride + w];
        p->chance[u] = bins > 0 ? n / bins : 0;
    }
    return status;
}

/* ---- create ---------------------------------------------------------------------------------- */

static spk_status create(spk_context *context, const spk_recording *recording,
                         const spk_window_options *options, const spk_surrogates *surrogates,
                         spk_null *null)
{
    null_patterns *p = &null->patterns;
    null->n_units = spk_recording_events(recording).n_units;
    p->window = options->window;
    /* The inverse of the length as a fraction of 2^64, rounded up: null_unit multiplies by it. */
    p->divisor = options->window > 1 ? UINT64_MAX / options->window + 1 : 0;
    p->length = surrogates->windows.length;
    p->offset = surrogates->windows.offset;
    spk_status status = list_trials(context, recording, options, p);
    if (status != SPK_OK)
        return status;
    if (p->n_trials > 0 && surrogates->where.n > 0 &&
        !have_one_width(&p->trial[0].grid, &surrogates->windows.grid[0]))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the surrogates have other bins than the patterns; make them with the same "
                        "bin");
    status = lay_blocks(context, p);
    if (status == SPK_OK)
        status = fill_rows(context, surrogates, null->n_units, p);
    if (status == SPK_OK)
        status = order_blocks(context, null->n_units, p);
    return status;
}

spk_status spk_null_create_patterns(spk_context *context, const spk_recording *recording,
                                    const spk_window_options *windows,
                                    const spk_surrogates *surrogates, spk_null **out)
{
    spk_null *null = NULL;
    *out = NULL;
    if (surrogates->windows.first_group == NULL || surrogates->windows.length == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the test of patterns needs surrogates with windows of bins");
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_zero(context, &null, 1, "null hypothesis");
    if (status == SPK_OK)
        status = create(context, recording, windows, surrogates, null);
    if (status == SPK_OK) {
        spk_stage_keep(context, &stage, &null->holding);
        *out = null;
    } else {
        spk_stage_close(context, &stage);
        spk_null_free(null);
    }
    return status;
}
