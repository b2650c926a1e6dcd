/* .npz files: what we write reads back the same; pynapple, SpikeInterface, pairs, an array a unit.
 */
#include "support/context.h"
#include "support/npz.h"

static spk_read_options options;

static int setup(void **state)
{
    (void)state;
    spk_read_options_init(&options, sizeof options);
    return spk_context_create(&context) == SPK_OK ? 0 : -1;
}

static spk_recording *read_good(const char *path)
{
    return test_recording_read(context, path, &options);
}

static void expect(const char *path, spk_rate rate, const char *events)
{
    char text[1024] = "";
    size_t n = 0;
    spk_recording *recording = read_good(path);
    spk_events e = spk_recording_events(recording);
    for (uint64_t i = 0; i < e.n_events; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld:%s", i > 0 ? " " : "",
                              (long long)e.time[i], spk_recording_label(recording, e.unit[i]));
    assert_string_equal(text, events);
    assert_int_equal(spk_recording_rate(recording).numerator, rate.numerator);
    assert_int_equal(spk_recording_rate(recording).denominator, rate.denominator);
    spk_recording_free(recording);
}

static void expect_error(const char *path, spk_status status, const char *part)
{
    spk_recording *recording = NULL;
    spk_status got = spk_recording_read(context, path, &options, &recording);
    const char *message = spk_context_message(context);
    assert_null(recording);
    if (got != status || strstr(message, part) == NULL)
        fail_msg("'%s' (%d) is not in '%s' (%d)", part, (int)status, message, (int)got);
    assert_null(strchr(message, '\n'));
    assert_non_null(strpbrk(message, ";?"));
}

/* ---- ours ------------------------------------------------------------------------------------ */

static void expect_same(const spk_recording *a, const spk_recording *b)
{
    spk_events x = spk_recording_events(a), y = spk_recording_events(b);
    size_t n_x, n_y;
    const spk_segment *s = spk_recording_segments(a, &n_x), *t = spk_recording_segments(b, &n_y);
    assert_int_equal(x.n_events, y.n_events);
    assert_int_equal(x.n_units, y.n_units);
    assert_int_equal(spk_recording_rate(a).numerator, spk_recording_rate(b).numerator);
    assert_int_equal(spk_recording_rate(a).denominator, spk_recording_rate(b).denominator);
    for (uint64_t i = 0; i < x.n_events; i++)
        assert_true(x.time[i] == y.time[i] && x.unit[i] == y.unit[i]);
    for (uint32_t u = 0; u < x.n_units; u++)
        assert_string_equal(spk_recording_label(a, u), spk_recording_label(b, u));
    assert_int_equal(spk_recording_start(a), spk_recording_start(b));
    assert_int_equal(spk_recording_stop(a), spk_recording_stop(b));
    assert_int_equal(n_x, n_y);
    for (size_t k = 0; k < n_x; k++) {
        spk_time_range p, q;
        assert_true(s[k].start == t[k].start && s[k].stop == t[k].stop);
        bool had = spk_recording_segment_times(a, k, &p);
        assert_int_equal(had, spk_recording_segment_times(b, k, &q));
        if (had && n_x == 1) {
            assert_int_equal(spk_duration_compare(p.start, q.start), 0);
            assert_int_equal(spk_duration_compare(p.stop, q.stop), 0);
        }
    }
}

/* A random recording: any rate, silent units, labels of all kinds, bounds, segments. */
static spk_recording *draw(test_random *random)
{
    static const spk_rate rates[] = {{1000, 1}, {30000, 1}, {390625, 16}, {1000000000, 1}, {1, 3}};
    static const char *const labels[] = {"0", "1", "a,b", "\"", "\xc3\xa9\xf0\x9f\x98\x80", "10"};
    enum { MOST = 60 };
    int64_t time[MOST], start = -50, stop = 2000;
    uint32_t unit[MOST];
    uint64_t n = test_random_below(random, MOST);
    spk_segment segment[5];
    for (uint64_t i = 0; i < n; i++) {
        time[i] = test_random_between(random, -50, 1999);
        unit[i] = (uint32_t)test_random_below(random, 5);
    }
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    source.n_units = 6;
    source.labels = labels;
    source.rate = rates[test_random_below(random, 5)];
    source.start = test_random_chance(random, 0.5) ? &start : NULL;
    source.stop = test_random_chance(random, 0.5) ? &stop : NULL;
    if (test_random_chance(random, 0.5)) {
        source.segments = segment;
        source.n_segments = 1 + test_random_below(random, 5);
        for (size_t k = 0; k < source.n_segments; k++) {
            segment[k].start = test_random_between(random, -40, 1900);
            segment[k].stop = segment[k].start + test_random_between(random, 1, 300);
        }
    }
    spk_recording *recording = NULL;
    if (spk_recording_create(context, &source, &recording) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return recording;
}

static void test_what_is_written_reads_back(void **state)
{
    (void)state;
    uint64_t seed = test_seed("what is written reads back");
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *written = draw(&random), *read = NULL;
        const char *path = test_path("round.npz");
        if (spk_recording_write(context, written, path, NULL) != SPK_OK)
            fail_msg("%s", spk_context_message(context));
        read = read_good(path);
        expect_same(written, read);
        spk_recording_free(read);
        spk_recording_free(written);
    }
}

