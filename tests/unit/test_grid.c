/* Grids of times: found where they are, not where they are not, and what is said of delays and bins
 * on them; recordings and units in numbers. */
#include "recording/read_text.h"
#include "support/test.h"

static spk_recording *read_as(const char *text, spk_time_unit unit, const spk_duration *start)
{
    spk_read_options options;
    spk_recording *recording = NULL;
    spk_read_options_init(&options, sizeof options);
    options.columns = SPK_COLUMNS_TIME_UNIT;
    options.time_unit = unit;
    options.start = start;
    assert_int_equal(
        spk_recording_read_buffer(NULL, "grid", text, strlen(text), &options, &recording), SPK_OK);
    return recording;
}

/* Times first + k * up / down seconds for rising k, as text in a form of printf. */
static char *frames(test_random *random, int n, double first, int64_t up, int64_t down,
                    const char *form)
{
    char *text = malloc((size_t)n * 40);
    size_t at = 0;
    int64_t k = 0;
    assert_non_null(text);
    for (int i = 0; i < n; i++) {
        at += (size_t)sprintf(text + at, form, first + (double)(k * up) / (double)down);
        at += (size_t)sprintf(text + at, " %c\n", 'a' + i % 3);
        k += test_random_between(random, 0, 5);
    }
    return text;
}

static void grids_are_found(void **state)
{
    (void)state;
    static const struct {
        double first;
        int64_t up, down;
        const char *form;
        bool rounded;
    } cases[] = {
        {0, 1, 30, "%.4f", true},     {0, 1, 30, "%.17g", true},   {0, 1, 30, "%.3f", true},
        {3.2, 1, 30, "%.4f", true},   {0, 2, 15, "%.5f", true},    {1e6, 1, 30, "%.10f", true},
        {0, 1, 30000, "%.7f", true},  {0, 1, 44100, "%.9f", true}, {0, 1, 7, "%.2f", true},
        {0, 1, 25000, "%.5f", false}, {0, 1, 200, "%.3f", false},  {-9, 1, 60, "%.5f", true},
        {0, 1, 99991, "%.12f", true}};
    uint64_t seed = test_seed("grids_are_found");
    for (uint64_t number = 0; number < sizeof cases / sizeof cases[0] * 4; number++) {
        test_random random = test_random_make(seed, number);
        size_t c = number % (sizeof cases / sizeof cases[0]);
        char *text =
            frames(&random, 200, cases[c].first, cases[c].up, cases[c].down, cases[c].form);
        spk_recording *recording = read_as(text, SPK_TIME_SECONDS, NULL);
        spk_time_grid grid;
        spk_recording_find_grid(recording, &grid);
        const char *clock = spk_recording_get_facts(recording)->clock;
        if ((clock[0] != '\0') != cases[c].rounded || grid.rounded ||
            grid.points_per_second.numerator != (uint64_t)cases[c].down ||
            grid.points_per_second.denominator != (uint64_t)cases[c].up)
            fail_msg("case %zu: '%s', %llu/%llu", c, clock,
                     (unsigned long long)grid.points_per_second.numerator,
                     (unsigned long long)grid.points_per_second.denominator);
        spk_recording_free(recording);
        free(text);
    }
}

