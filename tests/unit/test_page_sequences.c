/* Reports of sequences: tables of members and occurrences, and the packed times of spikes, say what
 * the library says. */
#include "support/context.h"
#include "support/page.h"

/* Three units 20 ms apart, the second one missing now and then; the first planted one begins with
 * it, before the first spike of all. */
static spk_recording *plant_sequence(void)
{
    enum { TIMES = 30, MEMBERS = 3 };
    int64_t time[TIMES * MEMBERS];
    uint32_t unit[TIMES * MEMBERS];
    uint64_t n = 0;
    spk_recording *recording = NULL;
    for (int64_t k = 0; k < TIMES; k++)
        for (uint32_t m = 0; m < MEMBERS; m++)
            if ((k + m) % 6 != 0) {
                time[n] = 100 * k + 37 * (k * k % 2) + 20 * m - 7;
                unit[n++] = m;
            }
    assert_int_equal(test_recording_create(context, n, time, unit, MEMBERS, NULL,
                                           (spk_rate){1000, 1}, NULL, NULL, &recording),
                     SPK_OK);
    return recording;
}

/* The occurrences of row i; returns how many numbers of the packed column they are. */
static uint64_t check_moments(const spk_sequence_columns *c, const spk_events *events, uint32_t i,
                              int64_t start, const uint64_t *number)
{
    uint64_t at = 0;
    const uint32_t *spike = c->spike + c->spike_first[i];
    for (uint64_t o = c->occurrence_first[i]; o < c->occurrence_first[i + 1]; o++) {
        start += test_page_unzigzag(number[at++]);
        assert_true(start == c->time[o]);
        for (uint64_t m = c->member_first[i]; m < c->member_first[i + 1]; m++, spike++, at++)
            if (*spike == SPK_SEQUENCE_MISSING)
                assert_true(number[at] == 0);
            else
                assert_true(start + test_page_unzigzag(number[at] - 1) == events->time[*spike]);
    }
    return at;
}

/* Occurrences that have both member m - 1 and member m of sequence i. */
static json_int_t count_both(const spk_sequence_columns *c, uint32_t i, uint32_t m)
{
    const uint64_t size = c->member_first[i + 1] - c->member_first[i];
    json_int_t both = 0;
    for (uint64_t k = c->spike_first[i]; k < c->spike_first[i + 1]; k += size)
        both +=
            c->spike[k + m - 1] != SPK_SEQUENCE_MISSING && c->spike[k + m] != SPK_SEQUENCE_MISSING;
    return both;
}

/* An arrow for each two units of which one follows the other in a sequence, with the largest count
 * of all sequences. */
static void check_graph(const spk_sequence_columns *c, const json_t *data)
{
    const json_t *edges = json_object_get(json_object_get(data, "graph"), "edges");
    size_t n = 0, e;
    json_int_t largest[3][3] = {{0}};
    json_t *edge;
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t *unit = c->unit + c->member_first[i];
        for (uint32_t m = 1; m < c->member_first[i + 1] - c->member_first[i]; m++) {
            const json_int_t both = count_both(c, i, m);
            json_int_t *known = &largest[unit[m - 1]][unit[m]];
            n += *known == 0 && both > 0;
            *known = both > *known ? both : *known;
        }
    }
    assert_true(n > 0 && json_array_size(edges) == n);
    json_array_foreach(edges, e, edge)
    {
        const json_int_t from = json_integer_value(json_array_get(edge, 0));
        const json_int_t to = json_integer_value(json_array_get(edge, 1));
        assert_true(json_integer_value(json_array_get(edge, 2)) == largest[from][to]);
    }
}

static double real_at(const json_t *list, size_t k)
{
    return json_number_value(json_array_get(list, k));
}

