/*
 * The exact test of episodes and patterns: equal to a plain one, the same for any threads and
 * shards, and right about chance: where the recording is itself a draw from the null hypothesis,
 * its rank among its surrogates is uniform.
 */
#include "significance/exact/exact.h"
#include "support/context.h"

enum { MOST_RESULTS = 20000, MOST_SCALES = 3 };

static uint64_t seed;

/* ---- jobs ------------------------------------------------------------------------------------ */

/* A recording and options; the pointers lead to the structs beside them. */
typedef struct test_job {
    spk_recording *recording;
    spk_episode_options episodes;
    spk_delay delay[2];
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_duration jitter[MOST_SCALES];
    bool of_patterns;
    spk_exact_options options;
} test_job;

/* With `trials` in segments that have nearly one length. */
static spk_recording *make_recording(test_random *random, uint64_t n_events, uint32_t n_units,
                                     bool trials)
{
    int64_t *time = calloc(n_events, sizeof *time);
    uint32_t *unit = calloc(n_events, sizeof *unit);
    spk_recording *recording = NULL;
    spk_recording_source source;
    assert_true(time != NULL && unit != NULL);
    for (uint64_t e = 0; e < n_events; e++) {
        time[e] = test_random_between(random, 0, 1999);
        unit[e] = (uint32_t)test_random_below(random, n_units);
    }
    static const int64_t start = 0, stop = 2000;
    static const spk_segment segments[] = {{0, 700}, {700, 1500}, {1600, 2000}};
    static const spk_segment equal[] = {{0, 660}, {660, 1320}, {1321, 1980}};
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events;
    source.time = time;
    source.unit = unit;
    source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    if (trials || test_random_chance(random, 0.5)) {
        source.segments = trials ? equal : segments;
        source.n_segments = 3;
    }
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    free(time);
    free(unit);
    return recording;
}

static void point_to_own(test_job *job)
{
    job->episodes.delays = job->delay;
    job->options.episodes = job->of_patterns ? NULL : &job->episodes;
    job->options.windows = job->of_patterns ? &job->windows : NULL;
    job->options.patterns = job->of_patterns ? &job->patterns : NULL;
    job->options.jitter = job->jitter;
}

static void draw_job(test_random *random, test_job *job)
{
    static const spk_duration jitter[] = {{15, -3, 0}, {4, -2, 0}, {1, -1, 0}};
    static const int64_t history_ms[] = {-1, 0, 5, 12};
    const spk_exact_null *null =
        spk_exact_null_get(test_random_below(random, spk_exact_null_count()));
    memset(job, 0, sizeof *job);
    job->recording = make_recording(random, 40 + test_random_below(random, 300),
                                    2 + (uint32_t)test_random_below(random, 5),
                                    strcmp(null->name, "trials") == 0);
    spk_episode_options_init(&job->episodes, sizeof job->episodes);
    spk_window_options_init(&job->windows, sizeof job->windows);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    spk_exact_options_init(&job->options, sizeof job->options);
    job->delay[0] = (spk_delay){{0, 0, 0}, {5, -3, 0}};
    job->delay[1] = (spk_delay){{5, -3, 0}, {2, -2, 0}};
    job->episodes.n_delays = 1 + test_random_below(random, 2);
    job->episodes.support = 3 + test_random_below(random, 3);
    job->episodes.max_size = 5;
    job->windows.bin = (spk_duration){5, -3, 0};
    job->windows.window = 2 + (uint32_t)test_random_below(random, 4);
    job->patterns.min_spikes = 2;
    job->patterns.max_spikes = 6;
    job->patterns.support = 2 + test_random_below(random, 3);
    job->of_patterns = test_random_chance(random, 0.5);
    memcpy(job->jitter, jitter, sizeof jitter);
    job->options.n_jitter = 1 + test_random_below(random, MOST_SCALES);
    job->options.null = null->name;
    job->options.history = (spk_duration){history_ms[test_random_below(random, 4)], -3, 0};
    job->options.seed = test_random_below(random, 1000);
    job->options.n_surrogates = 1 + test_random_below(random, 30);
    job->options.min_size = (uint32_t)test_random_below(random, 4);
    job->options.distinct_units = (uint32_t)test_random_below(random, 4);
    point_to_own(job);
}

