/*
 * The comparison of two conditions: equal to one by definition, with counts of each trial cut out
 * by itself and all ways to deal out the conditions one by one; right about chance; intervals that
 * hold the true difference.
 */
#include "significance/compare/compare.h"
#include "support/context.h"

enum { MOST_TRIALS = 64, MOST_EVENTS = 20000, MOST_NAIVE = 9, MOST_RESULTS = 400 };

static uint64_t seed;

/* ---- recordings of trials -------------------------------------------------------------------- */

/* Ticks of a millisecond. */
typedef struct trials {
    size_t n;
    spk_segment segment[MOST_TRIALS];
    uint8_t condition[MOST_TRIALS];
    uint64_t n_events;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
    uint32_t n_units;
} trials;

static trials t;

static void trials_start(size_t n, uint32_t n_units)
{
    t.n = n;
    t.n_units = n_units;
    t.n_events = 0;
}

/* Trial k begins a gap behind the one before. */
static void set_length(size_t k, int64_t length)
{
    int64_t start = k == 0 ? 0 : t.segment[k - 1].stop + 10;
    t.segment[k] = (spk_segment){start, start + length};
}

static void add_event(int64_t time, uint32_t unit)
{
    assert_true(t.n_events < MOST_EVENTS);
    t.time[t.n_events] = time;
    t.unit[t.n_events++] = unit;
}

/* Events of a unit at random in trial k. */
static void add_events(test_random *random, size_t k, uint32_t unit, uint64_t n)
{
    for (uint64_t e = 0; e < n; e++)
        add_event(test_random_between(random, t.segment[k].start, t.segment[k].stop - 1), unit);
}

static uint64_t draw_poisson(test_random *random, double mean)
{
    double left = exp(-mean);
    uint64_t n = 0;
    for (double product = test_random_real(random); product > left; n++)
        product *= test_random_real(random);
    return n;
}

/* The first `n_first` trials of a random order have condition 0. */
static void draw_conditions(test_random *random, size_t n_first)
{
    for (size_t k = 0; k < MOST_TRIALS; k++) /* those behind the last trial are not looked at */
        t.condition[k] = k >= n_first;
    for (size_t k = t.n; k-- > 1;) {
        size_t j = test_random_below(random, k + 1);
        uint8_t other = t.condition[j];
        t.condition[j] = t.condition[k];
        t.condition[k] = other;
    }
}

static spk_recording *make_recording(void)
{
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = t.n_events;
    source.time = t.time;
    source.unit = t.unit;
    source.n_units = t.n_units;
    source.rate = (spk_rate){1000, 1};
    source.segments = t.segment;
    source.n_segments = t.n;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* ---- searches -------------------------------------------------------------------------------- */

static const spk_delay delays[] = {{{0, 0, 0}, {5, -3, 0}}, {{5, -3, 0}, {15, -3, 0}}};

typedef struct found {
    bool of_patterns;
    spk_recording *recording;
    spk_windows *windows;
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
    spk_episode_columns e;
    spk_pattern_columns p;
    uint64_t n;
} found;

static spk_windows *make_windows(const spk_recording *recording)
{
    spk_windows *windows = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){5, -3, 0};
    options.window = 4;
    check(spk_windows_create(context, recording, &options, &windows));
    return windows;
}

static void search(bool of_patterns, uint64_t support, uint32_t max_size, found *f)
{
    *f = (found){.of_patterns = of_patterns, .recording = make_recording()};
    if (of_patterns) {
        spk_pattern_options options;
        spk_pattern_options_init(&options, sizeof options);
        options.support = support;
        options.max_spikes = max_size;
        f->windows = make_windows(f->recording);
        check(spk_pattern_list_create(context, 4, &f->patterns));
        check(spk_pattern_mine(context, f->windows, &options, spk_pattern_list_add, f->patterns,
                               NULL));
        f->p = spk_pattern_list_columns(f->patterns);
        f->n = f->p.n;
        return;
    }
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays;
    options.n_delays = 2;
    options.support = support;
    options.max_size = max_size;
    check(spk_episode_list_create(context, &f->episodes));
    check(
        spk_episode_mine(context, f->recording, &options, spk_episode_list_add, f->episodes, NULL));
    f->e = spk_episode_list_columns(f->episodes);
    f->n = f->e.n;
}

