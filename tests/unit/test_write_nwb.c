/* NWB files that are written: they read back to the same recording. */
#include "support/context.h"

#if SPIKEMINE_HAVE_HDF5

enum { MOST_EVENTS = 200, MOST_UNITS = 12, MOST_SEGMENTS = 5 };

static spk_recording *make(const spk_recording_source *source)
{
    spk_recording *out = NULL;
    if (spk_recording_create(context, source, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return out;
}

static spk_recording *write_and_read(const spk_recording *recording, const char *name)
{
    spk_recording *out = NULL;
    if (spk_recording_write(context, recording, test_path(name), NULL) != SPK_OK ||
        spk_recording_read(context, test_path(name), NULL, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return out;
}

static void assert_same(const spk_recording *a, const spk_recording *b)
{
    spk_events x = spk_recording_events(a), y = spk_recording_events(b);
    size_t n_a = 0, n_b = 0;
    const spk_segment *s = spk_recording_segments(a, &n_a), *t = spk_recording_segments(b, &n_b);
    assert_int_equal(x.n_events, y.n_events);
    assert_int_equal(x.n_units, y.n_units);
    assert_memory_equal(x.time, y.time, x.n_events * sizeof *x.time);
    assert_memory_equal(x.unit, y.unit, x.n_events * sizeof *x.unit);
    for (uint32_t u = 0; u < x.n_units; u++)
        assert_string_equal(spk_recording_label(a, u), spk_recording_label(b, u));
    assert_int_equal(spk_recording_rate(a).numerator, spk_recording_rate(b).numerator);
    assert_int_equal(spk_recording_rate(a).denominator, spk_recording_rate(b).denominator);
    assert_int_equal(n_a, n_b);
    for (size_t k = 0; k < n_a; k++)
        assert_true(s[k].start == t[k].start && s[k].stop == t[k].stop);
}

/* ---- random recordings ----------------------------------------------------------------------- */

static const spk_rate RATES[] = {{1000, 1},   {30000, 1},   {390625, 16}, {1000000000, 1},
                                 {24414, 1},  {7919, 3},    {1, 1},       {1, 10},
                                 {100000, 1}, {1000003, 7}, {44100, 1},   {32000, 1}};

static void recordings_read_back(void **state)
{
    (void)state;
    uint64_t seed = test_seed("recordings_read_back"), n = test_scaled(300);
    for (uint64_t run = 0; run < n; run++) {
        test_random random = test_random_make(seed, run);
        int64_t time[MOST_EVENTS], at = 0;
        uint32_t unit[MOST_EVENTS];
        char text[MOST_UNITS][16];
        const char *labels[MOST_UNITS];
        spk_segment segments[MOST_SEGMENTS];
        spk_recording_source source;
        bool numbers = test_random_below(&random, 2) == 0;
        spk_recording_source_init(&source, sizeof source);
        source.n_units = 1 + (uint32_t)test_random_below(&random, MOST_UNITS);
        source.n_events = test_random_below(&random, MOST_EVENTS);
        source.rate = RATES[test_random_below(&random, sizeof RATES / sizeof RATES[0])];
        for (uint32_t u = 0; u < source.n_units; u++) {
            snprintf(text[u], sizeof text[u], numbers ? "%u" : "unit %u", (unsigned)u * 7);
            labels[u] = text[u];
        }
        for (uint64_t i = 0; i < source.n_events; i++) {
            time[i] = (int64_t)test_random_below(&random, 1000000) - 1000;
            unit[i] = (uint32_t)test_random_below(&random, source.n_units);
        }
        source.time = time;
        source.unit = unit;
        source.labels = labels;
        size_t n_segments = test_random_below(&random, MOST_SEGMENTS + 1);
        for (size_t k = 0; k < n_segments; k++) {
            segments[k].start = at + (int64_t)test_random_below(&random, 1000) *
                                         (test_random_below(&random, 3) != 0);
            at = segments[k].stop =
                segments[k].start + 1 + (int64_t)test_random_below(&random, 300000);
        }
        source.segments = n_segments > 0 ? segments : NULL;
        source.n_segments = n_segments;
        spk_recording *made = make(&source), *back = write_and_read(made, "random.nwb");
        assert_same(made, back);
        spk_recording_free(made);
        spk_recording_free(back);
    }
}

static void an_extent_that_was_given_stays(void **state)
{
    (void)state;
    const int64_t start = -5, stop = 100, time[] = {1, 7};
    const uint32_t unit[] = {1, 0};
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_units = 3;
    source.n_events = 2;
    source.rate = (spk_rate){30000, 1};
    source.time = time;
    source.unit = unit;
    source.start = &start;
    source.stop = &stop;
    spk_recording *made = make(&source), *back = write_and_read(made, "extent.nwb");
    assert_same(made, back);
    assert_int_equal(spk_recording_start(back), -5);
    assert_int_equal(spk_recording_stop(back), 100);
    spk_recording_free(made);
    spk_recording_free(back);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused_recordings_leave_the_file(void **state)
{
    (void)state;
    const int64_t time[] = {1, ((int64_t)1 << 60) + 1};
    const uint32_t unit[] = {0, 0};
    const spk_segment overlap[] = {{0, 10}, {5, 20}};
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_units = 1;
    source.n_events = 2;
    source.rate = (spk_rate){1000000000, 1};
    source.time = time;
    source.unit = unit;
    const char *path = test_file("kept.nwb", "as it was");
    for (int k = 0; k < 2; k++) {
        spk_recording *made = make(&source);
        assert_int_equal(spk_recording_write(context, made, path, NULL),
                         k == 0 ? SPK_ERR_RANGE : SPK_ERR_FORMAT);
        assert_non_null(strstr(spk_context_message(context), "npz"));
        spk_recording_free(made);
        char *text = test_file_text("kept.nwb");
        assert_string_equal(text, "as it was");
        free(text);
        source.n_events = 1;
        source.segments = overlap;
        source.n_segments = 2;
    }
    source.segments = NULL;
    source.n_segments = 0;
    spk_recording *made = make(&source);
    assert_int_equal(spk_recording_write(context, made, "/nowhere/a.nwb", NULL), SPK_ERR_IO);
    spk_recording_free(made);
}

#else

static void it_is_said_what_to_install(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    assert_int_equal(
        spk_recording_read(context, test_file("a.txt", "0.5 a\n1 b\n"), NULL, &recording), SPK_OK);
    assert_int_equal(spk_recording_write(context, recording, test_path("a.nwb"), NULL),
                     SPK_ERR_UNAVAILABLE);
    assert_non_null(strstr(spk_context_message(context), "libhdf5-dev"));
    assert_false(test_file_exists("a.nwb"));
    spk_recording_free(recording);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SPIKEMINE_HAVE_HDF5
        cmocka_unit_test(recordings_read_back),
        cmocka_unit_test(an_extent_that_was_given_stays),
        cmocka_unit_test(refused_recordings_leave_the_file),
#else
        cmocka_unit_test(it_is_said_what_to_install),
#endif
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
