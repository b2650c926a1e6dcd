/*
 * The sweep engine's ways through a recording, each on the same small streams against `reference`,
 * with prefix counts known and not: tables of all of it, windows of any length down to a single
 * event, unit by unit, and without tables. Then which way is chosen when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "episode/engine/sweep/scan.h"
#include "episode/engine/sweep/windows.h"
#include "support/random.h"
#include "support/recordings.h"
#include "support/scale.h"
#include "support/streams.h"

enum { MOST_THREADS = 4 };

static spk_context *context;
static uint64_t seed;

static void count_by_reference(const spk_episode_job *job, const spk_episode_block *block,
                               uint64_t *counts)
{
    const spk_episode_engine *reference = &spk_episode_engine_reference;
    void *state = NULL;
    assert_int_equal(reference->open(context, job, &state), SPK_OK);
    assert_int_equal(reference->count(context, state, block, counts), SPK_OK);
    reference->close(state);
}

/* The prefixes of a block's episodes and their counts, as a search knows them. */
typedef struct prefixes {
    uint32_t unit[TEST_MAX_EPISODES * SPK_EPISODE_MAX_SIZE];
    uint16_t delay[TEST_MAX_EPISODES * SPK_EPISODE_MAX_SIZE];
    uint32_t number[TEST_MAX_EPISODES];
    uint64_t count[TEST_MAX_EPISODES];
} prefixes;

static void find_prefixes(const spk_episode_job *job, spk_episode_block *block, prefixes *p)
{
    uint32_t size = block->size - 1;
    for (uint64_t k = 0; k < block->n; k++) {
        memcpy(p->unit + k * size, block->unit + k * block->size, size * sizeof p->unit[0]);
        memcpy(p->delay + k * size, block->delay + k * block->size, size * sizeof p->delay[0]);
        p->number[k] = (uint32_t)k;
    }
    spk_episode_block prefix = {.size = size, .n = block->n, .unit = p->unit, .delay = p->delay};
    count_by_reference(job, &prefix, p->count);
    block->prefix = p->number;
    block->prefix_count = p->count;
}

/* What one case is counted with. */
typedef enum way_kind { RESIDENT, BY_WINDOWS, BY_UNITS, BY_SCAN, N_WAYS } way_kind;
static const char *const way_name[N_WAYS] = {"resident", "windows", "units", "scan"};

typedef struct way {
    way_kind kind;
    uint64_t stretch; /* events of a window, or ends of a scan */
    uint64_t memory;
    int threads;
} way;

static void count_this_way(const spk_episode_job *job, const spk_episode_block *block, way how,
                           uint64_t *counts)
{
    sweep_index index;
    sweep_table table;
    sweep_groups groups = {.n = 0};
    assert_int_equal(sweep_index_open(context, job, &index), SPK_OK);
    assert_int_equal(sweep_table_open(context, &index, &table), SPK_OK);
    assert_int_equal(sweep_groups_find(context, block, &groups), SPK_OK);
    bool *needed = calloc(table.n_strips, sizeof *needed);
    assert_non_null(needed);
    sweep_group_set all = {groups.n, NULL};
    sweep_groups_mark(&index, block, &groups, &all, needed);
    sweep_worker worker = {&table, how.memory, how.threads};
    sweep_shared shared = {.watch = context,
                           .index = &index,
                           .block = block,
                           .kernels = sweep_kernels_choose(),
                           .wide = (block->size - 1) * index.widest_span + 1 > UINT16_MAX,
                           .active = needed};
    spk_status status = SPK_OK;
    switch (how.kind) {
    case RESIDENT:
        status = sweep_table_cover(context, &index, 0, index.events.n_events, shared.wide, needed,
                                   how.threads, &table);
        assert_int_equal(status, SPK_OK);
        status = sweep_count_resident(&shared, &worker, &groups, &all, counts);
        break;
    case BY_WINDOWS:
        status =
            sweep_count_windows(&shared, &worker, (sweep_windows){how.stretch}, &groups, counts);
        break;
    case BY_UNITS:
        status = sweep_count_units(&shared, &worker, &groups, counts);
        break;
    default:
        status = sweep_count_scan(&shared, how.threads, how.stretch, &groups, counts);
    }
    assert_int_equal(status, SPK_OK);
    free(needed);
    free(groups.first);
    sweep_table_close(&table);
    sweep_index_close(&index);
}

