/*
 * Several devices without a device: workers in host threads, even splits of predicted work, and
 * engines on several workers as on so many GPUs, also when one of them fails.
 */
#include "distribute/workers.h"
#include "episode/opened.h"
#include "support/context.h"
#include "support/engines.h"
#include "support/streams.h"

enum { MOST_WORKERS = 8 };

static uint64_t seed;

/* ---- workers --------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t done[MOST_WORKERS];
    uint64_t left[MOST_WORKERS];
    int failing; /* worker that fails, -1: none */
} tally;

static spk_status add_one(spk_context *own, int worker, void *user)
{
    tally *t = user;
    if (worker == t->failing)
        return spk_fail(own, SPK_ERR_DEVICE, "worker %d broke", worker);
    t->done[worker]++;
    return SPK_OK;
}

static void every_worker_does_every_task(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST_WORKERS; n++) {
        tally t = {.failing = -1};
        spk_workers *workers = NULL;
        assert_int_equal(spk_workers_open(context, n, 1, NULL, NULL, NULL, &workers), SPK_OK);
        assert_int_equal(spk_workers_size(workers), n);
        uint64_t rounds = test_scaled(2000);
        for (uint64_t r = 0; r < rounds; r++) {
            spk_workers_start(workers, add_one, &t);
            assert_int_equal(spk_workers_wait(context, workers), SPK_OK);
        }
        spk_workers_close(workers);
        for (int k = 0; k < MOST_WORKERS; k++)
            assert_int_equal(t.done[k], k < n ? rounds : 0);
    }
}

static void a_failure_reaches_the_caller_and_others_go_on(void **state)
{
    (void)state;
    for (int failing = 0; failing < 4; failing++) {
        tally t = {.failing = failing};
        char expected[32];
        snprintf(expected, sizeof expected, "worker %d broke", failing);
        spk_workers *workers = NULL;
        assert_int_equal(spk_workers_open(context, 4, 1, NULL, NULL, NULL, &workers), SPK_OK);
        assert_int_equal(spk_workers_run(context, workers, add_one, &t), SPK_ERR_DEVICE);
        assert_string_equal(spk_context_message(context), expected);
        t.failing = -1; /* the workers are none the worse for it */
        assert_int_equal(spk_workers_run(context, workers, add_one, &t), SPK_OK);
        spk_workers_close(workers);
        for (int k = 0; k < 4; k++)
            assert_int_equal(t.done[k], k == failing ? 1 : 2);
    }
}

static void leave(int worker, void *user)
{
    tally *t = user;
    t->left[worker]++;
}

static void a_worker_that_cannot_enter_leaves_no_others(void **state)
{
    (void)state;
    tally t = {.failing = 2};
    spk_workers *workers = NULL;
    assert_int_equal(spk_workers_open(context, 4, 1, add_one, leave, &t, &workers), SPK_ERR_DEVICE);
    assert_string_equal(spk_context_message(context), "worker 2 broke");
    assert_null(workers);
    for (int k = 0; k < 4; k++)
        assert_int_equal(t.left[k], 1);
}

static void every_worker_leaves_once(void **state)
{
    (void)state;
    for (int dismissed = 0; dismissed < 2; dismissed++) {
        tally t = {.failing = -1};
        tally other = {.failing = 1};
        spk_workers *workers = NULL;
        assert_int_equal(spk_workers_open(context, 3, 1, NULL, leave, &t, &workers), SPK_OK);
        assert_int_equal(spk_workers_run(context, workers, add_one, &other), SPK_ERR_DEVICE);
        for (int k = 0; k < 3; k++)
            assert_int_equal(t.left[k], 0);
        if (dismissed)
            spk_workers_dismiss(workers);
        spk_workers_close(workers);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(t.left[k], 1);
            assert_int_equal(other.left[k], 0);
            assert_int_equal(other.done[k], k == other.failing ? 0 : 1);
        }
    }
}

static spk_status until_cancelled(spk_context *own, int worker, void *user)
{
    (void)worker;
    (void)user;
    spk_status status = SPK_OK;
    while (status == SPK_OK)
        status = spk_check_cancel(own);
    return status;
}

