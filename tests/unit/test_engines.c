/*
 * Every episode engine against the definition: `reference` against brute force on small streams,
 * every engine against `reference` on hostile ones, with every instruction set, 1 and 2 threads,
 * little and much memory; bounds never below counts; and what must not change a count does not.
 */
#include "support/context.h"
#include "support/engines.h"
#include "support/simd.h"
#include "support/streams.h"

static uint64_t seed;

/* ---- running an engine ----------------------------------------------------------------------- */

typedef struct run_options {
    int threads;
    uint64_t memory;
    uint64_t support;
    bool bound;
} run_options;

static void run_engine(const test_episode_engine *engine, const spk_recording *recording,
                       const spk_tick_delay *delays, size_t n_delays, spk_episode_block block,
                       run_options options, uint64_t *counts)
{
    spk_episode_job job = {.recording = recording,
                           .delays = delays,
                           .n_delays = n_delays,
                           .threads = options.threads,
                           .memory = options.memory};
    void *state = NULL;
    block.support = options.support;
    spk_status status = engine->table->open(context, &job, &state);
    if (status == SPK_OK)
        status = options.bound ? engine->table->bound(context, state, &block, counts)
                               : engine->table->count(context, state, &block, counts);
    if (status != SPK_OK)
        print_message("%s: %s\n", engine->name, spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    engine->table->close(state);
}

static void fail_case(const test_stream *stream, const spk_episode_block *block, uint64_t k,
                      const char *engine, uint64_t case_number, uint64_t expected, uint64_t got)
{
    test_stream_print(stream);
    for (uint32_t p = 0; p < block->size; p++)
        print_message("unit %u by delay %u\n", block->unit[k * block->size + p],
                      block->delay[k * block->size + p]);
    print_message("case %llu, %s: expected %llu, got %llu\n", (unsigned long long)case_number,
                  engine, (unsigned long long)expected, (unsigned long long)got);
    fail();
}

/* ---- the definition -------------------------------------------------------------------------- */

static void reference_equals_brute_force(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    uint64_t counts[TEST_MAX_EPISODES];
    const test_episode_engine *reference = test_episode_engine_named("reference");
    for (uint64_t c = 0; c < test_scaled(3000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, 24, &stream);
        spk_recording *recording = test_stream_recording(context, &stream);
        uint32_t size = (uint32_t)(1 + test_random_below(&random, 4));
        test_episodes_draw(&random, &stream, size, 8, &episodes);
        run_engine(reference, recording, stream.delay, stream.n_delays, episodes.block,
                   (run_options){.threads = 1}, counts);
        for (uint64_t k = 0; k < episodes.block.n; k++) {
            uint64_t expected = test_brute_count(&stream, size, episodes.unit + k * size,
                                                 episodes.delay + k * size);
            if (counts[k] != expected)
                fail_case(&stream, &episodes.block, k, "reference", c, expected, counts[k]);
        }
        spk_recording_free(recording);
    }
}

/* The worked example of docs/explanation/semantics.md. */
static void worked_example(void **state)
{
    (void)state;
    const int64_t time[] = {1, 2, 5, 8, 10, 13, 15, 18, 20};
    const uint32_t unit[] = {0, 0, 1, 1, 0, 0, 2, 1, 2};
    const spk_tick_delay delays[] = {{5, 10}, {10, 15}, {0, UINT64_MAX}};
    const uint32_t abc[] = {0, 1, 2};
    const uint16_t abc_delay[] = {0, 0, 1};
    const uint32_t ab[] = {0, 1};
    const uint16_t ab_delay[] = {0, 2};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 9, time, unit, 3, NULL, (spk_rate){1, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    const test_episode_engine *engine;
    for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
        uint64_t count = 99;
        run_engine(engine, recording, delays, 3,
                   (spk_episode_block){.size = 3, .n = 1, .unit = abc, .delay = abc_delay},
                   (run_options){.threads = 1}, &count);
        assert_int_equal(count, 1);
        run_engine(engine, recording, delays, 3,
                   (spk_episode_block){.size = 2, .n = 1, .unit = ab, .delay = ab_delay},
                   (run_options){.threads = 1}, &count);
        assert_int_equal(count, 2);
    }
    spk_recording_free(recording);
}

/* ---- engines against the reference ----------------------------------------------------------- */

static void compare_counts(const test_stream *stream, const test_episodes *episodes,
                           const char *engine, uint64_t c, uint64_t support,
                           const uint64_t *expected, const uint64_t *got)
{
    for (uint64_t k = 0; k < episodes->block.n; k++) {
        /* Below a support an engine may stop early. */
        bool same = expected[k] >= support ? got[k] == expected[k] : got[k] < support;
        if (!same)
            fail_case(stream, &episodes->block, k, engine, c, expected[k], got[k]);
    }
}

static void check_engine(const test_episode_engine *engine, const spk_recording *recording,
                         const test_stream *stream, const test_episodes *episodes, uint64_t c,
                         test_random *random, const uint64_t *expected)
{
    uint64_t got[TEST_MAX_EPISODES];
    test_simd_use(test_random_bits(random));
    run_options options = {.threads = (int)(1 + c % 2),
                           .memory = test_random_chance(random, 0.5) ? 0 : 1,
                           .support = test_random_below(random, 6)};
    run_engine(engine, recording, stream->delay, stream->n_delays, episodes->block, options, got);
    compare_counts(stream, episodes, engine->name, c, options.support, expected, got);
    if (engine->table->bound != NULL) {
        options.bound = true;
        run_engine(engine, recording, stream->delay, stream->n_delays, episodes->block, options,
                   got);
        for (uint64_t k = 0; k < episodes->block.n; k++)
            if (got[k] < expected[k])
                fail_case(stream, &episodes->block, k, "bound", c, expected[k], got[k]);
    }
    test_simd_use_best();
}

static void engines_equal_reference(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    uint64_t expected[TEST_MAX_EPISODES];
    const test_episode_engine *reference = test_episode_engine_named("reference");
    for (uint64_t c = 0; c < test_scaled(12000); c++) {
        test_random random = test_random_make(seed + 1, c);
        test_stream_draw(&random, c % 8 == 0 ? TEST_MAX_EVENTS : 100, &stream);
        spk_recording *recording = test_stream_recording(context, &stream);
        uint32_t size = (uint32_t)(1 + test_random_below(&random, c % 16 == 0 ? 12 : 6));
        test_episodes_draw(&random, &stream, size, 1 + test_random_below(&random, 40), &episodes);
        run_engine(reference, recording, stream.delay, stream.n_delays, episodes.block,
                   (run_options){.threads = 1}, expected);
        const test_episode_engine *engine;
        for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++)
            check_engine(engine, recording, &stream, &episodes, c, &random, expected);
        spk_recording_free(recording);
    }
}

