/*
 * The choice of engine and GPUs, for machines with GPUs and without: what is there is an argument,
 * so no GPU is needed. Every cell of the table in include/spikemine/engine.h is here, for both
 * languages; then the list as programs see it.
 */
#include "episode/engine/policy.h"
#include "pattern/engine/policy.h"
#include "pattern/run.h"
#include "support/context.h"
#include "support/engines.h"

static const spk_episode_work SMALL_SEARCH = {50000, 1, UINT64_MAX};
static const spk_episode_work LARGE_SEARCH = {100000, 2, UINT64_MAX};

/* ---- machines -------------------------------------------------------------------------------- */

static int n_looks;

static void three_gpus(spk_gpus_found *out)
{
    n_looks++;
    *out = (spk_gpus_found){.n = 3};
}

static void no_gpu(spk_gpus_found *out)
{
    n_looks++;
    *out = (spk_gpus_found){.n = 0, .reason = "the driver is on holiday"};
}

/* ---- episodes -------------------------------------------------------------------------------- */

static spk_status choose(const char *name, int gpus, spk_gpus_look *look,
                         const spk_episode_work *work, spk_engine_choice *choice)
{
    spk_engine_request request = {.engine = name, .gpus = gpus, .look = look};
    n_looks = 0;
    return spk_episode_choose(context, &request, work, choice);
}

/* The choice is that engine on so many GPUs; returns the reason. */
static const char *gets(const char *name, int gpus, spk_gpus_look *look,
                        const spk_episode_work *work, const char *engine, int n)
{
    spk_engine_choice choice;
    assert_int_equal(choose(name, gpus, look, work, &choice), SPK_OK);
    assert_string_equal(choice.engine->name, engine);
    assert_int_equal(choice.gpus, n);
    assert_int_equal(choice.engine->on_gpu, n > 0);
    return choice.reason;
}

/* The choice is refused, with all these words in the message. */
static void refused(spk_status status, const char *name, int gpus, spk_gpus_look *look,
                    const char *word, const char *other)
{
    spk_engine_choice choice;
    assert_int_equal(choose(name, gpus, look, &LARGE_SEARCH, &choice), status);
    assert_non_null(strstr(spk_context_message(context), word));
    assert_non_null(strstr(spk_context_message(context), other));
}

static void small_jobs_stay_on_processors(void **state)
{
    (void)state;
    static const spk_episode_work nothing = {0, 3, UINT64_MAX};
    static const spk_episode_work short_list = {10000000, 3, 20};
    assert_non_null(
        strstr(gets("auto", 0, three_gpus, &SMALL_SEARCH, "sweep", 0), "for a job of this size"));
    assert_int_equal(n_looks, 0); /* the driver is not even asked */
    gets(NULL, 0, three_gpus, &nothing, "sweep", 0);
    gets("auto", 0, three_gpus, &short_list, "sweep", 0);
    assert_int_equal(n_looks, 0);
}

static void large_jobs_take_one_gpu_where_there_is_one(void **state)
{
    (void)state;
    static const spk_episode_work long_list = {10000000, 1, 1000};
    static const spk_episode_work beyond = {UINT64_MAX, 3, UINT64_MAX};
    assert_non_null(strstr(gets("auto", 0, three_gpus, &LARGE_SEARCH, "cuda-sweep", 1),
                           "large enough for a GPU"));
    assert_non_null(strstr(gets("auto", 0, no_gpu, &LARGE_SEARCH, "sweep", 0), "for processors"));
    gets(NULL, 0, three_gpus, &long_list, "cuda-sweep", 1);
    gets("auto", 0, three_gpus, &beyond, "cuda-sweep", 1);
}

/* A search on a GPU is not shared by ranks; a count is. */
static void ranks_share_a_search(void **state)
{
    (void)state;
    static const spk_episode_work long_list = {10000000, 1, 1000};
    spk_engine_request request = {.engine = "auto", .look = three_gpus, .n_ranks = 2};
    spk_engine_choice choice;
    assert_int_equal(spk_episode_choose(context, &request, &LARGE_SEARCH, &choice), SPK_OK);
    assert_string_equal(choice.engine->name, "sweep");
    assert_non_null(strstr(choice.reason, "ranks can share"));
    assert_int_equal(spk_episode_choose(context, &request, &long_list, &choice), SPK_OK);
    assert_string_equal(choice.engine->name, "cuda-sweep");
    request.gpus = 1; /* asked for */
    assert_int_equal(spk_episode_choose(context, &request, &LARGE_SEARCH, &choice), SPK_OK);
    assert_string_equal(choice.engine->name, "cuda-sweep");
    request.gpus = 0;
    request.n_ranks = 1;
    assert_int_equal(spk_episode_choose(context, &request, &LARGE_SEARCH, &choice), SPK_OK);
    assert_string_equal(choice.engine->name, "cuda-sweep");
}