static spk_maxima *run(const test_job *job)
{
    spk_maxima *maxima = NULL;
    check(spk_exact_run(context, job->recording, &job->options, &maxima));
    return maxima;
}

/* ---- results --------------------------------------------------------------------------------- */

/* What a search finds, in either language. */
typedef struct found {
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
    uint64_t n;
} found;

static void search(const test_job *job, const spk_recording *recording, found *out)
{
    *out = (found){.n = 0};
    if (job->of_patterns) {
        spk_windows *windows = NULL;
        check(spk_pattern_list_create(context, job->windows.window, &out->patterns));
        check(spk_windows_create(context, recording, &job->windows, &windows));
        check(spk_pattern_mine(context, windows, &job->patterns, spk_pattern_list_add,
                               out->patterns, NULL));
        check(spk_pattern_list_sort(out->patterns));
        spk_windows_free(windows);
        out->n = spk_pattern_list_columns(out->patterns).n;
    } else {
        check(spk_episode_list_create(context, &out->episodes));
        check(spk_episode_mine(context, recording, &job->episodes, spk_episode_list_add,
                               out->episodes, NULL));
        out->n = spk_episode_list_columns(out->episodes).n;
    }
    assert_true(out->n < MOST_RESULTS);
}

static void found_free(found *f)
{
    spk_episode_list_free(f->episodes);
    spk_pattern_list_free(f->patterns);
}

static void test(const test_job *job, const spk_maxima *maxima, const found *f,
                 spk_exact_verdict *verdict, double *scale_p)
{
    if (job->of_patterns) {
        const spk_pattern_columns columns = spk_pattern_list_columns(f->patterns);
        check(spk_exact_test_patterns(context, job->recording, &job->options, maxima, &columns,
                                      verdict, scale_p));
    } else {
        const spk_episode_columns columns = spk_episode_list_columns(f->episodes);
        check(spk_exact_test_episodes(context, job->recording, &job->options, maxima, &columns,
                                      verdict, scale_p));
    }
}

/* ---- a plain test ---------------------------------------------------------------------------- */

/* Result i: its class, as the header says, and its raw score. */
static uint32_t class_of(const test_job *job, const found *f, uint64_t i)
{
    uint32_t different = 0, size;
    uint32_t unit[64];
    if (job->of_patterns) {
        const spk_pattern_columns c = spk_pattern_list_columns(f->patterns);
        size = (uint32_t)(c.offset[i + 1] - c.offset[i]);
        for (uint32_t k = 0; k < size; k++)
            unit[k] = c.item[c.offset[i] + k] / c.window;
    } else {
        const spk_episode_columns c = spk_episode_list_columns(f->episodes);
        size = (uint32_t)(c.offset[i + 1] - c.offset[i]);
        for (uint32_t k = 0; k < size; k++)
            unit[k] = c.unit[c.offset[i] + k];
    }
    for (uint32_t u = 0; u < 16; u++) {
        bool there = false;
        for (uint32_t k = 0; k < size; k++)
            there |= unit[k] == u;
        different += there;
    }
    bool tested =
        size >= 2 && size >= job->options.min_size && different >= job->options.distinct_units;
    return tested ? spk_exact_class(size, different) : SPK_EXACT_NO_CLASS;
}

