/*
 * Recordings that ranks read in parts: a search over the parts equals that of a process which read
 * the whole, whatever the text looks like, and each rank holds little more than its share.
 */
#include "recording/recording.h"
#include "support/test.h"
#include "support/thread_ranks.h"

static uint64_t seed;
static char path[256]; /* test_path is for one thread */

static const int rank_numbers[] = {1, 2, 3, 4, 7, 8};
enum {
    N_RANK_NUMBERS = sizeof rank_numbers / sizeof rank_numbers[0],
    ALONE = 8,
    MOST_NUMBERS = 1 << 16
};

typedef struct job {
    const char *path;
    spk_delay delays[2];
    uint32_t max_size; /* that is mined */
    uint32_t read_for; /* that the file is read for */
    spk_divide divide;
    bool no_join;
    int n;
    uint64_t n_numbers[9]; /* of each rank */
    uint64_t number[9][MOST_NUMBERS];
    uint64_t whole[9];
    uint64_t held[9];
    bool divided[9];
} job;

typedef struct numbers {
    uint64_t *n;
    uint64_t *number;
} numbers;

static spk_status keep(void *user, const spk_episode_columns *e)
{
    numbers *all = user;
    for (uint64_t k = 0; k < e->n; k++) {
        if (*all->n + 1 + e->offset[k + 1] - e->offset[k] > MOST_NUMBERS)
            return SPK_ERR_RANGE;
        all->number[(*all->n)++] = e->count[k];
        for (uint64_t p = e->offset[k]; p < e->offset[k + 1]; p++)
            all->number[(*all->n)++] = (uint64_t)e->unit[p] << 16 | e->delay[p];
    }
    return SPK_OK;
}

static spk_status mine(spk_context *context, const spk_recording *recording, job *j, int rank)
{
    spk_episode_options options;
    numbers found = {&j->n_numbers[rank], j->number[rank]};
    spk_episode_options_init(&options, sizeof options);
    options.delays = j->delays;
    options.n_delays = 2;
    options.max_size = j->max_size;
    options.divide = j->divide;
    options.support = spk_episode_support(recording, (spk_fraction){3, -2});
    return spk_episode_mine(context, recording, &options, keep, &found, NULL);
}

static spk_status work(spk_context *context, int rank, void *user)
{
    job *j = user;
    spk_recording *recording = NULL;
    spk_read_options options;
    spk_read_part part = {.number = rank, .n = j->n, .steps = j->read_for - 1};
    spk_read_options_init(&options, sizeof options);
    part.reach = spk_duration_compare(j->delays[0].hi, j->delays[1].hi) > 0 ? j->delays[0].hi
                                                                            : j->delays[1].hi;
    options.part = rank < ALONE ? &part : NULL;
    j->n_numbers[rank] = 0;
    spk_status status = spk_recording_read(context, j->path, &options, &recording);
    if (status == SPK_OK && !j->no_join)
        status = spk_ranks_join_parts(context, recording);
    if (status == SPK_OK) {
        j->whole[rank] = spk_recording_whole_events(recording);
        j->held[rank] = spk_recording_events(recording).n_events;
        j->divided[rank] = recording->part.divided;
        status = mine(context, recording, j, rank);
    }
    spk_recording_free(recording);
    return status;
}

/* Some numbers of ranks against a process by itself: those at the place `first`, and every `step`
 * behind it. */
static void check_numbers(job *j, bool divided, uint64_t c, int first, int step)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    if (work(alone, ALONE, j) != SPK_OK)
        fail_msg("case %d: %s", (int)c, spk_context_message(alone));
    for (int i = first; i < N_RANK_NUMBERS; i += step) {
        j->n = rank_numbers[i];
        test_ranks_run(j->n, work, j, status, message);
        for (int k = 0; k < j->n; k++) {
            if (status[k] != SPK_OK)
                fail_msg("case %d: rank %d of %d: %s", (int)c, k, j->n, message[k]);
            if (j->n_numbers[k] != j->n_numbers[ALONE] ||
                memcmp(j->number[k], j->number[ALONE], j->n_numbers[k] * 8) != 0)
                fail_msg("case %d: rank %d of %d found something else", (int)c, k, j->n);
            assert_int_equal(j->whole[k], j->whole[ALONE]);
            assert_int_equal(j->divided[k], divided && j->n > 1);
        }
    }
}

static void check_job(job *j, bool divided, uint64_t c)
{
    check_numbers(j, divided, c, 0, 1);
}

/* Random cases have the one half of the numbers and the other in turn, four by four: the case tells
 * what it is by its rest, too. */
