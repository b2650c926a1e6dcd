/*
 * Ranks: every rank's result equals that of a process by itself, for episodes, counts and
 * surrogates of all tests; checkpoints of any number of ranks; failures of one rank.
 */
#include "base/context.h"
#include "base/output.h"
#include "distribute/queue.h"
#include "support/streams.h"
#include "support/test.h"
#include "support/thread_ranks.h"

static uint64_t seed;
static char result_path[256]; /* test_path is for one thread */

/* Random cases take the even places and the odd ones in turn. */
static const int rank_numbers[] = {1, 2, 3, 4, 7, 8};
enum { N_RANK_NUMBERS = sizeof rank_numbers / sizeof rank_numbers[0] };

static spk_duration seconds(uint64_t ticks)
{
    if (ticks > INT64_MAX)
        return (spk_duration){1, SPK_DURATION_INFINITE};
    return (spk_duration){(int64_t)ticks, 0};
}

/* ---- episodes -------------------------------------------------------------------------------- */

typedef struct numbers {
    uint64_t n;
    uint64_t capacity;
    uint64_t *number;
} numbers;

static spk_status add_number(numbers *all, uint64_t number)
{
    if (all->n == all->capacity) {
        all->capacity = 2 * all->capacity + 1024;
        uint64_t *larger = realloc(all->number, all->capacity * sizeof *larger);
        if (larger == NULL)
            return SPK_ERR_MEMORY;
        all->number = larger;
    }
    all->number[all->n++] = number;
    return SPK_OK;
}

static spk_status keep_episodes(void *user, const spk_episode_columns *e)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++) {
        status = add_number(user, e->count[k]);
        for (uint64_t p = e->offset[k]; p < e->offset[k + 1] && status == SPK_OK; p++)
            status = add_number(user, (uint64_t)e->unit[p] << 16 | e->delay[p]);
    }
    return status;
}

typedef struct episode_job {
    const spk_recording *recording;
    spk_episode_options options;
    numbers found[TEST_MOST_RANKS];
    uint64_t eliminated[TEST_MOST_RANKS];
} episode_job;

static spk_status mine_episodes(spk_context *context, int rank, void *user)
{
    episode_job *job = user;
    spk_episode_summary summary;
    job->found[rank].n = 0;
    spk_status status = spk_episode_mine(context, job->recording, &job->options, keep_episodes,
                                         &job->found[rank], &summary);
    job->eliminated[rank] = 0;
    for (uint32_t k = 0; status == SPK_OK && k < summary.n_levels; k++)
        job->eliminated[rank] += summary.level[k].eliminated;
    return status;
}

static void compare_numbers(const numbers *a, const numbers *b)
{
    assert_int_equal(a->n, b->n);
    if (a->n > 0)
        assert_memory_equal(a->number, b->number, a->n * sizeof *a->number);
}

static void check_ranks_of_search(episode_job *job, uint64_t c, const numbers *expected,
                                  uint64_t eliminated)
{
    for (int i = c % 2; i < N_RANK_NUMBERS; i += 2) {
        int n = rank_numbers[i];
        test_ranks_succeed(n, mine_episodes, job);
        for (int k = 0; k < n; k++) {
            compare_numbers(&job->found[k], expected);
            assert_int_equal(job->eliminated[k], eliminated);
        }
    }
}

static void test_episodes_of_random_recordings(void **state)
{
    static const char *const engines[] = {"auto", "reference", "fsm", "sweep"};
    static episode_job job;
    uint64_t found = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(1000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream stream;
        spk_delay delays[TEST_MAX_DELAYS];
        test_stream_draw(&random, TEST_MAX_EVENTS, &stream);
        spk_recording *recording = test_stream_recording(alone, &stream);
        for (size_t d = 0; d < stream.n_delays; d++)
            delays[d] = (spk_delay){seconds(stream.delay[d].lo), seconds(stream.delay[d].hi)};
        job.recording = recording;
        spk_episode_options_init(&job.options, sizeof job.options);
        job.options.delays = delays;
        job.options.n_delays = stream.n_delays;
        job.options.support = 1 + stream.n_events / 20 + test_random_below(&random, 5);
        job.options.max_size = 4;
        job.options.engine = engines[test_random_below(&random, 4)];
        job.options.two_pass =
            test_random_chance(&random, 0.5) ? SPK_TWO_PASS_ON : SPK_TWO_PASS_AUTO;
        spk_context_set_threads(alone, 1 + (int)(c % 2));
        assert_int_equal(mine_episodes(alone, 0, &job), SPK_OK);
        numbers expected = job.found[0];
        job.found[0] = (numbers){.n = 0};
        found += expected.n;
        check_ranks_of_search(&job, c, &expected, job.eliminated[0]);
        free(expected.number);
        spk_recording_free(recording);
    }
    assert_true(found > 0);
    spk_context_set_threads(alone, 0);
    for (int k = 0; k < TEST_MOST_RANKS; k++)
        free(job.found[k].number);
}

