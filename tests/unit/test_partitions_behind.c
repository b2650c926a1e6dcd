/*
 * Partitions of live streams when mining takes time: what falls behind is skipped and told, never
 * anything else; the exact test where there is time; the worker, cancels, memory.
 */
#include <time.h>

#include "support/flow.h"
#include "support/test.h"

static uint64_t seed;

/* ---- falling behind -------------------------------------------------------------------------- */

typedef struct station {
    test_flow f;
    spk_live_stream *stream;
    spk_partitions *partitions;
} station;

static void open_station(station *s, uint64_t seconds, bool keep_up, uint32_t backlog)
{
    test_flow_clockwork(seconds, &s->f);
    s->stream = test_flow_stream(&s->f);
    spk_episode_options episodes = test_flow_episodes(&s->f);
    spk_partitions_options options = test_flow_partitions(&s->f, &episodes);
    options.keep_up = keep_up;
    options.backlog = backlog;
    test_flow_check(spk_partitions_create(test_flow_context, s->stream, &options, &s->partitions));
}

static void close_station(station *s)
{
    spk_partitions_free(s->partitions);
    spk_live_stream_free(s->stream);
}

static const spk_partition_result *take(station *s)
{
    const spk_partition_result *result = NULL;
    test_flow_check(spk_partitions_take(test_flow_context, s->partitions, 0, &result));
    return result;
}

/* Ten partitions are due when two may wait: the two newest are mined, and nothing is changed. */
static void oldest_are_skipped_and_told(void **state)
{
    (void)state;
    station s;
    open_station(&s, 23, false, 2);
    test_flow_check(
        spk_live_stream_push(test_flow_context, s.stream, s.f.n, s.f.time, s.f.unit, NULL));
    assert_int_equal(spk_partitions_totals(s.partitions).skipped, 8);
    assert_int_equal(spk_partitions_totals(s.partitions).waiting, 2);
    for (int64_t k = 0; k < 8; k++) {
        const spk_partition_result *result = take(&s);
        assert_int_equal(result->state, SPK_PARTITION_SKIPPED);
        assert_int_equal(result->number, k);
        assert_int_equal(result->n_events, 8);
        assert_int_equal(result->skipped, k + 1);
        assert_memory_equal(result->why, "mining fell behind; raise --support", 35);
    }
    for (int64_t k = 8; k < 10; k++) {
        const spk_partition_result *result = take(&s);
        assert_int_equal(result->state, SPK_PARTITION_MINED);
        assert_int_equal(result->number, k);
        assert_int_equal(result->support, 2);
        assert_false(result->support_raised);
        assert_int_equal(result->waiting, 9 - k);
        assert_int_equal(result->has_before, k > 8);
    }
    assert_null(take(&s));
    close_station(&s);
}

/* The rule of the header, step by step. */
static void support_is_raised_and_falls_back(void **state)
{
    (void)state;
    station s;
    open_station(&s, 100, true, 2);
    uint64_t pushed = 0;
    /* 4 partitions at once: 2 skipped; the first one mined sees them, the second one is alone. */
    pushed = test_flow_push(&s.f, s.stream, 0, 21);
    for (int k = 0; k < 2; k++)
        assert_int_equal(take(&s)->state, SPK_PARTITION_SKIPPED);
    const spk_partition_result *result = take(&s);
    assert_int_equal(result->support, 4);
    assert_int_equal(result->asked_support, 2);
    assert_true(result->support_raised);
    result = take(&s);
    assert_int_equal(result->support, 4); /* ended with none waiting: 1 of 4 */
    for (int k = 0; k < 3; k++) {
        pushed = test_flow_push(&s.f, s.stream, pushed, 4);
        result = take(&s);
        assert_int_equal(result->support, 4);
    }
    pushed = test_flow_push(&s.f, s.stream, pushed, 4);
    result = take(&s);
    assert_int_equal(result->support, 2); /* there is time again */
    assert_false(result->support_raised);
    assert_null(take(&s));
    /* Two at once: the other one waits, which is half the backlog; then eight quiet ones. */
    pushed = test_flow_push(&s.f, s.stream, pushed, 8);
    assert_int_equal(take(&s)->support, 4);
    for (int k = 0; k < 8; k++) {
        assert_int_equal(take(&s)->support, 4);
        assert_int_equal(spk_partitions_totals(s.partitions).raised, k < 7);
        pushed = test_flow_push(&s.f, s.stream, pushed, 4);
    }
    assert_int_equal(take(&s)->support, 2);
    close_station(&s);
}

