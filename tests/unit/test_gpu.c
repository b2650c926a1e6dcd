/*
 * Mining on GPUs against `sweep` on the CPU: hostile streams, real and generated recordings, any
 * number of GPUs, much and little memory, one pass and two. Without a GPU nothing is tested here,
 * and the program says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/gpus.h"
#include "spikemine/spikemine.h"
#include "support/data.h"
#include "support/engines.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/streams.h"

static spk_context *context;
static uint64_t seed;
static int n_gpus;

/* ---- results to compare ---------------------------------------------------------------------- */

typedef struct mined {
    uint64_t n;
    uint64_t digest; /* of everything, in order */
    uint64_t n_levels;
} mined;

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

static spk_status digest_level(void *user, const spk_episode_level *level,
                               const spk_episode_columns *episodes)
{
    mined *m = user;
    m->n += episodes->n;
    m->n_levels++;
    m->digest = mix(m->digest, level->size);
    m->digest = mix(m->digest, level->frequent);
    m->digest = mix(m->digest, level->size > 1 ? level->candidates : 0);
    for (uint64_t k = 0; k < episodes->n; k++) {
        m->digest = mix(m->digest, episodes->count[k]);
        for (uint64_t p = episodes->offset[k]; p < episodes->offset[k + 1]; p++)
            m->digest = mix(m->digest, (uint64_t)episodes->unit[p] << 16 | episodes->delay[p]);
    }
    return SPK_OK;
}

static mined mine(const spk_recording *recording, const spk_episode_options *options,
                  uint64_t memory)
{
    mined m = {.n = 0};
    spk_context_set_memory_limit(context, memory);
    spk_status status = spk_episode_mine(context, recording, options, digest_level, &m, NULL);
    spk_context_set_memory_limit(context, 0);
    if (status != SPK_OK)
        print_message("%s: %s\n", options->engine, spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    return m;
}

/* All GPU engines (`only`: that one) in a random setting against the expected. */
static void check_engines(const spk_recording *recording, spk_episode_options options,
                          const char *only, test_random *random, const mined *expected,
                          const char *what)
{
    for (size_t e = 0; spk_episode_engines[e] != NULL; e++) {
        const spk_episode_engine *engine = spk_episode_engines[e];
        if (!engine->on_gpu || (only != NULL && strcmp(only, engine->name) != 0))
            continue;
        options.engine = engine->name;
        options.gpus = (int)(1 + test_random_below(random, (uint64_t)n_gpus));
        options.two_pass = (spk_two_pass)test_random_below(random, 3);
        options.compaction = (spk_compaction)test_random_below(random, 3);
        uint64_t memory = test_random_chance(random, 0.5) ? 0 : 1u << 24;
        mined got = mine(recording, &options, memory);
        if (got.digest != expected->digest || got.n != expected->n) {
            print_message("%s: %s, %d GPUs, two passes %d, compaction %d, memory %llu, threshold "
                          "%llu: %llu episodes, expected %llu\n",
                          what, engine->name, options.gpus, options.two_pass, options.compaction,
                          (unsigned long long)memory, (unsigned long long)options.threshold,
                          (unsigned long long)got.n, (unsigned long long)expected->n);
            fail();
        }
    }
}

/* ---- hostile streams ------------------------------------------------------------------------- */

/* The intervals of a stream as durations of whole seconds (1 tick). */
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

static void hostile_streams(void **state)
{
    (void)state;
    static test_stream stream;
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, c % 8 == 0 ? TEST_MAX_EVENTS : 60, &stream);
        spk_delay delays[TEST_MAX_DELAYS];
        delays_of(&stream, delays);
        spk_recording *recording = test_stream_recording(context, &stream);
        spk_episode_options options;
        spk_episode_options_init(&options);
        options.delays = delays;
        options.n_delays = stream.n_delays;
        options.threshold = 1 + stream.n_events / 30 + test_random_below(&random, 6);
        options.max_size = (uint32_t)(1 + test_random_below(&random, 5));
        options.engine = "sweep";
        mined expected = mine(recording, &options, 0);
        char what[32];
        snprintf(what, sizeof what, "case %llu", (unsigned long long)c);
        /* The papers' strategies take long over many candidates. */
        check_engines(recording, options, expected.n > 3000 ? "cuda-sweep" : NULL, &random,
                      &expected, what);
        spk_recording_free(recording);
    }
}