static void find_raw(const test_job *job, const found *f, const spk_null *null, uint32_t *raw)
{
    double *mean = calloc(2 * (f->n + 1), sizeof *mean), *spread = mean + f->n + 1;
    assert_non_null(mean);
    if (job->of_patterns) {
        const spk_pattern_columns c = spk_pattern_list_columns(f->patterns);
        spk_null_pattern_means(null, &c, NULL, mean, spread);
        for (uint64_t i = 0; i < f->n; i++)
            raw[i] = spk_exact_spread_score(mean[i], spread[i], c.count[i]);
    } else {
        const spk_episode_columns c = spk_episode_list_columns(f->episodes);
        spk_null_episode_means(null, &c, mean, spread);
        for (uint64_t i = 0; i < f->n; i++)
            raw[i] = spk_exact_spread_score(mean[i], spread[i], c.count[i]);
    }
    free(mean);
}

/* The scores of all tested results of surrogate k, from the largest down. */
typedef struct surrogate_scores {
    uint32_t n;
    uint32_t score[MOST_RESULTS];
} surrogate_scores;

static int compare_falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

static void score_surrogate(const test_job *job, const spk_exact_scale *scale, uint64_t k,
                            surrogate_scores *out)
{
    static uint32_t raw[MOST_RESULTS];
    spk_recording *surrogate = NULL;
    found f;
    out->n = 0;
    check(spk_surrogates_make(context, scale->surrogates, k, &surrogate));
    search(job, surrogate, &f);
    find_raw(job, &f, scale->null, raw);
    for (uint64_t i = 0; i < f.n; i++) {
        uint32_t class_number = class_of(job, &f, i);
        if (class_number != SPK_EXACT_NO_CLASS)
            out->score[out->n++] = spk_exact_classes_score(&scale->classes, class_number, raw[i]);
    }
    qsort(out->score, out->n, sizeof *out->score, compare_falling);
    found_free(&f);
    spk_recording_free(surrogate);
}

static uint32_t count_from(const surrogate_scores *s, uint32_t score)
{
    uint32_t n = 0;
    while (n < s->n && s->score[n] >= score)
        n++;
    return n;
}

static spk_exact_job *take(const test_job *job)
{
    spk_exact_job *own = calloc(1, sizeof *own);
    assert_non_null(own);
    check(spk_exact_job_take(context, job->recording, &job->options, own));
    return own;
}

static void free_taken(spk_exact_job *own)
{
    free(own->text);
    free(own);
}

/* p, e_value and fdr of all results at one scale by their definitions. */
static void check_scale(const test_job *job, const spk_exact_scale *scale, uint32_t number,
                        const found *f, const spk_exact_verdict *verdict, const double *scale_p)
{
    static surrogate_scores all[64];
    static uint32_t raw[MOST_RESULTS], score[MOST_RESULTS];
    const uint64_t n_surrogates = job->options.n_surrogates;
    const size_t n_scales = job->options.n_jitter;
    find_raw(job, f, scale->null, raw);
    for (uint64_t k = 0; k < n_surrogates; k++)
        score_surrogate(job, scale, k + 1, &all[k]);
    for (uint64_t i = 0; i < f->n; i++) {
        uint32_t c = class_of(job, f, i);
        score[i] =
            c == SPK_EXACT_NO_CLASS ? 0 : spk_exact_classes_score(&scale->classes, c, raw[i]);
    }
    for (uint64_t i = 0; i < f->n; i++) {
        uint64_t above = 0, results = 0;
        for (uint64_t k = 0; k < n_surrogates; k++) {
            uint32_t largest = all[k].n > 0 ? all[k].score[0] : 0;
            above += largest >= score[i];
            results += count_from(&all[k], score[i] > 0 ? score[i] : 1);
        }
        assert_true(scale_p[i * n_scales + number] ==
                    (double)(1 + above) / (double)(n_surrogates + 1));
        if (verdict[i].scale != number)
            continue;
        assert_int_equal(verdict[i].score, score[i]);
        assert_int_equal(verdict[i].tested, class_of(job, f, i) != SPK_EXACT_NO_CLASS);
        double p = scale_p[i * n_scales + number] * (double)n_scales;
        assert_true(verdict[i].p == (p < 1 ? p : 1));
        assert_true(fabs(verdict[i].e_value - (double)(1 + results) / (double)(n_surrogates + 1)) <
                    1e-12);
        double least = 1;
        for (uint64_t j = 0; j < f->n; j++) {
            if (score[j] > score[i] || score[j] == 0)
                continue;
            uint64_t mine = 0, theirs = 0;
            for (uint64_t m = 0; m < f->n; m++)
                mine += score[m] >= score[j];
            for (uint64_t k = 0; k < n_surrogates; k++)
                theirs += count_from(&all[k], score[j]);
            double ratio = (1 + (double)theirs / (double)mine) / (double)(n_surrogates + 1);
            least = ratio < least ? ratio : least;
        }
        assert_true(fabs(verdict[i].fdr - least) < 1e-12);
    }
}

