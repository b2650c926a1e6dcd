/* A first look: its steps give the same results again, and its sentences say what is there. */
#include "analysis/explore.h"
#include "significance/choose/choose.h"
#include "support/test.h"

enum { PAIRS = 60, TICKS = 20000 };

/* Unit b 3 ms after unit a, at 1 ms ticks, and unit c beside them. */
static spk_recording *make_recording(spk_context *context)
{
    static int64_t time[3 * PAIRS];
    static uint32_t unit[3 * PAIRS];
    const char *const labels[] = {"a", "b", "c"};
    spk_recording *recording = NULL;
    for (int64_t k = 0; k < PAIRS; k++) {
        const int64_t at = k * TICKS / PAIRS + (k * k * 37) % 190;
        const int64_t times[] = {at, at + 3, k * TICKS / PAIRS + (k * k * 91) % 270};
        for (uint32_t u = 0; u < 3; u++) {
            time[3 * k + u] = times[u];
            unit[3 * k + u] = u;
        }
    }
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1000, 1};
    source.n_units = 3;
    source.labels = labels;
    source.n_events = 3 * PAIRS;
    source.time = time;
    source.unit = unit;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    return recording;
}

static const char *value_of(const spk_operation_call *step, const char *name)
{
    for (size_t k = 0; k < step->n_settings; k++)
        if (strcmp(step->setting[k].name, name) == 0)
            return step->setting[k].value;
    return NULL;
}

/* Sentences come by topic, and the test has as many of episodes as rows, up to five. */
static void sentences_and_steps(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_explore *found = NULL;
    spk_explore_options options;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_recording(context);
    spk_explore_options_init(&options, sizeof options);
    options.time = (spk_duration){3, 3, 0};
    assert_int_equal(spk_explore_run(context, recording, &options, &found), SPK_OK);
    const spk_explore_columns *c = spk_explore_columns_of(found);
    size_t n[SPK_EXPLORE_LEFT_OUT + 1] = {0};
    for (size_t k = 0; k < c->n_sentences; k++) {
        n[c->sentence[k].topic]++;
        assert_true(k == 0 || c->sentence[k].topic >= c->sentence[k - 1].topic);
        assert_true(strlen(c->sentence[k].text) > 0);
    }
    assert_int_equal(n[SPK_EXPLORE_RECORDING], 3);
    assert_int_equal(n[SPK_EXPLORE_LEFT_OUT], 0);
    assert_non_null(c->episodes);
    assert_int_equal(n[SPK_EXPLORE_EPISODE], c->episodes->n < 5 ? c->episodes->n : 5);
    assert_ptr_equal(c->tested, recording);
    assert_int_equal(c->n_steps, 2);
    assert_string_equal(c->step[0].operation, "episodes");
    assert_string_equal(value_of(&c->step[0], "seed"), "1");
    assert_int_equal(strtoull(value_of(&c->step[0], "surrogates"), NULL, 10),
                     c->episodes->exact->n_surrogates);
    assert_true(strtod(value_of(&c->step[0], "alpha"), NULL) < 0.05);
    assert_non_null(c->sequences);
    assert_string_equal(c->step[1].operation, "sequences");
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* A test that has no end. */
static spk_status search_for_ever(spk_explore *e, const spk_recording *recording)
{
    (void)recording;
    while (!spk_context_cancelled(e->trying.own))
        ;
    return spk_check_cancel(e->trying.own);
}

/* Where the test of all episodes does not end in its time, that of pairs does, and it is told. */
static void pairs_are_tested_where_time_is_short(void **state)
{
    (void)state;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_recording(context);
    spk_explore *e = calloc(1, sizeof *e);
    spk_choose_options options;
    spk_choose_options_init(&options, sizeof options);
    assert_non_null(e);
    e->context = context;
    spk_explore_options_init(&e->options, sizeof e->options);
    e->searched.recording = recording;
    assert_int_equal(spk_recording_describe(context, recording, &e->description), SPK_OK);
    assert_int_equal(spk_deadline_begin(context, 3000, &e->deadline), SPK_OK);
    assert_int_equal(spk_choose_delays(context, recording, NULL, 0, &options, &e->delays), SPK_OK);
    e->trial = spk_delay_table_get(e->delays).trial;
    e->chosen = (spk_delay_test){.trial = e->trial, .alpha = 0.05};
    assert_int_equal(spk_explore_try_test(e, recording, 0.02, search_for_ever), SPK_OK);
    assert_false(e->test_ended);
    assert_int_equal(spk_explore_try_test(e, recording, 1000, spk_explore_test_pairs), SPK_OK);
    assert_true(e->test_ended);
    const spk_episode_columns *rows = &spk_analysis_columns_of(e->analysis)->episodes;
    assert_int_equal(spk_analysis_columns_of(e->analysis)->exact->n_surrogates, 19);
    for (uint64_t k = 0; k < rows->n; k++)
        assert_int_equal(rows->offset[k + 1] - rows->offset[k], 2);
    assert_int_equal(spk_explore_tell(e, recording), SPK_OK);
    const spk_explore_columns *c = spk_explore_columns_of(e);
    assert_string_equal(value_of(&c->step[0], "max-size"), "2");
    bool told = false;
    for (size_t k = 0; k < c->n_sentences; k++)
        told |= c->sentence[k].topic == SPK_EXPLORE_LEFT_OUT &&
                strstr(c->sentence[k].text, "three units and more") != NULL;
    assert_true(told);
    spk_explore_free(e);
    spk_recording_free(recording);
    spk_context_free(context);
}

static spk_status count(void *user, const char *text)
{
    *(size_t *)user += text[0] != '\0';
    return SPK_OK;
}

static void three_sentences_of_a_recording(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording_description description;
    size_t told = 0, warned = 0;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_recording(context);
    assert_int_equal(spk_recording_describe(context, recording, &description), SPK_OK);
    assert_int_equal(spk_recording_tell(recording, &description, count, &told), SPK_OK);
    assert_int_equal(told, 3);
    description.units_without_events = 2;
    assert_int_equal(spk_recording_tell_warnings(recording, &description, count, &warned), SPK_OK);
    assert_true(warned > 0);
    spk_recording_free(recording);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_and_steps),
        cmocka_unit_test(pairs_are_tested_where_time_is_short),
        cmocka_unit_test(three_sentences_of_a_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
