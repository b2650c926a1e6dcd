/* A first look: its steps give the same results again, and its sentences say what is there. */
#include <math.h>

#include "analysis/explore.h"
#include "base/stage.h"
#include "recording/recording.h"
#include "significance/choose/choose.h"
#include "support/scale.h"
#include "support/test.h"

enum { PAIRS = 60, TICKS = 20000 };

/* Unit b 3 ms after unit a, at 1 ms ticks, and unit c beside them; nothing happens for so many
 * ticks before the second half. */
static spk_recording *make_interrupted(spk_context *context, int64_t pause)
{
    static int64_t time[3 * PAIRS];
    static uint32_t unit[3 * PAIRS];
    const char *const labels[] = {"a", "b", "c"};
    spk_recording *recording = NULL;
    for (int64_t k = 0; k < PAIRS; k++) {
        const int64_t begin = k * TICKS / PAIRS + (k < PAIRS / 2 ? 0 : pause);
        const int64_t at = begin + (k * k * 37) % 190;
        const int64_t times[] = {at, at + 3, begin + (k * k * 91) % 270};
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

static spk_recording *make_recording(spk_context *context)
{
    return make_interrupted(context, 0);
}

static const char *value_of(const spk_operation_call *step, const char *name)
{
    for (size_t k = 0; k < step->n_settings; k++)
        if (strcmp(step->setting[k].name, name) == 0)
            return step->setting[k].value;
    return NULL;
}

/* No sentence is there twice, and that on rates which rise together is a caution. */
static void check_said_once(const spk_explore_columns *c)
{
    size_t n_together = 0;
    for (size_t k = 0; k < c->n_sentences; k++) {
        for (size_t i = 0; i < k; i++)
            assert_string_not_equal(c->sentence[k].text, c->sentence[i].text);
        if (strstr(c->sentence[k].text, "rates rise and fall together") != NULL) {
            assert_int_equal(c->sentence[k].topic, SPK_EXPLORE_CAUTION);
            n_together++;
        }
    }
    assert_int_equal(n_together, 1);
}

/* Findings of episodes, with any of the sets of delays, and of sequences have no more than the
 * level together; steps have the levels that were applied. */
static void check_levels(const spk_explore_columns *c, double alpha)
{
    const double episodes = c->episodes->exact->alpha, sequences = c->search->alpha;
    const double n_sets = (double)spk_delay_table_get(c->delays).n_sets;
    size_t n_said = 0;
    assert_true(n_sets > 1 && n_sets * episodes + sequences <= alpha);
    assert_true(n_sets * episodes > 0.4 * alpha && sequences > 0.4 * alpha);
    assert_float_equal(strtod(value_of(&c->step[0], "alpha"), NULL), episodes, 1e-12);
    assert_float_equal(strtod(value_of(&c->step[1], "alpha"), NULL), sequences, 1e-12);
    for (size_t k = 0; k < c->n_sentences; k++)
        n_said += strstr(c->sentence[k].text, "half of the level of 0.05 is for episodes") != NULL;
    assert_int_equal(n_said, 1);
}

/* Sentences come by topic, and the test has as many of episodes as rows, up to five; one that goes
 * on, of a whole sequence that has the episode's units, begins with blanks. */
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
    size_t n[SPK_EXPLORE_METHOD + 1] = {0};
    for (size_t k = 0; k < c->n_sentences; k++) {
        n[c->sentence[k].topic] += c->sentence[k].text[0] != ' ';
        assert_true(k == 0 || c->sentence[k].topic >= c->sentence[k - 1].topic);
        assert_true(strlen(c->sentence[k].text) > 0);
    }
    /* Contents, activity, what was tested; no word of warnings that stand elsewhere. */
    assert_int_equal(n[SPK_EXPLORE_RECORDING], 3);
    assert_int_equal(n[SPK_EXPLORE_DOUBT], 0);
    assert_true(n[SPK_EXPLORE_CAUTION] > 0 && n[SPK_EXPLORE_METHOD] > 2);
    assert_int_equal(n[SPK_EXPLORE_SEQUENCES], 1);
    assert_true(n[SPK_EXPLORE_TEST] > 0);
    assert_int_equal(n[SPK_EXPLORE_LEFT_OUT], 0);
    check_said_once(c);
    assert_non_null(c->episodes);
    assert_int_equal(n[SPK_EXPLORE_EPISODE], c->episodes->n < 5 ? c->episodes->n : 5);
    assert_ptr_equal(c->tested, recording);
    assert_int_equal(c->n_steps, 2);
    assert_string_equal(c->step[0].operation, "episodes");
    assert_string_equal(value_of(&c->step[0], "seed"), "1");
    assert_int_equal(strtoull(value_of(&c->step[0], "surrogates"), NULL, 10),
                     c->episodes->exact->n_surrogates);
    assert_non_null(c->sequences);
    assert_string_equal(c->step[1].operation, "sequences");
    check_levels(c, options.alpha);
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* What was done, as text: sentences, and steps with their settings. */
static void write_look(const spk_explore *e, char *text, size_t size)
{
    const spk_explore_columns *c = spk_explore_columns_of(e);
    text[0] = '\0';
    for (size_t k = 0; k < c->n_sentences; k++)
        spk_append(text, size, "%s\n", c->sentence[k].text);
    for (size_t k = 0; k < c->n_steps; k++) {
        spk_append(text, size, "%s --stop %s", c->step[k].operation,
                   c->step[k].stop != NULL ? c->step[k].stop : "-");
        for (size_t i = 0; i < c->step[k].n_settings; i++)
            spk_append(text, size, " --%s %s", c->step[k].setting[i].name,
                       c->step[k].setting[i].value != NULL ? c->step[k].setting[i].value : "");
        spk_append(text, size, "\n");
    }
}

enum { LOOK_BYTES = 20000 };

/* A look for which a time of so many milliseconds allows the work, whatever the clock says. */
static void look(int64_t milliseconds, int threads, char text[LOOK_BYTES])
{
    spk_context *context = NULL;
    spk_explore *found = NULL;
    spk_explore_options options;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_threads(context, threads);
    spk_recording *recording = make_recording(context);
    spk_explore_options_init(&options, sizeof options);
    options.time = (spk_duration){milliseconds, -3, 0};
    assert_int_equal(spk_explore_run_until(context, recording, &options, 3000, &found), SPK_OK);
    write_look(found, text, LOOK_BYTES);
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Where the time does not suffice, it is the counted work that tells what is left out: any number
 * of threads, on a clock of any speed, gives the same. */
static void the_clock_chooses_nothing(void **state)
{
    (void)state;
    static char once[LOOK_BYTES], again[LOOK_BYTES];
    look(20, 1, once);
    assert_non_null(strstr(once, "the test looked at the recording until "));
    assert_non_null(strstr(once, "episodes --stop "));
    assert_null(strstr(once, "in time"));
    for (int threads = 1; threads < 5; threads++) {
        look(20, threads, again);
        assert_string_equal(again, once);
    }
}

static void take_note(void *user, const char *text)
{
    (void)text;
    ++*(int *)user;
}

/* Units without events, as behind --start: all of it is looked at, and nothing is left out. */
static void no_events_are_no_work(void **state)
{
    (void)state;
    static char text[LOOK_BYTES];
    const int64_t start = 0, stop = 2000;
    spk_recording *recording = NULL;
    spk_explore *found = NULL;
    assert_int_equal(test_recording_create(NULL, 0, NULL, NULL, 2, NULL, (spk_rate){1000, 1},
                                           &start, &stop, &recording),
                     SPK_OK);
    assert_int_equal(spk_explore_run_until(NULL, recording, NULL, 3000, &found), SPK_OK);
    assert_ptr_equal(spk_explore_columns_of(found)->tested, recording);
    assert_ptr_equal(spk_explore_columns_of(found)->searched, recording);
    write_look(found, text, sizeof text);
    assert_non_null(strstr(text, "were tested in all of it, and whole sequences looked for"));
    assert_null(strstr(text, "too much work"));
    assert_null(strstr(text, " until "));
    spk_explore_free(found);
    spk_recording_free(recording);
}

/* However short the time is, something is tested; all rows are core, and what steps note is told as
 * sentences. */
static void no_time_is_too_short_for_a_test(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_explore *found = NULL;
    spk_explore_options options;
    int n_notes = 0;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_note(context, take_note, &n_notes);
    spk_recording *recording = make_recording(context);
    spk_explore_options_init(&options, sizeof options);
    options.time = (spk_duration){1, -6, 0};
    assert_int_equal(spk_explore_run_until(context, recording, &options, 3000, &found), SPK_OK);
    const spk_explore_columns *c = spk_explore_columns_of(found);
    assert_non_null(c->episodes);
    assert_ptr_equal(c->tested, recording);
    assert_true(c->episodes->exact->n_tested > 0 && c->episodes->n > 0);
    for (uint64_t k = 0; k < c->episodes->n; k++)
        assert_int_equal(c->episodes->exact->left_out[k], SPK_NOT_EXPLAINED);
    assert_int_equal(n_notes, 0);
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Where the test of all episodes would be too much work, that of pairs is made, and it is told. */
static void pairs_are_tested_where_time_is_short(void **state)
{
    (void)state;
    static char text[LOOK_BYTES];
    look(4, 2, text);
    assert_non_null(strstr(text, "\nepisodes of three units and more\n"));
    assert_non_null(strstr(text, " --max-size 2 "));
}

/* A clock that ends it is said to: nothing is chosen from the sets that happened to be tried. */
static void what_the_clock_ends_is_told(void **state)
{
    (void)state;
    static char text[LOOK_BYTES];
    spk_context *context = NULL;
    spk_explore *found = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_recording(context);
    assert_int_equal(spk_explore_run_until(context, recording, NULL, 1e-6, &found), SPK_OK);
    write_look(found, text, LOOK_BYTES);
    assert_non_null(strstr(text, "the test: the choice of its delays did not end in time\n"));
    assert_non_null(strstr(text, "the search for whole sequences did not end in time\n"));
    assert_null(strstr(text, "episodes --stop"));
    assert_int_equal(found->n_clocks, EXPLORE_DELAY_TRIES + 1); /* and of sequences */
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* 60 units with 30 spikes a second each, for a minute. */
static spk_recording *make_busy(spk_context *context)
{
    enum { UNITS = 60, SPIKES = UNITS * 30 * 60 };
    test_random random = test_random_make(test_seed("explore"), 1);
    int64_t *time = calloc(SPIKES, sizeof *time);
    uint32_t *unit = calloc(SPIKES, sizeof *unit);
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    for (uint64_t i = 0; i < SPIKES; i++) {
        time[i] = (int64_t)(i * 100 / 3 + test_random_below(&random, 33));
        unit[i] = (uint32_t)test_random_below(&random, UNITS);
    }
    source.rate = (spk_rate){60000, 1};
    source.n_units = UNITS;
    source.n_events = SPIKES;
    source.time = time;
    source.unit = unit;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    free(time);
    free(unit);
    return recording;
}

/* Each part of the recording that was looked at is freed with the look. */
static void all_memory_comes_back(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_explore *found = NULL;
    spk_explore_options options;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_memory_limit(context, UINT64_C(1) << 30);
    spk_recording *recording = make_busy(context);
    const uint64_t left = spk_memory_left(context);
    spk_explore_options_init(&options, sizeof options);
    options.time = (spk_duration){1, -2, 0};
    assert_int_equal(spk_explore_run_until(context, recording, &options, 3000, &found), SPK_OK);
    assert_non_null(found->whole.own);
    assert_ptr_not_equal(spk_explore_columns_of(found)->tested, recording);
    spk_explore_free(found);
    assert_int_equal(spk_memory_left(context), left);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Where the search for whole sequences does not fit, what the test found stays. */
static void what_memory_ends_is_told(void **state)
{
    (void)state;
    static char text[LOOK_BYTES];
    const int64_t days = INT64_C(300000000);
    spk_context *context = NULL;
    spk_explore *found = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_memory_limit(context, 64 << 20);
    spk_recording *recording = make_interrupted(context, days);
    assert_int_equal(spk_explore_run_until(context, recording, NULL, 3000, &found), SPK_OK);
    write_look(found, text, LOOK_BYTES);
    assert_non_null(
        strstr(text, "the search for whole sequences needs more memory than its limit\n"));
    assert_non_null(spk_explore_columns_of(found)->episodes);
    assert_null(spk_explore_columns_of(found)->sequences);
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Times that count from 1970, in seconds: a beginning of any length is told to the millisecond. */
static void a_beginning_may_be_late(void **state)
{
    (void)state;
    enum { N = 80 };
    int64_t time[N];
    uint32_t unit[N] = {0};
    char stop[EXPLORE_STOP_BYTES];
    spk_recording *recording = NULL, *beginning = NULL;
    for (int64_t k = 0; k < N; k++)
        time[k] = 17000000032500 + 1000 * k;
    assert_int_equal(test_recording_create(NULL, N, time, unit, 1, NULL, (spk_rate){10000, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_recording_beginning(NULL, recording, 1.97, stop, sizeof stop, &beginning),
                     SPK_OK);
    assert_string_equal(stop, "1700000005.15s");
    assert_int_equal(spk_recording_events(beginning).n_events, 19);
    spk_recording_free(beginning);
    spk_recording_free(recording);
}

/* Where the clock leaves a twelfth of the time that the work is of, as on a machine that is busy,
 * it is kept all the same, less is looked at, and something is tested: delays that are late are
 * tried again. */
static void the_clock_is_kept_on_a_slow_machine(void **state)
{
    (void)state;
    const double clock_s = test_scaled(10) == 10 ? 5 : 2;
    static char text[LOOK_BYTES];
    spk_context *context = NULL;
    spk_explore *found = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_busy(context);
    const double begin = spk_seconds_now();
    if (spk_explore_run_until(context, recording, NULL, clock_s, &found) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    assert_true(spk_seconds_now() - begin < clock_s + 2);
    write_look(found, text, LOOK_BYTES);
    assert_non_null(strstr(text, "a part of the work that this time stands for: the machine is "));
    if (test_scaled(10) == 10 && !found->is_busy) /* a sanitized build is too slow for it */
        assert_true(found->test_ended);
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Where delays are late twice, the shortest are tested without a choice. One set takes a twelfth of
 * the time of all, so that one of these clocks is long enough for it and too short for them. */
static void one_set_of_delays_is_left(void **state)
{
    (void)state;
    static char text[LOOK_BYTES];
    spk_context *context = NULL;
    spk_explore *found = NULL;
    bool is_tested = false;
    if (!test_whole_recordings()) /* many clocks, until one fits */
        skip();
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_busy(context);
    for (double clock_s = 0.25; clock_s < 40 && !is_tested; clock_s *= 2) {
        spk_explore_free(found);
        assert_int_equal(spk_explore_run_until(context, recording, NULL, clock_s, &found), SPK_OK);
        is_tested = found->one_set && found->test_ended;
    }
    assert_true(is_tested);
    spk_delay first;
    choose_first_delay(recording, &first);
    assert_int_equal(spk_delay_table_get(found->delays).n_sets, 1);
    assert_int_equal(found->trial->n_delays, 1);
    assert_int_equal(spk_duration_compare(found->trial->delays[0].hi, first.hi), 0);
    write_look(found, text, LOOK_BYTES);
    assert_non_null(strstr(text, "all sets of delays but one\n"));
    assert_non_null(strstr(text, "delays of 0 to 5 ms were taken without a choice\n"));
    spk_explore_free(found);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* Wherever the clock ends a step, those behind it have one of their own, and the look is whole. */
static void the_clock_may_end_any_step(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_explore_options options;
    spk_explore_options_init(&options, sizeof options);
    options.time = (spk_duration){.digits = 1, .exponent = -1};
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_busy(context);
    const double ratio = test_scaled(10) < 10 ? 1.6 : 1.25;
    for (double clock_s = 0.01; clock_s < 1.4; clock_s *= ratio) {
        spk_explore *found = NULL;
        if (spk_explore_run_until(context, recording, &options, clock_s, &found) != SPK_OK)
            fail_msg("%g s: %s", clock_s, spk_context_message(context));
        assert_in_range(found->n_clocks, 2, EXPLORE_CLOCKS);
        assert_true(spk_explore_columns_of(found)->n_sentences > 0);
        spk_explore_free(found);
    }
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

/* Of ticks of 1 ms bins of half a tick more hold one or two. */
static void bins_beside_the_grid_are_doubted(void **state)
{
    (void)state;
    char text[400];
    spk_recording *recording = make_recording(NULL);
    const spk_duration beats = {15, -4, 0}, fits = {2, -3, 0};
    assert_true(spk_recording_check_bins(recording, beats, text, sizeof text) == strlen(text));
    assert_non_null(strstr(text, "bins of 1.5ms hold now 1, now 2 points of the grid of 1ms"));
    assert_true(spk_recording_check_bins(recording, fits, text, sizeof text) == 0);
    spk_recording_free(recording);
}

/* 60 spikes of a unit in 20 s: delays of 5 s are doubted, those of half a second and infinite ones
 * are not; nor is the recording. */
static void long_delays_are_doubted(void **state)
{
    (void)state;
    const spk_duration none = {0, 0, 0},
                       ends[] = {{5, 0, 0}, {5, -1, 0}, {0, SPK_DURATION_INFINITE, 0}};
    spk_context *context = NULL;
    char text[300];
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_recording *recording = make_recording(context);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(
            spk_recording_check_span(context, recording, none, ends[k], 1, text, sizeof text),
            SPK_OK);
        assert_true((strstr(text, "5 s is 25 % of the recording") != NULL) == (k == 0));
        assert_true((text[0] == '\0') == (k > 0));
    }
    assert_int_equal(
        spk_recording_check_span(context, recording, none, ends[1], 10, text, sizeof text), SPK_OK);
    assert_true(text[0] != '\0');
    assert_int_equal(spk_recording_check_times(context, recording, text, sizeof text), SPK_OK);
    assert_string_equal(text, "");
    assert_true(spk_recording_check_jitter(recording, ends[0], text, sizeof text) == strlen(text));
    assert_non_null(strstr(text, "5 s, and the recording lasts "));
    assert_int_equal(
        spk_recording_check_jitter(recording, (spk_duration){49, -1, 0}, text, sizeof text), 0);
    assert_string_equal(text, "");
    spk_recording_free(recording);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_and_steps),
        cmocka_unit_test(the_clock_chooses_nothing),
        cmocka_unit_test(no_events_are_no_work),
        cmocka_unit_test(no_time_is_too_short_for_a_test),
        cmocka_unit_test(pairs_are_tested_where_time_is_short),
        cmocka_unit_test(what_the_clock_ends_is_told),
        cmocka_unit_test(all_memory_comes_back),
        cmocka_unit_test(what_memory_ends_is_told),
        cmocka_unit_test(a_beginning_may_be_late),
        cmocka_unit_test(the_clock_is_kept_on_a_slow_machine),
        cmocka_unit_test(one_set_of_delays_is_left),
        cmocka_unit_test(the_clock_may_end_any_step),
        cmocka_unit_test(bins_beside_the_grid_are_doubted),
        cmocka_unit_test(long_delays_are_doubted),
        cmocka_unit_test(three_sentences_of_a_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