static void equals_a_plain_test(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed, c);
        test_job job;
        found f;
        draw_job(&random, &job);
        spk_context_set_threads(context, 1 + (int)(c % 3));
        spk_maxima *maxima = run(&job);
        search(&job, job.recording, &f);
        spk_exact_verdict *verdict = calloc(f.n + 1, sizeof *verdict);
        double *scale_p = calloc(f.n * job.options.n_jitter + 1, sizeof *scale_p);
        assert_true(verdict != NULL && scale_p != NULL);
        test(&job, maxima, &f, verdict, scale_p);
        spk_exact_job *own = take(&job);
        spk_exact_scales *scales = NULL;
        check(spk_exact_scales_open(context, job.recording, own, &scales));
        for (uint32_t s = 0; s < job.options.n_jitter && f.n < 400; s++)
            check_scale(&job, &scales->scale[s], s, &f, verdict, scale_p);
        spk_exact_scales_free(scales);
        free_taken(own);
        free(verdict);
        free(scale_p);
        found_free(&f);
        spk_maxima_free(maxima);
        spk_recording_free(job.recording);
    }
}

/* ---- threads and shards ---------------------------------------------------------------------- */

static char *bytes_of(const spk_maxima *maxima)
{
    check(spk_maxima_write(context, maxima, test_path("bytes.spk")));
    return test_file_text("bytes.spk");
}

static spk_maxima *run_shards(test_random *random, test_job job, uint32_t n_shards)
{
    spk_maxima *part[5] = {NULL}, *whole = NULL;
    for (uint32_t s = 0; s < n_shards; s++) {
        job.options.shard = n_shards - s;
        job.options.n_shards = n_shards;
        point_to_own(&job);
        spk_context_set_threads(context, 1 + (int)test_random_below(random, 3));
        part[s] = run(&job);
        check(spk_maxima_write(context, part[s], test_path("part.spk")));
        spk_maxima_free(part[s]);
        check(spk_maxima_read(context, test_path("part.spk"), &part[s]));
    }
    check(spk_maxima_merge(context, n_shards, (const spk_maxima *const *)part, &whole));
    for (uint32_t s = 0; s < n_shards; s++)
        spk_maxima_free(part[s]);
    return whole;
}

