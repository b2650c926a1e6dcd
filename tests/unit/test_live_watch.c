/*
 * The watch: after random prefixes of random streams, in random chunks, its counts are those of the
 * reference engine on what was handed on; every occurrence it tells of is one that
 * spk_episode_occurrences or spk_pattern_locate gives; its recent counts are those of the slice.
 */
#include "base/stage.h"
#include "support/context.h"
#include "support/live_run.h"

static int setup(void **state)
{
    (void)state;
    spk_status status = spk_context_create(&context);
    spk_context_set_threads(context, 1);
    return status != SPK_OK;
}

/* ---- random streams -------------------------------------------------------------------------- */

static void random_streams(void **state)
{
    (void)state;
    uint64_t seed = test_seed("live watch");
    for (uint64_t k = 0; k < test_scaled(5000); k++) {
        test_random random = test_random_make(seed, k);
        live_run *run = live_run_begin(context, &random, k % 8 == 7);
        while (live_run_push(run, &random))
            if (test_random_chance(&random, 0.05))
                live_run_compare(run);
        live_run_compare(run);
        live_run_end(run);
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

static const char *const letters[] = {"A", "B", "C"};

static spk_live_watch *make(const spk_live_watch_options *options, spk_recording **labels,
                            spk_live_stream **stream)
{
    spk_live_stream_options of_stream;
    spk_live_watch *watch = NULL;
    uint32_t unit;
    spk_live_stream_options_init(&of_stream, sizeof of_stream);
    of_stream.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_live_stream_create(context, &of_stream, stream), SPK_OK);
    assert_int_equal(spk_live_watch_create(context, *stream, options, &watch), SPK_OK);
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 3, letters, of_stream.rate, NULL,
                                           NULL, labels),
                     SPK_OK);
    for (uint32_t u = 0; u < 3; u++)
        assert_int_equal(spk_live_stream_unit(context, *stream, letters[u], &unit), SPK_OK);
    return watch;
}

static void push(spk_live_stream *stream, int64_t time, uint32_t unit)
{
    assert_int_equal(spk_live_stream_push(context, stream, 1, &time, &unit, NULL), SPK_OK);
}

typedef spk_status adder(spk_context *context, spk_live_watch *watch, const spk_recording *labels,
                         const spk_episode_columns *episodes);

static spk_status add_by(adder *add_to, spk_live_watch *watch, const spk_recording *labels,
                         const char *text)
{
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_parse(context, labels, text, list), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    const spk_status status = add_to(context, watch, labels, &columns);
    spk_episode_list_free(list);
    return status;
}

static void add(spk_live_watch *watch, const spk_recording *labels, const char *text)
{
    assert_int_equal(add_by(spk_live_watch_add_episodes, watch, labels, text), SPK_OK);
}

/* The worked example of the semantics. */
static void worked_example(void **state)
{
    (void)state;
    static const int64_t time[] = {1, 2, 5, 8, 10, 13, 15, 18, 20};
    static const uint32_t unit[] = {0, 0, 1, 1, 0, 0, 2, 1, 2};
    spk_recording *labels = NULL;
    spk_live_stream *stream = NULL;
    uint64_t count[3];
    spk_live_watch *watch = make(NULL, &labels, &stream);
    add(watch, labels, "A (5ms,10ms] B (10ms,15ms] C");
    add(watch, labels, "A (0,inf] B");
    assert_int_equal(spk_live_watch_n_episodes(watch), 2);
    assert_int_equal(spk_live_watch_n_patterns(watch), 0);
    assert_string_equal(spk_live_watch_name(watch, false, 1), "A (0,inf] B");
    assert_null(spk_live_watch_name(watch, false, 2));
    assert_null(spk_live_watch_name(watch, true, 0));
    for (int k = 0; k < 9; k++)
        push(stream, time[k], unit[k]);
    spk_live_watch_counts(watch, count, NULL);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[1], 2);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_recording_free(labels);
}

/* A rig that calls units 1.0 and 2.0 is watched with a list of its recording, which says 1 and 2.
 */
