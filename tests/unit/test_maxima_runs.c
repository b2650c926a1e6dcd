/*
 * Maxima of surrogates: threads, shards and interruptions change no byte; those of another job are
 * refused, with what differs. What files may hold: test_maxima_files.c.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "significance/maxima/maxima.h"
#include "support/context.h"

enum { MOST_SHARDS = 7 };

static uint64_t seed;

/* A recording and options; the pointers lead to the structs beside them. */
typedef struct test_job {
    spk_recording *recording;
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_surrogate_options surrogates;
    spk_maxima_options options;
} test_job;

/* ---- jobs ------------------------------------------------------------------------------------ */

static spk_recording *make_recording(test_random *random, uint64_t n_events, uint32_t n_units)
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
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events;
    source.time = time;
    source.unit = unit;
    source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    free(time);
    free(unit);
    return recording;
}

static void point_to_own(test_job *job)
{
    job->options.windows = &job->windows;
    job->options.patterns = &job->patterns;
    job->options.surrogates = &job->surrogates;
}

static void draw_job(test_random *random, test_job *job)
{
    uint32_t n_units = 1 + (uint32_t)test_random_below(random, 6);
    job->recording = make_recording(random, 20 + test_random_below(random, 400), n_units);
    spk_window_options_init(&job->windows, sizeof job->windows);
    spk_pattern_options_init(&job->patterns, sizeof job->patterns);
    spk_surrogate_options_init(&job->surrogates, sizeof job->surrogates);
    spk_maxima_options_init(&job->options, sizeof job->options);
    job->windows.bin = (spk_duration){5, -3};
    job->windows.window = 1 + (uint32_t)test_random_below(random, 5);
    job->patterns.min_spikes = 2;
    job->patterns.support = 2 + test_random_below(random, 4);
    job->surrogates.seed = test_random_below(random, 5);
    job->options.n_surrogates = 1 + test_random_below(random, 40);
    job->options.by_duration = test_random_chance(random, 0.5);
    point_to_own(job);
}

static void free_job(test_job *job)
{
    spk_recording_free(job->recording);
}

static spk_maxima *run(const test_job *job)
{
    spk_maxima *maxima = NULL;
    spk_status status = spk_maxima_run(context, job->recording, &job->options, &maxima);
    if (status != SPK_OK)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    return maxima;
}

/* The bytes of its file; the caller frees them. */
static char *bytes_of(const spk_maxima *maxima)
{
    assert_int_equal(spk_maxima_write(context, maxima, test_path("bytes.spk")), SPK_OK);
    return test_file_text("bytes.spk");
}

static void assert_same_file(const spk_maxima *maxima, const char *expected)
{
    char *bytes = bytes_of(maxima);
    assert_string_equal(bytes, expected);
    free(bytes);
}

/* ---- results --------------------------------------------------------------------------------- */

/* One surrogate after the other, by the public functions. */
static void check_columns(const test_job *job, const spk_maxima *maxima)
{
    spk_maxima_columns c = spk_maxima_columns_of(maxima);
    spk_surrogates *surrogates = NULL;
    assert_int_equal(c.n, job->options.n_surrogates);
    assert_int_equal(c.by_duration, job->options.by_duration);
    assert_int_equal(spk_surrogates_create(context, job->recording, &job->surrogates, &surrogates),
                     SPK_OK);
    for (uint64_t i = 0; i < c.n; i++) {
        spk_recording *surrogate = NULL;
        spk_windows *windows = NULL;
        spk_pattern_maximum *expected = NULL;
        size_t n = 0;
        assert_int_equal(c.surrogate[i], i + 1);
        assert_int_equal(spk_surrogates_make(context, surrogates, i + 1, &surrogate), SPK_OK);
        assert_int_equal(spk_windows_create(context, surrogate, &job->windows, &windows), SPK_OK);
        assert_int_equal(spk_pattern_find_maxima(context, windows, &job->patterns,
                                                 job->options.by_duration, &expected, &n),
                         SPK_OK);
        assert_int_equal(c.first[i + 1] - c.first[i], n);
        if (n > 0)
            assert_memory_equal(&c.maximum[c.first[i]], expected, n * sizeof *expected);
        free(expected);
        spk_windows_free(windows);
        spk_recording_free(surrogate);
    }
    spk_surrogates_free(surrogates);
}

