/*
 * Bins and windows of a recording, exactly: bin = floor((time - start) / width) with a rational
 * width, in integers. Work and memory are proportional to the events and the windows' items.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "pattern/windows.h"

typedef unsigned __int128 uint128;

/* The width of a bin: numerator / denominator ticks, both below 2^63. */
typedef struct bin_width {
    uint64_t numerator;
    uint64_t denominator;
} bin_width;

/* Events first .. last - 1 of the recording belong to a trial. */
typedef struct trial_events {
    int64_t start;
    uint64_t first;
    uint64_t last;
} trial_events;

typedef struct binner {
    spk_context *context;
    spk_events events;
    uint32_t window;
    bin_width width;
    spk_windows *windows;
    uint32_t *event_window; /* by event of the trial: the window that starts in its bin */
    uint64_t *cursor;       /* by window: where its next item goes */
    uint64_t capacity;      /* of the windows' columns */
} binner;

void spk_window_options_init(spk_window_options *options, size_t struct_size)
{
    static const spk_window_options defaults = {.window = 1};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- the width ------------------------------------------------------------------------------- */

/* value *= factor unless it passes 2^63. */
static bool multiply(uint128 *value, uint64_t factor)
{
    if (*value > (uint128)INT64_MAX / factor)
        return false;
    *value *= factor;
    return true;
}

static bool width_in_ticks(spk_duration bin, spk_rate rate, bin_width *out)
{
    uint128 numerator = (uint128)bin.digits * rate.numerator, denominator = rate.denominator;
    static const uint64_t primes[] = {2, 5};
    for (int32_t e = bin.exponent; e > 0; e--)
        if (!multiply(&numerator, 10))
            return false;
    for (int32_t e = bin.exponent; e < 0; e++) {
        for (size_t k = 0; k < 2; k++) {
            if (numerator % primes[k] == 0)
                numerator /= primes[k];
            else if (!multiply(&denominator, primes[k]))
                return false;
        }
    }
    uint128 a = numerator, b = denominator;
    while (b != 0) {
        uint128 rest = a % b;
        a = b;
        b = rest;
    }
    numerator /= a;
    denominator /= a;
    *out = (bin_width){(uint64_t)numerator, (uint64_t)denominator};
    return numerator <= INT64_MAX && denominator <= INT64_MAX;
}

static spk_status check_options(spk_context *context, const spk_recording *recording,
                                const spk_window_options *options, bin_width *width)
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
    if (!width_in_ticks(options->bin, spk_recording_rate(recording), width))
        return spk_fail(context, SPK_ERR_RANGE,
                        "the bin width is too far from the recording's tick; take one of fewer "
                        "digits and nearer to milliseconds");
    for (size_t k = 0; options->trials != NULL && k < options->n_trials; k++)
        if (options->trials[k].start >= options->trials[k].stop)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "trial %zu stops before it starts; give start and stop in this order",
                            k + 1);
    return SPK_OK;
}

/* ---- bins ------------------------------------------------------------------------------------ */

static uint64_t bin_of(bin_width width, int64_t start, int64_t time)
{
    uint64_t ticks = (uint64_t)time - (uint64_t)start;
    return (uint64_t)((uint128)ticks * width.denominator / width.numerator);
}

/* Bins that a trial takes up, the last one perhaps in part. */
static uint128 bins_of(bin_width width, spk_segment trial)
{
    uint64_t ticks = (uint64_t)trial.stop - (uint64_t)trial.start;
    return ((uint128)ticks * width.denominator + width.numerator - 1) / width.numerator;
}

/* First tick of a bin that holds an event, hence no overflow. */
static int64_t bin_start(bin_width width, int64_t start, uint64_t bin)
{
    uint128 ticks = ((uint128)bin * width.numerator + width.denominator - 1) / width.denominator;
    return (int64_t)((uint64_t)start + (uint64_t)ticks);
}

