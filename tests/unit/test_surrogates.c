/*
 * Surrogates keep what their methods promise, move spikes as far as they may and no further, and
 * are the same whoever makes them. Recordings are hostile: segments that overlap or have one tick,
 * spikes on borders, units that are silent or fire at every tick.
 */
#include <pthread.h>

#include "significance/surrogates/surrogates.h"
#include "support/simulated.h"
#include "support/surrogates.h"
#include "support/test.h"

enum { MOST_UNITS = 4, MOST_EVENTS = TEST_SURROGATE_EVENTS };

/* ---- hostile recordings ---------------------------------------------------------------------- */

/* One that has up to five segments of its own, which may overlap, touch, or have one tick. */
static spk_recording *draw_recording(test_random *random)
{
    static const char *const labels[] = {"b", "a 2", "10", "9"};
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
    spk_segment segment[5];
    spk_recording_source source;
    spk_recording *recording = NULL;
    int64_t from = test_random_chance(random, 0.1)   ? INT64_MIN
                   : test_random_chance(random, 0.1) ? INT64_MAX - 121
                                                     : test_random_between(random, -1000, 1000);
    int64_t length = test_random_between(random, 1, 120);
    spk_recording_source_init(&source, sizeof source);
    source.n_events = test_random_below(random, MOST_EVENTS);
    for (uint64_t i = 0; i < source.n_events; i++) {
        time[i] = from + (int64_t)test_random_below(random, (uint64_t)length);
        unit[i] = (uint32_t)test_random_below(random, test_random_chance(random, 0.5) ? 1 : 3);
    }
    int64_t stop = from + length;
    source.n_segments = test_random_below(random, 6);
    for (size_t k = 0; k < source.n_segments; k++) {
        segment[k].start = from + (int64_t)test_random_below(random, (uint64_t)length);
        segment[k].stop = test_random_chance(random, 0.2)
                              ? segment[k].start + 1
                              : test_random_between(random, segment[k].start + 1, stop);
    }
    source.time = time;
    source.unit = unit;
    source.n_units = MOST_UNITS;
    source.labels = labels;
    source.rate = (spk_rate){1000, 1};
    source.start = &from;
    source.stop = &stop;
    source.segments = source.n_segments > 0 ? segment : NULL;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    return recording;
}

/* Spikes of a unit in [start, stop), and the first of them. */
static uint64_t count_in(const spk_recording *recording, uint32_t unit, int64_t start, int64_t stop)
{
    spk_events e = spk_recording_events(recording);
    uint64_t n = 0;
    for (uint64_t i = e.unit_first[unit]; i < e.unit_first[unit + 1]; i++)
        n += e.time[e.by_unit[i]] >= start && e.time[e.by_unit[i]] < stop;
    return n;
}

static void check_same_frame(const spk_recording *recording, const spk_recording *made)
{
    const char *reason = "";
    size_t n[2];
    if (!spk_recording_validate(made, &reason))
        fail_msg("invalid surrogate: %s", reason);
    const spk_segment *before = spk_recording_segments(recording, &n[0]);
    const spk_segment *after = spk_recording_segments(made, &n[1]);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(before, after, n[0] * sizeof *before);
    assert_true(spk_recording_start(recording) == spk_recording_start(made));
    assert_true(spk_recording_stop(recording) == spk_recording_stop(made));
    assert_int_equal(spk_recording_events(made).n_units, spk_recording_events(recording).n_units);
    for (uint32_t u = 0; u < spk_recording_events(made).n_units; u++)
        assert_string_equal(spk_recording_label(made, u), spk_recording_label(recording, u));
    assert_int_equal(spk_recording_get_facts(made)->duplicates, 0);
}

/* Every unit has in every segment as many spikes as before. */
static void check_same_counts(const spk_recording *recording, const spk_recording *made)
{
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++)
        for (uint32_t u = 0; u < spk_recording_events(made).n_units; u++)
            assert_int_equal(count_in(made, u, segment[k].start, segment[k].stop),
                             count_in(recording, u, segment[k].start, segment[k].stop));
}

