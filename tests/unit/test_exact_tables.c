/* What the exact test says of its results: which part explains the rest, and how tables tell it. */
#include "support/context.h"

static const spk_duration jitter = {5, -2, 0};

/* 0 -> 1 is planted; unit 2 is so busy that it follows most of its occurrences. */
static spk_recording *make_chain_and_noise(test_random *random)
{
    enum { N_CHAINS = 80, N_BUSY = 3000 };
    static int64_t time[2 * N_CHAINS + N_BUSY];
    static uint32_t unit[2 * N_CHAINS + N_BUSY];
    spk_recording_source source;
    spk_recording *recording = NULL;
    uint64_t n = 0;
    for (int k = 0; k < N_CHAINS; k++) {
        int64_t start = test_random_between(random, 0, 19000);
        time[n] = start, unit[n++] = 0;
        time[n] = start + 3, unit[n++] = 1;
    }
    for (int k = 0; k < N_BUSY; k++, n++)
        time[n] = test_random_between(random, 0, 19999), unit[n] = 2;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    source.n_units = 3;
    source.rate = (spk_rate){1000, 1};
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

static void a_busy_unit_behind_a_pair_is_explained(void **state)
{
    (void)state;
    static const spk_delay delay = {{2, -3, 0}, {1, -2, 0}};
    static const uint32_t units[] = {0, 1, 2};
    const spk_delay delays[] = {delay, delay};
    const spk_exact_verdict verdict[2] = {{.scale = 0}};
    test_random random = test_random_make(4, 0);
    spk_episode_list *list = NULL;
    spk_episode_options episodes;
    spk_exact_options options;
    spk_recording *recording = make_chain_and_noise(&random);
    double p[2];
    uint32_t left_out[2];
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay, episodes.n_delays = 1;
    spk_exact_options_init(&options, sizeof options);
    options.episodes = &episodes;
    options.jitter = &jitter, options.n_jitter = 1;
    check(spk_episode_list_create(context, &list));
    check(spk_episode_list_append(context, list, 2, units, delays));
    check(spk_episode_list_append(context, list, 3, units, delays));
    check(spk_episode_count(context, recording, NULL, list, NULL));
    const spk_episode_columns columns = spk_episode_list_columns(list);
    check(spk_exact_explain_episodes(context, recording, &options, &columns, verdict, p, left_out));
    assert_true(p[0] < 1e-6);
    assert_true(p[1] > 0.001);
    assert_int_equal(left_out[1], 2);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* The same of patterns; the table names the part. */
static void tables_name_the_part(void **state)
{
    (void)state;
    static const uint64_t offset[] = {0, 2, 5};
    static const uint32_t item[] = {0, 10 + 3, 0, 10 + 3, 20 + 5}; /* windows of 10 bins */
    uint32_t count[2] = {0};
    const spk_exact_verdict verdict[2] = {
        {.score = 7250, .expected = 2.5, .p = 0.005, .e_value = 0.25, .fdr = 0.125},
        {.score = 50, .expected = 1, .p = 1, .e_value = 3, .fdr = 1}};
    test_random random = test_random_make(4, 1);
    spk_recording *recording = make_chain_and_noise(&random);
    spk_window_options cut;
    spk_pattern_options patterns;
    spk_exact_options options;
    spk_windows *windows = NULL;
    spk_pattern_locator *locator = NULL;
    spk_writer *writer = NULL;
    spk_exact_report report;
    double p[2];
    uint32_t left_out[2];
    spk_window_options_init(&cut, sizeof cut);
    spk_pattern_options_init(&patterns, sizeof patterns);
    spk_exact_options_init(&options, sizeof options);
    cut.bin = (spk_duration){1, -3, 0}, cut.window = 10;
    options.windows = &cut, options.patterns = &patterns;
    options.jitter = &jitter, options.n_jitter = 1;
    check(spk_windows_create(context, recording, &cut, &windows));
    check(spk_pattern_locator_create(context, windows, &locator));
    for (int k = 0; k < 2; k++) {
        const uint32_t *window;
        check(spk_pattern_locate(locator, (uint32_t)(offset[k + 1] - offset[k]), item + offset[k],
                                 &window, &count[k]));
    }
    const spk_pattern_columns columns = {2, 10, offset, item, count};
    check(spk_exact_explain_patterns(context, recording, &options, &columns, verdict, p, left_out));
    assert_true(p[0] < 1e-6);
    assert_true(p[1] > 0.001);
    assert_int_equal(left_out[1], 2);
    left_out[0] = SPK_NOT_EXPLAINED;
    spk_exact_report_init(&report, sizeof report);
    report.jitter = &jitter, report.n_jitter = 1, report.n_rows = 2;
    report.verdict = verdict, report.left_out = left_out;
    check(spk_pattern_writer_open(context, test_path("parts.tsv"), SPK_FORM_TSV, windows, recording,
                                  &writer));
    check(spk_writer_set_exact(writer, &report));
    check(spk_pattern_writer_add(writer, &columns));
    check(spk_writer_commit(writer, NULL));
    char *text = test_file_text("parts.tsv"), expected[400];
    snprintf(expected, sizeof expected,
             "spikes\toccurrences\tneurons\tduration\tpattern\texpected\tscore\tp\te_value\tfdr\t"
             "explained_by\n"
             "2\t%u\t2\t3\t0@0 1@3\t2.5\t7.25\t0.005\t0.25\t0.125\t-\n"
             "3\t%u\t3\t5\t0@0 1@3 2@5\t1\t0.05\t1\t3\t1\t0@0 1@3\n",
             count[0], count[1]);
    assert_string_equal(text, expected);
    free(text);
    spk_pattern_locator_free(locator);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* Several windows D have a column each. */
static void tables_tell_each_window(void **state)
{
    (void)state;
    static const spk_delay delay = {{2, -3, 0}, {1, -2, 0}};
    static const spk_duration windows[] = {{2, -2, 0}, {5, -2, 0}};
    static const uint32_t units[] = {0, 1};
    static const double scale_p[] = {0.02, 0.01};
    const spk_exact_verdict verdict = {.scale = 1, .score = 1000, .expected = 2, .p = 0.02};
    test_random random = test_random_make(4, 2);
    spk_recording *recording = make_chain_and_noise(&random);
    spk_episode_list *list = NULL;
    spk_writer *writer = NULL;
    spk_exact_report report;
    check(spk_episode_list_create(context, &list));
    check(spk_episode_list_append(context, list, 2, units, &delay));
    const spk_episode_columns columns = spk_episode_list_columns(list);
    spk_exact_report_init(&report, sizeof report);
    report.jitter = windows, report.n_jitter = 2, report.n_rows = 1;
    report.verdict = &verdict, report.scale_p = scale_p;
    check(spk_episode_writer_open(context, test_path("scales.tsv"), SPK_FORM_TSV, recording,
                                  &writer));
    check(spk_writer_set_exact(writer, &report));
    check(spk_episode_writer_add(writer, &columns));
    check(spk_writer_commit(writer, NULL));
    char *text = test_file_text("scales.tsv");
    assert_string_equal(
        text, "size\tcount\tepisode\texpected\tscore\tp\te_value\tfdr\tjitter\tp_20ms\tp_50ms\n"
              "2\t0\t0 (2ms,10ms] 1\t2\t1\t0.02\t0\t0\t50ms\t0.02\t0.01\n");
    free(text);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* Nulls are listed with the methods of their surrogates, and told in words. */
static void nulls_are_listed(void **state)
{
    (void)state;
    static const spk_duration windows[] = {{5, -3, 0}, {25, -3, 0}};
    const spk_duration history = {1, -2, 0}, none = {-1, 0, 0};
    char text[100];
    for (size_t k = 0; k < spk_exact_null_count(); k++) {
        const spk_exact_null *null = spk_exact_null_get(k);
        bool is_method = false;
        for (size_t m = 0; m < spk_surrogate_method_count(); m++)
            is_method |= strcmp(spk_surrogate_method_get(m)->name, null->method) == 0;
        assert_true(is_method && strlen(null->says) > 0);
    }
    assert_null(spk_exact_null_get(spk_exact_null_count()));
    spk_exact_null_format("pattern-jitter", history, windows, 2, text, sizeof text);
    assert_string_equal(text, "pattern jitter within 5ms, 25ms, history 10ms");
    spk_exact_null_format("shift", none, windows, 1, text, sizeof text);
    assert_string_equal(text, "shift within 5ms");
    spk_exact_null_format(NULL, history, windows, 1, text, sizeof text);
    assert_string_equal(text, "the chosen null hypothesis within 5ms");
}

/* Nulls that break rates which change together say so; trials keep what a stimulus does. */
static void cautions_of_nulls(void **state)
{
    (void)state;
    const spk_duration windows[] = {{25, -3, 0}, {5, -3, 0}};
    char text[300];
    for (size_t k = 0; k < spk_exact_null_count(); k++) {
        const char *name = spk_exact_null_get(k)->name;
        const size_t n = spk_exact_null_caution(name, windows, 2, text, sizeof text);
        assert_int_equal(n, strlen(text));
        assert_true((n == 0) == (strcmp(name, "trials") == 0));
        if (strcmp(name, "shift-apart") == 0)
            assert_non_null(strstr(text, "each is shifted as a whole"));
        else if (n > 0)
            assert_non_null(strstr(text, "within less than 25ms"));
    }
    assert_int_equal(spk_exact_null_caution(NULL, windows, 1, text, sizeof text), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cautions_of_nulls),
        cmocka_unit_test(a_busy_unit_behind_a_pair_is_explained),
        cmocka_unit_test(tables_name_the_part),
        cmocka_unit_test(tables_tell_each_window),
        cmocka_unit_test(nulls_are_listed),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
