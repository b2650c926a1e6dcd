/* .npy files: every type, order and shape reads to the same recording; bad ones are refused. */
#include "support/context.h"
#include "support/npy.h"

static spk_read_options options;
static char notes[2048];

static void keep_note(void *user, const char *text)
{
    (void)user;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s\n", text);
}

static int setup(void **state)
{
    (void)state;
    if (spk_context_create(&context) != SPK_OK)
        return -1;
    spk_context_set_note(context, keep_note, NULL);
    spk_read_options_init(&options, sizeof options);
    notes[0] = '\0';
    return 0;
}

static spk_recording *read_good(const char *path)
{
    return test_recording_read(context, path, &options);
}

static void expect(const char *path, spk_rate rate, const char *events)
{
    spk_recording *recording = read_good(path);
    assert_string_equal(test_events_text(recording), events);
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
    /* place, cause; remedy */
    assert_non_null(strchr(message, ':'));
    assert_non_null(strpbrk(message, ";?"));
}

/* ---- types ----------------------------------------------------------------------------------- */

static void put(unsigned char **at, uint64_t value, size_t size, bool swap)
{
    for (size_t k = 0; k < size; k++)
        *(*at)++ = (unsigned char)(value >> (8 * (swap ? size - 1 - k : k)));
}

/* Times 1, 2, 5, 7 and units 3, 1, 3, 100 of every type of whole numbers. */
static void test_whole_numbers_of_all_types(void **state)
{
    (void)state;
    static const char *const types[] = {"|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4",
                                        ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"};
    const uint64_t times[] = {1, 2, 5, 7}, units[] = {3, 1, 3, 100};
    options.time_unit = SPK_TIME_SAMPLES;
    options.samples_per_second = 30000;
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        unsigned char data[2][64], *at[2] = {data[0], data[1]};
        size_t size = (size_t)(types[k][2] - '0');
        for (int i = 0; i < 4; i++) {
            put(&at[0], times[i], size, types[k][0] == '>');
            put(&at[1], units[i], size, types[k][0] == '>');
        }
        options.unit_file = test_npy_file("ids.npy", types[k], "(4,)", data[1], 4 * size);
        expect(test_npy_file("times.npy", types[k], "(4,)", data[0], 4 * size),
               (spk_rate){30000, 1}, "1:3 2:1 5:3 7:100");
    }
}

static void test_floats_of_all_types(void **state)
{
    (void)state;
    static const char *const types[] = {"<f8", ">f8", "<f4", ">f4", "<f2", ">f2"};
    const double times[] = {-0.25, 0.5, 0.75, 2};
    const uint64_t halves[] = {0xb400, 0x3800, 0x3a00, 0x4000};
    const int64_t units[] = {-1, 1, 3, 1};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        unsigned char data[64], *at = data;
        size_t size = (size_t)(types[k][2] - '0');
        for (int i = 0; i < 4; i++) {
            uint64_t bits = halves[i];
            uint32_t word;
            float single = (float)times[i];
            memcpy(&word, &single, sizeof word);
            if (size == 4)
                bits = word;
            if (size == 8)
                memcpy(&bits, &times[i], sizeof bits);
            put(&at, bits, size, types[k][0] == '>');
        }
        options.unit_file = test_npy_file("ids.npy", "<i8", "(4,)", units, sizeof units);
        expect(test_npy_file("times.npy", types[k], "(4,)", data, 4 * size), (spk_rate){100, 1},
               "-25:-1 50:1 75:3 200:1");
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static const char *const shapes[] = {"(4,)", "(4, 1)", "(1, 4)", "(4L,)"};
    const double times[] = {0.1, 0.2, 0.4, 0.8};
    const uint16_t units[] = {2, 1, 10, 2};
    for (size_t k = 0; k < 4; k++) {
        options.unit_file = test_npy_file("ids.npy", "<u2", shapes[(k + 1) % 4], units, 8);
        expect(test_npy_file("times.npy", "<f8", shapes[k], times, sizeof times), (spk_rate){10, 1},
               "1:2 2:1 4:10 8:2");
    }
}

