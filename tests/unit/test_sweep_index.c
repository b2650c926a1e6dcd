/*
 * The sweep engine's index on recordings that several threads build it for: ranks, places and
 * reaches against what they are defined as.
 */
#include "episode/engine/sweep/index.h"
#include "support/context.h"

enum { MOST_EVENTS = 60000, MOST_UNITS = 300, DELAYS = 3 };

static uint64_t seed;

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Times all over the place, in clumps, or nearly all the same. */
static spk_recording *draw_recording(test_random *random)
{
    uint64_t n = 1 + test_random_below(random, MOST_EVENTS);
    uint32_t n_units = 1 + (uint32_t)test_random_below(random, MOST_UNITS);
    uint64_t spread = UINT64_MAX >> test_random_below(random, 64);
    int64_t *time = malloc(n * sizeof *time);
    uint32_t *unit = malloc(n * sizeof *unit);
    assert_true(time != NULL && unit != NULL);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t at = test_random_bits(random) & spread;
        time[k] = (int64_t)(at + (spread == UINT64_MAX ? 0 : (uint64_t)INT64_MIN));
        unit[k] = (uint32_t)test_random_below(random, n_units);
    }
    qsort(time, n, sizeof *time, compare_times);
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, n, time, unit, n_units, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    free(time);
    free(unit);
    return recording;
}

static uint64_t draw_bound(test_random *random, const spk_events *e)
{
    uint64_t span = (uint64_t)e->time[e->n_events - 1] - (uint64_t)e->time[0];
    if (test_random_chance(random, 0.1))
        return UINT64_MAX;
    return span >> test_random_below(random, 64);
}

static uint64_t reach_of(const sweep_index *index, size_t which, uint64_t place)
{
    return index->reach_wide ? ((const uint32_t *)index->reach[which])[place]
                             : ((const uint16_t *)index->reach[which])[place];
}

static void check_index(const sweep_index *index)
{
    const spk_events *e = &index->events;
    uint32_t rank = 0;
    uint64_t widest = 0;
    for (uint64_t i = 0; i < e->n_events; i++) {
        rank += i > 0 && e->time[i] != e->time[i - 1];
        assert_int_equal(index->rank[i], rank);
    }
    assert_int_equal(index->n_ranks, rank + 1);
    for (uint64_t place = 0; place < e->n_events; place++) {
        uint64_t event = e->by_unit[place];
        assert_int_equal(index->unit_rank[place], index->rank[event]);
        for (size_t d = 0; d < 2 * index->n_delays; d++) {
            const spk_tick_delay *delay = &index->delays[d / 2];
            uint64_t bound = d % 2 == 0 ? delay->lo : delay->hi;
            uint16_t which = d % 2 == 0 ? index->lo_reach[d / 2] : index->hi_reach[d / 2];
            uint64_t after = sweep_first_event_after(e, e->time[event], bound);
            uint64_t span = index->rank[after - 1] - index->rank[event];
            assert_true(after == e->n_events ||
                        (uint64_t)e->time[after] - (uint64_t)e->time[event] > bound);
            assert_true((uint64_t)e->time[after - 1] - (uint64_t)e->time[event] <= bound);
            assert_int_equal(reach_of(index, which, place), span);
            widest = span > widest ? span : widest;
        }
    }
    assert_int_equal(index->widest_span, widest);
}

static void threads_build_what_is_defined(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_scaled(40); number++) {
        test_random random = test_random_make(seed, number);
        spk_recording *recording = draw_recording(&random);
        spk_events events = spk_recording_events(recording);
        spk_tick_delay delay[DELAYS];
        for (int d = 0; d < DELAYS; d++) {
            uint64_t a = draw_bound(&random, &events);
            uint64_t b = draw_bound(&random, &events);
            delay[d] = (spk_tick_delay){a < b ? a : b, a < b ? b : a};
        }
        spk_episode_job job = {.recording = recording,
                               .delays = delay,
                               .n_delays = DELAYS,
                               .threads = 1 + (int)test_random_below(&random, 4),
                               .memory = 1 + test_random_below(&random, 1u << 24)};
        sweep_index index;
        assert_int_equal(sweep_index_open(context, &job, &index), SPK_OK);
        check_index(&index);
        sweep_index_close(&index);
        spk_recording_free(recording);
    }
}

int main(void)
{
    seed = test_seed("test_sweep_index");
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_build_what_is_defined)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