/* ---- patterns -------------------------------------------------------------------------------- */

typedef struct pattern_job {
    const spk_windows *windows;
    spk_pattern_options options;
    int threads;
    numbers found[TEST_MOST_RANKS];
} pattern_job;

static spk_status keep_patterns(void *user, const spk_pattern_columns *p)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < p->n && status == SPK_OK; k++) {
        status = add_number(user, p->count[k]);
        for (uint64_t i = p->offset[k]; i < p->offset[k + 1] && status == SPK_OK; i++)
            status = add_number(user, p->item[i]);
    }
    return status;
}

static spk_status mine_patterns(spk_context *context, int rank, void *user)
{
    pattern_job *job = user;
    job->found[rank].n = 0;
    spk_context_set_threads(context, job->threads);
    return spk_pattern_mine(context, job->windows, &job->options, keep_patterns, &job->found[rank],
                            NULL);
}

static void check_ranks_of_patterns(pattern_job *job, uint64_t c, const numbers *expected)
{
    for (int i = c % 2; i < N_RANK_NUMBERS; i += 2) {
        int n = rank_numbers[i];
        test_ranks_succeed(n, mine_patterns, job);
        for (int k = 0; k < n; k++)
            compare_numbers(&job->found[k], expected);
    }
}

/* Many units that fire together now and then, so that some roots are cut into parts; and units that
 * fire in every bin. */
static spk_recording *make_dense(test_random *random)
{
    enum { MOST = 6000 };
    static int64_t time[MOST];
    static uint32_t unit[MOST];
    uint64_t n = 0;
    spk_recording *recording = NULL;
    uint32_t n_units = 3 + (uint32_t)test_random_below(random, 18);
    int64_t bins = 20 + test_random_between(random, 0, 150);
    double rate = 0.02 + 0.4 * test_random_real(random);
    bool always = test_random_chance(random, 0.2);
    for (int64_t bin = 0; bin < bins; bin++)
        for (uint32_t u = 0; u < n_units && n < MOST; u++)
            if (test_random_chance(random, u < 2 ? 2 * rate : rate) || (always && u == 0)) {
                time[n] = bin;
                unit[n++] = u;
            }
    spk_status status = test_recording_create(alone, n, time, unit, n_units, NULL, (spk_rate){1, 1},
                                              NULL, NULL, &recording);
    assert_int_equal(status, SPK_OK);
    return recording;
}

static void test_patterns_of_random_recordings(void **state)
{
    static pattern_job job;
    uint64_t found = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(1000); c++) {
        test_random random = test_random_make(seed, 5000 + c);
        spk_recording *recording = make_dense(&random);
        spk_windows *windows = NULL;
        spk_window_options cut;
        spk_window_options_init(&cut, sizeof cut);
        cut.bin = (spk_duration){1, 0};
        cut.window = 1 + (uint32_t)test_random_below(&random, 3);
        assert_int_equal(spk_windows_create(alone, recording, &cut, &windows), SPK_OK);
        job.windows = windows;
        job.threads = 1 + (int)test_random_below(&random, 3);
        spk_pattern_options_init(&job.options, sizeof job.options);
        job.options.support = 2 + spk_windows_columns(windows).n_windows / 20;
        job.options.min_spikes = 1 + (uint32_t)test_random_below(&random, 2);
        job.options.max_spikes = 6;
        job.options.moving_window_filter = test_random_chance(&random, 0.5);
        job.options.engine = test_random_chance(&random, 0.2) ? "fpgrowth" : "bitmap";
        assert_int_equal(mine_patterns(alone, 0, &job), SPK_OK);
        numbers expected = job.found[0];
        job.found[0] = (numbers){.n = 0};
        found += expected.n;
        check_ranks_of_patterns(&job, c, &expected);
        free(expected.number);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    assert_true(found > 0);
    for (int k = 0; k < TEST_MOST_RANKS; k++)
        free(job.found[k].number);
}