/* ---- all methods ----------------------------------------------------------------------------- */

static uint32_t number_of(const char *name)
{
    const surrogate_method *method = NULL;
    assert_int_equal(spk_surrogate_method_find(NULL, name, &method), SPK_OK);
    return method->number;
}

static void methods_are_listed(void **state)
{
    (void)state;
    size_t n = spk_surrogate_method_count();
    assert_int_equal(n, 15); /* the ten of Elephant; the nulls of the exact test; shift-apart */
    for (size_t k = 0; k < n; k++) {
        const spk_surrogate_method *method = spk_surrogate_method_get(k);
        assert_true(strlen(method->name) > 0 && strlen(method->summary) > 0);
        assert_true(strlen(method->null_hypothesis) > 0 && strlen(method->keeps) > 0);
        assert_true(strlen(method->source) > 0);
        assert_non_null(method->warning);
        for (size_t other = 0; other < k; other++) /* no two draw the same random numbers */
            assert_int_not_equal(number_of(method->name),
                                 number_of(spk_surrogate_method_get(other)->name));
    }
    assert_null(spk_surrogate_method_get(n));
}

/* All methods, on hostile recordings: the frame stays, no spike leaves the recording, and counts
 * stay where the method promises it. */
static void the_frame_stays(void **state)
{
    (void)state;
    uint64_t seed = test_seed("the_frame_stays");
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *recording = draw_recording(&random);
        for (size_t m = 0; m < spk_surrogate_method_count(); m++) {
            const char *name = spk_surrogate_method_get(m)->name;
            int64_t dither = test_random_between(&random, 5, 40);
            spk_surrogate_options options = test_surrogate_options(name, dither, c);
            options.edges = test_random_chance(&random, 0.5);
            options.bin = in_ms(test_random_between(&random, 1, 5));
            if (strcmp(name, "interval-jitter") == 0 && test_random_chance(&random, 0.5))
                options.bin = in_ms(0);
            spk_recording *made = test_surrogate(recording, &options, 1 + c % 3);
            check_same_frame(recording, made);
            bool drops = options.edges && strncmp(name, "dither-spike", 12) == 0 &&
                         strstr(name, "refractory") == NULL;
            bool merges =
                options.bin.digits > 0 &&
                (strcmp(name, "interval-jitter") == 0 || strcmp(name, "pattern-jitter") == 0 ||
                 strcmp(name, "shift-pieces") == 0 || strcmp(name, "bin-shuffling") == 0);
            const bool deals = strcmp(name, "deal-trials") == 0;
            if (!drops && !merges && !deals)
                check_same_counts(recording, made);
            assert_true(spk_recording_events(made).n_events <=
                        spk_recording_events(recording).n_events);
            spk_recording_free(made);
        }
        spk_recording_free(recording);
    }
}

/* A network of six units, in trials. */
static spk_recording *make_network(void)
{
    enum { TRIALS = 8 };
    spk_network_options network;
    spk_time_range trial[TRIALS];
    spk_recording *recording = NULL;
    spk_network_options_init(&network, sizeof network);
    network.n_units = 6;
    assert_int_equal(spk_simulate_network(NULL, &network, &recording, NULL), SPK_OK);
    for (int t = 0; t < TRIALS; t++)
        trial[t] = (spk_time_range){{t, 0, 0}, {t + 1, 0, 0}};
    assert_int_equal(spk_recording_cut_take(NULL, recording, TRIALS, trial, &recording), SPK_OK);
    return recording;
}

/* Surrogate k is the same in any order and any company, and differs from its neighbours; another
 * seed gives others. '_' is taken for '-'. */
