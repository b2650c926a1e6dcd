/*
 * Threads at the border: where the system gives fewer than wanted, and after a fork. Each case runs
 * in a process of its own.
 */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED_BY_CLANG /* clang's word for it */
#endif
#endif

#include <sys/resource.h>
#include <sys/wait.h>

#include "base/threads.h"
#include "support/limit.h"
#include "support/test.h"

enum { N = 4000, WAIT_S = 60 };

static char last_note[512];

static void keep_note(void *user, const char *text)
{
    (void)user;
    strncpy(last_note, text, sizeof last_note - 1);
}

/* Mines a recording; the number of episodes, or -1. */
static int mine(int threads, const char *engine)
{
    int64_t time[N];
    uint32_t unit[N];
    for (int k = 0; k < N; k++) {
        time[k] = k;
        unit[k] = (uint32_t)(k * 7 % 11);
    }
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_delay delay = {{0, 0}, {5, -3}};
    spk_episode_options options;
    spk_episode_summary summary = {.n_levels = 0};
    spk_rate rate = {1000, 1};
    int found = -1;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = 100;
    options.max_size = 4;
    options.engine = engine;
    last_note[0] = '\0';
    if (spk_context_create(&context) != SPK_OK)
        return -1;
    spk_context_set_threads(context, threads);
    spk_context_set_note(context, keep_note, NULL);
    if (test_recording_create(context, N, time, unit, 11, NULL, rate, NULL, NULL, &recording) ==
            SPK_OK &&
        spk_episode_mine(context, recording, &options, NULL, NULL, &summary) == SPK_OK) {
        found = 0;
        for (uint32_t k = 0; k < summary.n_levels; k++)
            found += (int)summary.level[k].frequent;
    }
    spk_recording_free(recording);
    spk_context_free(context);
    return found;
}

/* Runs `work` in a child, which must end well in time. */
static void in_child(int (*work)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(WAIT_S);
        _exit(work());
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == LIMIT_NOT_HEEDED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int mine_fork_mine(void)
{
    static const char *const engines[] = {"sweep", "fsm"};
    for (int k = 0; k < 2; k++) {
        int before = mine(3, engines[k]), status = -1;
        if (before <= 0 || last_note[0] != '\0')
            return 1;
        pid_t child = fork();
        if (child == 0) {
            alarm(WAIT_S);
            bool right = mine(3, engines[k]) == before && strstr(last_note, "forked") != NULL;
            _exit(right && mine(1, engines[k]) == before && last_note[0] == '\0' ? 0 : 1);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 0)
            return 2;
        if (mine(3, engines[k]) != before || last_note[0] != '\0') /* nothing changes here */
            return 3;
    }
    return 0;
}

static void a_fork_after_mining_mines_with_one_thread(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__) || defined(SANITIZED_BY_CLANG) || !defined(_OPENMP)
    skip(); /* the sanitizer forbids threads after a fork of threads */
#endif
    in_child(mine_fork_mine);
}

static int fork_mine(void)
{
    return mine(3, "sweep") > 0 && strstr(last_note, "forked") == NULL ? 0 : 1;
}

static void a_fork_before_mining_has_all_threads(void **state)
{
    (void)state;
    in_child(fork_mine);
}

static int too_many_threads(void)
{
    int one = mine(1, "sweep");
    if (!limit_set(RLIMIT_AS, 400000000)) /* some 40 stacks */
        return LIMIT_NOT_HEEDED;
    int startable = spk_threads_startable(4000);
    if (startable < 2 || startable >= 4000)
        return 2;
    if (mine(4000, "sweep") != one || strstr(last_note, "of 4000") == NULL)
        return 3;
    return mine(4000, "reference") == one ? 0 : 4;
}

static void threads_that_do_not_start_are_done_without(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SANITIZED_BY_CLANG)
    skip(); /* their address space is terabytes */
#endif
    in_child(too_many_threads);
}

static void some_threads_always_start(void **state)
{
    (void)state;
    assert_int_equal(spk_threads_startable(1), 1);
    assert_int_equal(spk_threads_startable(0), 1);
    assert_int_equal(spk_threads_startable(5), 5);
    assert_true(spk_threads_take(NULL) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_before_mining_has_all_threads),
        cmocka_unit_test(a_fork_after_mining_mines_with_one_thread),
        cmocka_unit_test(threads_that_do_not_start_are_done_without),
        cmocka_unit_test(some_threads_always_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
