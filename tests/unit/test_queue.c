/* The queue of work: every task once, failures and cancels, threads of the last tasks, memory. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "distribute/queue.h"
#include "support/context.h"

enum { MOST_TASKS = 200, MOST_THREADS = 8 };

static uint64_t seed;

typedef struct tally {
    atomic_uint done[MOST_TASKS];
    int threads[MOST_TASKS];
    atomic_int running;
    atomic_int most_running;
    uint64_t failing; /* task that fails */
    uint64_t needs;   /* bytes of each task */
    _Atomic uint64_t taken;
    uint64_t limit;
    atomic_bool over; /* shares passed the limit together */
    atomic_uint looks;
    uint64_t sleep_us;
} tally;

static void sleep_us(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000) * 1000};
    nanosleep(&time, NULL);
}

static spk_status do_task(spk_context *own, uint64_t task, void *user)
{
    tally *t = user;
    uint64_t share = spk_context_memory_limit(own);
    int running = atomic_fetch_add(&t->running, 1) + 1;
    if (running > atomic_load(&t->most_running))
        atomic_store(&t->most_running, running);
    if (t->limit > 0 && atomic_fetch_add(&t->taken, share) + share > t->limit)
        atomic_store(&t->over, true);
    sleep_us(t->sleep_us);
    spk_status status = SPK_OK;
    if (task == t->failing)
        status = spk_fail(own, SPK_ERR_FORMAT, "task %d broke", (int)task);
    else if (share > 0 && share < t->needs)
        status = spk_fail(own, SPK_ERR_MEMORY, "no room");
    else
        atomic_fetch_add(&t->done[task], 1);
    t->threads[task] = spk_context_threads(own);
    spk_progress(own, "inside", 1, 2);
    spk_note(own, "inside");
    spk_tally_add(own, 7, 7);
    atomic_fetch_sub(&t->taken, share);
    atomic_fetch_sub(&t->running, 1);
    return status;
}

static tally *fresh(void)
{
    tally *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->failing = UINT64_MAX;
    return t;
}

static void every_task_is_done_once(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        tally *t = fresh();
        uint64_t n = test_random_below(&random, MOST_TASKS + 1);
        int threads = 1 + (int)test_random_below(&random, MOST_THREADS);
        spk_context_set_threads(context, threads);
        spk_queue_job job = {.n = n, .what = "tasks", .task = do_task, .user = t};
        assert_int_equal(spk_queue_run(context, &job), SPK_OK);
        for (uint64_t k = 0; k < MOST_TASKS; k++)
            assert_int_equal(atomic_load(&t->done[k]), k < n);
        assert_true(atomic_load(&t->most_running) <= threads);
        free(t);
    }
}

static void the_last_tasks_share_all_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        for (uint64_t n = 1; n <= 2 * MOST_THREADS; n++) {
            tally *t = fresh();
            spk_context_set_threads(context, threads);
            spk_queue_job job = {.n = n, .what = "tasks", .task = do_task, .user = t};
            assert_int_equal(spk_queue_run(context, &job), SPK_OK);
            assert_int_equal(t->threads[n - 1], threads);
            for (uint64_t k = 0; k < n; k++) /* as many as are left for each of those that follow */
                assert_int_equal(t->threads[k],
                                 n - k < (uint64_t)threads ? threads / (int)(n - k) : 1);
            free(t);
        }
    }
}

static void a_failure_ends_the_work(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed + 1, c);
        tally *t = fresh();
        char expected[32];
        t->failing = test_random_below(&random, MOST_TASKS);
        t->sleep_us = 20;
        int threads = 1 + (int)test_random_below(&random, MOST_THREADS);
        spk_context_set_threads(context, threads);
        spk_queue_job job = {.n = MOST_TASKS, .what = "tasks", .task = do_task, .user = t};
        snprintf(expected, sizeof expected, "task %d broke", (int)t->failing);
        assert_int_equal(spk_queue_run(context, &job), SPK_ERR_FORMAT);
        assert_string_equal(spk_context_message(context), expected);
        assert_int_equal(atomic_load(&t->running), 0);
        for (uint64_t k = 0; k < MOST_TASKS; k++)
            assert_true(atomic_load(&t->done[k]) <= (k != t->failing));
        for (uint64_t k = t->failing; k < MOST_TASKS && threads == 1; k++)
            assert_int_equal(atomic_load(&t->done[k]), 0);
        free(t);
    }
}

/* ---- looking on ------------------------------------------------------------------------------ */

static spk_status look(spk_context *own, void *user)
{
    tally *t = user;
    assert_ptr_equal(own, context);
    return atomic_fetch_add(&t->looks, 1) == 2 ? spk_fail(own, SPK_ERR_IO, "no disk") : SPK_OK;
}

