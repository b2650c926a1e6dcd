/* The automatic choices: which engine for which work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "episode/engine/cuda/engines.h"
#include "spikemine/spikemine.h"

static spk_context *context;

static const char *choose(const char *name, uint64_t n_events, size_t n_delays, uint64_t n_episodes,
                          const char **reason)
{
    spk_episode_work work = {n_events, n_delays, n_episodes};
    spk_episode_choice choice = {.engine = NULL};
    assert_int_equal(spk_episode_choose(context, name, &work, &choice), SPK_OK);
    *reason = choice.reason;
    return choice.engine->name;
}

static bool gpu_here(void)
{
    char reason[160];
    return spk_engine_cuda_sweep.available(reason, sizeof reason);
}

static void small_jobs_stay_on_cpus(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_string_equal(choose("auto", 50000, 1, UINT64_MAX, &reason), "sweep");
    assert_non_null(strstr(reason, "before a GPU has started"));
    assert_string_equal(choose(NULL, 0, 3, UINT64_MAX, &reason), "sweep");
    assert_string_equal(choose("auto", 10000000, 3, 20, &reason), "sweep");
}

static void large_jobs_take_a_gpu_where_there_is_one(void **state)
{
    (void)state;
    const char *reason = NULL;
    const char *expected = gpu_here() ? "cuda-sweep" : "sweep";
    assert_string_equal(choose("auto", 100000, 2, UINT64_MAX, &reason), expected);
    assert_non_null(strstr(reason, "GPU"));
    assert_string_equal(choose("auto", 10000000, 1, 1000, &reason), expected);
    assert_string_equal(choose("auto", UINT64_MAX, 3, UINT64_MAX, &reason), expected);
}

static void what_is_named_is_taken(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_string_equal(choose("fsm", 10000000, 3, UINT64_MAX, &reason), "fsm");
    assert_string_equal(reason, "");
    spk_episode_work work = {1, 1, UINT64_MAX};
    spk_episode_choice choice;
    assert_int_equal(spk_episode_choose(context, "fast", &work, &choice), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "cuda-sweep"));
    if (!gpu_here()) /* never another one in its place */
        assert_int_equal(spk_episode_choose(context, "cuda-sweep", &work, &choice),
                         SPK_ERR_UNAVAILABLE);
}

int main(void)
{
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_jobs_stay_on_cpus),
        cmocka_unit_test(large_jobs_take_a_gpu_where_there_is_one),
        cmocka_unit_test(what_is_named_is_taken),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    spk_context_free(context);
    return failed;
}
