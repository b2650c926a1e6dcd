/*
 * The sweep engine's strategies, each on the same small recordings against `reference`, with prefix
 * counts known and not, with windows and stretches of any length down to a single event. Then which
 * strategy the plan chooses when.
 */
#include "episode/engine/sweep/plan.h"
#include "episode/engine/sweep/strategy.h"
#include "support/context.h"
#include "support/streams.h"

enum { MOST_THREADS = 4 };

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
typedef struct setting {
    sweep_strategy strategy;
    uint64_t stretch; /* events of a window, or ends of a scan */
    uint64_t memory;
    int threads;
} setting;

static void count_by_strategy(const spk_episode_job *job, const spk_episode_block *block,
                              setting how, uint64_t *counts)
{
    sweep_index index;
    sweep_table table;
    sweep_plan plan;
    assert_int_equal(sweep_index_open(context, job, &index), SPK_OK);
    assert_int_equal(sweep_table_open(context, &index, &table), SPK_OK);
    sweep_resources resources = {&table, how.memory, how.threads};
    assert_int_equal(sweep_plan_open(context, &index, resources, block, &plan), SPK_OK);
    plan.strategy = how.strategy;
    plan.stretch = how.stretch;
    assert_int_equal(sweep_plan_run(&plan, counts), SPK_OK);
    sweep_plan_close(&plan);
    sweep_table_close(&table);
    sweep_index_close(&index);
}

static void compare(const test_stream *stream, const spk_episode_block *block, setting how,
                    uint64_t c, const uint64_t *expected, const uint64_t *got)
{
    for (uint64_t k = 0; k < block->n; k++) {
        /* Below a support counting may stop early. */
        if (expected[k] >= block->support ? got[k] == expected[k] : got[k] < block->support)
            continue;
        test_stream_print(stream);
        for (uint32_t p = 0; p < block->size; p++)
            print_message("unit %u by delay %u\n", block->unit[k * block->size + p],
                          block->delay[k * block->size + p]);
        print_message("case %llu, %s, stretches of %llu, memory %llu, %d threads, support %llu: "
                      "expected %llu, got %llu\n",
                      (unsigned long long)c, sweep_strategies[how.strategy].name,
                      (unsigned long long)how.stretch, (unsigned long long)how.memory, how.threads,
                      (unsigned long long)block->support, (unsigned long long)expected[k],
                      (unsigned long long)got[k]);
        fail();
    }
}

static setting draw_setting(test_random *random, uint64_t n_events)
{
    setting how = {.strategy = (sweep_strategy)test_random_below(random, SWEEP_N_STRATEGIES),
                   .threads = 1 + (int)test_random_below(random, MOST_THREADS)};
    how.stretch = 1 + test_random_below(random, test_random_chance(random, 0.3) ? 4 : n_events + 2);
    how.memory = (uint64_t)1 << (8 + test_random_below(random, 16)); /* batches of any size */
    return how;
}

static void every_strategy_equals_reference(void **state)
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
        setting how = draw_setting(&random, n_events);
        spk_episode_job job = {.recording = recording,
                               .delays = stream.delay,
                               .n_delays = stream.n_delays,
                               .threads = how.threads,
                               .memory = c % 3 == 0}; /* 1 byte: no words of all ranks */
        if (n_events > 0 && block.n > 0) {
            count_by_reference(&job, &block, expected);
            block.support = test_random_below(&random, 6);
            if (test_random_chance(&random, 0.5))
                find_prefixes(&job, &block, &known);
            count_by_strategy(&job, &block, how, got);
            compare(&stream, &block, how, c, expected, got);
        }
        spk_recording_free(recording);
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

static void every_strategy_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int k = 0; k < SWEEP_N_STRATEGIES; k++) {
        assert_non_null(sweep_strategies[k].count);
        for (int j = 0; j < k; j++)
            assert_string_not_equal(sweep_strategies[j].name, sweep_strategies[k].name);
    }
}

/* A recording in which one unit after the other fires, an event a tick, and pairs of its units. */
enum { N_EVENTS = 50000, MOST_PAIRS = 50000 };
typedef struct setup {
    spk_recording *recording;
    spk_episode_block block;
    int64_t time[N_EVENTS];
    uint32_t unit[N_EVENTS];
    uint32_t pair[2 * MOST_PAIRS];
    uint16_t delay[2 * MOST_PAIRS];
} setup;

/* Each unit is followed by every partner-th unit, in turn. */
static setup *setup_make(uint32_t n_units, uint32_t partner)
{
    setup *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint32_t k = 0; k < N_EVENTS; k++) {
        s->time[k] = k;
        s->unit[k] = k * 7 % n_units;
    }
    assert_int_equal(test_recording_create(context, N_EVENTS, s->time, s->unit, n_units, NULL,
                                           (spk_rate){1, 1}, NULL, NULL, &s->recording),
                     SPK_OK);
    uint64_t n = 0;
    for (uint32_t a = 0; a < n_units; a++) {
        for (uint32_t b = a % partner; b < n_units && n < MOST_PAIRS; b += partner) {
            s->pair[2 * n] = a;
            s->pair[2 * n++ + 1] = b;
        }
    }
    s->block = (spk_episode_block){.size = 2, .n = n, .unit = s->pair, .delay = s->delay};
    return s;
}

static void setup_free(setup *s)
{
    spk_recording_free(s->recording);
    free(s);
}

/* What the plan chooses, and what it depends on. */
typedef struct chosen {
    sweep_strategy strategy;
    uint64_t stretch;
    uint64_t window_rows; /* that half of the memory holds */
    bool all_fit;
    int threads;
} chosen;

