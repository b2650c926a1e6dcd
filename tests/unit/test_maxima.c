/*
 * The largest counts per size and duration: what spk_pattern_find_maxima says against what
 * spk_pattern_mine reports, on surrogates of random recordings, for all limits, segments, engines,
 * instruction sets and threads.
 */
#include "pattern/engine/maxima.h"
#include "pattern/run.h"
#include "support/context.h"
#include "support/engines.h"
#include "support/raster.h"
#include "support/simd.h"

enum { MOST_SIZE = 256, MOST_DURATION = 64, MOST_EVENTS = 4096 };

/* ---- what is right: M(z) from all patterns --------------------------------------------------- */

typedef struct expected_maxima {
    bool by_duration;
    uint64_t n_patterns;
    uint32_t at[MOST_DURATION][MOST_SIZE + 1]; /* [duration][size] */
} expected_maxima;

static spk_status note_patterns(void *user, const spk_pattern_columns *patterns)
{
    expected_maxima *m = user;
    for (uint64_t i = 0; i < patterns->n; i++) {
        uint64_t size = patterns->offset[i + 1] - patterns->offset[i];
        uint32_t duration = 0;
        for (uint64_t k = patterns->offset[i]; m->by_duration && k < patterns->offset[i + 1]; k++)
            if (patterns->item[k] % patterns->window > duration)
                duration = patterns->item[k] % patterns->window;
        assert_in_range(size, 1, MOST_SIZE);
        assert_in_range(duration, 0, MOST_DURATION - 1);
        for (uint64_t z = 0; z <= size; z++)
            if (m->at[duration][z] < patterns->count[i])
                m->at[duration][z] = patterns->count[i];
    }
    m->n_patterns += patterns->n;
    return SPK_OK;
}

static void describe(const spk_pattern_options *o, bool by_duration)
{
    print_message("engine %s, %s: spikes %u..%u, support %llu%s, at most %llu, neurons %u, "
                  "moving-window step %d\n",
                  o->engine, by_duration ? "3d" : "2d", o->min_spikes, o->max_spikes,
                  (unsigned long long)o->support, o->supports != NULL ? " (per size)" : "",
                  (unsigned long long)o->max_count, o->min_neurons, (int)o->moving_window_filter);
}

/* Entries are in order, fall strictly within a duration, and give the same M(z) for every z. */
static void compare(const expected_maxima *expected, const spk_pattern_maximum *found, size_t n,
                    const spk_pattern_options *options)
{
    size_t at = 0;
    for (uint32_t d = 0; d < MOST_DURATION; d++) {
        size_t end = at;
        for (; end < n && found[end].duration == d; end++) {
            assert_in_range(found[end].size, options->min_spikes, MOST_SIZE);
            assert_true(found[end].count > 0);
            assert_true(end == at || (found[end].size > found[end - 1].size &&
                                      found[end].count < found[end - 1].count));
        }
        for (uint32_t z = 0; z <= MOST_SIZE; z++) {
            size_t k = at;
            while (k < end && found[k].size < z)
                k++;
            uint32_t count = k < end ? found[k].count : 0;
            if (count != expected->at[d][z])
                describe(options, expected->by_duration);
            if (count != expected->at[d][z])
                fail_msg("duration %u, at least %u spikes: %u, mining has %u", d, z, count,
                         expected->at[d][z]);
        }
        at = end;
    }
    assert_int_equal(at, n); /* in order of duration */
}

/* 2d and 3d; returns the number of patterns in 3d. */
static uint64_t check_engine(const spk_window_columns *windows, spk_pattern_options *options,
                             const char *engine)
{
    static expected_maxima expected;
    spk_pattern_summary summary = {.choice = ""};
    for (int by_duration = 0; by_duration < 2; by_duration++) {
        spk_pattern_maximum *found = NULL;
        size_t n = 0;
        memset(&expected, 0, sizeof expected);
        expected.by_duration = by_duration == 1;
        options->engine = "bitmap";
        assert_int_equal(
            spk_pattern_run(context, windows, options, note_patterns, &expected, &summary), SPK_OK);
        options->engine = engine;
        assert_int_equal(
            spk_pattern_run_maxima(context, windows, options, by_duration == 1, &found, &n),
            SPK_OK);
        compare(&expected, found, n, options);
        free(found);
    }
    return expected.n_patterns;
}

