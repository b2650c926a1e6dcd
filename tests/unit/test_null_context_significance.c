/* Public functions with NULL in place of their context: tests, and what is shown of results. */
#include "support/sample.h"
#include "support/test.h"

static void significance(void **state)
{
    (void)state;
    static const uint32_t items[] = {0, 5};
    static const uint64_t offset[] = {0, 2}, number = 1, first[] = {0, 1};
    static const uint32_t counts[] = {7};
    static const spk_pattern_maximum steps[] = {{2, 0, 7}};
    static const spk_spectrum_entry seen = {2, 7, 0, 1};
    const spk_pattern_columns one = {1, 4, offset, items, counts};
    const spk_maxima_columns maxima = {1, false, &number, first, steps};
    const double half = 0.5, two = 2;
    uint8_t flag;
    spk_pvalue *values;
    spk_signature signature;
    uint64_t n;
    assert_int_equal(spk_correct(NULL, "holm", 0.05, 1, &half, &flag, NULL), SPK_OK);
    assert_int_equal(spk_correct(NULL, "holm", 0.05, 1, &two, &flag, NULL), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_pvalue_spectrum(NULL, &maxima, NULL, &values, &n), SPK_OK);
    free(values);
    assert_int_equal(spk_signatures_test(NULL, &maxima, &seen, 1, NULL, &signature), SPK_OK);
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &one, &signature, 1, false, &flag), SPK_OK);
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &one, &signature, 0, false, &flag),
                     SPK_ERR_ARGUMENT);
    const spk_pattern_columns wrong = {1, 3, offset, items, counts};
    double share;
    spk_stability_options options;
    spk_stability_options_init(&options, sizeof options);
    assert_int_equal(spk_pattern_reduce(NULL, sample_windows, &one, NULL, &flag), SPK_OK);
    assert_int_equal(spk_pattern_reduce(NULL, sample_windows, &wrong, NULL, &flag),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_pattern_stability(NULL, sample_windows, &one, NULL, &share, NULL), SPK_OK);
    options.epsilon = 0;
    assert_int_equal(spk_pattern_stability(NULL, sample_windows, &one, &options, &share, NULL),
                     SPK_ERR_ARGUMENT);
}

static void maxima(void **state)
{
    (void)state;
    spk_window_options window_options;
    spk_maxima_options options;
    spk_maxima *own = NULL, *read = NULL;
    spk_window_options_init(&window_options, sizeof window_options);
    window_options.bin = (spk_duration){2, -3};
    window_options.window = 4;
    spk_maxima_options_init(&options, sizeof options);
    assert_int_equal(spk_maxima_run(NULL, sample_recording, &options, &own), SPK_ERR_ARGUMENT);
    options.windows = &window_options;
    options.n_surrogates = 3;
    assert_int_equal(spk_maxima_run(NULL, sample_recording, &options, &own), SPK_OK);
    assert_int_equal(spk_ranks_compare_recording(NULL, sample_recording), SPK_OK);
    assert_int_equal(spk_ranks_join_parts(NULL, sample_recording), SPK_OK);
    assert_int_equal(spk_maxima_check(NULL, own, sample_recording, &options), SPK_OK);
    options.n_surrogates = 4;
    assert_int_equal(spk_maxima_check(NULL, own, sample_recording, &options), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_maxima_write(NULL, own, test_path("maxima")), SPK_OK);
    assert_int_equal(spk_maxima_write(NULL, own, test_path("no/maxima")), SPK_ERR_IO);
    spk_maxima_free(own);
    assert_int_equal(spk_maxima_read(NULL, test_path("maxima"), &read), SPK_OK);
    const spk_maxima *const parts[] = {read, read};
    assert_int_equal(spk_maxima_merge(NULL, 1, parts, &own), SPK_OK);
    spk_maxima_free(own);
    assert_int_equal(spk_maxima_merge(NULL, 2, parts, &own), SPK_ERR_ARGUMENT);
    spk_maxima_free(read);
    assert_int_equal(spk_maxima_read(NULL, test_path("none"), &read), SPK_ERR_IO);
}