static void maxima_are_those_of_each_surrogate(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(40); c++) {
        test_random random = test_random_make(seed, c);
        test_job job;
        draw_job(&random, &job);
        spk_context_set_threads(context, 1 + (int)(c % 3));
        spk_maxima *maxima = run(&job);
        spk_maxima_info info = spk_maxima_describe(maxima);
        assert_int_equal(info.n_missing, 0);
        assert_int_equal(info.n_of_shard, job.options.n_surrogates);
        check_columns(&job, maxima);
        assert_int_equal(spk_maxima_check(context, maxima, job.recording, &job.options), SPK_OK);
        spk_maxima_free(maxima);
        free_job(&job);
    }
}

/* Of a part; compressed where this build can. */
static const char *part_name(void)
{
    return SPIKEMINE_HAVE_LIBARCHIVE ? "part.spk.gz" : "part.spk";
}

/* Runs all shards with different threads, and joins them in another order; some go through files.
 */
static spk_maxima *run_shards(test_random *random, test_job job, uint32_t n_shards)
{
    spk_maxima *part[MOST_SHARDS] = {NULL};
    spk_maxima *whole = NULL;
    for (uint32_t s = 0; s < n_shards; s++) {
        job.options.shard = s + 1;
        job.options.n_shards = n_shards;
        point_to_own(&job);
        spk_context_set_threads(context, 1 + (int)test_random_below(random, 3));
        part[s] = run(&job);
        if (test_random_chance(random, 0.5)) {
            assert_int_equal(spk_maxima_write(context, part[s], test_path(part_name())), SPK_OK);
            spk_maxima_free(part[s]);
            assert_int_equal(spk_maxima_read(context, test_path(part_name()), &part[s]), SPK_OK);
        }
    }
    for (uint32_t s = n_shards; s > 1; s--) {
        uint64_t other = test_random_below(random, s);
        spk_maxima *swapped = part[s - 1];
        part[s - 1] = part[other];
        part[other] = swapped;
    }
    spk_status status =
        spk_maxima_merge(context, n_shards, (const spk_maxima *const *)part, &whole);
    if (status != SPK_OK)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    for (uint32_t s = 0; s < n_shards; s++)
        spk_maxima_free(part[s]);
    return whole;
}

static void threads_and_shards_change_no_byte(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed + 1, c);
        test_job job;
        draw_job(&random, &job);
        spk_context_set_threads(context, 1);
        spk_maxima *alone = run(&job);
        char *expected = bytes_of(alone);
        spk_maxima_free(alone);
        spk_context_set_threads(context, 2);
        spk_maxima *together = run(&job);
        assert_same_file(together, expected);
        spk_maxima_free(together);
        spk_maxima *whole =
            run_shards(&random, job, 1 + (uint32_t)test_random_below(&random, MOST_SHARDS));
        assert_same_file(whole, expected);
        spk_maxima_free(whole);
        free(expected);
        free_job(&job);
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed + 2, c);
        test_job job;
        spk_maxima *back = NULL;
        draw_job(&random, &job);
        job.options.n_shards = 1 + (uint32_t)test_random_below(&random, 50);
        job.options.shard = 1 + (uint32_t)test_random_below(&random, job.options.n_shards);
        spk_maxima *maxima = run(&job);
        char *expected = bytes_of(maxima);
        assert_int_equal(spk_maxima_read(context, test_path("bytes.spk"), &back), SPK_OK);
        spk_maxima_info a = spk_maxima_describe(maxima), b = spk_maxima_describe(back);
        assert_string_equal(a.job, b.job);
        assert_int_equal(a.n_of_shard, b.n_of_shard);
        assert_int_equal(b.n_missing, 0);
        assert_same_file(back, expected);
        free(expected);
        spk_maxima_free(maxima);
        spk_maxima_free(back);
        free_job(&job);
    }
}