static void auto_on_gpus_takes_the_fastest_there(void **state)
{
    (void)state;
    assert_non_null(strstr(gets("auto", 2, three_gpus, &SMALL_SEARCH, "cuda-sweep", 2), "on GPUs"));
    gets(NULL, SPK_GPUS_ALL, three_gpus, &LARGE_SEARCH, "cuda-sweep", 3);
    refused(SPK_ERR_UNAVAILABLE, "auto", 2, no_gpu, "cuda-sweep", "on holiday");
    refused(SPK_ERR_UNAVAILABLE, "auto", SPK_GPUS_ALL, no_gpu, "cuda-sweep", "on holiday");
    refused(SPK_ERR_ARGUMENT, "auto", 4, three_gpus, "4 GPUs asked for", "from 1 to 3");
}

static void engines_for_gpus_by_name(void **state)
{
    (void)state;
    assert_string_equal(gets("cuda-mtpe", 0, three_gpus, &SMALL_SEARCH, "cuda-mtpe", 1), "");
    gets("cuda-mtpe", 3, three_gpus, &SMALL_SEARCH, "cuda-mtpe", 3);
    gets("cuda-mtpe", SPK_GPUS_ALL, three_gpus, &SMALL_SEARCH, "cuda-mtpe", 3);
    /* Never another one in its place. */
    refused(SPK_ERR_UNAVAILABLE, "cuda-mtpe", 0, no_gpu, "'cuda-mtpe'", "on holiday");
    refused(SPK_ERR_UNAVAILABLE, "cuda-mtpe", 1, no_gpu, "'cuda-mtpe'", "on holiday");
    refused(SPK_ERR_ARGUMENT, "cuda-mtpe", 4, three_gpus, "this machine has 3", "from 1 to 3");
    refused(SPK_ERR_ARGUMENT, "cuda-mtpe", -2, three_gpus, "-2 GPUs", "from 0 on");
}

static void engines_for_processors_by_name(void **state)
{
    (void)state;
    assert_string_equal(gets("fsm", 0, three_gpus, &LARGE_SEARCH, "fsm", 0), "");
    assert_int_equal(n_looks, 0);
    refused(SPK_ERR_ARGUMENT, "sweep", 2, three_gpus, "'sweep' runs on processors",
            "leave gpus at 0 or take an engine for GPUs: cuda-sweep,");
    refused(SPK_ERR_ARGUMENT, "sweep", SPK_GPUS_ALL, no_gpu, "runs on processors", "cuda-mtpe");
    refused(SPK_ERR_ARGUMENT, "sweep", -2, no_gpu, "-2 GPUs", "from 0 on");
}

static void unknown_engines_by_name(void **state)
{
    (void)state;
    refused(SPK_ERR_ARGUMENT, "warp", 0, three_gpus, "'warp' for episodes", "auto, sweep, fsm");
    refused(SPK_ERR_ARGUMENT, "warp", 2, three_gpus, "'warp' for episodes", "cuda-tracking");
    refused(SPK_ERR_ARGUMENT, "bitmap", 0, three_gpus, "'bitmap'", "sweep"); /* for patterns */
    refused(SPK_ERR_ARGUMENT, "", 0, three_gpus, "''", "sweep");
}

/* ---- patterns -------------------------------------------------------------------------------- */

static spk_status choose_for_patterns(const char *name, int gpus, spk_gpus_look *look,
                                      spk_engine_choice *choice)
{
    spk_engine_request request = {.engine = name, .gpus = gpus, .look = look};
    n_looks = 0;
    return spk_pattern_choose(context, &request, choice);
}

static bool gpu_pays(uint64_t n, double seconds, int threads)
{
    return seconds > spk_pattern_gpu_pays_from(n, threads);
}

/* Many surrogates, or dear ones, are worth the start of a GPU; few threads sooner than many. */
static void many_surrogates_are_worth_a_gpu(void **state)
{
    (void)state;
    const double seconds = 0.1;
    assert_false(gpu_pays(0, seconds, 1));
    assert_false(gpu_pays(3, seconds, 1));
    assert_int_equal(gpu_pays(10, seconds, 1), SPIKEMINE_HAVE_CUDA);
    assert_false(gpu_pays(10, seconds, 16));
    assert_int_equal(gpu_pays(1000, seconds, 16), SPIKEMINE_HAVE_CUDA);
    assert_int_equal(gpu_pays(10, 100 * seconds, 16), SPIKEMINE_HAVE_CUDA);
    assert_false(gpu_pays(1000000, seconds, 128)); /* which are faster than a GPU */
}

/* An early start is a hint: what there is stays what there is. */
static void gpus_start_early(void **state)
{
    (void)state;
    const int n = spk_gpu_count();
    spk_gpus_started(NULL);
    assert_null(spk_gpus_start(0));
    spk_gpus_started(spk_gpus_start(SPK_GPUS_ALL));
    assert_int_equal(spk_gpu_count(), n);
}

