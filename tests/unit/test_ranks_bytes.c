/*
 * Patterns as bytes over threads and ranks: the table that they make together is that of the sink,
 * to the byte; runs of any size come to rank 0 in their order; a reader that goes away stops no
 * rank; what cannot be shared so goes to the sink.
 */
#include "pattern/share.h"
#include "support/test.h"
#include "support/thread_ranks.h"

static uint64_t seed;

static const int rank_numbers[] = {2, 3, 4, 7, 8};
enum { N_RANK_NUMBERS = sizeof rank_numbers / sizeof rank_numbers[0], MOST_RANKS = 8 };

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct table_job {
    const spk_recording *recording;
    const spk_windows *windows;
    spk_pattern_options options;
    spk_table_form format;
    bool by_sink; /* no bytes are wanted */
    bool without_send;
    char path[256];
    uint64_t reported[MOST_RANKS];
    uint64_t to_sink[MOST_RANKS]; /* patterns */
} table_job;

typedef struct watched_sink {
    spk_writer *writer;
    uint64_t *n;
} watched_sink;

static spk_status add_watched(void *user, const spk_pattern_columns *patterns)
{
    const watched_sink *s = user;
    *s->n += patterns->n;
    return spk_pattern_writer_add(s->writer, patterns);
}

static spk_status write_table(spk_context *context, int rank, void *user)
{
    table_job *job = user;
    spk_pattern_options options = job->options;
    spk_writer *writer = NULL;
    spk_pattern_bytes bytes;
    spk_pattern_summary summary = {.n_reported = 0};
    job->to_sink[rank] = 0;
    spk_status status = spk_pattern_writer_open(context, job->path, job->format, job->windows,
                                                job->recording, &writer);
    watched_sink sink = {writer, &job->to_sink[rank]};
    if (status == SPK_OK)
        status = spk_pattern_writer_bytes(writer, &bytes);
    options.bytes = job->by_sink ? NULL : &bytes;
    if (status == SPK_OK && job->without_send) {
        spk_ranks ranks = *spk_context_ranks(context);
        ranks.struct_size = offsetof(spk_ranks, send);
        status = spk_context_set_ranks(context, &ranks);
    }
    if (status == SPK_OK)
        status = spk_pattern_mine(context, job->windows, &options, add_watched, &sink, &summary);
    job->reported[rank] = summary.n_reported;
    if (status == SPK_OK)
        return spk_writer_commit(writer, NULL);
    spk_writer_free(writer);
    return status;
}