/* However long nobody takes, spikes and results are held for the backlog only. */
static void memory_is_bounded(void **state)
{
    (void)state;
    for (int worker = 0; worker < 2; worker++) {
        test_flow f;
        test_flow_clockwork(10, &f);
        spk_live_stream *stream = test_flow_stream(&f);
        spk_partitions *partitions = NULL;
        spk_episode_options episodes = test_flow_episodes(&f);
        spk_partitions_options options = test_flow_partitions(&f, &episodes);
        options.worker = worker;
        options.backlog = 3;
        test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
        enum { N = 10000 };
        static int64_t time[N];
        static uint32_t unit[N];
        int64_t at = 0;
        for (int k = 0; k < 40; k++) {
            for (int i = 0; i < N; i++, at += 1) {
                time[i] = at;
                unit[i] = (uint32_t)(i % 2);
            }
            test_flow_check(spk_live_stream_push(test_flow_context, stream, N, time, unit, NULL));
        }
        assert_true(spk_partitions_totals(partitions).events_held < 20000);
        const spk_partition_result *result = NULL;
        uint64_t n = 0;
        do {
            test_flow_check(spk_partitions_take(test_flow_context, partitions, 0, &result));
            n += result != NULL;
        } while (result != NULL);
        assert_true(n >= 1000 && n < 1100); /* of 20,000: the others are counted */
        assert_true(spk_partitions_totals(partitions).skipped > 18000);
        spk_partitions_free(partitions);
        spk_live_stream_free(stream);
    }
}

/* ---- known bounds ---------------------------------------------------------------------------- */

/* A recording that was observed until the end of a partition leaves that one whole. */
static void a_known_stop_completes_partitions(void **state)
{
    (void)state;
    const spk_duration start = {0, 0, 0}, stop = {8, 0, 0};
    station s;
    open_station(&s, 7, false, 4);
    test_flow_check(spk_live_stream_border(test_flow_context, s.stream, &start, &stop));
    test_flow_check(
        spk_live_stream_push(test_flow_context, s.stream, s.f.n, s.f.time, s.f.unit, NULL));
    test_flow_check(spk_live_stream_end(test_flow_context, s.stream));
    for (int64_t k = 0; k < 4; k++) { /* 0-4, 2-6, 4-8, and 6-10 */
        const spk_partition_result *result = take(&s);
        assert_int_equal(result->number, k);
        assert_int_equal(result->state, k < 3 ? SPK_PARTITION_MINED : SPK_PARTITION_CUT);
        assert_int_equal(result->n_events, k < 2 ? 8 : k == 2 ? 6 : 2);
        size_t n = 0;
        const spk_segment *segments = spk_recording_segments(result->recording, &n);
        assert_int_equal(n, 1);
        assert_int_equal(segments[0].start, 20 * k);
        assert_int_equal(segments[0].stop, k < 3 ? 20 * k + 40 : 80);
    }
    assert_null(take(&s));
    close_station(&s);
}

/* ---- the test -------------------------------------------------------------------------------- */

static void draw_coupled(test_random *random, test_flow *f)
{
    *f = (test_flow){.n = TEST_FLOW_SPIKES,
                     .n_units = 4,
                     .rate = {1000, 1},
                     .length = {2, 1},
                     .step = {1, 1},
                     .support = "3",
                     .delay = {{5, -3, 0}, {1, -2, 0}}};
    int64_t time = 0;
    for (uint64_t i = 0; i < f->n; i++) { /* unit 1 follows unit 0 by 8 ms */
        bool follows = i > 0 && f->unit[i - 1] == 0 && test_random_chance(random, 0.8);
        time += follows ? 8 : test_random_between(random, 1, 40);
        f->time[i] = time;
        f->unit[i] = follows ? 1 : (uint32_t)test_random_below(random, f->n_units);
    }
}

