/*
 * Draws of the null hypotheses that keep a unit's rhythm: all arrangements of small cases are
 * equally likely, as an enumeration lists them; what a method keeps is kept; and every surrogate
 * has the same arrangements as the recording.
 */
#include "significance/surrogates/surrogates.h"
#include "support/test.h"

enum { MOST_EVENTS = 400, MOST_ARRANGEMENTS = 20000, MOST_PLACES = 64 };

static uint64_t seed;

/* ---- recordings ------------------------------------------------------------------------------ */

/* One unit's events in segments, at most MOST_EVENTS; ticks are milliseconds. */
static spk_recording *make_recording(uint64_t n, const int64_t *time, const uint32_t *unit,
                                     size_t n_segments, const spk_segment *segment)
{
    static const uint32_t zeros[MOST_EVENTS] = {0};
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n;
    source.time = time;
    source.unit = unit != NULL ? unit : zeros;
    source.n_units = unit != NULL ? 3 : 1;
    source.rate = (spk_rate){1000, 1};
    source.start = &segment[0].start;
    source.stop = &segment[n_segments - 1].stop;
    source.segments = segment, source.n_segments = n_segments;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    return recording;
}

static spk_surrogates *open_surrogates(const spk_recording *recording, const char *method,
                                       int64_t dither, int64_t history, int64_t bin, uint64_t own)
{
    spk_surrogates *surrogates = NULL;
    spk_surrogate_options options;
    spk_surrogate_options_init(&options, sizeof options);
    options.method = method;
    options.dither = (spk_duration){dither, -3, 0};
    options.history = (spk_duration){history, -3, 0};
    options.bin = (spk_duration){bin, -3, 0};
    options.seed = own;
    assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
    return surrogates;
}

static spk_recording *draw(const spk_surrogates *surrogates, uint64_t k)
{
    spk_recording *made = NULL;
    assert_int_equal(spk_surrogates_make(NULL, surrogates, k, &made), SPK_OK);
    return made;
}

/* ---- enumeration ----------------------------------------------------------------------------- */

/* All arrangements of some places, as sets of bits. */
typedef struct arrangements {
    uint32_t n_places; /* of the stretch */
    uint32_t window;
    uint32_t offset; /* of the first window before the stretch */
    uint32_t history;
    bool of_first; /* only the first event of a piece stays in its window */
    uint32_t n_events;
    uint32_t place[MOST_PLACES];
    uint32_t n;
    uint64_t set[MOST_ARRANGEMENTS];
} arrangements;

static uint32_t window_of(const arrangements *a, uint32_t place)
{
    return (place + a->offset) / a->window;
}

/* Adds all arrangements of events k and later; `set` has the earlier ones, the last of them at
 * `before`, which is -1000 where there is none. */
static void enumerate(arrangements *a, uint32_t k, int before, uint64_t set)
{
    uint32_t end = k + 1;
    if (k == a->n_events) {
        assert_true(a->n < MOST_ARRANGEMENTS);
        a->set[a->n++] = set;
        return;
    }
    while (end < a->n_events && a->place[end] - a->place[end - 1] <= a->history)
        end++;
    for (int shift = -(int)a->n_places; shift <= (int)a->n_places; shift++) {
        bool fits = (int)a->place[k] + shift - before > (int)a->history;
        uint64_t own = 0;
        for (uint32_t i = k; i < end && fits; i++) {
            const int to = (int)a->place[i] + shift;
            fits =
                to >= 0 && to < (int)a->n_places &&
                ((a->of_first && i > k) || window_of(a, (uint32_t)to) == window_of(a, a->place[i]));
            own |= fits ? UINT64_C(1) << to : 0;
        }
        if (fits)
            enumerate(a, end, (int)a->place[end - 1] + shift, set | own);
    }
}

static uint64_t set_of(const spk_recording *recording, int64_t start, uint32_t bin)
{
    const spk_events e = spk_recording_events(recording);
    uint64_t set = 0;
    for (uint64_t i = 0; i < e.n_events; i++)
        set |= UINT64_C(1) << ((e.time[i] - start) / bin);
    return set;
}