static void choosing(void **state)
{
    (void)state;
    spk_choose_options options;
    spk_support_choice choice;
    spk_choose_options_init(&options, sizeof options);
    assert_int_equal(
        spk_choose_support(NULL, sample_recording, &sample_delay, 1, &options, &choice), SPK_OK);
    spk_delay_table *table = NULL;
    const spk_delay_set set = {&sample_delay, 1};
    assert_int_equal(spk_choose_delays(NULL, sample_recording, &set, 1, &options, &table), SPK_OK);
    spk_delay_test plan;
    assert_int_equal(spk_choose_test(NULL, sample_recording, table, 0, 1, &plan), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_choose_test(NULL, sample_recording, table, 0.05, 1, &plan), SPK_OK);
    spk_delay_table_free(table);
    spk_delay_table_free(NULL);
    spk_window_options windows;
    spk_pattern_supports supports;
    spk_window_options_init(&windows, sizeof windows);
    windows.bin = (spk_duration){5, -3, 0};
    assert_int_equal(
        spk_choose_pattern_supports(NULL, sample_recording, &windows, &options, &supports, &choice),
        SPK_OK);
    options.n_surrogates = 0;
    assert_int_equal(
        spk_choose_pattern_supports(NULL, sample_recording, &windows, &options, &supports, &choice),
        SPK_ERR_ARGUMENT);
    assert_int_equal(
        spk_choose_support(NULL, sample_recording, &sample_delay, 1, &options, &choice),
        SPK_ERR_ARGUMENT);
    spk_exact_options test;
    spk_exact_estimate estimate;
    spk_exact_options_init(&test, sizeof test);
    assert_int_equal(spk_choose_estimate(NULL, sample_recording, &test, 0.05, &estimate),
                     SPK_ERR_ARGUMENT);
}

static void suggesting(void **state)
{
    (void)state;
    spk_suggestion *suggestion = NULL;
    spk_suggest_options options;
    spk_suggest_options_init(&options, sizeof options);
    const spk_delay_set set = {&sample_delay, 1};
    options.sets = &set, options.n_sets = 1;
    assert_int_equal(spk_suggest_run(NULL, sample_recording, &options, &suggestion), SPK_OK);
    spk_suggestion_free(suggestion);
    spk_suggestion_free(NULL);
    options.alpha = 0;
    assert_int_equal(spk_suggest_run(NULL, sample_recording, &options, &suggestion),
                     SPK_ERR_ARGUMENT);
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_analysis_options_init(&job, sizeof job);
    assert_int_equal(
        spk_analysis_choose_support(NULL, sample_recording, &job, 1, options.time, &chosen),
        SPK_ERR_ARGUMENT);
}

static void exact_tests(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_window_options window_options;
    spk_pattern_options patterns;
    spk_exact_options options;
    spk_exact_verdict verdict;
    spk_maxima *own = NULL;
    double p = 0;
    uint32_t left_out = 0;
    const spk_episode_columns all = spk_episode_list_columns(sample_list);
    static const uint64_t offset[] = {0, 2};
    static const uint32_t item[] = {0, 5}, count[] = {3};
    const spk_pattern_columns one = {1, 4, offset, item, count};
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_window_options_init(&window_options, sizeof window_options);
    spk_pattern_options_init(&patterns, sizeof patterns);
    spk_exact_options_init(&options, sizeof options);
    episodes.delays = &sample_delay, episodes.n_delays = 1, episodes.support = 2,
    episodes.max_size = 3;
    window_options.bin = (spk_duration){2, -3, 0}, window_options.window = 4;
    options.jitter = &jitter, options.n_jitter = 1, options.n_surrogates = 2;
    assert_int_equal(spk_exact_run(NULL, sample_recording, &options, &own), SPK_ERR_ARGUMENT);
    options.episodes = &episodes;
    assert_int_equal(spk_exact_run(NULL, sample_recording, &options, &own), SPK_OK);
    assert_int_equal(spk_exact_check(NULL, own, sample_recording, &options), SPK_OK);
    assert_int_equal(spk_exact_columns_of(own).n, 2);
    assert_int_equal(
        spk_exact_test_episodes(NULL, sample_recording, &options, own, &all, &verdict, NULL),
        SPK_OK);
    assert_int_equal(
        spk_exact_explain_episodes(NULL, sample_recording, &options, &all, &verdict, &p, &left_out),
        SPK_OK);
    assert_int_equal(spk_exact_interpret_episodes(NULL, sample_recording, &options, 0.05, &all,
                                                  &verdict, &left_out, &p),
                     SPK_OK);
    spk_exact_direction direction;
    assert_int_equal(
        spk_exact_direct_episodes(NULL, sample_recording, &options, &all, &verdict, &direction),
        SPK_OK);
    assert_int_equal(
        spk_exact_test_patterns(NULL, sample_recording, &options, own, &one, &verdict, NULL),
        SPK_ERR_ARGUMENT);
    spk_maxima_free(own);
    options.episodes = NULL, options.windows = &window_options, options.patterns = &patterns;
    assert_int_equal(spk_exact_run(NULL, sample_recording, &options, &own), SPK_OK);
    assert_int_equal(
        spk_exact_test_patterns(NULL, sample_recording, &options, own, &one, &verdict, NULL),
        SPK_OK);
    assert_int_equal(
        spk_exact_explain_patterns(NULL, sample_recording, &options, &one, &verdict, &p, &left_out),
        SPK_OK);
    assert_int_equal(spk_exact_interpret_patterns(NULL, &options, 0.05, &one, &verdict, &left_out),
                     SPK_OK);
    assert_int_equal(
        spk_exact_explain_episodes(NULL, sample_recording, &options, &all, &verdict, &p, &left_out),
        SPK_ERR_ARGUMENT);
    spk_maxima_free(own);
}

