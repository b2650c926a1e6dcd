/* Surrogates that keep intervals, or that move spikes by what their intervals allow. */
#include "support/surrogates.h"
#include "support/test.h"

enum { MOST_EVENTS = TEST_SURROGATE_EVENTS };

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A spike train of intervals from 3 to 40 ms from tick `start` on. */
static uint64_t draw_train(test_random *random, int64_t start, int64_t *time)
{
    uint64_t n = test_random_below(random, MOST_EVENTS);
    for (uint64_t i = 0; i < n; i++)
        time[i] = (i > 0 ? time[i - 1] : start) + test_random_between(random, 3, 40);
    return n;
}

/* The intervals of a train with the one from the tick before the start, in order of length. */
static void list_intervals(const spk_recording *recording, int64_t *interval)
{
    spk_events e = spk_recording_events(recording);
    int64_t before = spk_recording_start(recording) - 1;
    for (uint64_t i = 0; i < e.n_events; i++) {
        interval[i] = e.time[i] - before;
        before = e.time[i];
    }
    qsort(interval, (size_t)e.n_events, sizeof *interval, compare);
}

static void shuffling_keeps_the_intervals(void **state)
{
    (void)state;
    uint64_t seed = test_seed("shuffling_keeps_the_intervals"), n_changed = 0;
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        int64_t time[MOST_EVENTS], interval[2][MOST_EVENTS], start = -50;
        uint64_t n = draw_train(&random, start, time);
        spk_recording *recording = test_one_unit(n, time, start, 20000);
        spk_surrogate_options options = test_surrogate_options("shuffle-isis", 15, c);
        spk_recording *made = test_surrogate(recording, &options, 1);
        assert_int_equal(spk_recording_events(made).n_events, n);
        list_intervals(recording, interval[0]);
        list_intervals(made, interval[1]);
        if (n > 0) {
            assert_memory_equal(interval[0], interval[1], n * sizeof(int64_t));
            n_changed += memcmp(spk_recording_events(made).time, time, n * sizeof *time) != 0;
            assert_true(spk_recording_events(made).time[n - 1] == time[n - 1]);
        }
        spk_recording_free(recording);
        spk_recording_free(made);
    }
    assert_true(n_changed > 0);
}

/* All six orders of three intervals are equally likely: five standard deviations. */
static void orders_are_uniform(void **state)
{
    (void)state;
    enum { N = 6000 };
    static const int64_t time[] = {0, 2, 6}; /* intervals of 1, 2 and 4 from the tick before 0 */
    spk_recording *recording = test_one_unit(3, time, 0, 10);
    spk_surrogate_options options = test_surrogate_options("shuffle-isis", 15, 4);
    spk_surrogates *surrogates = NULL;
    int n_of[7][7] = {{0}}, n_met = 0;
    assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
    for (uint64_t k = 1; k <= N; k++) {
        spk_recording *made = NULL;
        assert_int_equal(spk_surrogates_make(NULL, surrogates, k, &made), SPK_OK);
        const int64_t *t = spk_recording_events(made).time;
        assert_true(t[0] >= 0 && t[1] < 6 && t[2] == 6);
        n_of[t[0]][t[1]]++;
        spk_recording_free(made);
    }
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++) {
            double off = n_of[a][b] - N / 6.0;
            n_met += n_of[a][b] > 0;
            assert_true(n_of[a][b] == 0 || off * off < 25 * N / 6.0);
        }
    assert_int_equal(n_met, 6);
    spk_surrogates_free(surrogates);
    spk_recording_free(recording);
}

/* Methods that keep order: spike i moves up to the dither, no interval falls below the refractory
 * period, or the unit's shortest; (joint) ISI dithering leaves the two ends where they are. */