/* ---- in any order ---------------------------------------------------------------------------- */

/* The columns of each pattern as one number that does not depend on the order of patterns: sums of
 * a hash, and how many there are. */
static spk_status add_hashes(void *user, const spk_pattern_columns *p)
{
    uint64_t *sum = user;
    for (uint64_t k = 0; k < p->n; k++) {
        uint64_t hash = p->count[k] + 1;
        for (uint64_t i = p->offset[k]; i < p->offset[k + 1]; i++)
            hash = (hash ^ p->item[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
        sum[0] += hash;
        sum[1]++;
    }
    return SPK_OK;
}

typedef struct sum_job {
    const spk_windows *windows;
    spk_pattern_options options;
    int threads;
    uint64_t sum[TEST_MOST_RANKS][2];
} sum_job;

static spk_status sum_patterns(spk_context *context, int rank, void *user)
{
    sum_job *job = user;
    job->sum[rank][0] = job->sum[rank][1] = 0;
    spk_context_set_threads(context, job->threads);
    return spk_pattern_mine(context, job->windows, &job->options, add_hashes, job->sum[rank], NULL);
}

static void test_patterns_in_any_order(void **state)
{
    static sum_job job;
    uint64_t found = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed, 9000 + c);
        spk_recording *recording = make_dense(&random);
        spk_windows *windows = NULL;
        spk_window_options cut;
        spk_window_options_init(&cut, sizeof cut);
        cut.bin = (spk_duration){1, 0};
        cut.window = 1 + (uint32_t)test_random_below(&random, 3);
        assert_int_equal(spk_windows_create(alone, recording, &cut, &windows), SPK_OK);
        job.windows = windows;
        spk_pattern_options_init(&job.options, sizeof job.options);
        job.options.support = 2 + spk_windows_columns(windows).n_windows / 20;
        job.options.max_spikes = 6;
        bool other = test_random_chance(&random, 0.2);
        job.options.engine = other ? "fpgrowth" : "bitmap";
        job.options.moving_window_filter = !other && test_random_chance(&random, 0.5);
        job.threads = 1;
        assert_int_equal(sum_patterns(alone, 0, &job), SPK_OK);
        const uint64_t expected[2] = {job.sum[0][0], job.sum[0][1]};
        found += expected[1];
        job.options.unordered = true;
        for (job.threads = 1; job.threads <= 4; job.threads += 3) {
            assert_int_equal(sum_patterns(alone, 0, &job), SPK_OK);
            assert_memory_equal(job.sum[0], expected, sizeof expected);
            test_ranks_succeed(3, sum_patterns, &job);
            for (int k = 0; k < 3; k++)
                assert_memory_equal(job.sum[k], expected, sizeof expected);
        }
        job.options.moving_window_filter = true;
        cut.window = spk_windows_columns(windows).window;
        assert_int_equal(sum_patterns(alone, 0, &job),
                         cut.window > 1 && other ? SPK_ERR_ARGUMENT : SPK_OK);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    assert_true(found > 0);
}

/* A table that ends before `look`: nobody sees that others wait, and the patterns are the same. */
static spk_status mine_without_look(spk_context *context, int rank, void *user)
{
    spk_ranks ranks = *spk_context_ranks(context);
    ranks.struct_size = offsetof(spk_ranks, look);
    spk_status status = spk_context_set_ranks(context, &ranks);
    return status == SPK_OK ? mine_patterns(context, rank, user) : status;
}

static void test_tables_without_look(void **state)
{
    static pattern_job job;
    test_random random = test_random_make(seed, 99);
    spk_recording *recording = make_dense(&random);
    spk_windows *windows = NULL;
    spk_window_options cut;
    (void)state;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, 0};
    assert_int_equal(spk_windows_create(alone, recording, &cut, &windows), SPK_OK);
    job.windows = windows;
    job.threads = 1;
    spk_pattern_options_init(&job.options, sizeof job.options);
    job.options.engine = "bitmap";
    assert_int_equal(mine_patterns(alone, 0, &job), SPK_OK);
    numbers expected = job.found[0];
    job.found[0] = (numbers){.n = 0};
    test_ranks_succeed(3, mine_without_look, &job);
    for (int k = 0; k < 3; k++) {
        compare_numbers(&job.found[k], &expected);
        free(job.found[k].number);
    }
    free(expected.number);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* ---- surrogates ------------------------------------------------------------------------------ */

typedef struct surrogate_job surrogate_job;
typedef spk_status make_maxima(spk_context *context, const surrogate_job *job, spk_maxima **out);

struct surrogate_job {
    const spk_recording *recording;
    make_maxima *make;
    uint64_t n_surrogates;
    const char *checkpoint;
    uint64_t n_before;            /* ranks that were cancelled after about so many surrogates */
    char *bytes[TEST_MOST_RANKS]; /* of the file that each rank's result makes */
};

static spk_status find_scores(spk_context *context, const surrogate_job *job, spk_maxima **out)
{
    static const spk_delay delay = {{0, 0}, {20, -3}};
    static const spk_duration windows[] = {{50, -3}, {100, -3}};
    spk_episode_options episodes;
    spk_exact_options options;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_exact_options_init(&options, sizeof options);
    episodes.delays = &delay;
    episodes.n_delays = 1;
    episodes.support = 4;
    episodes.max_size = 3;
    options.episodes = &episodes;
    options.n_surrogates = job->n_surrogates;
    options.seed = 3;
    options.jitter = windows;
    options.n_jitter = 2;
    options.checkpoint = job->checkpoint;
    return spk_exact_run(context, job->recording, &options, out);
}

static spk_status find_counts(spk_context *context, const surrogate_job *job, spk_maxima **out)
{
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_surrogate_options surrogates;
    spk_maxima_options options;
    spk_window_options_init(&windows, sizeof windows);
    spk_pattern_options_init(&patterns, sizeof patterns);
    spk_surrogate_options_init(&surrogates, sizeof surrogates);
    spk_maxima_options_init(&options, sizeof options);
    windows.bin = (spk_duration){5, -3};
    windows.window = 3;
    patterns.min_spikes = 2;
    surrogates.seed = 5;
    options.windows = &windows;
    options.patterns = &patterns;
    options.surrogates = &surrogates;
    options.n_surrogates = job->n_surrogates;
    options.checkpoint = job->checkpoint;
    return spk_maxima_run(context, job->recording, &options, out);
}

static spk_status find_statistics(spk_context *context, const surrogate_job *job, spk_maxima **out)
{
    spk_sequence_options options;
    spk_sequence_options_init(&options, sizeof options);
    options.n_surrogates = job->n_surrogates;
    options.checkpoint = job->checkpoint;
    return spk_sequences_run(context, job->recording, &options, out);
}

static make_maxima *const makers[] = {find_scores, find_counts, find_statistics};

static void cancel_when_far(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)total;
    if (strcmp(what, "surrogates") == 0 && done > 0)
        spk_context_cancel(user);
}