static void threads_and_shards_change_nothing(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(30); c++) {
        test_random random = test_random_make(seed + 1, c);
        test_job job;
        found f;
        draw_job(&random, &job);
        spk_context_set_threads(context, 1);
        spk_maxima *alone = run(&job);
        char *expected = bytes_of(alone);
        spk_maxima *whole = run_shards(&random, job, 1 + (uint32_t)test_random_below(&random, 5));
        char *bytes = bytes_of(whole);
        assert_string_equal(bytes, expected);
        check(spk_exact_check(context, whole, job.recording, &job.options));
        search(&job, job.recording, &f);
        spk_exact_verdict *verdict = calloc(2 * f.n + 1, sizeof *verdict);
        assert_non_null(verdict);
        test(&job, alone, &f, verdict, NULL);
        test(&job, whole, &f, verdict + f.n, NULL); /* which has to run its pilots anew */
        assert_memory_equal(verdict, verdict + f.n, f.n * sizeof *verdict);
        free(verdict);
        found_free(&f);
        free(bytes);
        free(expected);
        spk_maxima_free(alone);
        spk_maxima_free(whole);
        spk_recording_free(job.recording);
    }
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* The smallest p of a recording that is a draw from the null hypothesis of another one. */
static double least_p(test_job *job, uint64_t number)
{
    spk_surrogates *surrogates = NULL;
    spk_surrogate_options options;
    spk_recording *recording = job->recording;
    found f;
    job->options.seed = number; /* surrogates of their own for each draw */
    spk_surrogate_options_init(&options, sizeof options);
    for (size_t k = 0; k < spk_exact_null_count(); k++)
        if (strcmp(spk_exact_null_get(k)->name, job->options.null) == 0)
            options.method = spk_exact_null_get(k)->method;
    options.dither = job->jitter[0];
    options.history = job->options.history;
    options.seed = job->options.seed;
    if (job->of_patterns)
        options.bin = job->windows.bin;
    check(spk_surrogates_create(context, recording, &options, &surrogates));
    check(spk_surrogates_make(context, surrogates, 1000000 + number, &job->recording));
    spk_surrogates_free(surrogates);
    spk_maxima *maxima = run(job);
    search(job, job->recording, &f);
    spk_exact_verdict *verdict = calloc(f.n + 1, sizeof *verdict);
    assert_non_null(verdict);
    test(job, maxima, &f, verdict, NULL);
    double least = 1;
    for (uint64_t i = 0; i < f.n; i++)
        least = verdict[i].p < least ? verdict[i].p : least;
    free(verdict);
    found_free(&f);
    spk_maxima_free(maxima);
    spk_recording_free(job->recording);
    job->recording = recording;
    return least;
}

/* Of so many draws, how many have p <= 0.1: at most a tenth by chance; five standard deviations
 * above it never happen. */
static void chance_is_found_as_often_as_promised(void **state)
{
    (void)state;
    /* Three draws show no more than one does: that all of it runs. */
    const uint64_t n = test_whole_recordings() ? test_scaled(120) : 1;
    spk_context_set_threads(context, 1); /* others would wait: these searches are short */
    for (uint64_t c = 0; c < 2 * spk_exact_null_count(); c++) {
        const int of_patterns = c % 2;
        uint64_t n_low = 0, n_middle = 0;
        test_random random = test_random_make(seed + 2, c);
        test_job job;
        draw_job(&random, &job);
        spk_recording_free(job.recording);
        job.options.null = spk_exact_null_get(c / 2)->name;
        job.recording = make_recording(&random, 250, 4, strcmp(job.options.null, "trials") == 0);
        job.of_patterns = of_patterns == 1;
        job.options.n_jitter = 1;
        job.jitter[0] = (spk_duration){4, -2, 0};
        job.options.n_surrogates = 19;
        job.options.min_size = job.options.distinct_units = 0;
        point_to_own(&job);
        for (uint64_t k = 0; k < n; k++) {
            double p = least_p(&job, k);
            n_low += p <= 0.1;
            n_middle += p <= 0.5;
        }
        assert_true((double)n_low <= 0.1 * (double)n + 5 * sqrt(0.09 * (double)n));
        assert_true((double)n_middle <= 0.5 * (double)n + 5 * sqrt(0.25 * (double)n));
        /* Scores have few ties, so that the rank is nearly uniform, too. */
        if (n >= 100) {
            assert_true((double)n_low >= 0.1 * (double)n - 5 * sqrt(0.09 * (double)n) - 2);
            assert_true((double)n_middle >= 0.4 * (double)n - 5 * sqrt(0.25 * (double)n));
        }
        spk_recording_free(job.recording);
    }
    spk_context_set_threads(context, 0);
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* The recording again with `step` ticks in place of one. */
static spk_recording *with_ticks(const spk_recording *recording, int64_t step)
{
    const spk_events events = spk_recording_events(recording);
    size_t n_segments = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n_segments);
    int64_t start = spk_recording_start(recording) * step;
    int64_t stop = spk_recording_stop(recording) * step;
    int64_t *time = calloc(events.n_events, sizeof *time);
    spk_segment *segment = calloc(n_segments, sizeof *segment);
    spk_recording_source source;
    spk_recording *out = NULL;
    assert_true(time != NULL && segment != NULL);
    for (uint64_t e = 0; e < events.n_events; e++)
        time[e] = events.time[e] * step;
    for (size_t k = 0; k < n_segments; k++)
        segment[k] = (spk_segment){segments[k].start * step, segments[k].stop * step};
    spk_recording_source_init(&source, sizeof source);
    source.n_events = events.n_events;
    source.time = time;
    source.unit = events.unit;
    source.n_units = events.n_units;
    source.rate = (spk_rate){1000 * (uint64_t)step, 1};
    source.start = &start, source.stop = &stop;
    source.segments = segment, source.n_segments = n_segments;
    check(spk_recording_create(context, &source, &out));
    free(time);
    free(segment);
    return out;
}