static void found_free(found *f)
{
    spk_episode_list_free(f->episodes);
    spk_pattern_list_free(f->patterns);
    spk_windows_free(f->windows);
    spk_recording_free(f->recording);
}

static spk_compare_options make_options(void)
{
    spk_compare_options options;
    spk_compare_options_init(&options, sizeof options);
    options.n_trials = t.n;
    options.condition = t.condition;
    return options;
}

static spk_status compare(const found *f, const spk_compare_options *options,
                          spk_compare_verdict *out, spk_compare_summary *summary)
{
    return f->of_patterns
               ? spk_compare_patterns(context, f->recording, f->windows, options, &f->p, out,
                                      summary)
               : spk_compare_episodes(context, f->recording, options, &f->e, out, summary);
}

/* ---- by definition --------------------------------------------------------------------------- */

/* The count of result i in one trial, which is cut out and is a recording by itself. */
static uint64_t count_episode(const found *f, const spk_recording *trial, uint64_t i)
{
    spk_episode_list *list = NULL;
    spk_delay between[SPK_EPISODE_MAX_SIZE];
    const uint64_t at = f->e.offset[i];
    const uint32_t size = (uint32_t)(f->e.offset[i + 1] - at);
    for (uint32_t p = 1; p < size; p++)
        between[p - 1] = delays[f->e.delay[at + p]];
    check(spk_episode_list_create(context, &list));
    check(spk_episode_list_append(context, list, size, f->e.unit + at, between));
    check(spk_episode_count(context, trial, NULL, list, NULL));
    uint64_t count = spk_episode_list_columns(list).count[0];
    spk_episode_list_free(list);
    return count;
}

static bool window_has(const spk_window_columns *w, uint64_t k, uint32_t item)
{
    for (uint64_t j = w->first[k]; j < w->first[k + 1]; j++)
        if (w->item[j] == item)
            return true;
    return false;
}

static uint64_t count_pattern(const found *f, const spk_windows *windows, uint64_t i)
{
    const spk_window_columns w = spk_windows_columns(windows);
    uint64_t count = 0;
    for (uint64_t k = 0; k < w.n_windows; k++) {
        bool all = true;
        for (uint64_t j = f->p.offset[i]; j < f->p.offset[i + 1] && all; j++)
            all = window_has(&w, k, f->p.item[j]);
        count += all;
    }
    return count;
}

static int64_t count[MOST_RESULTS][MOST_TRIALS];

static void count_by_trial(const found *f)
{
    for (size_t k = 0; k < t.n; k++) {
        spk_recording_source source;
        spk_recording *trial = NULL;
        int64_t time[MOST_EVENTS];
        uint32_t unit[MOST_EVENTS];
        spk_recording_source_init(&source, sizeof source);
        for (uint64_t e = 0; e < t.n_events; e++)
            if (t.time[e] >= t.segment[k].start && t.time[e] < t.segment[k].stop) {
                time[source.n_events] = t.time[e];
                unit[source.n_events++] = t.unit[e];
            }
        source.time = time;
        source.unit = unit;
        source.n_units = t.n_units;
        source.rate = (spk_rate){1000, 1};
        source.start = &t.segment[k].start;
        source.stop = &t.segment[k].stop;
        check(spk_recording_create(context, &source, &trial));
        spk_windows *windows = f->of_patterns ? make_windows(trial) : NULL;
        for (uint64_t i = 0; i < f->n; i++)
            count[i][k] = (int64_t)(f->of_patterns ? count_pattern(f, windows, i)
                                                   : count_episode(f, trial, i));
        spk_windows_free(windows);
        spk_recording_free(trial);
    }
}