/* The same by every engine, or now and then by a slow one. */
static uint64_t check_maxima(const spk_window_columns *windows, spk_pattern_options *options)
{
    const test_pattern_engine *engine;
    static uint64_t number;
    uint64_t n = check_engine(windows, options, "bitmap");
    number++;
    for (size_t k = 0; number % 10 == 0 && (engine = test_pattern_engine_at(k)) != NULL; k++)
        check_engine(windows, options, engine->name);
    return n;
}

/* ---- random recordings and their surrogates -------------------------------------------------- */

typedef struct drawn {
    uint32_t n_units;
    uint64_t n;
    int64_t time[MOST_EVENTS]; /* ms */
    uint32_t unit[MOST_EVENTS];
    int64_t stop;
    spk_segment segment[8];
    size_t n_segments;
} drawn;

static void add_event(drawn *d, int64_t time, uint32_t unit)
{
    if (d->n == MOST_EVENTS || time < 0 || time >= d->stop)
        return;
    d->time[d->n] = time;
    d->unit[d->n++] = unit;
}

/* Independent units of unlike rates, bursts, a slow change of all rates, and planted patterns. */
static void draw(test_random *random, drawn *d)
{
    d->n = 0;
    d->n_units = 2 + (uint32_t)test_random_below(random, 9);
    d->stop = 150 + (int64_t)test_random_below(random, 350);
    double chance = 0.05 + 0.25 * test_random_real(random);
    bool wave = test_random_chance(random, 0.4);
    for (uint32_t u = 0; u < d->n_units; u++) {
        double own = chance / (1 + u % 4);
        for (int64_t t = 0; t < d->stop; t += 5)
            if (test_random_chance(random, wave && t / 60 % 2 == 1 ? own / 4 : own))
                add_event(d, t + (int64_t)test_random_below(random, 5), u);
    }
    for (uint64_t planted = test_random_below(random, 3); planted > 0; planted--) {
        uint32_t unit[5];
        int64_t lag[5];
        uint64_t size = 2 + test_random_below(random, 4);
        for (uint64_t k = 0; k < size; k++) {
            unit[k] = (uint32_t)test_random_below(random, d->n_units);
            lag[k] = 5 * (int64_t)test_random_below(random, 7);
        }
        for (uint64_t times = 2 + test_random_below(random, 8); times > 0; times--) {
            int64_t at = (int64_t)test_random_below(random, (uint64_t)d->stop);
            for (uint64_t k = 0; k < size; k++)
                add_event(d, at + lag[k], unit[k]);
        }
    }
    d->n_segments = test_random_chance(random, 0.5) ? 0 : 1 + test_random_below(random, 7);
    int64_t at = 0;
    for (size_t k = 0; k < d->n_segments; k++) {
        int64_t length = d->stop / (int64_t)d->n_segments;
        d->segment[k] = (spk_segment){at, at + length - (int64_t)test_random_below(random, 8)};
        at += length;
    }
}

/* Every event moved by up to 15 ms, within its segment or not. */
static spk_recording *dither(test_random *random, const drawn *d)
{
    static int64_t time[MOST_EVENTS];
    static const int64_t start = 0;
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    for (uint64_t i = 0; i < d->n; i++) {
        time[i] = d->time[i] + test_random_between(random, -15, 15);
        time[i] = time[i] < 0 ? 0 : time[i] >= d->stop ? d->stop - 1 : time[i];
    }
    source.n_events = d->n;
    source.time = time;
    source.unit = d->unit;
    source.n_units = d->n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &d->stop;
    source.segments = d->n_segments > 0 ? d->segment : NULL;
    source.n_segments = d->n_segments;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    return recording;
}

static spk_windows *bin(const spk_recording *recording, int64_t width, uint32_t window)
{
    spk_windows *windows = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){width, -3};
    options.window = window;
    if (spk_windows_create(context, recording, &options, &windows) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return windows;
}

