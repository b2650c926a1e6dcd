/* Reports as HTML: the data inside are JSON that says what the library says, labels break nothing,
 * limits are told, equal input gives equal bytes, and a failure leaves nothing. The decoders
 * (support/page.h) are written from docs/reference/output.md. */
#include <jansson.h>

#include "support/context.h"
#include "support/page.h"

static const spk_rate KHZ = {1000, 1};
static const spk_delay DELAYS[2] = {{{0, 0}, {5, -3}}, {{5, -3}, {1, -2}}};

/* ---- recordings and results ------------------------------------------------------------------ */

/* Random spikes of four units in 2 s of ms, with two segments that overlap where asked for. */
static spk_recording *make_recording(uint64_t case_number, const char *const *labels, bool overlap)
{
    enum { N = 400 };
    int64_t time[N];
    uint32_t unit[N];
    test_random random = test_random_make(test_seed("page"), case_number);
    spk_recording *whole = NULL, *cut = NULL;
    for (int k = 0; k < N; k++) {
        time[k] = test_random_between(&random, -500, 1499);
        unit[k] = (uint32_t)test_random_below(&random, 4);
    }
    assert_int_equal(
        test_recording_create(context, N, time, unit, 4, labels, KHZ, NULL, NULL, &whole), SPK_OK);
    if (!overlap)
        return whole;
    const spk_time_range ranges[2] = {{{-4, -1}, {8, -1}}, {{3, -1}, {14, -1}}};
    assert_int_equal(spk_recording_cut(context, whole, 2, ranges, &cut), SPK_OK);
    spk_recording_free(whole);
    return cut;
}

static spk_episode_list *mine_episodes(const spk_recording *recording, uint64_t support)
{
    spk_episode_list *list = NULL;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = DELAYS;
    options.n_delays = 2;
    options.support = support;
    options.max_size = 3;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL), SPK_OK);
    return list;
}

typedef struct pattern_scene {
    spk_recording *recording;
    spk_windows *windows;
    spk_pattern_list *list;
    spk_pattern_columns columns;
    spk_window_options window;
    spk_pattern_options options;
} pattern_scene;

static pattern_scene make_patterns(uint64_t case_number, bool overlap)
{
    pattern_scene s = {.recording = make_recording(case_number, NULL, overlap)};
    spk_window_options_init(&s.window, sizeof s.window);
    s.window.bin = (spk_duration){15, -3, 0};
    s.window.window = 4;
    spk_pattern_options_init(&s.options, sizeof s.options);
    s.options.support = 4;
    s.options.min_spikes = 2;
    assert_int_equal(spk_windows_create(context, s.recording, &s.window, &s.windows), SPK_OK);
    assert_int_equal(spk_pattern_list_create(context, 4, &s.list), SPK_OK);
    assert_int_equal(
        spk_pattern_mine(context, s.windows, &s.options, spk_pattern_list_add, s.list, NULL),
        SPK_OK);
    s.columns = spk_pattern_list_columns(s.list);
    assert_true(s.columns.n > 10);
    return s;
}

static void free_patterns(pattern_scene *s)
{
    spk_pattern_list_free(s->list);
    spk_windows_free(s->windows);
    spk_recording_free(s->recording);
}

/* ---- spikes ---------------------------------------------------------------------------------- */

static void check_spikes(const json_t *data, const spk_recording *recording)
{
    const json_t *of = json_object_get(data, "recording");
    const spk_events events = spk_recording_events(recording);
    const json_t *units = json_object_get(of, "units");
    uint64_t n = 0, at = 0;
    uint64_t *number = test_page_unpack(json_object_get(of, "spikes"), &n);
    assert_true(n == events.n_events && json_array_size(units) == events.n_units);
    assert_true(test_page_integer(of, "start") == spk_recording_start(recording));
    assert_true(test_page_integer(of, "start") + test_page_integer(of, "stop") ==
                spk_recording_stop(recording));
    for (uint32_t u = 0; u < events.n_units; u++) {
        int64_t time = test_page_integer(of, "start");
        const json_t *unit = json_array_get(units, u);
        assert_true((uint64_t)test_page_integer(unit, "n") ==
                    events.unit_first[u + 1] - events.unit_first[u]);
        assert_string_equal(json_string_value(json_object_get(unit, "label")),
                            spk_recording_label(recording, u));
        for (uint64_t k = events.unit_first[u]; k < events.unit_first[u + 1]; k++) {
            time += (int64_t)number[at++];
            assert_true(time == events.time[events.by_unit[k]]);
        }
    }
    free(number);
}

