/*
 * Ranks that read one text together, each its own bytes: the parts put together are the recording
 * of one process, whatever the text looks like, and where something is wrong with it all ranks say
 * what one process says.
 */
#include "recording/recording.h"
#include "support/parts.h"
#include "support/test.h"
#include "support/thread_ranks.h"

static uint64_t seed;
static char path[256]; /* test_path is for one thread */

static const int rank_numbers[] = {2, 3, 4, 7, 8};
enum { N_RANK_NUMBERS = sizeof rank_numbers / sizeof rank_numbers[0] };

typedef struct job {
    int n;
    spk_duration reach;
    uint32_t steps;
    const char *path_of[TEST_MOST_RANKS]; /* NULL: that of all */
    spk_recording *recording[TEST_MOST_RANKS];
    uint64_t bytes[TEST_MOST_RANKS]; /* that each has read */
} job;

/* Bytes that this thread has read so far; 0 where the system does not tell. */
static uint64_t bytes_read(void)
{
    unsigned long long n = 0;
    FILE *file = fopen("/proc/thread-self/io", "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "rchar: %llu", &n) != 1)
        n = 0;
    fclose(file);
    return n;
}

static spk_status read_and_join(spk_context *context, int rank, void *user)
{
    job *j = user;
    spk_read_options options;
    spk_read_part part = {.number = rank, .n = j->n, .reach = j->reach, .steps = j->steps};
    spk_read_options_init(&options, sizeof options);
    options.part = &part;
    uint64_t before = bytes_read();
    spk_status status = spk_recording_read_text(
        context, j->path_of[rank] != NULL ? j->path_of[rank] : path, &options, &j->recording[rank]);
    j->bytes[rank] = bytes_read() - before;
    return status == SPK_OK ? spk_ranks_join_parts(context, j->recording[rank]) : status;
}

static spk_status read_alone(spk_recording **out)
{
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    return spk_recording_read_text(alone, path, &options, out);
}

static void free_parts(job *j)
{
    for (int k = 0; k < j->n; k++) {
        spk_recording_free(j->recording[k]);
        j->recording[k] = NULL;
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* What may be wrong with a line; the first one is nothing. */
static const char *const damages[] = {
    "",
    "17.5x\tu1\n",
    "1\tu1\tu2\n",
    "onlyone\n",
    "nan\tu1\n",
    "-900000\tu1\n",
    "99999999999999999999\tu1\n",
    "1\t\"u1\n",
    "1\t\xff\xfe\n",
    "0,5\tu1\n",
    "12.5\tu\x01\n",
    "u1\t5\n",
    "# spikemine segment 0s 1s\n",
    "\n\n\r\n",
};
enum { N_DAMAGES = sizeof damages / sizeof damages[0] };

static void put_head(FILE *file, test_random *random, int64_t now)
{
    if (test_random_chance(random, 0.3))
        fprintf(file, "# spikemine segment %ds 900000s\n", (int)(now / 100) - 1);
    if (test_random_chance(random, 0.3))
        fprintf(file, "# spikemine unit silent\n");
    if (test_random_chance(random, 0.2))
        fprintf(file, "# spikemine rate %d\n", test_random_chance(random, 0.5) ? 100000 : 50);
    for (uint64_t k = test_random_below(random, 30); k > 0 && test_random_chance(random, 0.9); k--)
        fprintf(file, "# nothing of note\n");
    if (test_random_chance(random, 0.5))
        fprintf(file, "time_s\tunit\n");
    else
        fprintf(file, "%.2f\tfirst\n", (double)now / 100);
}

/* Times of 1/100 s, here and there with further digits; units that come up late. */
static void write_text(test_random *random, uint64_t n, uint64_t n_damages)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    double together = test_random_chance(random, 0.3) ? 0.97 : 0.2;
    double fine = test_random_chance(random, 0.5) ? 0 : 2.0 / (double)(n + 1);
    const char *end = test_random_chance(random, 0.2) ? "\r\n" : "\n";
    int64_t now = test_random_between(random, -500, 500);
    uint64_t damage_at[3];
    for (int k = 0; k < 3; k++)
        damage_at[k] = (uint64_t)k < n_damages ? test_random_below(random, n) : n;
    put_head(file, random, now);
    for (uint64_t e = 0; e < n; e++) {
        now += test_random_chance(random, together) ? 0 : test_random_between(random, 0, 3);
        if (test_random_chance(random, 0.02))
            fprintf(file, "  # nothing\n");
        fprintf(file, test_random_chance(random, fine) ? "%.4f" : "%.2f", (double)now / 100);
        fprintf(file, "%cu%d%s", test_random_chance(random, 0.1) ? ',' : '\t',
                (int)test_random_below(random, 2 + 8 * e / n), e + 1 < n ? end : "");
        for (int k = 0; k < 3; k++)
            if (damage_at[k] == e && e + 1 < n)
                fputs(damages[test_random_below(random, N_DAMAGES)], file);
    }
    assert_int_equal(fclose(file), 0);
}

static void make_job(job *j, test_random *random)
{
    j->steps = 1 + (uint32_t)test_random_below(random, 3);
    j->reach = (spk_duration){test_random_between(random, 1, 300), -2};
    if (test_random_chance(random, 0.1))
        j->reach = (spk_duration){1, SPK_DURATION_INFINITE};
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* A text read by ranks and by one process: the same, or the same failure. Numbers of ranks
 * are that at the place `first`, and every `step` behind it. */
static void check_numbers(job *j, uint64_t c, uint64_t *n_failed, int first, int step)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    spk_recording *whole = NULL;
    spk_status expected = read_alone(&whole);
    *n_failed += expected != SPK_OK;
    for (int i = first; i < N_RANK_NUMBERS; i += step) {
        j->n = rank_numbers[i];
        test_ranks_run(j->n, read_and_join, j, status, message);
        for (int k = 0; k < j->n; k++)
            if (status[k] != expected ||
                (expected != SPK_OK && strncmp(message[k], spk_context_message(alone), 255) != 0))
                fail_msg("case %d, rank %d of %d: '%s', but alone '%s'", (int)c, k, j->n,
                         message[k], expected != SPK_OK ? spk_context_message(alone) : "");
        if (expected == SPK_OK)
            test_parts_check(j->n, j->recording, whole, j->reach, j->steps);
        free_parts(j);
    }
    spk_recording_free(whole);
}

static void check_text(job *j, uint64_t c, uint64_t *n_failed)
{
    check_numbers(j, c, n_failed, 0, 1);
}

/* Random cases have the one half of the numbers and the other in turn, eight by eight: the case
 * tells what it is by its rest, too. */
static void check_random(job *j, uint64_t c, uint64_t *n_failed)
{
    check_numbers(j, c, n_failed, (int)(c / 8 % 2), 2);
}

/* Short texts, which are all head, and some that are longer than any buffer. */
static uint64_t draw_length(test_random *random, uint64_t c)
{
    return c % 8 == 0 ? 20000 + test_random_below(random, 100000)
                      : 1 + test_random_below(random, c % 4 == 1 ? 12 : 600);
}

static void test_parts_are_the_whole(void **state)
{
    static job j;
    uint64_t failed = 0;
    uint64_t n = 8 + test_scaled(200);
    (void)state;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed, c);
        write_text(&random, draw_length(&random, c), 0);
        make_job(&j, &random);
        check_random(&j, c, &failed);
    }
    assert_true(failed < n);
}