static void test_versions_and_order(void **state)
{
    (void)state;
    const double c[] = {0.5, 7, 1.5, 8, 2.5, 7}, fortran[] = {0.5, 1.5, 2.5, 7, 8, 7};
    for (int version = 1; version <= 3; version++)
        for (int order = 0; order < 2; order++) {
            char header[120], bytes[400];
            snprintf(header, sizeof header,
                     "{\"shape\": (3, 2), 'fortran_order':%s,'descr' : '<f8'}\n",
                     order == 1 ? "True" : "False");
            size_t n = test_npy_make(version, header, order == 1 ? fortran : c, sizeof c, bytes,
                                     sizeof bytes);
            FILE *stream = fopen(test_path("table.npy"), "wb");
            assert_non_null(stream);
            assert_int_equal(fwrite(bytes, 1, n, stream), n);
            fclose(stream);
            expect(test_path("table.npy"), (spk_rate){10, 1}, "5:7 15:8 25:7");
        }
}

static void test_tables_with_the_unit_first(void **state)
{
    (void)state;
    const double data[] = {7, 0.5, 8, 1.5};
    options.columns = SPK_COLUMNS_UNIT_TIME;
    expect(test_npy_file("table.npy", "<f8", "(2, 2)", data, sizeof data), (spk_rate){10, 1},
           "5:7 15:8");
    options.columns = SPK_COLUMNS_GUESS;
    options.time_column = "2";
    expect(test_path("table.npy"), (spk_rate){10, 1}, "5:7 15:8");
}

static void test_labels_that_are_text(void **state)
{
    (void)state;
    const double times[] = {1, 2, 3};
    const uint32_t wide[] = {'c', 'h', '1', 0, 0xe9, 0, 0, 0, 0x1f600, 'x', 0, 0};
    char swapped[sizeof wide];
    for (size_t k = 0; k < sizeof wide; k++)
        swapped[k] = ((const char *)wide)[k ^ 3];
    const char *expected = "1:ch1 2:\xc3\xa9 3:\xf0\x9f\x98\x80x";
    test_npy_file("times.npy", "<f8", "(3,)", times, sizeof times);
    options.unit_file = test_npy_file("ids.npy", "<U4", "(3,)", wide, sizeof wide);
    expect(test_path("times.npy"), (spk_rate){1, 1}, expected);
    options.unit_file = test_npy_file("ids.npy", ">U4", "(3,)", swapped, sizeof swapped);
    expect(test_path("times.npy"), (spk_rate){1, 1}, expected);
    options.unit_file = test_npy_file("ids.npy", "|S4", "(3,)",
                                      "abcd"
                                      "b\0\0\0"
                                      "abcd",
                                      12);
    expect(test_path("times.npy"), (spk_rate){1, 1}, "1:abcd 2:b 3:abcd");
}

/* SpikeInterface's to_spike_vector(). */
static void test_records(void **state)
{
    (void)state;
    static const char type[] =
        "[('sample_index', '<i8'), ('unit_index', '<i8'), ('segment_index', '<i8')]";
    const int64_t data[] = {10, 0, 0, 20, 1, 0, 30, 0, 0}, two[] = {10, 0, 0, 20, 1, 1};
    const char *path = test_npy_file("spikes.npy", type, "(3,)", data, sizeof data);
    expect_error(path, SPK_ERR_FORMAT, "nothing says how many are a second");
    options.time_unit = SPK_TIME_SAMPLES;
    options.samples_per_second = 25000;
    expect(path, (spk_rate){25000, 1}, "10:0 20:1 30:0");
    options.unit_column = "segment_index";
    expect(path, (spk_rate){25000, 1}, "10:0 20:0 30:0");
    options.unit_column = "2";
    expect(path, (spk_rate){25000, 1}, "10:0 20:1 30:0");
    options.unit_column = "cluster";
    expect_error(path, SPK_ERR_FORMAT, "pass --unit-column with one of sample_index, unit_index");
    options.unit_column = NULL;
    expect_error(test_npy_file("two.npy", type, "(2,)", two, sizeof two), SPK_ERR_FORMAT,
                 "segments 0 to 1");
}

/* ---- units of time --------------------------------------------------------------------------- */

