/*
 * The moving-window step while patterns are found: what spk_pattern_mine reports with the step
 * equals what the step leaves of a list of all patterns, in the same order, for trials, limits,
 * supports by size, threads and many units. Where the engine cannot do it, the list is made.
 */
#include "pattern/engine/bitmap/ends.h"
#include "pattern/moving_window.h"
#include "support/context.h"

/* ---- recordings ------------------------------------------------------------------------------ */

enum { MOST_EVENTS = 20000 };

typedef struct events {
    uint64_t n;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
} events;

static void add_event(events *e, int64_t time, uint32_t unit)
{
    assert_true(e->n < MOST_EVENTS);
    e->time[e->n] = time;
    e->unit[e->n++] = unit;
}

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* In the order of recordings. */
static void sort_events(events *e)
{
    static int64_t pair[MOST_EVENTS][2];
    for (uint64_t k = 0; k < e->n; k++) {
        pair[k][0] = e->time[k];
        pair[k][1] = e->unit[k];
    }
    qsort(pair, e->n, sizeof pair[0], compare_times);
    for (uint64_t k = 0; k < e->n; k++) {
        e->time[k] = pair[k][0];
        e->unit[k] = (uint32_t)pair[k][1];
    }
}

/* Random spikes, and a long sequence that comes again and again: its ends are patterns, too. */
static void draw_events(test_random *random, uint32_t n_units, int64_t bins, double rate, events *e)
{
    uint32_t chain[8], lag[8];
    bool always = test_random_chance(random, 0.1);
    e->n = 0;
    for (int64_t bin = 0; bin < bins; bin++)
        for (uint32_t u = 0; u < n_units; u++)
            if (test_random_chance(random, rate) || (always && u == 1))
                add_event(e, bin, u);
    uint32_t n = 2 + (uint32_t)test_random_below(random, 7);
    for (uint32_t k = 0; k < n; k++) {
        chain[k] = (uint32_t)test_random_below(random, n_units);
        lag[k] = (k > 0 ? lag[k - 1] : 0) + (uint32_t)test_random_below(random, 3);
    }
    for (uint32_t times = (uint32_t)test_random_below(random, 9); times > 0; times--) {
        int64_t at = test_random_between(random, 0, bins - 1);
        for (uint32_t k = 0; k < n && at + lag[k] < bins; k++)
            add_event(e, at + lag[k], chain[k]);
    }
    sort_events(e);
}

static spk_windows *make_windows(const events *e, uint32_t n_units, uint32_t window,
                                 const spk_segment *trials, size_t n_trials)
{
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options cut;
    assert_int_equal(test_recording_create(context, e->n, e->time, e->unit, n_units, NULL,
                                           (spk_rate){1, 1}, NULL, NULL, &recording),
                     SPK_OK);
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, 0};
    cut.window = window;
    cut.trials = trials;
    cut.n_trials = n_trials;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    spk_recording_free(recording);
    return windows;
}

/* ---- what is expected ------------------------------------------------------------------------ */

static spk_pattern_list *mine(const spk_windows *windows, const spk_pattern_options *options,
                              spk_pattern_summary *summary)
{
    spk_pattern_list *list = NULL;
    assert_int_equal(spk_pattern_list_create(context, spk_windows_columns(windows).window, &list),
                     SPK_OK);
    assert_int_equal(
        spk_pattern_mine(context, windows, options, spk_pattern_list_add, list, summary), SPK_OK);
    return list;
}

static void assert_equal(const spk_pattern_list *a, const spk_pattern_list *b)
{
    spk_pattern_columns x = spk_pattern_list_columns(a), y = spk_pattern_list_columns(b);
    assert_int_equal(x.n, y.n);
    for (uint64_t i = 0; i < x.n; i++) {
        uint64_t size = x.offset[i + 1] - x.offset[i];
        assert_int_equal(size, y.offset[i + 1] - y.offset[i]);
        assert_int_equal(x.count[i], y.count[i]);
        assert_memory_equal(x.item + x.offset[i], y.item + y.offset[i], size * sizeof *x.item);
    }
}

