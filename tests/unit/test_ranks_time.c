/*
 * Ranks that share a recording by time: every rank's result equals that of a process by itself, for
 * searches and for given episodes, whatever lies at the borders of their stretches.
 */
#include "support/streams.h"
#include "support/test.h"
#include "support/thread_ranks.h"

static uint64_t seed;
static uint64_t n_engines;
static const char *const engines[] = {"auto", "reference", "sweep", "cuda-sweep"};

static const int rank_numbers[] = {1, 2, 3, 4, 7, 8};
enum { N_RANK_NUMBERS = sizeof rank_numbers / sizeof rank_numbers[0], MOST_NUMBERS = 1 << 16 };

/* ---- a job ----------------------------------------------------------------------------------- */

typedef struct numbers {
    uint64_t n;
    uint64_t number[MOST_NUMBERS];
} numbers;

typedef struct job {
    const spk_recording *recording;
    spk_delay delays[TEST_MAX_DELAYS];
    spk_episode_options options;
    const spk_episode_list *list; /* to count; NULL: a search */
    numbers found[9];             /* of each rank */
} job;

static spk_status add_number(numbers *all, uint64_t number)
{
    if (all->n == MOST_NUMBERS)
        return SPK_ERR_RANGE;
    all->number[all->n++] = number;
    return SPK_OK;
}

static spk_status keep(void *user, const spk_episode_columns *e)
{
    spk_status status = e->level != NULL ? add_number(user, e->level->eliminated) : SPK_OK;
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++) {
        status = add_number(user, e->count[k]);
        for (uint64_t p = e->offset[k]; p < e->offset[k + 1] && status == SPK_OK; p++)
            status = add_number(user, (uint64_t)e->unit[p] << 16 | e->delay[p]);
    }
    return status;
}

static spk_status count_list(spk_context *context, const job *j, numbers *found)
{
    spk_episode_list *copy = NULL;
    spk_episode_columns columns = spk_episode_list_columns(j->list);
    spk_status status = spk_episode_list_create(context, &copy);
    if (status == SPK_OK)
        status = spk_episode_list_add(copy, &columns);
    if (status == SPK_OK)
        status = spk_episode_count(context, j->recording, &j->options, copy, NULL);
    columns = spk_episode_list_columns(copy);
    if (status == SPK_OK)
        status = keep(found, &columns);
    spk_episode_list_free(copy);
    return status;
}

static spk_status work(spk_context *context, int rank, void *user)
{
    job *j = user;
    j->found[rank].n = 0;
    if (j->list != NULL)
        return count_list(context, j, &j->found[rank]);
    spk_episode_summary summary;
    spk_status status =
        spk_episode_mine(context, j->recording, &j->options, keep, &j->found[rank], &summary);
    return status == SPK_OK ? add_number(&j->found[rank], summary.two_pass) : status;
}

/* All numbers of ranks against a process by itself, in found[8]. */
static void check_job(job *j, uint64_t c)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    spk_status expects = work(alone, 8, j);
    if (expects == SPK_ERR_RANGE && j->found[8].n == MOST_NUMBERS)
        return; /* too many to keep */
    if (expects != SPK_OK)
        fail_msg("case %d: %s", (int)c, spk_context_message(alone));
    const numbers *expected = &j->found[8];
    j->options.divide = SPK_DIVIDE_TIME;
    for (int i = 0; i < N_RANK_NUMBERS; i++) {
        int n = rank_numbers[i];
        test_ranks_run(n, work, j, status, message);
        for (int k = 0; k < n; k++) {
            if (status[k] != SPK_OK)
                fail_msg("case %d: rank %d of %d: %s", (int)c, k, n, message[k]);
            if (j->found[k].n != expected->n ||
                memcmp(j->found[k].number, expected->number, expected->n * 8) != 0)
                fail_msg("case %d: rank %d of %d found something else", (int)c, k, n);
        }
    }
}