/* Times without a grid, in several precisions, have none but that of their decimals. */
static void no_grid_is_made_up(void **state)
{
    (void)state;
    static const char *const forms[] = {"%.2f", "%.3f", "%.4f", "%.6f", "%.10f", "%.17g"};
    uint64_t seed = test_seed("no_grid_is_made_up");
    for (uint64_t number = 0; number < test_scaled(300); number++) {
        test_random random = test_random_make(seed, number);
        char text[100 * 40];
        size_t at = 0;
        double time = test_random_real(&random);
        for (int i = 0; i < 100; i++) {
            time += test_random_real(&random);
            at += (size_t)sprintf(text + at, forms[number % 6], time);
            at += (size_t)sprintf(text + at, " a\n");
        }
        spk_recording *recording = read_as(text, SPK_TIME_SECONDS, NULL);
        spk_time_grid grid;
        spk_recording_find_grid(recording, &grid);
        assert_false(grid.rounded);
        assert_string_equal(spk_recording_get_facts(recording)->clock, "");
        spk_recording_free(recording);
    }
    const int64_t one = 5;
    const uint32_t unit = 0;
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(NULL, 1, &one, &unit, 1, NULL, (spk_rate){10, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    spk_time_grid grid;
    spk_recording_find_grid(recording, &grid);
    assert_true(grid.ticks == 0 && grid.points_per_second.numerator == 0);
    spk_recording_free(recording);
}

static spk_duration duration(const char *text)
{
    spk_duration out;
    assert_int_equal(spk_duration_parse(NULL, text, strlen(text), &out), SPK_OK);
    return out;
}

/* That of ticks of 0.1 ms which were given as samples. */
static const spk_time_grid ROUNDED = {
    .points_per_second = {30, 1}, .ticks = 1, .rounded = true, .tolerance_s = 0.0001};

/* Frame k as it is written, cut or rounded to some decimals, becomes frame k; asked for as it was
 * written, it is that frame, and shown as it was written. */
static void rounded_times_are_put_on_their_grid(void **state)
{
    (void)state;
    static const struct {
        double first;
        int64_t up, down;
        const char *form;
    } cases[] = {{0, 1, 30, "%.4f"},    {0, 1, 30, "%.3f"},   {7.03, 1, 30, "%.4f"},
                 {0, 2, 15, "%.5f"},    {-9, 1, 60, "%.5f"},  {0, 1, 30000, "%.7f"},
                 {0.123, 1, 7, "%.3f"}, {1e6, 1, 30, "%.10f"}};
    uint64_t seed = test_seed("rounded_times_are_put_on_their_grid");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        test_random random = test_random_make(seed, c), same = random;
        char *text =
            frames(&random, 200, cases[c].first, cases[c].up, cases[c].down, cases[c].form);
        spk_recording *recording = read_as(text, SPK_TIME_SECONDS, NULL), *part = NULL;
        const spk_events events = spk_recording_events(recording);
        spk_time_grid grid;
        spk_recording_find_grid(recording, &grid);
        int64_t frame = 0;
        char *line = text;
        for (uint64_t e = 0; e < 200; e++) {
            char shown[48];
            const double written = strtod(line, NULL);
            uint64_t at = 0; /* the event: lines with one time may come in another order */
            while (at < events.n_events &&
                   events.time[at] - events.time[0] < frame * (int64_t)grid.ticks)
                at++;
            assert_true(at < events.n_events &&
                        events.time[at] - events.time[0] == frame * (int64_t)grid.ticks);
            spk_recording_format_time(recording, events.time[at], shown, sizeof shown);
            assert_true(fabs(strtod(shown, NULL) - written) < 1e-9);
            frame += test_random_between(&same, 0, 5);
            line = strchr(line, '\n') + 1;
        }
        const spk_rate rate = spk_recording_rate(recording);
        assert_true(grid.ticks * rate.denominator * (uint64_t)cases[c].down ==
                    (uint64_t)cases[c].up * rate.numerator);
        /* From the time of an event on, as it was written. */
        char from[48];
        const int64_t middle = events.time[100];
        spk_recording_format_time(recording, middle, from, sizeof from);
        strcat(from, "s");
        const spk_time_range range = {duration(from), duration("inf")};
        assert_int_equal(spk_recording_cut(NULL, recording, 1, &range, &part), SPK_OK);
        assert_true(spk_recording_events(part).time[0] == middle);
        assert_true(spk_recording_start(part) == middle);
        spk_recording_free(part);
        spk_recording_free(recording);
        free(text);
    }
}

/* Two times at one point, or offsets of a whole tick, tell more than a grid does. */
static void times_beside_a_grid_stay_as_they_are(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        char text[100 * 24];
        size_t at = 0;
        for (int k = 0; k < 60; k++) { /* whole seconds, and the second unit one tick later */
            at += (size_t)sprintf(text + at, "%d.000 a\n", k);
            if (kind == 0)
                at += (size_t)sprintf(text + at, "%d.001 b\n", k);
            if (kind == 1 && k % 3 == 0)
                at += (size_t)sprintf(text + at, "%d.501 b\n", k);
        }
        if (kind == 2)
            sprintf(text + at, "60.3 a\n");
        spk_recording *recording = read_as(text, SPK_TIME_SECONDS, NULL);
        assert_true(spk_recording_rate(recording).numerator == 1000);
        assert_string_equal(spk_recording_get_facts(recording)->clock, "");
        spk_recording_free(recording);
    }
}