static void sequences_are_the_librarys(void **state)
{
    (void)state;
    spk_recording *recording = plant_sequence();
    const spk_events events = spk_recording_events(recording);
    spk_sequences *found = NULL;
    spk_sequence_options options;
    spk_sequence_report report;
    spk_sequence_options_init(&options, sizeof options);
    spk_sequence_report_init(&report, sizeof report);
    options.n_surrogates = 3;
    options.alpha = 1;
    assert_int_equal(spk_sequences_find(context, recording, &options, &found, &report.summary),
                     SPK_OK);
    const spk_sequence_columns c = spk_sequences_columns(found);
    assert_true(c.n > 0);
    assert_int_equal(
        spk_page_sequences(context, recording, found, &report, NULL, test_path("sequences.html")),
        SPK_OK);
    json_t *data = test_page_load("sequences.html");
    assert_string_equal(json_string_value(json_object_get(data, "kind")), "sequences");
    assert_string_equal(test_page_setting(data, "null"), "shift-apart");
    assert_true(test_page_tells(data, "summary", "of 3 surrogates each"));
    uint64_t n = 0, at = 0;
    uint64_t *number = test_page_unpack(json_object_get(data, "occurrences"), &n);
    const json_t *parts = json_object_get(data, "parts");
    for (uint32_t i = 0; i < c.n; i++) {
        const json_t *result = json_array_get(json_object_get(data, "results"), i);
        const json_t *members =
            json_array_get(json_object_get(json_array_get(parts, 0), "rows"), i);
        const json_t *moments =
            json_array_get(json_object_get(json_array_get(parts, 1), "rows"), i);
        const uint64_t n_moments = c.occurrence_first[i + 1] - c.occurrence_first[i];
        assert_true(fabs(json_number_value(test_page_cell(data, i, "p")) - c.p[i]) < 1e-9);
        assert_true(json_array_size(members) == c.member_first[i + 1] - c.member_first[i]);
        assert_true(json_array_size(moments) == n_moments);
        assert_true((uint64_t)test_page_integer(result, "occurrences") == n_moments);
        for (size_t m = 0; m < json_array_size(members); m++) {
            const uint64_t k = c.member_first[i] + m;
            assert_string_equal(json_string_value(json_array_get(json_array_get(members, m), 0)),
                                spk_recording_label(recording, c.unit[k]));
            assert_true(fabs(real_at(json_object_get(result, "lags"), m) - c.lag_ticks[k]) < 1e-9);
            assert_true(fabs(real_at(json_array_get(members, m), 1) - c.lag_ticks[k] / 1000) <
                        1e-9);
        }
        for (size_t o = 0; o < n_moments; o++)
            assert_true(real_at(json_array_get(moments, o), 3) ==
                        c.missing[c.occurrence_first[i] + o]);
        at += check_moments(&c, &events, i, spk_recording_start(recording), number + at);
    }
    assert_true(at == n);
    check_graph(&c, data);
    free(number);
    json_decref(data);
    spk_sequences_free(found);
    spk_recording_free(recording);
}

/* Beside episodes that were tested, and without their tests. */
static void sequences_beside_episodes(void **state)
{
    (void)state;
    spk_recording *recording = plant_sequence();
    spk_sequences *found = NULL;
    spk_sequence_options options;
    spk_page_options page;
    spk_exact_report exact;
    const uint64_t offset[] = {0, 2}, count[] = {20};
    const uint32_t unit[] = {0, 1};
    const uint16_t delay[] = {0, 0};
    const spk_delay delays[] = {{{0, 0}, {5, -2}}};
    const spk_episode_columns episodes = {.n = 1,
                                          .offset = offset,
                                          .unit = unit,
                                          .delay = delay,
                                          .count = count,
                                          .delays = delays,
                                          .n_delays = 1};
    const spk_exact_verdict verdict[] = {{.expected = 3, .p = 0.01}};
    spk_sequence_options_init(&options, sizeof options);
    spk_page_options_init(&page, sizeof page);
    spk_exact_report_init(&exact, sizeof exact);
    options.n_surrogates = 3;
    options.alpha = 1;
    assert_int_equal(spk_sequences_find(context, recording, &options, &found, NULL), SPK_OK);
    exact.verdict = verdict;
    exact.n_rows = exact.n_tested = exact.n_significant = 1;
    page.exact = &exact;
    page.sequences = found;
    page.searched = recording;
    assert_int_equal(
        spk_page_episodes(context, recording, &episodes, &page, test_path("both.html")), SPK_OK);
    json_t *data = test_page_load("both.html");
    const spk_sequence_columns c = spk_sequences_columns(found);
    const json_t *beside = json_object_get(data, "sequences");
    assert_string_equal(json_string_value(json_object_get(data, "kind")), "episodes");
    assert_true(json_array_size(json_object_get(beside, "rows")) == c.n);
    check_graph(&c, beside);
    json_decref(data);
    spk_sequences_free(found);
    spk_recording_free(recording);
}