static void check_random(job *j, bool divided, uint64_t c)
{
    spk_context_set_threads(alone, 1 + (int)(c % 2));
    check_numbers(j, divided, c, (int)(c / 4 % 2), 2);
    spk_context_set_threads(alone, 0);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A time of `ticks` 1/100 s, with as many decimals as the dice say. */
static void put_time(FILE *file, test_random *random, int64_t ticks, bool plain)
{
    if (!plain && ticks % 100 == 0 && test_random_chance(random, 0.5))
        fprintf(file, "%d", (int)(ticks / 100));
    else if (!plain && test_random_chance(random, 0.1))
        fprintf(file, "%.4f", (double)ticks / 100);
    else
        fprintf(file, "%.2f", (double)ticks / 100);
}

static void write_text(test_random *random, uint64_t n, bool segment)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    bool plain = test_random_chance(random, 0.5);
    bool ties = test_random_chance(random, 0.4);
    uint32_t n_units = 1 + (uint32_t)test_random_below(random, 6);
    int64_t now = test_random_between(random, -500, 500);
    if (segment)
        fprintf(file, "# spikemine segment %ds 900s\n", (int)(now / 100) - 1);
    if (test_random_chance(random, 0.3))
        fprintf(file, "# spikemine unit silent\n");
    if (test_random_chance(random, 0.3))
        fprintf(file, "time_s\tunit\n");
    else
        fprintf(file, "%.2f\tfirst\n", (double)now / 100);
    for (uint64_t e = 0; e < n; e++) {
        if (!test_random_chance(random, ties ? 0.9 : 0.2))
            now += test_random_between(random, 0, 3);
        if (test_random_chance(random, 0.05))
            fprintf(file, "# nothing\n");
        put_time(file, random, now, plain);
        uint64_t unit = test_random_below(random, n_units);
        if (test_random_chance(random, 0.1))
            fprintf(file, "\t\"u%d\"\n", (int)unit);
        else
            fprintf(file, "\tu%d%s", (int)unit, e + 1 < n || plain ? "\n" : "");
    }
    assert_int_equal(fclose(file), 0);
}

static void make_job(job *j, test_random *random)
{
    int64_t hi = test_random_between(random, 1, 20);
    j->path = path;
    j->delays[0] = (spk_delay){{0, -2}, {hi, -2}};
    j->delays[1] = (spk_delay){{hi, -2}, {hi + 5, -2}};
    if (test_random_chance(random, 0.05))
        j->delays[1].hi = (spk_duration){1, SPK_DURATION_INFINITE};
    j->max_size = j->read_for = 2 + (uint32_t)test_random_below(random, 3);
    j->divide = test_random_chance(random, 0.5) ? SPK_DIVIDE_TIME : SPK_DIVIDE_AUTO;
    j->no_join = false;
}

static void test_random_texts(void **state)
{
    static job j;
    uint64_t found = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        write_text(&random, 1 + test_random_below(&random, c % 4 == 0 ? 10 : 400), c % 5 == 0);
        make_job(&j, &random);
        check_random(&j, true, c);
        found += j.n_numbers[ALONE];
    }
    assert_true(found > 0);
}

/* Long enough that events are dropped while reading; finer digits come late. */
static void test_long_text(void **state)
{
    static job j;
    const uint64_t n_events = test_scaled_from(200000, 40000);
    test_random random = test_random_make(seed, 9000);
    FILE *file = fopen(path, "w");
    (void)state;
    assert_non_null(file);
    fprintf(file, "# spikemine rate 500\n# spikemine segment 0s 12000s\ntime_s\tunit\n");
    for (uint64_t e = 0; e < n_events; e++)
        fprintf(file, e < n_events / 2 ? "%.2f\t%d\n" : "%.3f\t%d\n", (double)(e / 3 * 2) / 100,
                (int)test_random_below(&random, 5));
    assert_int_equal(fclose(file), 0);
    make_job(&j, &random);
    j.delays[1].hi = (spk_duration){30, -2};
    check_job(&j, true, 9000);
    for (int k = 0; k < 8; k++) /* the last number of ranks is 8 */
        assert_true(j.held[k] < n_events / 8 + n_events / 80);
}

/* The same as arrays. */
static void test_packed(void **state)
{
    static job j;
    test_random random = test_random_make(seed, 9050);
    (void)state;
    if (!SPIKEMINE_HAVE_LIBARCHIVE) /* without it no archive can be read */
        skip();
    write_text(&random, 300, false);
    make_job(&j, &random);
    char packed[300];
    spk_recording *recording = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_recording_read(alone, path, &options, &recording), SPK_OK);
    snprintf(packed, sizeof packed, "%s", test_path("rec.npz"));
    assert_int_equal(spk_recording_write(alone, recording, packed, NULL), SPK_OK);
    spk_recording_free(recording);
    j.path = packed;
    check_job(&j, true, 9050);
    assert_true(j.n_numbers[ALONE] > 0);
}

/* ---- what is read whole, and what fails ------------------------------------------------------ */

static void test_read_whole(void **state)
{
    static job j;
    test_random random = test_random_make(seed, 9100);
    (void)state;
    make_job(&j, &random);
    j.divide = SPK_DIVIDE_TIME;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# spikemine segment 0s 3s\n# spikemine segment 4s 9s\n");
    for (int e = 0; e < 100; e++)
        fprintf(file, "%.2f\t%d\n", (double)e / 12, e % 3);
    assert_int_equal(fclose(file), 0);
    check_job(&j, false, 9100);
}

/* Times as programs print floating point numbers: ticks are cut, and which events are in reach is
 * known at the end of the file only. */
