/* Files of patterns, of their occurrences, and of spectra: every byte of small ones, and what is
 * left of files that are given up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "spikemine/spikemine.h"
#include "support/folder.h"

/* Units a and "b c", bins of 1 ms, windows of 3: a fires in bins 0 and 10, "b c" 2 bins later. */
enum { WINDOW = 3 };
static const int64_t times[] = {0, 2, 10, 12};
static const uint32_t units[] = {0, 1, 0, 1};
static const char *const labels[] = {"a", "b c"};

/* {a@0} and {a@0, "b c"@2}, twice each, and the third three times as far as the writer cares. */
static const uint64_t offset[] = {0, 1, 3, 5};
static const uint32_t item[] = {0, 0, 1 * WINDOW + 2, 0, 1 * WINDOW + 2};
static const uint32_t support[] = {2, 2, 3};

static spk_context *context;
static spk_recording *recording;
static spk_windows *windows;

static int setup(void **state)
{
    (void)state;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, -3};
    options.window = WINDOW;
    return spk_context_create(&context) != SPK_OK ||
           spk_recording_create(context, 4, times, units, 2, labels, (spk_rate){1000, 1}, NULL,
                                NULL, &recording) != SPK_OK ||
           spk_windows_create(context, recording, &options, &windows) != SPK_OK;
}

static int teardown(void **state)
{
    (void)state;
    spk_windows_free(windows);
    spk_recording_free(recording);
    spk_context_free(context);
    test_folder_remove();
    return 0;
}

static spk_pattern_columns patterns(uint64_t n)
{
    return (spk_pattern_columns){n, WINDOW, offset, item, support};
}

static void assert_file(const char *name, const char *expected)
{
    char *text = test_file_text(name);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static spk_pattern_writer *open_patterns(const char *name, const char *times_name,
                                         spk_table_format format)
{
    spk_pattern_writer *writer = NULL;
    const spk_pattern_writer_options options = {
        .path = test_path(name),
        .format = format,
        .windows = windows,
        .recording = recording,
        .occurrences_path = times_name != NULL ? test_path(times_name) : NULL};
    assert_int_equal(spk_pattern_writer_create(context, &options, &writer), SPK_OK);
    return writer;
}

static void add_patterns(spk_pattern_writer *writer, uint64_t n)
{
    spk_pattern_columns some = patterns(n);
    assert_int_equal(spk_pattern_write(writer, &some), SPK_OK);
}

static void tables_appear_when_they_are_complete(void **state)
{
    (void)state;
    spk_pattern_writer *writer = open_patterns("patterns.tsv", "times.tsv", SPK_TABLE_TSV);
    add_patterns(writer, 2);
    assert_false(test_file_exists("patterns.tsv") || test_file_exists("times.tsv"));
    assert_int_equal(spk_pattern_writer_commit(writer, NULL), SPK_OK);
    assert_file("patterns.tsv", "spikes\toccurrences\tneurons\tduration\tpattern\n"
                                "1\t2\t1\t0\ta@0\n"
                                "2\t2\t2\t2\ta@0 \"b c\"@2\n");
    assert_file("times.tsv", "pattern\ttrial\tbin\ttime_s\n"
                             "a@0\t1\t0\t0\n"
                             "a@0\t1\t10\t0.01\n"
                             "a@0 \"b c\"@2\t1\t0\t0\n"
                             "a@0 \"b c\"@2\t1\t10\t0.01\n");
}

static void json_holds_the_same(void **state)
{
    (void)state;
    const spk_provenance provenance = {.engine = "bitmap"};
    spk_pattern_writer *writer = open_patterns("patterns.json", NULL, SPK_TABLE_JSON);
    add_patterns(writer, 2);
    assert_int_equal(spk_pattern_writer_commit(writer, &provenance), SPK_OK);
    json_t *all = json_load_file(test_path("patterns.json"), 0, NULL);
    const json_t *rows = json_object_get(all, "patterns");
    assert_int_equal(json_array_size(rows), 2);
    const json_t *row = json_array_get(rows, 1);
    assert_int_equal(json_integer_value(json_object_get(row, "occurrences")), 2);
    const json_t *spike = json_array_get(json_object_get(row, "pattern"), 1);
    assert_string_equal(json_string_value(json_array_get(spike, 0)), "b c");
    assert_int_equal(json_integer_value(json_array_get(spike, 1)), 2);
    const json_t *made = json_object_get(all, "provenance");
    assert_string_equal(json_string_value(json_object_get(made, "engine")), "bitmap");
    json_decref(all);
}

static void what_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    spk_pattern_writer *writer = open_patterns("given-up.tsv", "given-up.times", SPK_TABLE_TSV);
    add_patterns(writer, 2);
    spk_pattern_writer_discard(writer);
    spk_pattern_writer_discard(NULL);
    assert_false(test_file_exists("given-up.tsv") || test_file_exists("given-up.times"));
}

/* ---- spectra --------------------------------------------------------------------------------- */

static void write_spectrum(bool with_duration, spk_table_format format, const char *name)
{
    spk_spectrum *spectrum = NULL;
    spk_pattern_columns all = patterns(3);
    assert_int_equal(spk_spectrum_create(context, with_duration, &spectrum), SPK_OK);
    assert_int_equal(spk_spectrum_has_duration(spectrum), with_duration);
    assert_int_equal(spk_spectrum_add(spectrum, &all), SPK_OK);
    assert_int_equal(spk_spectrum_add(spectrum, &all), SPK_OK);
    assert_int_equal(
        spk_spectrum_write(context, spectrum, format, test_path(name), recording, NULL), SPK_OK);
    spk_spectrum_free(spectrum);
}

static void spectra_are_tables_with_or_without_durations(void **state)
{
    (void)state;
    write_spectrum(false, SPK_TABLE_TSV, "spectrum.tsv");
    assert_file("spectrum.tsv", "spikes\toccurrences\tpatterns\n1\t2\t2\n2\t2\t2\n2\t3\t2\n");
    write_spectrum(true, SPK_TABLE_TSV, "spectrum.tsv");
    assert_file("spectrum.tsv", "spikes\toccurrences\tduration\tpatterns\n"
                                "1\t2\t0\t2\n2\t2\t2\t2\n2\t3\t2\t2\n");
}

static void spectra_are_json(void **state)
{
    (void)state;
    write_spectrum(true, SPK_TABLE_JSON, "spectrum.json");
    json_t *all = json_load_file(test_path("spectrum.json"), 0, NULL);
    const json_t *rows = json_object_get(all, "spectrum");
    static const int64_t expected[3][4] = {{1, 2, 0, 2}, {2, 2, 2, 2}, {2, 3, 2, 2}};
    assert_int_equal(json_array_size(json_object_get(all, "columns")), 4);
    assert_int_equal(json_array_size(rows), 3);
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 4; c++)
            assert_int_equal(json_integer_value(json_array_get(json_array_get(rows, r), c)),
                             expected[r][c]);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_appear_when_they_are_complete),
        cmocka_unit_test(json_holds_the_same),
        cmocka_unit_test(what_is_given_up_leaves_nothing),
        cmocka_unit_test(spectra_are_tables_with_or_without_durations),
        cmocka_unit_test(spectra_are_json),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