static void test_slices_of_ours(void **state)
{
    (void)state;
    static const int64_t time[] = {10, 20, 30, 40};
    static const uint32_t unit[] = {0, 1, 0, 2};
    static const char *const labels[] = {"a", "b", "c"};
    const spk_duration start = {15, -3, 0}, stop = {4, -2, 0};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 4, time, unit, 3, labels, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_recording_write(context, recording, test_path("o.npz"), NULL), SPK_OK);
    spk_recording_free(recording);
    options.start = &start;
    options.stop = &stop;
    expect(test_path("o.npz"), (spk_rate){1000, 1}, "20:b 30:a");
    options.units = "a,c";
    expect(test_path("o.npz"), (spk_rate){1000, 1}, "30:a");
    options.units = "d";
    expect_error(test_path("o.npz"), SPK_ERR_ARGUMENT, "there is no unit 'd'");
    options.units = NULL;
    options.time_unit = SPK_TIME_MILLISECONDS;
    expect_error(test_path("o.npz"), SPK_ERR_FORMAT, "leave --time-unit out");
}

/* ---- pynapple -------------------------------------------------------------------------------- */

static void test_pynapple(void **state)
{
    (void)state;
    static const double t[] = {0.5, 1, 1.5, 3}, start[] = {0, 2}, end[] = {1.5, 3.5};
    static const int64_t index[] = {2, 7, 2, 7}, keys[] = {2, 5, 7};
    static const uint32_t type[] = {'T', 's'};
    const test_npz_array arrays[] = {
        {"type", "<U2", "(1,)", type, sizeof type}, {"_metadata", "|O", "()", "pickle", 6},
        {"t", "<f8", "(4,)", t, sizeof t},          {"index", "<i8", "(4,)", index, sizeof index},
        {"keys", "<i8", "(3,)", keys, sizeof keys}, {"start", "<f8", "(2,)", start, sizeof start},
        {"end", "<f8", "(2,)", end, sizeof end}};
    const char *path = test_npz_file("group.npz", 7, arrays);
    expect(path, (spk_rate){10, 1}, "5:2 10:7 15:2 30:7");
    spk_recording *recording = read_good(path);
    size_t n;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_int_equal(n, 2);
    assert_int_equal(segments[0].start, 0);
    assert_int_equal(segments[0].stop, 16); /* its end is in it */
    assert_int_equal(segments[1].start, 20);
    assert_int_equal(segments[1].stop, 36);
    assert_int_equal(spk_recording_events(recording).n_units, 3); /* 5 is silent */
    spk_recording_free(recording);
    const test_npz_array tsd[] = {
        arrays[2], {"d", "<i8", "(4,)", index, sizeof index}, arrays[5], arrays[6]};
    expect(test_npz_file("tsd.npz", 4, tsd), (spk_rate){10, 1}, "5:2 10:7 15:2 30:7");
    static const double wrong[] = {3, 2};
    const test_npz_array bad[] = {
        arrays[2], arrays[3], {"start", "<f8", "(2,)", wrong, 16}, arrays[6]};
    expect_error(test_npz_file("bad.npz", 4, bad), SPK_ERR_FORMAT,
                 "segment 0 (from 0) goes from 3");
}

/* ---- the others ------------------------------------------------------------------------------ */

static void test_pairs(void **state)
{
    (void)state;
    static const double t[] = {0.1, 0.2, 0.3};
    static const uint16_t u[] = {3, 1, 3};
    test_npz_array arrays[] = {{"units", "<u2", "(3,)", u, sizeof u},
                               {"times", "<f8", "(3,)", t, sizeof t}};
    expect(test_npz_file("pair.npz", 2, arrays), (spk_rate){10, 1}, "1:3 2:1 3:3");
    arrays[0].name = "arr_1";
    arrays[1].name = "arr_0";
    options.time_column = "arr_0";
    expect_error(test_npz_file("named.npz", 2, arrays), SPK_ERR_FORMAT,
                 "pass --time-column and --unit-column with names of these: arr_1, arr_0");
    options.unit_column = "arr_1";
    expect(test_path("named.npz"), (spk_rate){10, 1}, "1:3 2:1 3:3");
    options.unit_column = "arr_7";
    expect_error(test_path("named.npz"), SPK_ERR_FORMAT, "has no array 'arr_7'");
    arrays[0].shape = "(2,)";
    arrays[0].n = 4;
    options.unit_column = "arr_1";
    expect_error(test_npz_file("short.npz", 2, arrays), SPK_ERR_FORMAT, "3 times and 2 units");
    arrays[0].type = "|O";
    expect_error(test_npz_file("objects.npz", 2, arrays), SPK_ERR_FORMAT, "Python objects");
}

