/* Recordings that are written and read back are the same, to the last tick, border and unit. */
#include "recording/segments.h"
#include "support/context.h"

enum { N = 60, MOST_SEGMENTS = 6 };

static const char *const LABELS[] = {
    "a b",     "x,y;z", "say \"no\"", "#hash",
    "",        "1.0",   "time",       "\xc3\xa9\xe2\x82\xac\xf0\x9f\xa7\xa0",
    "tab\tin", "ch10"};
enum { N_LABELS = sizeof LABELS / sizeof LABELS[0] };

static const spk_rate RATES[] = {{1, 1},     {1000, 1}, {25000, 1},      {30000, 1},  {200, 1},
                                 {30000, 7}, {1, 3},    {1000000000, 1}, {390625, 16}};

/* ---- recordings ------------------------------------------------------------------------------ */

/* A time near tick t: on a tick, or between two. */
static spk_duration near_tick(test_random *random, int64_t tick, spk_rate rate)
{
    spk_duration out;
    assert_true(spk_duration_of_tick(tick, rate, &out));
    if (test_random_chance(random, 0.5)) {
        char text[48];
        snprintf(text, sizeof text, "%lld.%03llus", (long long)(tick * 16 / 390625),
                 (unsigned long long)test_random_below(random, 1000));
        if (spk_duration_parse(NULL, text, strlen(text), &out) != SPK_OK)
            fail_msg("%s", text);
    }
    return out;
}

/* Cuts it by ranges that may overlap, touch, be without events, or leave nothing. */
static spk_recording *cut(test_random *random, spk_recording *recording, int64_t span)
{
    spk_time_range range[MOST_SEGMENTS];
    spk_recording *out = NULL;
    size_t n = 0;
    for (uint64_t k = test_random_below(random, MOST_SEGMENTS + 1); k > 0; k--) {
        int64_t start = test_random_between(random, -span, span);
        int64_t stop = start + test_random_between(random, 1, span);
        range[n].start = near_tick(random, start, spk_recording_rate(recording));
        range[n].stop = near_tick(random, stop, spk_recording_rate(recording));
        n += spk_duration_compare(range[n].start, range[n].stop) < 0;
    }
    if (n == 0)
        return recording;
    if (spk_recording_cut(context, recording, n, range, &out) != SPK_OK) {
        spk_recording_free(out);
        return recording; /* none lies in the recording */
    }
    spk_recording_free(recording);
    return out;
}