static void what_sequences_have_not_is_refused(void **state)
{
    (void)state;
    spk_recording *recording = plant_sequence();
    spk_sequences *found = NULL;
    spk_sequence_options options;
    spk_sequence_report report;
    spk_page_options page;
    spk_exact_report exact;
    spk_sequence_options_init(&options, sizeof options);
    spk_sequence_report_init(&report, sizeof report);
    spk_page_options_init(&page, sizeof page);
    spk_exact_report_init(&exact, sizeof exact);
    options.n_surrogates = 1;
    assert_int_equal(spk_sequences_find(context, recording, &options, &found, NULL), SPK_OK);
    page.exact = &exact;
    assert_int_equal(
        spk_page_sequences(context, recording, found, &report, &page, test_path("none.html")),
        SPK_ERR_ARGUMENT);
    assert_false(test_file_exists("none.html"));
    spk_sequences_free(found);
    spk_recording_free(recording);
}

static spk_status keep_sentence(void *user, const char *sentence)
{
    snprintf(user, 600, "%s", sentence);
    return SPK_OK;
}

/* A sequence and the same once more: the second one is a copy, in words and on the page. */
static void a_copy_is_told(void **state)
{
    (void)state;
    char text[600], expected[200];
    spk_recording *recording = plant_sequence();
    spk_sequences *found = NULL, *twice = NULL;
    spk_sequence_options options;
    spk_sequence_report report;
    spk_sequence_options_init(&options, sizeof options);
    spk_sequence_report_init(&report, sizeof report);
    options.n_surrogates = options.max_sequences = 1;
    options.alpha = 1;
    assert_int_equal(spk_sequences_find(context, recording, &options, &found, NULL), SPK_OK);
    const spk_sequence_columns c = spk_sequences_columns(found);
    assert_int_equal(spk_sequences_select(context, found, 2, (const uint32_t[]){0, 0}, &twice), 0);
    assert_int_equal(spk_sequences_tell_row(twice, recording, 0, keep_sentence, text), SPK_OK);
    assert_null(strstr(text, "nearly the same"));
    assert_int_equal(spk_sequences_tell_row(twice, recording, 1, keep_sentence, text), SPK_OK);
    snprintf(expected, sizeof expected,
             "; nearly the same as sequence 1, which has %d of its units and occurs at %d of its "
             "times",
             (int)c.member_first[1], (int)c.occurrence_first[1]);
    assert_string_equal(strchr(text, ';'), expected);
    assert_int_equal(
        spk_page_sequences(context, recording, twice, &report, NULL, test_path("twice.html")), 0);
    json_t *data = test_page_load("twice.html");
    const json_t *results = json_object_get(data, "results");
    assert_null(json_object_get(json_array_get(results, 0), "copy_of"));
    assert_int_equal(test_page_integer(json_array_get(results, 1), "copy_of"), 0);
    json_decref(data);
    spk_sequences_free(found);
    spk_sequences_free(twice);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_are_the_librarys),
        cmocka_unit_test(sequences_beside_episodes),
        cmocka_unit_test(a_copy_is_told),
        cmocka_unit_test(what_sequences_have_not_is_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
