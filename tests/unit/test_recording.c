/* Recordings made from columns, copied or taken: their extent, which is half-open everywhere,
 * slices of it, and who owns the columns when. */
#include "support/test.h"

static const spk_rate RATE = {1000, 1};
enum { MOST = 60, UNITS = 4 };

static void assert_valid(const spk_recording *recording)
{
    const char *reason = NULL;
    if (!spk_recording_validate(recording, &reason))
        fail_msg("%s", reason);
}

static void assert_extent(const spk_recording *recording, int64_t start, int64_t stop)
{
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert_int_equal(n, 1);
    assert_true(segments[0].start == start && segments[0].stop == stop);
    assert_true(spk_recording_start(recording) == start);
    assert_true(spk_recording_stop(recording) == stop);
}

static void assert_same_events(spk_events a, spk_events b)
{
    assert_int_equal(a.n_events, b.n_events);
    assert_int_equal(a.n_units, b.n_units);
    if (a.n_events == 0)
        return;
    assert_memory_equal(a.time, b.time, a.n_events * sizeof *a.time);
    assert_memory_equal(a.unit, b.unit, a.n_events * sizeof *a.unit);
}

/* Events anywhere, near the ends of int64 too; without an extent of its own. */
static spk_recording *draw_recording(test_random *random)
{
    int64_t time[MOST];
    uint32_t unit[MOST];
    uint64_t n = 1 + test_random_below(random, MOST);
    for (uint64_t i = 0; i < n; i++) {
        time[i] = test_random_between(random, -30, 30);
        if (test_random_chance(random, 0.1))
            time[i] = test_random_chance(random, 0.5) ? INT64_MIN : INT64_MAX - 1;
        unit[i] = (uint32_t)test_random_below(random, UNITS);
    }
    spk_recording *recording = NULL;
    assert_int_equal(
        test_recording_create(NULL, n, time, unit, UNITS, NULL, RATE, NULL, NULL, &recording),
        SPK_OK);
    return recording;
}

/* ---- the extent ------------------------------------------------------------------------------ */

static void a_recording_stops_behind_its_last_event(void **state)
{
    (void)state;
    uint64_t seed = test_seed("a_recording_stops_behind_its_last_event");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_recording(&random);
        spk_events events = spk_recording_events(recording);
        assert_valid(recording);
        assert_extent(recording, events.time[0], events.time[events.n_events - 1] + 1);
        spk_recording_free(recording);
    }
}

static spk_status create(spk_context *context, uint64_t n, const int64_t *time,
                         const int64_t *start, const int64_t *stop, spk_recording **out)
{
    static const uint32_t unit[4] = {0};
    return test_recording_create(context, n, time, unit, 1, NULL, RATE, start, stop, out);
}

static void an_empty_recording_has_the_extent_given(void **state)
{
    (void)state;
    const int64_t start = -5, stop = 7;
    static const struct {
        bool start, stop;
        spk_segment extent;
    } cases[] = {{false, false, {0, 0}},
                 {true, false, {-5, -5}},
                 {false, true, {7, 7}},
                 {true, true, {-5, 7}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_recording *recording = NULL;
        assert_int_equal(create(NULL, 0, NULL, cases[k].start ? &start : NULL,
                                cases[k].stop ? &stop : NULL, &recording),
                         SPK_OK);
        assert_valid(recording);
        assert_extent(recording, cases[k].extent.start, cases[k].extent.stop);
        spk_recording_free(recording);
    }
}

static void events_outside_the_extent_are_refused(void **state)
{
    (void)state;
    static const int64_t last[] = {3, 5, INT64_MAX};
    static const int64_t within[] = {3, 5, 9};
    const int64_t three = 3, four = 4, nine = 9, ten = 10;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(create(context, 3, last, NULL, NULL, &recording), SPK_ERR_RANGE);
    assert_string_equal(spk_context_message(context),
                        "event 2 is at tick 9223372036854775807, behind which no recording can "
                        "stop; shift the times or take longer ticks");
    assert_int_equal(create(context, 3, within, &three, &nine, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "tick 9 lies outside"));
    assert_int_equal(create(context, 3, within, &four, &ten, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "tick 3 lies outside"));
    assert_int_equal(create(context, 0, NULL, &ten, &nine, &recording), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "in this order"));
    assert_null(recording);
    assert_int_equal(create(context, 3, within, &three, &ten, &recording), SPK_OK);
    assert_extent(recording, 3, 10);
    spk_recording_free(recording);
    spk_context_free(context);
}