static void test_failures_are_those_of_one_process(void **state)
{
    static job j;
    uint64_t failed = 0;
    uint64_t n = 8 + test_scaled(200);
    (void)state;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed, 10000 + c);
        write_text(&random, draw_length(&random, c), 1 + test_random_below(&random, 3));
        make_job(&j, &random);
        check_random(&j, c, &failed);
    }
    assert_true(failed > 0);
}

/* Single lines, long ones, empty files: what borders of bytes may meet. */
static void test_odd_texts(void **state)
{
    static job j = {.reach = {1, 0}, .steps = 2};
    uint64_t failed = 0;
    static const char *const texts[] = {"1 a\n",
                                        "1 a",
                                        "1 a\n1 a\n1 a\n",
                                        "1 a\n1 b\n1 c\n1 a\n2 a\n",
                                        "# c\n\n1 a\n#\n#\n#\n#\n#\n",
                                        "1 a\n\n\n\n\n\n\n\n2 b",
                                        "\357\273\2771 a\n2 b\n",
                                        "",
                                        "# only\n",
                                        "time unit\n",
                                        "1 a\n2 b\n1 c\n2 a\n3 b\n",
                                        "a 1\na 2\na 3\nb 1\nb 2\nb 3\n"};
    (void)state;
    for (size_t c = 0; c < sizeof texts / sizeof texts[0]; c++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(texts[c], file);
        assert_int_equal(fclose(file), 0);
        check_text(&j, c, &failed);
    }
    for (uint64_t length = 200000; length <= 600000; length += 200000) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "1 a\n2 b\n");
        for (int k = 0; k < 3; k++)
            fprintf(file, "%d c # %*s\n", 3 + k, (int)length, "x");
        fprintf(file, "9 d\n");
        assert_int_equal(fclose(file), 0);
        check_text(&j, length, &failed);
    }
    assert_int_equal(failed, 7);
}

