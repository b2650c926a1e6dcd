/*
 * Bins and windows of a recording, exactly: bin = floor((time - start) / width) with a rational
 * start and width, in integers. Work and memory are proportional to the events and the windows'
 * items.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/order.h"
#include "pattern/windows.h"
#include "recording/segments.h"

typedef unsigned __int128 uint128;

/* Events first .. last - 1 of the recording belong to a trial. */
typedef struct trial_events {
    uint64_t first;
    uint64_t last;
} trial_events;

typedef struct binner {
    spk_context *context;
    spk_events events;
    uint32_t window;
    spk_windows *windows;
    size_t n_trials;
    bool own_trials;        /* the caller's, not the recording's */
    bool open_stop;         /* bins end with that of the last event */
    trial_events *range;    /* by trial */
    uint32_t *event_window; /* by event of the trial: the window that starts in its bin */
    uint64_t *cursor;       /* by window: where its next item goes */
    uint64_t capacity;      /* of the windows' columns */
} binner;

SPK_OPTIONS_INIT(spk_window_options, .window = 1);

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check_options(spk_context *context, const spk_recording *recording,
                                const spk_window_options *options)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    if (options->window < 1 || options->window > SPK_MAX_WINDOW_BINS)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "window of %u bins: give a length from 1 to %u bins", options->window,
                        SPK_MAX_WINDOW_BINS);
    if (options->bin.digits <= 0 || options->bin.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the bin width must be above 0 and finite, for example 5ms");
    if ((uint64_t)n_units * options->window > SPK_MAX_ITEMS)
        return spk_fail(
            context, SPK_ERR_RANGE,
            "%u units in windows of %u bins make more than %u items; take fewer units or "
            "a shorter window",
            n_units, options->window, SPK_MAX_ITEMS);
    if (options->trials != NULL && options->trial_times != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "trials are given in ticks and as times; give one of them");
    return SPK_OK;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static spk_status find_moments(spk_context *context, const spk_time_range *times, spk_rate rate,
                               spk_bin_bounds *out)
{
    spk_status status = spk_bin_moment_find(context, times->start, rate, &out->start);
    return status == SPK_OK ? spk_bin_moment_find(context, times->stop, rate, &out->stop) : status;
}

static spk_bin_bounds whole_ticks(spk_segment segment)
{
    return (spk_bin_bounds){{segment.start, 0, 1}, {segment.stop, 0, 1}};
}

/* The bounds of trial k: as times, in ticks, or those of the recording's segment. */
static spk_status find_bounds(spk_context *context, const spk_recording *recording,
                              const spk_window_options *options, size_t k, spk_bin_bounds *out)
{
    if (options->trial_times != NULL)
        return find_moments(context, &options->trial_times[k], recording->rate, out);
    if (options->trials != NULL) {
        *out = whole_ticks(options->trials[k]);
        return SPK_OK;
    }
    return spk_bin_bounds_find(context, spk_recording_exact_segment(recording, k), recording->rate,
                               out);
}

static size_t count_trials(const spk_recording *recording, const spk_window_options *options)
{
    size_t n = 0;
    spk_recording_segments(recording, &n);
    return options->trial_times != NULL ? options->n_trial_times
           : options->trials != NULL    ? options->n_trials
                                        : n;
}

/* ---- bins ------------------------------------------------------------------------------------ */

/* Bins that a trial takes up, the last one perhaps in part. Where no stop was given, the last one
 * is that of the last event: a tick more could bring bins that depend on the length of a tick,
 * hence on zeros at the end of the file's numbers. */
static uint128 bins_of(const binner *b, const spk_bin_grid *grid, int64_t stop)
{
    if (b->open_stop && stop > grid->first_tick)
        return spk_bin_of_long(grid, stop - 1) + 1;
    return grid->length / grid->width + (grid->length % grid->width != 0);
}

static spk_status add_window(binner *b, uint32_t trial, uint64_t bin, int64_t time)
{
    spk_windows *w = b->windows;
    uint64_t n = w->columns.n_windows;
    if (n >= SPK_MAX_WINDOWS)
        return spk_fail(b->context, SPK_ERR_RANGE,
                        "more than %u windows; take wider bins or a part of the recording",
                        SPK_MAX_WINDOWS);
    spk_status status =
        spk_grow_columns(b->context, &b->capacity, n + 1, "windows", SPK_COLUMN(&w->trial, 1),
                         SPK_COLUMN(&w->start_bin, 1), SPK_COLUMN(&w->start_time, 1));
    if (status != SPK_OK)
        return status;
    w->trial[n] = trial;
    w->start_bin[n] = bin;
    w->start_time[n] = time;
    w->columns.n_windows = n + 1;
    return SPK_OK;
}

/* Lists the windows of a trial: one for every bin with an event. */
static spk_status list_windows(binner *b, uint32_t trial)
{
    const trial_events *range = &b->range[trial];
    const spk_bin_grid grid = b->windows->grid[trial];
    uint64_t previous = UINT64_MAX;
    for (uint64_t e = range->first; e < range->last; e++) {
        uint64_t bin = spk_bin_of(&grid, b->events.time[e]);
        if (bin == previous)
            continue;
        spk_status status = add_window(b, trial, bin, spk_bin_first_tick(&grid, bin));
        if (status != SPK_OK)
            return status;
        previous = bin;
    }
    return SPK_OK;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* For every event of the trial, the window that starts in its bin; `w` is the trial's first window.
 * Returns the window after its last. */
static uint64_t assign_windows(binner *b, size_t trial, uint64_t w)
{
    const trial_events *range = &b->range[trial];
    const spk_bin_grid grid = b->windows->grid[trial];
    const uint64_t *start_bin = b->windows->start_bin;
    for (uint64_t e = range->first; e < range->last; e++) {
        uint64_t bin = spk_bin_of(&grid, b->events.time[e]);
        if (start_bin[w] != bin)
            w++;
        assert(start_bin[w] == bin);
        b->event_window[e - range->first] = (uint32_t)w;
    }
    return range->first < range->last ? w + 1 : w;
}

/* Visits the items of the trial's windows unit by unit and bin by bin, so that every window meets
 * its items in ascending order; counts them when `item` is NULL. */
static void visit_items(binner *b, const trial_events *range, uint64_t first_window, uint32_t *item)
{
    const uint64_t *start_bin = b->windows->start_bin;
    for (uint32_t u = 0; u < b->events.n_units; u++) {
        const uint64_t end = b->events.unit_first[u + 1];
        uint64_t low = /* the unit's first event in the trial */
            spk_first_u32(b->events.by_unit, b->events.unit_first[u], end, range->first);
        uint64_t before = UINT64_MAX;
        for (; low < end && b->events.by_unit[low] < range->last; low++) {
            uint64_t own = b->event_window[b->events.by_unit[low] - range->first];
            if (own == before)
                continue; /* once in a bin */
            before = own;
            for (uint64_t w = own + 1; w-- > first_window;) {
                uint64_t lag = start_bin[own] - start_bin[w];
                if (lag >= b->window)
                    break;
                if (item != NULL)
                    item[b->cursor[w]] = u * b->window + (uint32_t)lag;
                b->cursor[w]++;
            }
        }
    }
}

static void visit_trials(binner *b, uint32_t *item)
{
    uint64_t w = 0;
    for (size_t k = 0; k < b->n_trials; k++) {
        uint64_t next = assign_windows(b, k, w);
        visit_items(b, &b->range[k], w, item);
        w = next;
    }
}

/* Two visits: the first counts, the second writes. */
static spk_status fill_items(binner *b)
{
    spk_windows *windows = b->windows;
    uint64_t n = windows->columns.n_windows, longest = 0;
    for (size_t k = 0; k < b->n_trials; k++)
        if (b->range[k].last - b->range[k].first > longest)
            longest = b->range[k].last - b->range[k].first;
    spk_status status =
        spk_alloc_columns(b->context, "bins", SPK_COLUMN(&b->event_window, longest),
                          SPK_COLUMN_ZERO(&b->cursor, n), SPK_COLUMN(&windows->first, n + 1));
    if (status != SPK_OK)
        return status;
    visit_trials(b, NULL);
    windows->first[0] = 0;
    for (uint64_t w = 0; w < n; w++) {
        windows->first[w + 1] = windows->first[w] + b->cursor[w];
        b->cursor[w] = windows->first[w];
    }
    status = spk_alloc(b->context, &windows->item, windows->first[n], "window items");
    if (status == SPK_OK)
        visit_trials(b, windows->item);
    return status;
}

/* ---- the front ------------------------------------------------------------------------------- */

static spk_status list_trial(binner *b, uint32_t k, const spk_bin_bounds *trial,
                             spk_bin_width width)
{
    spk_bin_grid *grid = &b->windows->grid[k];
    int sign = 0;
    if (!spk_bin_grid_make(trial, width, grid, &sign))
        return spk_fail(b->context, SPK_ERR_RANGE,
                        "the bin width and the start and stop of %s %" PRIu32 " have too many "
                        "digits together for exact bins; give them with fewer digits",
                        b->own_trials ? "trial" : "segment", k + 1);
    if (b->own_trials && sign <= 0) /* the recording's own segment may be empty */
        return spk_fail(
            b->context, SPK_ERR_ARGUMENT,
            "trial %" PRIu32 " stops before it starts; give start and stop in this order", k + 1);
    uint128 bins = b->windows->columns.n_bins + bins_of(b, grid, trial->stop.tick);
    if (bins > UINT64_MAX)
        return spk_fail(b->context, SPK_ERR_RANGE,
                        "the recording has more bins than 64 bit count; take wider bins or a "
                        "part of the recording");
    b->windows->columns.n_bins = (uint64_t)bins;
    b->range[k] = (trial_events){spk_events_before(&b->events, trial->start.tick),
                                 spk_events_before(&b->events, trial->stop.tick)};
    return list_windows(b, k);
}

static spk_status list_trials(binner *b, const spk_recording *recording,
                              const spk_window_options *options)
{
    spk_bin_width width;
    spk_bin_bounds trial;
    spk_status status =
        spk_bin_width_find(b->context, options->bin, spk_recording_rate(recording), &width);
    for (size_t k = 0; k < b->n_trials && status == SPK_OK; k++) {
        status = find_bounds(b->context, recording, options, k, &trial);
        if (status == SPK_OK)
            status = list_trial(b, (uint32_t)k, &trial, width);
    }
    return status;
}

static int compare_ranges(const void *a, const void *b)
{
    uint64_t x = ((const trial_events *)a)->first;
    uint64_t y = ((const trial_events *)b)->first;
    return SPK_UP(x, y);
}

/* Tells of events that lie in several trials of the caller's (of the recording's segments it was
 * told when it was cut); sorts the ranges, which nobody needs any more. */
static void tell_overlaps(binner *b)
{
    uint64_t end = 0, shared = 0;
    if (b->n_trials < 2 || b->range == NULL || !b->own_trials)
        return;
    qsort(b->range, b->n_trials, sizeof *b->range, compare_ranges);
    for (size_t k = 0; k < b->n_trials; k++) {
        const trial_events *range = &b->range[k];
        if (range->first < end)
            shared += (range->last < end ? range->last : end) - range->first;
        end = range->last > end ? range->last : end;
    }
    if (shared > 0)
        spk_note(b->context,
                 "trials overlap: %" PRIu64 " event%s in more than one trial count%s in each",
                 shared, shared == 1 ? "" : "s", shared == 1 ? "s" : "");
}

static void set_columns(spk_windows *windows, uint32_t n_units, uint32_t window)
{
    spk_window_columns *columns = &windows->columns;
    columns->n_units = n_units;
    columns->window = window;
    columns->first = windows->first;
    columns->item = windows->item;
    columns->trial = windows->trial;
    columns->start_bin = windows->start_bin;
    columns->start_time = windows->start_time;
}

static spk_status cut(binner *b, const spk_recording *recording, const spk_window_options *options)
{
    b->window = options->window;
    b->own_trials = options->trials != NULL || options->trial_times != NULL;
    b->open_stop = !b->own_trials && recording->given.open_stop;
    b->n_trials = count_trials(recording, options);
    if (b->n_trials > UINT32_MAX)
        return spk_fail(b->context, SPK_ERR_RANGE, "%zu trials are more than 32 bit number",
                        b->n_trials);
    spk_status status = spk_alloc_zero(b->context, &b->windows, 1, "windows");
    if (status == SPK_OK)
        status = spk_alloc_columns(
            b->context, "windows", SPK_COLUMN(&b->windows->grid, b->n_trials),
            SPK_COLUMN(&b->windows->number, b->n_trials), SPK_COLUMN(&b->range, b->n_trials));
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < b->n_trials; k++)
        b->windows->number[k] = b->own_trials ? k : spk_recording_trial(recording, k);
    b->windows->rate = spk_recording_rate(recording);
    b->windows->n_trials = b->n_trials;
    status = list_trials(b, recording, options);
    if (status == SPK_OK)
        status = fill_items(b);
    if (status == SPK_OK)
        set_columns(b->windows, b->events.n_units, b->window);
    return status;
}

/* With options that were checked. */
static spk_status create(spk_context *context, const spk_recording *recording,
                         const spk_window_options *options, spk_windows **out)
{
    binner b = {.context = context, .events = spk_recording_events(recording)};
    spk_status status = cut(&b, recording, options);
    if (status == SPK_OK) {
        assert(spk_windows_validate(b.windows, &(const char *){NULL}));
        tell_overlaps(&b);
        *out = b.windows;
    } else {
        spk_windows_free(b.windows);
    }
    spk_free_all(b.event_window, b.cursor, b.range);
    return status;
}

/* Trials of a recording that has segments: what lies in a segment. They then are segments. */
static spk_status create_in_segments(spk_context *context, const spk_recording *recording,
                                     spk_window_options *options, spk_windows **out)
{
    spk_time_range *times = NULL;
    spk_recording *parts = NULL;
    size_t n = options->trials != NULL ? options->n_trials : options->n_trial_times;
    spk_status status = spk_alloc(context, &times, n, "trials");
    for (size_t k = 0; k < n && status == SPK_OK; k++) {
        const spk_segment *ticks = options->trials != NULL ? &options->trials[k] : NULL;
        if (ticks == NULL)
            times[k] = options->trial_times[k];
        else if (!spk_duration_of_tick(ticks->start, recording->rate, &times[k].start) ||
                 !spk_duration_of_tick(ticks->stop, recording->rate, &times[k].stop))
            status = spk_fail(context, SPK_ERR_RANGE,
                              "trial %zu, in ticks, has too many digits in seconds; give it as "
                              "times",
                              k + 1);
    }
    if (status == SPK_OK)
        status = spk_recording_cut(context, recording, n, times, &parts);
    options->trials = NULL;
    options->trial_times = NULL;
    if (status == SPK_OK)
        status = create(context, parts, options, out);
    spk_recording_free(parts);
    free(times);
    return status;
}

spk_status spk_windows_create(spk_context *context, const spk_recording *recording,
                              const spk_window_options *given, spk_windows **out)
{
    spk_window_options options;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_window_options);
    if (status == SPK_OK)
        status = check_options(context, recording, &options);
    if (status != SPK_OK)
        return status;
    bool own_trials = options.trials != NULL || options.trial_times != NULL;
    spk_stage stage = spk_stage_open(context);
    status = own_trials && recording->n_segments > 0
                 ? create_in_segments(context, recording, &options, out)
                 : create(context, recording, &options, out);
    if (status == SPK_OK)
        spk_windows_hold(context, *out);
    spk_stage_close(context, &stage);
    return status;
}