/* N^2 / S of a result where the trials in `ones` have condition 1; S = 0: 0 / 1. */
typedef struct ratio {
    __int128 over;
    __int128 under;
} ratio;

static ratio score_of(uint64_t i, unsigned ones)
{
    __int128 total = 0, all = 0, one = 0, length = 0, square = 0;
    for (size_t k = 0; k < t.n; k++) {
        int64_t ticks = t.segment[k].stop - t.segment[k].start;
        total += ticks;
        all += count[i][k];
        length += (ones >> k & 1) != 0 ? ticks : 0;
        one += (ones >> k & 1) != 0 ? count[i][k] : 0;
    }
    for (size_t k = 0; k < t.n; k++) {
        __int128 y = count[i][k] * total - all * (t.segment[k].stop - t.segment[k].start);
        square += y * y;
    }
    __int128 numerator = one * total - all * length;
    return (ratio){numerator * numerator, square > 0 ? square : 1};
}

/* Counts and lengths are small, so that this is exact. */
static bool at_least(ratio a, ratio b)
{
    return a.over * b.under >= b.over * a.under;
}

static bool is_tested(const found *f, const spk_compare_options *options, uint64_t i)
{
    const uint64_t *offset = f->of_patterns ? f->p.offset : f->e.offset;
    uint64_t units = 0; /* a bit for each */
    for (uint64_t j = offset[i]; j < offset[i + 1]; j++)
        units |= UINT64_C(1) << (f->of_patterns ? f->p.item[j] / 4 : f->e.unit[j]);
    return offset[i + 1] - offset[i] >= options->min_size &&
           (uint32_t)__builtin_popcountll(units) >= options->distinct_units;
}

/* The largest score of each way with as many trials of condition 1. */
static size_t list_largest(const found *f, const spk_compare_options *options, ratio *largest)
{
    size_t n = 0;
    int n_ones = 0;
    for (size_t k = 0; k < t.n; k++)
        n_ones += t.condition[k];
    for (unsigned ones = 0; ones < 1u << t.n; ones++) {
        if (__builtin_popcount(ones) != n_ones)
            continue;
        largest[n] = (ratio){0, 1};
        for (uint64_t i = 0; i < f->n; i++) {
            ratio score = score_of(i, ones);
            if (is_tested(f, options, i) && !at_least(largest[n], score))
                largest[n] = score;
        }
        n++;
    }
    return n;
}

/* N^2 / S after a difference of rates, in counts a tick, is taken away from condition 1. */
static double score_without(uint64_t i, double difference)
{
    double total = 0, all = 0, one = 0, length = 0, square = 0, y[MOST_TRIALS];
    for (size_t k = 0; k < t.n; k++) {
        double ticks = (double)(t.segment[k].stop - t.segment[k].start);
        y[k] = (double)count[i][k] - (t.condition[k] == 1 ? difference * ticks : 0);
        total += ticks;
        all += y[k];
        one += t.condition[k] == 1 ? y[k] : 0;
        length += t.condition[k] == 1 ? ticks : 0;
    }
    for (size_t k = 0; k < t.n; k++) {
        double ticks = (double)(t.segment[k].stop - t.segment[k].start);
        square += pow(y[k] * total - all * ticks, 2);
    }
    return pow(one * total - all * length, 2) / square;
}

/* |z| at a bound is the critical one, and smaller between the bounds. */
static void check_interval(uint64_t i, const spk_compare_verdict *v,
                           const spk_compare_summary *summary, double alpha)
{
    const double n = (double)t.n;
    const double factor = n * (n - 1) / (double)(summary->trials[0] * summary->trials[1]);
    assert_true(v->lower_hz <= v->difference_hz && v->difference_hz <= v->upper_hz);
    assert_int_equal(v->p <= alpha, v->lower_hz > 0 || v->upper_hz < 0);
    if (isinf(summary->critical_z)) {
        assert_true(isinf(v->lower_hz) && isinf(v->upper_hz));
        return;
    }
    const double bound[] = {v->lower_hz, v->upper_hz};
    for (int b = 0; b < 2; b++) {
        if (isinf(bound[b]) || fabs(bound[b]) < 1e-9 ||
            v->upper_hz - v->lower_hz < 1e-5 * (1 + fabs(v->difference_hz)))
            continue; /* 0 is a bound by rounding, or trials of a condition have one rate */
        double z = sqrt(factor * score_without(i, bound[b] / 1000));
        assert_true(fabs(z - summary->critical_z) < 1e-6 * (1 + z));
    }
}