static void test_an_array_for_each_unit(void **state)
{
    (void)state;
    static const double a[] = {0.1, 0.4}, b[] = {0.2};
    static const int64_t whole[] = {7};
    test_npz_array arrays[] = {{"n2", "<f8", "(2,)", a, sizeof a},
                               {"n10", "<f8", "(1,)", b, sizeof b},
                               {"n3", "<f8", "(0,)", b, 0}};
    expect(test_npz_file("units.npz", 3, arrays), (spk_rate){10, 1}, "1:n2 2:n10 4:n2");
    spk_recording *recording = read_good(test_path("units.npz"));
    assert_int_equal(spk_recording_events(recording).n_units, 3);
    spk_recording_free(recording);
    arrays[2] = (test_npz_array){"n3", "<i8", "(1,)", whole, 8};
    expect_error(test_npz_file("mixed.npz", 3, arrays), SPK_ERR_FORMAT,
                 "cannot tell which arrays hold times and units");
    expect_error(test_npz_file("whole.npz", 1, arrays + 2), SPK_ERR_FORMAT,
                 "pass --time-unit samples@RATE");
    options.time_unit = SPK_TIME_MILLISECONDS;
    expect(test_path("whole.npz"), (spk_rate){1000, 1}, "7:n3");
}

static void test_a_sorting(void **state)
{
    (void)state;
    static const int64_t samples[] = {10, 20}, ids[] = {4, 5};
    static const double rate = 24414.0625;
    const test_npz_array arrays[] = {{"unit_ids", "<i8", "(2,)", ids, 16},
                                     {"num_segment", "<i8", "(1,)", ids, 8},
                                     {"sampling_frequency", "<f8", "(1,)", &rate, 8},
                                     {"spike_indexes_seg0", "<i8", "(2,)", samples, 16},
                                     {"spike_labels_seg0", "<i8", "(2,)", ids, 16},
                                     {"spike_indexes_seg1", "<i8", "(2,)", samples, 16}};
    expect(test_npz_file("sorting.npz", 5, arrays), (spk_rate){390625, 16}, "10:4 20:5");
    expect_error(test_npz_file("two.npz", 6, arrays), SPK_ERR_FORMAT, "holds several segments");
}

/* ---- bad files ------------------------------------------------------------------------------- */

/* Cut off anywhere, an archive is an error and nothing else. */
static void test_archives_that_are_cut_off(void **state)
{
    (void)state;
    static const double t[] = {0.1, 0.2, 0.3};
    static const uint16_t u[] = {3, 1, 3};
    const test_npz_array arrays[] = {{"units", "<u2", "(3,)", u, sizeof u},
                                     {"times", "<f8", "(3,)", t, sizeof t}};
    test_npz_file("whole.npz", 2, arrays);
    FILE *whole = fopen(test_path("whole.npz"), "rb");
    char bytes[2000];
    assert_non_null(whole);
    size_t n = fread(bytes, 1, sizeof bytes, whole);
    fclose(whole);
    for (size_t k = 60; k + 30 < n; k += 7) {
        spk_recording *recording = NULL;
        FILE *cut = fopen(test_path("cut.npz"), "wb");
        assert_non_null(cut);
        assert_int_equal(fwrite(bytes, 1, k, cut), k);
        fclose(cut);
        spk_status status = spk_recording_read(context, test_path("cut.npz"), &options, &recording);
        if (status == SPK_OK) { /* both arrays are there, the list of files is not */
            assert_int_equal(spk_recording_events(recording).n_events, 3);
            spk_recording_free(recording);
            continue;
        }
        assert_non_null(strstr(spk_context_message(context), "cut.npz"));
        assert_non_null(strchr(spk_context_message(context), ';'));
    }
}

int main(void)
{
#if SPIKEMINE_HAVE_LIBARCHIVE
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_written_reads_back, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_slices_of_ours, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_pynapple, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_pairs, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_an_array_for_each_unit, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_sorting, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_archives_that_are_cut_off, setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)setup, (void)context_teardown, (void)test_what_is_written_reads_back,
        (void)test_slices_of_ours;
    (void)test_pynapple, (void)test_pairs, (void)test_an_array_for_each_unit, (void)test_a_sorting;
    (void)test_archives_that_are_cut_off;
    return 0;
#endif
}