static void whole_numbers_are_met(void **state)
{
    (void)state;
    static const char *const reals[] = {"1.0", "2.0"};
    spk_recording *labels = NULL;
    spk_live_stream *stream = NULL;
    uint32_t unit[2];
    uint64_t count = 0;
    spk_live_watch *watch = make(NULL, &labels, &stream);
    spk_recording_free(labels);
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 2, reals, (spk_rate){1000, 1},
                                           NULL, NULL, &labels),
                     SPK_OK);
    add(watch, labels, "1 (0,10ms] 2");
    for (int u = 0; u < 2; u++)
        assert_int_equal(spk_live_stream_unit(context, stream, reals[u], &unit[u]), SPK_OK);
    push(stream, 1, unit[0]);
    push(stream, 4, unit[1]);
    spk_live_watch_counts(watch, &count, NULL);
    assert_string_equal(spk_live_watch_name(watch, false, 0), "1 (0,10ms] 2");
    assert_int_equal(count, 1);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_recording_free(labels);
}

/* An episode that is added while spikes come uses none of the earlier ones; the others go on. */
static void added_later(void **state)
{
    (void)state;
    spk_recording *labels = NULL;
    spk_live_stream *stream = NULL;
    uint64_t count[3];
    spk_live_watch *watch = make(NULL, &labels, &stream);
    add(watch, labels, "A (0,10ms] B");
    push(stream, 1, 0);
    add(watch, labels, "A (0,10ms] B");
    add(watch, labels, "A (0,10ms] B (0,10ms] C");
    push(stream, 2, 1);
    push(stream, 3, 2);
    spk_live_watch_counts(watch, count, NULL);
    assert_true(count[0] == 1 && count[1] == 0 && count[2] == 0);
    push(stream, 4, 0);
    push(stream, 5, 1);
    push(stream, 6, 2);
    spk_live_watch_counts(watch, count, NULL);
    assert_true(count[0] == 2 && count[1] == 1 && count[2] == 1);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_recording_free(labels);
}

/* Episodes for a while begin with nothing, and are over when they are ended; the others go on. */
static void for_a_while(void **state)
{
    (void)state;
    static const char *const text = "A (0,10ms] B (0,10ms] C";
    spk_recording *labels = NULL;
    spk_live_stream *stream = NULL;
    uint64_t count[3];
    spk_live_watch *watch = make(NULL, &labels, &stream);
    add(watch, labels, text);
    assert_false(spk_live_watch_place(watch).has_time);
    push(stream, 1, 0);
    assert_int_equal(add_by(spk_live_watch_begin_episodes, watch, labels, text), SPK_OK);
    const spk_live_place place = spk_live_watch_place(watch);
    assert_true(place.spikes == 1 && place.segment == 0 && place.has_time && place.time == 1);
    assert_int_equal(spk_live_stream_border(context, stream, NULL, NULL), SPK_OK);
    for (int64_t t = 2; t < 14; t++) {
        push(stream, t, (uint32_t)(t + 1) % 3); /* A B C A B C ... */
        if (t == 7)
            assert_int_equal(add_by(spk_live_watch_begin_episodes, watch, labels, text), SPK_OK);
        if (t == 9)
            assert_int_equal(spk_live_watch_end_episode(context, watch, 1), SPK_OK);
    }
    assert_int_equal(spk_live_watch_end_episode(context, watch, 1), SPK_OK);
    spk_live_watch_counts(watch, count, NULL);
    assert_true(count[0] == 4 && count[1] == 2 && count[2] == 2);
    assert_true(spk_live_watch_follows(watch, 0) && !spk_live_watch_follows(watch, 1));
    assert_true(spk_live_watch_follows(watch, 2) && !spk_live_watch_follows(watch, 3));
    assert_string_equal(spk_live_watch_name(watch, false, 1), text);
    for (uint64_t k = 0; k < 4; k += 3) /* of the list, and none */
        assert_int_equal(spk_live_watch_end_episode(context, watch, k), SPK_ERR_ARGUMENT);
    assert_int_equal(add_by(spk_live_watch_add_episodes, watch, labels, text), SPK_ERR_ARGUMENT);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_recording_free(labels);
}

/* The count of a pattern in the slice of a recording that is given as one trial. */
static uint64_t count_in(const spk_recording *recording, spk_segment slice, const uint32_t *items)
{
    spk_window_options options;
    spk_windows *windows = NULL;
    spk_pattern_locator *locator = NULL;
    const uint32_t *window;
    uint32_t n = 0;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){5, -3, 0};
    options.window = 4;
    options.trials = &slice;
    options.n_trials = 1;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
    assert_int_equal(spk_pattern_locator_create(context, windows, &locator), SPK_OK);
    assert_int_equal(spk_pattern_locate(locator, 2, items, &window, &n), SPK_OK);
    spk_pattern_locator_free(locator);
    spk_windows_free(windows);
    return n;
}