/* ---- interruptions --------------------------------------------------------------------------- */

static void *cancel_soon(void *user)
{
    uint64_t us = *(const uint64_t *)user;
    struct timespec time = {.tv_nsec = (long)us * 1000};
    nanosleep(&time, NULL);
    spk_context_cancel(context);
    return NULL;
}

/* One run that is cancelled after some microseconds, unless it is done before. */
static spk_maxima *run_a_while(const test_job *job, uint64_t us)
{
    pthread_t thread;
    spk_maxima *maxima = NULL;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &us), 0);
    spk_status status = spk_maxima_run(context, job->recording, &job->options, &maxima);
    pthread_join(thread, NULL);
    spk_context_cancel_clear(context);
    if (status == SPK_OK)
        return maxima;
    if (status != SPK_ERR_CANCELLED)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_ERR_CANCELLED);
    assert_null(maxima);
    return NULL;
}

static void interruptions_change_no_byte(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(40); c++) {
        test_random random = test_random_make(seed + 3, c);
        test_job job;
        draw_job(&random, &job);
        spk_context_set_threads(context, 1);
        spk_maxima *maxima = run(&job);
        char *expected = bytes_of(maxima);
        spk_maxima_free(maxima);
        char *path = strdup(test_path("check.spk"));
        assert_non_null(path);
        job.options.checkpoint = path;
        maxima = NULL;
        for (uint64_t runs = 0; maxima == NULL; runs++) {
            spk_context_set_threads(context, 1 + (int)test_random_below(&random, 3));
            maxima = run_a_while(&job, 500 + test_random_below(&random, 3000) + 1000 * runs);
        }
        assert_same_file(maxima, expected);
        char *kept = test_file_text("check.spk");
        assert_string_equal(kept, expected);
        assert_int_equal(unlink(path), 0);
        free(kept);
        free(path);
        free(expected);
        spk_maxima_free(maxima);
        free_job(&job);
    }
}

static void a_job_is_continued_with_more_surrogates(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(30); c++) {
        test_random random = test_random_make(seed + 4, c);
        test_job job;
        draw_job(&random, &job);
        job.options.n_shards = 1 + (uint32_t)test_random_below(&random, 3);
        job.options.shard = 1 + (uint32_t)test_random_below(&random, job.options.n_shards);
        uint64_t fewer = job.options.n_surrogates;
        job.options.n_surrogates += 1 + test_random_below(&random, 20);
        spk_maxima *maxima = run(&job);
        char *expected = bytes_of(maxima);
        spk_maxima_free(maxima);
        char *path = strdup(test_path("more.spk"));
        assert_non_null(path);
        job.options.checkpoint = path;
        uint64_t more = job.options.n_surrogates;
        job.options.n_surrogates = fewer;
        spk_maxima_free(run(&job));
        job.options.n_surrogates = more;
        maxima = run(&job);
        assert_same_file(maxima, expected);
        spk_maxima_free(maxima);
        if (fewer >= job.options.shard) { /* else the first run had nothing to keep */
            job.options.n_surrogates = fewer;
            assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &maxima),
                             SPK_ERR_ARGUMENT);
            assert_non_null(strstr(spk_context_message(context), "more than the"));
        }
        unlink(path);
        free(path);
        free(expected);
        free_job(&job);
    }
}

/* ---- other jobs ------------------------------------------------------------------------------ */

static const spk_pattern_supports supports = {.n = 3, .at_size = {0, 0, 9, 7}};
static const spk_segment trial = {0, 500};

#define CHANGE(name, ...)                                                                          \
    static void change_##name(test_job *j)                                                         \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
