/* Suggested jobs: what is told of them is so. */
#include "support/context.h"

/* Of a recording that is mined as a whole every number is exact, and the job has no more candidates
 * than the trial was allowed. */
static void bundled_recordings(void **state)
{
    (void)state;
    static const char *const names[] = {"movement_PGHF.spikes.txt", "songbird_spikes.txt"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        spk_recording *recording = test_recording_bundled(context, names[k]);
        spk_episode_suggestion s, again;
        static spk_episode_summary summary;
        assert_int_equal(spk_episode_suggest(context, recording, &s), SPK_OK);
        assert_int_equal(spk_episode_suggest(context, recording, &again), SPK_OK);
        assert_true(s.found);
        assert_int_equal(s.support, again.support);
        assert_int_equal(spk_duration_compare(s.delay.hi, again.delay.hi), 0);
        assert_int_equal(s.n_sampled, spk_recording_events(recording).n_events);
        spk_episode_options options;
        spk_episode_options_init(&options, sizeof options);
        options.delays = &s.delay;
        options.n_delays = 1;
        options.support = s.support;
        options.engine = "fsm";
        assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary),
                         SPK_OK);
        uint64_t candidates = 0;
        for (uint32_t l = 0; l < summary.n_levels; l++)
            candidates += summary.level[l].candidates;
        assert_true(summary.n_levels >= 2);
        assert_int_equal(summary.level[1].frequent, s.pairs);
        assert_int_equal(candidates, s.candidates);
        assert_true(candidates < 200000);
        assert_true(s.support >= 10);
        spk_recording_free(recording);
    }
}

/* A grid of 1/30 s: the delay holds one and two of its steps, and no bound lies on a point. */
static void delays_suit_the_grid(void **state)
{
    (void)state;
    char text[400];
    spk_time_grid grid;
    spk_episode_suggestion s;
    spk_recording *recording = test_recording_bundled(context, "songbird_spikes.txt");
    assert_int_equal(spk_episode_suggest(context, recording, &s), SPK_OK);
    assert_int_equal(spk_duration_compare(s.delay.hi, (spk_duration){1, 0, 12}), 0);
    spk_recording_find_grid(recording, &grid);
    assert_int_equal(spk_time_grid_check_delay(&grid, s.delay.lo, s.delay.hi, text, sizeof text),
                     0);
    spk_recording_free(recording);
}

/* Of long recordings a part is looked at, and the support is that of the whole. */
static void long_recordings_are_sampled(void **state)
{
    (void)state;
    enum { N = 300000 };
    int64_t *time = malloc(N * sizeof *time);
    uint32_t *unit = malloc(N * sizeof *unit);
    assert_true(time != NULL && unit != NULL);
    for (uint32_t k = 0; k < N; k++) { /* 0 -> 1 after 7 ms, every 20 ms */
        time[k] = (int64_t)(k / 2) * 20 + (k % 2) * 7;
        unit[k] = k % 2;
    }
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_episode_suggestion s;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = N;
    source.time = time;
    source.unit = unit;
    source.n_units = 2;
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_episode_suggest(context, recording, &s), SPK_OK);
    assert_true(s.found);
    assert_int_equal(s.n_sampled, 100000);
    assert_int_equal(s.pairs, 1);
    assert_true(s.support >= 9 && s.support < N / 2);
    spk_recording_free(recording);
    free(time);
    free(unit);
}

static void few_events_suggest_nothing(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_episode_suggestion s;
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_episode_suggest(context, recording, &s), SPK_OK);
    assert_false(s.found);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_recordings),
        cmocka_unit_test(delays_suit_the_grid),
        cmocka_unit_test(long_recordings_are_sampled),
        cmocka_unit_test(few_events_suggest_nothing),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