/* ---- occurrences of episodes ----------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Those of result k in the file, beside those that the library finds for its units and delays; both
 * in order of their first spikes. Returns how many numbers were read. */
static uint64_t check_occurrences(const json_t *data, size_t k, const spk_recording *recording,
                                  const uint64_t *number)
{
    const json_t *result = json_array_get(json_object_get(data, "results"), k);
    const json_t *units = json_object_get(result, "units"), *lags = json_object_get(result, "lags");
    const size_t size = json_array_size(units);
    const uint64_t n = (uint64_t)test_page_integer(result, "occurrences");
    uint32_t unit[3];
    spk_delay delay[3];
    spk_occurrence_list *list = NULL;
    assert_int_equal(json_array_size(lags), size - 1);
    for (size_t p = 0; p < size; p++)
        unit[p] = (uint32_t)json_integer_value(json_array_get(units, p));
    for (size_t p = 1; p < size; p++) { /* ticks are ms */
        const json_t *pair = json_array_get(lags, p - 1);
        delay[p - 1] = DELAYS[json_integer_value(json_array_get(pair, 0)) == 0 ? 0 : 1];
        assert_true(json_integer_value(json_array_get(pair, 1)) ==
                    (json_integer_value(json_array_get(pair, 0)) == 0 ? 5 : 10));
    }
    assert_int_equal(spk_occurrence_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_occurrences_in_segments(context, recording, (uint32_t)size, unit,
                                                         delay, spk_occurrence_list_add, list),
                     SPK_OK);
    const spk_occurrence_columns found = spk_occurrence_list_columns(list);
    assert_true(found.n == n && n > 0);
    int64_t *times = calloc((size_t)n * size, sizeof *times), *first = calloc((size_t)n, 8);
    int64_t before = spk_recording_start(recording);
    for (uint64_t i = 0, at = 0; i < n; i++) {
        first[i] = found.time[i * size];
        times[i * size] = before += (int64_t)number[at++];
        for (size_t p = 1; p < size; p++)
            times[i * size + p] = times[i * size + p - 1] + test_page_unzigzag(number[at++]);
    }
    qsort(first, (size_t)n, sizeof *first, compare_times);
    for (uint64_t i = 0; i < n; i++) {
        bool same = false;
        assert_true(times[i * size] == first[i]);
        for (uint64_t j = 0; j < n && !same; j++)
            same = memcmp(&times[i * size], &found.time[j * size], size * sizeof *times) == 0;
        assert_true(same);
    }
    free(times);
    free(first);
    spk_occurrence_list_free(list);
    return n * size;
}

static void episodes_are_the_librarys(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2; k++) {
        const bool overlap = k == 1;
        spk_recording *recording = make_recording(k, NULL, overlap);
        spk_episode_list *list = mine_episodes(recording, 5);
        const spk_episode_columns columns = spk_episode_list_columns(list);
        assert_int_equal(
            spk_page_episodes(context, recording, &columns, NULL, test_path("episodes.html")),
            SPK_OK);
        json_t *data = test_page_load("episodes.html");
        assert_string_equal(json_string_value(json_object_get(data, "format")), "spikemine-report");
        assert_int_equal(test_page_integer(data, "version"), 1);
        assert_string_equal(json_string_value(json_object_get(data, "kind")), "episodes");
        check_spikes(data, recording);
        size_t n_segments =
            json_array_size(json_object_get(json_object_get(data, "recording"), "segments"));
        assert_int_equal(n_segments, overlap ? 2 : 1);
        uint64_t n = 0, at = 0, total = 0;
        uint64_t *number = test_page_unpack(json_object_get(data, "occurrences"), &n);
        const size_t n_rows = json_array_size(json_object_get(data, "rows"));
        assert_true(n_rows == columns.n && columns.n > 50);
        for (size_t r = 0; r < n_rows; r++) {
            at += check_occurrences(data, r, recording, number + at);
            total += (uint64_t)json_integer_value(test_page_cell(data, r, "count"));
        }
        assert_true(at == n);
        uint64_t expected = 0;
        for (uint64_t i = 0; i < columns.n; i++)
            expected += columns.count[i];
        assert_true(total == expected);
        free(number);
        json_decref(data);
        spk_episode_list_free(list);
        spk_recording_free(recording);
    }
}