/* Chi-square of equal numbers, five standard deviations above its mean. */
static void check_equal(const uint64_t *met, uint32_t n, uint64_t n_draws)
{
    const double expected = (double)n_draws / n;
    double x = 0;
    for (uint32_t k = 0; k < n; k++)
        x += ((double)met[k] - expected) * ((double)met[k] - expected) / expected;
    assert_true(x < n - 1 + 5 * sqrt(2.0 * n) + 5);
}

/* In ticks, and in bins of 2 ms, of which some have two spikes. */
static void draws_equal_enumeration(void **state)
{
    (void)state;
    static arrangements a;
    static uint64_t met[MOST_ARRANGEMENTS];
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed, c);
        const uint32_t bin = 1 + (uint32_t)test_random_below(&random, 2);
        const int64_t start = test_random_between(&random, -50, 50);
        int64_t time[MOST_PLACES];
        uint64_t n = 0;
        a = (arrangements){.n_places = 8 + (uint32_t)test_random_below(&random, 10)};
        a.window = 3 + (uint32_t)test_random_below(&random, 5);
        a.history = (uint32_t)test_random_below(&random, 4);
        a.of_first = test_random_chance(&random, 0.5);
        for (uint32_t place = 0; place < a.n_places; place++)
            if (test_random_chance(&random, 0.25)) {
                a.place[a.n_events++] = place;
                time[n++] = start + place * bin;
                if (bin == 2 && test_random_chance(&random, 0.3))
                    time[n++] = start + place * bin + 1;
            }
        const spk_segment segment = {start, start + a.n_places * bin};
        spk_recording *recording = make_recording(n, time, NULL, 1, &segment);
        spk_surrogates *s =
            open_surrogates(recording, a.of_first ? "shift-pieces" : "pattern-jitter",
                            a.window * bin, a.history * bin, bin == 1 ? 0 : bin, c);
        a.offset = (uint32_t)s->windows.offset;
        enumerate(&a, 0, -1000, 0);
        const uint64_t n_draws = 20 * (uint64_t)a.n < 4000 ? 20 * (uint64_t)a.n : 4000;
        memset(met, 0, sizeof met);
        for (uint64_t k = 1; k <= n_draws; k++) {
            spk_recording *made = draw(s, k);
            const uint64_t set = set_of(made, start, bin);
            uint32_t at = 0;
            while (at < a.n && a.set[at] != set)
                at++;
            assert_true(at < a.n);
            met[at]++;
            assert_int_equal(spk_recording_events(made).n_events, n);
            spk_recording_free(made);
        }
        check_equal(met, a.n, n_draws);
        spk_surrogates_free(s);
        spk_recording_free(recording);
    }
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Events of a busy unit in segments, and draws: intervals up to the history stay, in their order,
 * longer ones stay longer; a draw from a draw has the same arrangements, which number k tells. */
static void rhythm_is_kept(void **state)
{
    (void)state;
    static const char *const methods[] = {"pattern-jitter", "shift-pieces"};
    for (uint64_t c = 0; c < test_scaled(100); c++) {
        test_random random = test_random_make(seed + 1, c);
        const spk_segment segment[] = {{0, 3000}, {3000, 5000}, {5500, 9000}};
        /* windows of so many ticks that positions are some ticks apart */
        const int64_t history = test_random_between(&random, 0, 60),
                      dither = 20 + 40 * (int64_t)(c % 20);
        int64_t time[MOST_EVENTS];
        for (int i = 0; i < MOST_EVENTS; i++)
            time[i] = test_random_between(&random, 0, 8999);
        spk_recording *recording = make_recording(MOST_EVENTS, time, NULL, 3, segment);
        const spk_events before = spk_recording_events(recording);
        spk_surrogates *s = open_surrogates(recording, methods[c % 2], dither, history, 0, c);
        spk_recording *made = draw(s, 1);
        const spk_events after = spk_recording_events(made);
        assert_int_equal(after.n_events, before.n_events);
        for (uint64_t i = 1, k = 0; i < before.n_events; i++) {
            while (before.time[i] >= segment[k].stop)
                k++;
            assert_true(after.time[i] >= segment[k].start && after.time[i] < segment[k].stop);
            if (before.time[i - 1] < segment[k].start)
                continue;
            const int64_t gap[] = {before.time[i] - before.time[i - 1],
                                   after.time[i] - after.time[i - 1]};
            assert_true(gap[0] <= history ? gap[1] == gap[0] : gap[1] > history);
        }
        spk_surrogates *again = open_surrogates(made, methods[c % 2], dither, history, 0, c);
        spk_recording *one = draw(s, 7), *other = draw(again, 7);
        assert_memory_equal(spk_recording_events(one).time, spk_recording_events(other).time,
                            before.n_events * sizeof *before.time);
        spk_surrogates_free(again);
        spk_surrogates_free(s);
        spk_recording_free(one);
        spk_recording_free(other);
        spk_recording_free(made);
        spk_recording_free(recording);
    }
}