static void patterns_stay_on_processors_unless_gpus_are_asked_for(void **state)
{
    (void)state;
    spk_engine_choice choice;
    static const char *const names[] = {NULL, "auto", "bitmap", "fpgrowth"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_int_equal(choose_for_patterns(names[k], 0, three_gpus, &choice), SPK_OK);
        assert_string_equal(choice.engine->name, k == 3 ? "fpgrowth" : "bitmap");
        assert_int_equal(choice.reason[0] != '\0', k < 2);
        assert_int_equal(choice.gpus, 0);
        assert_int_equal(n_looks, 0);
        for (int gpus = SPK_GPUS_ALL; gpus <= 3; gpus += gpus < 0 ? 2 : 1) {
            const spk_status wanted = k < 2 ? SPK_OK : SPK_ERR_ARGUMENT;
            assert_int_equal(choose_for_patterns(names[k], gpus, three_gpus, &choice), wanted);
            if (k >= 2)
                continue;
            assert_string_equal(choice.engine->name, "cuda-bitmap");
            assert_int_equal(choice.gpus, gpus < 0 ? 3 : gpus);
        }
    }
    assert_int_equal(choose_for_patterns("cuda-bitmap", 0, three_gpus, &choice), SPK_OK);
    assert_int_equal(choice.gpus, 1);
    assert_int_equal(choose_for_patterns("auto", 4, three_gpus, &choice), SPK_ERR_ARGUMENT);
    assert_int_equal(choose_for_patterns("auto", 1, no_gpu, &choice), SPK_ERR_UNAVAILABLE);
    assert_non_null(strstr(spk_context_message(context), "the driver is on holiday"));
    assert_int_equal(choose_for_patterns("sweep", 0, three_gpus, &choice), SPK_ERR_ARGUMENT);
    assert_non_null(
        strstr(spk_context_message(context), "take one of auto, bitmap, fpgrowth, cuda-bitmap"));
}

/* Transactions of 24 items, of which each has `each` in 100. */
static spk_windows *transactions(uint32_t n, int each)
{
    enum { ITEMS = 24, LINE = 4 * ITEMS };
    spk_windows *windows = NULL;
    uint64_t state = 7;
    char *text = malloc((size_t)n * LINE), *at = text;
    assert_non_null(text);
    for (uint32_t k = 0; k < n; k++) {
        for (int item = 0; item < ITEMS; item++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if ((int)(state >> 33) % 100 < each)
                at += sprintf(at, "%d ", item);
        }
        *at++ = '\n';
    }
    assert_int_equal(spk_windows_parse_transactions(context, "lines", text, (size_t)(at - text),
                                                    ITEMS, 1, &windows),
                     SPK_OK);
    free(text);
    return windows;
}

/* Dense ones cost less with trees, unless these take too much memory. */
static void dense_transactions(void **state)
{
    (void)state;
    spk_pattern_options options;
    spk_pattern_summary summary;
    spk_windows *dense = transactions(1000, 95), *sparse = transactions(1000, 30);
    spk_pattern_options_init(&options, sizeof options);
    options.support = 800;
    assert_int_equal(spk_pattern_mine(context, dense, &options, NULL, NULL, &summary), SPK_OK);
    assert_string_equal(summary.engine, "fpgrowth");
    assert_non_null(strstr(summary.choice, "costs least"));
    const uint64_t n = summary.n_reported;
    assert_true(n > 0);
    spk_context_set_memory_limit(context, 1 << 19);
    assert_int_equal(spk_pattern_mine(context, dense, &options, NULL, NULL, &summary), SPK_OK);
    spk_context_set_memory_limit(context, 0);
    assert_string_equal(summary.engine, "bitmap");
    assert_int_equal(summary.n_reported, n);
    options.support = 70;
    assert_int_equal(spk_pattern_mine(context, sparse, &options, NULL, NULL, &summary), SPK_OK);
    assert_string_equal(summary.engine, "bitmap");
    spk_windows_free(dense);
    spk_windows_free(sparse);
}

/* ---- the options of programs ----------------------------------------------------------------- */

/* One unit that fires at 0 and 1. */
static spk_recording *small_recording(void)
{
    static const int64_t time[] = {0, 1};
    static const uint32_t unit[] = {0, 0};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 2, time, unit, 1, NULL, (spk_rate){1, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    return recording;
}

static void gpus_in_the_options_are_heeded(void **state)
{
    (void)state;
    static const spk_delay delay = {{0, 0}, {4, 0}};
    spk_recording *recording = small_recording();
    spk_episode_options options;
    spk_episode_summary summary;
    spk_status without = spk_gpu_count() > 0 ? SPK_OK : SPK_ERR_UNAVAILABLE;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    assert_int_equal(options.gpus, 0);
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary), SPK_OK);
    assert_string_equal(summary.engine, "sweep");
    options.gpus = 1; /* not silently on the processor */
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary), without);
    assert_string_equal(summary.engine, without == SPK_OK ? "cuda-sweep" : "");
    assert_int_equal(summary.gpus, without == SPK_OK ? 1 : 0);
    options.engine = "sweep";
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary),
                     SPK_ERR_ARGUMENT);
    spk_recording_free(recording);
}