/* The file's bytes; the name is the rank's own. */
static spk_status keep_bytes(spk_context *context, const spk_maxima *maxima, int rank, char **out)
{
    char name[320];
    FILE *file = NULL;
    snprintf(name, sizeof name, "%s.of-rank-%d", result_path, rank);
    spk_context *plain = NULL;
    spk_status status = spk_context_create(&plain);
    if (status == SPK_OK)
        status = spk_maxima_write(plain, maxima, name);
    spk_context_free(plain);
    (void)context;
    *out = NULL;
    if (status == SPK_OK && (file = fopen(name, "r")) != NULL) {
        fseek(file, 0, SEEK_END);
        const size_t n = (size_t)ftell(file);
        rewind(file);
        *out = calloc(n + 1, 1);
        if (n == 0 || (*out != NULL && fread(*out, 1, n, file) != n))
            status = SPK_ERR_IO;
        fclose(file);
    }
    return *out != NULL ? status : SPK_ERR_IO;
}

static spk_status run_surrogates(spk_context *context, int rank, void *user)
{
    surrogate_job *job = user;
    spk_maxima *maxima = NULL;
    if (job->n_before > 0)
        spk_context_set_progress(context, cancel_when_far, context);
    spk_status status = job->make(context, job, &maxima);
    if (status == SPK_OK)
        status = keep_bytes(context, maxima, rank, &job->bytes[rank]);
    spk_maxima_free(maxima);
    return status;
}