/* A regular unit whose windows leave next to no room: no chance of an arrangement is lost to
 * doubles that are too small. */
static void a_metronome_still_moves(void **state)
{
    (void)state;
    enum { N = 400 };
    int64_t time[N];
    for (int i = 0; i < N; i++)
        time[i] = 20 * i + 9;
    const spk_segment segment = {0, 20 * N};
    spk_recording *recording = make_recording(N, time, NULL, 1, &segment);
    spk_surrogates *s = open_surrogates(recording, "pattern-jitter", 20, 18, 0, 1);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint64_t k = 1; k <= 50; k++) {
        spk_recording *made = draw(s, k);
        const spk_events e = spk_recording_events(made);
        for (uint64_t i = 0; i < N; i++) {
            const int64_t moved = e.time[i] - time[i];
            least = moved < least ? moved : least;
            most = moved > most ? moved : most;
        }
        spk_recording_free(made);
    }
    assert_true(least < 0 && most > 0);
    spk_surrogates_free(s);
    spk_recording_free(recording);
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Two units in four trials, marked by their numbers: all orders of each are equally likely, and all
 * pairs of orders. The last tick of the longer trials stays. */
static void trials_are_dealt_evenly(void **state)
{
    (void)state;
    enum { TRIALS = 4, LENGTH = 10, ORDERS = 24, DRAWS = 12000 };
    static uint64_t met[ORDERS * ORDERS];
    spk_segment segment[TRIALS];
    int64_t time[3 * TRIALS];
    uint32_t unit[3 * TRIALS];
    for (int t = 0; t < TRIALS; t++) {
        segment[t] = (spk_segment){20 * t, 20 * t + LENGTH + (t > 1)};
        time[3 * t] = 20 * t + t, unit[3 * t] = 0;
        time[3 * t + 1] = 20 * t + 2 * t, unit[3 * t + 1] = 1;
        time[3 * t + 2] = 20 * t + LENGTH - (t <= 1), unit[3 * t + 2] = 2;
    }
    memset(met, 0, sizeof met);
    spk_recording *recording = make_recording(3 * TRIALS, time, unit, TRIALS, segment);
    spk_surrogates *s = open_surrogates(recording, "deal-trials", 1, -1, 0, 3);
    for (uint64_t k = 1; k <= DRAWS; k++) {
        spk_recording *made = draw(s, k);
        const spk_events e = spk_recording_events(made);
        uint32_t order[2] = {0, 0};
        for (uint32_t u = 0; u < 2; u++)
            for (uint32_t i = 0; i < TRIALS; i++) { /* the number of an order, in base 4 - i */
                const int64_t own = e.time[e.by_unit[e.unit_first[u] + i]] % 20 / (u + 1);
                uint32_t lower = 0;
                for (uint32_t j = i + 1; j < TRIALS; j++)
                    lower += e.time[e.by_unit[e.unit_first[u] + j]] % 20 / (u + 1) < own;
                order[u] = order[u] * (TRIALS - i) + lower;
            }
        met[order[0] * ORDERS + order[1]]++;
        uint32_t late = 0;
        for (uint32_t i = 0; i < TRIALS; i++)
            late += e.time[e.by_unit[e.unit_first[2] + i]] % 20 == LENGTH;
        assert_int_equal(late, 2);
        spk_recording_free(made);
    }
    check_equal(met, ORDERS * ORDERS, DRAWS);
    spk_surrogates_free(s);
    spk_recording_free(recording);
}