static void compare(const test_stream *stream, const spk_episode_block *block, way how, uint64_t c,
                    const uint64_t *expected, const uint64_t *got)
{
    for (uint64_t k = 0; k < block->n; k++) {
        /* Below a threshold counting may stop early. */
        if (expected[k] >= block->threshold ? got[k] == expected[k] : got[k] < block->threshold)
            continue;
        test_stream_print(stream);
        for (uint32_t p = 0; p < block->size; p++)
            print_message("unit %u by delay %u\n", block->unit[k * block->size + p],
                          block->delay[k * block->size + p]);
        print_message("case %llu, %s, stretches of %llu, memory %llu, %d threads, threshold %llu: "
                      "expected %llu, got %llu\n",
                      (unsigned long long)c, way_name[how.kind], (unsigned long long)how.stretch,
                      (unsigned long long)how.memory, how.threads,
                      (unsigned long long)block->threshold, (unsigned long long)expected[k],
                      (unsigned long long)got[k]);
        fail();
    }
}

static way draw_way(test_random *random, uint64_t n_events)
{
    way how = {.kind = (way_kind)test_random_below(random, N_WAYS),
               .threads = 1 + (int)test_random_below(random, MOST_THREADS)};
    how.stretch = 1 + test_random_below(random, test_random_chance(random, 0.3) ? 4 : n_events + 2);
    how.memory = (uint64_t)1 << (8 + test_random_below(random, 16)); /* batches of any size */
    return how;
}