static spk_recording *make_recording(test_random *random)
{
    enum { EVENTS = 300 };
    int64_t time[EVENTS];
    uint32_t unit[EVENTS];
    static const int64_t start = 0, stop = 2000;
    spk_recording *recording = NULL;
    for (uint64_t e = 0; e < EVENTS; e++) {
        time[e] = test_random_between(random, 0, 1999);
        unit[e] = (uint32_t)test_random_below(random, 5);
    }
    assert_int_equal(test_recording_create(alone, EVENTS, time, unit, 5, NULL, (spk_rate){1000, 1},
                                           &start, &stop, &recording),
                     SPK_OK);
    return recording;
}

static void free_bytes(surrogate_job *job)
{
    for (int k = 0; k < TEST_MOST_RANKS; k++) {
        free(job->bytes[k]);
        job->bytes[k] = NULL;
    }
}

static void check_ranks_of_surrogates(surrogate_job *job, int n, const char *expected)
{
    test_ranks_succeed(n, run_surrogates, job);
    for (int k = 0; k < n; k++)
        assert_string_equal(job->bytes[k], expected);
    free_bytes(job);
}

static void test_surrogates(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(20); c++) {
        test_random random = test_random_make(seed, 1000 + c);
        spk_recording *recording = make_recording(&random);
        static surrogate_job job;
        job = (surrogate_job){.recording = recording,
                              .make = makers[c % 3],
                              .n_surrogates = 1 + test_random_below(&random, 30)};
        if (run_surrogates(alone, 0, &job) != SPK_OK)
            fail_msg("%s", spk_context_message(alone));
        char *expected = job.bytes[0];
        job.bytes[0] = NULL;
        for (int i = 0; i < N_RANK_NUMBERS; i++)
            check_ranks_of_surrogates(&job, rank_numbers[i], expected);
        free(expected);
        spk_recording_free(recording);
    }
}

/* A job of some ranks is cut off, and goes on with another number of them. It takes long enough for
 * that, also where a sanitizer makes each surrogate slow. */
static void test_checkpoints(void **state)
{
    const uint64_t n_surrogates = test_scaled_from(1500, 300);
    uint64_t cut_off = 0;
    (void)state;
    for (uint64_t c = 0; c < 3 + test_scaled(9) || (cut_off == 0 && c < 40); c++) {
        test_random random = test_random_make(seed, 2000 + c);
        spk_recording *recording = make_recording(&random);
        static surrogate_job job;
        spk_status status[TEST_MOST_RANKS];
        char path[256];
        snprintf(path, sizeof path, "%s", test_path("check.spk"));
        job = (surrogate_job){
            .recording = recording, .make = makers[c % 2], .n_surrogates = n_surrogates};
        if (run_surrogates(alone, 0, &job) != SPK_OK)
            fail_msg("%s", spk_context_message(alone));
        char *expected = job.bytes[0];
        job.bytes[0] = NULL;
        job.checkpoint = path;
        job.n_before = 1;
        test_ranks_run(1 + (int)test_random_below(&random, 5), run_surrogates, &job, status, NULL);
        cut_off += status[0] != SPK_OK;
        free_bytes(&job);
        job.n_before = 0;
        check_ranks_of_surrogates(&job, 1 + (int)test_random_below(&random, 5), expected);
        char *file = test_file_text("check.spk");
        assert_string_equal(file, expected);
        assert_false(test_file_exists("check.spk.rank-1"));
        free(file);
        free(expected);
        remove(path);
        spk_recording_free(recording);
    }
    assert_true(cut_off > 0);
}

/* ---- what must be the same, and what fails --------------------------------------------------- */

static spk_status compare_texts(spk_context *context, int rank, void *user)
{
    const int *different = user;
    return spk_ranks_compare(context, "word", rank == *different ? "other" : "one");
}

static void test_comparing(void **state)
{
    spk_status status[4];
    char message[4][256];
    int different = 9;
    (void)state;
    test_ranks_succeed(4, compare_texts, &different);
    different = 2;
    test_ranks_run(4, compare_texts, &different, status, message);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(status[k], SPK_ERR_ARGUMENT);
        assert_non_null(strstr(message[k], "rank 2 has another word than rank 0"));
    }
}