static void draw_hostile(test_random *random)
{
    trials_start(2 + test_random_below(random, MOST_NAIVE - 1),
                 1 + (uint32_t)test_random_below(random, 4));
    bool same_length = test_random_chance(random, 0.5);
    for (size_t k = 0; k < t.n; k++)
        set_length(k, same_length ? 60 : 20 + (int64_t)test_random_below(random, 80));
    for (size_t k = 0; k < t.n; k++)
        for (uint32_t unit = 0; unit < t.n_units; unit++)
            add_events(random, k, unit, test_random_below(random, 8));
    if (test_random_chance(random, 0.3)) { /* the same in each trial that is as long */
        uint64_t n = t.n_events;
        t.n_events = 0;
        for (size_t k = 0; k < t.n; k++)
            for (uint64_t e = 0; e < n; e++)
                if (t.time[e] < 20)
                    add_event(t.segment[k].start + t.time[e], t.unit[e]);
    }
    draw_conditions(random, 1 + test_random_below(random, t.n - 1));
}

static void check_verdicts(const found *f, const spk_compare_options *options,
                           const spk_compare_verdict *verdict, const spk_compare_summary *summary)
{
    static ratio largest[1 << MOST_NAIVE];
    unsigned own = 0;
    double seconds[2] = {0, 0};
    for (size_t k = 0; k < t.n; k++) {
        own |= (unsigned)t.condition[k] << k;
        seconds[t.condition[k]] += (double)(t.segment[k].stop - t.segment[k].start) / 1000;
    }
    const size_t n_ways = list_largest(f, options, largest);
    assert_true(summary->all);
    assert_int_equal(summary->n_permutations + 1, n_ways);
    uint64_t n_tested = 0;
    for (uint64_t i = 0; i < f->n; i++) {
        const spk_compare_verdict *v = &verdict[i];
        ratio score = score_of(i, own);
        size_t as_large = 0;
        int64_t by_condition[2] = {0, 0};
        for (size_t w = 0; w < n_ways; w++)
            as_large += at_least(largest[w], score);
        for (size_t k = 0; k < t.n; k++)
            by_condition[t.condition[k]] += count[i][k];
        for (int g = 0; g < 2; g++) {
            assert_int_equal(v->count[g], by_condition[g]);
            assert_true(fabs(v->rate_hz[g] - (double)by_condition[g] / seconds[g]) < 1e-9);
        }
        assert_true(v->z * v->difference_hz >= 0);
        assert_int_equal(v->tested, is_tested(f, options, i));
        n_tested += v->tested;
        if (!v->tested) {
            assert_true(v->p == 1 && isinf(v->lower_hz) && isinf(v->upper_hz));
            continue;
        }
        assert_true(v->p == (double)as_large / (double)n_ways);
        assert_true(v->p >= summary->smallest_p);
        check_interval(i, v, summary, options->alpha);
    }
    assert_int_equal(summary->n_tested, n_tested);
}

static void equals_definition(void **state)
{
    static spk_compare_verdict verdict[MOST_RESULTS];
    (void)state;
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        spk_compare_summary summary;
        found f;
        draw_hostile(&random);
        search(test_random_chance(&random, 0.5), 2 + test_random_below(&random, 3), 3, &f);
        if (f.n <= MOST_RESULTS) {
            spk_compare_options options = make_options();
            options.alpha = test_random_chance(&random, 0.5) ? 0.05 : 0.3;
            options.min_size = (uint32_t)test_random_below(&random, 3);
            options.distinct_units = (uint32_t)test_random_below(&random, 3);
            count_by_trial(&f);
            check(compare(&f, &options, verdict, &summary));
            check_verdicts(&f, &options, verdict, &summary);
        }
        found_free(&f);
    }
}

