/* What tables say of the test of patterns: columns of patterns, the table of p-values. */
#include "support/context.h"

static spk_recording *recording;
static spk_windows *windows;

/* a and b together at 0, 100 and 200 ms. */
static int make_windows(void **state)
{
    (void)state;
    static const char *const labels[] = {"a", "b"};
    static const int64_t time[] = {0, 5, 100, 105, 200, 205};
    static const uint32_t unit[] = {0, 1, 0, 1, 0, 1};
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){5, -3};
    cut.window = 3;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(test_recording_create(context, 6, time, unit, 2, labels, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    return 0;
}

static int free_windows(void **state)
{
    (void)state;
    spk_windows_free(windows);
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}

static const spk_signature signatures[] = {
    {2, 3, 1, 1, 4, 0.05, 0.04, 0.1, true, false},
    {2, 9, 1, 2, 0, 0.01, 0, 0, false, true},
};
static const spk_pvalue values[] = {{2, 1, 2, 60, 0.61, 0.6},
                                    {2, 1, 3, 4, 0.05, 0.04},
                                    {2, 2, 3, 1, 0.02, 0.01},
                                    {1, 0, 5, 7, 0.08, 0.07}};

static spk_significance make_test(void)
{
    spk_significance test;
    spk_significance_init(&test, sizeof test);
    test.by_duration = true;
    test.n_surrogates = 99;
    test.n_signatures = 2;
    test.signature = signatures;
    test.n_pvalues = 4;
    test.pvalue = values;
    return test;
}

/* The file's text holds each of these, in this order. */
static void assert_says(const char *path, const char *const *texts)
{
    static char all[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(all, 1, sizeof all - 1, file);
    fclose(file);
    all[n] = '\0';
    const char *at = all;
    for (; *texts != NULL; texts++) {
        const char *found = strstr(at, *texts);
        if (found == NULL)
            fail_msg("'%s' is not in:\n%s", *texts, all);
        at = found + strlen(*texts);
    }
}

static spk_status write_patterns(const spk_significance *test, spk_table_form format,
                                 const char *path, uint32_t count)
{
    static const uint64_t offset[] = {0, 2};
    static const uint32_t item[] = {0, 4};
    const spk_pattern_columns patterns = {
        .n = 1, .window = 3, .offset = offset, .item = item, .count = &count};
    spk_writer *writer = NULL;
    const spk_provenance provenance = {.command = "a test"};
    assert_int_equal(spk_pattern_writer_open(context, path, format, windows, recording, &writer),
                     SPK_OK);
    assert_int_equal(spk_writer_set_signatures(writer, test), SPK_OK);
    spk_status status = spk_pattern_writer_add(writer, &patterns);
    if (status == SPK_OK)
        return spk_writer_commit(writer, &provenance);
    spk_writer_free(writer);
    return status;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void patterns_carry_their_signatures_verdict(void **state)
{
    (void)state;
    spk_significance test = make_test();
    const char *path = test_path("patterns.tsv");
    assert_int_equal(write_patterns(&test, SPK_FORM_TSV, path, 3), SPK_OK);
    assert_says(path, (const char *[]){"spikes\toccurrences\tneurons\tduration\tpattern\tp\t"
                                       "p_corrected\tsignificant\n"
                                       "2\t3\t2\t1\ta@0 b@1\t0.05\t0.1\tno\n",
                                       NULL});
    static const double stability[] = {0.25};
    static const uint8_t kept[] = {1};
    test.intensional = test.extensional = stability;
    test.kept = kept;
    test.n_rows = 1;
    path = test_path("patterns.json");
    assert_int_equal(write_patterns(&test, SPK_FORM_JSON, path, 3), SPK_OK);
    assert_says(
        path, (const char *[]){"\"pattern\":[[\"a\",0],[\"b\",1]],\"p\":0.05,\"p_corrected\":0.1,"
                               "\"significant\":false,\"kept\":true,"
                               "\"stability_intensional\":0.25,\"stability_extensional\":0.25}",
                               "\"test\": {", "\"surrogates\": 99", "\"alpha\": 0.05",
                               "\"correction\": \"fdr-bh\"", "\"signatures\": 2",
                               "\"signatures_tested\": 1", "\"signatures_significant\": 1", NULL});
}

static void patterns_that_were_not_tested_are_refused(void **state)
{
    (void)state;
    spk_significance test = make_test();
    assert_int_equal(write_patterns(&test, SPK_FORM_TSV, test_path("none.tsv"), 2),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "was not tested"));
    static const uint8_t kept[] = {1};
    test.kept = kept; /* of no row */
    assert_int_equal(write_patterns(&test, SPK_FORM_TSV, test_path("none.tsv"), 3),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "fewer rows"));
}

/* One of many, which threads share, too: the message is the same. */
static void one_of_many_that_was_not_tested_is_told(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    static uint64_t offset[MANY + 1];
    static uint32_t item[2 * MANY], count[MANY];
    for (uint64_t i = 0; i < MANY; i++) {
        offset[i + 1] = 2 * i + 2;
        item[2 * i + 1] = 4;
        count[i] = i == 3100 ? 2 : 3;
    }
    const spk_pattern_columns patterns = {
        .n = MANY, .window = 3, .offset = offset, .item = item, .count = count};
    const spk_significance test = make_test();
    spk_writer *writer = NULL;
    spk_context_set_threads(context, 4);
    check(spk_pattern_writer_open(context, test_path("many.tsv"), SPK_FORM_TSV, windows, recording,
                                  &writer));
    check(spk_writer_set_signatures(writer, &test));
    check_fails(spk_pattern_writer_add(writer, &patterns), SPK_ERR_ARGUMENT,
                "a pattern of 2 spikes and 2 occurrences was not tested");
    spk_writer_free(writer);
}

static void a_test_comes_before_the_first_pattern(void **state)
{
    (void)state;
    spk_significance test = make_test();
    const spk_pattern_columns none = {.window = 3};
    spk_writer *writer = NULL;
    assert_int_equal(spk_pattern_writer_open(context, test_path("late.tsv"), SPK_FORM_TSV, windows,
                                             recording, &writer),
                     SPK_OK);
    assert_int_equal(spk_pattern_writer_add(writer, &none), SPK_OK);
    assert_int_equal(spk_writer_set_signatures(writer, &test), SPK_ERR_ARGUMENT);
    spk_writer_free(writer);
    static const uint64_t offset[] = {0, 2};
    static const uint32_t item[] = {0, 4}, count = 3, other = 2;
    spk_pattern_columns patterns = {
        .n = 1, .window = 3, .offset = offset, .item = item, .count = &count};
    spk_pattern_figure *figure = NULL;
    assert_int_equal(
        spk_pattern_figure_create(context, recording, windows, (spk_duration){5, -3}, &figure),
        SPK_OK);
    assert_int_equal(spk_pattern_figure_set_test(figure, &test), SPK_OK);
    assert_int_equal(spk_pattern_figure_add(figure, &patterns), SPK_OK);
    assert_int_equal(spk_pattern_figure_set_test(figure, &test), SPK_ERR_ARGUMENT);
    patterns.count = &other;
    assert_int_equal(spk_pattern_figure_add(figure, &patterns), SPK_ERR_ARGUMENT);
    spk_pattern_figure_free(figure);
}

/* ---- p-values -------------------------------------------------------------------------------- */

static void write_values(const spk_significance *test, spk_table_form format, const char *path)
{
    spk_writer *writer = NULL;
    const spk_provenance provenance = {.command = "a test"};
    assert_int_equal(spk_pvalue_writer_open(context, path, format, recording, test, &writer),
                     SPK_OK);
    assert_int_equal(spk_pvalue_writer_add(writer), SPK_OK);
    assert_int_equal(spk_writer_commit(writer, &provenance), SPK_OK);
}

/* Spectrum and signatures in one table, each pair of numbers once. */
static void the_table_of_p_values_has_all_signatures(void **state)
{
    (void)state;
    spk_significance test = make_test();
    const char *path = test_path("p.tsv");
    write_values(&test, SPK_FORM_TSV, path);
    assert_says(
        path, (const char *[]){"spikes\toccurrences\tduration\tsurrogates\tp\tp_published\ttested\t"
                               "p_corrected\tsignificant\tpatterns\n"
                               "1\t5\t0\t7\t0.08\t0.07\tno\t-\tno\t0\n"
                               "2\t2\t1\t60\t0.61\t0.6\tno\t-\tno\t0\n"
                               "2\t3\t1\t4\t0.05\t0.04\tyes\t0.1\tno\t1\n"
                               "2\t3\t2\t1\t0.02\t0.01\tno\t-\tno\t0\n"
                               "2\t9\t1\t0\t0.01\t0\tno\t-\tyes\t2\n",
                               NULL});
    path = test_path("p.json");
    write_values(&test, SPK_FORM_JSON, path);
    assert_says(path,
                (const char *[]){"{\"columns\":[\"spikes\",\"occurrences\",\"duration\",",
                                 "\"pvalues\":[\n[1,5,0,7,0.08,0.07,false,null,false,0],",
                                 "[2,9,1,0,0.01,0,false,null,true,2]\n]", "\"test\": {", NULL});
    spk_writer *writer = NULL;
    assert_int_equal(spk_pvalue_writer_open(context, test_path("dropped.tsv"), SPK_FORM_TSV, NULL,
                                            &test, &writer),
                     SPK_OK);
    spk_writer_free(writer);
    assert_false(test_file_exists("dropped.tsv"));
    test.by_duration = false;
    test.n_signatures = 0;
    test.n_pvalues = 0;
    path = test_path("empty.tsv");
    write_values(&test, SPK_FORM_TSV, path);
    assert_says(path, (const char *[]){"spikes\toccurrences\tsurrogates\t", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_carry_their_signatures_verdict),
        cmocka_unit_test(patterns_that_were_not_tested_are_refused),
        cmocka_unit_test(one_of_many_that_was_not_tested_is_told),
        cmocka_unit_test(a_test_comes_before_the_first_pattern),
        cmocka_unit_test(the_table_of_p_values_has_all_signatures),
    };
    return cmocka_run_group_tests(tests, make_windows, free_windows);
}