/* Trials in pieces, of different lengths, or alone are refused, and few of them are told. */
static void unequal_trials_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        spk_segment segment[3];
        size_t trial[3];
        const char *message;
    } cases[] = {{1, {{0, 100}}, {0}, "no two of them"},
                 {2, {{0, 100}, {50, 150}}, {0, 1}, "no two of them"},
                 {3, {{0, 100}, {100, 200}, {250, 350}}, {0, 1, 1}, "trial 2 is in pieces"},
                 {2, {{0, 100}, {100, 250}}, {0, 1}, "of 0.1 to 0.15 s"}};
    static const int64_t time[] = {10, 11, 120};
    static const uint32_t unit[] = {0, 1, 1};
    const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    const spk_duration jitter = {2, -2, 0};
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        spk_recording_source source;
        spk_recording *recording = NULL;
        spk_maxima *maxima = NULL;
        spk_episode_options episodes;
        spk_exact_options exact;
        spk_recording_source_init(&source, sizeof source);
        source.n_events = 3, source.time = time, source.unit = unit, source.n_units = 2;
        source.rate = (spk_rate){1000, 1};
        source.segments = cases[c].segment, source.n_segments = cases[c].n;
        source.trial = cases[c].trial, source.n_trials = 3;
        assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
        spk_episode_options_init(&episodes, sizeof episodes);
        episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 1;
        spk_exact_options_init(&exact, sizeof exact);
        exact.episodes = &episodes, exact.jitter = &jitter, exact.n_jitter = 1;
        exact.null = "trials";
        assert_int_equal(spk_exact_run(context, recording, &exact, &maxima), SPK_ERR_ARGUMENT);
        if (strstr(spk_context_message(context), cases[c].message) == NULL)
            fail_msg("%s", spk_context_message(context));
        spk_recording_free(recording);
    }
    spk_context_free(context);
}

/* ---- shift-apart ----------------------------------------------------------------------------- */

