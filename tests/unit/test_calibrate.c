/*
 * Calibration of the exact test: equal to a plain one, the same for any threads, right about
 * chance, and alarmed where data keep what the null hypothesis does not.
 */
#include "base/tails.h"
#include "significance/exact/exact.h"
#include "support/context.h"

enum { MOST_EVENTS = 1000, MOST_RESULTS = 5000, MOST_SCALES = 2, STOP = 4000 };

static uint64_t seed;

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef struct test_job {
    bool of_patterns;
    spk_delay delay;
    spk_duration jitter[MOST_SCALES];
    spk_episode_options episodes;
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_exact_options test;
    spk_calibrate_options options;
} test_job;

static void set_up(test_job *job, bool of_patterns)
{
    memset(job, 0, sizeof *job);
    spk_episode_options_init(&job->episodes, sizeof job->episodes);
    spk_window_options_init(&job->windows, sizeof job->windows);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    spk_exact_options_init(&job->test, sizeof job->test);
    spk_calibrate_options_init(&job->options, sizeof job->options);
    job->of_patterns = of_patterns;
    job->delay = (spk_delay){{3, -3, 0}, {7, -3, 0}};
    job->jitter[0] = (spk_duration){2, -2, 0};
    job->jitter[1] = (spk_duration){5, -2, 0};
    job->episodes.delays = &job->delay, job->episodes.n_delays = 1;
    job->episodes.support = 3, job->episodes.max_size = 4;
    job->windows.bin = (spk_duration){5, -3, 0}, job->windows.window = 4;
    job->patterns.min_spikes = 2, job->patterns.max_spikes = 4, job->patterns.support = 3;
    job->test.episodes = of_patterns ? NULL : &job->episodes;
    job->test.windows = of_patterns ? &job->windows : NULL;
    job->test.patterns = of_patterns ? &job->patterns : NULL;
    job->test.jitter = job->jitter, job->test.n_jitter = 1;
    job->test.null = "interval-jitter";
    job->test.n_surrogates = 19;
    job->options.test = &job->test;
}

/* n events of independent units; ticks are milliseconds. With `pairs` a unit fires twice, 5 ms
 * apart. */