/* The best rows are first: more different units, then more positions, then larger counts. */
static void the_best_rows_are_first(void **state)
{
    (void)state;
    spk_recording *recording = make_recording(2, NULL, false);
    spk_episode_list *list = mine_episodes(recording, 5);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    spk_page_options options;
    spk_page_options_init(&options, sizeof options);
    for (int listed = 0; listed < 2; listed++) {
        options.as_listed = listed == 1;
        assert_int_equal(
            spk_page_episodes(context, recording, &columns, &options, test_path("best.html")),
            SPK_OK);
        json_t *data = test_page_load("best.html");
        char text[200];
        for (size_t k = 1; k < columns.n && listed == 0; k++) {
            json_int_t rank[2] = {0, 0};
            for (int w = 0; w < 2; w++)
                rank[w] =
                    1000000 *
                        json_integer_value(test_page_cell(data, k - 1 + (size_t)w, "neurons")) +
                    10000 * json_integer_value(test_page_cell(data, k - 1 + (size_t)w, "size")) +
                    json_integer_value(test_page_cell(data, k - 1 + (size_t)w, "count"));
            assert_true(rank[0] >= rank[1]);
        }
        for (size_t k = 0; k < columns.n && listed == 1; k++) {
            spk_episode_format(recording, &columns, k, text, sizeof text);
            assert_string_equal(json_string_value(test_page_cell(data, k, "name")), text);
        }
        json_decref(data);
    }
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static bool fires(const spk_events *events, uint32_t unit, int64_t time)
{
    for (uint64_t k = events->unit_first[unit]; k < events->unit_first[unit + 1]; k++)
        if (events->time[events->by_unit[k]] == time)
            return true;
    return false;
}

/* Whether all spikes lie in the bins that the lags say, for some segment of the recording. */
static bool lie_in_bins(const spk_recording *recording, const int64_t *time, const json_t *lags)
{
    enum { BIN = 15 };
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n);
    for (size_t s = 0; s < n; s++) {
        bool good = true;
        for (size_t k = 0; k < json_array_size(lags); k++) {
            const int64_t lag = json_integer_value(json_array_get(lags, k)) / BIN;
            good = good && time[k] >= segment[s].start && time[k] < segment[s].stop &&
                   (time[k] - segment[s].start) / BIN == (time[0] - segment[s].start) / BIN + lag;
        }
        if (good)
            return true;
    }
    return false;
}

static void patterns_are_the_librarys(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 2; c++) {
        pattern_scene s = make_patterns(10 + c, c == 1);
        const spk_events events = spk_recording_events(s.recording);
        assert_int_equal(spk_page_patterns(context, s.recording, s.windows, s.window.bin,
                                           &s.columns, NULL, test_path("patterns.html")),
                         SPK_OK);
        json_t *data = test_page_load("patterns.html");
        check_spikes(data, s.recording);
        assert_int_equal(test_page_integer(data, "bin"), 15);
        assert_true(json_is_null(json_object_get(data, "test")));
        uint64_t n = 0, at = 0;
        uint64_t *number = test_page_unpack(json_object_get(data, "occurrences"), &n);
        const json_t *results = json_object_get(data, "results");
        assert_true(json_array_size(results) == s.columns.n);
        for (size_t r = 0; r < json_array_size(results); r++) {
            const json_t *result = json_array_get(results, r);
            const json_t *units = json_object_get(result, "units");
            const json_t *lags = json_object_get(result, "lags");
            const size_t size = json_array_size(units);
            assert_int_equal(json_array_size(lags), size);
            assert_true(test_page_integer(result, "occurrences") ==
                        json_integer_value(test_page_cell(data, r, "count")));
            int64_t before = spk_recording_start(s.recording);
            for (json_int_t o = 0; o < test_page_integer(result, "occurrences"); o++) {
                int64_t time[16];
                assert_true(size <= 16);
                time[0] = before += (int64_t)number[at++];
                for (size_t k = 1; k < size; k++)
                    time[k] = time[k - 1] + test_page_unzigzag(number[at++]);
                for (size_t k = 0; k < size; k++)
                    assert_true(fires(
                        &events, (uint32_t)json_integer_value(json_array_get(units, k)), time[k]));
                assert_true(lie_in_bins(s.recording, time, lags));
            }
        }
        assert_true(at == n);
        free(number);
        json_decref(data);
        free_patterns(&s);
    }
}