static void draw_options(test_random *random, spk_pattern_options *o,
                         spk_pattern_supports *per_size)
{
    spk_pattern_options_init(o, sizeof *o);
    o->min_spikes = 1 + (uint32_t)test_random_below(random, 4);
    o->max_spikes = test_random_chance(random, 0.7)
                        ? 0
                        : o->min_spikes + (uint32_t)test_random_below(random, 4);
    o->support = 2 + test_random_below(random, 5);
    o->max_count = test_random_chance(random, 0.7) ? 0 : o->support + test_random_below(random, 12);
    o->min_neurons = 1 + (uint32_t)test_random_below(random, 3);
    o->moving_window_filter = test_random_chance(random, 0.7);
    if (test_random_chance(random, 0.6))
        return;
    uint64_t least = o->support;
    per_size->n = 2 + (uint32_t)test_random_below(random, 5);
    for (uint32_t k = per_size->n; k >= 2; k--) {
        per_size->at_size[k] = least;
        least += test_random_below(random, 8);
    }
    o->supports = per_size;
}

static void maxima_are_those_of_mining(void **state)
{
    (void)state;
    enum { RECORDINGS = 1000, SURROGATES = 5 };
    uint64_t seed = test_seed("maxima_are_those_of_mining");
    uint64_t n_patterns = 0, n_recordings = test_scaled(RECORDINGS);
    static drawn d;
    for (uint64_t number = 0; number < n_recordings; number++) {
        test_random random = test_random_make(seed, number);
        draw(&random, &d);
        int64_t width = test_random_between(&random, 3, 8);
        uint32_t window = 1 + (uint32_t)test_random_below(&random, 10);
        for (int k = 0; k < SURROGATES; k++) {
            spk_pattern_supports per_size;
            spk_pattern_options options;
            draw_options(&random, &options, &per_size);
            test_simd_use(test_random_bits(&random));
            spk_context_set_threads(context, test_random_chance(&random, 0.1) ? 2 : 1);
            spk_recording *recording = dither(&random, &d);
            spk_windows *windows = bin(recording, width, window);
            spk_window_columns columns = spk_windows_columns(windows);
            n_patterns += check_maxima(&columns, &options);
            spk_windows_free(windows);
            spk_recording_free(recording);
        }
    }
    test_simd_use_best();
    print_message("%llu surrogates, %llu patterns\n", (unsigned long long)n_recordings * SURROGATES,
                  (unsigned long long)n_patterns);
    assert_true(n_patterns > n_recordings * SURROGATES);
}

/* Units that fire in every other bin or so, for longer: branches of hundreds of windows and items.
 */
static void draw_dense(test_random *random, drawn *d)
{
    *d = (drawn){.n_units = 8 + (uint32_t)test_random_below(random, 6),
                 .stop = 5 * test_random_between(random, 300, 700)};
    for (uint32_t u = 0; u < d->n_units; u++) {
        double chance = 0.25 + 0.35 * test_random_real(random);
        for (int64_t t = 0; t < d->stop; t += 5)
            if (test_random_chance(random, chance))
                add_event(d, t, u);
    }
}