/* The same from lag-0 items, in order: a limit that hides nothing keeps the search from going by
 * the rarest units. And by these, without room to put patterns in order. */
static void check_other_searches(const spk_windows *windows, const spk_pattern_options *options,
                                 const spk_pattern_list *expected, uint64_t n_mined)
{
    spk_pattern_options other = *options;
    spk_pattern_summary summary;
    if (options->max_spikes != 0 || options->min_neurons < 5) /* goes from lag-0 items anyway */
        return;
    other.max_spikes = UINT32_MAX - 1;
    spk_pattern_list *found = mine(windows, &other, &summary);
    assert_equal(found, expected);
    assert_int_equal(summary.n_mined, n_mined);
    spk_pattern_list_free(found);
    spk_context_set_memory_limit(context, 1 << 20); /* less than a block of kept patterns */
    found = mine(windows, options, &summary);
    spk_context_set_memory_limit(context, 0);
    assert_equal(found, expected);
    assert_int_equal(summary.n_mined, n_mined);
    spk_pattern_list_free(found);
}

/* Mines with the step, without it, and as patterns are found; the number of patterns that the step
 * leaves out. */
static uint64_t check_ends(const spk_windows *windows, spk_pattern_options *options, bool inside)
{
    spk_window_columns columns = spk_windows_columns(windows);
    spk_pattern_summary with, without, unordered;
    options->moving_window_filter = false;
    spk_pattern_list *all = mine(windows, options, &without);
    if (inside)
        check_other_searches(windows, options, all, without.n_mined);
    uint8_t *keep = malloc(without.n_mined + 1);
    spk_pattern_columns patterns = spk_pattern_list_columns(all);
    assert_non_null(keep);
    assert_int_equal(spk_moving_window_filter(context, &columns, &patterns, keep), SPK_OK);
    spk_pattern_list_keep(all, keep);
    patterns = spk_pattern_list_columns(all);
    options->moving_window_filter = true;
    spk_pattern_list *reported = mine(windows, options, &with);
    assert_equal(reported, all);
    if (inside)
        check_other_searches(windows, options, reported, with.n_mined);
    assert_int_equal(with.n_mined, without.n_mined);
    assert_int_equal(with.n_reported, patterns.n);
    if (inside) {
        assert_true(with.filter_s == 0);
        options->unordered = true;
        spk_pattern_list *found = mine(windows, options, &unordered);
        options->unordered = false;
        assert_int_equal(unordered.n_mined, without.n_mined);
        assert_int_equal(spk_pattern_list_sort(found), SPK_OK);
        assert_int_equal(spk_pattern_list_sort(all), SPK_OK);
        assert_equal(found, all);
        spk_pattern_list_free(found);
    }
    spk_pattern_list_free(all);
    spk_pattern_list_free(reported);
    free(keep);
    return with.n_mined - with.n_reported;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void draw_options(test_random *random, spk_pattern_options *o,
                         spk_pattern_supports *supports)
{
    spk_pattern_options_init(o, sizeof *o);
    o->engine = "bitmap";
    o->min_spikes = 1 + (uint32_t)test_random_below(random, 3);
    o->support = 2 + test_random_below(random, 4);
    o->min_neurons = 1 + (uint32_t)test_random_below(random, 6);
    if (test_random_chance(random, 0.4))
        o->max_spikes = o->min_spikes + (uint32_t)test_random_below(random, 4);
    if (test_random_chance(random, 0.2))
        o->max_count = o->support + test_random_below(random, 5);
    if (test_random_chance(random, 0.3)) {
        supports->n = 2 + (uint32_t)test_random_below(random, 4);
        uint64_t least = 2 + test_random_below(random, 2);
        for (uint32_t k = supports->n; k >= 2; k--)
            supports->at_size[k] = least += test_random_below(random, 3);
        o->supports = supports;
        o->max_count = 0;
    }
}

static void ends_are_left_out(void **state)
{
    static events e;
    uint64_t seed = test_seed(__func__), dropped = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(1500); c++) {
        test_random random = test_random_make(seed, c);
        spk_pattern_options options;
        spk_pattern_supports supports = {.n = 0};
        bool many = test_random_chance(&random, 0.2);
        uint32_t n_units = many ? 60 + (uint32_t)test_random_below(&random, 90)
                                : 2 + (uint32_t)test_random_below(&random, 6);
        int64_t bins = 20 + test_random_between(&random, 0, 120);
        draw_events(&random, n_units, bins, many ? 0.01 : 0.05 + 0.2 * test_random_real(&random),
                    &e);
        if (e.n == 0)
            continue;
        const spk_segment trials[2] = {{0, bins / 3}, {bins / 2, bins}};
        spk_windows *windows =
            make_windows(&e, n_units, 2 + (uint32_t)test_random_below(&random, 9), trials,
                         test_random_chance(&random, 0.3) ? 2 : 0);
        draw_options(&random, &options, &supports);
        spk_context_set_threads(context, 1 + (int)test_random_below(&random, 3));
        dropped += check_ends(windows, &options, true);
        spk_windows_free(windows);
    }
    assert_true(dropped > 0);
}