/* Each reads its share, all for the digest, and little more. */
static void test_bytes(void **state)
{
    static job j = {.n = 8, .reach = {1, -1}, .steps = 3};
    spk_status status[TEST_MOST_RANKS];
    FILE *file = fopen(path, "w");
    (void)state;
    assert_non_null(file);
    for (int e = 0; e < 1000000; e++)
        fprintf(file, "%d.%02d unit%d\n", e / 100, e % 100, e % 7);
    uint64_t size = (uint64_t)ftell(file);
    assert_int_equal(fclose(file), 0);
    test_ranks_run(j.n, read_and_join, &j, status, NULL);
    for (int k = 0; k < j.n; k++) {
        assert_int_equal(status[k], SPK_OK);
        assert_true(j.bytes[k] <= size + size / 8 + 4 * (1 << 18));
    }
    if (bytes_read() == 0)
        skip();
    assert_true(j.bytes[0] > size / 8);
    free_parts(&j);
}

/* Lines become longer and longer; ranks have as many of them nevertheless. */
static void test_shares_are_even(void **state)
{
    static job j = {.n = 8, .reach = {1, -1}, .steps = 3};
    enum { N = 200000, LONGEST = 40 };
    spk_status status[TEST_MOST_RANKS];
    FILE *file = fopen(path, "w");
    (void)state;
    assert_non_null(file);
    for (int e = 0; e < N; e++)
        fprintf(file, "%d.%d %0*d\n", e / 10, e % 10, 1 + e / (N / LONGEST), e % 7);
    assert_int_equal(fclose(file), 0);
    test_ranks_run(j.n, read_and_join, &j, status, NULL);
    for (int k = 0; k < j.n; k++) {
        assert_int_equal(status[k], SPK_OK);
        spk_events events = spk_recording_events(j.recording[k]);
        double share = (double)(events.n_events - j.recording[k]->part.margin) / (N / 8.0);
        assert_true(share > 0.96 && share < 1.04);
    }
    free_parts(&j);
}

/* A byte differs, wherever it is, or the length. */
static void test_different_files(void **state)
{
    static job j = {.n = 2, .reach = {1, 0}, .steps = 1};
    static char other[256];
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    (void)state;
    snprintf(other, sizeof other, "%s", test_path("other.txt"));
    static const int places[] = {50700, 50700, 777, 33333, 90001, 99999};
    for (size_t c = 0; c < sizeof places / sizeof places[0]; c++) {
        for (int k = 0; k < 2; k++) {
            FILE *file = fopen(k == 0 ? path : other, "w");
            assert_non_null(file);
            for (int e = 0; e < 100000; e++)
                fprintf(file, "%d %d%s\n", e, e == places[c] && k == 1 ? 8 : 7,
                        k == 1 && c == 1 ? " " : "");
            assert_int_equal(fclose(file), 0);
        }
        j.path_of[1] = other;
        test_ranks_run(2, read_and_join, &j, status, message);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(status[k], SPK_ERR_ARGUMENT);
            assert_non_null(strstr(message[k], "rank 1 has another recording than rank 0"));
        }
        free_parts(&j);
    }
    j.path_of[1] = NULL;
}

/* A rank without memory ends all of them, and its message goes to all. */
static spk_status read_small(spk_context *context, int rank, void *user)
{
    if (rank == 1)
        spk_context_set_memory_limit(context, 1 << 20);
    return read_and_join(context, rank, user);
}