/* Times on a coarse grid: ticks between its points change nothing. */
static void ticks_between_points_change_nothing(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(20); c++) {
        test_random random = test_random_make(seed + 5, c);
        test_job job, fine;
        found f;
        draw_job(&random, &job);
        job.of_patterns = false;
        point_to_own(&job);
        fine = job;
        point_to_own(&fine);
        fine.recording = with_ticks(job.recording, 2 + (int64_t)test_random_below(&random, 50));
        spk_maxima *a = run(&job), *b = run(&fine);
        const spk_exact_columns x = spk_exact_columns_of(a), y = spk_exact_columns_of(b);
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.first, y.first, (x.n + 1) * sizeof *x.first);
        if (x.first[x.n] > 0)
            assert_memory_equal(x.step, y.step, x.first[x.n] * sizeof *x.step);
        search(&job, job.recording, &f);
        spk_exact_verdict *verdict = calloc(2 * f.n + 1, sizeof *verdict);
        assert_non_null(verdict);
        test(&job, a, &f, verdict, NULL);
        test(&fine, b, &f, verdict + f.n, NULL);
        assert_memory_equal(verdict, verdict + f.n, f.n * sizeof *verdict);
        free(verdict);
        found_free(&f);
        spk_maxima_free(a);
        spk_maxima_free(b);
        spk_recording_free(job.recording);
        spk_recording_free(fine.recording);
    }
}

static void put_on_grid(test_job *job)
{
    spk_maxima *maxima = NULL;
    spk_recording *on_grid = NULL;
    assert_int_equal(spk_exact_run(context, job->recording, &job->options, &maxima),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "rounded multiples of 1/30 s"));
    check(spk_recording_on_grid(context, job->recording, &on_grid));
    spk_recording_free(job->recording);
    job->recording = on_grid;
}

/* Frames of 1/30 s, as ticks of 0.1 ms: the test is that of numbered frames, where rounding decides
 * no delay; else there is none before the recording is put on its grid. */