/* p and expected counts of the slice, offline. */
static uint64_t check_test(const test_flow *f, const spk_recording *recording,
                           const spk_partitions_options *o, const spk_partition_result *result)
{
    spk_recording *slice = NULL;
    spk_maxima *maxima = NULL;
    spk_episode_options options = test_flow_episodes(f);
    options.support = result->support;
    test_flow_check(spk_recording_slice(test_flow_context, recording, &result->slice.start,
                                        &result->slice.stop, 0, NULL, &slice));
    spk_exact_options exact;
    spk_exact_options_init(&exact, sizeof exact);
    exact.episodes = &options;
    exact.jitter = &o->null_window;
    exact.n_jitter = 1;
    exact.seed = o->seed;
    exact.n_surrogates = o->surrogates;
    spk_exact_verdict *verdicts = calloc(result->episodes->n + 1, sizeof *verdicts);
    assert_non_null(verdicts);
    test_flow_check(spk_exact_run(test_flow_context, slice, &exact, &maxima));
    test_flow_check(spk_exact_test_episodes(test_flow_context, slice, &exact, maxima,
                                            result->episodes, verdicts, NULL));
    uint64_t n_significant = 0;
    assert_string_equal(result->tested, "");
    for (uint64_t i = 0; i < result->episodes->n; i++) {
        assert_true(result->p[i] == verdicts[i].p);
        assert_true(result->expected[i] == verdicts[i].expected);
        n_significant += verdicts[i].p <= o->alpha;
    }
    assert_int_equal(result->n_significant, n_significant);
    free(verdicts);
    spk_maxima_free(maxima);
    spk_recording_free(slice);
    return n_significant;
}

static void the_test_is_that_of_the_slice(void **state)
{
    (void)state;
    static test_flow f;
    test_random random = test_random_make(seed, 1000);
    draw_coupled(&random, &f);
    spk_recording *recording = test_flow_record(&f, 0, f.n);
    spk_live_stream *stream = test_flow_stream(&f);
    spk_partitions *partitions = NULL;
    spk_episode_options episodes = test_flow_episodes(&f);
    spk_partitions_options options = test_flow_partitions(&f, &episodes);
    options.exact_test = true;
    options.surrogates = 39;
    options.seed = 7;
    test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
    uint64_t n_significant = 0, n = 0;
    const spk_partition_result *result = NULL;
    for (uint64_t i = 0; i < f.n;) {
        i = test_flow_push(&f, stream, i, 20);
        test_flow_check(spk_partitions_take(test_flow_context, partitions, 0, &result));
        if (result != NULL) {
            n_significant += check_test(&f, recording, &options, result);
            n++;
        }
    }
    assert_true(n > 1 && n_significant > 0);
    spk_partitions_free(partitions);
    spk_live_stream_free(stream);
    spk_recording_free(recording);
}

/* With partitions waiting there is no time for a test, which is said; episodes are there all the
 * same. With `wait` there always is. */
static void a_test_left_out_is_told(void **state)
{
    (void)state;
    static test_flow f;
    test_random random = test_random_make(seed, 1001);
    draw_coupled(&random, &f);
    for (int wait = 0; wait < 2; wait++) {
        spk_live_stream *stream = test_flow_stream(&f);
        spk_partitions *partitions = NULL;
        spk_episode_options episodes = test_flow_episodes(&f);
        spk_partitions_options options = test_flow_partitions(&f, &episodes);
        options.exact_test = true;
        options.surrogates = 19;
        options.wait = wait;
        test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
        test_flow_check(spk_live_stream_push(test_flow_context, stream, f.n, f.time, f.unit, NULL));
        const spk_partition_result *result = NULL;
        uint64_t n[2] = {0};
        for (;;) {
            test_flow_check(spk_partitions_take(test_flow_context, partitions, 0, &result));
            if (result == NULL)
                break;
            if (result->state == SPK_PARTITION_SKIPPED)
                continue;
            bool left_out = !wait && result->waiting >= 2;
            assert_true(result->episodes->n > 4);
            if (left_out) {
                char text[64];
                snprintf(text, sizeof text, "no time: %d partitions wait", (int)result->waiting);
                assert_string_equal(result->tested, text);
            } else {
                assert_string_equal(result->tested, "");
            }
            assert_int_equal(result->p == NULL, left_out);
            n[left_out]++;
        }
        const spk_partition_totals totals = spk_partitions_totals(partitions);
        assert_int_equal(totals.tested, n[0]);
        assert_int_equal(totals.untimely, n[1]);
        assert_int_equal(totals.mined, n[0] + n[1]);
        assert_int_equal(n[1] > 0, !wait);
        spk_partitions_free(partitions);
        spk_live_stream_free(stream);
    }
}