static void order_and_refractory_period_stay(void **state)
{
    (void)state;
    static const char *const method[] = {"dither-spikes-with-refractory-period",
                                         "joint-isi-dithering", "isi-dithering"};
    uint64_t seed = test_seed("order_and_refractory_period_stay"), n_moved = 0;
    for (uint64_t c = 0; c < test_scaled(600); c++) {
        test_random random = test_random_make(seed, c);
        int64_t time[MOST_EVENTS], shortest = test_random_between(&random, 1, 10);
        uint64_t n = draw_train(&random, 0, time);
        spk_recording *recording = test_one_unit(n, time, 0, 20000);
        spk_surrogate_options options = test_surrogate_options(method[c % 3], 7, c);
        options.refractory = in_ms(shortest);
        options.truncation = (spk_duration){test_random_between(&random, 30, 120), -3, 7};
        options.n_bins = (uint32_t)test_random_between(&random, 2, 120);
        options.sigma = in_ms(test_random_between(&random, 0, 4));
        options.alternate = test_random_chance(&random, 0.7);
        options.use_sqrt = test_random_chance(&random, 0.3);
        spk_recording *made = test_surrogate(recording, &options, 1);
        const int64_t *moved = spk_recording_events(made).time;
        assert_int_equal(spk_recording_events(made).n_events, n);
        for (uint64_t i = 1; i < n; i++)
            shortest = time[i] - time[i - 1] < shortest ? time[i] - time[i - 1] : shortest;
        for (uint64_t i = 0; i < n; i++) {
            assert_true(llabs(moved[i] - time[i]) <= 7);
            n_moved += moved[i] != time[i];
            assert_true(i == 0 || moved[i] - moved[i - 1] >= shortest);
        }
        if (n > 0 && c % 3 != 0)
            assert_true(moved[0] == time[0] && moved[n - 1] == time[n - 1]);
        spk_recording_free(recording);
        spk_recording_free(made);
    }
    assert_true(n_moved > 0);
}

/* Trials of three spikes, 10 ms and 20 ms apart or 20 ms and 10 ms: the unit's joint distribution
 * knows no other pairs. Without smoothing the middle spike stays, or moves by 10 ms to the mirror
 * image; with a dither below that it stays unless it may go up to its neighbours. */
static void joint_intervals_are_kept(void **state)
{
    (void)state;
    enum { TRIALS = 80 };
    int64_t time[3 * TRIALS];
    static const uint32_t unit[3 * TRIALS];
    spk_segment trial[TRIALS];
    spk_recording_source source;
    spk_recording *recording = NULL;
    for (int64_t k = 0; k < TRIALS; k++) {
        trial[k] = (spk_segment){40 * k, 40 * (k + 1)};
        time[3 * k] = 40 * k + 5;
        time[3 * k + 1] = 40 * k + (k % 2 == 0 ? 15 : 25);
        time[3 * k + 2] = 40 * k + 35;
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 3 * TRIALS;
    source.time = time;
    source.unit = unit;
    source.n_units = 1;
    source.rate = (spk_rate){1000, 1};
    source.segments = trial;
    source.n_segments = TRIALS;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    for (int way = 0; way < 3; way++) {
        spk_surrogate_options options =
            test_surrogate_options("joint-isi-dithering", way == 0 ? 15 : 9, 2);
        int n_mirrored = 0;
        options.sigma = in_ms(0);
        options.fast = way == 2;
        spk_recording *made = test_surrogate(recording, &options, 1);
        const int64_t *t = spk_recording_events(made).time;
        for (int k = 0; k < TRIALS; k++) {
            int64_t middle = t[3 * k + 1] - 40 * k;
            assert_true(middle == 15 || middle == 25);
            n_mirrored += t[3 * k + 1] != time[3 * k + 1];
        }
        assert_true(way == 1 ? n_mirrored == 0
                             : n_mirrored > TRIALS / 8 && n_mirrored < TRIALS * 7 / 8);
        spk_recording_free(made);
    }
    spk_recording_free(recording);
}

/* A spike in the middle of a flat histogram reaches both directions equally far. */
static void interval_steps_are_symmetric(void **state)
{
    (void)state;
    enum { N = 4000, REACH = 5 };
    int64_t time[MOST_EVENTS];
    uint64_t n = 0;
    for (int64_t at = 0, i = 0; i < 240; i++) { /* all intervals from 10 to 49, again and again */
        at += 10 + i * 17 % 40;
        time[n++] = at;
    }
    spk_recording *recording = test_one_unit(n, time, 0, time[n - 1] + 1);
    spk_surrogate_options options = test_surrogate_options("isi-dithering", REACH, 2);
    int n_by[2 * REACH + 1] = {0}, n_all = 0;
    for (uint64_t k = 1; k <= N / 100; k++) {
        spk_recording *made = test_surrogate(recording, &options, k);
        for (uint64_t i = 1; i + 1 < n; i += 2) { /* those that move first */
            n_by[spk_recording_events(made).time[i] - time[i] + REACH]++;
            n_all++;
        }
        spk_recording_free(made);
    }
    for (int d = 0; d <= 2 * REACH; d++)
        assert_true(n_by[d] > n_all / 20);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffling_keeps_the_intervals),
        cmocka_unit_test(orders_are_uniform),
        cmocka_unit_test(order_and_refractory_period_stay),
        cmocka_unit_test(joint_intervals_are_kept),
        cmocka_unit_test(interval_steps_are_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