static void a_cancel_reaches_the_workers(void **state)
{
    (void)state;
    spk_workers *workers = NULL;
    assert_int_equal(spk_workers_open(context, 3, 1, NULL, NULL, NULL, &workers), SPK_OK);
    spk_workers_start(workers, until_cancelled, NULL);
    spk_context_cancel(context);
    assert_int_equal(spk_workers_wait(context, workers), SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    tally t = {.failing = -1};
    assert_int_equal(spk_workers_run(context, workers, add_one, &t), SPK_OK);
    spk_workers_close(workers);
}

static int always(spk_fault *self)
{
    (void)self;
    return 17;
}

static spk_status look_at_settings(spk_context *own, int worker, void *user)
{
    (void)user;
    bool right = spk_context_threads(own) == 2 && spk_context_memory_limit(own) == 4711 &&
                 spk_fault_strike(own) == 17;
    return right ? SPK_OK : spk_fail(own, SPK_ERR_INTERNAL, "worker %d: other settings", worker);
}

static void workers_have_their_callers_settings(void **state)
{
    (void)state;
    spk_fault fault = {always};
    spk_workers *workers = NULL;
    spk_context_set_memory_limit(context, 4711);
    spk_context_set_fault(context, &fault);
    assert_int_equal(spk_workers_open(context, 3, 2, look_at_settings, NULL, NULL, &workers),
                     SPK_OK);
    spk_workers_close(workers);
    spk_context_set_memory_limit(context, 0);
    spk_context_set_fault(context, NULL);
}

/* Counted without atomics: the calls come one at a time. */
static void count_note(void *user, const char *text)
{
    *(uint64_t *)user += strcmp(text, "done") == 0;
}

static spk_status tell(spk_context *own, int worker, void *user)
{
    (void)worker;
    for (uint64_t k = 0; k < *(const uint64_t *)user; k++)
        spk_note(own, "done");
    return SPK_OK;
}

static void notes_of_workers_reach_the_caller(void **state)
{
    (void)state;
    uint64_t notes = 0;
    uint64_t each = test_scaled(1000);
    spk_workers *workers = NULL;
    spk_context_set_note(context, count_note, &notes);
    assert_int_equal(spk_workers_open(context, 4, 1, NULL, NULL, NULL, &workers), SPK_OK);
    assert_int_equal(spk_workers_run(context, workers, tell, &each), SPK_OK);
    assert_int_equal(notes, 4 * each);
    spk_context_set_note(context, NULL, NULL);
    spk_workers_close(workers);
}

static void workers_do_without_a_context(void **state)
{
    (void)state;
    tally t = {.failing = 1};
    spk_workers *workers = NULL;
    assert_int_equal(spk_workers_open(NULL, 2, 1, NULL, NULL, NULL, &workers), SPK_OK);
    assert_int_equal(spk_workers_run(NULL, workers, add_one, &t), SPK_ERR_DEVICE);
    t.failing = -1;
    assert_int_equal(spk_workers_run(NULL, workers, add_one, &t), SPK_OK);
    assert_int_equal(t.done[0] + t.done[1], 3);
    spk_workers_close(workers);
}

/* ---- splits ---------------------------------------------------------------------------------- */

static void splits_are_even(void **state)
{
    (void)state;
    enum { MOST = 300 };
    uint64_t before[MOST + 1];
    uint64_t first[MOST_WORKERS + 1];
    for (uint64_t c = 0; c < test_scaled(5000); c++) {
        test_random random = test_random_make(seed, c);
        uint64_t n = test_random_below(&random, MOST + 1);
        int parts = 1 + (int)test_random_below(&random, MOST_WORKERS);
        uint64_t largest = 0;
        uint64_t scale = test_random_chance(&random, 0.1) ? UINT64_MAX / MOST : 1000;
        before[0] = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t weight = test_random_below(&random, scale);
            largest = weight > largest ? weight : largest;
            before[i + 1] = before[i] + weight;
        }
        spk_split(n, before, parts, first);
        assert_int_equal(first[0], 0);
        assert_int_equal(first[parts], n);
        for (int k = 0; k < parts; k++) {
            assert_true(first[k] <= first[k + 1]);
            uint64_t weight = before[first[k + 1]] - before[first[k]];
            assert_true(weight <= before[n] / (uint64_t)parts + largest + 1);
        }
    }
}