static spk_status take_round(void *user, const spk_peel_round *round)
{
    *(uint32_t *)user = round->number;
    return SPK_OK;
}

static void peeling(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_exact_options test;
    spk_peel_options options;
    uint32_t n_rounds = 0;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&test, sizeof test);
    spk_peel_options_init(&options, sizeof options);
    episodes.delays = &sample_delay, episodes.n_delays = 1, episodes.support = 2,
    episodes.max_size = 3;
    test.episodes = &episodes, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 2;
    assert_int_equal(spk_exact_peel(NULL, sample_recording, &options, take_round, &n_rounds),
                     SPK_ERR_ARGUMENT);
    options.test = &test;
    assert_int_equal(spk_exact_peel(NULL, sample_recording, &options, take_round, &n_rounds),
                     SPK_OK);
    assert_int_equal(n_rounds, 1);
}

static spk_status refuse(void *user, const char *text)
{
    *(size_t *)user += strlen(text);
    return SPK_ERR_IO;
}

static void analyses(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_exact_options test;
    spk_analysis_options options;
    spk_analysis *analysis = NULL;
    spk_maxima *maxima = NULL;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&test, sizeof test);
    spk_analysis_options_init(&options, sizeof options);
    episodes.delays = &sample_delay, episodes.n_delays = 1, episodes.support = 2,
    episodes.max_size = 3;
    test.episodes = &episodes, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 2;
    assert_int_equal(spk_analysis_create(NULL, &analysis), SPK_OK);
    assert_int_equal(spk_analysis_run(analysis, sample_recording, &options), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_analysis_make_maxima(NULL, sample_recording, &options, &maxima),
                     SPK_ERR_ARGUMENT);
    options.exact = &test, options.report = SPK_REPORT_ALL, options.families = true;
    assert_int_equal(spk_analysis_make_maxima(NULL, sample_recording, &options, &maxima), SPK_OK);
    options.maxima = maxima;
    assert_int_equal(spk_analysis_run(analysis, sample_recording, &options), SPK_OK);
    const spk_analysis_columns *found = spk_analysis_columns_of(analysis);
    size_t bytes = 0;
    assert_true(found->n_listed > 0 && found->n > 0);
    assert_int_equal(spk_analysis_tell(found, SPK_SPELLING_COMMAND, refuse, &bytes), SPK_ERR_IO);
    assert_int_equal(spk_analysis_tell(found, SPK_SPELLING_PYTHON, NULL, NULL), SPK_OK);
    assert_int_equal(spk_analysis_tell_row(found, sample_recording, 0, refuse, &bytes), SPK_ERR_IO);
    assert_true(bytes > 0);
    assert_null(spk_analysis_columns_of(NULL));
    spk_analysis_free(analysis);
    spk_analysis_free(NULL);
    spk_maxima_free(maxima);
}

