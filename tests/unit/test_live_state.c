/*
 * The state file: a run that stops and goes on at random places gives the counts and occurrences of
 * one that does not; files of other jobs, and cut and damaged ones, are refused.
 */
#include "base/sha256.h"
#include "support/context.h"
#include "support/live_run.h"

static int setup(void **state)
{
    (void)state;
    spk_status status = spk_context_create(&context);
    spk_context_set_threads(context, 1);
    return status != SPK_OK;
}

/* ---- random streams -------------------------------------------------------------------------- */

static void random_restarts(void **state)
{
    (void)state;
    uint64_t seed = test_seed("live state");
    for (uint64_t k = 0; k < test_scaled(1500); k++) {
        test_random random = test_random_make(seed, k);
        live_run *run = live_run_begin(context, &random, k % 8 == 7);
        do {
            if (test_random_chance(&random, 0.1))
                live_run_restart(run, &random);
            if (test_random_chance(&random, 0.02))
                live_run_compare(run);
        } while (live_run_push(run, &random));
        live_run_compare(run);
        live_run_end(run);
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

typedef struct job {
    spk_rate rate;
    spk_duration window, bin;
    const char *episode;
    uint32_t max_units;
} job;

static const job usual = {{1000, 1}, {5, -1, 0}, {5, -3, 0}, "A (0,10ms] B", 10};

static spk_live_stream *stream;
static spk_live_watch *watch;

static void open_job(const job *j)
{
    static const char *const letters[] = {"A", "B"};
    spk_live_stream_options of_stream;
    spk_live_watch_options of_watch;
    spk_recording *labels = NULL;
    spk_episode_list *list = NULL;
    const uint64_t offset[] = {0, 2};
    const uint32_t item[] = {0, 5}, count = 0;
    const spk_pattern_columns patterns = {
        .n = 1, .window = 4, .offset = offset, .item = item, .count = &count};
    spk_live_stream_options_init(&of_stream, sizeof of_stream);
    of_stream.rate = j->rate;
    of_stream.max_units = j->max_units;
    of_stream.tolerance = (spk_duration){3, -3, 0};
    spk_live_watch_options_init(&of_watch, sizeof of_watch);
    of_watch.window = j->window;
    of_watch.bin = j->bin;
    assert_int_equal(spk_live_stream_create(context, &of_stream, &stream), SPK_OK);
    assert_int_equal(spk_live_watch_create(context, stream, &of_watch, &watch), SPK_OK);
    assert_int_equal(
        test_recording_create(context, 0, NULL, NULL, 2, letters, j->rate, NULL, NULL, &labels),
        SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_parse(context, labels, j->episode, list), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_live_watch_add_episodes(context, watch, labels, &columns), SPK_OK);
    assert_int_equal(spk_live_watch_add_patterns(context, watch, labels, &patterns), SPK_OK);
    spk_episode_list_free(list);
    spk_recording_free(labels);
}

static void close_job(void)
{
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
}

static void push(int64_t time, const char *label)
{
    uint32_t unit;
    assert_int_equal(spk_live_stream_unit(context, stream, label, &unit), SPK_OK);
    assert_int_equal(spk_live_stream_push(context, stream, 1, &time, &unit, NULL), SPK_OK);
}

/* B (0,10ms] A, for a while. */
static void begin_another(void)
{
    static const char *const letters[] = {"B", "A"};
    spk_recording *labels = NULL;
    spk_episode_list *list = NULL;
    assert_int_equal(
        test_recording_create(context, 0, NULL, NULL, 2, letters, usual.rate, NULL, NULL, &labels),
        SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_episode_parse(context, labels, "B (0,10ms] A", list), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_live_watch_begin_episodes(context, watch, labels, &columns), SPK_OK);
    spk_episode_list_free(list);
    spk_recording_free(labels);
}

static void save(const char *path, bool another)
{
    open_job(&usual);
    push(1, "A");
    push(4, "B");
    if (another)
        begin_another();
    push(7, "never watched");
    push(9, "A");
    push(8, "B");
    assert_int_equal(spk_live_state_save(context, stream, watch, path), SPK_OK);
    close_job();
}

static void save_usual(void)
{
    save(test_path("usual"), false);
}

static void check_load(const job *j, const char *path, spk_status status, const char *message)
{
    open_job(j);
    assert_int_equal(spk_live_state_load(context, stream, watch, path), status);
    if (status != SPK_OK && strstr(spk_context_message(context), message) == NULL)
        fail_msg("'%s' lacks '%s'", spk_context_message(context), message);
    close_job();
}

static spk_status keep_batch(void *user, const spk_live_batch *batch)
{
    *(spk_live_batch *)user = *batch;
    return SPK_OK;
}

/* The segment goes on, in its trial; what was before is not known to have been observed. */
static void trial_goes_on(void **state)
{
    (void)state;
    spk_live_batch batch = {.n = 0};
    const spk_duration start = {0, 0, 0};
    open_job(&usual);
    assert_int_equal(spk_live_stream_border_of_trial(context, stream, &start, NULL, 6, 8), SPK_OK);
    push(1, "A");
    assert_int_equal(spk_live_state_save(context, stream, watch, test_path("trial")), SPK_OK);
    close_job();
    open_job(&usual);
    assert_int_equal(spk_live_stream_add_sink(context, stream, keep_batch, &batch), SPK_OK);
    assert_int_equal(spk_live_state_load(context, stream, watch, test_path("trial")), SPK_OK);
    push(2, "A");
    assert_true(batch.begins_segment && !batch.has_start);
    assert_int_equal(batch.segment, 0);
    assert_int_equal(batch.trial, 6);
    assert_int_equal(batch.n_trials, 8);
    close_job();
}

static void other_jobs(void **state)
{
    (void)state;
    save_usual();
    check_load(&usual, test_path("usual"), SPK_OK, "");
    job other = usual;
    other.rate.numerator = 30000;
    check_load(&other, test_path("usual"), SPK_ERR_ARGUMENT, "1000 ticks a second, not 30000");
    other = usual;
    other.episode = "A (0,11ms] B";
    check_load(&other, test_path("usual"), SPK_ERR_ARGUMENT, "another list of episodes");
    other = usual;
    other.bin = (spk_duration){6, -3, 0};
    check_load(&other, test_path("usual"), SPK_ERR_ARGUMENT, "another width of bins");
    other = usual;
    other.window = (spk_duration){6, 0, 0};
    check_load(&other, test_path("usual"), SPK_ERR_ARGUMENT, "another window");
    other = usual;
    other.max_units = 2;
    check_load(&other, test_path("usual"), SPK_ERR_RANGE, "more than the 2 that the stream takes");
    check_load(&usual, test_path("none"), SPK_ERR_IO, "");
    check_load(&usual, test_file("text", "A B C\n"), SPK_ERR_FORMAT, "is no state");
    open_job(&usual);
    push(1, "A");
    assert_int_equal(spk_live_state_load(context, stream, watch, test_path("usual")),
                     SPK_ERR_ARGUMENT);
    close_job();
}

static unsigned char *read_file(const char *path, size_t *n)
{
    unsigned char *bytes = calloc(1, 1 << 16);
    FILE *file = fopen(path, "rb");
    assert_true(bytes != NULL && file != NULL);
    *n = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static const char *write_file(const unsigned char *bytes, size_t n)
{
    const char *path = test_path("changed");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
    return path;
}

/* What is followed for a while leaves the state as it is. */
static void without_what_passes(void **state)
{
    (void)state;
    save_usual();
    save(test_path("more"), true);
    size_t n = 0, n_more = 0;
    unsigned char *bytes = read_file(test_path("usual"), &n);
    unsigned char *more = read_file(test_path("more"), &n_more);
    assert_int_equal(n, n_more);
    assert_memory_equal(bytes, more, n);
    free(bytes);
    free(more);
}

/* A file that was cut or damaged anywhere is refused, and nothing crashes. */
static void damaged_files(void **state)
{
    (void)state;
    size_t n = 0;
    save_usual();
    unsigned char *bytes = read_file(test_path("usual"), &n);
    for (size_t cut = 0; cut < n; cut += 1 + n / 200)
        check_load(&usual, write_file(bytes, cut), SPK_ERR_FORMAT,
                   cut < 21 ? "is no state" : "the file was cut");
    for (size_t at = 23; at < n; at += 1 + n / 200) {
        bytes[at] ^= 0x10;
        check_load(&usual, write_file(bytes, n), SPK_ERR_FORMAT, "the file was");
        bytes[at] ^= 0x10;
    }
    bytes[21] = '3';
    check_load(&usual, write_file(bytes, n), SPK_ERR_FORMAT, "another version");
    free(bytes);
}

/* Bytes that contradict each other are refused, or are some other state, even where somebody made
 * the digest anew; never is memory touched that is not the stream's. */
static void forged_files(void **state)
{
    (void)state;
    size_t n = 0;
    uint64_t seed = test_seed("forged states");
    save_usual();
    unsigned char *bytes = read_file(test_path("usual"), &n);
    for (uint64_t k = 0; k < test_scaled(1500); k++) {
        test_random random = test_random_make(seed, k);
        unsigned char *forged = malloc(n);
        char hex[SPK_SHA256_HEX];
        assert_non_null(forged);
        memcpy(forged, bytes, n);
        size_t at = 31 + test_random_below(&random, n - 64 - 31);
        forged[at] =
            test_random_chance(&random, 0.5) ? 0xff : (unsigned char)test_random_bits(&random);
        spk_sha256 digest = spk_sha256_start();
        spk_sha256_add(&digest, forged, n - 64);
        spk_sha256_end(&digest, hex);
        memcpy(forged + n - 64, hex, 64);
        open_job(&usual);
        if (spk_live_state_load(context, stream, watch, write_file(forged, n)) == SPK_OK) {
            uint64_t counts[2];
            uint32_t unit = 0;
            for (int64_t t = 20; t < 60; t += 5) {
                spk_status ignored = spk_live_stream_push(context, stream, 1, &t, &unit, NULL);
                (void)ignored;
            }
            spk_live_watch_recent(watch, counts, counts + 1);
        }
        close_job();
        free(forged);
    }
    free(bytes);
}

/* The bytes are the same on every machine. */
static void fixed_bytes(void **state)
{
    (void)state;
    size_t n = 0;
    char hex[SPK_SHA256_HEX];
    save_usual();
    unsigned char *bytes = read_file(test_path("usual"), &n);
    assert_memory_equal(bytes, "spikemine live state 2\n", 23);
    assert_int_equal(bytes[23] + 256 * bytes[24], n - 31);
    static const unsigned char rate[] = {0xe8, 3, 0, 0, 0, 0, 0, 0, 1};
    assert_memory_equal(bytes + 31, rate, sizeof rate);
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add(&digest, bytes, n);
    spk_sha256_end(&digest, hex);
    assert_string_equal(hex, "fd244dcbe18813d3e88e4b487e78e40ebcaa92f5ec0d2d3751d89abea1e43691");
    free(bytes);
}

/* An older state stays when a newer one cannot be written. */
static void failed_saves(void **state)
{
    (void)state;
    open_job(&usual);
    assert_int_equal(spk_live_state_save(context, stream, watch, "/no/such/folder/state"),
                     SPK_ERR_IO);
    assert_true(strstr(spk_context_message(context), "/no/such/folder") != NULL);
    close_job();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_restarts), cmocka_unit_test(trial_goes_on),
        cmocka_unit_test(other_jobs),      cmocka_unit_test(without_what_passes),
        cmocka_unit_test(damaged_files),   cmocka_unit_test(forged_files),
        cmocka_unit_test(fixed_bytes),     cmocka_unit_test(failed_saves),
    };
    return cmocka_run_group_tests(tests, setup, context_teardown);
}
