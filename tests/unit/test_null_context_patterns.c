/* Public functions with NULL in place of their context: patterns. */
#include "support/sample.h"
#include "support/test.h"

static void window_makers(void **state)
{
    (void)state;
    spk_windows *out = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.window = 0;
    assert_int_equal(spk_windows_create(NULL, sample_recording, &options, &out), SPK_ERR_ARGUMENT);
    test_file("transactions", "0 2\n1\n");
    assert_int_equal(spk_windows_read_transactions(NULL, test_path("transactions"), 0, 1, &out),
                     SPK_OK);
    spk_windows_free(out);
    assert_int_equal(spk_windows_read_transactions(NULL, test_path("none"), 0, 1, &out),
                     SPK_ERR_IO);
    assert_int_equal(spk_windows_parse_transactions(NULL, "text", "0 1\n", 4, 0, 1, &out), SPK_OK);
    spk_windows_free(out);
    assert_int_equal(spk_windows_parse_transactions(NULL, "text", "0 x\n", 4, 0, 1, &out),
                     SPK_ERR_FORMAT);
}

static void pattern_jobs(void **state)
{
    (void)state;
    spk_pattern_list *own = NULL;
    spk_pattern_supports least;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    assert_int_equal(spk_pattern_list_create(NULL, 4, &own), SPK_OK);
    assert_int_equal(
        spk_pattern_mine(NULL, sample_windows, &options, spk_pattern_list_add, own, NULL), SPK_OK);
    assert_true(spk_pattern_list_columns(own).n > 0);
    spk_pattern_list_free(own);
    options.engine = "abacus";
    assert_int_equal(spk_pattern_mine(NULL, sample_windows, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    spk_pattern_maximum *maxima = NULL;
    size_t n_maxima = 0;
    assert_int_equal(
        spk_pattern_find_maxima(NULL, sample_windows, &options, true, &maxima, &n_maxima),
        SPK_ERR_ARGUMENT);
    options.engine = "auto";
    assert_int_equal(
        spk_pattern_find_maxima(NULL, sample_windows, &options, true, &maxima, &n_maxima), SPK_OK);
    assert_true(n_maxima > 0);
    free(maxima);
    assert_int_equal(spk_pattern_estimate(NULL, sample_windows, 3, &least), SPK_OK);
    assert_int_equal(spk_pattern_estimate(NULL, sample_windows, 0, &least), SPK_ERR_ARGUMENT);
    spk_pattern_recipe_options recipe;
    spk_pattern_recipe_options_init(&recipe, sizeof recipe);
    assert_int_equal(spk_pattern_estimate_published(NULL, sample_windows, &recipe, &least), SPK_OK);
    recipe.alpha = 2;
    assert_int_equal(spk_pattern_estimate_published(NULL, sample_windows, &recipe, &least),
                     SPK_ERR_ARGUMENT);
}

/* What keeps a context keeps NULL. */
static void pattern_keepers(void **state)
{
    (void)state;
    static const uint32_t items[] = {0, 1u << 30};
    static const uint64_t offset[] = {0, 1};
    static const uint32_t count[] = {7};
    const spk_pattern_columns one = {1, 4, offset, items, count};
    spk_spectrum *spectrum = NULL;
    const spk_spectrum_entry *entries = NULL;
    uint64_t n = 0;
    assert_int_equal(spk_spectrum_create(NULL, false, &spectrum), SPK_OK);
    assert_int_equal(spk_spectrum_add(spectrum, &one), SPK_OK);
    assert_int_equal(spk_spectrum_entries(spectrum, &entries, &n), SPK_OK);
    assert_int_equal(n, 1);
    spk_writer *writer = NULL;
    assert_int_equal(
        spk_spectrum_writer_open(NULL, test_path("spectrum"), SPK_FORM_TSV, false, NULL, &writer),
        SPK_OK);
    assert_int_equal(spk_spectrum_writer_add(writer, entries, n), SPK_OK);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(spk_spectrum_writer_open(NULL, test_path("no/spectrum"), SPK_FORM_TSV, false,
                                              NULL, &writer),
                     SPK_ERR_IO);
    spk_spectrum_free(spectrum);
    spk_writer *pvalues = NULL;
    spk_significance test;
    spk_significance_init(&test, sizeof test);
    assert_int_equal(
        spk_pvalue_writer_open(NULL, test_path("pvalues"), SPK_FORM_JSON, NULL, &test, &pvalues),
        SPK_OK);
    assert_int_equal(spk_pvalue_writer_add(pvalues), SPK_OK);
    assert_int_equal(spk_writer_commit(pvalues, NULL), SPK_OK);
    assert_int_equal(
        spk_pvalue_writer_open(NULL, test_path("no/pvalues"), SPK_FORM_TSV, NULL, &test, &pvalues),
        SPK_ERR_IO);

    spk_pattern_locator *locator = NULL;
    const uint32_t *where = NULL;
    uint32_t found = 0;
    assert_int_equal(spk_pattern_locator_create(NULL, sample_windows, &locator), SPK_OK);
    assert_int_equal(spk_pattern_locate(locator, 1, items, &where, &found), SPK_OK);
    assert_int_equal(found, SAMPLE_EVENTS / SAMPLE_UNITS);
    assert_int_equal(spk_pattern_locate(locator, 2, items, &where, &found), SPK_ERR_ARGUMENT);
    spk_pattern_locator_free(locator);
    spk_pattern_list *read = NULL;
    test_file("patterns", "0@0 1@1\n");
    assert_int_equal(
        spk_pattern_list_read(NULL, sample_recording, test_path("patterns"), 0, NULL, &read),
        SPK_OK);
    spk_pattern_list_free(read);
    assert_int_equal(
        spk_pattern_list_read(NULL, sample_recording, test_path("patterns"), 1, NULL, &read),
        SPK_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_makers),
        cmocka_unit_test(pattern_jobs),
        cmocka_unit_test(pattern_keepers),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