static void make_options(job *j, const test_stream *stream, test_random *random)
{
    for (size_t d = 0; d < stream->n_delays; d++) {
        uint64_t hi = stream->delay[d].hi;
        j->delays[d] = (spk_delay){{(int64_t)stream->delay[d].lo, 0}, {(int64_t)hi, 0}};
        if (hi > INT64_MAX)
            j->delays[d].hi = (spk_duration){1, SPK_DURATION_INFINITE};
    }
    spk_episode_options_init(&j->options, sizeof j->options);
    j->options.delays = j->delays;
    j->options.n_delays = stream->n_delays;
    j->options.support = 1 + stream->n_events / 20 + test_random_below(random, 5);
    j->options.max_size = 2 + (uint32_t)test_random_below(random, 4);
    j->options.engine = engines[test_random_below(random, n_engines)];
    j->options.two_pass = (spk_two_pass)test_random_below(random, 3);
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* Cuts it into up to five segments, which may overlap or touch. */
static spk_recording *cut(test_random *random, spk_recording *whole)
{
    spk_time_range range[5];
    spk_recording *pieces = NULL;
    size_t n = 1 + test_random_below(random, 5);
    int64_t first = spk_recording_start(whole);
    int64_t last = spk_recording_stop(whole);
    if (last / 2 - first / 2 > INT64_MAX / 4)
        return whole;
    for (size_t k = 0; k < n; k++) {
        int64_t a = test_random_between(random, first, last - 1);
        int64_t b = test_random_between(random, a + 1, last);
        range[k] = (spk_time_range){{a, 0}, {b, 0}};
    }
    assert_int_equal(spk_recording_cut_take(alone, whole, n, range, &pieces), SPK_OK);
    return pieces;
}

static void test_searches(void **state)
{
    static job j;
    uint64_t found = 0;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(500); c++) {
        test_random random = test_random_make(seed, c);
        test_stream stream;
        test_stream_draw(&random, c % 3 == 0 ? 40 : TEST_MAX_EVENTS, &stream);
        spk_recording *recording = test_stream_recording(alone, &stream);
        if (stream.n_events > 0 && test_random_chance(&random, 0.4))
            recording = cut(&random, recording);
        j.recording = recording;
        make_options(&j, &stream, &random);
        check_job(&j, c);
        found += j.found[8].n;
        spk_recording_free(recording);
    }
    assert_true(found > 0);
}

/* The counts of a list's episodes by definition. */
static void check_definition(const test_stream *stream, const job *j)
{
    spk_episode_columns e = spk_episode_list_columns(j->list);
    const uint64_t *number = j->found[8].number;
    for (uint64_t k = 0; k < e.n; k++) {
        uint32_t size = (uint32_t)(e.offset[k + 1] - e.offset[k]);
        uint16_t delay[SPK_EPISODE_MAX_SIZE] = {0};
        for (uint32_t p = 1; p < size; p++)
            for (uint16_t d = 0; d < stream->n_delays; d++)
                if (spk_duration_compare(e.delays[e.delay[e.offset[k] + p]].lo, j->delays[d].lo) ==
                        0 &&
                    spk_duration_compare(e.delays[e.delay[e.offset[k] + p]].hi, j->delays[d].hi) ==
                        0)
                    delay[p] = d;
        assert_int_equal(number[e.offset[k] + k],
                         test_brute_count(stream, size, e.unit + e.offset[k], delay));
    }
}

/* Given episodes, of all sizes in one list, against counts by definition. */
static void test_counts_by_definition(void **state)
{
    static job j;
    static test_episodes episodes;
    (void)state;
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed, 20000 + c);
        test_stream stream;
        spk_episode_list *list = NULL;
        test_stream_draw(&random, 30, &stream);
        for (size_t d = 0; d < stream.n_delays; d++) /* as make_options writes it */
            if (stream.delay[d].hi > INT64_MAX)
                stream.delay[d].hi = UINT64_MAX;
        make_options(&j, &stream, &random);
        spk_recording *recording = test_stream_recording(alone, &stream);
        assert_int_equal(spk_episode_list_create(alone, &list), SPK_OK);
        for (uint32_t size = 1; size <= 4; size++) {
            test_episodes_draw(&random, &stream, size, 12, &episodes);
            for (uint64_t k = 0; k < episodes.block.n; k++) {
                spk_delay delays[SPK_EPISODE_MAX_SIZE];
                for (uint32_t p = 1; p < size; p++)
                    delays[p - 1] = j.delays[episodes.block.delay[k * size + p]];
                assert_int_equal(spk_episode_list_append(alone, list, size,
                                                         episodes.block.unit + k * size, delays),
                                 SPK_OK);
            }
        }
        j.recording = recording;
        j.list = list;
        check_job(&j, c);
        check_definition(&stream, &j);
        j.list = NULL;
        spk_episode_list_free(list);
        spk_recording_free(recording);
    }
}

