/* Kilosort and phy folders: samples, clusters, groups, tables, params.py; and ALF folders. */
#include <sys/stat.h>

#include "recording/readers/sorter_files.h"
#include "support/context.h"
#include "support/npy.h"

static spk_read_options options;
static char notes[2048];
static char folder[320];

static void keep_note(void *user, const char *text)
{
    (void)user;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s\n", text);
}

/* A name in the folder of the present test. */
static const char *in(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", strrchr(folder, '/') + 1, name);
    return path;
}

static int setup(void **state)
{
    static int number;
    char name[16];
    (void)state;
    if (spk_context_create(&context) != SPK_OK)
        return -1;
    spk_context_set_note(context, keep_note, NULL);
    spk_read_options_init(&options, sizeof options);
    notes[0] = '\0';
    snprintf(name, sizeof name, "phy%d", number++);
    snprintf(folder, sizeof folder, "%s", test_path(name));
    return mkdir(folder, 0700);
}

static spk_recording *read_good(const char *path)
{
    return test_recording_read(context, path, &options);
}

static void expect(spk_rate rate, const char *events)
{
    char text[1024] = "";
    size_t n = 0;
    spk_recording *recording = read_good(folder);
    spk_events e = spk_recording_events(recording);
    for (uint64_t i = 0; i < e.n_events; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld:%s", i > 0 ? " " : "",
                              (long long)e.time[i], spk_recording_label(recording, e.unit[i]));
    assert_string_equal(text, events);
    assert_int_equal(spk_recording_rate(recording).numerator, rate.numerator);
    assert_int_equal(spk_recording_rate(recording).denominator, rate.denominator);
    spk_recording_free(recording);
}

static void expect_error(spk_status status, const char *part)
{
    spk_recording *recording = NULL;
    spk_status got = spk_recording_read(context, folder, &options, &recording);
    const char *message = spk_context_message(context);
    assert_null(recording);
    if (got != status || strstr(message, part) == NULL)
        fail_msg("'%s' (%d) is not in '%s' (%d)", part, (int)status, message, (int)got);
    assert_null(strchr(message, '\n'));
    assert_non_null(strpbrk(message, ";?"));
}