/* Units that fire together now and then, with labels that need quotes. */
static spk_recording *make_recording(test_random *random)
{
    enum { MOST = 4000, UNITS = 14 };
    static int64_t time[MOST];
    static uint32_t unit[MOST];
    static const char *const label[UNITS] = {"a",   "b c",      "\"", "e@2", "5",
                                             "u\\", "\xc3\xa9", "h",  "i",   "a longer one",
                                             "k",   "l",        "m",  "n"};
    uint64_t n = 0;
    spk_recording *recording = NULL;
    const int64_t bins = 20 + test_random_between(random, 0, 150);
    const double rate = 0.02 + 0.3 * test_random_real(random);
    for (int64_t bin = 0; bin < bins; bin++)
        for (uint32_t u = 0; u < UNITS && n < MOST; u++)
            if (test_random_chance(random, u < 2 ? 2 * rate : rate)) {
                time[n] = bin;
                unit[n++] = u;
            }
    assert_int_equal(test_recording_create(alone, n, time, unit, UNITS, label, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    return recording;
}

static spk_windows *cut(const spk_recording *recording, uint32_t window)
{
    spk_windows *windows = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, 0};
    options.window = window;
    assert_int_equal(spk_windows_create(alone, recording, &options, &windows), SPK_OK);
    return windows;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of a text. */
static void sort_lines(char *text)
{
    const size_t length = strlen(text);
    char **line = malloc((length + 1) * sizeof *line), *copy = malloc(length + 1), *to = text;
    size_t n = 0;
    assert_non_null(line);
    assert_non_null(copy);
    memcpy(copy, text, length + 1);
    for (char *at = strtok(copy, "\n"); at != NULL; at = strtok(NULL, "\n"))
        line[n++] = at;
    qsort(line, n, sizeof *line, compare_lines);
    for (size_t k = 0; k < n; k++)
        to += sprintf(to, "%s\n", line[k]);
    free(copy);
    free(line);
}

static void check_table(table_job *job, const char *expected, uint64_t n, bool shared)
{
    for (int i = 0; i < N_RANK_NUMBERS; i++) {
        const int n_ranks = rank_numbers[i];
        test_ranks_succeed(n_ranks, write_table, job);
        char *text = test_file_text("table");
        if (job->options.unordered)
            sort_lines(text);
        assert_string_equal(text, expected);
        free(text);
        for (int k = 0; k < n_ranks; k++) {
            assert_int_equal(job->reported[k], n);
            assert_int_equal(job->to_sink[k], shared ? 0 : n);
        }
    }
}

/* Threads of one process. */
static void check_threads(table_job *job, const char *expected, uint64_t n, bool shared)
{
    for (int threads = 1; threads <= 4; threads++) {
        spk_context_set_threads(alone, threads);
        assert_int_equal(write_table(alone, 0, job), SPK_OK);
        char *text = test_file_text("table");
        if (job->options.unordered)
            sort_lines(text);
        assert_string_equal(text, expected);
        free(text);
        assert_int_equal(job->reported[0], n);
        assert_int_equal(job->to_sink[0], shared && threads > 1 ? 0 : n);
    }
    spk_context_set_threads(alone, 0);
}

static void tables_of_random_recordings(void **state)
{
    static table_job job;
    uint64_t found = 0;
    (void)state;
    snprintf(job.path, sizeof job.path, "%s", test_path("table"));
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *recording = make_recording(&random);
        spk_windows *windows = cut(recording, 1 + (uint32_t)test_random_below(&random, 3));
        const bool other = test_random_chance(&random, 0.1);
        job.recording = test_random_chance(&random, 0.8) ? recording : NULL;
        job.windows = windows;
        job.format = test_random_chance(&random, 0.7) ? SPK_FORM_TSV : SPK_FORM_JSON;
        spk_pattern_options_init(&job.options, sizeof job.options);
        job.options.support = 2 + spk_windows_columns(windows).n_windows / 20;
        if (test_random_chance(&random, 0.1))
            job.options.support = 1000000; /* nothing is found */
        job.options.max_spikes = 5;
        job.options.moving_window_filter = test_random_chance(&random, 0.5);
        job.options.engine = other ? "fpgrowth" : "bitmap";
        job.without_send = false;
        job.by_sink = true;
        assert_int_equal(write_table(alone, 0, &job), SPK_OK);
        assert_int_equal(job.to_sink[0], job.reported[0]);
        job.by_sink = false;
        const uint64_t n = job.reported[0];
        char *expected = test_file_text("table");
        found += n;
        check_table(&job, expected, n, !other);
        check_threads(&job, expected, n, !other);
        if (!other && job.format == SPK_FORM_TSV) {
            sort_lines(expected);
            job.options.unordered = true;
            check_table(&job, expected, n, true);
            check_threads(&job, expected, n, true);
        }
        free(expected);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    assert_true(found > 0);
}

/* Ranks that cannot send to one of them. */
static void tables_without_send(void **state)
{
    static table_job job;
    test_random random = test_random_make(seed, 99);
    spk_recording *recording = make_recording(&random);
    spk_windows *windows = cut(recording, 2);
    (void)state;
    snprintf(job.path, sizeof job.path, "%s", test_path("table"));
    job = (table_job){.recording = recording, .windows = windows, .format = SPK_FORM_TSV};
    snprintf(job.path, sizeof job.path, "%s", test_path("table"));
    spk_pattern_options_init(&job.options, sizeof job.options);
    job.options.support = 3;
    assert_int_equal(write_table(alone, 0, &job), SPK_OK);
    char *expected = test_file_text("table");
    job.without_send = true;
    check_table(&job, expected, job.reported[0], false);
    free(expected);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* Columns that depend on all rows. */
static void tables_with_a_test(void **state)
{
    test_random random = test_random_make(seed, 98);
    spk_recording *recording = make_recording(&random);
    spk_windows *windows = cut(recording, 2);
    spk_writer *writer = NULL;
    spk_pattern_bytes bytes;
    const spk_significance test = {.struct_size = sizeof test, .method = ""};
    (void)state;
    assert_int_equal(spk_pattern_writer_open(alone, test_path("table"), SPK_FORM_TSV, windows,
                                             recording, &writer),
                     SPK_OK);
    assert_int_equal(spk_pattern_writer_bytes(writer, &bytes), SPK_OK);
    assert_int_equal(spk_writer_set_signatures(writer, &test), SPK_OK);
    assert_int_equal(spk_pattern_writer_bytes(writer, &bytes), SPK_ERR_UNSUPPORTED);
    assert_null(bytes.make);
    spk_writer_free(writer);
    spk_windows_free(windows);
    spk_recording_free(recording);
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { MOST_RUNS = 400 };

/* Runs with places of their own, each of some rank, with bytes that tell which run it is. */
typedef struct runs_job {
    uint64_t n;
    uint32_t place[MOST_RUNS][3];
    uint64_t n_bytes[MOST_RUNS];
    int rank[MOST_RUNS];
    int n_ranks;
    uint64_t fails_at;      /* patterns after which rank 0 takes no more; UINT64_MAX: never */
    uint64_t n_taken[8];    /* patterns, by rank */
    uint64_t n_wrong;       /* bytes at rank 0 that are not those of the run in turn */
    uint64_t n_after_error; /* calls */
    bool failed;
} runs_job;

typedef struct runs_rank {
    runs_job *job;
    int rank;
} runs_rank;

static unsigned char byte_of(uint64_t run, uint64_t k)
{
    return (unsigned char)(run * 37 + k * 11 + (k >> 13));
}

static spk_status take_run(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns)
{
    const runs_rank *r = user;
    runs_job *job = r->job;
    const uint64_t run = job->n_taken[r->rank];
    job->n_taken[r->rank] += n_patterns;
    if (r->rank != 0)
        return bytes == NULL ? SPK_OK : SPK_ERR_INTERNAL;
    job->n_after_error += job->failed;
    if (run >= job->fails_at) {
        job->failed = true;
        return SPK_ERR_PIPE;
    }
    job->n_wrong += n_bytes != job->n_bytes[run] || n_patterns != 1;
    for (uint64_t k = 0; k < n_bytes; k++)
        job->n_wrong += (unsigned char)bytes[k] != byte_of(run, k);
    return SPK_OK;
}

static spk_status collect(spk_context *context, int rank, void *user)
{
    runs_job *job = user;
    runs_rank own = {job, rank};
    const spk_pattern_bytes to = {.take = take_run, .user = &own};
    const spk_ranks *ranks = spk_context_ranks(context);
    spk_blob heads = {.bytes = NULL}, made = {.bytes = NULL};
    spk_exchanged all = {.bytes = NULL};
    spk_run_list list = {.n = 0};
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < job->n && status == SPK_OK; i++) {
        const uint64_t run = (i * 7919 + (uint64_t)rank) % job->n; /* in no order */
        if (job->rank[run] != rank)
            continue;
        const spk_run_head head = {.n_place = 3, .n = 1, .n_bytes = job->n_bytes[run]};
        status = spk_blob_add(context, &heads, &head, sizeof head);
        if (status == SPK_OK)
            status = spk_blob_add(context, &heads, job->place[run], sizeof job->place[run]);
        for (uint64_t k = 0; k < head.n_bytes && status == SPK_OK; k++) {
            const unsigned char byte = byte_of(run, k);
            status = spk_blob_add(context, &made, &byte, 1);
        }
    }
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, ranks, &heads, &all);
    if (status == SPK_OK)
        status = spk_run_list_make(context, &all, job->n_ranks, true, true, &list);
    if (status == SPK_OK)
        status = spk_runs_collect(context, ranks, &list, made.bytes, &to);
    spk_run_list_free(&list);
    spk_exchanged_free(&all);
    spk_blob_free(&heads);
    spk_blob_free(&made);
    return status;
}

/* 7919 is prime, and no multiple of any number of runs that is drawn. */
static void draw_runs(test_random *random, runs_job *job, uint64_t most_bytes)
{
    uint32_t a = 0, b = 0;
    *job = (runs_job){.n = 1 + test_random_below(random, MOST_RUNS - 1), .fails_at = UINT64_MAX};
    job->n_ranks = 2 + (int)test_random_below(random, 7);
    for (uint64_t k = 0; k < job->n; k++) {
        if (test_random_chance(random, 0.3))
            a += 1 + (uint32_t)test_random_below(random, 3), b = 0;
        else
            b += 1 + (uint32_t)test_random_below(random, 300);
        job->place[k][0] = a;
        job->place[k][1] = b;
        job->place[k][2] = (uint32_t)test_random_below(random, 9);
        job->rank[k] = (int)test_random_below(random, (uint64_t)job->n_ranks);
        job->n_bytes[k] =
            test_random_chance(random, 0.1) ? 0 : test_random_below(random, most_bytes);
    }
}

static void runs_come_in_their_order(void **state)
{
    static runs_job job;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(40); c++) {
        test_random random = test_random_make(seed, 3000 + c);
        draw_runs(&random, &job, c % 4 == 0 ? 100000 : 300); /* several chunks, or one */
        test_ranks_succeed(job.n_ranks, collect, &job);
        assert_int_equal(job.n_wrong, 0);
        for (int k = 0; k < job.n_ranks; k++)
            assert_int_equal(job.n_taken[k], job.n);
    }
}

static void a_reader_goes_away(void **state)
{
    static runs_job job;
    spk_status status[MOST_RANKS];
    static char message[MOST_RANKS][256];
    (void)state;
    for (uint64_t c = 0; c < test_scaled(20); c++) {
        test_random random = test_random_make(seed, 4000 + c);
        draw_runs(&random, &job, 100000);
        job.fails_at = test_random_below(&random, job.n);
        test_ranks_run(job.n_ranks, collect, &job, status, message);
        assert_int_equal(status[0], SPK_ERR_PIPE);
        for (int k = 1; k < job.n_ranks; k++) {
            assert_int_equal(status[k], SPK_OK);
            assert_int_equal(job.n_taken[k], job.n);
        }
        assert_int_equal(job.n_after_error, 0);
        assert_int_equal(job.n_wrong, 0);
    }
}

/* Bytes that are no heads, from a rank that is another program. */
static void heads_that_make_no_sense(void **state)
{
    const spk_run_head bad[] = {{.n_place = 1, .n = 1, .n_bytes = 1},
                                {.n_place = UINT64_MAX, .n = 1, .n_bytes = 0},
                                {.n_place = 0, .n = 1, .n_bytes = 5}};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        uint64_t first[2] = {0, sizeof bad[k]};
        unsigned char bytes[sizeof bad[k]];
        const spk_exchanged all = {bytes, first};
        spk_run_list list = {.n = 0};
        memcpy(bytes, &bad[k], sizeof bad[k]);
        assert_int_equal(spk_run_list_make(alone, &all, 1, false, true, &list), SPK_ERR_INTERNAL);
        spk_run_list_free(&list);
        first[1] = sizeof bad[k] - 1;
        assert_int_equal(spk_run_list_make(alone, &all, 1, true, true, &list), SPK_ERR_INTERNAL);
        spk_run_list_free(&list);
    }
}

int main(void)
{
    seed = test_seed("test_ranks_bytes");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_random_recordings), cmocka_unit_test(tables_without_send),
        cmocka_unit_test(tables_with_a_test),          cmocka_unit_test(runs_come_in_their_order),
        cmocka_unit_test(a_reader_goes_away),          cmocka_unit_test(heads_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, alone_setup, alone_teardown);
}