static spk_recording *make_recording(test_random *random, uint64_t n, uint32_t n_units, bool pairs)
{
    static int64_t time[2 * MOST_EVENTS];
    static uint32_t unit[2 * MOST_EVENTS];
    static const int64_t start = 0, stop = STOP;
    static const spk_segment segments[] = {{0, 1400}, {1400, 3003}, {3100, STOP}};
    spk_recording *recording = NULL;
    spk_recording_source source;
    uint64_t n_events = 0;
    assert_true(n <= MOST_EVENTS);
    for (uint64_t e = 0; e < n; e++) {
        const int64_t first = test_random_between(random, 0, STOP - 6);
        const uint32_t u = (uint32_t)test_random_below(random, n_units);
        time[n_events] = first, unit[n_events++] = u;
        if (pairs)
            time[n_events] = first + 5, unit[n_events++] = u;
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events;
    source.time = time;
    source.unit = unit;
    source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start, source.stop = &stop;
    if (test_random_chance(random, 0.5))
        source.segments = segments, source.n_segments = 3;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

static spk_calibration *calibrate(const test_job *job, const spk_recording *recording)
{
    spk_calibration *calibration = NULL;
    check(spk_exact_calibrate(context, recording, &job->options, &calibration));
    return calibration;
}

/* ---- by definition --------------------------------------------------------------------------- */

static uint32_t count_units(const uint32_t *unit, uint64_t n)
{
    uint32_t different = 0;
    for (uint64_t k = 0; k < n; k++) {
        bool before = false;
        for (uint64_t j = 0; j < k; j++)
            before |= unit[j] == unit[k];
        different += !before;
    }
    return different;
}

static uint32_t score_of(const spk_exact_scale *scale, const uint32_t *unit, uint64_t size,
                         double mean, uint64_t count)
{
    if (size < 2)
        return 0;
    return spk_exact_classes_score(&scale->classes, spk_exact_class(size, count_units(unit, size)),
                                   spk_exact_score(mean, count));
}

/* The largest score of all that a search of the recording finds. */
static uint32_t largest_score(const test_job *job, const spk_recording *recording,
                              const spk_exact_scale *scale)
{
    static double mean[MOST_RESULTS];
    uint32_t largest = 0, unit[64];
    if (job->of_patterns) {
        spk_windows *windows = NULL;
        spk_pattern_list *list = NULL;
        check(spk_windows_create(context, recording, &job->windows, &windows));
        check(spk_pattern_list_create(context, job->windows.window, &list));
        check(spk_pattern_mine(context, windows, &job->patterns, spk_pattern_list_add, list, NULL));
        const spk_pattern_columns c = spk_pattern_list_columns(list);
        assert_true(c.n < MOST_RESULTS);
        spk_null_pattern_means(scale->null, &c, NULL, mean, NULL);
        for (uint64_t i = 0; i < c.n; i++) {
            const uint64_t size = c.offset[i + 1] - c.offset[i];
            for (uint64_t k = 0; k < size; k++)
                unit[k] = c.item[c.offset[i] + k] / c.window;
            uint32_t score = score_of(scale, unit, size, mean[i], c.count[i]);
            largest = score > largest ? score : largest;
        }
        spk_pattern_list_free(list);
        spk_windows_free(windows);
    } else {
        spk_episode_list *list = NULL;
        check(spk_episode_list_create(context, &list));
        check(
            spk_episode_mine(context, recording, &job->episodes, spk_episode_list_add, list, NULL));
        const spk_episode_columns c = spk_episode_list_columns(list);
        assert_true(c.n < MOST_RESULTS);
        spk_null_episode_means(scale->null, &c, mean, NULL);
        for (uint64_t i = 0; i < c.n; i++) {
            uint32_t score = score_of(scale, c.unit + c.offset[i], c.offset[i + 1] - c.offset[i],
                                      mean[i], c.count[i]);
            largest = score > largest ? score : largest;
        }
        spk_episode_list_free(list);
    }
    return largest;
}

static spk_exact_scales *open_scales(const test_job *job, const spk_recording *recording)
{
    spk_exact_job *own = calloc(1, sizeof *own);
    spk_exact_scales *scales = NULL;
    assert_non_null(own);
    check(spk_exact_job_take(context, recording, &job->test, own));
    check(spk_exact_scales_open(context, recording, own, &scales));
    free(own->text);
    free(own);
    return scales;
}

/* Run `run` with everything made anew from its data: windows, means and surrogates; and pilots, but
 * for those of the longest window of data by jitter, which are the recording's. */
static void check_run(const test_job *job, const spk_calibration_columns *c,
                      const spk_exact_scales *of_recording, const spk_recording *data, uint64_t run)
{
    spk_exact_scales *scales = open_scales(job, data);
    double least = 1;
    for (uint32_t s = 0; s < c->n_scales; s++) {
        spk_exact_scale *scale = &scales->scale[s];
        if (job->options.draws == NULL && job->options.method == NULL && s + 1 == c->n_scales)
            scale->classes = of_recording->scale[s].classes;
        const uint32_t largest = largest_score(job, data, scale);
        uint64_t n_above = 0, n_equal = 0;
        for (uint64_t k = 0; k < c->n_surrogates; k++) {
            const uint64_t number = (UINT64_C(1) << 60) + run * c->n_surrogates + k;
            spk_recording *surrogate = NULL;
            check(spk_surrogates_make(context, scale->surrogates, number, &surrogate));
            const uint32_t other = largest_score(job, surrogate, scale);
            n_above += other > largest;
            n_equal += other == largest;
            spk_recording_free(surrogate);
        }
        const uint64_t at = run * c->n_scales + s;
        const double p = (double)(1 + n_above + n_equal) / (double)(c->n_surrogates + 1);
        assert_true(c->scale_p[at] == p);
        assert_true(c->rank[at] > n_above && c->rank[at] <= 1 + n_above + n_equal);
        least = p * c->n_scales < least ? p * c->n_scales : least;
    }
    assert_true(c->p[run] == least);
    spk_exact_scales_free(scales);
}

static void equals_a_plain_calibration(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(16); c++) {
        test_random random = test_random_make(seed, c);
        spk_surrogate_options draws;
        spk_surrogates *source = NULL;
        test_job job;
        set_up(&job, c % 2 == 1);
        job.test.n_jitter = 1 + test_random_below(&random, MOST_SCALES);
        job.test.n_surrogates = 1 + test_random_below(&random, 6);
        job.test.seed = test_random_below(&random, 1000);
        job.options.n_runs = 1 + test_random_below(&random, 4);
        spk_recording *recording = make_recording(&random, 300, 4, false);
        spk_surrogate_options_init(&draws, sizeof draws);
        draws.seed = job.test.seed;
        const uint64_t way = test_random_below(&random, 3); /* by draws, a method, the null */
        draws.method = way < 2 ? "dither-spikes" : "interval-jitter";
        if (way == 0) {
            job.options.draws = &draws;
        } else {
            job.options.method = way == 1 ? draws.method : NULL;
            draws.dither = job.jitter[job.test.n_jitter - 1];
            draws.bin = job.of_patterns ? job.windows.bin : draws.bin;
        }
        spk_context_set_threads(context, 1 + (int)(c % 3));
        spk_calibration *calibration = calibrate(&job, recording);
        const spk_calibration_columns columns = spk_calibration_columns_of(calibration);
        assert_int_equal(columns.n, job.options.n_runs);
        spk_exact_scales *scales = open_scales(&job, recording);
        check(spk_surrogates_create(context, recording, &draws, &source));
        for (uint64_t run = 0; run < columns.n; run++) {
            spk_recording *data = NULL;
            check(spk_surrogates_make(context, source, (UINT64_C(1) << 61) + run, &data));
            check_run(&job, &columns, scales, data, run);
            spk_recording_free(data);
        }
        spk_surrogates_free(source);
        spk_exact_scales_free(scales);
        spk_calibration_free(calibration);
        spk_recording_free(recording);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static void threads_change_nothing(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(6); c++) {
        test_random random = test_random_make(seed + 1, c);
        test_job job;
        set_up(&job, c % 2 == 1);
        job.test.n_jitter = MOST_SCALES;
        job.options.n_runs = 9;
        spk_recording *recording = make_recording(&random, 200, 4, false);
        spk_context_set_threads(context, 1);
        spk_calibration *one = calibrate(&job, recording);
        spk_context_set_threads(context, 2);
        spk_calibration *two = calibrate(&job, recording);
        const spk_calibration_columns x = spk_calibration_columns_of(one);
        const spk_calibration_columns y = spk_calibration_columns_of(two);
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.p, y.p, x.n * sizeof *x.p);
        assert_memory_equal(x.scale_p, y.scale_p, x.n * x.n_scales * sizeof *x.scale_p);
        assert_memory_equal(x.rank, y.rank, x.n * x.n_scales * sizeof *x.rank);
        spk_calibration_free(one);
        spk_calibration_free(two);
        spk_recording_free(recording);
    }
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* At most what is promised, but for five standard deviations, which chance never exceeds. */
static void check_chance(const spk_alarm_rate *rate, uint64_t n)
{
    const double error = sqrt(rate->promised * (1 - rate->promised) / (double)n);
    assert_true(rate->share <= rate->promised + 5 * error);
    assert_true(rate->low <= rate->share && rate->share <= rate->high);
}

static void chance_is_found_as_often_as_promised(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        test_random random = test_random_make(seed + 2, (uint64_t)c);
        spk_alarm_rate rate;
        test_job job;
        set_up(&job, c % 2 == 1);
        job.test.n_jitter = c < 2 ? 1 : MOST_SCALES;
        job.test.n_surrogates = spk_exact_least_surrogates(0.1, job.test.n_jitter);
        job.test.seed = seed + (uint64_t)c;
        job.options.n_runs = test_scaled(300);
        spk_recording *recording = make_recording(&random, 250, 4, false);
        spk_calibration *calibration = calibrate(&job, recording);
        spk_calibration_rate(calibration, 0.1, SPK_ALL_SCALES, &rate);
        check_chance(&rate, job.options.n_runs);
        assert_true(fabs(rate.promised - 0.1) < 1e-9);
        assert_true(isnan(rate.uniform_p));
        for (uint32_t s = 0; s < job.test.n_jitter; s++) {
            spk_calibration_rate(calibration, 0.1, s, &rate);
            check_chance(&rate, job.options.n_runs);
            if (job.options.n_runs >= 25)
                assert_true(rate.uniform_p > 1e-7);
            else
                assert_true(isnan(rate.uniform_p));
        }
        spk_calibration_free(calibration);
        spk_recording_free(recording);
    }
}

/* Units that fire in pairs: trial-shifting keeps the pairs, and jitter does not. */
static void other_chance_is_alarming(void **state)
{
    (void)state;
    test_random random = test_random_make(5, 0);
    spk_surrogate_options draws;
    spk_alarm_rate rate;
    test_job job;
    set_up(&job, false);
    job.options.n_runs = 30;
    spk_surrogate_options_init(&draws, sizeof draws);
    draws.method = "trial-shifting";
    spk_recording *recording = make_recording(&random, 200, 3, true);
    spk_calibration *calibration = calibrate(&job, recording);
    spk_calibration_rate(calibration, 0.05, 0, &rate);
    assert_true(rate.n_alarms < 10);
    spk_calibration_free(calibration);
    job.options.draws = &draws;
    calibration = calibrate(&job, recording);
    spk_calibration_rate(calibration, 0.05, 0, &rate);
    assert_int_equal(rate.n_alarms, 30);
    assert_true(rate.share == 1 && rate.high == 1 && rate.low > 0.88);
    assert_true(rate.uniform_p < 1e-9);
    spk_calibration_free(calibration);
    spk_recording_free(recording);
}

/* Nothing is ever found: p is 1, and places among equals are drawn. */
static void nothing_to_find(void **state)
{
    (void)state;
    for (int of_patterns = 0; of_patterns < 2; of_patterns++) {
        test_random random = test_random_make(seed + 3, (uint64_t)of_patterns);
        spk_alarm_rate rate;
        test_job job;
        set_up(&job, of_patterns == 1);
        job.episodes.support = 10000, job.patterns.support = 10000;
        job.test.seed = seed;
        job.options.n_runs = test_scaled(200);
        spk_recording *recording = make_recording(&random, 60, 3, false);
        spk_calibration *calibration = calibrate(&job, recording);
        const spk_calibration_columns c = spk_calibration_columns_of(calibration);
        for (uint64_t r = 0; r < c.n; r++) {
            assert_true(c.p[r] == 1 && c.scale_p[r] == 1);
            assert_true(c.rank[r] >= 1 && c.rank[r] <= c.n_surrogates + 1);
        }
        spk_calibration_rate(calibration, 0.05, 0, &rate);
        assert_true(rate.n_alarms == 0 && rate.low == 0);
        assert_true(c.n < 25 || rate.uniform_p > 1e-7);
        spk_calibration_free(calibration);
        spk_recording_free(recording);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void tables_have_a_row_for_each_run(void **state)
{
    (void)state;
    test_random random = test_random_make(8, 0);
    spk_calibration_report report;
    test_job job;
    char expected[1000] = "run\tp\tp_20ms\trank_20ms\tp_50ms\trank_50ms\n";
    set_up(&job, false);
    job.options.n_runs = 3;
    job.test.n_jitter = 2, job.test.n_surrogates = 4;
    spk_recording *recording = make_recording(&random, 100, 3, false);
    spk_calibration *calibration = calibrate(&job, recording);
    const spk_calibration_columns c = spk_calibration_columns_of(calibration);
    for (uint64_t r = 0; r < c.n; r++) {
        size_t n = strlen(expected);
        snprintf(expected + n, sizeof expected - n, "%d\t%g\t%g\t%d\t%g\t%d\n", (int)r + 1, c.p[r],
                 c.scale_p[2 * r], (int)c.rank[2 * r], c.scale_p[2 * r + 1],
                 (int)c.rank[2 * r + 1]);
    }
    spk_calibration_report_init(&report, sizeof report);
    report.jitter = job.jitter, report.n_jitter = 2;
    report.method = "interval-jitter";
    check(spk_calibration_write(context, test_path("runs.tsv"), SPK_FORM_TSV, recording,
                                calibration, &report, NULL));
    char *text = test_file_text("runs.tsv");
    assert_string_equal(text, expected);
    free(text);
    check(spk_calibration_write(context, test_path("runs.json"), SPK_FORM_JSON, recording,
                                calibration, &report, NULL));
    text = test_file_text("runs.json");
    assert_non_null(strstr(text, "\"method\": \"interval-jitter\",\n \"alpha\": 0.05"));
    assert_non_null(strstr(text, "{\"jitter\":\"20ms\",\"alarms\":"));
    assert_non_null(strstr(text, "\"uniform_p\":null}"));
    assert_non_null(strstr(text, "{\"run\":3,\"p\":"));
    free(text);
    spk_calibration_free(calibration);
    spk_recording_free(recording);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Intervals by binom.test of R 4.2. */
static void intervals_are_those_of_clopper_and_pearson(void **state)
{
    (void)state;
    static const struct {
        uint64_t k, n;
        double low, high;
    } known[] = {{0, 10, 0, 0.3084971},
                 {5, 100, 0.01643188, 0.11283491},
                 {10, 10, 0.6915029, 1},
                 {1, 2, 0.01257912, 0.98742088}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double low, high;
        spk_binomial_interval(known[k].k, known[k].n, 0.95, &low, &high);
        assert_true(fabs(low - known[k].low) < 1e-7);
        assert_true(fabs(high - known[k].high) < 1e-7);
    }
}

static void the_least_surrogates_reach_alpha(void **state)
{
    (void)state;
    assert_int_equal(spk_exact_least_surrogates(0.05, 1), 19);
    assert_int_equal(spk_exact_least_surrogates(0.05, 3), 59);
    assert_int_equal(spk_exact_least_surrogates(0.01, 1), 99);
    assert_int_equal(spk_exact_least_surrogates(1, 1), 1);
    assert_int_equal(spk_exact_least_surrogates(0.3, 1), 3);
}

/* A job has as few surrogates as its alpha and its windows need, and the limits of its selection.
 */
static void a_job_completes_its_test(void **state)
{
    (void)state;
    test_random random = test_random_make(seed + 5, 0);
    spk_recording *recording = make_recording(&random, 150, 4, false);
    spk_analysis_options options;
    spk_select_options select;
    spk_calibration *by_job = NULL;
    test_job job;
    set_up(&job, false);
    spk_analysis_options_init(&options, sizeof options);
    spk_select_options_init(&select, sizeof select);
    options.exact = &job.test, options.alpha = 0.1, options.select = &select;
    select.min_size = 2;
    job.options.n_runs = 6;
    job.test.n_surrogates = 0;
    check(spk_analysis_calibrate(context, recording, &options, &job.options, &by_job));
    job.test.n_surrogates = spk_exact_least_surrogates(0.1, job.test.n_jitter);
    job.test.min_size = 2;
    spk_calibration *by_hand = calibrate(&job, recording);
    const spk_calibration_columns a = spk_calibration_columns_of(by_job);
    const spk_calibration_columns b = spk_calibration_columns_of(by_hand);
    assert_int_equal(a.n_surrogates, b.n_surrogates);
    assert_int_equal(a.n, 6);
    assert_memory_equal(a.p, b.p, a.n * sizeof *a.p);
    spk_calibration_free(by_job);
    spk_calibration_free(by_hand);
    options.exact = NULL, options.episodes = job.test.episodes;
    assert_int_equal(spk_analysis_calibrate(context, recording, &options, NULL, &by_job),
                     SPK_ERR_ARGUMENT);
    assert_null(by_job);
    spk_recording_free(recording);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void is_refused(const test_job *job, const spk_recording *recording, const char *text)
{
    spk_calibration *calibration = NULL;
    assert_int_equal(spk_exact_calibrate(context, recording, &job->options, &calibration),
                     SPK_ERR_ARGUMENT);
    assert_null(calibration);
    assert_non_null(strstr(spk_context_message(context), text));
}

static void bad_options_are_told(void **state)
{
    (void)state;
    test_random random = test_random_make(seed + 4, 0);
    spk_surrogate_options draws;
    spk_calibration *calibration = NULL;
    test_job job;
    set_up(&job, false);
    spk_recording *recording = make_recording(&random, 60, 3, false);
    spk_surrogate_options_init(&draws, sizeof draws);
    job.options.draws = &draws, job.options.method = "dither-spikes";
    is_refused(&job, recording, "give one of them");
    job.options.draws = NULL, job.options.method = NULL;
    job.options.n_runs = 0;
    is_refused(&job, recording, "at least one run");
    job.options.n_runs = 5;
    job.test.checkpoint = "a.spk";
    is_refused(&job, recording, "neither shards nor a checkpoint");
    job.test.checkpoint = NULL;
    job.test.n_shards = 3;
    is_refused(&job, recording, "neither shards nor a checkpoint");
    job.test.n_shards = 1;
    spk_surrogate_options_init(&draws, sizeof draws);
    draws.method = "none such";
    job.options.draws = &draws;
    is_refused(&job, recording, "none such");
    job.options.draws = NULL;
    spk_context_cancel(context);
    assert_int_equal(spk_exact_calibrate(context, recording, &job.options, &calibration),
                     SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    job.options.n_runs = UINT64_MAX;
    assert_int_equal(spk_exact_calibrate(context, recording, &job.options, &calibration),
                     SPK_ERR_RANGE);
    job.options.test = NULL;
    is_refused(&job, recording, "options of a test");
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("calibrate");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_plain_calibration),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(chance_is_found_as_often_as_promised),
        cmocka_unit_test(other_chance_is_alarming),
        cmocka_unit_test(nothing_to_find),
        cmocka_unit_test(tables_have_a_row_for_each_run),
        cmocka_unit_test(intervals_are_those_of_clopper_and_pearson),
        cmocka_unit_test(the_least_surrogates_reach_alpha),
        cmocka_unit_test(a_job_completes_its_test),
        cmocka_unit_test(bad_options_are_told),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