static void every_way_equals_reference(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    static prefixes known;
    uint64_t expected[TEST_MAX_EPISODES];
    uint64_t got[TEST_MAX_EPISODES];
    for (uint64_t c = 0; c < test_scaled(6000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, c % 8 == 0 ? TEST_MAX_EVENTS : 100, &stream);
        uint32_t size = (uint32_t)(2 + test_random_below(&random, c % 16 == 0 ? 12 : 5));
        test_episodes_draw(&random, &stream, size, 1 + test_random_below(&random, 40), &episodes);
        spk_recording *recording = test_stream_recording(context, &stream);
        uint64_t n_events = spk_recording_events(recording).n_events;
        spk_episode_block block = episodes.block;
        way how = draw_way(&random, n_events);
        spk_episode_job job = {.recording = recording,
                               .delays = stream.delay,
                               .n_delays = stream.n_delays,
                               .threads = how.threads,
                               .memory = c % 3 == 0}; /* 1 byte: no words of all ranks */
        if (n_events > 0 && block.n > 0) {
            count_by_reference(&job, &block, expected);
            block.threshold = test_random_below(&random, 6);
            if (test_random_chance(&random, 0.5))
                find_prefixes(&job, &block, &known);
            count_this_way(&job, &block, how, got);
            compare(&stream, &block, how, c, expected, got);
        }
        spk_recording_free(recording);
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Windows are for many events and few units, and never larger than the memory. */
static void the_plan_fits(void **state)
{
    (void)state;
    static const spk_tick_delay delay = {0, 5};
    static const spk_tick_delay endless = {0, UINT64_MAX};
    enum { N = 50000, UNITS = 40 };
    int64_t *time = malloc(N * sizeof *time);
    uint32_t *unit = malloc(N * sizeof *unit);
    uint32_t pair[2 * UNITS];
    static const uint16_t by[2 * UNITS];
    assert_true(time != NULL && unit != NULL);
    for (uint32_t k = 0; k < N; k++) {
        time[k] = k;
        unit[k] = k % UNITS;
    }
    for (uint32_t u = 0; u < UNITS; u++) {
        pair[2 * u] = u;
        pair[2 * u + 1] = 0;
    }
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, N, time, unit, UNITS, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_episode_block block = {.size = 2, .n = UNITS, .unit = pair, .delay = by};
    for (int infinite = 0; infinite < 2; infinite++) {
        spk_episode_job job = {.recording = recording,
                               .delays = infinite ? &endless : &delay,
                               .n_delays = 1,
                               .threads = 1};
        sweep_index index;
        sweep_groups groups = {.n = 0};
        assert_int_equal(sweep_index_open(context, &job, &index), SPK_OK);
        assert_int_equal(sweep_groups_find(context, &block, &groups), SPK_OK);
        sweep_shared shared = {.index = &index, .block = &block};
        for (uint64_t memory = 1u << 16; memory <= 1u << 26; memory *= 2) {
            sweep_worker worker = {NULL, memory, 1};
            sweep_windows windows = sweep_windows_plan(&shared, &worker, &groups, 1);
            uint64_t rows = memory / 2 / sweep_windows_event_bytes(&shared, 1);
            assert_true(windows.events + UNITS <= rows || windows.events == 0);
            if (infinite) /* every occurrence may reach through the whole recording */
                assert_true(windows.events == 0 || windows.events > N);
            else
                assert_int_equal(windows.events > 0, rows >= 1024 + UNITS);
        }
        free(groups.first);
        sweep_index_close(&index);
    }
    spk_recording_free(recording);
    free(time);
    free(unit);
}

/* Many units of which few fire within an interval are scanned; a dense recording is not. */
static void scanning_is_for_sparse_recordings(void **state)
{
    (void)state;
    enum { N = 40000 };
    static const uint16_t by[2 * N];
    int64_t *time = malloc(N * sizeof *time);
    uint32_t *unit = malloc(N * sizeof *unit);
    uint32_t *pair = malloc(2 * (size_t)N * sizeof *pair);
    assert_true(time != NULL && unit != NULL && pair != NULL);
    for (int dense = 0; dense < 2; dense++) {
        uint32_t n_units = dense ? 20 : 1000;
        for (uint32_t k = 0; k < N; k++) {
            time[k] = k;
            unit[k] = k * 7 % n_units;
        }
        spk_recording *recording = NULL;
        assert_int_equal(test_recording_create(context, N, time, unit, n_units, NULL,
                                               (spk_rate){1, 1}, NULL, NULL, &recording),
                         SPK_OK);
        uint64_t n = 0;
        for (uint32_t a = 0; a < n_units; a++) {
            for (uint32_t b = a % 50; b < n_units && n < N; b += 50) {
                pair[2 * n] = a;
                pair[2 * n++ + 1] = b;
            }
        }
        spk_tick_delay delay = {0, dense ? 1000 : 8};
        spk_episode_job job = {
            .recording = recording, .delays = &delay, .n_delays = 1, .threads = 2};
        spk_episode_block block = {.size = 2, .n = n, .unit = pair, .delay = by};
        sweep_index index;
        sweep_groups groups = {.n = 0};
        assert_int_equal(sweep_index_open(context, &job, &index), SPK_OK);
        assert_int_equal(sweep_groups_find(context, &block, &groups), SPK_OK);
        sweep_shared shared = {.index = &index, .block = &block};
        assert_int_equal(sweep_scan_pays(&shared, &groups, (uint64_t)N * index.n_tiles), !dense);
        assert_false(sweep_scan_pays(&shared, &groups, 0)); /* tables that are there */
        free(groups.first);
        sweep_index_close(&index);
        spk_recording_free(recording);
    }
    free(time);
    free(unit);
    free(pair);
}

int main(void)
{
    seed = test_seed("test_sweep_ways");
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_equals_reference),
        cmocka_unit_test(the_plan_fits),
        cmocka_unit_test(scanning_is_for_sparse_recordings),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    spk_context_free(context);
    return failed;
}