/* ---- threads and seeds ----------------------------------------------------------------------- */

static void draw_busy(test_random *random, size_t n_trials, uint32_t n_units)
{
    trials_start(n_trials, n_units);
    for (size_t k = 0; k < n_trials; k++) {
        set_length(k, 200 + (int64_t)test_random_below(random, 100));
        for (uint32_t unit = 0; unit < n_units; unit++)
            add_events(random, k, unit, draw_poisson(random, 4));
    }
    draw_conditions(random, n_trials / 2);
}

static void threads_change_nothing(void **state)
{
    test_random random = test_random_make(seed, 1);
    (void)state;
    draw_busy(&random, 24, 8);
    for (int of_patterns = 0; of_patterns < 2; of_patterns++) {
        found f;
        spk_compare_summary summary[3];
        spk_compare_verdict *verdict[3];
        spk_compare_options options = make_options();
        search(of_patterns, 4, 3, &f);
        assert_true(f.n > 50);
        options.n_permutations = 777;
        for (int k = 0; k < 3; k++) {
            verdict[k] = calloc(f.n, sizeof *verdict[k]);
            assert_non_null(verdict[k]);
            options.seed = k == 2;
            spk_context_set_threads(context, k == 1 ? 2 : 1);
            check(compare(&f, &options, verdict[k], &summary[k]));
        }
        bool seed_matters = false;
        for (uint64_t i = 0; i < f.n; i++) {
            assert_true(verdict[0][i].p == verdict[1][i].p);
            assert_true(verdict[0][i].z == verdict[1][i].z);
            assert_true(verdict[0][i].lower_hz == verdict[1][i].lower_hz);
            assert_true(verdict[0][i].upper_hz == verdict[1][i].upper_hz);
            assert_true(verdict[0][i].z == verdict[2][i].z);
            seed_matters |= verdict[0][i].p != verdict[2][i].p;
        }
        assert_false(summary[0].all);
        assert_int_equal(summary[0].n_permutations, 777);
        assert_true(seed_matters);
        for (int k = 0; k < 3; k++)
            free(verdict[k]);
        found_free(&f);
    }
}

/* ---- chance and truth ------------------------------------------------------------------------ */

/* Smallest p of a comparison. */
static double smallest_of(const found *f, const spk_compare_options *options)
{
    static spk_compare_verdict verdict[MOST_EVENTS];
    double least = 1;
    assert_true(f->n <= MOST_EVENTS);
    check(compare(f, options, verdict, NULL));
    for (uint64_t i = 0; i < f->n; i++)
        least = verdict[i].p < least ? verdict[i].p : least;
    return least;
}

/* Trials differ from each other in all rates at once, and in length; conditions say nothing. The
 * share of runs with any p <= alpha is at most alpha, and not far below it. */
static void chance_is_kept(void **state)
{
    const uint64_t n_runs = test_scaled(1500);
    uint64_t n_false[2] = {0, 0};
    (void)state;
    for (uint64_t c = 0; c < n_runs; c++) {
        test_random random = test_random_make(seed, 1000000 + c);
        found f;
        trials_start(14, 3);
        for (size_t k = 0; k < t.n; k++) {
            double gain = 0.5 + 2 * test_random_real(&random);
            set_length(k, 60 + (int64_t)test_random_below(&random, 60));
            for (uint32_t unit = 0; unit < 3; unit++)
                add_events(&random, k, unit, draw_poisson(&random, 3 * gain));
        }
        draw_conditions(&random, 5);
        search(c % 2 == 1, 6, 2, &f);
        spk_compare_options options = make_options();
        options.seed = c;
        options.n_permutations = 199;
        double least = smallest_of(&f, &options);
        n_false[0] += least <= 0.05;
        n_false[1] += least <= 0.2;
        found_free(&f);
    }
    const double alpha[] = {0.05, 0.2};
    for (int k = 0; k < 2; k++) {
        double mean = alpha[k] * (double)n_runs, deviation = sqrt(mean * (1 - alpha[k]));
        print_message("%llu of %llu runs have p <= %g\n", (unsigned long long)n_false[k],
                      (unsigned long long)n_runs, alpha[k]);
        assert_true((double)n_false[k] < mean + 4 * deviation);
        assert_true((double)n_false[k] > 0.7 * mean - 4 * deviation);
    }
}

