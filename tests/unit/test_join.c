/* Two recordings in one: each segment holds what it held, in the time of its recording. */
#include "support/context.h"

static uint64_t seed;

/* Some labels are in both, others in one; segments overlap, and may begin between ticks. */
static spk_recording *make(test_random *random, const char *const *labels, spk_rate rate,
                           bool overlapping)
{
    enum { EVENTS = 200 };
    static const spk_time_range ranges[] = {
        {{1, -1, 0}, {5, -1, 0}}, {{2, 0, 3}, {1, 0, 0}}, {{15, -1, 0}, {17, 0, 7}}};
    static const spk_time_range overlaps[] = {{{1, -1, 0}, {1, 0, 0}}, {{5, -1, 0}, {15, -1, 0}}};
    int64_t time[EVENTS], stop = (int64_t)(3 * rate.numerator / rate.denominator);
    uint32_t unit[EVENTS];
    spk_recording_source source;
    spk_recording *whole = NULL, *cut = NULL;
    for (int e = 0; e < EVENTS; e++) {
        time[e] = test_random_between(random, 0, stop - 1);
        unit[e] = (uint32_t)test_random_below(random, 3);
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = EVENTS;
    source.time = time;
    source.unit = unit;
    source.n_units = 3;
    source.labels = labels;
    source.rate = rate;
    source.stop = &stop;
    check(spk_recording_create(context, &source, &whole));
    check(spk_recording_cut(context, whole, overlapping ? 2 : 3, overlapping ? overlaps : ranges,
                            &cut));
    spk_recording_free(whole);
    return cut;
}

static spk_windows *make_windows(const spk_recording *recording)
{
    spk_windows *windows = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, -2, 3};
    options.window = 3;
    check(spk_windows_create(context, recording, &options, &windows));
    return windows;
}

/* Windows of trial k: their bins and the labels of their units. */
static void check_trial(const spk_recording *one, const spk_windows *of_one, size_t k,
                        const spk_recording *both, const spk_windows *of_both, size_t k_both)
{
    const spk_window_columns a = spk_windows_columns(of_one), b = spk_windows_columns(of_both);
    uint64_t i = 0, j = 0;
    while (i < a.n_windows && a.trial[i] < k)
        i++;
    while (j < b.n_windows && b.trial[j] < k_both)
        j++;
    for (; i < a.n_windows && a.trial[i] == k; i++, j++) {
        assert_true(j < b.n_windows && b.trial[j] == k_both);
        assert_int_equal(a.start_bin[i], b.start_bin[j]);
        assert_int_equal(a.first[i + 1] - a.first[i], b.first[j + 1] - b.first[j]);
        for (uint64_t n = 0; n < a.first[i + 1] - a.first[i]; n++) {
            uint32_t x = a.item[a.first[i] + n], label_of = 0;
            const char *label = spk_recording_label(one, x / 3);
            bool found = false;
            assert_true(spk_recording_find_unit(both, label, &label_of));
            for (uint64_t m = b.first[j]; m < b.first[j + 1]; m++)
                found |= b.item[m] == label_of * 3 + x % 3;
            assert_true(found);
        }
    }
    assert_true(j == b.n_windows || b.trial[j] > k_both);
}

static void check_joined(const spk_recording *a, const spk_recording *b, const spk_recording *both)
{
    size_t n_a = 0, n_b = 0, n = 0;
    const char *reason = NULL;
    (void)spk_recording_segments(a, &n_a);
    (void)spk_recording_segments(b, &n_b);
    const spk_segment *segment = spk_recording_segments(both, &n);
    spk_windows *of_a = make_windows(a), *of_b = make_windows(b), *of_both = make_windows(both);
    if (!spk_recording_validate(both, &reason))
        fail_msg("%s", reason);
    assert_int_equal(n, n_a + n_b);
    for (size_t k = 0; k < n_a; k++) {
        assert_true(segment[k].stop <= segment[n_a].start);
        check_trial(a, of_a, k, both, of_both, k);
    }
    for (size_t k = 0; k < n_b; k++)
        check_trial(b, of_b, k, both, of_both, n_a + k);
    assert_int_equal(spk_windows_columns(of_both).n_windows,
                     spk_windows_columns(of_a).n_windows + spk_windows_columns(of_b).n_windows);
    spk_windows_free(of_a);
    spk_windows_free(of_b);
    spk_windows_free(of_both);
}

static void segments_stay_what_they_are(void **state)
{
    static const spk_rate rates[] = {{1000, 1}, {30000, 1}, {390625, 16}, {24000, 1}, {1000, 3}};
    static const char *const labels[][3] = {{"1", "2", "10"}, {"10", "x", "2"}, {"p", "q", "r"}};
    (void)state;
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *both = NULL;
        const spk_rate rate_a = rates[test_random_below(&random, 5)];
        const spk_rate rate_b = rates[test_random_below(&random, 5)];
        spk_recording *a = make(&random, labels[test_random_below(&random, 3)], rate_a,
                                test_random_chance(&random, 0.3));
        spk_recording *b = make(&random, labels[test_random_below(&random, 3)], rate_b,
                                test_random_chance(&random, 0.3));
        check(spk_recording_join(context, a, b, &both));
        const spk_rate rate = spk_recording_rate(both);
        assert_int_equal(
            rate.numerator * rate_a.denominator % (rate.denominator * rate_a.numerator), 0);
        assert_int_equal(
            rate.numerator * rate_b.denominator % (rate.denominator * rate_b.numerator), 0);
        check_joined(a, b, both);
        spk_recording_free(a);
        spk_recording_free(b);
        spk_recording_free(both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_stay_what_they_are),
    };
    seed = test_seed("test_join");
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