/* Units in turn at equal times around every possible border, and a chain longer than stretches. */
static void test_borders(void **state)
{
    static job j;
    test_stream stream = {.n_events = 120, .n_units = 3, .n_delays = 2};
    (void)state;
    for (uint64_t apart = 1; apart <= 40; apart += test_whole_recordings() ? 1 : 3) {
        for (uint64_t e = 0; e < stream.n_events; e++) {
            stream.time[e] = (int64_t)(e / apart);
            stream.unit[e] = (uint32_t)(e * 7 / 3 % 3);
        }
        stream.delay[0] = (spk_tick_delay){0, 2};
        stream.delay[1] = (spk_tick_delay){1, apart};
        test_random random = test_random_make(seed, 30000 + apart);
        spk_recording *recording = test_stream_recording(alone, &stream);
        make_options(&j, &stream, &random);
        if (apart == 1)
            stream.n_delays = 1;
        j.options.n_delays = apart == 1 ? 1 : 2;
        j.options.support = 2;
        j.options.max_size = 5;
        j.recording = recording;
        check_job(&j, apart);
        stream.n_delays = 2;
        spk_recording_free(recording);
    }
}

/* ---- what cannot be -------------------------------------------------------------------------- */

static void check_refused(job *j, const char *why)
{
    spk_status status[TEST_MOST_RANKS];
    static char message[TEST_MOST_RANKS][256];
    test_ranks_run(2, work, j, status, message);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(status[k], SPK_ERR_UNSUPPORTED);
        if (strstr(message[k], why) == NULL)
            fail_msg("%s: %s", why, message[k]);
    }
}

static void test_refusals(void **state)
{
    static job j;
    test_stream stream;
    test_random random = test_random_make(seed, 40000);
    (void)state;
    test_stream_draw(&random, 100, &stream);
    spk_recording *recording = test_stream_recording(alone, &stream);
    make_options(&j, &stream, &random);
    j.recording = recording;
    j.options.divide = SPK_DIVIDE_TIME;
    j.options.engine = "fsm";
    check_refused(&j, "engine 'fsm' cannot count in a stretch of time");
    spk_recording_free(recording);
}

static spk_status sizes(void *user, uint64_t mine, uint64_t *all)
{
    (void)user;
    all[0] = all[1] = mine;
    return SPK_OK;
}

static spk_status gather(void *user, const void *mine, const uint64_t *bytes, void *all)
{
    (void)user;
    memcpy(all, mine, bytes[0]);
    memcpy((unsigned char *)all + bytes[0], mine, bytes[1]);
    return SPK_OK;
}

static spk_status begin(void *user)
{
    (void)user;
    return SPK_OK;
}

static spk_status next(void *user, uint64_t *number)
{
    (void)user;
    *number = 1000;
    return SPK_OK;
}

/* A table from before ranks could send. */
static void test_short_table(void **state)
{
    static job j;
    test_stream stream;
    test_random random = test_random_make(seed, 50000);
    spk_ranks ranks = {
        offsetof(spk_ranks, send), 0, 2, NULL, sizes, gather, begin, next, NULL, NULL};
    (void)state;
    test_stream_draw(&random, 100, &stream);
    spk_recording *recording = test_stream_recording(alone, &stream);
    make_options(&j, &stream, &random);
    j.recording = recording;
    j.options.divide = SPK_DIVIDE_TIME;
    assert_int_equal(spk_context_set_ranks(alone, &ranks), SPK_OK);
    assert_int_equal(work(alone, 0, &j), SPK_ERR_UNSUPPORTED);
    assert_non_null(strstr(spk_context_message(alone), "no functions to send"));
    assert_int_equal(spk_context_set_ranks(alone, NULL), SPK_OK);
    assert_int_equal(work(alone, 0, &j), SPK_OK);
    spk_recording_free(recording);
}

static bool has_gpu(void)
{
    spk_engine_info info = {.available = false};
    for (size_t k = 0; k < spk_engine_count(SPK_EPISODES); k++)
        if (strcmp(spk_engine_name(SPK_EPISODES, k), "cuda-sweep") == 0)
            assert_int_equal(spk_engine_describe(alone, SPK_EPISODES, k, &info), SPK_OK);
    return info.available;
}

static int setup(void **state)
{
    (void)state;
    seed = test_seed("test_ranks_time");
    if (spk_context_create(&alone) != SPK_OK)
        return -1;
    n_engines = has_gpu() ? 4 : 3;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches),    cmocka_unit_test(test_counts_by_definition),
        cmocka_unit_test(test_borders),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_short_table),
    };
    return cmocka_run_group_tests(tests, setup, alone_teardown);
}