static void test_units_of_time(void **state)
{
    (void)state;
    const int64_t whole[] = {5, 1000}, ids[] = {1, 2};
    const double real[] = {0.5, 1000.25}, samples[] = {3, 4.5};
    const char *path = test_npy_file("whole.npy", "<i8", "(2,)", whole, sizeof whole);
    options.unit_file = test_npy_file("ids.npy", "<i8", "(2,)", ids, sizeof ids);
    expect_error(path, SPK_ERR_FORMAT,
                 "times are int64, and nothing says of what; pass "
                 "--time-unit samples@RATE");
    options.time_unit = SPK_TIME_MILLISECONDS;
    expect(path, (spk_rate){1000, 1}, "5:1 1000:2");
    options.time_unit = SPK_TIME_MICROSECONDS;
    expect(path, (spk_rate){1000000, 1}, "5:1 1000:2");
    options.time_unit = SPK_TIME_SECONDS;
    expect(path, (spk_rate){1, 1}, "5:1 1000:2");
    path = test_npy_file("real.npy", "<f8", "(2,)", real, sizeof real);
    options.time_unit = SPK_TIME_MILLISECONDS;
    expect(path, (spk_rate){20000, 1}, "10:1 20005:2");
    options.time_unit = SPK_TIME_SAMPLES;
    options.sample_rate = (spk_rate){390625, 16};
    expect_error(path, SPK_ERR_FORMAT, "time 0 (from 0) is 0.5, no whole number of samples");
    expect_error(test_npy_file("samples.npy", "<f8", "(2,)", samples, sizeof samples),
                 SPK_ERR_FORMAT, "time 1 (from 0) is 4.5");
    options.unit_file = NULL;
    const double table[] = {3, 1, 4, 2};
    expect(test_npy_file("table.npy", "<f8", "(2, 2)", table, sizeof table), (spk_rate){390625, 16},
           "3:1 4:2");
}

static void test_the_clock_is_told(void **state)
{
    (void)state;
    double table[200];
    for (int i = 0; i < 100; i++) {
        table[2 * i] = (7 * i + 1) / 30000.0;
        table[2 * i + 1] = i % 3;
    }
    spk_recording *recording =
        read_good(test_npy_file("t.npy", "<f8", "(100, 2)", table, sizeof table));
    assert_int_equal(spk_recording_rate(recording).numerator, 30000);
    const spk_recording_facts *facts = spk_recording_get_facts(recording);
    assert_string_equal(facts->clock, "a grid of 1/30000s");
    assert_true(facts->clock_worst_s < 1e-15);
    assert_non_null(strstr(notes, "t.npy: times are taken to lie on a grid of 1/30000s"));
    assert_int_equal(strlen(facts->sha256) == 64 || strlen(facts->sha256) == 0, 1);
    spk_recording_free(recording);
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Any slice and any units give what slicing the whole recording gives, sorted or not, whole numbers
 * or floating point. */
static void test_slices_are_those_of_the_whole(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static int64_t ticks[MOST], ids[MOST];
    static double seconds[MOST];
    uint64_t seed = test_seed("slices");
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed, c);
        uint64_t n = 1 + test_random_below(&random, MOST);
        bool sorted = test_random_chance(&random, 0.7), real = test_random_chance(&random, 0.5);
        char shape[32];
        int64_t t = -500;
        snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)n);
        for (uint64_t i = 0; i < n; i++) {
            t += (int64_t)test_random_below(&random, 4);
            ticks[i] = sorted ? t : test_random_between(&random, -500, 4000);
            ids[i] = (int64_t)test_random_below(&random, 4);
            seconds[i] = (double)ticks[i] / 1000;
        }
        ids[0] = 3;
        spk_recording *all = NULL, *part = NULL, *expected = NULL;
        const char *path = test_npy_file("t.npy", real ? "<f8" : "<i8", shape,
                                         real ? (void *)seconds : (void *)ticks, n * 8);
        spk_read_options_init(&options, sizeof options);
        options.time_unit = real ? SPK_TIME_GUESS : SPK_TIME_MILLISECONDS;
        options.unit_file = test_npy_file("u.npy", "<i8", shape, ids, n * 8);
        all = read_good(path);
        spk_rate rate = spk_recording_rate(all);
        spk_duration start = {test_random_between(&random, -600, 3000), -3, 0};
        spk_duration stop = {start.digits + 1 + test_random_between(&random, 0, 2000), -3, 0};
        bool has_start = test_random_chance(&random, 0.7),
             has_stop = test_random_chance(&random, 0.7);
        options.start = has_start ? &start : NULL;
        options.stop = has_stop ? &stop : NULL;
        bool one = test_random_chance(&random, 0.5);
        uint32_t unit = 0;
        options.units = one ? "3" : NULL;
        assert_true(spk_recording_find_unit(all, "3", &unit));
        part = read_good(path);
        /* A slice may lie on a coarser grid: compare in ticks of the whole. */
        int64_t from = spk_duration_first_tick(start, rate),
                to = spk_duration_first_tick(stop, rate);
        if (has_start && from > spk_recording_stop(all))
            from = spk_recording_stop(all);
        if (has_stop && to < spk_recording_start(all))
            to = spk_recording_start(all);
        if (!has_start || !has_stop || from <= to) {
            assert_int_equal(spk_recording_slice(context, all, has_start ? &from : NULL,
                                                 has_stop ? &to : NULL, one ? 1 : 0, &unit,
                                                 &expected),
                             SPK_OK);
            spk_events a = spk_recording_events(expected), b = spk_recording_events(part);
            spk_rate other = spk_recording_rate(part);
            int64_t factor = (int64_t)(rate.numerator / other.numerator);
            assert_int_equal(a.n_events, b.n_events);
            assert_int_equal(a.n_units, b.n_units);
            for (uint64_t i = 0; i < a.n_events; i++) {
                assert_int_equal(a.time[i], b.time[i] * factor);
                assert_string_equal(spk_recording_label(expected, a.unit[i]),
                                    spk_recording_label(part, b.unit[i]));
            }
        }
        spk_recording_free(all);
        spk_recording_free(part);
        spk_recording_free(expected);
    }
}