/* ---- slices ---------------------------------------------------------------------------------- */

static spk_recording *slice(const spk_recording *recording, int64_t start, int64_t stop)
{
    spk_recording *out = NULL;
    assert_int_equal(spk_recording_slice(NULL, recording, &start, &stop, 0, NULL, &out), SPK_OK);
    assert_valid(out);
    assert_extent(out, start, stop);
    return out;
}

/* From start to stop a slice is the whole; cut anywhere between, the two parts are. */
static void slices_add_up(void **state)
{
    (void)state;
    uint64_t seed = test_seed("slices_add_up");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_recording(&random);
        spk_events events = spk_recording_events(recording);
        int64_t start = spk_recording_start(recording), stop = spk_recording_stop(recording);
        int64_t cut = test_random_between(&random, start, stop);
        if (test_random_chance(&random, 0.7)) /* on an event */
            cut = events.time[test_random_below(&random, events.n_events)];
        spk_recording *whole = slice(recording, start, stop);
        assert_same_events(spk_recording_events(whole), events);
        spk_recording *before = slice(recording, start, cut);
        spk_recording *after = slice(recording, cut, stop);
        uint64_t n = spk_recording_events(before).n_events;
        assert_int_equal(n + spk_recording_events(after).n_events, events.n_events);
        assert_true(n == 0 || spk_recording_events(before).time[n - 1] < cut);
        assert_true(n == events.n_events || spk_recording_events(after).time[0] >= cut);
        spk_recording_free(whole);
        spk_recording_free(before);
        spk_recording_free(after);
        spk_recording_free(recording);
    }
}

/* ---- columns that are taken ------------------------------------------------------------------ */

/* What the caller knows of its columns. */
typedef struct ownership {
    int released;
    char note[256];
} ownership;

static void count_release(void *owner)
{
    ((ownership *)owner)->released++;
}

static void keep_note(void *user, const char *text)
{
    ownership *o = user;
    snprintf(o->note, sizeof o->note, "%s", text);
}

/* In memory that cannot be written. */
static const int64_t TIMES[] = {-7, -7, 0, 3, 3, 3, 90};
static const uint32_t UNITS_OF[] = {0, 2, 1, 0, 1, 2, 0};
static const char *const NAMES[] = {"ch2", "ch10", "x"};
enum { N_TAKEN = sizeof TIMES / sizeof TIMES[0] };

static spk_recording_source make_source(void)
{
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = N_TAKEN;
    source.time = TIMES;
    source.unit = UNITS_OF;
    source.n_units = 3;
    source.labels = NAMES;
    source.rate = RATE;
    return source;
}

static void taken_columns_are_not_copied(void **state)
{
    (void)state;
    ownership owner = {0, ""};
    spk_context *context = NULL;
    spk_recording_source source = make_source();
    spk_recording *taken = NULL, *copied = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_note(context, keep_note, &owner);
    assert_int_equal(spk_recording_take(context, &source, count_release, &owner, &taken), SPK_OK);
    assert_int_equal(spk_recording_create(context, &source, &copied), SPK_OK);
    spk_events events = spk_recording_events(taken);
    assert_ptr_equal(events.time, TIMES);
    assert_ptr_equal(events.unit, UNITS_OF);
    assert_valid(taken);
    assert_extent(taken, -7, 91);
    assert_same_events(events, spk_recording_events(copied));
    assert_memory_equal(events.by_unit, spk_recording_events(copied).by_unit,
                        N_TAKEN * sizeof *events.by_unit);
    assert_memory_equal(spk_recording_get_facts(taken), spk_recording_get_facts(copied),
                        sizeof(spk_recording_facts));
    assert_int_equal(spk_recording_get_facts(taken)->ties, 3);
    for (uint32_t u = 0; u < 3; u++) {
        assert_string_equal(spk_recording_label(taken, u), NAMES[u]);
        assert_ptr_not_equal(spk_recording_label(taken, u), NAMES[u]);
    }
    spk_recording *part = slice(taken, 0, 90);
    assert_int_equal(owner.released, 0);
    assert_string_equal(owner.note, "");
    spk_recording_free(taken);
    assert_int_equal(owner.released, 1);
    assert_int_equal(spk_recording_events(part).n_events, 4); /* lives on its own */
    spk_recording_free(part);
    spk_recording_free(copied);
    spk_context_free(context);
}