/* The papers' GPU strategies keep every stamp that an infinite delay may need: too many here. */
static bool keeps_every_stamp(const test_episode_engine *engine)
{
    static const char *const names[] = {"cuda-ptpe", "cuda-mtpe", "cuda-hybrid", "cuda-tracking"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(engine->name, names[k]) == 0)
            return true;
    return false;
}

/* Streams longer than 16-bit ranks and than one stretch of the tables: the wide kernels, 16-bit
 * counts that overflow, states carried from stretch to stretch. */
static void long_streams(void **state)
{
    (void)state;
    enum { N = 150000, MOST_UNITS = 12 };
    int64_t *time = malloc(N * sizeof *time);
    uint32_t *unit = malloc(N * sizeof *unit);
    assert_true(time != NULL && unit != NULL);
    const spk_tick_delay delays[] = {{0, 3}, {2, UINT64_MAX}, {100, 200000}};
    for (uint64_t round = 0; round < test_scaled(6); round++) {
        test_random random = test_random_make(seed + 2, round);
        static test_stream stream; /* only to draw episodes */
        static test_episodes episodes;
        int64_t now = 0;
        uint32_t n_units =
            round % 2 == 0 ? 3 : (uint32_t)test_random_between(&random, 2, MOST_UNITS);
        for (int i = 0; i < N; i++) {
            now += test_random_between(&random, 0, 2);
            time[i] = now;
            unit[i] = (uint32_t)test_random_below(&random, n_units);
        }
        spk_recording *recording = NULL;
        assert_int_equal(test_recording_create(context, N, time, unit, n_units, NULL,
                                               (spk_rate){1, 1}, NULL, NULL, &recording),
                         SPK_OK);
        for (size_t n_delays = 1; n_delays <= 3; n_delays += 2) {
            uint64_t expected[TEST_MAX_EPISODES];
            uint64_t got[TEST_MAX_EPISODES];
            stream = (test_stream){.n_units = n_units, .n_delays = n_delays};
            test_episodes_draw(&random, &stream, 2 + (uint32_t)(round % 3), round < 3 ? 5 : 30,
                               &episodes);
            run_engine(test_episode_engine_named("reference"), recording, delays, n_delays,
                       episodes.block, (run_options){.threads = 2}, expected);
            const test_episode_engine *engine;
            for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
                bool runs = n_delays == 1 || !keeps_every_stamp(engine);
                for (uint64_t memory = 0; memory < 2 && runs; memory++) {
                    run_engine(engine, recording, delays, n_delays, episodes.block,
                               (run_options){.threads = 1 + (int)test_random_below(&random, 5),
                                             .memory = memory},
                               got);
                    compare_counts(&stream, &episodes, engine->name, round, 0, expected, got);
                }
            }
        }
        spk_recording_free(recording);
    }
    free(time);
    free(unit);
}