/* ---- long lists ------------------------------------------------------------------------------ */

/* Few units with many events each, so that their lists are cut into pieces. Kind 0: events on every
 * tick, where greedy counts that start at different events never meet; 1: bursts; 2: chance. */
static spk_recording *long_recording(test_random *random, uint64_t kind)
{
    enum { LONGEST = 60000 };
    static int64_t time[LONGEST];
    static uint32_t unit[LONGEST];
    uint64_t n = LONGEST / 2 + test_random_below(random, LONGEST / 2);
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
    assert_int_equal(spk_recording_create(context, n, time, unit, n_units, NULL, (spk_rate){1, 1},
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
        spk_episode_options_init(&options);
        options.delays = delays;
        options.n_delays = 1 + test_random_below(&random, 2);
        options.threshold = 1000 + test_random_below(&random, 4000);
        options.max_size = 3;
        options.engine = "sweep";
        mined expected = mine(recording, &options, 0);
        char what[32];
        snprintf(what, sizeof what, "long list %llu", (unsigned long long)c);
        check_engines(recording, options, c < 6 ? NULL : "cuda-sweep", &random, &expected, what);
        spk_recording_free(recording);
    }
}

/* ---- recordings ------------------------------------------------------------------------------ */

static spk_delay delay(const char *text)
{
    spk_delay out;
    assert_int_equal(spk_delay_parse(context, text, &out), SPK_OK);
    return out;
}

static void check_recording(const char *path, const char *const *intervals, size_t n_intervals,
                            uint64_t threshold, const char *only)
{
    spk_read_options read;
    spk_recording *recording = NULL;
    spk_delay delays[TEST_MAX_DELAYS];
    spk_episode_options options;
    spk_read_options_init(&read);
    spk_episode_options_init(&options);
    assert_int_equal(spk_recording_read_text(context, path, &read, &recording), SPK_OK);
    for (size_t d = 0; d < n_intervals; d++)
        delays[d] = delay(intervals[d]);
    options.delays = delays;
    options.n_delays = n_intervals;
    options.threshold = threshold;
    options.engine = "sweep";
    mined expected = mine(recording, &options, 0);
    test_random random = test_random_make(seed + 1, threshold);
    for (int round = 0; round < 3; round++)
        check_engines(recording, options, only, &random, &expected, path);
    spk_recording_free(recording);
}

static void recordings(void **state)
{
    (void)state;
    static const char *const three[] = {"0:5ms", "5ms:10ms", "10ms:15ms"};
    static const char *const one[] = {"5ms:10ms"};
    static const char *const wide[] = {"0:10ms", "10ms:2s", "0:inf"};
    if (test_scaled(1000) < 10) {
        print_message("recordings are left out: a sanitizer would take too long\n");
        return;
    }
    const char *culture = test_external("wagenaar/2-1-20.spk.txt");
    check_recording(test_bundled("movement_PGHF.spikes.txt"), three, 3, 60, "cuda-sweep");
    check_recording(test_bundled("movement_PGHF.spikes.txt"), one, 1, 60, NULL);
    check_recording(test_bundled("movement_PGHF.spikes.txt"), wide, 3, 400, "cuda-sweep");
    if (culture != NULL) {
        check_recording(culture, one, 1, 173, "cuda-sweep");
        check_recording(culture, one, 1, 800, NULL);
        check_recording(culture, three, 3, 173, "cuda-sweep");
    }
}

int main(void)
{
    char reason[160];
    seed = test_seed("test_gpu");
    if (!spk_gpus_available(reason, sizeof reason)) {
        print_message("nothing tested: %s\n", reason);
        return 0;
    }
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    if (spk_gpus_resolve(context, SPK_GPUS_ALL, &n_gpus) != SPK_OK)
        return 1;
    print_message("%d GPU(s)\n", n_gpus);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_streams),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(recordings),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    spk_context_free(context);
    return failed;
}