/* Ticks that were given as such are rounded only where that is asked for. */
static void ticks_are_put_on_a_grid_on_demand(void **state)
{
    (void)state;
    int64_t time[60];
    uint32_t unit[60];
    spk_recording *recording = NULL, *on_grid = NULL;
    for (int k = 0; k < 60; k++) {
        time[k] = (1000 * k + 15) / 30; /* ms */
        unit[k] = (uint32_t)(k % 2);
    }
    const spk_segment segments[] = {{1000, 2001}, {0, 1000}}; /* the second trial comes first */
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 60, source.time = time, source.unit = unit, source.n_units = 2;
    source.rate = (spk_rate){1000, 1};
    source.segments = segments, source.n_segments = 2;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    assert_true(spk_recording_events(recording).time[1] == 33);
    assert_int_equal(spk_recording_on_grid(NULL, recording, &on_grid), SPK_OK);
    assert_non_null(on_grid);
    assert_true(spk_recording_rate(on_grid).numerator == 30);
    for (int k = 0; k < 60; k++)
        assert_true(spk_recording_events(on_grid).time[k] == k);
    assert_true(spk_recording_validate(on_grid, &(const char *){NULL}));
    size_t n = 0;
    assert_true(spk_recording_segments(on_grid, &n)[0].stop == 30 && n == 2);
    assert_true(spk_recording_trial(on_grid, 0) == 1 && spk_recording_trial(on_grid, 1) == 0);
    spk_recording *again = NULL;
    assert_int_equal(spk_recording_on_grid(NULL, on_grid, &again), SPK_OK);
    assert_null(again);
    spk_recording_free(on_grid);
    spk_recording_free(recording);
}

static void delays_beside_the_grid_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *lo, *hi, *rounded, *exact; /* parts of what is told, "": nothing */
    } cases[] = {
        {"0", "33.333ms", "write a bound between two points, 1/60s or 50ms",
         "an upper bound of 1/30s takes it"},
        {"0", "33.34ms", "at the point 1/30s", ""}, /* 0.0334 is beyond */
        {"0", "33.6ms", "", ""},
        {"0", "33.2ms",
         "no delay falls into (0,33.2ms]: all times lie on a grid of 1/30s "
         "(rounded), whose next delay is 1/30s; an upper bound of 50ms takes it in",
         "no delay falls into"},
        {"0", "1/30s", "at the point 1/30s of the grid of 1/30s on which all times lie (rounded)",
         ""},
        {"0", "66.666ms", "write a bound between two points, 50ms or 1/12s", "write 1/15s if you"},
        {"33.333ms", "100.1ms", "1/60s or 50ms", "just below the point 1/30s"},
        {"33.34ms", "50ms", "at the point 1/30s",
         "no delay falls into (33.34ms,50ms]: all times "
         "lie on a grid of 1/30s, whose next delay is "
         "1/15s; an upper bound of 1/15s takes it in"},
        {"50ms", "80ms", "", ""},
        {"0", "inf", "", ""},
        {"0", "50ms", "", ""},
        {"0", "1e30s", "", ""},
        {"10ms", "20ms", "whose next delay is 1/30s", "no delay falls into"},
        {"1/30s", "2/30s", "at the point 1/30s", ""},
    };
    const spk_time_grid none = {.points_per_second = {0, 1}}, rounded = ROUNDED;
    const spk_time_grid exact = {.points_per_second = {30, 1}, .ticks = 1};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (int which = 0; which < 2; which++) {
            char told[400];
            const char *part = which == 0 ? cases[k].rounded : cases[k].exact;
            size_t n =
                spk_time_grid_check_delay(which == 0 ? &rounded : &exact, duration(cases[k].lo),
                                          duration(cases[k].hi), told, sizeof told);
            assert_true(n == strlen(told));
            if (strstr(told, part) == NULL || (part[0] == '\0') != (n == 0))
                fail_msg("(%s,%s]: '%s'", cases[k].lo, cases[k].hi, told);
            assert_int_equal(spk_time_grid_check_delay(&none, duration(cases[k].lo),
                                                       duration(cases[k].hi), told, sizeof told),
                             0);
        }
    }
}

