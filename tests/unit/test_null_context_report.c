/* Public functions with NULL in place of their context: tables, pictures and pages. */
#include "support/sample.h"
#include "support/test.h"

static void episode_files(void **state)
{
    (void)state;
    static const spk_provenance provenance = {.incomplete = NULL};
    spk_episode_columns all = spk_episode_list_columns(sample_list);
    spk_writer *writer = NULL;
    for (int format = SPK_FORM_TSV; format <= SPK_FORM_JSON; format++) {
        assert_int_equal(spk_episode_writer_open(NULL, test_path("found"), (spk_table_form)format,
                                                 sample_recording, &writer),
                         SPK_OK);
        assert_int_equal(spk_episode_writer_add(writer, &all), SPK_OK);
        assert_int_equal(spk_writer_commit(writer, &provenance), SPK_OK);
    }
    assert_int_equal(spk_episode_writer_open(NULL, test_path("no/found"), SPK_FORM_TSV,
                                             sample_recording, &writer),
                     SPK_ERR_IO);
}

static void occurrence_files(void **state)
{
    (void)state;
    spk_episode_columns all = spk_episode_list_columns(sample_list);
    spk_writer *writer = NULL;
    assert_int_equal(
        spk_episode_occurrence_writer_open(NULL, test_path("times"), sample_recording, 1, &writer),
        SPK_OK);
    assert_int_equal(spk_episode_occurrence_writer_add(writer, &all), SPK_OK);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(spk_episode_occurrence_writer_open(NULL, test_path("no/times"),
                                                        sample_recording, 1, &writer),
                     SPK_ERR_IO);
}

static void pattern_files(void **state)
{
    (void)state;
    static const uint32_t items[] = {0};
    static const uint64_t offset[] = {0, 1};
    static const uint32_t count[] = {7};
    const spk_pattern_columns one = {1, 4, offset, items, count};
    spk_writer *writer = NULL;
    spk_writer *times = NULL;
    const char *path = test_path("patterns");
    assert_int_equal(spk_pattern_writer_open(NULL, path, SPK_FORM_JSON, sample_windows,
                                             sample_recording, &writer),
                     SPK_OK);
    assert_int_equal(spk_pattern_writer_add(writer, &one), SPK_OK);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(
        spk_pattern_occurrence_writer_open(NULL, path, sample_windows, sample_recording, &times),
        SPK_OK);
    assert_int_equal(spk_pattern_occurrence_writer_add(times, &one), SPK_OK);
    assert_int_equal(spk_writer_commit(times, NULL), SPK_OK);
    path = test_path("no/patterns");
    assert_int_equal(
        spk_pattern_writer_open(NULL, path, SPK_FORM_TSV, sample_windows, NULL, &writer),
        SPK_ERR_IO);
    assert_int_equal(spk_pattern_occurrence_writer_open(NULL, path, sample_windows, NULL, &times),
                     SPK_ERR_IO);
}

static void exact_files(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    static const spk_exact_verdict verdict = {.p = 1};
    static const uint32_t left_out = 1;
    const spk_episode_columns all = spk_episode_list_columns(sample_list);
    spk_writer *writer = NULL;
    spk_writer *patterns = NULL;
    spk_exact_report test;
    spk_exact_report_init(&test, sizeof test);
    test.jitter = &jitter, test.n_jitter = 1;
    assert_int_equal(
        spk_episode_writer_open(NULL, test_path("tested"), SPK_FORM_TSV, sample_recording, &writer),
        SPK_OK);
    assert_int_equal(spk_writer_set_exact(writer, &test), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &all), SPK_ERR_ARGUMENT); /* no rows */
    spk_writer_free(writer);
    test.verdict = &verdict, test.left_out = &left_out, test.n_rows = 1;
    assert_int_equal(
        spk_episode_writer_open(NULL, test_path("tested"), SPK_FORM_TSV, sample_recording, &writer),
        SPK_OK);
    assert_int_equal(spk_writer_set_exact(writer, &test), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &all), SPK_OK);
    assert_int_equal(spk_writer_set_exact(writer, &test), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    assert_int_equal(spk_pattern_writer_open(NULL, test_path("tested"), SPK_FORM_JSON,
                                             sample_windows, sample_recording, &patterns),
                     SPK_OK);
    assert_int_equal(spk_writer_set_exact(patterns, &test), SPK_OK);
    assert_int_equal(spk_writer_commit(patterns, NULL), SPK_OK);
}