/* Six spikes of the clusters 0, 3, 12 and 40. */
static void make_folder(void)
{
    static const uint64_t times[] = {10, 20, 30, 40, 50, 60};
    static const int32_t clusters[] = {3, 12, 0, 3, 40, 12};
    test_npy_file(in("spike_times.npy"), "<u8", "(6, 1)", times, sizeof times);
    test_npy_file(in("spike_clusters.npy"), "<i4", "(6,)", clusters, sizeof clusters);
    test_file(in("params.py"), "dat_path = '../raw.dat'\nn_channels_dat = 385\ndtype = 'int16'\n"
                               "offset = 0\nsample_rate = 30000.\nhp_filtered = False\n");
    test_file(in("cluster_group.tsv"), "cluster_id\tgroup\n0\tnoise\n3\tgood\n12\tmua\n");
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void test_groups(void **state)
{
    (void)state;
    const spk_rate rate = {30000, 1};
    make_folder();
    expect(rate, "10:3 20:12 40:3 50:40 60:12");
    assert_non_null(strstr(notes, "3 of 4 clusters are read, all but noise"));
    options.group = "all";
    expect(rate, "10:3 20:12 30:0 40:3 50:40 60:12");
    options.group = "good";
    expect(rate, "10:3 40:3");
    options.group = "mua,good";
    expect(rate, "10:3 20:12 40:3 60:12");
    options.group = "noise";
    expect(rate, "30:0");
    options.group = "unsorted"; /* it has no row */
    expect(rate, "50:40");
    options.group = "great";
    expect_error(SPK_ERR_ARGUMENT, "no cluster is of the group 'great'; there are good,mua,noise,"
                                   "unsorted, and all");
}

static void test_which_table_tells_the_groups(void **state)
{
    (void)state;
    const spk_rate rate = {30000, 1};
    make_folder();
    options.group = "good";
    test_file(in("cluster_KSLabel.tsv"), "cluster_id\tKSLabel\n0\tgood\n3\tmua\n12\tgood\n");
    expect(rate, "10:3 40:3"); /* cluster_group.tsv goes first */
    test_file(in("cluster_group.tsv"), "cluster_id\tgroup\n");
    expect(rate, "20:12 30:0 60:12"); /* nobody sorted by hand */
    test_file(in("cluster_info.tsv"), "cluster_id\tdepth\tgroup\n40\t100\tgood\n3\t20.5\t\n");
    expect(rate, "50:40");
    assert_non_null(strstr(notes, "(cluster_info.tsv)"));
}

static void test_no_table_at_all(void **state)
{
    (void)state;
    make_folder();
    unlink(test_path(in("cluster_group.tsv")));
    expect((spk_rate){30000, 1}, "10:3 20:12 30:0 40:3 50:40 60:12");
    assert_non_null(strstr(notes, "nothing says which clusters are good: all 4 are read"));
    options.label_column = "depth";
    expect_error(SPK_ERR_ARGUMENT, "the folder has no cluster_*.tsv");
}

static void test_labels_and_selections(void **state)
{
    (void)state;
    const spk_rate rate = {30000, 1};
    make_folder();
    test_file(in("cluster_info.tsv"),
              "cluster_id\tname\tdepth\tgroup\n0\tx\t5\tnoise\n3\tCA1 a\t100.5\tgood\n"
              "12\tCA1 a\t20\tmua\n40\t\t\t\n");
    options.row_filter = "depth>=20 && group!=noise";
    expect(rate, "10:3 20:12 40:3 60:12");
    options.row_filter = "depth>20";
    options.label_column = "name";
    expect(rate, "10:CA1 a 40:CA1 a");
    options.units = "CA1 a";
    expect(rate, "10:CA1 a 40:CA1 a");
    options.units = NULL;
    options.row_filter = NULL;
    expect_error(SPK_ERR_FORMAT, "two clusters have the label 'CA1 a'");
    options.label_column = NULL;
    options.row_filter = "cluster_id==40";
    expect(rate, "50:40");
    options.row_filter = "depth==7";
    expect_error(SPK_ERR_ARGUMENT, "leave none of 4 clusters");
    options.row_filter = "dpeth==7";
    expect_error(SPK_ERR_ARGUMENT, "no table has a column 'dpeth'; there are group, name, depth");
    options.row_filter = "depth=7";
    expect_error(SPK_ERR_ARGUMENT, "an operator is missing");
}

static void test_templates_where_there_are_no_clusters(void **state)
{
    (void)state;
    make_folder();
    assert_int_equal(rename(test_path(in("spike_clusters.npy")), test_path("moved.npy")), 0);
    expect_error(SPK_ERR_FORMAT, "has neither spike_clusters.npy nor spike_templates.npy");
    static const uint32_t templates[] = {0, 0, 1, 1, 0, 1};
    test_npy_file(in("spike_templates.npy"), "<u4", "(6, 1)", templates, sizeof templates);
    options.group = "all";
    expect((spk_rate){30000, 1}, "10:0 20:0 30:1 40:1 50:0 60:1");
    assert_non_null(strstr(notes, "units are those of spike_templates.npy"));
}

/* ---- params.py ------------------------------------------------------------------------------- */

static void test_rates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        spk_rate rate;
    } cases[] = {{"sample_rate = 30000.", {30000, 1}},
                 {"sample_rate=3e4\n", {30000, 1}},
                 {"x = 1\r\nsample_rate = 24414.0625 # TDT\r\n", {390625, 16}},
                 {"sample_rate = 30_000.0\nsample_rate = 30000", {30000, 1}},
                 {"# sample_rate = 5\nsample_rates = 7\nmy_sample_rate = 9\n", {0, 1}},
                 {"n = 1\nprint(sample_rate)\n", {0, 1}},
                 {"", {0, 1}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_rate rate;
        spk_status status = spk_sorter_params_rate(context, "params.py", cases[k].text,
                                                   strlen(cases[k].text), &rate);
        if (status != SPK_OK || rate.numerator != cases[k].rate.numerator ||
            rate.denominator != cases[k].rate.denominator)
            fail_msg("%s: %llu, %s", cases[k].text, (unsigned long long)rate.numerator,
                     spk_context_message(context));
    }
}

