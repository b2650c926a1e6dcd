/*
 * When a GPU fails: calls and allocations of a job in turn end in an error, memory exhausted or a
 * broken kernel, on any device and on one of several. The job must end with a clear status, or with
 * the right result where it can do without; nothing may be left on the devices, and the next job
 * must work. All of the first calls fail in turn, of later ones a random few. Without a GPU nothing
 * is tested here, and the program says so.
 */
#include "base/context.h"
#include "cuda/fault.h"
#include "cuda/gpus.h"
#include "support/context.h"
#include "support/engines.h"

enum { N_EVENTS = 600, MEMORY_EXHAUSTED = 2, LAUNCH_FAILED = 719 }; /* as CUDA numbers them */

static spk_recording *recording;
static test_random draw;
static int n_gpus;

static spk_status sum_level(void *user, const spk_episode_columns *episodes)
{
    uint64_t *sum = user;
    for (uint64_t k = 0; k < episodes->n; k++)
        *sum = *sum * 31 + episodes->count[k] + episodes->level->size;
    for (uint64_t p = 0; p < episodes->offset[episodes->n]; p++)
        *sum = *sum * 31 + episodes->unit[p];
    return SPK_OK;
}

static spk_status mine(const char *engine, int gpus, spk_two_pass two_pass, uint64_t *sum)
{
    static const spk_delay delays[] = {{{0, 0}, {4, 0}}, {{4, 0}, {9, 0}}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays;
    options.n_delays = 2;
    options.support = 40;
    options.max_size = 5;
    options.engine = engine;
    options.gpus = gpus;
    options.two_pass = two_pass;
    *sum = 0;
    return spk_episode_mine(context, recording, &options, sum_level, sum, NULL);
}

/* Lets call number `n` of a job fail; true when the job made that many calls. */
static bool one_fault(const test_episode_engine *engine, int gpus, int device, int error, int64_t n,
                      spk_two_pass two_pass, uint64_t expected)
{
    gpu_fault fault = {{gpu_fault_strike}, .left = n, .device = device, .error = error};
    uint64_t sum = 0;
    spk_context_set_fault(context, &fault.base);
    spk_status status = mine(engine->name, gpus, two_pass, &sum);
    spk_context_set_fault(context, NULL);
    bool reached = fault.left <= 0;
    if (status == SPK_OK) {
        assert_int_equal(sum, expected);
    } else {
        assert_true(reached);
        if (status != (error == MEMORY_EXHAUSTED ? SPK_ERR_MEMORY : SPK_ERR_DEVICE))
            print_message("%s, call %lld: %s\n", engine->name, (long long)n,
                          spk_context_message(context));
        assert_int_equal(status, error == MEMORY_EXHAUSTED ? SPK_ERR_MEMORY : SPK_ERR_DEVICE);
        assert_non_null(strstr(spk_context_message(context), "GPU"));
    }
    assert_int_equal(spk_gpus_memory_used(), 0);
    return reached;
}

static void every_call_may_fail(const test_episode_engine *engine, int gpus, int device, int error,
                                spk_two_pass two_pass)
{
    uint64_t expected = 0;
    uint64_t sum = 0;
    int64_t n_calls = 0;
    double began = spk_seconds_now();
    int64_t dense = (int64_t)test_scaled(300);
    assert_int_equal(mine("sweep", 0, SPK_TWO_PASS_OFF, &expected), SPK_OK);
    while (one_fault(engine, gpus, device, error, n_calls + 1, two_pass, expected))
        n_calls += 1 + (int64_t)test_random_below(&draw, 1 + 2 * (uint64_t)(n_calls / dense));
    assert_true(n_calls > 0);
    assert_int_equal(mine(engine->name, gpus, two_pass, &sum), SPK_OK);
    assert_int_equal(sum, expected);
    print_message("%s, %d GPU(s), error %d: about %lld calls, %.1f s\n", engine->name, gpus, error,
                  (long long)n_calls, spk_seconds_now() - began);
}

static void jobs_survive_faults(void **state)
{
    (void)state;
    const test_episode_engine *engine;
    for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
        if (!engine->on_gpu)
            continue;
        every_call_may_fail(engine, 1, -1, MEMORY_EXHAUSTED, SPK_TWO_PASS_OFF);
        every_call_may_fail(engine, 1, -1, LAUNCH_FAILED, SPK_TWO_PASS_ON);
        if (n_gpus > 1) { /* the last of several breaks */
            every_call_may_fail(engine, n_gpus, n_gpus - 1, LAUNCH_FAILED, SPK_TWO_PASS_OFF);
            every_call_may_fail(engine, n_gpus, n_gpus - 1, MEMORY_EXHAUSTED, SPK_TWO_PASS_ON);
        }
    }
}

static void too_many_gpus_are_refused(void **state)
{
    (void)state;
    uint64_t sum = 0;
    assert_int_equal(mine("cuda-sweep", n_gpus + 1, SPK_TWO_PASS_OFF, &sum), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "this machine has"));
}

/* Units fire in turn, every other one late, so that there are episodes of several sizes. */
static void make_recording(void)
{
    static int64_t time[N_EVENTS];
    static uint32_t unit[N_EVENTS];
    for (int k = 0; k < N_EVENTS; k++) {
        time[k] = 3 * k + k % 7 % 3;
        unit[k] = (uint32_t)(k % 5);
    }
    assert_int_equal(test_recording_create(context, N_EVENTS, time, unit, 5, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
}

int main(void)
{
    char reason[160];
    if (!spk_gpus_available(reason, sizeof reason)) {
        print_message("nothing tested: %s\n", reason);
        return 0;
    }
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    n_gpus = spk_gpu_count();
    draw = test_random_make(test_seed("test_gpu_faults"), 0);
    spk_context_set_threads(context, 2);
    make_recording();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_survive_faults),
        cmocka_unit_test(too_many_gpus_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    spk_recording_free(recording);
    spk_context_free(context);
    return failed;
}