/* Recent counts of a pattern are those of the slice from the first bin that begins in it. */
static void recent_patterns_of_a_slice(void **state)
{
    (void)state;
    enum { SPIKES = 400, FIRST = 3, BIN = 5, WINDOW = 52 };
    static const uint32_t items[] = {0, 1 * 4 + 2};
    const uint64_t offset[] = {0, 2};
    const uint32_t zero = 0;
    const spk_pattern_columns patterns = {
        .n = 1, .window = 4, .offset = offset, .item = items, .count = &zero};
    spk_live_watch_options options;
    spk_recording *labels = NULL, *recording = NULL;
    spk_live_stream *stream = NULL;
    int64_t time[SPIKES] = {FIRST};
    uint32_t unit[SPIKES] = {0};
    uint64_t recent = 0, sum = 0;
    test_random random = test_random_make(test_seed("recent patterns"), 0);
    spk_live_watch_options_init(&options, sizeof options);
    options.window = (spk_duration){WINDOW, -3, 0};
    options.bin = (spk_duration){BIN, -3, 0};
    spk_live_watch *watch = make(&options, &labels, &stream);
    assert_int_equal(spk_live_watch_add_patterns(context, watch, labels, &patterns), SPK_OK);
    push(stream, FIRST, 0);
    for (uint32_t k = 1; k < SPIKES; k++) {
        time[k] = time[k - 1] + 1 + (int64_t)test_random_below(&random, 6);
        unit[k] = (uint32_t)test_random_below(&random, 3);
        push(stream, time[k], unit[k]);
        int64_t start = FIRST;
        while (start <= time[k] - WINDOW)
            start += BIN;
        assert_int_equal(test_recording_create(context, k + 1, time, unit, 3, letters,
                                               (spk_rate){1000, 1}, NULL, NULL, &recording),
                         SPK_OK);
        spk_live_watch_recent(watch, NULL, &recent);
        assert_int_equal(recent, count_in(recording, (spk_segment){start, time[k] + 1}, items));
        sum += recent;
        spk_recording_free(recording);
    }
    assert_true(sum > SPIKES / 10);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_recording_free(labels);
}

/* Spikes within long lags count against the memory limit, and are told as what does not fit: those
 * of one unit do, those of all do not. */
static void patterns_keep_to_the_limit(void **state)
{
    (void)state;
    enum { LAGS = 60000, LIMIT = 2000000 };
    static const uint32_t items[] = {0, 2 * LAGS - 1, 3 * LAGS - 1};
    const uint64_t offset[] = {0, 3};
    const uint32_t zero = 0;
    const spk_pattern_columns patterns = {
        .n = 1, .window = LAGS, .offset = offset, .item = items, .count = &zero};
    spk_live_watch_options options;
    spk_recording *labels = NULL;
    spk_live_stream *stream = NULL;
    spk_status status = SPK_OK;
    int64_t time = 0;
    spk_live_watch_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, -3, 0};
    spk_live_watch *watch = make(&options, &labels, &stream);
    assert_int_equal(spk_live_watch_add_patterns(context, watch, labels, &patterns), SPK_OK);
    spk_context_set_memory_limit(context, LIMIT);
    while (status == SPK_OK && time < LAGS) {
        const int64_t times[] = {time, time, time};
        status = spk_live_stream_push(context, stream, 3, times, (uint32_t[]){0, 1, 2}, NULL);
        time++;
    }
    assert_int_equal(status, SPK_ERR_MEMORY);
    assert_non_null(strstr(spk_context_message(context), "over the memory limit"));
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_recording_free(labels);
    assert_int_equal(spk_memory_left(context), LIMIT);
    spk_context_set_memory_limit(context, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(whole_numbers_are_met),
        cmocka_unit_test(added_later),
        cmocka_unit_test(for_a_while),
        cmocka_unit_test(recent_patterns_of_a_slice),
        cmocka_unit_test(patterns_keep_to_the_limit),
        cmocka_unit_test(random_streams),
    };
    return cmocka_run_group_tests(tests, setup, context_teardown);
}