/* Code is shown, never run. */
static void test_params_with_code(void **state)
{
    (void)state;
    static const char *const cases[] = {"sample_rate = 30 * 1000",
                                        "sample_rate = float('30000')",
                                        "sample_rate = __import__('os').system('touch run')",
                                        "sample_rate = 30000; x = 1",
                                        "sample_rate = -30000",
                                        "sample_rate = 0",
                                        "sample_rate = 30000/1",
                                        "sample_rate += 1",
                                        "sample_rate == 30000",
                                        "sample_rate = ",
                                        "sample_rate = 'a'",
                                        "sample_rate: float = 30000",
                                        "if fast:\n  sample_rate = 30000",
                                        "sample_rate = 30000\nsample_rate = 25000",
                                        "sample_rate = nan",
                                        "sample_rate = 1e999",
                                        "sample_rate, x = 1, 2"};
    make_folder();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        test_file(in("params.py"), cases[k]);
        expect_error(SPK_ERR_FORMAT, "pass --time-unit samples@RATE");
        assert_non_null(strstr(spk_context_message(context), "params.py:"));
    }
    test_file(in("params.py"), "n_channels_dat = 385\n");
    expect_error(SPK_ERR_FORMAT, "assigns nothing to sample_rate");
    unlink(test_path(in("params.py")));
    expect_error(SPK_ERR_FORMAT, "has no params.py that tells the sampling rate; pass --time-unit");
    options.time_unit = SPK_TIME_SAMPLES;
    options.samples_per_second = 25000;
    expect((spk_rate){25000, 1}, "10:3 20:12 40:3 50:40 60:12");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void test_tables(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf"
                               "id,\"group\", depth\r\n7.0,good,1\r\n\r\n008,\"mua\",\n-3,,2";
    spk_sorter_table table;
    size_t column = 9;
    assert_int_equal(
        spk_sorter_table_parse(context, "t.csv", "t.csv", text, sizeof text - 1, &table), SPK_OK);
    assert_int_equal(table.n_rows, 3);
    assert_true(spk_sorter_table_column(&table, "group", &column));
    assert_string_equal(spk_sorter_table_cell(&table, "7", column), "good");
    assert_string_equal(spk_sorter_table_cell(&table, "8", column), "mua");
    assert_string_equal(spk_sorter_table_cell(&table, "-3", column), "");
    assert_null(spk_sorter_table_cell(&table, "9", column));
    assert_false(spk_sorter_table_column(&table, "x", &column));
    spk_sorter_table_clear(&table);
    spk_sorter_table_clear(&table);
}

static void test_bad_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"", "the table is empty"},
        {"cluster_id\tgroup\n1\n", "cluster_group.tsv:2: the row is not as long"},
        {"cluster_id\tgroup\n1\tgood\tx\n", "the row is not as long"},
        {"cluster_id\tgroup\na\tgood\n", ":2: the cluster is no whole number"},
        {"cluster_id\tgroup\n1.5\tgood\n", ":2: the cluster is no whole number"},
        {"cluster_id\tgroup\n1\tgood\n1\tmua\n", ":3: the cluster stands in the table twice"},
        {"cluster_id\tgroup\n1\t\xff\n", "no UTF-8"}};
    make_folder();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        test_file(in("cluster_group.tsv"), cases[k].text);
        expect_error(SPK_ERR_FORMAT, cases[k].part);
    }
}

/* ---- ALF ------------------------------------------------------------------------------------- */

static void test_alf(void **state)
{
    (void)state;
    static const double times[] = {0.5, 1, 1.25};
    static const uint32_t clusters[] = {4, 2, 4};
    char probe[400];
    snprintf(probe, sizeof probe, "%s/probe00", folder);
    assert_int_equal(mkdir(probe, 0700), 0);
    test_npy_file(in("probe00/_ibl_spikes.times.2f3a.npy"), "<f8", "(3,)", times, sizeof times);
    expect_error(SPK_ERR_FORMAT, "probe00: has no file spikes.clusters.npy");
    test_npy_file(in("probe00/spikes.clusters.npy"), "<u4", "(3,)", clusters, sizeof clusters);
    test_npy_file(in("probe00/spikes.timesort.npy"), "<f8", "(1,)", times, 8);
    expect((spk_rate){100, 1}, "50:4 100:2 125:4");
    test_npy_file(in("probe00/spikes.times.npy"), "<f8", "(3,)", times, sizeof times);
    expect_error(SPK_ERR_FORMAT, "has several files of spikes.times");
    unlink(test_path(in("probe00/spikes.times.npy")));
    snprintf(probe, sizeof probe, "%s/probe01", folder);
    assert_int_equal(mkdir(probe, 0700), 0);
    test_npy_file(in("probe01/spikes.times.npy"), "<f8", "(3,)", times, sizeof times);
    expect_error(SPK_ERR_FORMAT, "has spikes of several probes; give the folder of one");
}

