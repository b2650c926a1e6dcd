/*
 * Mining on GPUs against `sweep` on the CPU: hostile recordings and long lists through every
 * setting of every engine, any number of GPUs, much and little memory. Without a GPU nothing is
 * tested here, and the program says so. Recordings: test_gpu_recordings.
 */
#include "cuda/gpus.h"
#include "support/context.h"
#include "support/gpu_settings.h"
#include "support/streams.h"

static uint64_t seed;
static int n_gpus;

/* Every setting of the GPU engines (`only`: of that one) on a random number of GPUs, with much and
 * little memory. */
static void check_engines(const spk_recording *recording, const spk_episode_options *options,
                          const char *only, test_random *random, const test_mined *expected,
                          const char *what)
{
    test_gpu_setting setting = {.name = NULL};
    while (test_gpu_setting_next(&setting)) {
        if (only != NULL && strcmp(only, setting.name) != 0)
            continue;
        setting.gpus = (int)(1 + test_random_below(random, (uint64_t)n_gpus));
        setting.memory = test_random_chance(random, 0.5) ? 0 : 1u << 24;
        test_gpu_check(context, recording, options, &setting, expected, what);
    }
}

/* ---- hostile recordings ---------------------------------------------------------------------- */

/* The intervals of a recording as durations of whole seconds (1 tick). */
static void delays_of(test_stream *stream, spk_delay *delays)
{
    for (size_t d = 0; d < stream->n_delays; d++) {
        spk_tick_delay *delay = &stream->delay[d];
        delay->hi = delay->hi > INT64_MAX ? UINT64_MAX : delay->hi;
        delay->lo = delay->lo > INT64_MAX ? 7 : delay->lo;
        delays[d].lo = (spk_duration){.digits = (int64_t)delay->lo};
        delays[d].hi = delay->hi == UINT64_MAX ? (spk_duration){1, SPK_DURATION_INFINITE}
                                               : (spk_duration){.digits = (int64_t)delay->hi};
    }
}

static void hostile_recordings(void **state)
{
    (void)state;
    static test_stream stream;
    uint64_t by_all = 0; /* the papers' strategies take long over many candidates */
    for (uint64_t c = 0; by_all < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, c % 8 == 0 ? TEST_MAX_EVENTS : 60, &stream);
        spk_delay delays[TEST_MAX_DELAYS];
        delays_of(&stream, delays);
        spk_recording *recording = test_stream_recording(context, &stream);
        spk_episode_options options;
        spk_episode_options_init(&options, sizeof options);
        options.delays = delays;
        options.n_delays = stream.n_delays;
        options.support = 1 + stream.n_events / 30 + test_random_below(&random, 6);
        options.max_size = (uint32_t)(1 + test_random_below(&random, 5));
        options.engine = "sweep";
        test_mined expected = test_mine(context, recording, &options, 0);
        char what[32];
        snprintf(what, sizeof what, "case %llu", (unsigned long long)c);
        bool few = expected.n <= 3000;
        check_engines(recording, &options, few ? NULL : "cuda-sweep", &random, &expected, what);
        by_all += few;
        spk_recording_free(recording);
    }
}

/* ---- long lists ------------------------------------------------------------------------------ */

/* Few units with many events each, so that their lists are cut into pieces. Kind 0: events on every
 * tick, where greedy counts that start at different events never meet; 1: bursts; 2: chance. */
static spk_recording *long_recording(test_random *random, uint64_t kind)
{
    enum { LONGEST = 60000, SHORTEST = 6000 };
    static int64_t time[LONGEST];
    static uint32_t unit[LONGEST];
    uint64_t most = test_scaled(LONGEST) < SHORTEST ? SHORTEST : LONGEST; /* under a sanitizer */
    uint64_t n = most / 2 + test_random_below(random, most / 2);
    uint32_t n_units = 1 + (uint32_t)test_random_below(random, 4);
    int64_t now = 0;
    for (uint64_t k = 0; k < n; k++) {
        unit[k] = (uint32_t)(kind == 0 ? k % n_units : test_random_below(random, n_units));
        time[k] = now;
        if (kind == 0)
            now += k % n_units == n_units - 1;
        else if (kind == 1)
            now += test_random_chance(random, 0.02) ? (int64_t)test_random_below(random, 500) : 1;
        else
            now += (int64_t)test_random_below(random, 6);
    }
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, n, time, unit, n_units, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    return recording;
}

