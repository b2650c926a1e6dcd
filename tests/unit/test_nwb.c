/* NWB files: what is read of them, and what is refused. */
#include "recording/readers/reader.h"
#include "recording/recording.h"
#include "support/context.h"
#include "support/h5_make.h"

static char notes[1000];

static void keep_note(void *user, const char *text)
{
    (void)user;
    const size_t used = strlen(notes);
    snprintf(notes + used, sizeof notes - used, "%s\n", text);
}

#if SPIKEMINE_HAVE_HDF5

static spk_read_options options;

static spk_recording *read_file(const char *path)
{
    spk_recording *out = NULL;
    if (spk_recording_read(context, path, &options, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    const char *reason = "";
    if (!spk_recording_validate(out, &reason))
        fail_msg("%s", reason);
    return out;
}

static void assert_refused(const char *name, spk_status expected, const char *part)
{
    spk_recording *out = NULL;
    assert_int_equal(spk_recording_read(context, test_path(name), &options, &out), expected);
    assert_null(out);
    const char *message = spk_context_message(context);
    if (strstr(message, part) == NULL || strstr(message, name) == NULL)
        fail_msg("'%s' does not say '%s' of %s", message, part, name);
    assert_null(strchr(message, '\n'));
}

/* The ticks of a unit, which must be these. */
static int start(void **state)
{
    (void)state;
    spk_read_options_init(&options, sizeof options);
    notes[0] = '\0';
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const double TIMES[] = {0.001, 0.5, 0.75, 0.2, 0.5, 1.0, 0.9};
static const int64_t IDS[] = {7, 2, 30, 11};
static const int64_t ENDS[] = {3, 6, 6, 7}; /* the third unit never fires */

/* Four units, without a mistake; `end` false: the caller goes on. */
static hid_t make_units(const char *name)
{
    static const char *const quality[] = {"good", "mua", "good", "noise"};
    static const double depth[] = {10, 20.5, 30, 40};
    hid_t file = h5_new(name, 0);
    h5_text_of(file, "/", "nwb_version", "2.6.0");
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", 7, TIMES);
    h5_numbers(file, "/units/spike_times_index", H5T_STD_U8LE, H5T_NATIVE_INT64, 4, ENDS);
    h5_int64s(file, "/units/id", 4, IDS);
    h5_texts(file, "/units/quality", 0, 4, quality);
    h5_doubles(file, "/units/depth", 4, depth);
    return file;
}

/* The same with another index. */
static void make_with_ends(const char *name, size_t n, const int64_t *ends)
{
    hid_t file = h5_new(name, 0);
    h5_text_of(file, "/", "nwb_version", "2.6.0");
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", 7, TIMES);
    h5_int64s(file, "/units/spike_times_index", n, ends);
    h5_end(file);
}

static void make_times(const char *name, hid_t stored, size_t n, const double *times)
{
    const int64_t ends[] = {(int64_t)n};
    hid_t file = h5_new(name, 0);
    h5_text_of(file, "/", "nwb_version", "2.6.0");
    h5_group(file, "/units");
    h5_numbers(file, "/units/spike_times", stored, H5T_NATIVE_DOUBLE, n, times);
    h5_int64s(file, "/units/spike_times_index", 1, ends);
    h5_end(file);
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void units_are_read(void **state)
{
    (void)state;
    h5_end(make_units("units.nwb"));
    spk_recording *r = read_file(test_path("units.nwb"));
    assert_int_equal(spk_recording_events(r).n_units, 4);
    assert_int_equal(spk_recording_events(r).n_events, 7);
    assert_int_equal(spk_recording_rate(r).numerator, 1000);
    assert_int_equal(spk_recording_rate(r).denominator, 1);
    test_assert_ticks(r, "7", 3, (const int64_t[]){1, 500, 750});
    test_assert_ticks(r, "2", 3, (const int64_t[]){200, 500, 1000});
    test_assert_ticks(r, "30", 0, NULL);
    test_assert_ticks(r, "11", 1, (const int64_t[]){900});
    assert_int_equal(spk_recording_start(r), 1);
    assert_int_equal(spk_recording_stop(r), 1001);
    assert_true(spk_recording_get_facts(r)->sorted);
    assert_int_equal(strlen(spk_recording_get_facts(r)->sha256), 64);
    spk_recording_free(r);
}

static void every_width_of_index_is_read(void **state)
{
    (void)state;
    const hid_t widths[] = {H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64BE,
                            H5T_STD_I8LE, H5T_STD_I16BE, H5T_STD_I32LE, H5T_STD_I64LE};
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        hid_t file = h5_new("width.nwb", 0);
        h5_group(file, "/units");
        h5_doubles(file, "/units/spike_times", 7, TIMES);
        h5_numbers(file, "/units/spike_times_index", widths[k], H5T_NATIVE_INT64, 4, ENDS);
        h5_end(file);
        spk_recording *r = read_file(test_path("width.nwb"));
        test_assert_ticks(r, "1", 3,
                          (const int64_t[]){200, 500, 1000}); /* no ids: rows are counted */
        spk_recording_free(r);
    }
}

static void units_are_selected(void **state)
{
    (void)state;
    options.row_filter = "quality==good";
    spk_recording *r = read_file(test_path("units.nwb"));
    assert_int_equal(spk_recording_events(r).n_units, 2);
    test_assert_ticks(r, "7", 3, (const int64_t[]){1, 500, 750});
    test_assert_ticks(r, "30", 0, NULL);
    assert_int_equal(spk_recording_get_facts(r)->outside, 4);
    assert_int_equal(spk_recording_stop(r), 1001); /* that of all units */
    spk_recording_free(r);
    options.row_filter = "depth > 15 && quality != noise";
    r = read_file(test_path("units.nwb"));
    assert_int_equal(spk_recording_events(r).n_units, 2);
    assert_int_equal(spk_recording_rate(r).numerator, 10); /* these lie on a coarser grid */
    test_assert_ticks(r, "2", 3, (const int64_t[]){2, 5, 10});
    spk_recording_free(r);
    options.units = "2";
    r = read_file(test_path("units.nwb"));
    assert_int_equal(spk_recording_events(r).n_units, 1);
    spk_recording_free(r);
    options.row_filter = NULL;
    options.units = "5";
    assert_refused("units.nwb", SPK_ERR_ARGUMENT, "'5'");
    options.units = NULL;
    options.row_filter = "quality==great";
    assert_refused("units.nwb", SPK_ERR_ARGUMENT, "great");
    options.row_filter = "shape==good";
    assert_refused("units.nwb", SPK_ERR_ARGUMENT, "depth, id, quality");
}

static void labels_come_from_any_column(void **state)
{
    (void)state;
    static const char *const names[] = {"alpha", "beta", "gamma", "delta"};
    hid_t file = make_units("labels.nwb");
    h5_texts(file, "/units/name", 5, 4, names);
    h5_end(file);
    options.label_column = "name";
    spk_recording *r = read_file(test_path("labels.nwb"));
    test_assert_ticks(r, "beta", 3, (const int64_t[]){200, 500, 1000});
    spk_recording_free(r);
    options.label_column = "depth";
    r = read_file(test_path("labels.nwb"));
    test_assert_ticks(r, "20.5", 3, (const int64_t[]){200, 500, 1000});
    spk_recording_free(r);
    options.label_column = "quality";
    assert_refused("labels.nwb", SPK_ERR_FORMAT, "rows 0 and 2");
    options.row_filter = "id!=30"; /* among those that are left it tells them apart */
    r = read_file(test_path("labels.nwb"));
    test_assert_ticks(r, "good", 3, (const int64_t[]){1, 500, 750});
    spk_recording_free(r);
    options.row_filter = NULL;
    options.label_column = "spike_times";
    assert_refused("labels.nwb", SPK_ERR_ARGUMENT, "depth, id, name, quality");
    options.label_column = "../units/name";
    assert_refused("labels.nwb", SPK_ERR_ARGUMENT, "does not exist");
}

/* Slices read a part of the file and find what the whole has there. */
static void slices_are_those_of_the_whole(void **state)
{
    (void)state;
    enum { UNITS = 5, EACH = 4000 };
    static double times[UNITS * EACH];
    int64_t ends[UNITS];
    for (int u = 0; u < UNITS; u++) {
        for (int k = 0; k < EACH; k++)
            times[u * EACH + k] = (k * 7 + u) / 30000.0;
        ends[u] = (u + 1) * EACH;
    }
    hid_t file = h5_new("long.nwb", 0);
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", UNITS * EACH, times);
    h5_number_of(file, "/units/spike_times", "resolution", 1 / 30000.0);
    h5_int64s(file, "/units/spike_times_index", UNITS, ends);
    h5_end(file);
    spk_recording *whole = read_file(test_path("long.nwb"));
    assert_int_equal(spk_recording_rate(whole).numerator, 30000);
    static const char *const bounds[][2] = {{"0.1s", "0.3s"},     {"0s", "1/30000s"},
                                            {"7/30000s", "0.5s"}, {"0.2s", NULL},
                                            {NULL, "0.25s"},      {"5s", "6s"}};
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        spk_duration from, to;
        int64_t first = spk_recording_start(whole), last = spk_recording_stop(whole);
        spk_recording *expected = NULL;
        options.start = options.stop = NULL;
        for (int i = 0; i < 2; i++)
            if (bounds[k][i] != NULL)
                assert_int_equal(spk_duration_parse(context, bounds[k][i], strlen(bounds[k][i]),
                                                    i == 0 ? &from : &to),
                                 SPK_OK);
        if (bounds[k][0] != NULL) {
            options.start = &from;
            first = spk_duration_first_tick(from, (spk_rate){30000, 1});
        }
        if (bounds[k][1] != NULL) {
            options.stop = &to;
            last = spk_duration_first_tick(to, (spk_rate){30000, 1});
        }
        spk_recording *slice = read_file(test_path("long.nwb"));
        assert_int_equal(spk_recording_slice(context, whole, &first, &last, 0, NULL, &expected),
                         SPK_OK);
        spk_events a = spk_recording_events(slice), b = spk_recording_events(expected);
        assert_int_equal(a.n_events, b.n_events);
        assert_int_equal(a.n_units, UNITS);
        assert_memory_equal(a.time, b.time, a.n_events * sizeof *a.time);
        assert_memory_equal(a.unit, b.unit, a.n_events * sizeof *a.unit);
        assert_int_equal(spk_recording_start(slice), spk_recording_start(expected));
        assert_int_equal(spk_recording_stop(slice), spk_recording_stop(expected));
        spk_recording_free(slice);
        spk_recording_free(expected);
    }
    spk_recording_free(whole);
}

static void the_clock_is_the_files(void **state)
{
    (void)state;
    double times[50];
    const double zero = 0;
    for (int k = 0; k < 50; k++)
        times[k] = (k * k + 3) / 24000.0; /* no usual rate */
    const int64_t end = 50;
    hid_t file = h5_new("clock.nwb", 0);
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", 50, times);
    h5_int64s(file, "/units/spike_times_index", 1, &end);
    h5_group(file, "/acquisition");
    h5_group(file, "/acquisition/ElectricalSeries");
    h5_doubles(file, "/acquisition/ElectricalSeries/starting_time", 1, &zero);
    h5_number_of(file, "/acquisition/ElectricalSeries/starting_time", "rate", 24000);
    H5Lcreate_external("raw.nwb", "/x", file, "/acquisition/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    h5_end(file);
    spk_recording *r = read_file(test_path("clock.nwb"));
    assert_int_equal(spk_recording_rate(r).numerator, 24000);
    assert_int_equal(spk_recording_events(r).time[49], 49 * 49 + 3);
    spk_recording_free(r);
    make_times("single.nwb", H5T_IEEE_F32LE, 50, times);
    r = read_file(test_path("single.nwb"));
    assert_int_equal(spk_recording_events(r).n_events, 50);
    spk_recording_free(r);
}

static void integers_count_the_resolution(void **state)
{
    (void)state;
    const int64_t times[] = {0, 30000, 30001}, end = 3;
    for (int k = 0; k < 2; k++) {
        hid_t file = h5_new("integers.nwb", 0);
        h5_group(file, "/units");
        h5_int64s(file, "/units/spike_times", 3, times);
        h5_int64s(file, "/units/spike_times_index", 1, &end);
        if (k == 1)
            h5_number_of(file, "/units/spike_times", "resolution", 1 / 30000.0);
        h5_end(file);
        if (k == 0)
            assert_refused("integers.nwb", SPK_ERR_FORMAT, "resolution");
    }
    spk_recording *r = read_file(test_path("integers.nwb"));
    assert_int_equal(spk_recording_rate(r).numerator, 30000);
    test_assert_ticks(r, "0", 3, times);
    spk_recording_free(r);
}

/* ---- segments and trials --------------------------------------------------------------------- */

static void add_observed(hid_t file, const double *intervals, hsize_t rows, const int64_t *ends)
{
    h5_matrix(file, "/units/obs_intervals", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rows, 2, 0,
              intervals);
    h5_int64s(file, "/units/obs_intervals_index", 4, ends);
}

static void observed_intervals_are_segments(void **state)
{
    (void)state;
    const double same[] = {0, 0.6, 0.7, 1.2, 0, 0.6, 0.7, 1.2, 0, 0.6, 0.7, 1.2, 0, 0.6, 0.7, 1.2};
    const int64_t ends[] = {2, 4, 6, 8};
    hid_t file = make_units("observed.nwb");
    add_observed(file, same, 8, ends);
    h5_end(file);
    spk_recording *r = read_file(test_path("observed.nwb"));
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(r, &n);
    assert_int_equal(n, 2);
    assert_true(segments[0].start == 0 && segments[0].stop == 600);
    assert_true(segments[1].start == 700 && segments[1].stop == 1200);
    assert_int_equal(spk_recording_events(r).n_events, 7);
    spk_recording_free(r);
}

static void different_intervals_are_intersected(void **state)
{
    (void)state;
    const double intervals[] = {0, 0.6, 0.7, 1.2, 0.3, 1.1, 0.1, 0.15, 0.4, 2};
    const int64_t ends[] = {2, 3, 3, 5}; /* the third unit says nothing */
    hid_t file = make_units("differ.nwb");
    add_observed(file, intervals, 5, ends);
    h5_end(file);
    spk_recording *r = read_file(test_path("differ.nwb"));
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(r, &n);
    assert_int_equal(n, 2);
    assert_true(segments[0].start == 400 && segments[0].stop == 600);
    assert_true(segments[1].start == 700 && segments[1].stop == 1100);
    assert_int_equal(spk_recording_get_facts(r)->outside, 2); /* 0.001 and 0.2 */
    assert_non_null(strstr(notes, "obs_intervals"));
    spk_recording_free(r);
    options.units = "7";
    r = read_file(test_path("differ.nwb"));
    segments = spk_recording_segments(r, &n);
    assert_true(n == 2 && segments[0].start == 0 && segments[0].stop == 600);
    spk_recording_free(r);
}

static void bad_intervals_are_refused(void **state)
{
    (void)state;
    static const double intervals[][4] = {
        {0, 0.6, 0.9, 0.7}, {0, 0.6, 0.0 / 0.0, 1}, {0, 0.1, 0.2, 0.3}};
    static const int64_t ends[][4] = {{1, 2, 2, 2}, {1, 2, 2, 2}, {1, 3, 2, 2}};
    static const char *const parts[] = {"stops before", "NaN", "ends at 3"};
    for (int k = 0; k < 3; k++) {
        hid_t file = make_units("bad.nwb");
        add_observed(file, intervals[k], 2, ends[k]);
        h5_end(file);
        assert_refused("bad.nwb", SPK_ERR_FORMAT, parts[k]);
    }
    const double apart[] = {0, 0.2, 0.3, 0.4};
    hid_t file = make_units("bad.nwb");
    add_observed(file, apart, 2, (const int64_t[]){1, 2, 2, 2});
    h5_end(file);
    assert_refused("bad.nwb", SPK_ERR_ARGUMENT, "at no time");
}

extern const spk_reader spk_reader_nwb;

static spk_status read_trials(const char *table, spk_time_range **out, size_t *n)
{
    const spk_probe probe = {.path = test_path("trials.nwb")};
    return spk_reader_nwb.intervals(context, &probe, table, out, n);
}

static void trials_are_exact(void **state)
{
    (void)state;
    const double from[] = {1000 / 30000.0, 2000 / 30000.0}, to[] = {1999 / 30000.0, 0.5};
    const spk_rate rate = {30000, 1};
    hid_t file = make_units("trials.nwb");
    h5_group(file, "/intervals");
    h5_group(file, "/intervals/trials");
    h5_doubles(file, "/intervals/trials/start_time", 2, from);
    h5_doubles(file, "/intervals/trials/stop_time", 2, to);
    h5_group(file, "/intervals/epochs");
    h5_end(file);
    spk_time_range *ranges = NULL;
    size_t n = 0;
    assert_int_equal(read_trials("trials", &ranges, &n), SPK_OK);
    assert_int_equal(n, 2);
    assert_int_equal(spk_duration_first_tick(ranges[0].start, rate), 1000);
    assert_int_equal(spk_duration_first_tick(ranges[0].stop, rate), 1999);
    assert_int_equal(spk_duration_first_tick(ranges[1].start, rate), 2000);
    assert_int_equal(spk_duration_first_tick(ranges[1].stop, rate), 15000);
    free(ranges);
    assert_int_equal(read_trials("blocks", &ranges, &n), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "epochs, trials"));
    assert_int_equal(read_trials("epochs", &ranges, &n), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "start_time is missing"));
}

/* ---- other places ---------------------------------------------------------------------------- */

static void add_table(hid_t file, const char *group)
{
    char path[100];
    const int64_t end = 7;
    h5_group(file, group);
    snprintf(path, sizeof path, "%s/spike_times", group);
    h5_doubles(file, path, 7, (const double[]){1, 2, 3, 4, 5, 6, 7});
    snprintf(path, sizeof path, "%s/spike_times_index", group);
    h5_int64s(file, path, 1, &end);
}

static void other_tables_are_found(void **state)
{
    (void)state;
    hid_t file = h5_new("other.nwb", 0);
    h5_text_of(file, "/", "nwb_version", "2.6.0");
    h5_group(file, "/processing");
    h5_group(file, "/processing/ecephys");
    h5_end(file);
    assert_refused("other.nwb", SPK_ERR_FORMAT, "units table");
    file = H5Fopen(test_path("other.nwb"), H5F_ACC_RDWR, H5P_DEFAULT);
    add_table(file, "/processing/ecephys/Sorted");
    h5_end(file);
    spk_recording *r = read_file(test_path("other.nwb"));
    assert_int_equal(spk_recording_events(r).n_events, 7);
    spk_recording_free(r);
    file = H5Fopen(test_path("other.nwb"), H5F_ACC_RDWR, H5P_DEFAULT);
    add_table(file, "/processing/ecephys/Units");
    h5_end(file);
    assert_refused("other.nwb", SPK_ERR_ARGUMENT, "--time-column /processing/ecephys/Sorted");
    options.time_column = "processing/ecephys/Units/spike_times";
    r = read_file(test_path("other.nwb"));
    assert_int_equal(spk_recording_events(r).n_events, 7);
    spk_recording_free(r);
    options.time_column = "/units";
    assert_refused("other.nwb", SPK_ERR_ARGUMENT, "no units table");
}

/* ---- damaged and hostile files --------------------------------------------------------------- */

static void bad_indices_are_refused(void **state)
{
    (void)state;
    make_with_ends("descend.nwb", 4, (const int64_t[]){3, 2, 6, 7});
    assert_refused("descend.nwb", SPK_ERR_FORMAT, "row 1 ends at 2");
    make_with_ends("beyond.nwb", 4, (const int64_t[]){3, 6, 6, 8});
    assert_refused("beyond.nwb", SPK_ERR_FORMAT, "row 3 ends at 8");
    make_with_ends("negative.nwb", 4, (const int64_t[]){-1, 6, 6, 7});
    assert_refused("negative.nwb", SPK_ERR_FORMAT, "row 0 ends at -1");
    hid_t file = h5_new("noindex.nwb", 0);
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", 7, TIMES);
    h5_end(file);
    assert_refused("noindex.nwb", SPK_ERR_FORMAT, "spike_times_index is missing");
    file = h5_new("text.nwb", 0);
    h5_group(file, "/units");
    h5_texts(file, "/units/spike_times", 0, 2, (const char *const[]){"1", "2"});
    h5_int64s(file, "/units/spike_times_index", 1, (const int64_t[]){2});
    h5_end(file);
    assert_refused("text.nwb", SPK_ERR_FORMAT, "text values");
    file = h5_new("float.nwb", 0);
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", 7, TIMES);
    h5_doubles(file, "/units/spike_times_index", 1, (const double[]){7});
    h5_end(file);
    assert_refused("float.nwb", SPK_ERR_FORMAT, "floating point values");
}

static void bad_times_are_refused(void **state)
{
    (void)state;
    make_times("nan.nwb", H5T_IEEE_F64LE, 3, (const double[]){1, 0.0 / 0.0, 3});
    assert_refused("nan.nwb", SPK_ERR_FORMAT, "spike_times[1] (unit 0) is not a number");
    make_times("inf.nwb", H5T_IEEE_F64LE, 3, (const double[]){1, 2, 1 / 0.0});
    assert_refused("inf.nwb", SPK_ERR_FORMAT, "spike_times[2] (unit 0) is infinite");
    make_times("huge.nwb", H5T_IEEE_F64LE, 2, (const double[]){1, 1e300});
    assert_refused("huge.nwb", SPK_ERR_RANGE, "time 1");
    make_times("order.nwb", H5T_IEEE_F64LE, 3, (const double[]){1, 3, 2});
    assert_refused("order.nwb", SPK_ERR_ORDER, "--sort");
    options.sort = true;
    spk_recording *r = read_file(test_path("order.nwb"));
    test_assert_ticks(r, "0", 3, (const int64_t[]){1, 2, 3});
    assert_false(spk_recording_get_facts(r)->sorted);
    spk_recording_free(r);
}

static void repeated_ids_are_refused(void **state)
{
    (void)state;
    hid_t file = h5_new("ids.nwb", 0);
    h5_group(file, "/units");
    h5_doubles(file, "/units/spike_times", 7, TIMES);
    h5_int64s(file, "/units/spike_times_index", 4, ENDS);
    h5_int64s(file, "/units/id", 4, (const int64_t[]){1, 2, 3, 2});
    h5_end(file);
    assert_refused("ids.nwb", SPK_ERR_FORMAT, "rows 1 and 3; take a column");
}

static void cut_files_are_refused(void **state)
{
    (void)state;
    h5_end(make_units("cut.nwb"));
    FILE *stream = fopen(test_path("cut.nwb"), "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    long size = ftell(stream);
    fclose(stream);
    for (long n = size - 1; n > 100; n = n * 3 / 4) {
        spk_recording *r = NULL;
        assert_int_equal(truncate(test_path("cut.nwb"), n), 0);
        assert_int_not_equal(spk_recording_read(context, test_path("cut.nwb"), &options, &r),
                             SPK_OK);
        assert_null(r);
    }
}

static void links_elsewhere_are_not_followed(void **state)
{
    (void)state;
    h5_end(make_units("target.nwb"));
    hid_t file = h5_new("linked.nwb", 0);
    H5Lcreate_external("target.nwb", "/units", file, "/units", H5P_DEFAULT, H5P_DEFAULT);
    h5_end(file);
    assert_refused("linked.nwb", SPK_ERR_FORMAT, "target.nwb");
    file = h5_new("loop.nwb", 0);
    H5Lcreate_soft("/units", file, "/units", H5P_DEFAULT, H5P_DEFAULT);
    h5_end(file);
    assert_refused("loop.nwb", SPK_ERR_FORMAT, "/units");
}

static void other_hdf5_is_told_apart(void **state)
{
    (void)state;
    hid_t file = h5_new("plain.h5", 0);
    h5_doubles(file, "/x", 7, TIMES);
    h5_end(file);
    assert_refused("plain.h5", SPK_ERR_FORMAT, "not of NWB");
    file = h5_new("one.nwb", 0);
    h5_texts(file, "/nwb_version", 0, 1, (const char *const[]){"NWB-1.0.6"});
    h5_end(file);
    assert_refused("one.nwb", SPK_ERR_FORMAT, "NWB 1");
}

/* ---- a file of a lab ------------------------------------------------------------------------- */

/* The microsecond as which the file has tick `t` of 30 kHz. */
static int64_t microsecond_of(int64_t t)
{
    return (t * 200 + 3) / 6;
}

/* Numbers of h5py and numpy: rounded microseconds, their sum and a sum that knows their order. All
 * of them are samples of 30 kHz, rounded, and these are the ticks. */
static void a_recorded_file_is_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        uint64_t n;
        int64_t first, last, sum, ordered;
    } units[] = {{"6", 11020, 30333, 1087352833, 6196915002245, 284750351},
                 {"191", 4690, 874333, 1087258000, 2825367068651, 1024660019},
                 {"206", 5644, 28133, 1087221833, 3261870894303, 1079420846}};
    const char *path = test_external("nwb/A8604-211122.nwb");
    if (path == NULL)
        skip();
    spk_recording *r = read_file(path);
    spk_events e = spk_recording_events(r);
    assert_int_equal(e.n_units, 3);
    assert_int_equal(spk_recording_rate(r).numerator, 30000);
    assert_int_equal(spk_recording_rate(r).denominator, 1);
    for (uint32_t u = 0; u < 3; u++) {
        const uint32_t *own = e.by_unit + e.unit_first[u];
        int64_t sum = 0;
        __int128 ordered = 0;
        assert_string_equal(spk_recording_label(r, u), units[u].label);
        assert_int_equal(e.unit_first[u + 1] - e.unit_first[u], units[u].n);
        assert_int_equal(microsecond_of(e.time[own[0]]), units[u].first);
        assert_int_equal(microsecond_of(e.time[own[units[u].n - 1]]), units[u].last);
        for (uint64_t k = 0; k < units[u].n; k++) {
            sum += microsecond_of(e.time[own[k]]);
            ordered += (__int128)microsecond_of(e.time[own[k]]) * (int64_t)(k + 1);
        }
        assert_int_equal(sum, units[u].sum);
        assert_int_equal((int64_t)(ordered % 2147483647), units[u].ordered);
    }
    spk_recording_free(r);
}