/* ---- engines on several devices -------------------------------------------------------------- */

static spk_status count_on_devices(const spk_episode_engine *engine, const spk_episode_job *job,
                                   int n, const spk_episode_block *block, bool bound,
                                   uint64_t *counts)
{
    episode_opened opened;
    episode_devices devices = {.n = n};
    spk_status status = episode_opened_open(context, engine, job, &devices, &opened);
    if (status == SPK_OK)
        status = episode_opened_count(context, &opened, block, bound, counts);
    episode_opened_close(&opened);
    return status;
}

static spk_status resume_on_devices(const spk_episode_engine *engine, const spk_episode_job *job,
                                    int n, const spk_episode_block *block, uint64_t *free_from,
                                    uint64_t *counts)
{
    episode_opened opened;
    episode_devices devices = {.n = n};
    spk_status status = episode_opened_open(context, engine, job, &devices, &opened);
    if (status == SPK_OK)
        status = episode_opened_resume(context, &opened, block, false, free_from, counts);
    episode_opened_close(&opened);
    return status;
}

/* One of the engines that run on processors; the numbers go round. */
static const spk_episode_engine *some_engine(uint64_t number)
{
    const spk_episode_engine *tables[64];
    size_t n = 0;
    const test_episode_engine *engine;
    for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++)
        if (!engine->on_gpu)
            tables[n++] = engine->table;
    return tables[number % n];
}

static void several_devices_count_as_one(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    uint64_t expected[TEST_MAX_EPISODES];
    uint64_t counts[TEST_MAX_EPISODES];
    for (uint64_t c = 0; c < test_scaled(1500); c++) {
        test_random random = test_random_make(seed + 1, c);
        test_stream_draw(&random, 100, &stream);
        uint32_t size = 1 + (uint32_t)test_random_below(&random, 5);
        test_episodes_draw(&random, &stream, size, 1 + test_random_below(&random, 40), &episodes);
        spk_recording *recording = test_stream_recording(context, &stream);
        const spk_episode_block *block = &episodes.block;
        spk_episode_job job = {.recording = recording,
                               .delays = stream.delay,
                               .n_delays = stream.n_delays,
                               .threads = 1};
        assert_int_equal(count_on_devices(&spk_episode_engine_reference, &job,
                                          (int)test_random_below(&random, 2), block, false,
                                          expected),
                         SPK_OK);
        const spk_episode_engine *engine = some_engine(c);
        int n = 1 + (int)test_random_below(&random, MOST_WORKERS);
        assert_int_equal(count_on_devices(engine, &job, n, block, false, counts), SPK_OK);
        assert_memory_equal(counts, expected, block->n * sizeof counts[0]);
        if (engine->bound != NULL) {
            assert_int_equal(count_on_devices(engine, &job, n, block, true, counts), SPK_OK);
            for (uint64_t k = 0; k < block->n; k++)
                assert_true(counts[k] >= expected[k]);
        }
        spk_recording_free(recording);
    }
}

/* The first event at some time, or the number of events. */
static uint64_t draw_event(test_random *random, const spk_events *events)
{
    uint64_t at = test_random_below(random, events->n_events + 1);
    while (at > 0 && at < events->n_events && events->time[at] == events->time[at - 1])
        at--;
    return at;
}

