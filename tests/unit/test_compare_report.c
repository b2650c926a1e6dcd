/* What tables say of a comparison of two conditions. */
#include "support/context.h"

static spk_recording *recording;
static spk_compare_report report;

static const spk_compare_verdict verdicts[] = {
    {.tested = true,
     .count = {3, 12},
     .rate_hz = {0.3, 1.2},
     .difference_hz = 0.9,
     .lower_hz = 0.25,
     .upper_hz = 1.55,
     .z = 3.5,
     .p = 0.01},
    {.tested = true,
     .count = {5, 5},
     .rate_hz = {0.5, 0.5},
     .lower_hz = -HUGE_VAL,
     .upper_hz = HUGE_VAL,
     .p = 1},
};

static int setup(void **state)
{
    static const int64_t time[] = {0, 5, 9};
    static const uint32_t unit[] = {0, 1, 1};
    (void)state;
    check(spk_context_create(&context));
    check(test_recording_create(context, 3, time, unit, 2, NULL, (spk_rate){1000, 1}, NULL, NULL,
                                &recording));
    spk_compare_report_init(&report, sizeof report);
    assert_true(report.alpha == 0.05);
    report.label[0] = "go";
    report.label[1] = "no go";
    report.seed = 7;
    report.summary = (spk_compare_summary){.trials = {4, 5},
                                           .duration_s = {10, 10},
                                           .n_permutations = 125,
                                           .all = true,
                                           .n_tested = 40,
                                           .smallest_p = 1.0 / 126,
                                           .critical_z = 2.5};
    report.n_significant = 1;
    report.n_rows = 2;
    report.verdict = verdicts;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}

static char *write_episodes(const char *name, spk_table_form format)
{
    static const uint64_t offset[] = {0, 1, 2}, count[] = {15, 10};
    static const uint32_t unit[] = {0, 1};
    static const uint16_t delay[] = {0, 0};
    static const spk_provenance provenance = {.threads = 1};
    static const spk_delay interval = {{0, 0, 0}, {5, -3, 0}};
    const spk_episode_columns columns = {.n = 2,
                                         .offset = offset,
                                         .unit = unit,
                                         .delay = delay,
                                         .count = count,
                                         .delays = &interval,
                                         .n_delays = 1};
    spk_writer *writer = NULL;
    check(spk_episode_writer_open(context, test_path(name), format, recording, &writer));
    check(spk_writer_set_compare(writer, &report));
    check(spk_episode_writer_add(writer, &columns));
    check(spk_writer_commit(writer, &provenance));
    return test_file_text(name);
}

static void holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in\n%s", part, text);
}

static void episodes_have_columns(void **state)
{
    (void)state;
    char *text = write_episodes("episodes.tsv", SPK_FORM_TSV);
    assert_string_equal(
        text, "size\tcount\tepisode\tcount_a\tcount_b\trate_a_hz\trate_b_hz\tdifference_hz\t"
              "lower_hz\tupper_hz\tmore_in\tz\tp\n"
              "1\t15\t0\t3\t12\t0.3\t1.2\t0.9\t0.25\t1.55\tb\t3.5\t0.01\n"
              "1\t10\t1\t5\t5\t0.5\t0.5\t0\t-inf\tinf\t-\t0\t1\n");
    free(text);
    text = write_episodes("episodes.json", SPK_FORM_JSON);
    holds(text, "\"count_a\":3,\"count_b\":12,\"rate_a_hz\":0.3,\"rate_b_hz\":1.2,"
                "\"difference_hz\":0.9,\"lower_hz\":0.25,\"upper_hz\":1.55,\"more_in\":\"b\","
                "\"z\":3.5,\"p\":0.01}");
    holds(text, "\"lower_hz\":null,\"upper_hz\":null,\"more_in\":null");
    holds(text, "\"label\": \"no go\"");
    holds(text, "\"permutations\": 125");
    holds(text, "\"all_permutations\": true");
    free(text);
}

static void patterns_have_columns(void **state)
{
    static const uint64_t offset[] = {0, 2};
    static const uint32_t item[] = {0, 3}, count[] = {1};
    const spk_pattern_columns columns = {1, 2, offset, item, count};
    spk_window_options options;
    spk_windows *windows = NULL;
    spk_writer *writer = NULL;
    (void)state;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){5, -3, 0};
    options.window = 2;
    check(spk_windows_create(context, recording, &options, &windows));
    check(spk_pattern_writer_open(context, test_path("patterns.tsv"), SPK_FORM_TSV, windows,
                                  recording, &writer));
    check(spk_writer_set_compare(writer, &report));
    check(spk_pattern_writer_add(writer, &columns));
    check(spk_writer_commit(writer, NULL));
    char *text = test_file_text("patterns.tsv");
    holds(text, "\tpattern\tcount_a\tcount_b\t");
    holds(text, "\t0@0 1@1\t3\t12\t0.3\t1.2\t0.9\t0.25\t1.55\tb\t3.5\t0.01\n");
    free(text);
    spk_windows_free(windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_have_columns),
        cmocka_unit_test(patterns_have_columns),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