/* ---- what must not matter -------------------------------------------------------------------- */

static void count_with(const test_stream *stream, const test_episodes *episodes,
                       const test_episode_engine *engine, uint64_t *counts)
{
    spk_recording *recording = test_stream_recording(context, stream);
    run_engine(engine, recording, stream->delay, stream->n_delays, episodes->block,
               (run_options){.threads = 1}, counts);
    spk_recording_free(recording);
}

/* Shifted times, scaled ticks, another order of the input and reversed unit numbers. */
static void transform(test_random *random, test_stream *s, test_episodes *e)
{
    int64_t scale = test_random_between(random, 1, 1000);
    int64_t shift = test_random_between(random, INT64_MIN / 2, INT64_MAX / 2);
    for (uint64_t i = 0; i < s->n_events; i++) {
        s->time[i] = s->time[i] * scale + shift;
        s->unit[i] = s->n_units - 1 - s->unit[i];
    }
    for (uint64_t i = s->n_events; i > 1; i--) {
        uint64_t j = test_random_below(random, i);
        int64_t time = s->time[j];
        uint32_t unit = s->unit[j];
        s->time[j] = s->time[i - 1];
        s->unit[j] = s->unit[i - 1];
        s->time[i - 1] = time;
        s->unit[i - 1] = unit;
    }
    for (size_t d = 0; d < s->n_delays; d++) {
        s->delay[d].lo *= (uint64_t)scale;
        if (s->delay[d].hi != UINT64_MAX)
            s->delay[d].hi *= (uint64_t)scale;
    }
    for (uint64_t k = 0; k < e->block.n * e->block.size; k++)
        e->unit[k] = s->n_units - 1 - e->unit[k];
}

static void counts_are_invariant(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    uint64_t before[TEST_MAX_EPISODES];
    uint64_t after[TEST_MAX_EPISODES];
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed + 3, c);
        do
            test_stream_draw(&random, 80, &stream);
        while (stream.n_events > 0 &&
               (stream.time[0] > 1 << 20 || stream.time[0] < -(1 << 20) ||
                stream.delay[0].lo > 1 << 20)); /* extremes cannot be scaled */
        bool small = true;
        for (uint64_t i = 0; i < stream.n_events; i++)
            small &= stream.time[i] < 1 << 20 && stream.time[i] > -(1 << 20);
        for (size_t d = 0; d < stream.n_delays; d++)
            small &= stream.delay[d].lo < 1 << 20;
        if (!small)
            continue;
        test_episodes_draw(&random, &stream, (uint32_t)(1 + test_random_below(&random, 5)), 10,
                           &episodes);
        const test_episode_engine *engine;
        for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
            test_stream other = stream;
            static test_episodes moved;
            memcpy(&moved, &episodes, sizeof moved);
            moved.block.unit = moved.unit;
            moved.block.delay = moved.delay;
            test_random again = random;
            transform(&again, &other, &moved);
            count_with(&stream, &episodes, engine, before);
            count_with(&other, &moved, engine, after);
            for (uint64_t k = 0; k < episodes.block.n; k++)
                if (before[k] != after[k])
                    fail_case(&stream, &episodes.block, k, engine->name, c, before[k], after[k]);
        }
    }
}

int main(void)
{
    seed = test_seed("test_engines");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),          cmocka_unit_test(reference_equals_brute_force),
        cmocka_unit_test(engines_equal_reference), cmocka_unit_test(long_streams),
        cmocka_unit_test(counts_are_invariant),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
