/* Replay as a live source: at its speed, and the recording that it was. */
#include "support/live.h"
#include "support/test.h"

static const char trials[] = "# spikemine segment 0s 1.5s\n# spikemine segment 1s 2.5s\n"
                             "time_s\tunit\n0.5\t2\n1.2\t10\n1.4\t2\n2.4\tx\n";

/* Trials that overlap come one after the other, each with all its spikes and its exact bounds. */
static void replay_of_trials(void **state)
{
    (void)state;
    test_live live;
    spk_live_source_options options = test_live_defaults();
    options.speed = 0;
    test_live_open(&live, test_file("trials.txt", trials), &options);
    assert_int_equal(spk_live_source_rate(live.source).numerator, 10);
    assert_string_equal(spk_live_source_label(live.source, 1), "10");
    test_live_wait(&live, 100);
    assert_true(live.ended);
    static const int64_t time[] = {5, 12, 14, 12, 14, 24};
    static const uint64_t segment[] = {1, 1, 1, 2, 2, 2};
    assert_int_equal(live.n, 6);
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(live.spike[k].time, time[k]);
        assert_int_equal(live.spike[k].segment, segment[k]);
    }
    assert_int_equal(spk_duration_compare(live.last_border.start, (spk_duration){1, 0}), 0);
    assert_int_equal(spk_duration_compare(live.last_border.stop, (spk_duration){25, -1}), 0);
    const spk_live_source_facts facts = test_live_facts(&live);
    assert_float_equal(facts.position_s, 3, 1e-9);
    assert_float_equal(facts.duration_s, 3, 1e-9);
    test_live_close(&live);
}

/* Spikes leave when their time has come, never before it; pause and speed keep the position. */
static void replay_in_time(void **state)
{
    (void)state;
    test_live live;
    spk_live_source_options options = test_live_defaults();
    options.speed = 10;
    test_live_open(&live, test_file("trials.txt", trials), &options);
    const int64_t before_ns = test_live_now_ns();
    test_live_poll(&live, 0); /* starts the clock */
    test_live_wait(&live, 1);
    assert_true(test_live_now_ns() - before_ns >= 49000000); /* 0.5 s at speed 10 */
    spk_live_source_pause(live.source, true);
    const double at_s = test_live_facts(&live).position_s;
    assert_true(at_s >= 0.5);
    const size_t n = live.n;
    test_live_poll(&live, 120); /* 1.2 s of the recording, were it not paused */
    assert_int_equal(live.n, n);
    assert_float_equal(test_live_facts(&live).position_s, at_s, 1e-9);
    assert_string_equal(test_live_facts(&live).state, "paused");
    const int64_t again_ns = test_live_now_ns();
    spk_live_source_set_speed(live.source, 100);
    spk_live_source_pause(live.source, false);
    assert_float_equal(test_live_facts(&live).speed, 100, 0);
    for (int k = 0; k < 500 && !live.ended; k++)
        test_live_poll(&live, 10);
    assert_true(live.ended);
    assert_true((double)(test_live_now_ns() - again_ns) * 1e-9 * 100 >= 3 - at_s - 0.3);
    assert_int_equal(live.n, 6);
    test_live_close(&live);
}

/* Of 40 spikes at speed 1 none leaves early, and one at least within a millisecond, however busy
 * the machine is. */
static void replay_is_punctual(void **state)
{
    (void)state;
    enum { N = 40 };
    test_live live;
    char text[1024] = "";
    size_t n = 0;
    int64_t least_ns = INT64_MAX;
    for (int k = 0; k < N; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d.%03d a\n", 7, 5 * k);
    test_live_open(&live, test_file("punctual.txt", text), NULL);
    const int64_t before_ns = test_live_now_ns();
    test_live_poll(&live, 0); /* the first spike is the start */
    const int64_t after_ns = test_live_now_ns();
    for (size_t k = live.n; k < N && !live.ended; k = live.n) {
        test_live_poll(&live, 50);
        const int64_t due_ns = (int64_t)(live.n - 1) * 5000000;
        const int64_t left_ns = test_live_now_ns();
        if (live.n == k)
            continue;
        assert_true(left_ns - before_ns >= due_ns);
        if (left_ns - after_ns - due_ns < least_ns)
            least_ns = left_ns - after_ns - due_ns;
    }
    assert_int_equal(live.n, N);
    assert_true(least_ns < 1000000);
    test_live_close(&live);
}

/* Replaying a recording gives its columns. */
static void replay_is_the_recording(void **state)
{
    (void)state;
    test_live live;
    spk_recording *recording = NULL;
    spk_live_source_options options = test_live_defaults();
    spk_read_options read;
    spk_read_options_init(&read, sizeof read);
    read.sort = true;
    options.speed = 0;
    options.read = &read;
    const char *path = SPK_SOURCE_DIR "/data/songbird_spikes.txt";
    assert_int_equal(spk_recording_read(NULL, path, &read, &recording), SPK_OK);
    const spk_events events = spk_recording_events(recording);
    test_live_open(&live, path, &options);
    test_live_wait(&live, SIZE_MAX);
    assert_true(live.ended);
    assert_int_equal(live.n, events.n_events);
    assert_int_equal(live.borders, 1);
    for (size_t k = 0; k < live.n; k++)
        test_live_assert_spike(&live, k, events.time[k],
                               spk_recording_label(recording, events.unit[k]));
    spk_recording_free(recording);
    test_live_close(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_of_trials),
        cmocka_unit_test(replay_in_time),
        cmocka_unit_test(replay_is_punctual),
        cmocka_unit_test(replay_is_the_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