static void bins_that_beat_with_the_grid_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *bin, *start, *rounded, *exact;
    } cases[] = {{"1/30s", NULL, "let them begin half a step earlier, --start=-0.0166666667s", ""},
                 {"1/30s", "-1/60s", "", ""},
                 {"2/30s", "1/60s", "", ""},
                 {"33.333ms", NULL, "drift against the grid", "write 1/30s if you mean that"},
                 {"50ms", NULL, "hold now 1, now 2 points", "take a multiple such as 1/30s"},
                 {"5ms", NULL, "hold now 0, now 1 points", "hold now 0, now 1 points"},
                 {"1/60s", NULL, "rounding decides in which bin", ""},
                 {"1/60s", "-1/120s", "rounding", ""},
                 {"2.01s", NULL, "", ""},
                 {"1us", NULL, "", ""}};
    test_random random = test_random_make(1, 1);
    char *text = frames(&random, 200, 0, 1, 30, "%.4f");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_duration start = cases[k].start != NULL ? duration(cases[k].start) : duration("0");
        spk_recording *recording =
            read_as(text, SPK_TIME_SECONDS, cases[k].start != NULL ? &start : NULL);
        const spk_time_grid grid = ROUNDED, exact = {.points_per_second = {30, 1}, .ticks = 1};
        char told[400];
        spk_time_grid_check_bins(&grid, recording, duration(cases[k].bin), told, sizeof told);
        if (k != 7 && (strstr(told, cases[k].rounded) == NULL ||
                       (cases[k].rounded[0] == '\0') != (*told == 0)))
            fail_msg("%s: '%s'", cases[k].bin, told);
        spk_time_grid_check_bins(&exact, recording, duration(cases[k].bin), told, sizeof told);
        if (strstr(told, cases[k].exact) == NULL || (cases[k].exact[0] == '\0') != (*told == 0))
            fail_msg("%s: '%s'", cases[k].bin, told);
        spk_recording_free(recording);
    }
    free(text);
}

/* Frames at 30 Hz in three segments, of which two begin where times lie. */
static void bins_of_segments_begin_off_the_grid(void **state)
{
    (void)state;
    test_random random = test_random_make(1, 1);
    char *text = frames(&random, 200, 0, 1, 30, "%.4f");
    spk_recording *recording = read_as(text, SPK_TIME_SECONDS, NULL), *parts = NULL;
    const spk_time_range ranges[] = {{duration("0"), duration("1s")},
                                     {duration("61/60s"), duration("2s")},
                                     {duration("2s"), duration("3s")}};
    const spk_time_grid grid = ROUNDED;
    char told[400];
    assert_int_equal(spk_recording_cut(NULL, recording, 3, ranges, &parts), SPK_OK);
    spk_time_grid_check_bins(&grid, parts, duration("1/30s"), told, sizeof told);
    if (strstr(told, "in 2 of 3 segments: rounding decides") == NULL)
        fail_msg("'%s'", told);
    spk_recording_free(parts);
    assert_int_equal(spk_recording_cut(NULL, recording, 1, &ranges[1], &parts), SPK_OK);
    spk_time_grid_check_bins(&grid, parts, duration("1/30s"), told, sizeof told);
    assert_string_equal(told, "");
    spk_recording_free(parts);
    spk_recording_free(recording);
    free(text);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.15g, not %.15g", value, expected);
}

static void a_recording_in_numbers(void **state)
{
    (void)state;
    const int64_t time[] = {100, 104, 104, 120, 1100};
    const uint32_t unit[] = {0, 0, 1, 0, 1};
    const int64_t start = 100, stop = 2100;
    spk_recording *recording = NULL;
    spk_recording_description d;
    spk_unit_description u;
    assert_int_equal(test_recording_create(NULL, 5, time, unit, 3, NULL, (spk_rate){1000, 1},
                                           &start, &stop, &recording),
                     SPK_OK);
    assert_int_equal(spk_recording_describe(NULL, recording, &d), SPK_OK);
    assert_near(d.tick_s, 1e-3);
    assert_near(d.start_s, 0.1);
    assert_near(d.stop_s, 2.1);
    assert_near(d.duration_s, 2);
    assert_near(d.rate_total_hz, 2.5);
    assert_near(d.rate_unit_min_hz, 0);
    assert_near(d.rate_unit_median_hz, 1);
    assert_near(d.rate_unit_max_hz, 1.5);
    assert_int_equal(d.units_without_events, 1);
    assert_int_equal(d.units_with_few_events, 2);
    assert_int_equal(d.rate_doubt, SPK_RATES_PLAUSIBLE);
    assert_near(d.longest_gap_s, 0.98);
    assert_near(d.longest_gap_from_s, 0.12);
    assert_near(d.shortest_interval_s, 0.004);
    assert_int_equal(d.shortest_interval_unit, 0);
    assert_int_equal(d.intervals_below_1ms, 0);
    assert_int_equal(d.grid.ticks, 4);
    assert_int_equal(d.grid.points_per_second.numerator, 250);
    spk_recording_describe_unit(recording, 1, &u);
    assert_int_equal(u.n_events, 2);
    assert_near(u.rate_hz, 1);
    assert_near(u.first_s, 0.104);
    assert_near(u.last_s, 1.1);
    assert_near(u.shortest_interval_s, 0.996);
    for (uint32_t k = 2; k < 4; k++) {
        spk_recording_describe_unit(recording, k, &u);
        assert_true(u.n_events == 0 && u.shortest_interval_s < 0);
    }
    spk_recording_free(recording);
    /* exact bounds between the ticks */
    spk_duration from = duration("0.95s");
    recording = read_as("1 a\n2 a\n", SPK_TIME_SECONDS, &from);
    assert_int_equal(spk_recording_describe(NULL, recording, &d), SPK_OK);
    assert_near(d.start_s, 0.95);
    assert_near(d.duration_s, 2.05);
    spk_recording_free(recording);
}