/* Three ways in which columns are not as a recording keeps them. */
static void disordered_columns_are_copied_and_released(void **state)
{
    (void)state;
    static const int64_t backwards[N_TAKEN] = {-7, -7, 3, 0, 3, 3, 90};
    static const uint32_t tied[N_TAKEN] = {2, 0, 1, 0, 1, 2, 0};
    static const uint32_t repeated[N_TAKEN] = {0, 2, 1, 0, 0, 2, 0};
    static const char *const disordered[] = {"ch10", "ch2", "x"};
    static const struct {
        const int64_t *time;
        const uint32_t *unit;
        const char *const *labels;
        const char *note;
    } cases[] = {{backwards, UNITS_OF, NAMES, "7 events were copied: the events are not in order"},
                 {TIMES, tied, NAMES, "copied: the events are not in order of time and unit"},
                 {TIMES, repeated, NAMES, "copied: events are repeated"},
                 {TIMES, UNITS_OF, disordered, "copied: the labels are not in natural order"}};
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ownership owner = {0, ""};
        spk_recording_source source = make_source();
        spk_recording *taken = NULL, *copied = NULL;
        source.time = cases[k].time;
        source.unit = cases[k].unit;
        source.labels = cases[k].labels;
        spk_context_set_note(context, keep_note, &owner);
        assert_int_equal(spk_recording_take(context, &source, count_release, &owner, &taken),
                         SPK_OK);
        assert_int_equal(owner.released, 1);
        assert_non_null(strstr(owner.note, cases[k].note));
        assert_valid(taken);
        assert_int_equal(spk_recording_create(context, &source, &copied), SPK_OK);
        assert_same_events(spk_recording_events(taken), spk_recording_events(copied));
        assert_ptr_not_equal(spk_recording_events(taken).time, cases[k].time);
        spk_recording_free(taken);
        spk_recording_free(copied);
        assert_int_equal(owner.released, 1);
    }
    spk_context_free(context);
}

/* Handed over means handed over: a call that fails releases, once, and says why. */
static void columns_are_released_when_taking_fails(void **state)
{
    (void)state;
    static const uint32_t unknown[N_TAKEN] = {0, 2, 1, 0, 1, 3, 0};
    static const int64_t late[N_TAKEN] = {-7, -7, 0, 3, 3, 3, INT64_MAX};
    static const char *const twice[] = {"ch2", "x", "x"};
    static const char *const missing[] = {"ch2", NULL, "x"};
    const int64_t ninety = 90;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (int k = 0; k < 8; k++) {
        ownership owner = {0, ""};
        spk_recording_source source = make_source();
        spk_recording *taken = NULL;
        const char *const message[] = {"has unit 3",     "is at tick",      "have the label 'x'",
                                       "has no label",   "tick 90 lies",    "rate must be positive",
                                       "without a size", "without a column"};
        source.unit = k == 0 ? unknown : UNITS_OF;
        source.time = k == 1 ? late : k == 7 ? NULL : TIMES;
        source.labels = k == 2 ? twice : k == 3 ? missing : NAMES;
        source.stop = k == 4 ? &ninety : NULL;
        source.rate = k == 5 ? (spk_rate){0, 1} : RATE;
        source.struct_size = k == 6 ? 0 : sizeof source;
        spk_status expected = k == 1 ? SPK_ERR_RANGE : SPK_ERR_ARGUMENT;
        spk_context_set_note(context, keep_note, &owner);
        assert_int_equal(spk_recording_take(context, &source, count_release, &owner, &taken),
                         expected);
        assert_null(taken);
        assert_int_equal(owner.released, 1);
        assert_string_equal(owner.note, "");
        assert_non_null(strstr(spk_context_message(context), message[k]));
        assert_int_equal(spk_recording_create(context, &source, &taken), expected);
        assert_null(taken);
        /* nobody waits for the columns */
        assert_int_equal(spk_recording_take(context, &source, NULL, NULL, &taken), expected);
    }
    spk_context_free(context);
}