/* ---- what may be in texts -------------------------------------------------------------------- */

static void texts_break_nothing(void **state)
{
    (void)state;
    static const char *const labels[] = {"</script><script>alert(1)</script>", "<!-- \"q\" & 'r'",
                                         "\\back\tslash", "caf\xC3\xA9"};
    static const char *const notes[] = {"a note with <b>"};
    static const spk_page_setting settings[] = {{"name <i>", "value \xFF end"}};
    spk_recording *recording = make_recording(3, labels, false);
    spk_episode_list *list = mine_episodes(recording, 8);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    spk_page_options options;
    spk_page_options_init(&options, sizeof options);
    options.title = "</title></script><img src=x>&amp;SPIKEMINE-DATA";
    options.recording = "rec </script>";
    options.command = "spikemine '</script>'";
    options.note = notes;
    options.n_notes = 1;
    options.setting = settings;
    options.n_settings = 1;
    assert_int_equal(
        spk_page_episodes(context, recording, &columns, &options, test_path("texts.html")), SPK_OK);
    json_t *data = test_page_load("texts.html");
    check_spikes(data, recording); /* with the labels as they are */
    assert_string_equal(json_string_value(json_object_get(data, "title")), options.title);
    assert_string_equal(json_string_value(json_object_get(data, "command")), options.command);
    assert_string_equal(json_string_value(json_array_get(json_object_get(data, "notes"), 0)),
                        notes[0]);
    assert_string_equal(test_page_setting(data, "name <i>"), "value \xEF\xBF\xBD end");
    json_decref(data);
    char *text = test_file_text("texts.html");
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "alert(1)</script>"));
    assert_non_null(strstr(text, "<title>&#60;/title&#62;&#60;/script&#62;&#60;img src=x&#62;"));
    assert_null(strstr(strstr(text, "id=\"spikemine-data\">") + 30, "id=\"spikemine-data\">"));
    free(text);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limits_are_told(void **state)
{
    (void)state;
    spk_recording *recording = make_recording(4, NULL, false);
    spk_episode_list *list = mine_episodes(recording, 5);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    spk_page_options options;
    spk_page_options_init(&options, sizeof options);
    assert_int_equal(
        spk_page_episodes(context, recording, &columns, &options, test_path("all.html")), SPK_OK);
    json_t *data = test_page_load("all.html");
    assert_int_equal(json_array_size(json_object_get(data, "notes")), 0);
    json_decref(data);
    options.max_rows = 20;
    options.max_occurrence_bytes = 200;
    options.max_spikes = 100;
    options.n_found = 12345;
    assert_int_equal(
        spk_page_episodes(context, recording, &columns, &options, test_path("few.html")), SPK_OK);
    data = test_page_load("few.html");
    assert_int_equal(json_array_size(json_object_get(data, "rows")), 20);
    assert_int_equal(json_array_size(json_object_get(data, "results")), 20);
    assert_true(test_page_tells(data, "notes", "the first 20 of 12,345 episodes"));
    const json_t *packed = json_object_get(json_object_get(data, "occurrences"), "v");
    assert_in_range(strlen(json_string_value(packed)), 100, 200);
    json_int_t with = 0;
    for (size_t k = 0; k < 20; k++)
        with += test_page_integer(json_array_get(json_object_get(data, "results"), k),
                                  "occurrences") > 0;
    char text[64];
    snprintf(text, sizeof text, "%d of the 20 rows have their occurrences", (int)with);
    assert_true(test_page_tells(data, "notes", text));
    const json_t *of = json_object_get(data, "recording");
    const json_int_t n = test_page_integer(json_object_get(of, "spikes"), "n");
    const int64_t until = test_page_integer(of, "spikes_until") + test_page_integer(of, "start");
    const spk_events events = spk_recording_events(recording);
    assert_in_range(n, 90, 100); /* of a tick all spikes or none */
    assert_true(events.time[n - 1] < until && events.time[n] == until);
    snprintf(text, sizeof text, "the first %d of %d spikes", (int)n, (int)events.n_events);
    assert_true(test_page_tells(data, "notes", text));
    json_decref(data);
    options.max_rows = 0;
    assert_int_equal(
        spk_page_episodes(context, recording, &columns, &options, test_path("no.html")),
        SPK_ERR_ARGUMENT);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* An exact test of episodes, on the same surrogates. */
static void exact_tests_are_shown(void **state)
{
    (void)state;
    enum { SURROGATES = 9 };
    static const spk_duration jitter[2] = {{2, -2, 0}, {5, -2, 0}};
    spk_recording *recording = make_recording(5, NULL, false);
    spk_episode_list *list = mine_episodes(recording, 8);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    spk_episode_options search;
    spk_exact_options test;
    spk_maxima *maxima = NULL;
    spk_exact_report report;
    spk_page_options options;
    double largest[SURROGATES * 2];
    spk_episode_options_init(&search, sizeof search);
    search.delays = DELAYS, search.n_delays = 2, search.support = 8, search.max_size = 3;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &search, test.jitter = jitter, test.n_jitter = 2;
    test.n_surrogates = SURROGATES;
    spk_exact_verdict *verdict = calloc((size_t)columns.n, sizeof *verdict);
    double *scale_p = calloc((size_t)columns.n * 2, sizeof *scale_p);
    uint32_t *left_out = calloc((size_t)columns.n, sizeof *left_out);
    assert_int_equal(spk_exact_run(context, recording, &test, &maxima), SPK_OK);
    assert_int_equal(
        spk_exact_test_episodes(context, recording, &test, maxima, &columns, verdict, scale_p),
        SPK_OK);
    spk_page_largest_scores(maxima, largest);
    const spk_exact_columns steps = spk_exact_columns_of(maxima);
    double highest = 0, found = 0;
    for (uint64_t k = 0; k < steps.first[steps.n]; k++)
        if (steps.step[k].score / 1000.0 > highest)
            highest = steps.step[k].score / 1000.0;
    for (int k = 0; k < SURROGATES * 2; k++)
        if (largest[k] > found)
            found = largest[k];
    assert_true(found == highest && found > 0);
    const uint64_t last = columns.n - 1; /* of three units: explained by its first two */
    for (uint64_t i = 0; i < columns.n; i++)
        left_out[i] = SPK_NOT_EXPLAINED;
    left_out[last] = 2;
    verdict[3].p = 0.01;
    spk_exact_report_init(&report, sizeof report);
    report.jitter = jitter, report.n_jitter = 2, report.n_surrogates = SURROGATES;
    report.n_tested = 100, report.n_significant = 7, report.n_core = 6;
    report.n_rows = columns.n, report.verdict = verdict, report.scale_p = scale_p;
    report.left_out = left_out;
    spk_page_options_init(&options, sizeof options);
    options.exact = &report, options.largest_score = largest;
    assert_int_equal(
        spk_page_episodes(context, recording, &columns, &options, test_path("exact.html")), SPK_OK);
    json_t *data = test_page_load("exact.html");
    const json_t *of = json_object_get(data, "test");
    assert_string_equal(json_string_value(json_object_get(of, "method")), "exact");
    assert_true(test_page_tells(data, "summary",
                                "7 of 100 episodes are significant at alpha 0.05, 6 of them"));
    assert_string_equal(test_page_setting(data, "jitter"), "20ms, 50ms");
    assert_string_equal(json_string_value(json_array_get(json_object_get(of, "scales"), 1)),
                        "50ms");
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < SURROGATES; i++)
            assert_true(json_number_value(json_array_get(
                            json_array_get(json_object_get(of, "largest_scores"), s), i)) ==
                        largest[2 * i + s]);
    char part[200];
    const uint64_t offset[2] = {columns.offset[last], columns.offset[last + 1] - 1};
    spk_episode_columns short_one = columns;
    short_one.offset = offset;
    spk_episode_format(recording, &short_one, 0, part, sizeof part);
    assert_string_equal(json_string_value(test_page_cell(data, last, "explained_by")), part);
    assert_true(json_is_null(test_page_cell(data, 0, "explained_by")));
    for (size_t k = 0; k < columns.n; k++) {
        assert_true(json_number_value(test_page_cell(data, k, "score")) ==
                    verdict[k].score / 1000.0);
        assert_true(
            fabs(json_number_value(test_page_cell(data, k, "p_50ms")) - scale_p[2 * k + 1]) < 1e-9);
        assert_int_equal(json_is_true(json_array_get(json_object_get(of, "significant"), k)),
                         verdict[k].p <= 0.05);
    }
    json_decref(data);
    report.n_rows--;
    assert_int_equal(
        spk_page_episodes(context, recording, &columns, &options, test_path("no.html")),
        SPK_ERR_ARGUMENT);
    free(verdict);
    free(scale_p);
    free(left_out);
    spk_maxima_free(maxima);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* Signatures of all patterns: those of 3 spikes and more are called significant. */
static void tests_of_signatures_are_shown(void **state)
{
    (void)state;
    pattern_scene s = make_patterns(12, false);
    spk_spectrum *spectrum = NULL;
    const spk_spectrum_entry *entry = NULL;
    spk_significance test;
    spk_page_options options;
    uint64_t n = 0;
    assert_int_equal(spk_spectrum_create(context, false, &spectrum), SPK_OK);
    assert_int_equal(spk_spectrum_add(spectrum, &s.columns), SPK_OK);
    assert_int_equal(spk_spectrum_entries(spectrum, &entry, &n), SPK_OK);
    spk_signature *signature = calloc((size_t)n, sizeof *signature);
    for (uint64_t k = 0; k < n; k++)
        signature[k] = (spk_signature){.size = entry[k].size,
                                       .count = entry[k].count,
                                       .n_patterns = entry[k].n_patterns,
                                       .p = entry[k].size > 2 ? 0.01 : 0.5,
                                       .tested = true,
                                       .p_corrected = 0.02,
                                       .significant = entry[k].size > 2};
    const spk_pvalue value[] = {{.size = 2, .count = 1000, .p = 0.2},
                                {.size = 99, .count = 4, .p = 0.3},
                                {.size = 99, .count = 5, .p = 0.005}};
    spk_significance_init(&test, sizeof test);
    test.method = "dither-spikes";
    test.n_surrogates = 99;
    test.signature = signature, test.n_signatures = n;
    test.pvalue = value, test.n_pvalues = 3;
    test.n_patterns = s.columns.n;
    spk_page_options_init(&options, sizeof options);
    options.signatures = &test;
    assert_int_equal(spk_page_patterns(context, s.recording, s.windows, s.window.bin, &s.columns,
                                       &options, test_path("signatures.html")),
                     SPK_OK);
    json_t *data = test_page_load("signatures.html");
    const json_t *of = json_object_get(data, "test");
    const json_t *listed = json_object_get(of, "spectrum");
    assert_string_equal(json_string_value(json_object_get(of, "method")), "signature");
    assert_true(json_array_size(listed) == n + 3);
    /* Of 2 spikes none, so that it lies behind the last count; of 99 the count that is rare enough.
     */
    const json_t *border = json_object_get(of, "border");
    const size_t last = json_array_size(border) - 1;
    assert_int_equal(json_integer_value(json_array_get(json_array_get(border, 0), 2)), 1001);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(border, last), 0)), 99);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(border, last), 2)), 5);
    bool before = true; /* significant ones are first */
    for (size_t k = 0; k < s.columns.n; k++) {
        const bool is = json_is_true(json_array_get(json_object_get(of, "significant"), k));
        assert_int_equal(is, json_integer_value(test_page_cell(data, k, "size")) > 2);
        assert_true(before || !is);
        before = is;
    }
    json_decref(data);
    test.n_signatures = 1;
    assert_int_equal(spk_page_patterns(context, s.recording, s.windows, s.window.bin, &s.columns,
                                       &options, test_path("no.html")),
                     SPK_ERR_ARGUMENT);
    assert_false(test_file_exists("no.html"));
    free(signature);
    spk_spectrum_free(spectrum);
    free_patterns(&s);
}