static void rounded_times_lie_on_their_grid(void **state)
{
    (void)state;
    enum { N = 400 };
    static int64_t frame[N], rounded[N];
    static uint32_t unit[N];
    static const spk_duration jitter = {25, -2, 0};
    static const struct {
        spk_delay delay;
        bool same;
    } cases[] = {{{{0, 0, 0}, {5, -2, 0}}, true},
                 {{{5, -2, 0}, {83, -3, 0}}, true},
                 {{{0, 0, 0}, {1, 0, 30}}, false}};
    test_random random = test_random_make(seed + 6, 0);
    const int64_t starts[] = {0, 0}, stops[] = {1000, 333333};
    for (uint32_t k = 0; k < N; k++) {
        frame[k] = test_random_between(&random, 0, 999);
        unit[k] = (uint32_t)test_random_below(&random, 3);
        rounded[k] = (frame[k] * 10000 + 15) / 30; /* to the nearest 0.1 ms */
    }
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        test_job job[2];
        spk_maxima *maxima[2];
        for (int which = 0; which < 2; which++) {
            spk_recording_source source;
            spk_recording_source_init(&source, sizeof source);
            source.n_events = N, source.time = which == 0 ? frame : rounded, source.unit = unit;
            source.n_units = 3;
            source.rate = (spk_rate){which == 0 ? 30 : 10000, 1};
            source.start = &starts[which], source.stop = &stops[which];
            job[which] = (test_job){.recording = NULL};
            check(spk_recording_create(context, &source, &job[which].recording));
            spk_episode_options_init(&job[which].episodes, sizeof job[which].episodes);
            job[which].episodes.n_delays = 1, job[which].episodes.support = 2;
            job[which].episodes.max_size = 3;
            spk_exact_options_init(&job[which].options, sizeof job[which].options);
            job[which].options.n_jitter = 1, job[which].options.n_surrogates = 5;
            job[which].delay[0] = cases[c].delay;
            job[which].jitter[0] = jitter;
            point_to_own(&job[which]);
            if (which == 1 && !cases[c].same)
                put_on_grid(&job[which]);
            maxima[which] = run(&job[which]);
        }
        const spk_exact_columns x = spk_exact_columns_of(maxima[0]),
                                y = spk_exact_columns_of(maxima[1]);
        const bool same = memcmp(x.first, y.first, (x.n + 1) * sizeof *x.first) == 0 &&
                          memcmp(x.step, y.step, x.first[x.n] * sizeof *x.step) == 0;
        assert_true(x.first[x.n] > 0 && same);
        for (int which = 0; which < 2; which++) {
            spk_maxima_free(maxima[which]);
            spk_recording_free(job[which].recording);
        }
    }
}

/* ---- what is planted ------------------------------------------------------------------------- */