CHANGE(bin, j->windows.bin.digits = 7)
CHANGE(window, j->windows.window = 4)
CHANGE(trials, j->windows.trials = &trial; j->windows.n_trials = 1)
CHANGE(min_spikes, j->patterns.min_spikes = 3)
CHANGE(max_spikes, j->patterns.max_spikes = 9)
CHANGE(support, j->patterns.support = 8)
CHANGE(supports, j->patterns.supports = &supports)
CHANGE(max_count, j->patterns.max_count = 99)
CHANGE(neurons, j->patterns.min_neurons = 2)
CHANGE(filter, j->patterns.moving_window_filter = false)
CHANGE(spectrum, j->options.by_duration = true)
CHANGE(method, j->surrogates.method = "trial-shifting")
CHANGE(dither, j->surrogates.dither.digits = 25)
CHANGE(surrogate_bin, j->surrogates.bin = (spk_duration){5, -3})
CHANGE(edges, j->surrogates.edges = false)
CHANGE(refractory, j->surrogates.refractory.digits = 3)
CHANGE(truncation, j->surrogates.truncation = (spk_duration){3, -1})
CHANGE(bins, j->surrogates.n_bins = 50)
CHANGE(sigma, j->surrogates.sigma.digits = 3)
CHANGE(alternate, j->surrogates.alternate = false)
CHANGE(sqrt, j->surrogates.use_sqrt = true)
CHANGE(fast, j->surrogates.fast = true)
CHANGE(cutoff, j->surrogates.cutoff = false)
CHANGE(seed, j->surrogates.seed = 8)

/* Each with what the message must say of it. */
static const struct {
    void (*change)(test_job *job);
    const char *says;
} changes[] = {
    {change_bin, "made with bin 5ms, and this job has 7ms"},
    {change_window, "made with window 3, and this job has 4"},
    {change_trials, "made with trials those of the recording, and this job has sha256 "},
    {change_min_spikes, "made with min-spikes 2, and this job has 3"},
    {change_max_spikes, "made with max-spikes none, and this job has 9"},
    {change_support, "made with support 3, and this job has 8"},
    {change_supports, "made with support 3, and this job has 9 for 2, 7 for 3 and more"},
    {change_max_count, "made with max-occurrences none, and this job has 99"},
    {change_neurons, "made with min-neurons 1, and this job has 2"},
    {change_filter, "made with moving-window-filter on, and this job has off"},
    {change_spectrum, "made with spectrum 2d, and this job has 3d"},
    {change_method, "made with surrogate-method dither-spikes, and this job has trial-shifting"},
    {change_dither, "made with dither 15ms, and this job has 25ms"},
    {change_surrogate_bin, "made with surrogate-bin 0, and this job has 5ms"},
    {change_edges, "made with edges on, and this job has off"},
    {change_refractory, "made with refractory 4ms, and this job has 3ms"},
    {change_truncation, "made with truncation 100ms, and this job has 300ms"},
    {change_bins, "made with histogram-bins 100, and this job has 50"},
    {change_sigma, "made with sigma 2ms, and this job has 3ms"},
    {change_alternate, "made with alternate on, and this job has off"},
    {change_sqrt, "made with use-sqrt off, and this job has on"},
    {change_fast, "made with fast off, and this job has on"},
    {change_cutoff, "made with cutoff on, and this job has off"},
    {change_seed, "made with seed 7, and this job has 8"},
};

static void fixed_job(test_job *job)
{
    test_random random = test_random_make(12345, 0);
    draw_job(&random, job);
    spk_recording_free(job->recording);
    job->recording = make_recording(&random, 100, 3);
    job->windows.window = 3;
    job->patterns.support = 3;
    job->surrogates.seed = 7;
    job->surrogates.method = "dither-spikes";
    job->options.n_surrogates = 5;
    job->options.by_duration = false;
    point_to_own(job);
}

/* Both ways in which maxima meet a job: as its checkpoint, which stays as it is, and in place of
 * its surrogates. */