/* Number of the pair 0 -> 1 within the first interval. */
static uint64_t find_pair(const found *f)
{
    for (uint64_t i = 0; i < f->n; i++)
        if (f->e.offset[i + 1] - f->e.offset[i] == 2 && f->e.unit[f->e.offset[i]] == 0 &&
            f->e.unit[f->e.offset[i] + 1] == 1 && f->e.delay[f->e.offset[i] + 1] == 0)
            return i;
    fail_msg("the planted pair is not found");
    return 0;
}

/* A pair is planted in the trials of one condition, without a change of any rate. */
static void planted_pair_is_found(void **state)
{
    static spk_compare_verdict verdict[MOST_EVENTS];
    (void)state;
    for (uint8_t in = 0; in < 2; in++) {
        test_random random = test_random_make(seed, 2000000 + in);
        found f;
        trials_start(40, 6);
        for (size_t k = 0; k < t.n; k++)
            set_length(k, 500);
        draw_conditions(&random, 16);
        for (size_t k = 0; k < t.n; k++) {
            for (uint32_t unit = 2; unit < 6; unit++)
                add_events(&random, k, unit, draw_poisson(&random, 5));
            for (int e = 0; e < 6; e++) {
                int64_t at = t.segment[k].start + test_random_between(&random, 0, 480);
                bool follows = t.condition[k] == in && e < 5;
                add_event(at, 0);
                add_event(follows ? at + test_random_between(&random, 1, 5)
                                  : t.segment[k].start + test_random_between(&random, 0, 499),
                          1);
            }
        }
        search(false, 8, 2, &f);
        spk_compare_options options = make_options();
        spk_compare_summary summary;
        assert_true(f.n <= MOST_EVENTS);
        check(compare(&f, &options, verdict, &summary));
        const spk_compare_verdict *pair = &verdict[find_pair(&f)];
        assert_true(pair->p <= 0.001);
        assert_int_equal(pair->difference_hz > 0, in == 1);
        assert_int_equal(pair->z > 0, in == 1);
        assert_true(in == 1 ? pair->lower_hz > 0 : pair->upper_hz < 0);
        assert_true(fabs(pair->z) > summary.critical_z);
        for (uint64_t i = 0; i < f.n; i++)
            assert_true(fabs(verdict[i].z) <= fabs(pair->z));
        found_free(&f);
    }
}

/* Units with known rates, half of them other ones in condition 1: in about 95 of 100 runs all
 * intervals hold the true differences; in fewer where the condition with fewer trials has the
 * larger rates, so that they vary more. */