/* ---- the graph ------------------------------------------------------------------------------- */

static void the_graph_has_the_strongest_steps(void **state)
{
    (void)state;
    spk_recording *recording = make_recording(6, NULL, false);
    spk_episode_list *list = mine_episodes(recording, 1);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_page_episodes(context, recording, &columns, NULL, test_path("graph.html")),
                     SPK_OK);
    json_t *data = test_page_load("graph.html");
    const json_t *edges = json_object_get(json_object_get(data, "graph"), "edges");
    json_int_t most = 0;
    for (uint64_t i = 0; i < columns.n; i++)
        if (columns.offset[i + 1] - columns.offset[i] == 2 &&
            columns.unit[columns.offset[i]] != columns.unit[columns.offset[i] + 1] &&
            (json_int_t)columns.count[i] > most)
            most = (json_int_t)columns.count[i];
    assert_int_equal(json_array_size(edges), 12); /* of four units to three others each */
    assert_true(json_integer_value(json_array_get(json_array_get(edges, 0), 2)) == most);
    for (size_t k = 0; k < json_array_size(edges); k++) {
        const json_t *edge = json_array_get(edges, k);
        assert_int_not_equal(json_integer_value(json_array_get(edge, 0)),
                             json_integer_value(json_array_get(edge, 1)));
        assert_true(json_is_null(json_array_get(edge, 3)));
    }
    json_decref(data);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void equal_input_gives_equal_bytes(void **state)
{
    (void)state;
    pattern_scene s = make_patterns(13, true);
    for (int k = 0; k < 2; k++)
        assert_int_equal(spk_page_patterns(context, s.recording, s.windows, s.window.bin,
                                           &s.columns, NULL,
                                           test_path(k == 0 ? "one.html" : "two.html")),
                         SPK_OK);
    char *one = test_file_text("one.html"), *two = test_file_text("two.html");
    assert_string_equal(one, two);
    free(one);
    free(two);
    free_patterns(&s);
}