/* Units that fire together, in bursts: nearly all sets of their items are frequent, and few of them
 * are patterns. What goes through sets one by one does not come to an end here. */
static void units_that_fire_together(void **state)
{
    static events e;
    uint64_t seed = test_seed(__func__);
    (void)state;
    for (uint64_t c = 0; c < 5 + test_scaled(60); c++) {
        test_random random = test_random_make(seed, c);
        spk_pattern_options options;
        const bool many = c % 5 == 4; /* branches have more items than a vector has bits */
        const uint32_t n_units = (many ? 44 : 4) + (uint32_t)test_random_below(&random, 8);
        const double alike = test_random_chance(&random, 0.6) ? 1 : 0.995;
        int64_t bin = 0;
        e.n = 0;
        for (uint32_t burst = 0; burst < 25; burst++) {
            bin += 1 + test_random_between(&random, 0, 8);
            for (uint64_t n = 1 + test_random_below(&random, many ? 1 : 4); n > 0; n--, bin++)
                for (uint32_t u = 0; u < n_units; u++)
                    if (test_random_chance(&random, alike))
                        add_event(&e, bin, u);
        }
        spk_windows *windows = make_windows(
            &e, n_units, (many ? 16 : 2) + (uint32_t)test_random_below(&random, 6), NULL, 0);
        spk_pattern_options_init(&options, sizeof options);
        options.engine = "bitmap";
        options.min_spikes = 2 + (uint32_t)test_random_below(&random, 3);
        options.support = 4 + test_random_below(&random, 5);
        options.min_neurons = 1 + (uint32_t)test_random_below(&random, 6);
        check_ends(windows, &options, true);
        spk_windows_free(windows);
    }
}

/* The same unit in every bin: all windows hold all items, and only the first one begins nothing. */
static void endless_trains(void **state)
{
    static events e;
    spk_pattern_options options;
    (void)state;
    e.n = 0;
    for (int64_t bin = 0; bin < 40; bin++)
        add_event(&e, bin, 0);
    spk_windows *windows = make_windows(&e, 1, 5, NULL, 0);
    spk_pattern_options_init(&options, sizeof options);
    options.engine = "bitmap";
    assert_true(check_ends(windows, &options, true) == 0);
    const spk_segment trials[2] = {{3, 9}, {10, 16}};
    spk_windows *cut = make_windows(&e, 1, 3, trials, 2);
    check_ends(cut, &options, true);
    spk_windows_free(cut);
    spk_windows_free(windows);
}