static void test_one_without_memory(void **state)
{
    static job j = {.n = 3, .reach = {1, 0}, .steps = 1};
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    test_random random = test_random_make(seed, 20000);
    (void)state;
    write_text(&random, 900000, 0);
    test_ranks_run(3, read_small, &j, status, message);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(status[k], SPK_ERR_MEMORY);
        assert_non_null(strstr(message[k], "rank 1: "));
    }
    free_parts(&j);
}

/* ---- given episodes -------------------------------------------------------------------------- */

enum { ALONE = TEST_MOST_RANKS - 1, MOST_COUNTS = 16 };

typedef struct count_job {
    job reading;
    const char *list;
    uint64_t n[TEST_MOST_RANKS];
    uint64_t count[TEST_MOST_RANKS][MOST_COUNTS];
} count_job;

/* Counts the episodes of a list, also of units that the recording lacks. */
static spk_status count_list(spk_context *context, int rank, count_job *j,
                             const spk_recording *recording)
{
    spk_recording *widened = NULL;
    spk_episode_list *list = NULL;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    spk_status status =
        spk_episode_list_read_widened(context, recording, 1, &j->list, &widened, &list);
    if (status == SPK_OK)
        status =
            spk_episode_count(context, widened != NULL ? widened : recording, &options, list, NULL);
    spk_episode_columns e = spk_episode_list_columns(list);
    j->n[rank] = e.n;
    for (uint64_t k = 0; k < e.n && k < MOST_COUNTS; k++)
        j->count[rank][k] = e.count[k];
    spk_episode_list_free(list);
    spk_recording_free(widened);
    return status;
}

static spk_status read_and_count(spk_context *context, int rank, void *user)
{
    count_job *j = user;
    spk_status status = read_and_join(context, rank, &j->reading);
    return status == SPK_OK ? count_list(context, rank, j, j->reading.recording[rank]) : status;
}

static void write_list(const char *list, bool absent)
{
    FILE *file = fopen(list, "w");
    assert_non_null(file);
    fprintf(file, "u1 (0,0.05s] u0 (0.01s,0.1s] u1\nu0\nu1 (0,0.1s] u0\nu2 (0,0.1s] u1\n");
    if (absent)
        fprintf(file, "a (0,0.1s] u1\nu1\nu1 (0,0.1s] z\nz\n");
    assert_int_equal(fclose(file), 0);
}

static void test_counts_in_parts(void **state)
{
    static count_job j;
    static char list[256];
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    (void)state;
    snprintf(list, sizeof list, "%s", test_path("list.txt"));
    j.list = list;
    j.reading.reach = (spk_duration){1, -1};
    j.reading.steps = 2;
    for (uint64_t c = 0; c < 4 + test_scaled(20); c++) {
        test_random random = test_random_make(seed, 30000 + c);
        spk_recording *whole = NULL;
        write_list(list, c % 2 == 0);
        write_text(&random, 30 + draw_length(&random, c), 0);
        if (read_alone(&whole) != SPK_OK) /* a rate that does not fit */
            continue;
        if (spk_recording_events(whole).n_units < 3) {
            spk_recording_free(whole);
            continue;
        }
        if (count_list(alone, ALONE, &j, whole) != SPK_OK)
            fail_msg("case %d: %s", (int)c, spk_context_message(alone));
        for (int i = 0; i < N_RANK_NUMBERS; i++) {
            j.reading.n = rank_numbers[i];
            test_ranks_run(j.reading.n, read_and_count, &j, status, message);
            for (int k = 0; k < j.reading.n; k++) {
                if (status[k] != SPK_OK)
                    fail_msg("case %d, rank %d: %s", (int)c, k, message[k]);
                assert_int_equal(j.n[k], j.n[ALONE]);
                assert_memory_equal(j.count[k], j.count[ALONE], j.n[k] * sizeof j.count[k][0]);
            }
            free_parts(&j.reading);
        }
        spk_recording_free(whole);
    }
}

static int setup(void **state)
{
    (void)state;
    seed = test_seed("test_read_shared");
    snprintf(path, sizeof path, "%s", test_path("rec.txt"));
    return spk_context_create(&alone) == SPK_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_the_whole),
        cmocka_unit_test(test_failures_are_those_of_one_process),
        cmocka_unit_test(test_odd_texts),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_shares_are_even),
        cmocka_unit_test(test_different_files),
        cmocka_unit_test(test_one_without_memory),
        cmocka_unit_test(test_counts_in_parts),
    };
    return cmocka_run_group_tests(tests, setup, alone_teardown);
}