static void compare_files(void **state)
{
    (void)state;
    static const spk_compare_verdict verdict = {.p = 1};
    spk_compare_report report;
    spk_writer *writer = NULL;
    spk_writer *patterns = NULL;
    const spk_episode_columns columns = spk_episode_list_columns(sample_list);
    spk_compare_report_init(&report, sizeof report);
    report.label[0] = "a", report.label[1] = "b";
    report.verdict = &verdict, report.n_rows = 1;
    assert_int_equal(spk_episode_writer_open(NULL, test_path("compared"), SPK_FORM_JSON,
                                             sample_recording, &writer),
                     SPK_OK);
    assert_int_equal(spk_writer_set_compare(writer, &report), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &columns), SPK_OK);
    assert_int_equal(spk_writer_set_compare(writer, &report), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_writer_add(writer, &columns), SPK_ERR_ARGUMENT); /* no row */
    spk_writer_free(writer);
    assert_int_equal(spk_pattern_writer_open(NULL, test_path("compared"), SPK_FORM_TSV,
                                             sample_windows, sample_recording, &patterns),
                     SPK_OK);
    assert_int_equal(spk_writer_set_compare(patterns, &report), SPK_OK);
    assert_int_equal(spk_writer_commit(patterns, NULL), SPK_OK);
}

/* Builds without cairo or CUDA say so. */
static spk_status drawn(void)
{
    return spk_figure_available(NULL) ? SPK_OK : SPK_ERR_UNAVAILABLE;
}

static void figures(void **state)
{
    (void)state;
    spk_episode_columns all = spk_episode_list_columns(sample_list);
    spk_pattern_figure *figure = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    const char *svg = test_path("figure.svg");
    assert_int_equal(spk_figure_check(NULL, svg), drawn());
    assert_int_not_equal(spk_figure_check(NULL, test_path("figure.doc")), SPK_OK);
    assert_int_equal(spk_figure_options_check(NULL, SPK_FIGURE_EPISODES, NULL), drawn());
    uint32_t order[64], n_first;
    assert_int_equal(spk_figure_order_units(NULL, sample_recording, 0, NULL, NULL, order, &n_first),
                     SPK_OK);
    assert_int_equal(spk_figure_episodes(NULL, sample_recording, &all, NULL, svg), drawn());
    assert_int_equal(spk_pattern_figure_create(NULL, sample_recording, sample_windows,
                                               (spk_duration){2, -3}, &figure),
                     SPK_OK);
    assert_int_equal(
        spk_pattern_mine(NULL, sample_windows, &options, spk_pattern_figure_add, figure, NULL),
        SPK_OK);
    assert_int_equal(spk_pattern_figure_draw(NULL, figure, NULL, svg), drawn());
    /* There are patterns already. */
    assert_int_equal(spk_pattern_figure_set_exact(figure, NULL), SPK_ERR_ARGUMENT);
    spk_pattern_figure_free(figure);
}

static void pages(void **state)
{
    (void)state;
    spk_episode_columns all = spk_episode_list_columns(sample_list);
    spk_pattern_list *patterns = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    const char *html = test_path("page.html");
    assert_int_equal(spk_page_check(NULL, html), SPK_OK);
    assert_int_equal(spk_page_check(NULL, test_path("page.doc")), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_page_episodes(NULL, sample_recording, &all, NULL, html), SPK_OK);
    assert_int_equal(
        spk_pattern_list_create(NULL, spk_windows_columns(sample_windows).window, &patterns),
        SPK_OK);
    assert_int_equal(
        spk_pattern_mine(NULL, sample_windows, &options, spk_pattern_list_add, patterns, NULL),
        SPK_OK);
    spk_pattern_columns mined = spk_pattern_list_columns(patterns);
    assert_int_equal(spk_page_patterns(NULL, sample_recording, sample_windows,
                                       (spk_duration){2, -3}, &mined, NULL, html),
                     SPK_OK);
    spk_pattern_list_free(patterns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episode_files), cmocka_unit_test(occurrence_files),
        cmocka_unit_test(pattern_files), cmocka_unit_test(exact_files),
        cmocka_unit_test(compare_files), cmocka_unit_test(figures),
        cmocka_unit_test(pages),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