static void assert_refused(const test_job *job, const spk_maxima *maxima, const char *says)
{
    spk_maxima *out = NULL;
    struct stat before, after;
    assert_int_equal(stat(job->options.checkpoint, &before), 0);
    assert_int_equal(spk_maxima_run(context, job->recording, &job->options, &out),
                     SPK_ERR_ARGUMENT);
    if (strstr(spk_context_message(context), says) == NULL)
        print_message("%s\n", spk_context_message(context));
    assert_non_null(strstr(spk_context_message(context), says));
    assert_int_equal(stat(job->options.checkpoint, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(spk_maxima_check(context, maxima, job->recording, &job->options),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), says));
}

static void other_jobs_are_refused_with_what_differs(void **state)
{
    (void)state;
    test_job job;
    fixed_job(&job);
    char *path = strdup(test_path("job.spk"));
    assert_non_null(path);
    job.options.checkpoint = path;
    spk_maxima *maxima = run(&job);
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        test_job other = job;
        point_to_own(&other);
        changes[k].change(&other);
        assert_refused(&other, maxima, changes[k].says);
    }
    /* What does not matter to the result. */
    test_job same = job;
    point_to_own(&same);
    same.patterns.engine = "fpgrowth";
    same.surrogates.method = "dither_spikes";
    assert_int_equal(spk_maxima_check(context, maxima, same.recording, &same.options), SPK_OK);
    same.options.n_surrogates = 0;
    assert_int_equal(spk_maxima_check(context, maxima, same.recording, &same.options), SPK_OK);
    same.options.n_surrogates = 6;
    assert_int_equal(spk_maxima_check(context, maxima, same.recording, &same.options),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "has 5 surrogates, and 6 are asked for"));
    unlink(path);
    free(path);
    spk_maxima_free(maxima);
    free_job(&job);
}

/* Another event, label, rate, extent or segment is another recording. */
static void other_recordings_are_refused(void **state)
{
    (void)state;
    static const int64_t time[] = {10, 20, 30, 44, 60}, other_time[] = {10, 20, 30, 45, 60};
    static const uint32_t unit[] = {0, 1, 0, 1, 0}, other_unit[] = {0, 1, 0, 1, 1};
    static const char *const labels[] = {"a", "b", "c"}, *const other_labels[] = {"a", "b", "d"};
    static const int64_t start = 0, stop = 100, other_start = 1, other_stop = 101;
    static const spk_segment segment[] = {{0, 50}, {50, 100}};
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 5;
    source.time = time, source.unit = unit;
    source.n_units = 3, source.labels = labels;
    source.rate = (spk_rate){1000, 1};
    source.start = &start, source.stop = &stop;
    test_job job;
    fixed_job(&job);
    spk_recording_free(job.recording);
    assert_int_equal(spk_recording_create(context, &source, &job.recording), SPK_OK);
    char *path = strdup(test_path("recording.spk"));
    assert_non_null(path);
    job.options.checkpoint = path;
    spk_maxima *maxima = run(&job);
    for (int k = 0; k < 8; k++) {
        spk_recording_source other = source;
        test_job other_job = job;
        point_to_own(&other_job);
        other.time = k == 0 ? other_time : time;
        other.unit = k == 1 ? other_unit : unit;
        other.labels = k == 2 ? other_labels : labels;
        other.rate.numerator = k == 3 ? 1001 : 1000;
        other.start = k == 4 ? &other_start : &start;
        other.stop = k == 5 ? &other_stop : &stop;
        other.segments = k == 6 ? segment : NULL;
        other.n_segments = k == 6 ? 2 : 0;
        other.n_units = k == 7 ? 2 : 3;
        assert_int_equal(spk_recording_create(context, &other, &other_job.recording), SPK_OK);
        assert_refused(&other_job, maxima, "made with recording sha256 ");
        spk_recording_free(other_job.recording);
    }
    unlink(path);
    free(path);
    spk_maxima_free(maxima);
    free_job(&job);
}