static void surrogates_depend_on_seed_and_number_alone(void **state)
{
    (void)state;
    spk_recording *recording = make_network();
    for (size_t m = 0; m < spk_surrogate_method_count(); m++) {
        char name[64];
        snprintf(name, sizeof name, "%s", spk_surrogate_method_get(m)->name);
        spk_surrogate_options options =
            test_surrogate_options(spk_surrogate_method_get(m)->name, 15, 7);
        options.bin = in_ms(5);
        spk_surrogates *surrogates = NULL;
        assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
        uint64_t hash[8];
        for (uint64_t i = 0; i < 6; i++) {
            spk_recording *made = NULL;
            static const uint64_t order[] = {3, 1, 2, 3, 1000000007, 1};
            assert_int_equal(spk_surrogates_make(NULL, surrogates, order[i], &made), SPK_OK);
            hash[i] = test_hash_columns(made);
            spk_recording_free(made);
        }
        spk_surrogates_free(surrogates);
        for (char *at = name; *at != '\0'; at++)
            *at = *at == '-' ? '_' : *at;
        options.method = name;
        spk_recording *made = test_surrogate(recording, &options, 3);
        hash[6] = test_hash_columns(made);
        spk_recording_free(made);
        options.seed = 8;
        made = test_surrogate(recording, &options, 3);
        hash[7] = test_hash_columns(made);
        spk_recording_free(made);
        assert_true(hash[0] == hash[3] && hash[0] == hash[6] && hash[1] == hash[5]);
        assert_true(hash[0] != hash[1] && hash[1] != hash[2] && hash[0] != hash[4]);
        assert_true(hash[0] != hash[7]);
    }
    spk_recording_free(recording);
}

enum { THREADS = 4, OF_EACH = 12 };

typedef struct worker {
    const spk_surrogates *surrogates;
    uint64_t hash[OF_EACH];
} worker;

static void *make_some(void *raw)
{
    worker *w = raw;
    for (uint64_t k = 0; k < OF_EACH; k++) {
        spk_recording *made = NULL;
        if (spk_surrogates_make(NULL, w->surrogates, k + 1, &made) == SPK_OK)
            w->hash[k] = test_hash_columns(made);
        spk_recording_free(made);
    }
    return NULL;
}

/* Several threads make the same surrogates at the same time, and get what one thread gets. */
static void threads_make_the_same_surrogates(void **state)
{
    (void)state;
    spk_recording *recording = make_network();
    for (size_t m = 0; m < spk_surrogate_method_count(); m++) {
        spk_surrogate_options options =
            test_surrogate_options(spk_surrogate_method_get(m)->name, 15, 9);
        options.bin = in_ms(5);
        spk_surrogates *surrogates = NULL;
        pthread_t thread[THREADS];
        worker work[THREADS + 1];
        assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
        for (int t = 0; t <= THREADS; t++)
            work[t] = (worker){.surrogates = surrogates};
        make_some(&work[THREADS]);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, make_some, &work[t]), 0);
        for (int t = 0; t < THREADS; t++) {
            pthread_join(thread[t], NULL);
            assert_memory_equal(work[t].hash, work[THREADS].hash, sizeof work[t].hash);
        }
        for (int k = 1; k < OF_EACH; k++)
            assert_true(work[0].hash[k] != 0 && work[0].hash[k] != work[0].hash[k - 1]);
        spk_surrogates_free(surrogates);
    }
    spk_recording_free(recording);
}

/* ---- spikes that move ------------------------------------------------------------------------ */

/* A lonely spike reaches each displacement up to the dither and no other, all equally often: five
 * standard deviations. */
static void displacements_are_uniform(void **state)
{
    (void)state;
    enum { DITHER = 5, WIDTH = 2 * DITHER + 1 };
    const uint64_t n = test_scaled_from(20000, 4000);
    static const char *const method[] = {"dither-spikes", "trial-shifting"};
    const int64_t at = 50;
    spk_recording *recording = test_one_unit(1, &at, 0, 100);
    for (size_t m = 0; m < 2; m++) {
        spk_surrogate_options options = test_surrogate_options(method[m], DITHER, 3);
        spk_surrogates *surrogates = NULL;
        int n_at[WIDTH] = {0};
        assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
        for (uint64_t k = 1; k <= n; k++) {
            spk_recording *made = NULL;
            assert_int_equal(spk_surrogates_make(NULL, surrogates, k, &made), SPK_OK);
            int64_t moved = spk_recording_events(made).time[0] - at;
            assert_in_range(moved + DITHER, 0, WIDTH - 1);
            n_at[moved + DITHER]++;
            spk_recording_free(made);
        }
        for (int d = 0; d < WIDTH; d++) {
            double expected = (double)n / WIDTH, off = n_at[d] - expected;
            assert_true(off * off < 25 * expected);
        }
        spk_surrogates_free(surrogates);
    }
    spk_recording_free(recording);
}