static void maxima_of_dense_recordings(void **state)
{
    (void)state;
    uint64_t seed = test_seed("maxima_of_dense_recordings"), n_patterns = 0;
    uint64_t n = 4 + test_scaled(60);
    static drawn d;
    for (uint64_t number = 0; number < n; number++) {
        test_random random = test_random_make(seed, number);
        spk_pattern_supports per_size;
        spk_pattern_options options;
        draw_dense(&random, &d);
        draw_options(&random, &options, &per_size);
        options.support = (uint64_t)d.stop / 5 / (12 + test_random_below(&random, 16));
        options.max_count = 0;
        options.supports = NULL;
        test_simd_use(number);
        spk_recording *recording = dither(&random, &d);
        spk_windows *windows = bin(recording, 5, 3 + (uint32_t)test_random_below(&random, 8));
        spk_window_columns columns = spk_windows_columns(windows);
        n_patterns += check_engine(&columns, &options, "bitmap");
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    test_simd_use_best();
    print_message("%llu patterns\n", (unsigned long long)n_patterns);
    assert_true(n_patterns > n); /* few cases may have few */
}

/* Windows that no recording would give: those of transactions, some of them empty or all alike. */
static void maxima_of_transactions(void **state)
{
    (void)state;
    uint64_t seed = test_seed("maxima_of_transactions"), n_patterns = 0, n = 120 + test_scaled(280);
    for (uint64_t number = 0; number < n; number++) {
        test_random random = test_random_make(seed, number);
        spk_pattern_supports per_size;
        spk_pattern_options options;
        draw_options(&random, &options, &per_size);
        test_simd_use(number);
        uint32_t units = 1 + (uint32_t)test_random_below(&random, 6);
        uint32_t window = 1 + (uint32_t)test_random_below(&random, 4);
        spk_window_columns windows = test_windows_random(
            &random, 1 + (uint32_t)test_random_below(&random, 24), units, window,
            units * window > 12 ? 25 : 20 + (uint32_t)test_random_below(&random, 81));
        n_patterns += check_maxima(&windows, &options);
        test_windows_free(&windows);
    }
    test_simd_use_best();
    assert_true(n < 100 || n_patterns > n); /* few cases may have few */
}

/* ---- the bundled recording --------------------------------------------------------------------
 */

static spk_recording *read_bundled(const char *path)
{
    spk_recording *recording = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_recording_read_text(context, path, &options, &recording), SPK_OK);
    return recording;
}