static void other_shards_are_refused(void **state)
{
    (void)state;
    test_job job;
    fixed_job(&job);
    job.options.shard = 2, job.options.n_shards = 3;
    char *path = strdup(test_path("shard.spk"));
    assert_non_null(path);
    job.options.checkpoint = path;
    spk_maxima *maxima = run(&job), *out = NULL;
    job.options.shard = 3;
    assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "is of shard 2/3, and this is shard 3/3"));
    assert_int_equal(spk_maxima_check(context, maxima, job.recording, &job.options),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "is shard 2 of 3 only"));
    static const uint32_t wrong[][2] = {{0, 3}, {4, 3}, {1, 0}};
    for (size_t k = 0; k < 3; k++) {
        job.options.shard = wrong[k][0], job.options.n_shards = wrong[k][1];
        assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out),
                         SPK_ERR_ARGUMENT);
        assert_non_null(strstr(spk_context_message(context), "there is no such shard"));
    }
    job.options.checkpoint = "-";
    job.options.shard = job.options.n_shards = 1;
    assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "must be a file"));
    unlink(path);
    free(path);
    spk_maxima_free(maxima);
    free_job(&job);
}

/* ---- joining --------------------------------------------------------------------------------- */

static void assert_no_merge(size_t n, const spk_maxima *const *parts, const char *says)
{
    spk_maxima *out = NULL;
    assert_int_equal(spk_maxima_merge(context, n, parts, &out), SPK_ERR_ARGUMENT);
    if (strstr(spk_context_message(context), says) == NULL)
        print_message("%s\n", spk_context_message(context));
    assert_non_null(strstr(spk_context_message(context), says));
    assert_null(out);
}

static void shards_that_do_not_fit_are_named(void **state)
{
    (void)state;
    enum { N = 9 };
    test_job job;
    spk_maxima *shard[N], *other, *more, *fewer;
    fixed_job(&job);
    job.options.n_surrogates = 12;
    job.options.n_shards = N;
    for (uint32_t s = 0; s < N; s++) {
        job.options.shard = s + 1;
        shard[s] = run(&job);
    }
    job.surrogates.seed = 8;
    other = run(&job);
    job.surrogates.seed = 7;
    job.options.n_surrogates = 13;
    more = run(&job);
    job.options.n_surrogates = 12;
    job.options.n_shards = N + 1;
    fewer = run(&job);
    assert_no_merge(0, NULL, "there is no shard");
    assert_no_merge(1, (const spk_maxima *[]){shard[4]},
                    "of 9 shards these are missing: 1 to 4, 6 to 9; run them");
    assert_no_merge(4, (const spk_maxima *[]){shard[8], shard[0], shard[2], shard[5]},
                    "of 9 shards these are missing: 2, 4, 5, 7, 8; run them");
    assert_no_merge(3, (const spk_maxima *[]){shard[1], shard[0], shard[1]},
                    "part 3: is shard 2/9, and so is part 1");
    assert_no_merge(2, (const spk_maxima *[]){shard[1], other},
                    "part 2: was made with seed 8, and part 1 has 7; only shards of one job");
    assert_no_merge(2, (const spk_maxima *[]){shard[1], more},
                    "part 2: is of a job of 13 surrogates, and part 1 of one of 12");
    assert_no_merge(2, (const spk_maxima *[]){shard[1], fewer},
                    "part 2: is one of 10 shards, and part 1 one of 9");
    for (uint32_t s = 0; s < N; s++)
        spk_maxima_free(shard[s]);
    spk_maxima_free(other);
    spk_maxima_free(more);
    spk_maxima_free(fewer);
    free_job(&job);
}

static void a_damaged_checkpoint_is_refused_and_stays(void **state)
{
    (void)state;
    test_job job;
    spk_maxima *out = NULL;
    fixed_job(&job);
    char *path = strdup(test_file("damaged.spk", "# spikemine maxima 1\n# version: 0.1.0\n"));
    assert_non_null(path);
    job.options.checkpoint = path;
    assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "is cut off"));
    char *kept = test_file_text("damaged.spk");
    assert_string_equal(kept, "# spikemine maxima 1\n# version: 0.1.0\n");
    free(kept);
    unlink(path);
    job.options.checkpoint = test_path("none/c.spk");
    assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out), SPK_ERR_IO);
    free(path);
    free_job(&job);
}