/* Number of events before `time`. */
static uint64_t events_before(const spk_events *events, int64_t time)
{
    uint64_t low = 0, high = events->n_events;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (events->time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
static spk_status list_windows(binner *b, uint32_t trial, const trial_events *range)
{
    uint64_t previous = UINT64_MAX;
    for (uint64_t e = range->first; e < range->last; e++) {
        uint64_t bin = bin_of(b->width, range->start, b->events.time[e]);
        if (bin == previous)
            continue;
        spk_status status = add_window(b, trial, bin, bin_start(b->width, range->start, bin));
        if (status != SPK_OK)
            return status;
        previous = bin;
    }
    return SPK_OK;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* For every event of the trial, the window that starts in its bin; `w` is the trial's first window.
 * Returns the window after its last. */
static uint64_t assign_windows(binner *b, const trial_events *range, uint64_t w)
{
    const uint64_t *start_bin = b->windows->start_bin;
    for (uint64_t e = range->first; e < range->last; e++) {
        uint64_t bin = bin_of(b->width, range->start, b->events.time[e]);
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
        uint64_t low = b->events.unit_first[u], high = b->events.unit_first[u + 1];
        uint64_t end = high;
        while (low < high) { /* the unit's first event in the trial */
            uint64_t middle = low + (high - low) / 2;
            if (b->events.by_unit[middle] < range->first)
                low = middle + 1;
            else
                high = middle;
        }
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

static void visit_trials(binner *b, const trial_events *range, size_t n_trials, uint32_t *item)
{
    uint64_t w = 0;
    for (size_t k = 0; k < n_trials; k++) {
        uint64_t next = assign_windows(b, &range[k], w);
        visit_items(b, &range[k], w, item);
        w = next;
    }
}

/* Two visits: the first counts, the second writes. */
static spk_status fill_items(binner *b, const trial_events *range, size_t n_trials)
{
    spk_windows *windows = b->windows;
    uint64_t n = windows->columns.n_windows, longest = 0;
    for (size_t k = 0; k < n_trials; k++)
        if (range[k].last - range[k].first > longest)
            longest = range[k].last - range[k].first;
    spk_status status =
        spk_alloc_columns(b->context, "bins", SPK_COLUMN(&b->event_window, longest),
                          SPK_COLUMN_ZERO(&b->cursor, n), SPK_COLUMN(&windows->first, n + 1));
    if (status != SPK_OK)
        return status;
    visit_trials(b, range, n_trials, NULL);
    windows->first[0] = 0;
    for (uint64_t w = 0; w < n; w++) {
        windows->first[w + 1] = windows->first[w] + b->cursor[w];
        b->cursor[w] = windows->first[w];
    }
    status = spk_alloc(b->context, &windows->item, windows->first[n], "window items");
    if (status == SPK_OK)
        visit_trials(b, range, n_trials, windows->item);
    return status;
}

/* ---- the front ------------------------------------------------------------------------------- */

static spk_status list_trials(binner *b, const spk_segment *trials, size_t n_trials,
                              trial_events *range)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < n_trials && status == SPK_OK; k++) {
        spk_segment trial = trials[k];
        uint128 bins = b->windows->columns.n_bins + bins_of(b->width, trial);
        if (bins > UINT64_MAX)
            return spk_fail(b->context, SPK_ERR_RANGE,
                            "the recording has more bins than 64 bit count; take wider bins or a "
                            "part of the recording");
        b->windows->columns.n_bins = (uint64_t)bins;
        range[k] = (trial_events){trial.start, events_before(&b->events, trial.start),
                                  events_before(&b->events, trial.stop)};
        status = list_windows(b, (uint32_t)k, &range[k]);
    }
    return status;
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

spk_status spk_windows_create(spk_context *context, const spk_recording *recording,
                              const spk_window_options *given, spk_windows **out)
{
    *out = NULL;
    spk_window_options own;
    const spk_window_options *options = &own;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &own, spk_window_options);
    if (status != SPK_OK)
        return status;
    binner b = {.context = context, .events = spk_recording_events(recording)};
    size_t n_trials = options->n_trials;
    const spk_segment *trials =
        options->trials != NULL ? options->trials : spk_recording_segments(recording, &n_trials);
    trial_events *range = NULL;
    status = check_options(context, recording, options, &b.width);
    if (status != SPK_OK)
        return status;
    b.window = options->window;
    status = spk_alloc_columns(context, "windows", SPK_COLUMN_ZERO(&b.windows, 1),
                               SPK_COLUMN(&range, n_trials));
    if (status == SPK_OK)
        status = list_trials(&b, trials, n_trials, range);
    if (status == SPK_OK)
        status = fill_items(&b, range, n_trials);
    if (status == SPK_OK) {
        set_columns(b.windows, b.events.n_units, b.window);
        assert(spk_windows_validate(b.windows, &(const char *){NULL}));
        *out = b.windows;
    } else {
        spk_windows_free(b.windows);
    }
    free(b.event_window);
    free(b.cursor);
    free(range);
    return status;
}