/* Random columns, often in order: taken or copied, the recordings are the same. */
static void taken_and_copied_recordings_are_the_same(void **state)
{
    (void)state;
    uint64_t seed = test_seed("taken_and_copied_recordings_are_the_same");
    uint64_t n_read = 0;
    for (uint64_t k = 0; k < test_scaled(4000); k++) {
        test_random random = test_random_make(seed, k);
        int64_t time[MOST];
        uint32_t unit[MOST];
        int64_t now = test_random_between(&random, -20, 20);
        spk_recording_source source;
        ownership owner = {0, ""};
        spk_recording *taken = NULL, *copied = NULL;
        spk_recording_source_init(&source, sizeof source);
        source.n_events = test_random_below(&random, 8);
        source.n_units = UNITS;
        source.time = time;
        source.unit = unit;
        source.rate = RATE;
        for (uint64_t i = 0; i < source.n_events; i++) {
            now += test_random_between(&random, test_random_chance(&random, 0.1) ? -1 : 0, 3);
            time[i] = now;
            unit[i] = (uint32_t)test_random_below(&random, UNITS);
        }
        assert_int_equal(spk_recording_take(NULL, &source, count_release, &owner, &taken), SPK_OK);
        assert_int_equal(spk_recording_create(NULL, &source, &copied), SPK_OK);
        assert_valid(taken);
        assert_same_events(spk_recording_events(taken), spk_recording_events(copied));
        assert_true(spk_recording_start(taken) == spk_recording_start(copied) &&
                    spk_recording_stop(taken) == spk_recording_stop(copied));
        bool read = spk_recording_events(taken).time == time;
        assert_int_equal(owner.released, !read);
        n_read += read;
        spk_recording_free(taken);
        spk_recording_free(copied);
        assert_int_equal(owner.released, 1);
    }
    assert_true(n_read > 0);
}

/* ---- seconds --------------------------------------------------------------------------------- */

static spk_seconds_source seconds_of(uint64_t n, const double *time, const uint32_t *unit)
{
    spk_seconds_source source;
    spk_seconds_source_init(&source, sizeof source);
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    source.n_units = UNITS;
    return source;
}

/* Samples divided by their rate give the recording of these samples, named or found. */
static void seconds_become_the_ticks_that_they_were(void **state)
{
    (void)state;
    static const uint32_t rates[] = {1000, 20000, 30000};
    uint64_t seed = test_seed("seconds_become_the_ticks_that_they_were");
    for (uint64_t k = 0; k < test_scaled(1000); k++) {
        test_random random = test_random_make(seed, k);
        double seconds[MOST];
        int64_t time[MOST];
        uint32_t unit[MOST];
        const spk_rate rate = {rates[test_random_below(&random, 3)], 1};
        spk_recording *from_seconds = NULL, *from_ticks = NULL;
        for (uint64_t i = 0; i < MOST; i++) {
            time[i] = test_random_between(&random, 0, 100000000);
            seconds[i] = (double)time[i] / (double)rate.numerator;
            unit[i] = (uint32_t)test_random_below(&random, UNITS);
        }
        spk_seconds_source source = seconds_of(MOST, seconds, unit);
        if (test_random_chance(&random, 0.5))
            source.rate = rate;
        assert_int_equal(spk_recording_create_from_seconds(NULL, &source, &from_seconds), SPK_OK);
        assert_int_equal(test_recording_create(NULL, MOST, time, unit, UNITS, NULL, rate, NULL,
                                               NULL, &from_ticks),
                         SPK_OK);
        assert_valid(from_seconds);
        assert_true(spk_recording_rate(from_seconds).numerator == rate.numerator &&
                    spk_recording_rate(from_seconds).denominator == 1);
        assert_same_events(spk_recording_events(from_seconds), spk_recording_events(from_ticks));
        assert_extent(from_seconds, spk_recording_start(from_ticks),
                      spk_recording_stop(from_ticks));
        spk_recording_free(from_seconds);
        spk_recording_free(from_ticks);
    }
}