static void gpus_in_the_options_of_patterns_are_heeded(void **state)
{
    (void)state;
    spk_windows *windows = NULL;
    spk_pattern_options options;
    spk_pattern_summary summary;
    spk_pattern_options_init(&options, sizeof options);
    assert_int_equal(options.gpus, 0);
    assert_int_equal(
        spk_windows_parse_transactions(context, "text", "0 1\n0 1\n", 8, 0, 1, &windows), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, &summary), SPK_OK);
    assert_string_equal(summary.engine, "bitmap");
    assert_int_equal(summary.gpus, 0);
    options.gpus = 1; /* not silently on the processor */
    const spk_status without = spk_gpu_count() > 0 ? SPK_OK : SPK_ERR_UNAVAILABLE;
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, &summary), without);
    assert_string_equal(summary.engine, without == SPK_OK ? "cuda-bitmap" : "");
    assert_int_equal(summary.gpus, without == SPK_OK ? 1 : 0);
    spk_windows_free(windows);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void the_list_describes_itself(void **state)
{
    (void)state;
    for (int language = SPK_EPISODES; language <= SPK_PATTERNS; language++) {
        size_t n = spk_engine_count((spk_language)language);
        assert_true(n >= 2);
        for (size_t k = 0; k < n; k++) {
            spk_engine_info info;
            assert_int_equal(spk_engine_describe(context, (spk_language)language, k, &info),
                             SPK_OK);
            assert_string_equal(info.name, spk_engine_name((spk_language)language, k));
            assert_true(strlen(info.name) > 0 && strlen(info.summary) > 0);
            assert_int_equal(info.needs[0] != '\0', info.on_gpu);
            assert_int_equal(info.available, !info.on_gpu || spk_gpu_count() > 0);
            assert_int_equal(info.reason[0] != '\0', !info.available);
            for (size_t other = 0; other < k; other++)
                assert_string_not_equal(info.name, spk_engine_name((spk_language)language, other));
        }
        spk_engine_info none;
        assert_null(spk_engine_name((spk_language)language, n));
        assert_int_equal(spk_engine_describe(context, (spk_language)language, n, &none),
                         SPK_ERR_ARGUMENT);
        assert_non_null(strstr(spk_context_message(context), "numbered from 0"));
    }
    assert_int_equal(spk_engine_count((spk_language)7), 0);
    assert_null(spk_engine_name((spk_language)7, 0));
}

/* Available engines have a table; what has none is an engine for GPUs in a build without CUDA. */
static void every_engine_that_runs_is_built(void **state)
{
    (void)state;
    spk_engine_list episodes = spk_engines_of(SPK_EPISODES);
    spk_engine_list patterns = spk_engines_of(SPK_PATTERNS);
    char reason[160];
    for (size_t k = 0; k < episodes.n; k++)
        assert_true(spk_episode_engine_table(&episodes.engine[k]) != NULL ||
                    !spk_engine_available(&episodes.engine[k], reason, sizeof reason));
    for (size_t k = 0; k < patterns.n; k++)
        assert_true(spk_pattern_engine_table(&patterns.engine[k]) != NULL ||
                    !spk_engine_available(&patterns.engine[k], reason, sizeof reason));
    assert_ptr_equal(test_episode_engine_named("reference")->table, &spk_episode_engine_reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_jobs_stay_on_processors),
        cmocka_unit_test(large_jobs_take_one_gpu_where_there_is_one),
        cmocka_unit_test(ranks_share_a_search),
        cmocka_unit_test(auto_on_gpus_takes_the_fastest_there),
        cmocka_unit_test(engines_for_gpus_by_name),
        cmocka_unit_test(engines_for_processors_by_name),
        cmocka_unit_test(unknown_engines_by_name),
        cmocka_unit_test(many_surrogates_are_worth_a_gpu),
        cmocka_unit_test(gpus_start_early),
        cmocka_unit_test(patterns_stay_on_processors_unless_gpus_are_asked_for),
        cmocka_unit_test(dense_transactions),
        cmocka_unit_test(gpus_in_the_options_are_heeded),
        cmocka_unit_test(gpus_in_the_options_of_patterns_are_heeded),
        cmocka_unit_test(the_list_describes_itself),
        cmocka_unit_test(every_engine_that_runs_is_built),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