/* A recording without units: nothing to find, and nothing to divide by. */
static void no_units(void **state)
{
    static events e;
    spk_pattern_options options;
    (void)state;
    e.n = 0;
    spk_windows *windows = make_windows(&e, 0, 5, NULL, 0);
    spk_window_columns columns = spk_windows_columns(windows);
    assert_int_equal(columns.n_units, 0);
    assert_true(spk_bitmap_can_drop_ends(&columns));
    spk_pattern_options_init(&options, sizeof options);
    options.engine = "bitmap";
    assert_true(check_ends(windows, &options, true) == 0);
    spk_windows_free(windows);
}

/* Rows for bins would be far larger than the lists of items. */
static void long_windows_with_few_spikes(void **state)
{
    static events e;
    test_random random = test_random_make(test_seed(__func__), 0);
    spk_pattern_options options;
    (void)state;
    e.n = 0;
    for (int64_t k = 0; k < 1200; k++)
        add_event(&e, 20000 * k + (k % 3) * 7, k % 5 == 4 ? (uint32_t)k % 3 : (uint32_t)k % 5);
    spk_windows *windows = make_windows(&e, 5, 60000, NULL, 0);
    spk_window_columns columns = spk_windows_columns(windows);
    assert_false(spk_bitmap_can_drop_ends(&columns));
    spk_pattern_options_init(&options, sizeof options);
    options.engine = "bitmap";
    options.min_spikes = 2;
    options.support = 10 + test_random_below(&random, 20);
    assert_true(check_ends(windows, &options, false) > 0);
    options.unordered = true;
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    spk_windows_free(windows);
}

/* Engines and transactions that need all patterns first. */
static void what_needs_a_list(void **state)
{
    static const char text[] = "0 3\n0 3\n1\n";
    spk_pattern_options options;
    spk_windows *windows = NULL;
    (void)state;
    assert_int_equal(
        spk_windows_parse_transactions(context, "lines", text, sizeof text - 1, 3, 2, &windows),
        SPK_OK);
    spk_pattern_options_init(&options, sizeof options);
    check_ends(windows, &options, false);
    options.unordered = true;
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "switch one of the two off"));
    options.moving_window_filter = false;
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, NULL), SPK_OK);
    spk_windows_free(windows);
}

/* The rows count against the memory limit, and are told when they do not fit. */
static void rows_keep_the_memory_limit(void **state)
{
    static events e;
    spk_pattern_options options;
    spk_context *own = NULL, *before = context;
    (void)state;
    e.n = 0;
    for (int64_t k = 0; k < 15000; k++)
        add_event(&e, 3 * k, (uint32_t)k % 700);
    assert_int_equal(spk_context_create(&own), SPK_OK);
    context = own;
    spk_windows *windows = make_windows(&e, 700, 4, NULL, 0);
    spk_pattern_options_init(&options, sizeof options);
    options.engine = "bitmap";
    spk_context_set_memory_limit(own, 1500000); /* 45,000 rows of 88 bytes */
    assert_int_equal(spk_pattern_mine(own, windows, &options, NULL, NULL, NULL), SPK_ERR_MEMORY);
    assert_non_null(strstr(spk_context_message(own), "moving-window"));
    spk_context_set_memory_limit(own, 0);
    assert_int_equal(spk_pattern_mine(own, windows, &options, NULL, NULL, NULL), SPK_OK);
    spk_windows_free(windows);
    spk_context_free(own);
    context = before;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_left_out),
        cmocka_unit_test(units_that_fire_together),
        cmocka_unit_test(endless_trains),
        cmocka_unit_test(no_units),
        cmocka_unit_test(long_windows_with_few_spikes),
        cmocka_unit_test(what_needs_a_list),
        cmocka_unit_test(rows_keep_the_memory_limit),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