/* Units 0 -> 1 -> 2, 3 ms apart, among others. */
static void what_is_planted_is_found(void **state)
{
    (void)state;
    enum { N_CHAINS = 60, N_OTHER = 600 };
    static int64_t time[3 * N_CHAINS + N_OTHER];
    static uint32_t unit[3 * N_CHAINS + N_OTHER];
    static const spk_delay delay = {{2, -3, 0}, {4, -3, 0}};
    static const spk_duration jitter = {5, -2, 0};
    test_random random = test_random_make(3, 0); /* one in a hundred others finds something else */
    spk_recording_source source;
    spk_episode_options episodes;
    spk_exact_options options;
    test_job job = {.recording = NULL};
    uint64_t n = 0;
    for (int k = 0; k < N_CHAINS; k++) {
        int64_t start = test_random_between(&random, 0, 19000);
        for (uint32_t u = 0; u < 3; u++, n++)
            time[n] = start + 3 * u, unit[n] = u;
    }
    for (int k = 0; k < N_OTHER; k++, n++)
        time[n] = test_random_between(&random, 0, 19999),
        unit[n] = (uint32_t)test_random_below(&random, 6);
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    source.n_units = 6;
    source.rate = (spk_rate){1000, 1};
    check(spk_recording_create(context, &source, &job.recording));
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 5;
    spk_exact_options_init(&options, sizeof options);
    options.jitter = &jitter, options.n_jitter = 1, options.n_surrogates = 99;
    job.episodes = episodes;
    job.delay[0] = delay;
    job.jitter[0] = jitter;
    job.options = options;
    point_to_own(&job);
    spk_maxima *maxima = run(&job);
    found f;
    search(&job, job.recording, &f);
    static spk_exact_verdict verdict[MOST_RESULTS];
    test(&job, maxima, &f, verdict, NULL);
    const spk_episode_columns c = spk_episode_list_columns(f.episodes);
    bool chain = false;
    for (uint64_t i = 0; i < c.n; i++) {
        const uint32_t *u = c.unit + c.offset[i];
        bool planted = true;
        for (uint64_t k = 1; k < c.offset[i + 1] - c.offset[i]; k++)
            planted &= u[k] == u[k - 1] + 1 && u[k] < 3;
        if (c.offset[i + 1] - c.offset[i] == 3 && planted)
            chain = verdict[i].p == 0.01;
        assert_true(planted || verdict[i].p > 0.01);
    }
    assert_true(chain);
    found_free(&f);
    spk_maxima_free(maxima);
    spk_recording_free(job.recording);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void expect_error(const test_job *job, const char *says)
{
    spk_maxima *maxima = NULL;
    assert_int_equal(spk_exact_run(context, job->recording, &job->options, &maxima),
                     SPK_ERR_ARGUMENT);
    assert_null(maxima);
    if (strstr(spk_context_message(context), says) == NULL)
        print_message("%s\n", spk_context_message(context));
    assert_non_null(strstr(spk_context_message(context), says));
}

static void bad_options_are_told(void **state)
{
    (void)state;
    test_random random = test_random_make(1, 1);
    test_job job;
    draw_job(&random, &job);
    job.of_patterns = true;
    point_to_own(&job);
    job.options.n_jitter = 1;
    job.jitter[0] = (spk_duration){9, -3, 0};
    expect_error(&job, "jitter 9ms: a window of this length has less than two bins of 5ms");
    expect_error(&job, "try jitter 90ms");
    job.jitter[0] = (spk_duration){0, 0, 0};
    expect_error(&job, "above 0");
    job.jitter[0] = job.jitter[1] = (spk_duration){5, -2, 0};
    job.options.n_jitter = 2;
    expect_error(&job, "ascend");
    job.options.n_jitter = 0;
    expect_error(&job, "1 to 16 windows");
    job.options.n_jitter = 1;
    job.options.episodes = &job.episodes;
    expect_error(&job, "one language");
    job.options.windows = NULL, job.options.patterns = NULL;
    job.jitter[0] = (spk_duration){15, -4, 0};
    expect_error(&job, "less than two ticks of 1ms, so that nothing would move; try jitter 15ms");
    job.jitter[0] = (spk_duration){15, -3, 0};
    job.options.shard = 3;
    expect_error(&job, "no such shard");
    job.options.shard = 1;
    job.options.n_surrogates = 0;
    expect_error(&job, "at least 1");
    spk_recording_free(job.recording);
}

/* Maxima of another kind or job are no surrogates of this one. */
static void other_maxima_are_refused(void **state)
{
    (void)state;
    test_random random = test_random_make(1, 2);
    test_job job;
    found f;
    spk_exact_verdict *verdict = calloc(MOST_RESULTS, sizeof *verdict);
    assert_non_null(verdict);
    draw_job(&random, &job);
    job.of_patterns = false;
    point_to_own(&job);
    spk_maxima *maxima = run(&job);
    search(&job, job.recording, &f);
    const spk_episode_columns columns = spk_episode_list_columns(f.episodes);
    assert_int_equal(spk_maxima_columns_of(maxima).n, 0);
    assert_int_equal(spk_exact_columns_of(maxima).n, job.options.n_surrogates);
    assert_true(columns.n > 0);
    spk_episode_columns other = columns;
    other.n_delays++; /* as where the list has no interval twice and the test has */
    assert_int_equal(spk_exact_test_episodes(context, job.recording, &job.options, maxima, &other,
                                             verdict, NULL),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "another table of intervals"));
    job.options.seed++;
    assert_int_equal(spk_exact_test_episodes(context, job.recording, &job.options, maxima, &columns,
                                             verdict, NULL),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "was made with seed"));
    found_free(&f);
    free(verdict);
    spk_maxima_free(maxima);
    spk_recording_free(job.recording);
}

int main(void)
{
    seed = test_seed("exact");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_plain_test),
        cmocka_unit_test(threads_and_shards_change_nothing),
        cmocka_unit_test(chance_is_found_as_often_as_promised),
        cmocka_unit_test(ticks_between_points_change_nothing),
        cmocka_unit_test(rounded_times_lie_on_their_grid),
        cmocka_unit_test(what_is_planted_is_found),
        cmocka_unit_test(bad_options_are_told),
        cmocka_unit_test(other_maxima_are_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