/* ---- the worker ------------------------------------------------------------------------------ */

/* A test of very many surrogates ends when partitions come to wait; their own one, too, when
 * everything is freed. */
static void a_test_ends_for_partitions_that_wait(void **state)
{
    (void)state;
    static test_flow f;
    test_random random = test_random_make(seed, 1002);
    draw_coupled(&random, &f);
    spk_live_stream *stream = test_flow_stream(&f);
    spk_partitions *partitions = NULL;
    spk_episode_options episodes = test_flow_episodes(&f);
    spk_partitions_options options = test_flow_partitions(&f, &episodes);
    options.exact_test = true;
    options.surrogates = 200000;
    options.worker = true;
    options.backlog = 1;
    test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
    const spk_partition_result *result = NULL;
    const struct timespec pause = {0, 2000000};
    for (uint64_t i = 0; i < f.n && (result == NULL || result->episodes == NULL);) {
        i = test_flow_push(&f, stream, i, 1);
        nanosleep(&pause, NULL);
        test_flow_check(spk_partitions_take(test_flow_context, partitions, 0, &result));
    }
    assert_non_null(result);
    assert_non_null(result->episodes);
    assert_memory_equal(result->tested, "no time", 7);
    assert_null(result->p);
    spk_partitions_free(partitions);
    spk_live_stream_free(stream);
}

/* Thousands of units are put into natural order, as the units of every recording. */
static void many_units_are_in_order(void **state)
{
    (void)state;
    enum { N = 10007, STRIDE = 4999 };
    char expected[16];
    test_flow f;
    test_flow_clockwork(1, &f);
    spk_live_stream *stream = test_flow_stream(&f);
    spk_partitions *partitions = NULL;
    spk_episode_options episodes = test_flow_episodes(&f);
    spk_partitions_options options = test_flow_partitions(&f, &episodes);
    const spk_partition_result *result = NULL;
    test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
    const int64_t time = 0;
    for (uint32_t k = 0; k < N; k++) {
        uint32_t unit = 0;
        snprintf(expected, sizeof expected, "u%u", (k * STRIDE) % N);
        test_flow_check(spk_live_stream_unit(test_flow_context, stream, expected, &unit));
        test_flow_check(spk_live_stream_push(test_flow_context, stream, 1, &time, &unit, NULL));
    }
    test_flow_check(spk_live_stream_end(test_flow_context, stream));
    test_flow_check(spk_partitions_take(test_flow_context, partitions, -1, &result));
    assert_non_null(result);
    uint32_t before = 0;
    for (uint32_t u = 0; u < result->n_units; u++) {
        const char *label = spk_recording_label(result->recording, u);
        if (label[0] != 'u')
            continue;
        snprintf(expected, sizeof expected, "u%u", before++);
        assert_string_equal(label, expected);
    }
    assert_int_equal(before, N);
    spk_partitions_free(partitions);
    spk_live_stream_free(stream);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void a_cancel_ends_mining(void **state)
{
    (void)state;
    for (int worker = 0; worker < 2; worker++) {
        test_flow f;
        test_flow_clockwork(10, &f);
        spk_live_stream *stream = test_flow_stream(&f);
        spk_partitions *partitions = NULL;
        spk_episode_options episodes = test_flow_episodes(&f);
        spk_partitions_options options = test_flow_partitions(&f, &episodes);
        options.worker = worker;
        test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
        spk_context_cancel(test_flow_context);
        test_flow_check(spk_live_stream_push(test_flow_context, stream, f.n, f.time, f.unit, NULL));
        const spk_partition_result *result = NULL;
        uint64_t n = 0, n_interrupted = 0;
        for (;; n++) {
            test_flow_check(spk_partitions_take(test_flow_context, partitions, -1, &result));
            if (result == NULL)
                break;
            assert_int_equal(result->state, SPK_PARTITION_SKIPPED);
            n_interrupted += strstr(result->why, "interrupted") != NULL;
        }
        assert_true(n_interrupted >= 1);
        assert_int_equal(spk_partitions_totals(partitions).skipped, n);
        spk_context_cancel_clear(test_flow_context);
        spk_partitions_free(partitions);
        spk_live_stream_free(stream);
    }
}

/* Whatever the memory limit is: a result, a partition that is skipped and says so, or an error. */
static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    uint64_t n_failed = 0, n_skipped = 0, n_done = 0;
    for (uint64_t limit = 1000; limit < 4000000; limit += limit / 8) {
        test_flow f;
        test_flow_clockwork(100, &f);
        spk_live_stream *stream = test_flow_stream(&f);
        spk_partitions *partitions = NULL;
        spk_episode_options episodes = test_flow_episodes(&f);
        spk_partitions_options options = test_flow_partitions(&f, &episodes);
        options.worker = limit % 2;
        options.wait = true;
        spk_context_set_memory_limit(test_flow_context, limit);
        spk_status status = spk_partitions_create(test_flow_context, stream, &options, &partitions);
        if (status == SPK_OK)
            status = spk_live_stream_push(test_flow_context, stream, f.n, f.time, f.unit, NULL);
        for (const spk_partition_result *result = NULL; status == SPK_OK;) {
            status = spk_partitions_take(test_flow_context, partitions, -1, &result);
            if (status != SPK_OK || result == NULL)
                break;
            n_skipped += result->state == SPK_PARTITION_SKIPPED;
            if (result->state == SPK_PARTITION_SKIPPED && strstr(result->why, "memory") == NULL)
                fail_msg("'%s'", result->why);
        }
        if (status != SPK_OK)
            assert_int_equal(status, SPK_ERR_MEMORY);
        n_failed += status != SPK_OK;
        n_done += status == SPK_OK;
        spk_context_set_memory_limit(test_flow_context, 0);
        spk_partitions_free(partitions);
        spk_live_stream_free(stream);
    }
    assert_true(n_failed > 0 && n_skipped > 0 && n_done > 0);
}