static void intervals_hold_the_truth(void **state)
{
    static const double hz[2][8] = {{5, 5, 5, 20, 20, 40, 1, 10}, {5, 9, 1, 20, 32, 40, 1, 24}};
    const uint64_t n_runs = test_scaled(400);
    static const size_t n_first[] = {15, 10, 20};
    spk_compare_verdict verdict[8];
    (void)state;
    for (size_t design = 0; design < 3; design++) {
        uint64_t n_held = 0;
        for (uint64_t c = 0; c < n_runs; c++) {
            test_random random = test_random_make(seed, 3000000 + design * 100000 + c);
            found f;
            trials_start(30, 8);
            for (size_t k = 0; k < t.n; k++)
                set_length(k, 1500 + (int64_t)test_random_below(&random, 1000));
            draw_conditions(&random, n_first[design]);
            for (size_t k = 0; k < t.n; k++)
                for (uint32_t unit = 0; unit < 8; unit++) {
                    double s = (double)(t.segment[k].stop - t.segment[k].start) / 1000;
                    uint64_t n = draw_poisson(&random, hz[t.condition[k]][unit] * s);
                    for (uint64_t e = 0; e < n; e++) /* of different ticks */
                        add_event(t.segment[k].start + (int64_t)e, unit);
                }
            search(false, 1, 1, &f);
            assert_int_equal(f.n, 8);
            spk_compare_options options = make_options();
            options.seed = c;
            options.n_permutations = 399;
            check(compare(&f, &options, verdict, NULL));
            bool all = true;
            for (uint64_t i = 0; i < 8; i++) {
                uint32_t unit = f.e.unit[f.e.offset[i]];
                double truth = hz[1][unit] - hz[0][unit];
                all &= verdict[i].lower_hz <= truth && truth <= verdict[i].upper_hz;
            }
            n_held += all;
            found_free(&f);
        }
        print_message("%llu of %llu runs hold all, %zu of 30 trials of condition 0\n",
                      (unsigned long long)n_held, (unsigned long long)n_runs, n_first[design]);
        double share = n_first[design] <= 15 ? 0.93 : 0.88;
        double runs = (double)n_runs;
        assert_true((double)n_held > share * runs - 4 * sqrt(runs * share * (1 - share)));
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void wrong_options_are_refused(void **state)
{
    test_random random = test_random_make(seed, 4);
    spk_compare_verdict verdict[MOST_RESULTS];
    found f;
    (void)state;
    draw_busy(&random, 6, 2);
    search(false, 3, 2, &f);
    assert_true(f.n <= MOST_RESULTS && f.n >= 2);
    spk_compare_options options = make_options();
    options.n_trials = 5;
    check_fails(compare(&f, &options, verdict, NULL), SPK_ERR_ARGUMENT,
                "conditions of 5 trials, and the recording has 6");
    options = make_options();
    options.condition = NULL;
    check_fails(compare(&f, &options, verdict, NULL), SPK_ERR_ARGUMENT, "conditions of 0 trials");
    options = make_options();
    options.alpha = 1;
    check_fails(compare(&f, &options, verdict, NULL), SPK_ERR_ARGUMENT, "alpha 1");
    t.condition[2] = 2;
    options = make_options();
    check_fails(compare(&f, &options, verdict, NULL), SPK_ERR_ARGUMENT, "trial 3 has condition 2");
    memset(t.condition, 1, sizeof t.condition);
    check_fails(compare(&f, &options, verdict, NULL), SPK_ERR_ARGUMENT, "no trial has condition 0");
    t.condition[0] = 0;
    uint64_t *counts = calloc(f.n, sizeof *counts);
    assert_non_null(counts);
    for (int off = -1; off <= 1; off += 2) { /* a list of another recording */
        memcpy(counts, f.e.count, f.n * sizeof *counts);
        counts[1] += (uint64_t)(int64_t)off;
        f.e.count = counts;
        check_fails(compare(&f, &options, verdict, NULL), SPK_ERR_ARGUMENT,
                    "result 2 has the count");
        f.e = spk_episode_list_columns(f.episodes);
    }
    free(counts);
    options.n_permutations = 0; /* no way but the recording's own */
    check(compare(&f, &options, verdict, NULL));
    assert_true(verdict[0].p == 1 && isinf(verdict[0].upper_hz));
    f.e.n = 0;
    f.n = 0;
    check(compare(&f, &options, verdict, NULL)); /* no result */
    found_free(&f);
}

/* Lengths whose product with the counts would not be exact are rounded. */
static void long_trials_are_compared(void **state)
{
    test_random random = test_random_make(seed, 5);
    spk_compare_verdict verdict[MOST_RESULTS];
    spk_compare_summary summary;
    found f;
    (void)state;
    trials_start(8, 2);
    for (size_t k = 0; k < t.n; k++) {
        set_length(k, (INT64_C(1) << 58) + (int64_t)test_random_below(&random, 1000));
        t.condition[k] = k % 2;
        for (int64_t e = 0; e < 6 + 3 * t.condition[k]; e++)
            add_event(t.segment[k].start + 3 * e, (uint32_t)(e % 2));
    }
    search(false, 3, 2, &f);
    assert_true(f.n <= MOST_RESULTS);
    spk_compare_options options = make_options();
    check(compare(&f, &options, verdict, &summary));
    assert_int_equal(summary.n_permutations, 69);
    for (uint64_t i = 0; i < f.n; i++) {
        assert_true(verdict[i].difference_hz >= 0 && isfinite(verdict[i].z));
        if (verdict[i].count[1] > verdict[i].count[0])
            assert_true(verdict[i].p == 2.0 / 70);
    }
    found_free(&f);
}

/* ---- pieces of trials -------------------------------------------------------------------------
 */

/* The same trials given from the last to the first one, the middle one of them being one of which
 * nothing is left, and each as two pieces that touch where it has no event. */
static spk_recording *make_pieces(int64_t half, uint8_t *condition)
{
    spk_segment piece[2 * MOST_TRIALS];
    size_t trial[2 * MOST_TRIALS];
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = t.n_events, source.time = t.time, source.unit = t.unit;
    source.n_units = t.n_units;
    source.rate = (spk_rate){1000, 1};
    for (size_t k = 0; k < t.n; k++) {
        const spk_segment s = t.segment[k];
        const size_t number = t.n - k - (k >= t.n / 2);
        condition[number] = t.condition[k];
        piece[2 * k] = (spk_segment){s.start + half, s.stop};
        piece[2 * k + 1] = (spk_segment){s.start, s.start + half};
        trial[2 * k] = trial[2 * k + 1] = number;
    }
    condition[t.n - t.n / 2] = 0;
    source.segments = piece, source.n_segments = 2 * t.n;
    source.trial = trial, source.n_trials = t.n + 1;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

static void draw_halves(test_random *random, int64_t half)
{
    trials_start(12, 3);
    for (size_t k = 0; k < t.n; k++) {
        set_length(k, 2 * half);
        for (int e = 0; e < 30; e++) {
            int64_t at = test_random_between(random, 0, half - 61);
            at += test_random_chance(random, 0.5) ? half + 60 : 0;
            add_event(t.segment[k].start + at, (uint32_t)test_random_below(random, 3));
        }
    }
    draw_conditions(random, 5);
}

static void pieces_of_a_trial_are_dealt_out_together(void **state)
{
    static spk_compare_verdict expected[MOST_RESULTS], verdict[MOST_RESULTS];
    const int64_t half = 150;
    (void)state;
    for (int of_patterns = 0; of_patterns < 2; of_patterns++) {
        test_random random = test_random_make(seed, 7 + (uint64_t)of_patterns);
        uint8_t condition[MOST_TRIALS + 1];
        spk_compare_summary summary;
        found f;
        draw_halves(&random, half);
        search(of_patterns == 1, 12, 2, &f);
        assert_true(f.n > 3 && f.n <= MOST_RESULTS);
        spk_compare_options options = make_options();
        check(compare(&f, &options, expected, NULL));
        spk_windows_free(f.windows);
        spk_recording_free(f.recording);
        f.recording = make_pieces(half, condition);
        f.windows = of_patterns ? make_windows(f.recording) : NULL;
        options.condition = condition;
        assert_int_equal(compare(&f, &options, verdict, &summary), SPK_ERR_ARGUMENT);
        options.n_trials = t.n + 1;
        check(compare(&f, &options, verdict, &summary));
        assert_int_equal(summary.trials[0], 5);
        assert_int_equal(summary.trials[1], 7);
        assert_memory_equal(verdict, expected, f.n * sizeof *verdict);
        found_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_definition),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(chance_is_kept),
        cmocka_unit_test(planted_pair_is_found),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(long_trials_are_compared),
        cmocka_unit_test(pieces_of_a_trial_are_dealt_out_together),
    };
    seed = test_seed("test_compare");
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