static void long_lists(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(60); c++) {
        test_random random = test_random_make(seed + 2, c);
        spk_recording *recording = long_recording(&random, c % 3);
        spk_delay delays[2];
        for (int d = 0; d < 2; d++) {
            int64_t lo = (int64_t)test_random_below(&random, 4);
            int64_t hi = lo + 1 + (int64_t)test_random_below(&random, 6);
            delays[d].lo = (spk_duration){.digits = lo};
            delays[d].hi = (spk_duration){.digits = hi};
        }
        spk_episode_options options;
        spk_episode_options_init(&options, sizeof options);
        options.delays = delays;
        options.n_delays = 1 + test_random_below(&random, 2);
        uint64_t n = spk_recording_events(recording).n_events;
        options.support = n / 60 + test_random_below(&random, n / 15);
        options.max_size = 3;
        options.engine = "sweep";
        test_mined expected = test_mine(context, recording, &options, 0);
        char what[32];
        snprintf(what, sizeof what, "long list %llu", (unsigned long long)c);
        check_engines(recording, &options, c < 6 ? NULL : "cuda-sweep", &random, &expected, what);
        spk_recording_free(recording);
    }
}

/* ---- many units ------------------------------------------------------------------------------ */

/* n_often units fire that many times, in chains of four neighbours; every other unit once. */
static spk_recording *recording_of_many_units(test_random *random, uint32_t n_often, uint64_t times,
                                              uint32_t n_units)
{
    uint64_t often = times * n_often;
    uint64_t n = often + (n_units > n_often ? n_units : 0);
    int64_t *time = malloc(n * sizeof *time);
    uint32_t *unit = malloc(n * sizeof *unit);
    uint32_t step = n_units / n_often; /* those that fire often lie among the others */
    spk_recording *recording = NULL;
    assert_non_null(time);
    assert_non_null(unit);
    for (uint64_t k = 0; k < often; k++) {
        unit[k] = (uint32_t)(k % n_often) * step;
        time[k] = (int64_t)(k / 4 * 12 + k % 4 * 2) + (int64_t)test_random_below(random, 4);
    }
    for (uint64_t k = often; k < n; k++) {
        unit[k] = (uint32_t)(k - often);
        time[k] = (int64_t)test_random_below(random, often * 3);
    }
    assert_int_equal(test_recording_create(context, n, time, unit, n_units, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    free(time);
    free(unit);
    return recording;
}

static const spk_delay to_four = {.lo = {.digits = 0}, .hi = {.digits = 4}};

static spk_episode_options options_to_four(uint64_t support)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &to_four;
    options.n_delays = 1;
    options.support = support;
    options.engine = "cuda-sweep";
    options.two_pass = SPK_TWO_PASS_OFF;
    return options;
}

/* Of more units than 16 bits number some fire often enough. */
static void many_units(void **state)
{
    (void)state;
    test_random random = test_random_make(seed + 3, 0);
    uint32_t n_often = (uint32_t)test_scaled(2000);
    spk_recording *recording = recording_of_many_units(&random, n_often, 40, 35 * n_often);
    spk_episode_options options = options_to_four(16);
    options.engine = "sweep";
    test_mined expected = test_mine(context, recording, &options, 0);
    assert_true(expected.n > n_often);
    test_gpu_setting setting = {.name = "cuda-sweep", .two_pass = SPK_TWO_PASS_OFF};
    for (setting.gpus = 1; setting.gpus <= n_gpus; setting.gpus++)
        test_gpu_check(context, recording, &options, &setting, &expected, "many units");
    spk_recording_free(recording);
}

/* ---- many frequent units --------------------------------------------------------------------- */

/* An occurrence of two events: the first's unit in the upper half of `units`. */
typedef struct pair_occurrence {
    uint64_t units;
    int64_t end;
    int64_t start;
} pair_occurrence;

static int by_pair(const void *one, const void *other)
{
    const pair_occurrence *a = one;
    const pair_occurrence *b = other;
    if (a->units != b->units)
        return a->units < b->units ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->start < b->start) - (a->start > b->start);
}