static void test_more_digits_than_ticks_hold(void **state)
{
    static job j;
    uint64_t found = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed, 9150 + c);
        int64_t now = 0, n = test_random_between(&random, 2, 400);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, test_random_chance(&random, 0.5) ? "1e-4 0\n" : "0.0000000000000000001 0\n");
        for (int64_t e = 0; e < n; e++) {
            now += test_random_between(&random, 0, 3);
            fprintf(file, "%.17g %d\n", 1 + (double)now / 70, (int)test_random_below(&random, 4));
        }
        fprintf(file, "30000000.00000000000000001 1\n");
        assert_int_equal(fclose(file), 0);
        make_job(&j, &random);
        j.delays[1].hi = (spk_duration){30, -2};
        j.divide = SPK_DIVIDE_TIME;
        check_random(&j, false, 9150 + c);
        found += j.n_numbers[ALONE];
    }
    assert_true(found > 0);
}

static void check_fails(job *j, spk_status expected, const char *text)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    j->n = 2;
    test_ranks_run(2, work, j, status, message);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(status[k], expected);
        if (strstr(message[k], text) == NULL)
            fail_msg("%s: %s", text, message[k]);
    }
}

static void test_failures(void **state)
{
    static job j;
    test_random random = test_random_make(seed, 9200);
    (void)state;
    write_text(&random, 300, false);
    make_job(&j, &random);
    j.delays[1].hi = (spk_duration){30, -2}; /* an endless one is read for every size */
    j.divide = SPK_DIVIDE_CANDIDATES;
    check_fails(&j, SPK_ERR_ARGUMENT, "is mined by ranks, divided by time");
    j.divide = SPK_DIVIDE_AUTO;
    j.no_join = true;
    check_fails(&j, SPK_ERR_ARGUMENT, "call spk_ranks_join_parts");
    j.no_join = false;
    j.max_size = j.read_for + 1;
    check_fails(&j, SPK_ERR_ARGUMENT, "was read for shorter delays or episodes");
    j.max_size = j.read_for;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "1 1\n2 2\n3 1\n2.5 1\n4 2\n");
    assert_int_equal(fclose(file), 0);
    check_fails(&j, SPK_ERR_ORDER, ":4: time 2.5 after 3");
}

/* Frames of 1/30 s. The lines of one rank may be too few to tell: then those of all do. */
static void test_rounded_times_are_refused(void **state)
{
    static job j;
    static const int n_lines[] = {30, 46, 400};
    test_random random = test_random_make(seed, 9300);
    (void)state;
    for (size_t c = 0; c < sizeof n_lines / sizeof n_lines[0]; c++) {
        write_text(&random, 300, false);
        make_job(&j, &random);
        j.delays[1].hi = (spk_duration){30, -2};
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        for (int k = 1; k <= n_lines[c]; k++)
            fprintf(file, "%.4f %d\n", (100 * k + k % 2) / 30.0, 1 + k % 3);
        assert_int_equal(fclose(file), 0);
        check_fails(&j, SPK_ERR_ARGUMENT, "rounded multiples of a step");
    }
}

/* Units one after the other, of which a part keeps some: what the message says of the order is said
 * of all events. */
static void test_disorder_is_that_of_the_whole(void **state)
{
    char expected[256];
    spk_recording *recording = NULL;
    spk_read_options options;
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int e = 0; e < 120; e++)
        fprintf(file, "%d u%d\n", 100 + e % 20, e / 20);
    assert_int_equal(fclose(file), 0);
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_recording_read(alone, path, &options, &recording), SPK_ERR_ORDER);
    snprintf(expected, sizeof expected, "%s", spk_context_message(alone));
    assert_non_null(strstr(expected, "the file is grouped by unit"));
    for (int k = 0; k < 2; k++) {
        const spk_read_part part = {.number = k, .n = 2, .reach = {1, 0}, .steps = 1};
        options.part = &part;
        assert_int_equal(spk_recording_read(alone, path, &options, &recording), SPK_ERR_ORDER);
        assert_string_equal(spk_context_message(alone), expected);
    }
}

static void test_without_ranks(void **state)
{
    static job j;
    test_random random = test_random_make(seed, 9300);
    (void)state;
    write_text(&random, 300, false);
    make_job(&j, &random);
    j.n = 2;
    assert_int_equal(work(alone, 0, &j), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(alone), "joined by ranks"));
    j.no_join = true;
    assert_int_equal(work(alone, 0, &j), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(alone), "is mined by ranks"));
}

static int setup(void **state)
{
    (void)state;
    seed = test_seed("test_read_part");
    snprintf(path, sizeof path, "%s", test_path("rec.txt"));
    return spk_context_create(&alone) == SPK_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_read_whole),
        cmocka_unit_test(test_more_digits_than_ticks_hold),
        cmocka_unit_test(test_disorder_is_that_of_the_whole),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_rounded_times_are_refused),
        cmocka_unit_test(test_without_ranks),
    };
    return cmocka_run_group_tests(tests, setup, alone_teardown);
}
