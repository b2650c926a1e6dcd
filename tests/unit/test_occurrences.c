/*
 * Occurrences: as many as the count says, each valid by definition, none overlapping the next, and
 * each the one that starts latest among those with its end.
 */
#include "support/context.h"
#include "support/streams.h"

typedef struct checker {
    const test_stream *stream;
    const uint32_t *unit;
    const spk_tick_delay *delay; /* between positions p and p + 1 */
    uint64_t n;
    int64_t last_end;
} checker;

static bool fires(const test_stream *stream, uint32_t unit, int64_t time)
{
    for (uint64_t i = 0; i < stream->n_events; i++)
        if (stream->unit[i] == unit && stream->time[i] == time)
            return true;
    return false;
}

/* Latest start of an occurrence of positions p .. size - 1 backwards from `time` at position p. */
static bool latest_start(const checker *c, uint32_t p, int64_t time, int64_t *best)
{
    if (p == 0) {
        *best = time;
        return true;
    }
    bool any = false;
    for (uint64_t i = 0; i < c->stream->n_events; i++) {
        int64_t start = 0;
        if (c->stream->unit[i] == c->unit[p - 1] &&
            spk_tick_delay_admits(c->delay[p - 1], c->stream->time[i], time) &&
            latest_start(c, p - 1, c->stream->time[i], &start)) {
            *best = any && *best > start ? *best : start;
            any = true;
        }
    }
    return any;
}

static spk_status check_occurrence(void *user, uint32_t size, const int64_t *time)
{
    checker *c = user;
    for (uint32_t p = 0; p < size; p++) {
        assert_true(fires(c->stream, c->unit[p], time[p]));
        if (p > 0)
            assert_true(spk_tick_delay_admits(c->delay[p - 1], time[p - 1], time[p]));
    }
    if (c->n > 0)
        assert_true(time[0] > c->last_end);
    int64_t best = 0;
    assert_true(latest_start(c, size - 1, time[size - 1], &best));
    assert_true(best == time[0]);
    c->last_end = time[size - 1];
    c->n++;
    return SPK_OK;
}

static void occurrences_are_those_counted(void **state)
{
    (void)state;
    uint64_t seed = test_seed("test_occurrences");
    static test_stream stream;
    static test_episodes episodes;
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, 30, &stream);
        for (size_t d = 0; d < stream.n_delays; d++) {
            stream.delay[d].lo = stream.delay[d].lo > INT64_MAX ? 3 : stream.delay[d].lo;
            stream.delay[d].hi = stream.delay[d].hi > INT64_MAX ? UINT64_MAX : stream.delay[d].hi;
        }
        spk_recording *recording = test_stream_recording(context, &stream);
        uint32_t size = (uint32_t)(1 + test_random_below(&random, 4));
        test_episodes_draw(&random, &stream, size, 1, &episodes);
        spk_delay delays[SPK_EPISODE_MAX_SIZE];
        spk_tick_delay ticks[SPK_EPISODE_MAX_SIZE];
        for (uint32_t p = 1; p < size; p++) {
            ticks[p - 1] = stream.delay[episodes.delay[p]];
            delays[p - 1].lo = (spk_duration){(int64_t)ticks[p - 1].lo, 0};
            delays[p - 1].hi = ticks[p - 1].hi == UINT64_MAX
                                   ? (spk_duration){1, SPK_DURATION_INFINITE}
                                   : (spk_duration){(int64_t)ticks[p - 1].hi, 0};
        }
        checker checked = {.stream = &stream, .unit = episodes.unit, .delay = ticks};
        assert_int_equal(spk_episode_occurrences(context, recording, size, episodes.unit, delays,
                                                 check_occurrence, &checked),
                         SPK_OK);
        assert_int_equal(checked.n, test_brute_count(&stream, size, episodes.unit, episodes.delay));
        spk_recording_free(recording);
    }
}

static spk_status stop_at_once(void *user, uint32_t size, const int64_t *time)
{
    (void)size;
    (void)time;
    (*(int *)user)++;
    return SPK_ERR_CANCELLED;
}

static void a_sink_can_stop(void **state)
{
    (void)state;
    const int64_t time[] = {1, 2, 3, 4};
    const uint32_t unit[] = {0, 0, 0, 0};
    spk_recording *recording = NULL;
    int calls = 0;
    assert_int_equal(test_recording_create(context, 4, time, unit, 1, NULL, (spk_rate){1, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    assert_int_equal(
        spk_episode_occurrences(context, recording, 1, unit, NULL, stop_at_once, &calls),
        SPK_ERR_CANCELLED);
    assert_int_equal(calls, 1);
    const uint32_t unknown = 7;
    assert_int_equal(
        spk_episode_occurrences(context, recording, 1, &unknown, NULL, stop_at_once, &calls),
        SPK_ERR_ARGUMENT);
    spk_recording_free(recording);
}

/* A list takes occurrences in the order in which they come, and refuses those of another size. */
static void a_list_keeps_all(void **state)
{
    (void)state;
    const int64_t time[] = {1, 2, 5, 6, 11, 12};
    const uint32_t unit[] = {0, 1, 0, 1, 0, 1};
    const spk_segment segments[] = {{0, 8}, {10, 20}};
    const uint32_t units[] = {0, 1};
    const spk_delay delay = {{0, 0}, {1, 0}};
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_occurrence_list *list = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 6;
    source.time = time;
    source.unit = unit;
    source.n_units = 2;
    source.rate = (spk_rate){1, 1};
    source.segments = segments;
    source.n_segments = 2;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_occurrence_list_create(context, &list), SPK_OK);
    assert_int_equal(spk_occurrence_list_columns(list).n, 0);
    assert_int_equal(spk_episode_occurrences_in_segments(context, recording, 2, units, &delay,
                                                         spk_occurrence_list_add, list),
                     SPK_OK);
    const spk_occurrence_columns found = spk_occurrence_list_columns(list);
    assert_int_equal(found.n, 3);
    assert_int_equal(found.size, 2);
    assert_memory_equal(found.time, time, sizeof time);
    assert_int_equal(found.segment[1], 0);
    assert_int_equal(found.segment[2], 1);
    assert_int_equal(spk_occurrence_list_add(list, 0, 3, time), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_occurrence_list_columns(list).n, 3);
    spk_occurrence_list_free(list);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occurrences_are_those_counted),
        cmocka_unit_test(a_sink_can_stop),
        cmocka_unit_test(a_list_keeps_all),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