/* Every occurrence within four ticks, in the order of by_pair; the caller frees them. */
static pair_occurrence *pairs_of(const spk_recording *recording, uint64_t *n)
{
    spk_events events = spk_recording_events(recording);
    uint64_t capacity = 0;
    pair_occurrence *pair = NULL;
    *n = 0;
    for (uint64_t j = 0; j < events.n_events; j++) {
        for (uint64_t i = j; i-- > 0 && events.time[j] - events.time[i] <= 4;) {
            if (events.time[j] == events.time[i])
                continue;
            if (*n == capacity) {
                capacity = 2 * capacity + 1024;
                pair = realloc(pair, capacity * sizeof *pair);
                assert_non_null(pair);
            }
            pair[(*n)++] = (pair_occurrence){(uint64_t)events.unit[i] << 32 | events.unit[j],
                                             events.time[j], events.time[i]};
        }
    }
    qsort(pair, *n, sizeof *pair, by_pair);
    return pair;
}

/* Digests of pairs with their counts, which do not depend on the order. */
typedef struct pair_sum {
    uint64_t n;
    uint64_t sum;
} pair_sum;

static void add_pair(pair_sum *sum, uint64_t units, uint64_t count)
{
    uint64_t mixed = (units ^ count << 20) * 0x9e3779b97f4a7c15u;
    sum->n++;
    sum->sum += (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
}

static spk_status add_level(void *user, const spk_episode_columns *episodes)
{
    for (uint64_t k = 0; k < episodes->n && episodes->level->size == 2; k++)
        add_pair(user, (uint64_t)episodes->unit[2 * k] << 32 | episodes->unit[2 * k + 1],
                 episodes->count[k]);
    return SPK_OK;
}

/* Counts of episodes without overlaps: the earliest end whose start is behind the last end. */
static pair_sum count_pairs(const spk_recording *recording, uint64_t support)
{
    uint64_t n = 0;
    pair_occurrence *pair = pairs_of(recording, &n);
    pair_sum sum = {.n = 0};
    uint64_t count = 0;
    int64_t last_end = INT64_MIN;
    for (uint64_t k = 0; k < n; k++) {
        if (pair[k].start > last_end) {
            count++;
            last_end = pair[k].end;
        }
        if (k + 1 < n && pair[k + 1].units == pair[k].units)
            continue;
        if (count >= support)
            add_pair(&sum, pair[k].units, count);
        count = 0;
        last_end = INT64_MIN;
    }
    free(pair);
    return sum;
}

/* More frequent units than 16 bits number: candidates by the billion, far too many for a table of
 * delays each. Counted by definition, since `sweep` would take too long. */
static void many_frequent_units(void **state)
{
    (void)state;
    enum { TIMES = 20, SUPPORT = 8 };
    test_random random = test_random_make(seed + 4, 0);
    uint32_t n_units = (uint32_t)test_scaled(70000);
    spk_recording *recording = recording_of_many_units(&random, n_units, TIMES, n_units);
    spk_episode_options options = options_to_four(SUPPORT);
    options.max_size = 2;
    pair_sum expected = count_pairs(recording, SUPPORT);
    assert_true(expected.n > n_units);
    for (options.gpus = 1; options.gpus <= n_gpus; options.gpus++) {
        pair_sum got = {.n = 0};
        spk_status status = spk_episode_mine(context, recording, &options, add_level, &got, NULL);
        if (status != SPK_OK)
            print_message("%s\n", spk_context_message(context));
        assert_int_equal(status, SPK_OK);
        assert_int_equal(got.n, expected.n);
        assert_int_equal(got.sum, expected.sum);
    }
    spk_recording_free(recording);
}

int main(void)
{
    char reason[160];
    seed = test_seed("test_gpu");
    if (!spk_gpus_available(reason, sizeof reason)) {
        print_message("nothing tested: %s\n", reason);
        return 0;
    }
    n_gpus = spk_gpu_count();
    print_message("%d GPU(s)\n", n_gpus);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_recordings),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(many_units),
        cmocka_unit_test(many_frequent_units),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