/* Two neighbours, dithered: no tick gets both. Spikes that leave are dropped, or with edges off are
 * put at the ends, where each has a tick. */
static void edges_drop_or_keep(void **state)
{
    (void)state;
    static const int64_t time[] = {0, 1, 2, 8, 9};
    spk_recording *recording = test_one_unit(5, time, 0, 10);
    spk_surrogate_options options = test_surrogate_options("dither-spikes", 20, 1);
    uint64_t n_kept = 0, n_ends = 0;
    for (uint64_t k = 1; k <= 200; k++) {
        options.edges = true;
        spk_recording *made = test_surrogate(recording, &options, k);
        check_same_frame(recording, made);
        n_kept += spk_recording_events(made).n_events;
        spk_recording_free(made);
        options.edges = false;
        made = test_surrogate(recording, &options, k);
        assert_int_equal(spk_recording_events(made).n_events, 5);
        n_ends += count_in(made, 0, 0, 1) + count_in(made, 0, 9, 10);
        spk_recording_free(made);
    }
    /* About a quarter of 41 places lie within; both ends are nearly always taken. */
    assert_in_range(n_kept, 150, 400);
    assert_in_range(n_ends, 360, 400);
    spk_recording_free(recording);
}

/* Every interval of a trial, round its ends, stays. */
static void shifts_keep_intervals(void **state)
{
    (void)state;
    static const int64_t time[] = {3, 7, 20, 21, 99};
    spk_recording *recording = test_one_unit(5, time, 0, 100);
    bool wrapped = false;
    for (int64_t dither = 1; dither < 300; dither += 13) {
        spk_surrogate_options options =
            test_surrogate_options("trial-shifting", dither, (uint64_t)dither);
        spk_recording *made = test_surrogate(recording, &options, 1);
        const int64_t *moved = spk_recording_events(made).time;
        int64_t shift = -1;
        for (int64_t s = 0; s < 100 && shift < 0; s++) {
            bool fits = true;
            for (int i = 0; i < 5; i++)
                fits = fits && count_in(made, 0, (time[i] + s) % 100, (time[i] + s) % 100 + 1) == 1;
            shift = fits ? s : shift;
        }
        assert_true(shift >= 0 && (shift <= dither || 100 - shift <= dither));
        wrapped |= moved[4] < 99 && moved[0] != 3 + shift;
        spk_recording_free(made);
    }
    assert_true(wrapped);
    spk_recording_free(recording);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* The offset of interval jitter is one number for all surrogates of a seed: some cut into windows
 * of its length keeps all counts in every surrogate, and only that one. */
static void jitter_keeps_windows(void **state)
{
    (void)state;
    enum { LENGTH = 200, WINDOW = 12 };
    int64_t time[LENGTH / 3];
    for (int i = 0; i < LENGTH / 3; i++)
        time[i] = 3 * i + (i % 2);
    spk_recording *recording = test_one_unit(LENGTH / 3, time, 0, LENGTH);
    int n_offsets = 0, met[WINDOW] = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        spk_surrogate_options options = test_surrogate_options("interval-jitter", WINDOW, seed);
        bool possible[WINDOW];
        memset(possible, 1, sizeof possible);
        for (uint64_t k = 1; k <= 20; k++) {
            spk_recording *made = test_surrogate(recording, &options, k);
            for (int64_t offset = 0; offset < WINDOW; offset++)
                for (int64_t start = -offset; start < LENGTH; start += WINDOW)
                    possible[offset] =
                        possible[offset] && count_in(made, 0, start, start + WINDOW) ==
                                                count_in(recording, 0, start, start + WINDOW);
            spk_recording_free(made);
        }
        n_offsets = 0;
        for (int o = 0; o < WINDOW; o++) {
            n_offsets += possible[o];
            met[o] += possible[o];
        }
        assert_int_equal(n_offsets, 1);
    }
    for (int o = 0; o < WINDOW; o++)
        assert_true(met[o] >
                    0); /* 100 seeds miss one of 12 once in 500 runs; the seeds are fixed */
    spk_recording_free(recording);
}