/* `warm`: the tables of all strips are there already. */
static chosen choose(const setup *s, spk_tick_delay delay, uint64_t memory, bool warm)
{
    spk_episode_job job = {
        .recording = s->recording, .delays = &delay, .n_delays = 1, .threads = 2};
    sweep_index index;
    sweep_table table;
    sweep_plan plan;
    assert_int_equal(sweep_index_open(context, &job, &index), SPK_OK);
    assert_int_equal(sweep_table_open(context, &index, &table), SPK_OK);
    sweep_resources resources = {&table, memory, 2};
    assert_int_equal(sweep_plan_open(context, &index, resources, &s->block, &plan), SPK_OK);
    if (warm)
        assert_int_equal(sweep_table_cover(context, &index, 0, N_EVENTS, plan.shared.wide,
                                           plan.needed, 2, &table),
                         SPK_OK);
    sweep_plan_choose(&plan);
    chosen out = {.strategy = plan.strategy,
                  .stretch = plan.stretch,
                  .window_rows =
                      memory / 2 / sweep_windows_event_bytes(&plan.shared, plan.n_needed),
                  .all_fit = plan.n_needed * sweep_table_strip_bytes(N_EVENTS, plan.shared.wide) <=
                             memory / 2,
                  .threads = plan.resources.threads};
    sweep_plan_close(&plan);
    sweep_table_close(&table);
    sweep_index_close(&index);
    return out;
}

/* Dense recordings are counted with tables: of all units where they fit the memory, else
 * windows that fit, else unit by unit. */
static void tables_are_for_dense_recordings(void **state)
{
    (void)state;
    enum { UNITS = 40 };
    setup *s = setup_make(UNITS, 1);
    bool seen[SWEEP_N_STRATEGIES] = {false};
    for (uint64_t memory = 1u << 16; memory <= 1u << 26; memory *= 2) {
        chosen c = choose(s, (spk_tick_delay){0, 100}, memory, false);
        seen[c.strategy] = true;
        if (c.all_fit)
            assert_int_equal(c.strategy, SWEEP_RESIDENT);
        else if (c.window_rows >= 1024 + UNITS)
            assert_int_equal(c.strategy, SWEEP_WINDOWS);
        else
            assert_int_equal(c.strategy, SWEEP_UNITS);
        if (c.strategy == SWEEP_WINDOWS)
            assert_true(c.stretch > 0 && c.stretch + UNITS <= c.window_rows);
    }
    assert_true(seen[SWEEP_RESIDENT] && seen[SWEEP_WINDOWS] && seen[SWEEP_UNITS]);
    setup_free(s);
}

/* Where every occurrence may reach through the whole recording no window holds it. */
static void endless_intervals_have_no_windows(void **state)
{
    (void)state;
    setup *s = setup_make(40, 1);
    for (uint64_t memory = 1u << 16; memory <= 1u << 26; memory *= 2) {
        chosen c = choose(s, (spk_tick_delay){0, UINT64_MAX}, memory, false);
        assert_int_equal(c.strategy, c.all_fit ? SWEEP_RESIDENT : SWEEP_UNITS);
    }
    setup_free(s);
}

/* With one last unit for all prefixes a single walk through the recording does, and windows do not
 * pay; with many they do. */
static void windows_are_for_many_last_units(void **state)
{
    (void)state;
    enum { UNITS = 40 };
    setup *s = setup_make(UNITS, 1);
    s->block.n = UNITS; /* all of them continue unit 0 */
    chosen c = choose(s, (spk_tick_delay){0, 2000}, 1u << 23, false);
    assert_false(c.all_fit);
    assert_true(c.stretch > 0 && c.stretch + UNITS <= c.window_rows);
    assert_int_equal(c.strategy, SWEEP_UNITS);
    s->block.n = (uint64_t)UNITS * UNITS;
    assert_int_equal(choose(s, (spk_tick_delay){0, 2000}, 1u << 23, false).strategy, SWEEP_WINDOWS);
    setup_free(s);
}

/* What takes microseconds wakes no other thread. */
static void small_blocks_have_one_thread(void **state)
{
    (void)state;
    setup *s = setup_make(1000, 50);
    assert_int_equal(choose(s, (spk_tick_delay){0, 8}, 1u << 20, false).threads, 2);
    s->block.n = 5;
    assert_int_equal(choose(s, (spk_tick_delay){0, 8}, 1u << 20, false).threads, 1);
    setup_free(s);
}

/* Many units of which few fire within an interval are scanned, unless the tables are there. */
static void scans_are_for_sparse_recordings(void **state)
{
    (void)state;
    const uint64_t much = (uint64_t)1 << 30;
    setup *sparse = setup_make(1000, 50);
    setup *dense = setup_make(20, 1);
    chosen c = choose(sparse, (spk_tick_delay){0, 8}, much, false);
    assert_int_equal(c.strategy, SWEEP_SCAN);
    assert_true(c.stretch > 0);
    assert_int_equal(choose(sparse, (spk_tick_delay){0, 8}, 1u << 20, false).strategy, SWEEP_SCAN);
    assert_int_equal(choose(sparse, (spk_tick_delay){0, 8}, much, true).strategy, SWEEP_RESIDENT);
    assert_int_equal(choose(dense, (spk_tick_delay){0, 1000}, much, false).strategy,
                     SWEEP_RESIDENT);
    setup_free(sparse);
    setup_free(dense);
}

int main(void)
{
    seed = test_seed("test_sweep_plan");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_equals_reference),
        cmocka_unit_test(every_strategy_has_a_name_of_its_own),
        cmocka_unit_test(tables_are_for_dense_recordings),
        cmocka_unit_test(endless_intervals_have_no_windows),
        cmocka_unit_test(windows_are_for_many_last_units),
        cmocka_unit_test(small_blocks_have_one_thread),
        cmocka_unit_test(scans_are_for_sparse_recordings),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