static void several_devices_go_on_as_one(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    uint64_t from[2][TEST_MAX_EPISODES];
    uint64_t counts[2][TEST_MAX_EPISODES];
    for (uint64_t c = 0; c < test_scaled(1500); c++) {
        test_random random = test_random_make(seed + 4, c);
        test_stream_draw(&random, 100, &stream);
        uint32_t size = 2 + (uint32_t)test_random_below(&random, 4);
        test_episodes_draw(&random, &stream, size, 1 + test_random_below(&random, 40), &episodes);
        spk_recording *recording = test_stream_recording(context, &stream);
        const spk_events events = spk_recording_events(recording);
        const spk_episode_block *block = &episodes.block;
        spk_episode_job job = {.recording = recording,
                               .delays = stream.delay,
                               .n_delays = stream.n_delays,
                               .threads = 1};
        for (uint64_t k = 0; k < block->n; k++)
            from[0][k] = from[1][k] = draw_event(&random, &events);
        assert_int_equal(
            resume_on_devices(&spk_episode_engine_reference, &job, 0, block, from[0], counts[0]),
            SPK_OK);
        const spk_episode_engine *engine = some_engine(c);
        if (engine->resume != NULL) {
            int n = (int)test_random_below(&random, MOST_WORKERS + 1);
            assert_int_equal(resume_on_devices(engine, &job, n, block, from[1], counts[1]), SPK_OK);
            assert_memory_equal(counts[1], counts[0], block->n * sizeof counts[0][0]);
            assert_memory_equal(from[1], from[0], block->n * sizeof from[0][0]);
        }
        spk_recording_free(recording);
    }
}

/* An engine whose third opening, or whose counting there, breaks. */
static _Atomic int n_opened;
static _Atomic int n_closed;
static bool breaks_when_opened;

static spk_status fragile_open(spk_context *own, const spk_episode_job *job, void **state)
{
    (void)job;
    int number = n_opened++;
    *state = NULL;
    if (breaks_when_opened && number == 2)
        return spk_fail(own, SPK_ERR_MEMORY, "device %d: no memory", number);
    int *mine = malloc(sizeof *mine);
    assert_non_null(mine);
    *mine = number;
    *state = mine;
    return SPK_OK;
}

static spk_status fragile_count(spk_context *own, void *state, const spk_episode_block *block,
                                uint64_t *counts)
{
    if (*(int *)state == 2)
        return spk_fail(own, SPK_ERR_DEVICE, "device 2: fell off the bus");
    for (uint64_t k = 0; k < block->n; k++)
        counts[k] = 1;
    return SPK_OK;
}

static void fragile_close(void *state)
{
    n_closed++;
    free(state);
}

static void one_device_of_several_fails(void **state)
{
    (void)state;
    static const spk_episode_engine fragile = {
        .open = fragile_open, .count = fragile_count, .close = fragile_close};
    enum { N = 40 };
    static test_stream stream = {.n_events = 1, .n_units = 1};
    static const uint32_t unit[2 * N]; /* all of them alike, so that every worker has some */
    static const uint16_t delay[2 * N];
    spk_episode_block block = {.size = 2, .n = N, .unit = unit, .delay = delay};
    uint64_t counts[N];
    spk_recording *recording = test_stream_recording(context, &stream);
    spk_episode_job job = {.recording = recording, .delays = stream.delay, .threads = 1};
    for (int round = 0; round < 2; round++) {
        n_opened = n_closed = 0;
        breaks_when_opened = round == 0;
        spk_status status = count_on_devices(&fragile, &job, 4, &block, false, counts);
        assert_int_equal(status, round == 0 ? SPK_ERR_MEMORY : SPK_ERR_DEVICE);
        assert_non_null(strstr(spk_context_message(context), "device 2"));
        assert_int_equal(n_opened, 4);
        assert_int_equal(n_closed, round == 0 ? 3 : 4);
    }
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("test_workers");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worker_does_every_task),
        cmocka_unit_test(a_failure_reaches_the_caller_and_others_go_on),
        cmocka_unit_test(a_worker_that_cannot_enter_leaves_no_others),
        cmocka_unit_test(every_worker_leaves_once),
        cmocka_unit_test(a_cancel_reaches_the_workers),
        cmocka_unit_test(workers_have_their_callers_settings),
        cmocka_unit_test(notes_of_workers_reach_the_caller),
        cmocka_unit_test(workers_do_without_a_context),
        cmocka_unit_test(splits_are_even),
        cmocka_unit_test(several_devices_count_as_one),
        cmocka_unit_test(several_devices_go_on_as_one),
        cmocka_unit_test(one_device_of_several_fails),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