/* All sets of places in a window are equally likely: 2 of 4 ticks, 2 of 3 bins. */
static void placements_are_uniform(void **state)
{
    (void)state;
    const uint64_t n = test_scaled_from(12000, 3000);
    static const int64_t time[] = {0, 1};
    for (int in_bins = 0; in_bins < 2; in_bins++) {
        /* A window is the whole extent, whatever the offset, where the latter is 0. */
        spk_surrogate_options options =
            test_surrogate_options("interval-jitter", in_bins ? 6 : 4, 0);
        int64_t stop = in_bins ? 6 : 4, spikes[2] = {0, in_bins ? 2 : 1};
        options.bin = in_ms(in_bins ? 2 : 0);
        spk_recording *recording = test_one_unit(2, in_bins ? spikes : time, 0, stop);
        int n_sets[16] = {0}, n_met = 0;
        spk_surrogates *surrogates = NULL;
        for (bool whole = false; !whole; options.seed++) { /* a seed whose offset is 0 */
            spk_surrogates_free(surrogates);
            assert_int_equal(spk_surrogates_create(NULL, recording, &options, &surrogates), SPK_OK);
            for (uint64_t k = 1; k <= 40; k++) {
                spk_recording *made = NULL;
                assert_int_equal(spk_surrogates_make(NULL, surrogates, k, &made), SPK_OK);
                whole |= spk_recording_events(made).time[0] >= stop / 2 - in_bins;
                spk_recording_free(made);
            }
        }
        for (uint64_t k = 1; k <= n; k++) {
            spk_recording *made = NULL;
            assert_int_equal(spk_surrogates_make(NULL, surrogates, k, &made), SPK_OK);
            const int64_t *t = spk_recording_events(made).time;
            n_sets[1 << (t[0] / (1 + in_bins)) | 1 << (t[1] / (1 + in_bins))]++;
            spk_recording_free(made);
        }
        for (int set = 0; set < 16; set++) {
            double expected = (double)n / (in_bins ? 3 : 6), off = n_sets[set] - expected;
            n_met += n_sets[set] > 0;
            assert_true(n_sets[set] == 0 || off * off < 25 * expected);
        }
        assert_int_equal(n_met, in_bins ? 3 : 6);
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* Unit of bins, as patterns have them. */
static uint64_t occupied(const spk_recording *recording, uint32_t unit, spk_duration bin,
                         uint64_t first, uint64_t stop)
{
    spk_window_options options;
    spk_windows *windows = NULL;
    spk_window_options_init(&options, sizeof options);
    options.bin = bin;
    assert_int_equal(spk_windows_create(NULL, recording, &options, &windows), SPK_OK);
    spk_window_columns w = spk_windows_columns(windows);
    uint64_t n = 0;
    for (uint64_t i = 0; i < w.n_windows; i++)
        for (uint64_t j = w.first[i]; j < w.first[i + 1]; j++)
            n += w.item[j] == unit && w.start_bin[i] >= first && w.start_bin[i] < stop;
    spk_windows_free(windows);
    return n;
}

/* Bins of a third of 10 ms, counted from a start between two ticks: patterns see as many occupied
 * bins in each window as in the recording. */
static void jitter_keeps_occupied_bins(void **state)
{
    (void)state;
    enum { BINS = 5 };
    const spk_duration bin = {10, -3, 3};
    const spk_time_range range = {{1, -4, 3}, {2, -1, 7}}; /* from 1/30 ms to 28.57 ms */
    int64_t time[20];
    for (int i = 0; i < 20; i++)
        time[i] = 1 + i + (i > 8 ? 3 : 0);
    spk_recording *whole = test_one_unit(20, time, 0, 100), *recording = NULL;
    assert_int_equal(spk_recording_cut(NULL, whole, 1, &range, &recording), SPK_OK);
    for (uint64_t seed = 0; seed < test_scaled(30); seed++) {
        spk_surrogate_options options = test_surrogate_options("interval-jitter", 0, seed);
        options.dither = (spk_duration){50, -3, 3};
        options.bin = bin;
        int n_offsets = 0;
        bool possible[BINS];
        memset(possible, 1, sizeof possible);
        for (uint64_t k = 1; k <= 20; k++) {
            spk_recording *made = test_surrogate(recording, &options, k);
            for (uint64_t offset = 0; offset < BINS; offset++)
                for (uint64_t w = 0; w < 3; w++) {
                    uint64_t first = w * BINS < offset ? 0 : w * BINS - offset;
                    uint64_t stop = (w + 1) * BINS - offset;
                    possible[offset] =
                        possible[offset] && occupied(made, 0, bin, first, stop) ==
                                                occupied(recording, 0, bin, first, stop);
                }
            spk_recording_free(made);
        }
        for (int o = 0; o < BINS; o++)
            n_offsets += possible[o];
        assert_true(n_offsets >= 1);
    }
    spk_recording_free(recording);
    spk_recording_free(whole);
}

/* Windows of jitter-spikes begin with the segment, at its exact start, wherever that lies. */
static void windows_begin_with_the_segment(void **state)
{
    (void)state;
    enum { WINDOW = 10, N = 60 };
    int64_t time[N];
    bool moved = false;
    for (int i = 0; i < N; i++)
        time[i] = 1003 + 3 * i - i % 2;
    const int64_t start = 1001;
    spk_recording *recording = test_one_unit(N, time, start, 1188);
    for (uint64_t k = 1; k <= 50; k++) {
        spk_surrogate_options options = test_surrogate_options("jitter-spikes", WINDOW, 5);
        spk_recording *made = test_surrogate(recording, &options, k);
        for (int64_t at = start; at < 1188; at += WINDOW)
            assert_int_equal(count_in(made, 0, at, at + WINDOW),
                             count_in(recording, 0, at, at + WINDOW));
        moved |= memcmp(spk_recording_events(made).time, time, sizeof time) != 0;
        spk_recording_free(made);
    }
    assert_true(moved);
    spk_recording_free(recording);
}

/* A dither of 0.3 s is three bins of 0.1 s, where floating point finds two: windows of six bins. */
static void bins_are_exact(void **state)
{
    (void)state;
    enum { N = 30, BINS = 6 };
    const spk_duration bin = in_ms(100);
    int64_t time[N];
    bool left_four = false;
    for (int i = 0; i < N; i++)
        time[i] = 10 + 200 * i;
    spk_recording *recording = test_one_unit(N, time, 0, 6000);
    for (uint64_t k = 1; k <= 20; k++) {
        spk_surrogate_options options = test_surrogate_options("bin-shuffling", 300, 5);
        options.bin = bin;
        spk_recording *made = test_surrogate(recording, &options, k);
        for (uint64_t w = 0; w < 60; w += BINS)
            assert_int_equal(occupied(made, 0, bin, w, w + BINS),
                             occupied(recording, 0, bin, w, w + BINS));
        for (uint64_t w = 0; w < 60; w += 4)
            left_four |= occupied(made, 0, bin, w, w + 4) != occupied(recording, 0, bin, w, w + 4);
        spk_recording_free(made);
    }
    assert_true((int)(0.3 / 0.1) == 2 && left_four);
    spk_recording_free(recording);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Three bins, and 15 ms at least; what is no bin, or is beyond all times, changes nothing. */
static void the_usual_dither_suits_bins(void **state)
{
    (void)state;
    const struct {
        spk_duration bin, dither;
    } known[] = {{{5, -3, 0}, {15, -3, 0}},       {{1, -3, 0}, {15, -3, 0}},
                 {{6, -3, 0}, {18, -3, 0}},       {{1, 0, 30}, {3, 0, 30}},
                 {{0, 0, 0}, {15, -3, 0}},        {{-1, 0, 0}, {15, -3, 0}},
                 {{INT64_MAX, 0, 0}, {15, -3, 0}}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const spk_duration found = spk_surrogates_usual_dither(known[k].bin);
        assert_true(spk_duration_seconds(found) == spk_duration_seconds(known[k].dither));
    }
}

static void refuse(spk_surrogate_options options, spk_status status, const char *message)
{
    static const int64_t time[] = {1, 5};
    spk_recording *recording = test_one_unit(2, time, 0, 10);
    spk_context *context = NULL;
    spk_surrogates *surrogates = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_surrogates_create(context, recording, &options, &surrogates), status);
    assert_null(surrogates);
    if (strstr(spk_context_message(context), message) == NULL)
        fail_msg("'%s' lacks '%s'", spk_context_message(context), message);
    spk_context_free(context);
    spk_recording_free(recording);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    spk_surrogate_options o = test_surrogate_options("dither-spike", 15, 0);
    refuse(o, SPK_ERR_ARGUMENT,
           "no method of surrogates has the name 'dither-spike'; there are "
           "dither-spikes, ");
    o.method = NULL;
    refuse(o, SPK_ERR_ARGUMENT, "missing");
    o = test_surrogate_options("trial-shifting", 0, 0);
    refuse(o, SPK_ERR_ARGUMENT, "less than a tick");
    o.dither = (spk_duration){1, 0, 0};
    o.dither.exponent = SPK_DURATION_INFINITE;
    refuse(o, SPK_ERR_RANGE, "a jitter of inf");
    o = test_surrogate_options("interval-jitter", 4, 0);
    o.bin = in_ms(5);
    refuse(o, SPK_ERR_ARGUMENT, "a jitter of 4ms is less than a bin of 5ms");
    o.bin = (spk_duration){1, -4, 0};
    refuse(o, SPK_ERR_ARGUMENT, "shorter than a tick");
    o = test_surrogate_options("bin-shuffling", 15, 0);
    refuse(o, SPK_ERR_ARGUMENT, "needs the width of a bin");
    o = test_surrogate_options("dither-spikes-with-refractory-period", 15, 0);
    o.refractory = in_ms(-1);
    refuse(o, SPK_ERR_ARGUMENT, "it cannot be below 0");
    o = test_surrogate_options("joint-isi-dithering", 15, 0);
    o.n_bins = 1;
    refuse(o, SPK_ERR_ARGUMENT, "take 2 to 4096 bins");
    o.n_bins = 100;
    o.truncation = in_ms(0);
    refuse(o, SPK_ERR_ARGUMENT, "the truncation of intervals is 0");
    o.truncation = (spk_duration){1, 18, 0};
    refuse(o, SPK_ERR_ARGUMENT, "too long");
    o.truncation = in_ms(100);
    o.sigma = in_ms(101);
    refuse(o, SPK_ERR_ARGUMENT, "the smoothing of intervals is 101ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_listed),
        cmocka_unit_test(the_frame_stays),
        cmocka_unit_test(surrogates_depend_on_seed_and_number_alone),
        cmocka_unit_test(threads_make_the_same_surrogates),
        cmocka_unit_test(displacements_are_uniform),
        cmocka_unit_test(edges_drop_or_keep),
        cmocka_unit_test(shifts_keep_intervals),
        cmocka_unit_test(jitter_keeps_windows),
        cmocka_unit_test(placements_are_uniform),
        cmocka_unit_test(jitter_keeps_occupied_bins),
        cmocka_unit_test(windows_begin_with_the_segment),
        cmocka_unit_test(bins_are_exact),
        cmocka_unit_test(the_usual_dither_suits_bins),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