static void comparisons(void **state)
{
    (void)state;
    static const uint8_t condition[] = {0, 1, 1};
    static const spk_time_range range[] = {
        {{0, 0, 0}, {3, -2, 0}}, {{3, -2, 0}, {6, -2, 0}}, {{6, -2, 0}, {9, -2, 0}}};
    static const char *const labels[] = {"a", "b", "b"};
    spk_compare_options options;
    spk_compare_verdict verdict[SAMPLE_UNITS];
    spk_conditions *conditions = NULL;
    spk_recording *cut = NULL;
    spk_windows *own = NULL;
    spk_episode_list *units = NULL;
    spk_window_options window_options;
    static const uint64_t offset[] = {0, 1};
    static const uint32_t item[] = {0}, count[] = {15};
    const spk_pattern_columns one = {1, 4, offset, item, count};
    spk_window_options_init(&window_options, sizeof window_options);
    window_options.bin = (spk_duration){2, -3, 0}, window_options.window = 4;
    spk_compare_options_init(&options, sizeof options);
    options.n_trials = 3, options.condition = condition;
    assert_int_equal(spk_recording_cut(NULL, sample_recording, 3, range, &cut), SPK_OK);
    assert_int_equal(spk_episode_list_create(NULL, &units), SPK_OK);
    assert_int_equal(spk_episode_parse(NULL, cut, "1", units), SPK_OK);
    assert_int_equal(spk_episode_count(NULL, cut, NULL, units, NULL), SPK_OK);
    const spk_episode_columns columns = spk_episode_list_columns(units);
    assert_int_equal(spk_compare_episodes(NULL, cut, &options, &columns, verdict, NULL), SPK_OK);
    assert_int_equal(
        spk_compare_episodes(NULL, sample_recording, &options, &columns, verdict, NULL),
        SPK_ERR_ARGUMENT);
    assert_int_equal(spk_windows_create(NULL, cut, &window_options, &own), SPK_OK);
    assert_int_equal(spk_compare_patterns(NULL, cut, own, &options, &one, verdict, NULL), SPK_OK);
    options.n_trials = 2;
    assert_int_equal(spk_compare_patterns(NULL, cut, own, &options, &one, verdict, NULL),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_conditions_create(NULL, 3, labels, &conditions), SPK_OK);
    spk_conditions_free(conditions);
    assert_int_equal(spk_conditions_create(NULL, 1, labels, &conditions), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_conditions_read(NULL, test_file("labels", "a\nb\n"), 2, &conditions),
                     SPK_OK);
    assert_int_equal(spk_conditions_columns(conditions).n_trials, 2);
    spk_conditions_free(conditions);
    assert_int_equal(spk_conditions_read(NULL, test_path("none"), 2, &conditions), SPK_ERR_IO);
    spk_conditions_free(NULL);
    spk_recording *joined = NULL;
    assert_int_equal(spk_recording_join(NULL, cut, sample_recording, &joined), SPK_OK);
    assert_int_equal(spk_recording_events(joined).n_events,
                     spk_recording_events(cut).n_events + SAMPLE_EVENTS);
    spk_recording_free(joined);
    spk_recording *fine = NULL; /* its ticks have no common ones with those of `cut` */
    assert_int_equal(sample_make_recording((spk_rate){INT64_MAX - 24, 1}, &fine), SPK_OK);
    assert_int_equal(spk_recording_join(NULL, cut, fine, &joined), SPK_ERR_RANGE);
    spk_recording_free(fine);
    spk_windows_free(own);
    spk_episode_list_free(units);
    spk_recording_free(cut);
}

static void calibrations(void **state)
{
    (void)state;
    static const spk_duration jitter = {2, -2, 0};
    spk_episode_options episodes;
    spk_exact_options test;
    spk_calibrate_options options;
    spk_analysis_options job;
    spk_calibration_report report;
    spk_calibration *own = NULL;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&test, sizeof test);
    spk_calibrate_options_init(&options, sizeof options);
    spk_calibration_report_init(&report, sizeof report);
    episodes.delays = &sample_delay, episodes.n_delays = 1, episodes.support = 2,
    episodes.max_size = 3;
    test.episodes = &episodes, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 2;
    options.n_runs = 2;
    assert_int_equal(spk_exact_calibrate(NULL, sample_recording, &options, &own), SPK_ERR_ARGUMENT);
    options.test = &test;
    assert_int_equal(spk_exact_calibrate(NULL, sample_recording, &options, &own), SPK_OK);
    spk_calibration_free(own);
    spk_analysis_options_init(&job, sizeof job);
    assert_int_equal(spk_analysis_calibrate(NULL, sample_recording, &job, &options, &own),
                     SPK_ERR_ARGUMENT);
    job.exact = &test;
    assert_int_equal(spk_analysis_calibrate(NULL, sample_recording, &job, &options, &own), SPK_OK);
    report.jitter = &jitter, report.n_jitter = 1;
    assert_int_equal(spk_calibration_write(NULL, test_path("c.tsv"), SPK_FORM_TSV, sample_recording,
                                           own, &report, NULL),
                     SPK_OK);
    report.n_jitter = 2;
    assert_int_equal(spk_calibration_write(NULL, test_path("d.tsv"), SPK_FORM_TSV, sample_recording,
                                           own, &report, NULL),
                     SPK_ERR_ARGUMENT);
    spk_calibration_free(own);
    spk_calibration_free(NULL);
}