static void test_units_that_are_not_there(void **state)
{
    (void)state;
    const double table[] = {1, 5, 2, 6};
    const char *path = test_npy_file("t.npy", "<f8", "(2, 2)", table, sizeof table);
    options.units = "6,7";
    expect_error(path, SPK_ERR_ARGUMENT, "there is no unit '7'; its 2 units are 5, 6");
    options.units = "\"6";
    expect_error(path, SPK_ERR_ARGUMENT, "a quote is not closed");
    options.units = "6";
    spk_recording *recording = read_good(path);
    assert_string_equal(test_events_text(recording), "2:6");
    assert_int_equal(spk_recording_start(recording), 1); /* that of the file */
    assert_int_equal(spk_recording_get_facts(recording)->outside, 1);
    spk_recording_free(recording);
}

/* ---- bad files ------------------------------------------------------------------------------- */

static const char *raw_file(const char *header, const void *data, size_t n)
{
    static char bytes[4096];
    size_t size = test_npy_make(1, header, data, n, bytes, sizeof bytes);
    FILE *stream = fopen(test_path("bad.npy"), "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
    return test_path("bad.npy");
}

static void test_bad_headers(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        const char *part;
    } cases[] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "Python objects"},
        {"{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1,)}", "Python objects"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", "type that is not read"},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", "type that is not read"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "type that is not read"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (1,)}", "type that is not read"},
        {"{'descr': '<U99999999', 'fortran_order': False, 'shape': (1,)}", "type that is not read"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
         "passes 64 bit"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,)}",
         "passes 64 bit"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "64 bit"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "whole numbers"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,2,3,4,5)}", "more dimensions"},
        {"{'descr': '<f8', 'fortran_order': maybe, 'shape': (1,)}", "neither True nor False"},
        {"{'descr': '<f8', 'shape': (1,)}", "lacks"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}", "not known"},
        {"__import__('os').system('touch x')", "no dictionary"},
        {"{'descr': '<f8", "not closed"},
        {"", "no dictionary"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        expect_error(raw_file(cases[k].header, "12345678", 8), SPK_ERR_FORMAT, cases[k].part);
}

