/* What a search for patterns costs, measured: all pieces of a short search, some of a long one. */
#include "support/context.h"

static uint64_t seed;

static int setup(void **state)
{
    (void)state;
    seed = test_seed("test_plan_patterns");
    if (spk_context_create(&context) != SPK_OK)
        return -1;
    spk_context_set_threads(context, 1);
    return 0;
}

/* Random units; ticks of 1 ms. */
static spk_recording *make_recording(uint64_t case_number, uint32_t n_units, uint64_t n_events,
                                     int64_t length)
{
    test_random random = test_random_make(seed, case_number);
    int64_t *time = calloc(n_events, sizeof *time);
    uint32_t *unit = calloc(n_events, sizeof *unit);
    spk_recording *out = NULL;
    spk_recording_source source;
    for (uint64_t k = 0; k < n_events; k++) {
        time[k] = test_random_between(&random, 0, length - 1);
        unit[k] = (uint32_t)test_random_below(&random, n_units);
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events, source.time = time, source.unit = unit, source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    if (spk_recording_create(context, &source, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    free(time);
    free(unit);
    return out;
}

/* 8 bins of 2 ticks. */
static spk_window_options make_cut(void)
{
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){2, -3, 0};
    options.window = 8;
    return options;
}

static spk_windows *make(uint64_t case_number, uint32_t n_units, uint64_t n_events, int64_t length)
{
    const spk_window_options options = make_cut();
    spk_windows *out = NULL;
    spk_recording *recording = make_recording(case_number, n_units, n_events, length);
    if (spk_windows_create(context, recording, &options, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    spk_recording_free(recording);
    return out;
}

static spk_pattern_options make_options(uint64_t support)
{
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.support = support;
    options.min_spikes = 2;
    return options;
}

/* Where all pieces were mined, what was found is what mining finds, whatever the division. */
static void test_whole(void **state)
{
    (void)state;
    spk_windows *windows = make(1, 10, 3000, 20000);
    const spk_pattern_options options = make_options(8);
    spk_pattern_list *list = NULL;
    const uint32_t ranks[] = {1, 3, 64};
    assert_int_equal(spk_pattern_list_create(context, 8, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    spk_pattern_columns found = spk_pattern_list_columns(list);
    assert_true(found.n > 10);
    for (int k = 0; k < 3; k++) {
        spk_plan_costs c;
        assert_int_equal(
            spk_plan_measure_patterns(context, windows, 3000, &options, ranks[k], 60, &c), SPK_OK);
        if (c.measured_share != 1 || c.is_least)
            fail_msg("%u ranks: %f of the pieces", ranks[k], c.measured_share);
        assert_false(c.divides_time);
        assert_int_equal(c.n_rounds, 1);
        /* Lines: the patterns, and four numbers of one digit at least with tabs. */
        double bytes = 8 * (double)found.n;
        for (uint64_t i = 0; i < found.n; i++)
            bytes += (double)spk_pattern_format(NULL, &found, i, NULL, 0);
        assert_true(c.round[0].bytes >= bytes); /* beside what ranks learn of the branches */
        assert_true(c.bytes_shared >= bytes && c.bytes_shared < 2 * bytes);
        assert_true(c.bytes_fixed >= 20e6 && c.lines_s > 0 && c.write_s > 0);
        assert_true(c.round[0].event_s > 0 && c.largest_piece >= 1);
        assert_true(c.pieces_per_rank * ranks[k] >= 1);
        spk_plan_machine m;
        spk_plan_prediction p;
        spk_plan_machine_init(&m, sizeof m);
        m.ranks = ranks[k];
        assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_OK);
        assert_true(p.possible && p.seconds > 0);
        const double kept = /* one rank hands them on */
            ranks[k] > 1 ? c.bytes_results + c.bytes_shared / ranks[k] : 0;
        const double held = c.bytes_fixed + c.bytes_an_event * 3000 + kept;
        assert_true(p.memory_bytes > held - 1 && p.memory_bytes < held + 1);
    }
    spk_pattern_list_free(list);
    spk_windows_free(windows);
}

/* Supports by size: a round for each range of sizes. */
static void test_ranges(void **state)
{
    (void)state;
    spk_windows *windows = make(2, 8, 3000, 20000);
    spk_pattern_options options = make_options(1);
    spk_pattern_supports supports = {.n = 4, .at_size = {0, 0, 40, 20, 20}};
    spk_plan_costs c;
    options.supports = &supports;
    assert_int_equal(spk_plan_measure_patterns(context, windows, 3000, &options, 4, 60, &c),
                     SPK_OK);
    assert_int_equal(c.n_rounds, 2);
    spk_windows_free(windows);
}

/* A search that takes long: some of its pieces, or none, and no waiting for the others. */
static void test_part(void **state)
{
    (void)state;
    spk_windows *windows = make(3, 60, 60000, 20000);
    const spk_pattern_options options = make_options(3);
    spk_plan_costs c;
    for (double seconds = 1e-4; seconds < 0.5; seconds *= 3) {
        assert_int_equal(
            spk_plan_measure_patterns(context, windows, 60000, &options, 8, seconds, &c), SPK_OK);
        assert_true(c.measured_share < 1);
        assert_true(c.measured_share > 0 || c.is_least);
        assert_false(spk_context_cancelled(context));
    }
    spk_windows_free(windows);
}

/* Surrogates by the seconds that they take, and a search that does not end in time. */
static void test_surrogates(void **state)
{
    (void)state;
    const spk_window_options cut = make_cut();
    spk_recording *recording = make_recording(5, 10, 3000, 20000);
    spk_pattern_options patterns = make_options(8);
    spk_surrogate_options surrogates;
    spk_maxima_options options;
    spk_plan_costs c;
    spk_plan_costs_init(&c, sizeof c);
    spk_surrogate_options_init(&surrogates, sizeof surrogates);
    spk_maxima_options_init(&options, sizeof options);
    options.windows = &cut, options.patterns = &patterns, options.surrogates = &surrogates;
    options.n_surrogates = 5;
    for (uint32_t threads = 1; threads <= 1024; threads *= 1024) {
        assert_int_equal(spk_plan_measure_surrogates(context, recording, &options, threads, 60, &c),
                         SPK_OK);
        assert_int_equal(c.surrogates, 5);
        assert_true(c.surrogate_s > 0 && c.surrogate_s < 10.0 / threads && !c.is_least);
        assert_true(c.n_rounds == 0 && c.n_events == 1);
    }
    assert_int_equal(spk_plan_measure_surrogates(context, recording, &options, 0, 1, &c),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_plan_measure_surrogates(context, recording, &options, 1, 0, &c),
                     SPK_ERR_ARGUMENT);
    surrogates.method = "none";
    assert_int_equal(spk_plan_measure_surrogates(context, recording, &options, 1, 1, &c),
                     SPK_ERR_ARGUMENT);
    surrogates.method = "dither-spikes";
    spk_recording_free(recording);
    recording = make_recording(6, 60, 60000, 20000);
    patterns = make_options(2);
    options.by_duration = true;
    assert_int_equal(spk_plan_measure_surrogates(context, recording, &options, 1, 0.05, &c),
                     SPK_OK);
    assert_true(c.is_least && c.surrogate_s > 0);
    assert_false(spk_context_cancelled(context));
    spk_recording_free(recording);
}

static void test_bad(void **state)
{
    (void)state;
    spk_windows *windows = make(4, 5, 300, 2000);
    spk_pattern_options options = make_options(5);
    spk_plan_costs c;
    assert_int_equal(spk_plan_measure_patterns(context, windows, 300, &options, 0, 1, &c),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_plan_measure_patterns(context, windows, 0, &options, 1, 1, &c),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_plan_measure_patterns(context, windows, 300, &options, 1, 0, &c),
                     SPK_ERR_ARGUMENT);
    options.min_neurons = 0;
    assert_int_equal(spk_plan_measure_patterns(context, windows, 300, &options, 1, 1, &c),
                     SPK_ERR_ARGUMENT);
    options = make_options(5);
    options.engine = "fpgrowth";
    assert_int_equal(spk_plan_measure_patterns(context, windows, 300, &options, 1, 1, &c),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_plan_measure_patterns(NULL, windows, 300, NULL, 2, 5, &c), SPK_OK);
    spk_windows_free(windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_part),  cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, setup, context_teardown);
}