/* Who holds the lock of the file beside it: what a kill leaves has no lock. */
static void a_checkpoint_has_one_writer(void **state)
{
    (void)state;
    test_job job;
    spk_maxima *out = NULL;
    fixed_job(&job);
    char *path = strdup(test_path("shared.spk"));
    assert_non_null(path);
    job.options.checkpoint = path;
    int file = open(test_path("shared.spk.lock"), O_RDWR | O_CREAT, 0666);
    assert_true(file >= 0);
    assert_int_equal(flock(file, LOCK_EX), 0);
    assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out), SPK_ERR_IO);
    assert_non_null(strstr(spk_context_message(context), "another process is writing"));
    assert_null(out);
    assert_false(test_file_exists("shared.spk"));
    close(file);
    assert_true(test_file_exists("shared.spk.lock"));
    for (int again = 0; again < 2; again++) {
        assert_int_equal(spk_maxima_run(context, job.recording, &job.options, &out), SPK_OK);
        assert_true(test_file_exists("shared.spk"));
        assert_false(test_file_exists("shared.spk.lock"));
        spk_maxima_free(out);
    }
    unlink(path);
    free(path);
    free_job(&job);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static spk_status run_within(spk_context *own, const test_job *job, uint64_t limit, char **bytes)
{
    spk_maxima *maxima = NULL;
    spk_context_set_memory_limit(own, limit);
    spk_status status = spk_maxima_run(own, job->recording, &job->options, &maxima);
    spk_context_set_memory_limit(own, 0);
    *bytes = status == SPK_OK ? bytes_of(maxima) : NULL;
    spk_maxima_free(maxima);
    return status;
}

/* What one thread can do within a limit many can, with the same result. */
static void threads_share_the_memory_limit(void **state)
{
    (void)state;
    test_job job;
    spk_context *own = NULL;
    test_random random = test_random_make(99, 0);
    fixed_job(&job);
    spk_recording_free(job.recording);
    job.recording = make_recording(&random, 800, 5);
    assert_int_equal(spk_context_create(&own), SPK_OK);
    uint64_t low = 1000, high = 100000000;
    char *expected = NULL, *bytes = NULL;
    spk_context_set_threads(own, 1);
    assert_int_equal(run_within(own, &job, high, &expected), SPK_OK);
    while (high - low > 1000) {
        uint64_t middle = low + (high - low) / 2;
        spk_status status = run_within(own, &job, middle, &bytes);
        assert_true(status == SPK_OK || status == SPK_ERR_MEMORY);
        *(status == SPK_OK ? &high : &low) = middle;
        free(bytes);
    }
    assert_true(high < 50000000);
    for (int threads = 2; threads <= 8; threads *= 2) {
        spk_context_set_threads(own, threads);
        /* The queue and its threads take a little more. */
        assert_int_equal(run_within(own, &job, high + 20000, &bytes), SPK_OK);
        assert_string_equal(bytes, expected);
        free(bytes);
    }
    free(expected);
    free_job(&job);
    spk_context_free(own);
}

int main(void)
{
    seed = test_seed("test_maxima_runs");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxima_are_those_of_each_surrogate),
        cmocka_unit_test(threads_and_shards_change_no_byte),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(interruptions_change_no_byte),
        cmocka_unit_test(a_job_is_continued_with_more_surrogates),
        cmocka_unit_test(other_jobs_are_refused_with_what_differs),
        cmocka_unit_test(other_recordings_are_refused),
        cmocka_unit_test(other_shards_are_refused),
        cmocka_unit_test(shards_that_do_not_fit_are_named),
        cmocka_unit_test(a_damaged_checkpoint_is_refused_and_stays),
        cmocka_unit_test(a_checkpoint_has_one_writer),
        cmocka_unit_test(threads_share_the_memory_limit),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