static void nothing_to_show_is_a_report(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    spk_episode_list *list = NULL;
    assert_int_equal(
        test_recording_create(context, 0, NULL, NULL, 0, NULL, KHZ, NULL, NULL, &recording),
        SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    const spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_page_episodes(context, recording, &columns, NULL, test_path("empty.html")),
                     SPK_OK);
    json_t *data = test_page_load("empty.html");
    check_spikes(data, recording);
    assert_int_equal(json_array_size(json_object_get(data, "rows")), 0);
    json_decref(data);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    pattern_scene s = make_patterns(14, false);
    pattern_scene other = make_patterns(15, false);
    const spk_duration bin = s.window.bin;
    const char *path = test_path("left.html");
    assert_int_equal(spk_page_check(context, test_path("left.png")), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_page_check(context, test_path("no/left.html")), SPK_ERR_IO);
    assert_int_equal(spk_page_check(context, path), SPK_OK);
    assert_false(test_file_exists("left.html"));
    assert_int_equal(spk_page_patterns(context, other.recording, s.windows, bin, &s.columns, NULL,
                                       test_path("left.html")),
                     SPK_ERR_ARGUMENT);
    assert_false(test_file_exists("left.html"));
    spk_context_cancel(context);
    assert_int_equal(spk_page_patterns(context, s.recording, s.windows, bin, &s.columns, NULL,
                                       test_path("left.html")),
                     SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    assert_false(test_file_exists("left.html"));
    spk_context_set_memory_limit(context, 1);
    assert_int_equal(spk_page_patterns(context, s.recording, s.windows, bin, &s.columns, NULL,
                                       test_path("left.html")),
                     SPK_ERR_MEMORY);
    spk_context_set_memory_limit(context, 0);
    assert_false(test_file_exists("left.html"));
    assert_int_equal(symlink("/dev/full", test_path("full.html")), 0);
    assert_int_equal(spk_page_patterns(context, s.recording, s.windows, bin, &s.columns, NULL,
                                       test_path("full.html")),
                     SPK_ERR_IO);
    free_patterns(&s);
    free_patterns(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_are_the_librarys),
        cmocka_unit_test(the_best_rows_are_first),
        cmocka_unit_test(patterns_are_the_librarys),
        cmocka_unit_test(texts_break_nothing),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(exact_tests_are_shown),
        cmocka_unit_test(tests_of_signatures_are_shown),
        cmocka_unit_test(the_graph_has_the_strongest_steps),
        cmocka_unit_test(equal_input_gives_equal_bytes),
        cmocka_unit_test(nothing_to_show_is_a_report),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