/* ---- silences -------------------------------------------------------------------------------- */

enum { MOST_SPIKES = 4000, TICK_RATE = 10000 };

/* n trials with `each` events in `length` ticks, behind each a silence of at least `least` and at
 * most `most` ticks; a trial of its own where most is 0. */
static spk_recording *trials(test_random *random, int n, int each, int64_t length, int64_t least,
                             int64_t most)
{
    static int64_t time[MOST_SPIKES];
    static uint32_t unit[MOST_SPIKES];
    const int64_t begin = 0;
    int64_t start = 0;
    uint64_t n_events = 0;
    spk_recording *recording = NULL;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < each; i++, n_events++) {
            time[n_events] = test_random_between(random, start, start + length - 1);
            unit[n_events] = (uint32_t)test_random_below(random, 9);
        }
        start += length + test_random_between(random, least, most);
    }
    assert_int_equal(test_recording_create(NULL, n_events, time, unit, 9, NULL,
                                           (spk_rate){TICK_RATE, 1}, &begin, &start, &recording),
                     SPK_OK);
    return recording;
}

/* A spk_sentence_sink: whether one is of silences. */
static spk_status find_silences(void *user, const char *text)
{
    *(bool *)user |= strstr(text, "all units fall silent together") != NULL;
    return SPK_OK;
}

static void check_silences(spk_recording *recording, uint64_t n, double seconds)
{
    spk_recording_description d;
    bool told = false;
    assert_int_equal(spk_recording_describe(NULL, recording, &d), SPK_OK);
    assert_int_equal(spk_recording_tell_warnings(recording, &d, find_silences, &told), SPK_OK);
    assert_int_equal(d.n_silences, n);
    assert_int_equal(told, n > 0);
    assert_true(fabs(d.silence_s - seconds) < 0.2 * seconds + 1e-12);
    spk_recording_free(recording);
}

static void silences_between_trials_are_told(void **state)
{
    (void)state;
    uint64_t seed = test_seed("silences_between_trials_are_told");
    for (uint64_t number = 0; number < test_scaled(50); number++) {
        test_random random = test_random_make(seed, number);
        /* chance, busy and sparse */
        check_silences(trials(&random, 1, MOST_SPIKES, 100000, 0, 0), 0, 0);
        check_silences(trials(&random, 1, 120, 36000000, 0, 0), 0, 0);
        /* trials with 0.2 s between: n - 1 of them */
        check_silences(trials(&random, 20, 200, 5000, 2000, 2000), 19, 0.2);
        /* two are too few, and lengths of all kinds are those of the units themselves */
        check_silences(trials(&random, 3, 200, 5000, 2000, 2000), 0, 0);
        check_silences(trials(&random, 20, 200, 5000, 1000, 40000), 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_found),
        cmocka_unit_test(no_grid_is_made_up),
        cmocka_unit_test(rounded_times_are_put_on_their_grid),
        cmocka_unit_test(times_beside_a_grid_stay_as_they_are),
        cmocka_unit_test(ticks_are_put_on_a_grid_on_demand),
        cmocka_unit_test(delays_beside_the_grid_are_told),
        cmocka_unit_test(bins_that_beat_with_the_grid_are_told),
        cmocka_unit_test(a_recording_in_numbers),
        cmocka_unit_test(bins_of_segments_begin_off_the_grid),
        cmocka_unit_test(silences_between_trials_are_told),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