static void a_failing_look_ends_the_work(void **state)
{
    (void)state;
    tally *t = fresh();
    t->sleep_us = 20000;
    spk_context_set_threads(context, 2);
    spk_queue_job job = {
        .n = MOST_TASKS, .what = "tasks", .task = do_task, .look = look, .user = t};
    assert_int_equal(spk_queue_run(context, &job), SPK_ERR_IO);
    assert_string_equal(spk_context_message(context), "no disk");
    assert_int_equal(atomic_load(&t->looks), 3);
    assert_int_equal(atomic_load(&t->done[MOST_TASKS - 1]), 0);
    free(t);
}

static void *cancel_soon(void *user)
{
    sleep_us(*(const uint64_t *)user);
    spk_context_cancel(context);
    return NULL;
}

static void a_cancel_ends_the_work(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(30); c++) {
        test_random random = test_random_make(seed + 2, c);
        tally *t = fresh();
        uint64_t when = test_random_below(&random, 20000);
        pthread_t thread;
        t->sleep_us = 1000;
        spk_context_set_threads(context, 1 + (int)test_random_below(&random, 4));
        spk_queue_job job = {.n = MOST_TASKS, .what = "tasks", .task = do_task, .user = t};
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &when), 0);
        assert_int_equal(spk_queue_run(context, &job), SPK_ERR_CANCELLED);
        pthread_join(thread, NULL);
        spk_context_cancel_clear(context);
        assert_int_equal(atomic_load(&t->running), 0);
        assert_int_equal(atomic_load(&t->done[MOST_TASKS - 1]), 0);
        free(t);
    }
}

typedef struct seen {
    uint64_t n;
    uint64_t first;
    uint64_t last;
    uint64_t total;
} seen;

static void see(void *user, const char *what, uint64_t done, uint64_t total)
{
    seen *s = user;
    assert_string_equal(what, "tasks");
    assert_true(done >= s->last);
    s->first = s->n == 0 ? done : s->first;
    s->n++;
    s->last = done;
    s->total = total;
}

static void hear_nothing(void *user, const char *text)
{
    (void)user, (void)text;
    fail_msg("a note of a task came through");
}

static void progress_counts_what_was_done_before(void **state)
{
    (void)state;
    tally *t = fresh();
    seen s = {.n = 0};
    t->sleep_us = 5000;
    spk_context_set_threads(context, 2);
    spk_context_set_progress(context, see, &s);
    spk_context_set_note(context, hear_nothing, NULL);
    spk_queue_job job = {.n = 100, .n_before = 40, .what = "tasks", .task = do_task, .user = t};
    assert_int_equal(spk_queue_run(context, &job), SPK_OK);
    spk_context_set_progress(context, NULL, NULL);
    spk_context_set_note(context, NULL, NULL);
    assert_int_equal(s.first, 40);
    assert_int_equal(s.last, 140);
    assert_int_equal(s.total, 140);
    assert_true(s.n > 2);
    assert_int_equal(spk_context_tally(context).results, 0);
    free(t);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void shares_keep_within_the_limit(void **state)
{
    (void)state;
    enum { LIMIT = 10000000 };
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed + 3, c);
        tally *t = fresh();
        int threads = 1 + (int)test_random_below(&random, MOST_THREADS);
        t->limit = LIMIT;
        /* Up to what one task alone has; the queue itself needs a little. */
        t->needs = test_random_below(&random, LIMIT - 100000);
        t->sleep_us = test_random_below(&random, 50);
        spk_context_set_threads(context, threads);
        spk_context_set_memory_limit(context, LIMIT);
        spk_queue_job job = {
            .n = 1 + test_random_below(&random, 60), .what = "tasks", .task = do_task, .user = t};
        assert_int_equal(spk_queue_run(context, &job), SPK_OK);
        for (uint64_t k = 0; k < job.n; k++)
            assert_int_equal(atomic_load(&t->done[k]), 1);
        assert_false(atomic_load(&t->over));
        t->needs = LIMIT + 1;
        assert_int_equal(spk_queue_run(context, &job), SPK_ERR_MEMORY);
        assert_string_equal(spk_context_message(context), "no room");
        assert_false(atomic_load(&t->over));
        spk_context_set_memory_limit(context, 0);
        free(t);
    }
}

int main(void)
{
    seed = test_seed("test_queue");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once),
        cmocka_unit_test(the_last_tasks_share_all_threads),
        cmocka_unit_test(a_failure_ends_the_work),
        cmocka_unit_test(a_failing_look_ends_the_work),
        cmocka_unit_test(a_cancel_ends_the_work),
        cmocka_unit_test(progress_counts_what_was_done_before),
        cmocka_unit_test(shares_keep_within_the_limit),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