static void selections(void **state)
{
    (void)state;
    spk_episode_columns episodes = spk_episode_list_columns(sample_list);
    spk_select_options options;
    spk_select_options_init(&options, sizeof options);
    options.maximal = true;
    uint64_t chosen[1];
    uint64_t n = 0;
    assert_int_equal(spk_select_episodes(NULL, &episodes, &options, chosen, &n), SPK_OK);
    assert_int_equal(n, 1);
    const spk_pattern_columns empty = {.window = 1};
    const spk_pattern_columns wrong = {.window = 0};
    assert_int_equal(spk_select_patterns(NULL, &empty, &options, chosen, &n), SPK_OK);
    assert_int_equal(spk_select_patterns(NULL, &wrong, &options, chosen, &n), SPK_ERR_ARGUMENT);
    spk_families *families = NULL;
    spk_family_options family_options;
    spk_family_options_init(&family_options, sizeof family_options);
    assert_int_equal(spk_families_of_episodes(NULL, sample_recording, &episodes, NULL, &families),
                     SPK_OK);
    spk_families_free(families);
    const uint64_t no_offset[] = {0};
    const spk_pattern_columns none = {.window = spk_windows_columns(sample_windows).window,
                                      .offset = no_offset};
    assert_int_equal(spk_families_of_patterns(NULL, sample_windows, &none, NULL, &families),
                     SPK_OK);
    spk_families_free(families);
    family_options.coincidence = 2;
    assert_int_equal(
        spk_families_of_episodes(NULL, sample_recording, &episodes, &family_options, &families),
        SPK_ERR_ARGUMENT);
    assert_int_equal(
        spk_families_of_patterns(NULL, sample_windows, &none, &family_options, &families),
        SPK_ERR_ARGUMENT);
}

static void whole_sequences(void **state)
{
    (void)state;
    spk_sequence_options options;
    spk_sequence_summary summary;
    spk_sequences *found = NULL;
    spk_sequence_options_init(&options, sizeof options);
    options.n_surrogates = 1;
    char text[400];
    assert_int_equal(spk_sequences_check_time(NULL, sample_recording, &options, text, sizeof text),
                     SPK_OK);
    assert_int_equal(spk_sequences_find(NULL, sample_recording, &options, &found, &summary),
                     SPK_OK);
    spk_sequences *none = NULL;
    assert_int_equal(spk_sequences_select(NULL, found, 0, NULL, &none), SPK_OK);
    assert_int_equal(spk_sequences_columns(none).n, 0);
    spk_sequences_free(none);
    assert_int_equal(spk_sequences_select(NULL, found, 1, (const uint32_t[]){1000}, &none),
                     SPK_ERR_ARGUMENT);
    assert_null(none);
    const spk_sequence_columns columns = spk_sequences_columns(found);
    assert_int_equal(spk_sequences_copy(NULL, &columns, &none), SPK_OK);
    assert_int_equal(spk_sequences_columns(none).n, columns.n);
    spk_sequences_free(none);
    spk_sequence_report report;
    spk_sequence_report_init(&report, sizeof report);
    assert_int_equal(spk_sequences_write(NULL, test_path("s.tsv"), SPK_FORM_TSV, sample_recording,
                                         found, &report, NULL),
                     SPK_OK);
    assert_int_equal(
        spk_sequences_write_occurrences(NULL, test_path("no/s.tsv"), sample_recording, found, NULL),
        SPK_ERR_IO);
    assert_int_equal(spk_figure_sequences(NULL, sample_recording, found, NULL, test_path("s.txt")),
                     spk_figure_available(NULL) ? SPK_ERR_ARGUMENT : SPK_ERR_UNAVAILABLE);
    assert_int_equal(
        spk_page_sequences(NULL, sample_recording, found, &report, NULL, test_path("s.html")),
        SPK_OK);
    assert_int_equal(
        spk_page_sequences(NULL, sample_recording, found, &report, NULL, test_path("s.txt")),
        SPK_ERR_ARGUMENT);
    size_t bytes = 0;
    assert_int_equal(spk_sequences_tell(found, &report, SPK_SPELLING_COMMAND, refuse, &bytes),
                     SPK_ERR_IO);
    assert_int_equal(spk_sequences_tell(found, &report, SPK_SPELLING_PYTHON, NULL, NULL), SPK_OK);
    if (spk_sequences_columns(found).n > 0)
        assert_int_equal(spk_sequences_tell_row(found, sample_recording, 0, refuse, &bytes),
                         SPK_ERR_IO);
    spk_sequences_free(found);
    spk_maxima *maxima = NULL;
    assert_int_equal(spk_sequences_run(NULL, sample_recording, &options, &maxima), SPK_OK);
    spk_maxima_free(maxima);
    options.shard = 2;
    assert_int_equal(spk_sequences_run(NULL, sample_recording, &options, &maxima),
                     SPK_ERR_ARGUMENT);
    options.alpha = 2;
    assert_int_equal(spk_sequences_find(NULL, sample_recording, &options, &found, NULL),
                     SPK_ERR_ARGUMENT);
    spk_sequences_free(NULL);
}

