/* What is suggested: the table and the plan of the steps by themselves, as a call; and the support
 * of a job, which is that of the steps with the options of its test. */
#include <inttypes.h>
#include <math.h>

#include "support/context.h"

static const char *value_of(const spk_operation_call *call, const char *name)
{
    for (size_t k = 0; k < call->n_settings; k++)
        if (strcmp(call->setting[k].name, name) == 0)
            return call->setting[k].value;
    return "";
}

/* A suggestion with options of its own is what its two steps give. */
static void a_call_says_what_was_planned(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    spk_recording *recording = test_recording_bundled(context, "songbird_spikes.txt");
    spk_suggestion *suggestion = NULL;
    spk_suggest_options options;
    spk_choose_options choosing;
    spk_delay_table *table = NULL;
    spk_delay_test plan;
    char number[32];
    spk_suggest_options_init(&options, sizeof options);
    spk_choose_options_init(&choosing, sizeof choosing);
    options.time = choosing.time = (spk_duration){36, 2, 0}; /* a slow machine tries all, too */
    options.n_events = choosing.n_events = 1500;
    options.seed = choosing.seed = 3;
    assert_int_equal(spk_suggest_run(context, recording, &options, &suggestion), SPK_OK);
    assert_int_equal(spk_choose_delays(context, recording, NULL, 0, &choosing, &table), SPK_OK);
    assert_int_equal(spk_choose_test(context, recording, table, 0.05, 3, &plan), SPK_OK);
    const spk_suggestion_columns *c = spk_suggestion_columns_of(suggestion);
    const spk_delay_table_columns tried = spk_delay_table_get(table);
    assert_int_equal(c->tried.n, tried.n);
    assert_int_equal(c->tried.best, tried.best);
    assert_true(tried.best < tried.n && c->call != NULL);
    assert_non_null(strstr(c->finding, c->delays[tried.best]));
    assert_string_equal(c->call->operation, "episodes");
    assert_string_equal(value_of(c->call, "jitter"), c->jitter[tried.best]);
    assert_string_equal(value_of(c->call, "test"), "exact");
    snprintf(number, sizeof number, "%" PRIu64, plan.support);
    assert_string_equal(value_of(c->call, "support"), number);
    snprintf(number, sizeof number, "%" PRIu64, plan.n_surrogates);
    assert_string_equal(value_of(c->call, "surrogates"), number);
    assert_true(fabs(strtod(value_of(c->call, "alpha"), NULL) - plan.alpha) < 1e-15);
    spk_delay_table_free(table);
    spk_suggestion_free(suggestion);
    spk_recording_free(recording);
}

/* However short the time is, all sets are tried, by counted work. */
static void a_short_time_tries_all_sets(void **state)
{
    (void)state;
    spk_recording *recording = test_recording_bundled(context, "songbird_spikes.txt");
    spk_suggestion *suggestion = NULL;
    spk_suggest_options options;
    spk_suggest_options_init(&options, sizeof options);
    options.time = (spk_duration){1, -6, 0};
    assert_int_equal(spk_suggest_run(context, recording, &options, &suggestion), SPK_OK);
    const spk_suggestion_columns *c = spk_suggestion_columns_of(suggestion);
    assert_true(c->tried.n == 16 && c->tried.n_sets == 8 && c->tried.n_left_out == 0);
    assert_true(strlen(c->finding) > 0);
    spk_suggestion_free(suggestion);
    options.alpha = 1;
    assert_int_equal(spk_suggest_run(context, recording, &options, &suggestion), SPK_ERR_ARGUMENT);
    assert_null(spk_suggestion_columns_of(suggestion));
    spk_recording_free(recording);
}

/* ---- supports -------------------------------------------------------------------------------- */

/* The support of a job, against the step with these options. */
static void check_support(const spk_recording *recording, const spk_analysis_options *job,
                          const spk_delay *delay, const spk_choose_options *step)
{
    spk_chosen_support chosen;
    spk_support_choice expected;
    assert_int_equal(
        spk_analysis_choose_support(context, recording, job, step->seed, step->time, &chosen),
        SPK_OK);
    assert_int_equal(spk_choose_support(context, recording, delay, 1, step, &expected), SPK_OK);
    assert_int_equal(chosen.choice.support, expected.support);
    assert_true(chosen.choice.link_share == expected.link_share);
    assert_int_equal(spk_duration_compare(chosen.choice.jitter, expected.jitter), 0);
    assert_non_null(strstr(chosen.why, "seed 5)"));
}

static void a_support_is_that_of_the_job(void **state)
{
    (void)state;
    static const spk_duration jitter[] = {{50, -3, 0}, {100, -3, 0}};
    const spk_delay delay = {{0, 0, 0}, {50, -3, 0}};
    spk_recording *recording = test_recording_bundled(context, "songbird_spikes.txt");
    spk_episode_options episodes;
    spk_exact_options test;
    spk_analysis_options job;
    spk_choose_options step;
    spk_chosen_support chosen;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&test, sizeof test);
    spk_analysis_options_init(&job, sizeof job);
    spk_choose_options_init(&step, sizeof step);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.max_size = step.max_size = 3;
    step.seed = 5;
    job.episodes = &episodes;
    check_support(recording, &job, &delay, &step);
    test.episodes = &episodes, test.jitter = jitter, test.n_jitter = 1, test.null = "shift-apart";
    job.episodes = NULL, job.exact = &test;
    step.jitter = jitter[0], step.null = "shift-apart", step.most_by_chance = 0;
    check_support(recording, &job, &delay, &step);
    test.n_jitter = 2;
    assert_int_equal(spk_analysis_choose_support(context, recording, &job, 1, step.time, &chosen),
                     SPK_ERR_ARGUMENT);
    job.exact = NULL;
    assert_int_equal(spk_analysis_choose_support(context, recording, &job, 1, step.time, &chosen),
                     SPK_ERR_ARGUMENT);
    spk_recording_free(recording);
}

/* Where time decides, that is told, and the support is the same with any number of threads. */
static void a_support_may_be_bound_by_time(void **state)
{
    (void)state;
    const spk_delay delay = {{0, 0, 0}, {50, -3, 0}};
    spk_recording *recording = test_recording_bundled(context, "songbird_spikes.txt");
    spk_episode_options episodes;
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_analysis_options_init(&job, sizeof job);
    episodes.delays = &delay, episodes.n_delays = 1, job.episodes = &episodes;
    uint64_t support = 0;
    for (int threads = 3; threads > 0; threads--) {
        spk_context_set_threads(context, threads);
        for (int32_t power = 2; power >= -2; power -= 4) { /* 100 s and 10 ms */
            assert_int_equal(spk_analysis_choose_support(context, recording, &job, 1,
                                                         (spk_duration){1, power, 0}, &chosen),
                             SPK_OK);
            assert_int_equal(chosen.choice.timed, power < 0);
            assert_int_equal(strstr(chosen.why, "keeps to its time") != NULL, power < 0);
        }
        assert_true(support == 0 || chosen.choice.support == support);
        support = chosen.choice.support;
    }
    spk_context_set_threads(context, 0);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_says_what_was_planned),
        cmocka_unit_test(a_short_time_tries_all_sets),
        cmocka_unit_test(a_support_is_that_of_the_job),
        cmocka_unit_test(a_support_may_be_bound_by_time),
    };
    return cmocka_run_group_tests_name("suggest", tests, context_setup, context_teardown);
}