static void test_bad_files(void **state)
{
    (void)state;
    const double times[] = {1, 2, 3}, odd[] = {1, 0.5, 2, 1}, nan[] = {1, 1, NAN, 2},
                 endless[] = {1, 1, INFINITY, 2}, large[] = {1, 1, 1e300, 2};
    const int64_t ids[] = {1, 2};
    const uint64_t beyond[] = {1, UINT64_MAX};
    static char path[320];
    snprintf(path, sizeof path, "%s", test_npy_file("t.npy", "<f8", "(3,)", times, sizeof times));
    expect_error(path, SPK_ERR_FORMAT, "pass --unit-file");
    expect_error(test_npy_file("spike_times.npy", "<f8", "(3,)", times, sizeof times),
                 SPK_ERR_FORMAT, "give the folder");
    options.unit_file = test_npy_file("u.npy", "<i8", "(2,)", ids, sizeof ids);
    expect_error(path, SPK_ERR_FORMAT, "3 times and 2 units");
    options.unit_file = test_path("none.npy");
    expect_error(path, SPK_ERR_IO, "cannot open");
    options.unit_file = test_file("text.npy", "1\n2\n3\n");
    expect_error(path, SPK_ERR_FORMAT, "is no .npy file");
    options.unit_file = test_path("u.npy");
    expect_error(test_npy_file("cut.npy", "<f8", "(3,)", times, 17), SPK_ERR_FORMAT,
                 "24 bytes of data, and has 17");
    options.time_unit = SPK_TIME_MILLISECONDS;
    expect_error(test_npy_file("beyond.npy", "<u8", "(2,)", beyond, sizeof beyond), SPK_ERR_RANGE,
                 "value 1 (from 0) is larger");
    options.time_unit = SPK_TIME_GUESS;
    expect_error(test_npy_file("text.npy", "|S8", "(2,)", ids, sizeof ids), SPK_ERR_FORMAT,
                 "times are text");
    options.unit_file = NULL;
    expect_error(test_npy_file("odd.npy", "<f8", "(2, 2)", odd, sizeof odd), SPK_ERR_FORMAT,
                 "unit 0 (from 0) is 0.5");
    expect_error(test_npy_file("nan.npy", "<f8", "(2, 2)", nan, sizeof nan), SPK_ERR_FORMAT,
                 "time 1 (from 0) is NaN");
    expect_error(test_npy_file("endless.npy", "<f8", "(2, 2)", endless, sizeof endless),
                 SPK_ERR_FORMAT, "time 1 (from 0) is infinite");
    expect_error(test_npy_file("large.npy", "<f8", "(2, 2)", large, sizeof large), SPK_ERR_RANGE,
                 "too large for 64 bit");
    expect_error(test_npy_file("cube.npy", "<f8", "(1, 1, 3)", times, sizeof times), SPK_ERR_FORMAT,
                 "has the shape (1, 1, 3)");
    expect_error(test_npy_file("three.npy", "<f8", "(1, 3)", times, sizeof times), SPK_ERR_FORMAT,
                 "pass --unit-file");
    FILE *stream = fopen(test_path("short.npy"), "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite("\x93NUMPY\x01\x00\x76", 1, 9, stream), 9);
    fclose(stream);
    expect_error(test_path("short.npy"), SPK_ERR_FORMAT, "cut off within its header");
    stream = fopen(test_path("huge.npy"), "wb");
    assert_int_equal(fwrite("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 1, 12, stream), 12);
    fclose(stream);
    expect_error(test_path("huge.npy"), SPK_ERR_FORMAT, "header of over a megabyte");
    stream = fopen(test_path("four.npy"), "wb");
    assert_int_equal(fwrite("\x93NUMPY\x04\x00\xff\xff\xff\x7f", 1, 12, stream), 12);
    fclose(stream);
    expect_error(test_path("four.npy"), SPK_ERR_FORMAT, "version of .npy that is not read");
}

static void test_no_events(void **state)
{
    (void)state;
    options.unit_file = NULL;
    spk_recording *recording = read_good(test_npy_file("none.npy", "<f8", "(0, 2)", "", 0));
    assert_int_equal(spk_recording_events(recording).n_events, 0);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_numbers_of_all_types, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_floats_of_all_types, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_shapes, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_versions_and_order, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_tables_with_the_unit_first, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_labels_that_are_text, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_records, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_units_of_time, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_the_clock_is_told, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_slices_are_those_of_the_whole, setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_units_that_are_not_there, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_headers, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_files, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_no_events, setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