/* Every amount is as likely, and intervals stay but for the one that the ends cut. */
static void circles_are_kept(void **state)
{
    (void)state;
    enum { LENGTH = 20, DRAWS = 4000 };
    static const int64_t time[] = {5, 7, 12};
    const spk_segment segment = {0, LENGTH};
    uint64_t met[LENGTH] = {0};
    spk_recording *recording = make_recording(3, time, NULL, 1, &segment);
    spk_surrogates *s = open_surrogates(recording, "shift-apart", 1, -1, 0, 3);
    for (uint64_t k = 1; k <= DRAWS; k++) {
        spk_recording *made = draw(s, k);
        const uint64_t set = set_of(made, 0, 1);
        int shift = 0;
        while (shift < LENGTH &&
               set != (UINT64_C(1) << (5 + shift) % LENGTH | UINT64_C(1) << (7 + shift) % LENGTH |
                       UINT64_C(1) << (12 + shift) % LENGTH))
            shift++;
        assert_true(shift < LENGTH);
        met[shift]++;
        spk_recording_free(made);
    }
    check_equal(met, LENGTH, DRAWS);
    spk_surrogates_free(s);
    spk_recording_free(recording);
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Unit 0 has `n` pieces, unit 1 fires all the time, and unit 2 never: the choice hangs on unit 0.
 */
static const char *choice_with(uint64_t n, size_t n_segments)
{
    static const spk_duration jitter[] = {{1, -2, 0}, {1, -1, 0}};
    static int64_t time[MOST_EVENTS];
    static uint32_t unit[MOST_EVENTS];
    const spk_segment segments[] = {{0, 1000}, {1000, 5000}};
    const spk_segment whole = {0, 5000};
    uint64_t n_events = 0;
    for (int64_t at = 0; at < 5000 && n_events < MOST_EVENTS; at += 40) {
        time[n_events] = at, unit[n_events++] = 1;
        if ((uint64_t)at / 80 < n && at % 80 == 0)
            time[n_events] = at + 3,
            unit[n_events++] = 0; /* two windows of 10 ms apart, and more */
    }
    spk_recording *recording =
        make_recording(n_events, time, unit, n_segments, n_segments == 1 ? &whole : segments);
    const char *name = spk_exact_null_for(recording, jitter, 2)->name;
    spk_recording_free(recording);
    return name;
}

/* Pauses are longer than four times the shortest window: 40 ms. Unit 1 fires each 40 ms. */
static void the_shift_needs_pauses(void **state)
{
    (void)state;
    assert_string_equal(choice_with(11, 1), "shift-apart");
    assert_string_equal(choice_with(12, 1), "shift");
    assert_string_equal(choice_with(11, 2), "shift-apart"); /* all in the first segment */
    static const int64_t time[] = {100,  200,  300,  400,  950,  1010,
                                   1100, 1200, 1300, 1400, 1500, 1600};
    static const spk_duration jitter = {2, -2, 0};
    static const spk_segment one[] = {{0, 2000}}, two[] = {{0, 1000}, {1000, 2000}};
    for (size_t n = 1; n <= 2; n++) { /* 950 and 1010 are one piece where no border lies between */
        spk_recording *recording = make_recording(12, time, NULL, n, n == 1 ? one : two);
        assert_string_equal(spk_exact_null_for(recording, &jitter, 1)->name,
                            n == 1 ? "shift-apart" : "shift");
        spk_recording_free(recording);
    }
}

/* The first units fire two spikes, 5 ms apart, at each of 8 cycles of 125 ms, once in 5 s, as a
 * place cell does; the others of three fire as often, at times that are drawn. */
static spk_recording *make_cells(uint32_t n_cells)
{
    enum { LAP = 5000, LAPS = 20, CYCLES = 8, N = 3 * 2 * LAPS * CYCLES };
    static bool fires[LAPS * LAP][3];
    static int64_t time[N];
    static uint32_t unit[N];
    const spk_segment whole = {0, LAPS * LAP};
    test_random random = test_random_make(seed, n_cells);
    memset(fires, 0, sizeof fires);
    for (uint32_t u = 0; u < 3; u++)
        for (uint32_t k = 0; k < 2 * LAPS * CYCLES; k++) {
            const uint32_t cycle = k / 2;
            const uint64_t at = cycle / CYCLES * LAP + cycle % CYCLES * 125 + k % 2 * 5 + 400 * u;
            fires[u < n_cells ? at : test_random_below(&random, LAPS * LAP)][u] = true;
        }
    uint64_t n = 0;
    for (int64_t at = 0; at < LAPS * LAP; at++)
        for (uint32_t u = 0; u < 3; u++)
            if (fires[at][u])
                time[n] = at, unit[n++] = u;
    return make_recording(n, time, unit, 1, &whole);
}

/* Intervals of unit 0 up to 200 ticks, one behind the other; returns how many. */
static size_t short_intervals(const spk_recording *recording, int64_t *out)
{
    const spk_events e = spk_recording_events(recording);
    size_t n = 0;
    for (uint64_t i = 1; i < e.unit_first[1]; i++) {
        const int64_t interval = e.time[e.by_unit[i]] - e.time[e.by_unit[i - 1]];
        if (interval <= 200)
            out[n++] = interval;
    }
    return n;
}

/* A history of four windows of 25 ms would cut cells at each cycle. */
static void no_rhythm_of_most_units_is_cut(void **state)
{
    (void)state;
    static const uint64_t windows[] = {4, 4, 8, 8};
    int64_t before[MOST_EVENTS], after[MOST_EVENTS];
    for (uint32_t n = 0; n <= 3; n++) {
        spk_recording *recording = make_cells(n);
        assert_int_equal(spk_shift_windows(recording, 25), windows[n]);
        spk_surrogates *s = open_surrogates(recording, "shift-pieces", 25, -1, 0, seed);
        spk_recording *made = draw(s, 1);
        const size_t m = short_intervals(recording, before);
        if (n >= 2) {
            assert_int_equal(short_intervals(made, after), m);
            assert_memory_equal(before, after, m * sizeof *before);
        }
        assert_memory_not_equal(spk_recording_events(made).time,
                                spk_recording_events(recording).time, 100 * sizeof *before);
        spk_recording_free(made);
        spk_surrogates_free(s);
        spk_recording_free(recording);
    }
}

int main(void)
{
    seed = test_seed("nulls");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_equal_enumeration),
        cmocka_unit_test(rhythm_is_kept),
        cmocka_unit_test(a_metronome_still_moves),
        cmocka_unit_test(trials_are_dealt_evenly),
        cmocka_unit_test(unequal_trials_are_refused),
        cmocka_unit_test(circles_are_kept),
        cmocka_unit_test(the_shift_needs_pauses),
        cmocka_unit_test(no_rhythm_of_most_units_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