static void seconds_have_extent_and_segments(void **state)
{
    (void)state;
    const double time[] = {0.5, 1.25, 2, 2.5, 3.75};
    const uint32_t unit[] = {0, 1, 0, 1, 0};
    const spk_duration start = {1, 0}, stop = {25, -1};
    const spk_time_range segments[] = {{{0, 0}, {13, -1}}, {{2, 0}, {4, 0}}};
    spk_recording *recording = NULL;
    size_t n = 0;
    spk_seconds_source source = seconds_of(5, time, unit);
    source.start = &start;
    source.stop = &stop;
    assert_int_equal(spk_recording_create_from_seconds(NULL, &source, &recording), SPK_OK);
    assert_extent(recording, 100, 250);
    assert_int_equal(spk_recording_events(recording).n_events, 2);
    assert_int_equal(spk_recording_get_facts(recording)->outside, 3);
    spk_recording_free(recording);
    source = seconds_of(5, time, unit);
    source.segments = segments;
    source.n_segments = 2;
    assert_int_equal(spk_recording_create_from_seconds(NULL, &source, &recording), SPK_OK);
    const spk_segment *segment = spk_recording_segments(recording, &n);
    assert_int_equal(n, 2);
    assert_true(segment[0].start == 0 && segment[0].stop == 130 && segment[1].stop == 400);
    assert_int_equal(spk_recording_events(recording).n_events, 5);
    spk_recording_free(recording);
}

static void wrong_seconds_are_refused(void **state)
{
    (void)state;
    double time[] = {0.5, 1, 2};
    uint32_t unit[] = {0, 1, 2};
    spk_recording *recording = NULL;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_seconds_source source = seconds_of(3, time, unit);
    time[1] = NAN;
    assert_int_equal(spk_recording_create_from_seconds(context, &source, &recording),
                     SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "1"));
    assert_null(recording);
    time[1] = 1e300;
    assert_int_equal(spk_recording_create_from_seconds(context, &source, &recording),
                     SPK_ERR_RANGE);
    time[1] = 1;
    unit[2] = UNITS;
    assert_int_equal(spk_recording_create_from_seconds(context, &source, &recording),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "event 2"));
    unit[2] = 0;
    source.rate = (spk_rate){30000, 0};
    assert_int_equal(spk_recording_create_from_seconds(context, &source, &recording),
                     SPK_ERR_ARGUMENT);
    source = seconds_of(3, time, unit);
    const spk_duration start = {2, 0}, stop = {1, 0};
    source.start = &start;
    source.stop = &stop;
    assert_int_equal(spk_recording_create_from_seconds(context, &source, &recording),
                     SPK_ERR_ARGUMENT);
    source = seconds_of(3, NULL, unit);
    assert_int_equal(spk_recording_create_from_seconds(context, &source, &recording),
                     SPK_ERR_ARGUMENT);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_stops_behind_its_last_event),
        cmocka_unit_test(an_empty_recording_has_the_extent_given),
        cmocka_unit_test(events_outside_the_extent_are_refused),
        cmocka_unit_test(slices_add_up),
        cmocka_unit_test(taken_columns_are_not_copied),
        cmocka_unit_test(disordered_columns_are_copied_and_released),
        cmocka_unit_test(columns_are_released_when_taking_fails),
        cmocka_unit_test(taken_and_copied_recordings_are_the_same),
        cmocka_unit_test(seconds_become_the_ticks_that_they_were),
        cmocka_unit_test(seconds_have_extent_and_segments),
        cmocka_unit_test(wrong_seconds_are_refused),
    };
    return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