static spk_status compare_recordings(spk_context *context, int rank, void *user)
{
    spk_recording *const *recordings = user;
    return spk_ranks_compare_recording(context, recordings[rank]);
}

static void test_comparing_recordings(void **state)
{
    test_random random = test_random_make(seed, 3000);
    spk_recording *one = make_recording(&random), *other = make_recording(&random);
    spk_recording *recordings[3] = {one, one, one};
    spk_status status[3];
    char message[3][256];
    (void)state;
    assert_int_equal(spk_ranks_compare_recording(alone, one), SPK_OK);
    test_ranks_succeed(3, compare_recordings, recordings);
    recordings[1] = other;
    test_ranks_run(3, compare_recordings, recordings, status, message);
    assert_int_equal(status[0], SPK_ERR_ARGUMENT);
    assert_non_null(strstr(message[0], "rank 1 has another recording than rank 0"));
    spk_recording_free(one);
    spk_recording_free(other);
}

static spk_status break_task(spk_context *own, uint64_t task, void *user)
{
    return task == *(const uint64_t *)user ? spk_fail(own, SPK_ERR_FORMAT, "task 5 broke") : SPK_OK;
}

static spk_status pack_nothing(spk_context *context, void *user, spk_blob *out)
{
    (void)context, (void)user, (void)out;
    return SPK_OK;
}

static spk_status unpack_nothing(spk_context *context, void *user, spk_blob_reader *bytes)
{
    (void)context, (void)user, (void)bytes;
    return SPK_OK;
}

static spk_status run_broken_queue(spk_context *context, int rank, void *user)
{
    const spk_queue_job job = {.n = 50,
                               .what = "tasks",
                               .task = break_task,
                               .user = user,
                               .pack = pack_nothing,
                               .unpack = unpack_nothing};
    (void)rank;
    return spk_queue_run(context, &job);
}

static void test_failure_of_one_rank(void **state)
{
    spk_status status[4];
    char message[4][256];
    uint64_t failing = 5;
    int broken = 0;
    (void)state;
    test_ranks_run(4, run_broken_queue, &failing, status, message);
    for (int k = 0; k < 4; k++) {
        assert_true(status[k] == SPK_ERR_FORMAT || status[k] == SPK_ERR_CANCELLED);
        broken += status[k] == SPK_ERR_FORMAT && strcmp(message[k], "task 5 broke") == 0;
    }
    assert_int_equal(broken, 1);
}

static spk_status write_file(spk_context *context, int rank, void *user)
{
    spk_output *output = NULL;
    char text[16];
    int n = snprintf(text, sizeof text, "rank %d\n", rank);
    spk_status status = spk_output_open(context, user, &output);
    if (status == SPK_OK)
        status = spk_output_write(context, output, text, (size_t)n);
    return status == SPK_OK ? spk_output_commit(context, output) : status;
}

static void test_rank_0_writes(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("written"));
    test_ranks_succeed(3, write_file, path);
    char *text = test_file_text("written");
    assert_string_equal(text, "rank 0\n");
    free(text);
}

static void test_bad_tables(void **state)
{
    spk_ranks ranks = {.struct_size = sizeof ranks, .rank = 0, .n_ranks = 2};
    (void)state;
    assert_int_equal(spk_context_set_ranks(alone, &ranks), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_context_set_ranks(NULL, &ranks), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_context_set_ranks(alone, NULL), SPK_OK);
    assert_int_equal(spk_ranks_compare(alone, "word", "any"), SPK_OK);
}

static int setup(void **state)
{
    (void)state;
    seed = test_seed("test_ranks");
    snprintf(result_path, sizeof result_path, "%s", test_path("result"));
    return spk_context_create(&alone) == SPK_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_episodes_of_random_recordings),
        cmocka_unit_test(test_patterns_of_random_recordings),
        cmocka_unit_test(test_patterns_in_any_order),
        cmocka_unit_test(test_tables_without_look),
        cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_comparing),
        cmocka_unit_test(test_comparing_recordings),
        cmocka_unit_test(test_failure_of_one_rank),
        cmocka_unit_test(test_rank_0_writes),
        cmocka_unit_test(test_bad_tables),
    };
    return cmocka_run_group_tests(tests, setup, alone_teardown);
}