static void first_looks(void **state)
{
    (void)state;
    size_t bytes = 0;
    spk_explore *found = NULL;
    spk_explore_options options;
    spk_recording_description description;
    spk_explore_options_init(&options, sizeof options);
    options.time = (spk_duration){1, -6, 0};
    assert_int_equal(spk_explore_run(NULL, sample_recording, &options, &found), SPK_OK);
    const spk_explore_columns *c = spk_explore_columns_of(found);
    assert_true(c->n_sentences > 3 && c->n_steps > 0 && c->episodes != NULL);
    assert_int_equal(c->sentence[c->n_sentences - 1].topic, SPK_EXPLORE_METHOD);
    spk_explore_free(found);
    options.alpha = 1;
    assert_int_equal(spk_explore_run(NULL, sample_recording, &options, &found), SPK_ERR_ARGUMENT);
    assert_null(found);
    assert_null(spk_explore_columns_of(NULL));
    spk_explore_free(NULL);
    assert_int_equal(spk_recording_describe(NULL, sample_recording, &description), SPK_OK);
    assert_int_equal(spk_recording_tell(sample_recording, &description, refuse, &bytes),
                     SPK_ERR_IO);
    assert_true(bytes > 0);
    assert_int_equal(spk_recording_tell_warnings(sample_recording, &description, NULL, NULL),
                     SPK_OK);
}

static void plans(void **state)
{
    (void)state;
    const spk_delay delay = {{0, 0}, {1, 0}};
    spk_episode_options options;
    spk_plan_costs costs, longer;
    spk_plan_machine machine;
    spk_plan_prediction prediction;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.max_size = 2;
    assert_int_equal(spk_plan_measure_episodes(NULL, sample_recording, &options, 1, &costs),
                     SPK_OK);
    assert_int_equal(spk_plan_measure_patterns(NULL, sample_windows, 100, NULL, 2, 1, &costs),
                     SPK_OK);
    spk_window_options cut;
    spk_surrogate_options surrogates;
    spk_maxima_options maxima;
    spk_window_options_init(&cut, sizeof cut);
    spk_surrogate_options_init(&surrogates, sizeof surrogates);
    spk_maxima_options_init(&maxima, sizeof maxima);
    cut.bin = (spk_duration){5, -3, 0};
    maxima.windows = &cut, maxima.surrogates = &surrogates, maxima.n_surrogates = 1;
    assert_int_equal(spk_plan_measure_surrogates(NULL, sample_recording, &maxima, 1, 1, &costs),
                     SPK_OK);
    spk_plan_machine_init(&machine, sizeof machine);
    assert_int_equal(spk_plan_scale(NULL, &costs, 1000, &longer), SPK_OK);
    assert_int_equal(spk_plan_predict(NULL, &longer, &machine, &prediction), SPK_OK);
    assert_int_equal(spk_plan_limit(NULL, &longer, &machine, &prediction), SPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(significance), cmocka_unit_test(maxima),
        cmocka_unit_test(choosing),     cmocka_unit_test(suggesting),
        cmocka_unit_test(exact_tests),  cmocka_unit_test(peeling),
        cmocka_unit_test(analyses),     cmocka_unit_test(comparisons),
        cmocka_unit_test(calibrations), cmocka_unit_test(selections),
        cmocka_unit_test(plans),        cmocka_unit_test(whole_sequences),
        cmocka_unit_test(first_looks),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