/* Some units never fire; the extent is that of the events, or wider on one or both sides. */
static spk_recording *make(test_random *random)
{
    int64_t time[N];
    uint32_t unit[N];
    spk_recording *out = NULL;
    spk_recording_source source;
    int64_t span = (int64_t)1 << test_random_between(random, 2, 30);
    const int64_t start = -span - 5, stop = span + 7;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = test_random_below(random, N);
    for (uint64_t k = 0; k < source.n_events; k++) {
        time[k] = test_random_between(random, -span, span);
        unit[k] = (uint32_t)test_random_below(random, N_LABELS);
    }
    source.time = time;
    source.unit = unit;
    source.n_units = N_LABELS;
    source.labels = LABELS;
    source.rate = RATES[test_random_below(random, sizeof RATES / sizeof RATES[0])];
    source.start = test_random_chance(random, 0.3) ? &start : NULL;
    source.stop = test_random_chance(random, 0.3) ? &stop : NULL;
    if (spk_recording_create(context, &source, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return test_random_chance(random, 0.6) ? cut(random, out, span) : out;
}

/* ---- the same -------------------------------------------------------------------------------- */

static void assert_same_segments(const spk_recording *a, const spk_recording *b)
{
    size_t n = 0, m = 0;
    const spk_segment *x = spk_recording_segments(a, &n), *y = spk_recording_segments(b, &m);
    assert_int_equal(n, m);
    for (size_t k = 0; k < n; k++) {
        spk_exact_segment p = spk_recording_exact_segment(a, k);
        spk_exact_segment q = spk_recording_exact_segment(b, k);
        assert_int_equal(x[k].start, y[k].start);
        assert_int_equal(x[k].stop, y[k].stop);
        assert_int_equal(spk_border_compare(p.start, q.start), 0);
        assert_int_equal(spk_border_compare(p.stop, q.stop), 0);
        assert_int_equal(p.trial, q.trial);
    }
    assert_int_equal(spk_recording_trials(a), spk_recording_trials(b));
    assert_int_equal(spk_recording_start(a), spk_recording_start(b));
    assert_int_equal(spk_recording_stop(a), spk_recording_stop(b));
}

/* Whether a later cut may go beyond the events is a part of a recording, too. */
static void assert_same_openness(const spk_recording *a, const spk_recording *b)
{
    const spk_time_range wide = {{-9, 12, 0}, {9, 12, 0}};
    spk_recording *x = NULL, *y = NULL;
    spk_status status = spk_recording_cut(context, a, 1, &wide, &x);
    assert_int_equal(spk_recording_cut(context, b, 1, &wide, &y), status);
    if (status == SPK_OK)
        assert_same_segments(x, y);
    spk_recording_free(x);
    spk_recording_free(y);
}

static void assert_same(const spk_recording *a, const spk_recording *b)
{
    spk_events x = spk_recording_events(a), y = spk_recording_events(b);
    assert_int_equal(x.n_events, y.n_events);
    assert_int_equal(x.n_units, y.n_units);
    for (uint32_t u = 0; u < x.n_units; u++)
        assert_string_equal(spk_recording_label(a, u), spk_recording_label(b, u));
    for (uint64_t i = 0; i < x.n_events; i++) {
        assert_int_equal(x.time[i], y.time[i]);
        assert_int_equal(x.unit[i], y.unit[i]);
    }
    spk_rate p = spk_recording_rate(a), q = spk_recording_rate(b);
    assert_true(p.numerator * q.denominator == q.numerator * p.denominator);
    assert_same_segments(a, b);
    if (x.n_events > 0)
        assert_same_openness(a, b);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Whether this build has the libraries that the format needs. */
static bool is_read(const char *format)
{
    spk_format_info info;
    for (size_t k = 0; k < spk_format_count(); k++)
        if (strcmp(spk_format_name(k), format) == 0)
            return spk_format_describe(context, k, &info) == SPK_OK && info.available;
    return false;
}

static void come_back(const char *format, const char *name)
{
    uint64_t seed = test_seed(name);
    if (!is_read(format))
        skip();
    for (uint64_t k = 0; k < test_scaled(1500); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *written = make(&random), *back = NULL;
        const char *path = test_path(name);
        spk_read_options options;
        spk_read_options_init(&options, sizeof options);
        if (spk_recording_write(context, written, path, NULL) != SPK_OK ||
            spk_recording_read(context, path, &options, &back) != SPK_OK)
            fail_msg("case %llu: %s", (unsigned long long)k, spk_context_message(context));
        assert_same(written, back);
        spk_recording_free(written);
        spk_recording_free(back);
    }
}

static void text(void **state)
{
    (void)state;
    come_back("text", "rec.txt");
}

static void commas(void **state)
{
    (void)state;
    come_back("text", "rec.csv");
}

static void npz(void **state)
{
    (void)state;
    come_back("npz", "rec.npz");
}

/* What a user sees of it, and writes by hand. */
static void comments_are_read(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    size_t n = 0;
    const char *path = test_file("hand.txt", "# spikemine segment 0s 1.5s\n"
                                             "# spikemine segment 20 30\n"
                                             "# spikemine unit \"left hand\"\n"
                                             "# spikemine colour blue\n"
                                             "time_s\tunit\n0.1\ta\n1.4\ta\n1.5\ta\n2.9\tb\n");
    assert_int_equal(spk_recording_read_text(context, path, NULL, &out), SPK_OK);
    const spk_segment *segment = spk_recording_segments(out, &n);
    assert_int_equal(n, 2);
    assert_int_equal(segment[0].start, 0);
    assert_int_equal(segment[0].stop, 15);
    assert_int_equal(segment[1].stop, 30);
    assert_int_equal(spk_recording_events(out).n_events, 3); /* 1.5 s lies in no segment */
    assert_int_equal(spk_recording_events(out).n_units, 3);
    spk_recording_free(out);
}

/* The file stops at 3 s, the user begins at 5 s: nothing is left, and nothing breaks. */
static void parts_outside_a_file_are_empty(void **state)
{
    (void)state;
    const spk_duration start = {5, 0, 0};
    spk_recording *out = NULL;
    const char *reason = NULL;
    spk_read_options options;
    const char *path = test_file("stops.txt", "# spikemine segment - 3s\n1 a\n2 a\n6 a\n");
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_recording_read(context, path, &options, &out), SPK_OK);
    assert_int_equal(spk_recording_events(out).n_events, 2);
    assert_int_equal(spk_recording_stop(out), 3);
    spk_recording_free(out);
    options.start = &start;
    assert_int_equal(spk_recording_read(context, path, &options, &out), SPK_OK);
    assert_true(spk_recording_validate(out, &reason));
    assert_int_equal(spk_recording_events(out).n_events, 0);
    assert_int_equal(spk_recording_start(out), spk_recording_stop(out));
    spk_recording_free(out);
}

static void wrong_comments_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {
        "# spikemine segment 0s\n1 a\n",
        "# spikemine segment 0s inf\n1 a\n",
        "# spikemine segment 2s 1s\n1 a\n",
        "# spikemine segment 0s 1s\n# spikemine segment 2s -\n1 a\n",
        "# spikemine unit a b\n1 a\n",
        "# spikemine unit \"a\n1 a\n",
        "# spikemine rate fast\n1 a\n",
        "# spikemine rate 25000\n0.00004 a\n0.00006 a\n",
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        spk_recording *out = NULL;
        const char *path = test_file("wrong.txt", files[k]);
        assert_int_equal(spk_recording_read_text(context, path, NULL, &out), SPK_ERR_FORMAT);
        assert_non_null(strstr(spk_context_message(context), "wrong.txt: "));
        assert_non_null(strstr(spk_context_message(context), "comment"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(commas),
        cmocka_unit_test(npz),
        cmocka_unit_test(comments_are_read),
        cmocka_unit_test(parts_outside_a_file_are_empty),
        cmocka_unit_test(wrong_comments_are_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
