/* Durations, decimals, natural order, and recordings made from columns. */
#include "base/label.h"
#include "support/test.h"

static spk_duration duration(const char *text)
{
    spk_duration out;
    assert_int_equal(spk_duration_parse(NULL, text, strlen(text), &out), SPK_OK);
    return out;
}

static void durations_keep_their_text(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"5ms", "5ms"},          {"0.005 s", "5ms"},
                                           {"1e-3s", "1ms"},        {"0", "0"},
                                           {"inf", "inf"},          {"250us", "250us"},
                                           {"0.5us", "500ns"},      {"1.5ns", "1.5ns"},
                                           {"120s", "120s"},        {"12.34ms", "12.34ms"},
                                           {"1000ms", "1s"},        {"0.0001ns", "0.0001ns"},
                                           {"4990us", "4.99ms"},    {"-1500ms", "-1.5s"},
                                           {"1.2345s", "1234.5ms"}, {"1.2345678ms", "1234567.8ns"},
                                           {"999us", "999us"},      {"0.9995ms", "999.5us"}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        char text[48];
        spk_duration_format(duration(pairs[k][0]), text, sizeof text);
        assert_string_equal(text, pairs[k][1]);
    }
}

static void bad_durations_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"5",   "",      "ms", "5 parsecs", "5ms5",
                                      "nan", "--5ms", "1e", "0x5ms"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        spk_duration out;
        assert_int_equal(spk_duration_parse(NULL, bad[k], strlen(bad[k]), &out), SPK_ERR_FORMAT);
    }
    static const char *const wild[] = {"1234567890123456789ms",
                                       "41e-100000ns",
                                       "41e100000s",
                                       "1e10001s",
                                       "1e-10001s",
                                       "1e-9992ns"};
    for (size_t k = 0; k < sizeof wild / sizeof wild[0]; k++) {
        spk_duration out;
        assert_int_equal(spk_duration_parse(NULL, wild[k], strlen(wild[k]), &out), SPK_ERR_RANGE);
    }
}

/* An exponent that is not read to its end must not be made up for by as many decimals. */
static void long_decimals_with_wild_exponents_are_refused(void **state)
{
    (void)state;
    enum { DECIMALS = 100000 };
    char *text = malloc(DECIMALS + 32);
    assert_non_null(text);
    memcpy(text, "0.", 2);
    memset(text + 2, '0', DECIMALS);
    strcpy(text + 1 + DECIMALS, "1e1000000s");
    spk_duration out;
    assert_int_equal(spk_duration_parse(NULL, text, strlen(text), &out), SPK_ERR_RANGE);
    free(text);
}

static void durations_at_the_ends_of_the_range_are_read_again(void **state)
{
    (void)state;
    static const char *const ends[] = {"1e10000s", "1e-10000s", "1e-9991ns",
                                       "999999999999999999e-10000s"};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        char text[48];
        spk_duration first = duration(ends[k]);
        spk_duration_format(first, text, sizeof text);
        spk_duration second = duration(text);
        assert_true(first.digits == second.digits && first.exponent == second.exponent);
    }
}

static void ticks_are_floored_exactly(void **state)
{
    (void)state;
    spk_rate us10 = {100000, 1};
    assert_int_equal(spk_duration_ticks(duration("5ms"), us10), 500);
    assert_int_equal(spk_duration_ticks(duration("5.009999999ms"), us10), 500);
    assert_int_equal(spk_duration_ticks(duration("5.01ms"), us10), 501);
    assert_int_equal(spk_duration_ticks(duration("0"), us10), 0);
    assert_true(spk_duration_ticks(duration("inf"), us10) == UINT64_MAX);
    assert_true(spk_duration_ticks(duration("1e30s"), us10) == UINT64_MAX);
    assert_int_equal(spk_duration_ticks(duration("1e-30s"), us10), 0);
    spk_rate third = {1, 3}; /* ticks of 3 s */
    assert_int_equal(spk_duration_ticks(duration("8.9s"), third), 2);
    assert_int_equal(spk_duration_ticks(duration("9s"), third), 3);
    spk_rate fast = {UINT64_MAX, 1};
    assert_true(spk_duration_ticks(duration("1s"), fast) == UINT64_MAX);
}

static void labels_have_a_natural_order(void **state)
{
    (void)state;
    static const char *const ordered[] = {"",    "1", "01",   "2",     "9",    "10",
                                          "100", "a", "a1b2", "a1b10", "a2b1", "b"};
    size_t n = sizeof ordered / sizeof ordered[0];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int order = spk_natural_compare(ordered[i], ordered[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void recordings_are_put_in_order(void **state)
{
    (void)state;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    const int64_t time[] = {30, 10, 10, 10, 20};
    const uint32_t unit[] = {0, 1, 2, 1, 0};
    const char *const labels[] = {"ch10", "ch2", "ch1"};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 5, time, unit, 3, labels, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_events e = spk_recording_events(recording);
    const char *reason = NULL;
    assert_true(spk_recording_validate(recording, &reason));
    assert_int_equal(e.n_events, 4);
    assert_string_equal(spk_recording_label(recording, 0), "ch1");
    assert_string_equal(spk_recording_label(recording, 2), "ch10");
    assert_int_equal(e.unit[0], 0);
    assert_int_equal(e.unit[1], 1);
    assert_int_equal(spk_recording_get_facts(recording)->duplicates, 1);
    assert_int_equal(spk_recording_get_facts(recording)->ties, 1);
    uint32_t found = 0;
    assert_true(spk_recording_find_unit(recording, "ch2", &found));
    assert_int_equal(found, 1);
    assert_false(spk_recording_find_unit(recording, "ch3", &found));

    spk_recording *slice = NULL;
    int64_t start = 10;
    int64_t stop = 30;
    uint32_t keep[] = {2};
    assert_int_equal(spk_recording_slice(context, recording, &start, &stop, 1, keep, &slice),
                     SPK_OK);
    assert_int_equal(spk_recording_events(slice).n_events, 1);
    assert_int_equal(spk_recording_events(slice).time[0], 20);
    assert_true(spk_recording_validate(slice, &reason));
    spk_recording_free(slice);
    spk_recording_free(recording);
    spk_context_free(context);
}

static void times_print_exactly(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 0, NULL, (spk_rate){100000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    static const struct {
        int64_t ticks;
        const char *text;
    } cases[] = {{6012, "0.06012"},
                 {-6012, "-0.06012"},
                 {100000, "1"},
                 {INT64_MIN, "-92233720368547.75808"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[48];
        spk_recording_format_time(recording, cases[k].ticks, text, sizeof text);
        assert_string_equal(text, cases[k].text);
    }
    spk_recording_free(recording);
    spk_context_free(context);
}

static void available_memory_is_less_than_there_is(void **state)
{
    (void)state;
    uint64_t available = spk_memory_available();
    if (available == 0)
        skip(); /* a system that does not say */
    assert_true(available > UINT64_C(1) << 20);
    assert_true(available <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_keep_their_text),
        cmocka_unit_test(bad_durations_are_refused),
        cmocka_unit_test(long_decimals_with_wild_exponents_are_refused),
        cmocka_unit_test(durations_at_the_ends_of_the_range_are_read_again),
        cmocka_unit_test(ticks_are_floored_exactly),
        cmocka_unit_test(labels_have_a_natural_order),
        cmocka_unit_test(recordings_are_put_in_order),
        cmocka_unit_test(times_print_exactly),
        cmocka_unit_test(available_memory_is_less_than_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