/* ---- bad folders ----------------------------------------------------------------------------- */

static void test_bad_folders(void **state)
{
    (void)state;
    static const uint64_t times[] = {10, 20, 30};
    static const float odd[] = {0.5F, 1, 2};
    make_folder();
    test_npy_file(in("spike_times.npy"), "<u8", "(3,)", times, sizeof times);
    expect_error(SPK_ERR_FORMAT, "3 times and 6 units");
    test_npy_file(in("spike_clusters.npy"), "<f4", "(3,)", odd, sizeof odd);
    expect_error(SPK_ERR_FORMAT, "unit 0 (from 0) is 0.5, no whole number");
    test_npy_file(in("spike_clusters.npy"), "<u8", "(3,)", times, sizeof times);
    test_npy_file(in("spike_times.npy"), "<f4", "(3,)", odd, sizeof odd);
    expect_error(SPK_ERR_FORMAT, "time 0 (from 0) is 0.5, no whole number of samples");
    test_npy_file(in("spike_times.npy"), "<u8", "(3,)", times, 20);
    expect_error(SPK_ERR_FORMAT, "spike_times.npy: is cut off");
    test_npy_file(in("spike_times.npy"), "<u8", "(1, 1, 3)", times, sizeof times);
    expect_error(SPK_ERR_FORMAT, "is no list");
    test_file(in("spike_times.npy"), "10\n20\n30\n");
    expect_error(SPK_ERR_FORMAT, "spike_times.npy: is no .npy file");
    unlink(test_path(in("spike_times.npy")));
    expect_error(SPK_ERR_IO, "is a directory");
}

/* ---- a real one ------------------------------------------------------------------------------ */

static char *read_bytes(const char *path, size_t *n)
{
    FILE *stream = fopen(path, "rb");
    char *bytes = malloc(8000000);
    assert_non_null(stream);
    assert_non_null(bytes);
    *n = fread(bytes, 1, 8000000, stream);
    fclose(stream);
    return bytes;
}

/* Every spike is there: the bytes of the files, read by hand. */
static void test_a_real_folder(void **state)
{
    (void)state;
    const char *found = test_external("phy");
    if (found == NULL) {
        skip();
        return;
    }
    char data[300], path[400];
    size_t n_times, n_ids;
    snprintf(data, sizeof data, "%s", found);
    snprintf(path, sizeof path, "%s/spike_times.npy", data);
    char *times = read_bytes(path, &n_times);
    snprintf(path, sizeof path, "%s/spike_clusters.npy", data);
    char *ids = read_bytes(path, &n_ids);
    uint64_t n = (n_times - 80) / 8;
    assert_int_equal(n, 379321);
    assert_int_equal(n_ids, 128 + 4 * n);
    snprintf(folder, sizeof folder, "%s", data);
    options.group = "all";
    options.time_unit = SPK_TIME_SAMPLES;
    options.samples_per_second = 30000;
    spk_recording *recording = read_good(data);
    spk_events e = spk_recording_events(recording);
    assert_int_equal(e.n_units, 404);
    assert_int_equal(e.n_events + spk_recording_get_facts(recording)->duplicates, n);
    /* Both are in order of time; within one tick the units of the file are in any order. */
    uint64_t at = 0, seen = 0;
    for (uint64_t i = 0; i < n; i++) {
        int64_t time;
        int32_t id;
        char label[16];
        uint32_t unit;
        memcpy(&time, times + 80 + 8 * i, 8);
        memcpy(&id, ids + 128 + 4 * i, 4);
        snprintf(label, sizeof label, "%d", id);
        assert_true(spk_recording_find_unit(recording, label, &unit));
        while (at < e.n_events && e.time[at] < time)
            at++;
        uint64_t k = at;
        while (k < e.n_events && e.time[k] == time && e.unit[k] != unit)
            k++;
        assert_true(k < e.n_events && e.time[k] == time && e.unit[k] == unit);
        seen++;
    }
    assert_int_equal(seen, n);
    spk_recording_free(recording);
    options.group = "good";
    recording = read_good(data);
    assert_int_equal(spk_recording_events(recording).n_units, 140);
    spk_recording_free(recording);
    free(times);
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_groups, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_which_table_tells_the_groups, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_no_table_at_all, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_labels_and_selections, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_templates_where_there_are_no_clusters, setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_rates, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_params_with_code, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_tables, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_tables, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_alf, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_folders, setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_real_folder, setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