#else

static void it_is_said_what_to_install(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    const char *path = test_file("a.nwb", "\x89HDF\r\n\x1a\n and so on");
    assert_int_equal(spk_recording_read(context, path, NULL, &out), SPK_ERR_UNAVAILABLE);
    assert_non_null(strstr(spk_context_message(context), "libhdf5-dev"));
    path = test_file("b.txt", "0.5 a\n");
    assert_int_equal(spk_recording_read(context, path, NULL, &out), SPK_OK);
    spk_recording_free(out);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SPIKEMINE_HAVE_HDF5
        cmocka_unit_test_setup(units_are_read, start),
        cmocka_unit_test_setup(every_width_of_index_is_read, start),
        cmocka_unit_test_setup(units_are_selected, start),
        cmocka_unit_test_setup(labels_come_from_any_column, start),
        cmocka_unit_test_setup(slices_are_those_of_the_whole, start),
        cmocka_unit_test_setup(the_clock_is_the_files, start),
        cmocka_unit_test_setup(integers_count_the_resolution, start),
        cmocka_unit_test_setup(observed_intervals_are_segments, start),
        cmocka_unit_test_setup(different_intervals_are_intersected, start),
        cmocka_unit_test_setup(bad_intervals_are_refused, start),
        cmocka_unit_test_setup(trials_are_exact, start),
        cmocka_unit_test_setup(other_tables_are_found, start),
        cmocka_unit_test_setup(bad_indices_are_refused, start),
        cmocka_unit_test_setup(bad_times_are_refused, start),
        cmocka_unit_test_setup(repeated_ids_are_refused, start),
        cmocka_unit_test_setup(cut_files_are_refused, start),
        cmocka_unit_test_setup(links_elsewhere_are_not_followed, start),
        cmocka_unit_test_setup(other_hdf5_is_told_apart, start),
        cmocka_unit_test_setup(a_recorded_file_is_read_exactly, start),
#else
        cmocka_unit_test(it_is_said_what_to_install),
#endif
    };
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_note(context, keep_note, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    spk_context_free(context);
    return failed;
}