static spk_status try_options(const spk_partitions_options *options)
{
    test_flow f;
    test_flow_clockwork(10, &f);
    spk_live_stream *stream = test_flow_stream(&f);
    spk_partitions *partitions = NULL;
    spk_status status = spk_partitions_create(test_flow_context, stream, options, &partitions);
    assert_int_equal(partitions != NULL, status == SPK_OK);
    spk_partitions_free(partitions);
    spk_live_stream_free(stream);
    return status;
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    test_flow f;
    test_flow_clockwork(10, &f);
    spk_episode_options episodes = test_flow_episodes(&f);
    const spk_partitions_options right = test_flow_partitions(&f, &episodes);
    assert_int_equal(try_options(&right), SPK_OK);
    spk_partitions_options wrong = right;
    wrong.episodes = NULL;
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    wrong = right;
    wrong.length = (spk_duration){1, -2, 0}; /* less than a tick of 0.1 s */
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(test_flow_context), "length"));
    wrong = right;
    wrong.step = (spk_duration){0, 0, 0};
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    wrong.step = (spk_duration){1, SPK_DURATION_INFINITE, 0};
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    wrong.step = (spk_duration){123456789123456789, -15, 4294967291u};
    wrong.length = (spk_duration){123456789123456789, -15, 4294967279u};
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    wrong.step.exponent = wrong.length.exponent = -7;
    assert_int_equal(try_options(&wrong), SPK_ERR_RANGE);
    wrong = right;
    wrong.support_text = "much";
    assert_int_equal(try_options(&wrong), SPK_ERR_FORMAT);
    wrong = right;
    wrong.backlog = 0;
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    wrong = right;
    wrong.exact_test = true;
    wrong.surrogates = 0;
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    wrong.surrogates = 19;
    wrong.alpha = 0;
    assert_int_equal(try_options(&wrong), SPK_ERR_ARGUMENT);
    episodes.engine = "no such engine";
    assert_int_equal(try_options(&right), SPK_ERR_ARGUMENT);
    episodes.engine = "auto";
    episodes.n_delays = 0;
    assert_int_equal(try_options(&right), SPK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(oldest_are_skipped_and_told, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(support_is_raised_and_falls_back, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(memory_is_bounded, test_flow_setup, test_flow_teardown),
        cmocka_unit_test_setup_teardown(a_known_stop_completes_partitions, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(the_test_is_that_of_the_slice, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(a_test_left_out_is_told, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(a_test_ends_for_partitions_that_wait, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(many_units_are_in_order, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(a_cancel_ends_mining, test_flow_setup, test_flow_teardown),
        cmocka_unit_test_setup_teardown(memory_runs_out_anywhere, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(wrong_options_are_refused, test_flow_setup,
                                        test_flow_teardown),
    };
    seed = test_seed("test_partitions_behind");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