/* The windows of a study, its supports per size too. */
static void maxima_of_a_whole_recording(void **state)
{
    (void)state;
    const char *path = test_external("reach_to_grasp/movement_PGHF.spikes.txt");
    if (path == NULL || !test_whole_recordings())
        skip();
    static const spk_pattern_supports per_size = {5, {0, 0, 86, 25, 12, 10}};
    spk_recording *recording = read_bundled(path);
    spk_windows *windows = bin(recording, 5, 20);
    spk_window_columns columns = spk_windows_columns(windows);
    const int n_jobs = test_scaled(100) < 100 ? 1 : 2; /* less work for sanitized builds */
    for (int job = 0; job < n_jobs; job++) {
        spk_pattern_options options;
        spk_pattern_options_init(&options, sizeof options);
        options.min_spikes = job == 0 ? 5 : 2;
        options.support = 20;
        options.min_neurons = job == 0 ? 2 : 5;
        options.supports = job == 0 ? NULL : &per_size;
        assert_true(check_engine(&columns, &options, "bitmap") > 0);
    }
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Units 0 and 1 fire 10 ms apart three times, unit 2 fires 5 ms later in two of them. */
static spk_windows *by_hand(void)
{
    static const int64_t time[] = {0, 10, 15, 100, 110, 115, 200, 210};
    static const uint32_t unit[] = {0, 1, 2, 0, 1, 2, 0, 1};
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = sizeof time / sizeof time[0];
    source.time = time;
    source.unit = unit;
    source.n_units = 3;
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    spk_windows *windows = bin(recording, 5, 4);
    spk_recording_free(recording);
    return windows;
}

/* Closed: 0@0 1@2 three times, with 2@3 twice; 1@0 three times is the end of the first, 1@0 2@1
 * that of the second one, and both are dropped by the moving-window step. */
static void the_steps_of_a_small_recording(void **state)
{
    (void)state;
    spk_windows *windows = by_hand();
    spk_pattern_options options;
    spk_pattern_maximum *found = NULL;
    size_t n = 0;
    spk_pattern_options_init(&options, sizeof options);
    assert_int_equal(spk_pattern_find_maxima(context, windows, &options, false, &found, &n),
                     SPK_OK);
    const spk_pattern_maximum flat[] = {{2, 0, 3}, {3, 0, 2}};
    assert_int_equal(n, 2);
    assert_memory_equal(found, flat, sizeof flat);
    free(found);
    assert_int_equal(spk_pattern_find_maxima(context, windows, &options, true, &found, &n), SPK_OK);
    const spk_pattern_maximum lasting[] = {{2, 2, 3}, {3, 3, 2}};
    assert_int_equal(n, 2);
    assert_memory_equal(found, lasting, sizeof lasting);
    free(found);
    options.moving_window_filter = false;
    assert_int_equal(spk_pattern_find_maxima(context, windows, &options, true, &found, &n), SPK_OK);
    const spk_pattern_maximum all[] = {{1, 0, 3}, {2, 1, 2}, {2, 2, 3}, {3, 3, 2}};
    assert_int_equal(n, 4);
    assert_memory_equal(found, all, sizeof all);
    free(found);
    spk_windows_free(windows);
}

static void no_pattern_is_an_empty_list(void **state)
{
    (void)state;
    spk_windows *windows = by_hand();
    spk_pattern_options options;
    spk_pattern_maximum *found = NULL;
    size_t n = 1;
    spk_pattern_options_init(&options, sizeof options);
    options.support = UINT64_C(1) << 40;
    assert_int_equal(spk_pattern_find_maxima(context, windows, &options, true, &found, &n), SPK_OK);
    assert_int_equal(n, 0);
    free(found);
    spk_windows_free(windows);
}

static void impossible_options_are_refused(void **state)
{
    (void)state;
    spk_windows *windows = by_hand();
    spk_pattern_options options;
    spk_pattern_maximum *found = (spk_pattern_maximum *)windows;
    size_t n = 1;
    spk_pattern_options_init(&options, sizeof options);
    options.min_spikes = 5;
    options.max_spikes = 4;
    assert_int_equal(spk_pattern_find_maxima(context, windows, &options, false, &found, &n),
                     SPK_ERR_ARGUMENT);
    assert_null(found);
    assert_int_equal(n, 0);
    spk_windows_free(windows);
}

static void a_cancel_ends_the_search(void **state)
{
    (void)state;
    spk_windows *windows = by_hand();
    spk_context *child = NULL;
    spk_pattern_options options;
    spk_pattern_maximum *found = NULL;
    size_t n = 0;
    spk_pattern_options_init(&options, sizeof options);
    assert_int_equal(spk_context_create_child(context, &child), SPK_OK);
    spk_context_cancel(child);
    assert_int_equal(spk_pattern_find_maxima(child, windows, &options, false, &found, &n),
                     SPK_ERR_CANCELLED);
    assert_null(found);
    spk_context_free(child);
    spk_windows_free(windows);
}

/* ---- the table of steps ---------------------------------------------------------------------- */

static void steps_hold_every_maximum(void **state)
{
    (void)state;
    enum { SIZES = 40 };
    uint64_t seed = test_seed("steps_hold_every_maximum");
    for (uint64_t number = 0; number < test_scaled(500); number++) {
        test_random random = test_random_make(seed, number);
        uint32_t at[SIZES + 2] = {0};
        spk_maxima_table table;
        assert_int_equal(spk_maxima_table_create(context, 1, &table), SPK_OK);
        for (uint64_t k = test_random_below(&random, 80); k > 0; k--) {
            uint32_t size = 1 + (uint32_t)test_random_below(&random, SIZES);
            uint32_t count = 1 + (uint32_t)test_random_below(&random, 60);
            assert_int_equal(spk_maxima_would_raise(&table.row[0], size, count), count > at[size]);
            assert_true(spk_maxima_raise(&table.row[0], size, count));
            for (uint32_t z = 0; z <= size; z++)
                at[z] = at[z] > count ? at[z] : count;
        }
        for (uint32_t z = 0; z <= SIZES + 1; z++)
            assert_int_equal(spk_maxima_at(&table.row[0], z), at[z]);
        spk_maxima_table_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxima_are_those_of_mining),
        cmocka_unit_test(maxima_of_dense_recordings),
        cmocka_unit_test(maxima_of_transactions),
        cmocka_unit_test(maxima_of_a_whole_recording),
        cmocka_unit_test(the_steps_of_a_small_recording),
        cmocka_unit_test(no_pattern_is_an_empty_list),
        cmocka_unit_test(impossible_options_are_refused),
        cmocka_unit_test(a_cancel_ends_the_search),
        cmocka_unit_test(steps_hold_every_maximum),
    };
    return cmocka_run_group_tests_name("maxima", tests, context_setup, context_teardown);
}
