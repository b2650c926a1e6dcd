/*
 * Episodes in recordings of 1 to 20 segments: every engine, counting and mining, against the sum
 * over segments of what `reference` counts in each alone; occurrences against both. The slices are
 * made here, from the columns, and `reference` is called without what lies above engines.
 */
#include "base/stage.h"
#include "episode/opened.h"
#include "recording/segments.h"
#include "support/context.h"
#include "support/engines.h"
#include "support/simd.h"
#include "support/streams.h"

enum { MOST_SEGMENTS = 20, MOST_EVENTS = 120, MOST_PAIRS = 6 * 6 * TEST_MAX_DELAYS };

static uint64_t seed;

/* ---- cases ----------------------------------------------------------------------------------- */

typedef struct segmented {
    test_stream stream;
    size_t n;
    spk_segment segment[MOST_SEGMENTS];
    spk_delay delay[TEST_MAX_DELAYS]; /* those of the stream in seconds, of which a tick is one */
} segmented;

/* Near some event, or on it. */
static int64_t draw_border(test_random *random, const test_stream *stream)
{
    int64_t time = 0;
    if (stream->n_events > 0)
        time = stream->time[test_random_below(random, stream->n_events)];
    int64_t step = test_random_chance(random, 0.5) ? 0 : test_random_between(random, -9, 9);
    if (time < INT64_MIN + 10 || time > INT64_MAX - 10)
        return time;
    return time + step;
}

static spk_segment draw_segment(test_random *random, const segmented *c)
{
    int64_t a = draw_border(random, &c->stream), b = draw_border(random, &c->stream);
    if (c->n > 0 && test_random_chance(random, 0.2)) /* touching the one before */
        a = c->segment[c->n - 1].stop;
    if (test_random_chance(random, 0.2)) /* of one tick */
        b = a;
    spk_segment segment = {a < b ? a : b, a < b ? b : a};
    segment.start -= segment.start == INT64_MAX;
    segment.stop += segment.stop <= segment.start;
    return segment;
}

static int compare_segments(const void *a, const void *b)
{
    const spk_segment *x = a, *y = b;
    int order = (x->start > y->start) - (x->start < y->start);
    return order != 0 ? order : (x->stop > y->stop) - (x->stop < y->stop);
}

/* Cuts each where the next one starts; what is left empty goes. */
static void part_segments(segmented *c)
{
    size_t n = 0;
    for (size_t k = 0; k < c->n; k++) {
        spk_segment segment = c->segment[k];
        if (k + 1 < c->n && c->segment[k + 1].start < segment.stop)
            segment.stop = c->segment[k + 1].start;
        if (segment.start < segment.stop)
            c->segment[n++] = segment;
    }
    c->n = n;
}

/* At both ends of int64: segments of that length do not fit one behind the other. */
static bool is_extreme(const test_stream *stream)
{
    for (uint64_t i = 0; i < stream->n_events; i++)
        if (stream->time[i] < INT64_MIN / 2 || stream->time[i] > INT64_MAX / 2)
            return true;
    return false;
}

/* Half of the cases have segments that overlap wherever they happen to. */
static void draw_case(test_random *random, uint64_t most_events, segmented *c)
{
    do
        test_stream_draw(random, most_events, &c->stream);
    while (is_extreme(&c->stream));
    for (size_t d = 0; d < c->stream.n_delays; d++) {
        spk_tick_delay *delay = &c->stream.delay[d];
        delay->lo = delay->lo > INT64_MAX ? 3 : delay->lo;
        delay->hi = delay->hi > INT64_MAX ? UINT64_MAX : delay->hi;
        c->delay[d].lo = (spk_duration){(int64_t)delay->lo, 0, 0};
        c->delay[d].hi = delay->hi == UINT64_MAX ? (spk_duration){1, SPK_DURATION_INFINITE, 0}
                                                 : (spk_duration){(int64_t)delay->hi, 0, 0};
    }
    size_t n = 1 + test_random_below(random, MOST_SEGMENTS);
    for (c->n = 0; c->n < n; c->n++)
        c->segment[c->n] = draw_segment(random, c);
    qsort(c->segment, c->n, sizeof c->segment[0], compare_segments);
    if (test_random_chance(random, 0.5))
        part_segments(c);
}

static spk_recording *make_recording(const segmented *c)
{
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = c->stream.n_events;
    source.time = c->stream.time;
    source.unit = c->stream.unit;
    source.n_units = c->stream.n_units;
    source.rate = (spk_rate){1, 1};
    source.segments = c->segment;
    source.n_segments = c->n;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    return recording;
}

/* ---- what is right --------------------------------------------------------------------------- */

/* The events of one segment. */
static void slice(const segmented *c, size_t k, test_stream *out)
{
    *out = c->stream;
    out->n_events = 0;
    for (uint64_t i = 0; i < c->stream.n_events; i++) {
        if (c->stream.time[i] < c->segment[k].start || c->stream.time[i] >= c->segment[k].stop)
            continue;
        out->time[out->n_events] = c->stream.time[i];
        out->unit[out->n_events++] = c->stream.unit[i];
    }
}

static void count_alone(const test_stream *stream, const spk_episode_block *block, uint64_t *counts)
{
    const spk_episode_engine *reference = test_episode_engine_named("reference")->table;
    spk_recording *recording = test_stream_recording(context, stream);
    spk_episode_job job = {.recording = recording,
                           .delays = stream->delay,
                           .n_delays = stream->n_delays,
                           .threads = 1};
    void *state = NULL;
    assert_int_equal(reference->open(context, &job, &state), SPK_OK);
    assert_int_equal(reference->count(context, state, block, counts), SPK_OK);
    reference->close(state);
    spk_recording_free(recording);
}

static void count_by_segment(const segmented *c, const spk_episode_block *block, bool brute,
                             uint64_t *sum)
{
    static test_stream alone;
    uint64_t counts[MOST_PAIRS];
    assert_true(block->n <= MOST_PAIRS);
    memset(sum, 0, block->n * sizeof *sum);
    for (size_t k = 0; k < c->n; k++) {
        slice(c, k, &alone);
        count_alone(&alone, block, counts);
        for (uint64_t e = 0; e < block->n; e++) {
            const uint64_t at = e * block->size;
            if (brute && alone.n_events <= 16)
                assert_int_equal(counts[e], test_brute_count(&alone, block->size, block->unit + at,
                                                             block->delay + at));
            sum[e] += counts[e];
        }
    }
}

static void fail_case(const segmented *c, uint64_t number, const char *engine)
{
    test_stream_print(&c->stream);
    for (size_t k = 0; k < c->n; k++)
        print_message("segment %lld %lld\n", (long long)c->segment[k].start,
                      (long long)c->segment[k].stop);
    fail_msg("case %llu, %s", (unsigned long long)number, engine);
}

/* ---- counting -------------------------------------------------------------------------------- */

static spk_episode_list *make_list(const segmented *c, const spk_episode_block *block)
{
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    for (uint64_t e = 0; e < block->n; e++) {
        spk_delay delays[SPK_EPISODE_MAX_SIZE];
        for (uint32_t p = 1; p < block->size; p++)
            delays[p - 1] = c->delay[block->delay[e * block->size + p]];
        assert_int_equal(spk_episode_list_append(context, list, block->size,
                                                 block->unit + e * block->size, delays),
                         SPK_OK);
    }
    return list;
}

static void counts_are_sums_over_segments(void **state)
{
    (void)state;
    static segmented c;
    static test_episodes episodes;
    uint64_t expected[MOST_PAIRS], copied = 0;
    for (uint64_t number = 0; number < test_scaled(6000); number++) {
        test_random random = test_random_make(seed, number);
        draw_case(&random, MOST_EVENTS, &c);
        uint32_t size = (uint32_t)(1 + test_random_below(&random, 4));
        test_episodes_draw(&random, &c.stream, size, 1 + test_random_below(&random, 12), &episodes);
        count_by_segment(&c, &episodes.block, size < 4 && number % 4 == 0, expected);
        spk_recording *recording = make_recording(&c);
        spk_episode_list *list = make_list(&c, &episodes.block);
        spk_context_set_threads(context, (int)(1 + number % 2));
        const test_episode_engine *engine;
        for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
            spk_episode_options options;
            spk_episode_options_init(&options, sizeof options);
            options.engine = engine->name;
            test_simd_use(test_random_bits(&random));
            if (spk_episode_count(context, recording, &options, list, NULL) != SPK_OK)
                fail_msg("%s: %s", engine->name, spk_context_message(context));
            test_simd_use_best();
            const uint64_t *counts = spk_episode_list_columns(list).count;
            if (memcmp(counts, expected, episodes.block.n * sizeof *counts) != 0)
                fail_case(&c, number, engine->name);
        }
        copied += c.n > 1;
        spk_episode_list_free(list);
        spk_recording_free(recording);
    }
    assert_true(copied > 0);
}

/* ---- mining ---------------------------------------------------------------------------------- */

/* All episodes of two positions, in the order of engines. */
static uint64_t list_pairs(const test_stream *stream, uint32_t *unit, uint16_t *delay)
{
    uint64_t n = 0;
    for (uint32_t a = 0; a < stream->n_units; a++)
        for (uint16_t d = 0; d < stream->n_delays; d++)
            for (uint32_t b = 0; b < stream->n_units; b++, n++) {
                unit[2 * n] = a;
                unit[2 * n + 1] = b;
                delay[2 * n] = 0;
                delay[2 * n + 1] = d;
            }
    return n;
}

/* Whether the list has exactly the frequent ones, with their counts. */
static bool mined_right(const segmented *c, const spk_episode_list *list, uint64_t support)
{
    uint32_t unit[2 * MOST_PAIRS];
    uint16_t delay[2 * MOST_PAIRS];
    uint64_t pairs[MOST_PAIRS], n_frequent = 0, n_mined = 0;
    spk_episode_block block = {.size = 2, .unit = unit, .delay = delay};
    block.n = list_pairs(&c->stream, unit, delay);
    count_by_segment(c, &block, false, pairs);
    for (uint64_t e = 0; e < block.n; e++)
        n_frequent += pairs[e] >= support;
    spk_episode_columns found = spk_episode_list_columns(list);
    for (uint64_t i = 0; i < found.n; i++) {
        uint64_t count = 0;
        uint32_t size = (uint32_t)(found.offset[i + 1] - found.offset[i]);
        uint16_t own[3] = {0};
        for (uint32_t p = 1; p < size; p++) /* the list has a table of its own */
            for (uint16_t d = 0; d < c->stream.n_delays; d++) {
                const spk_delay *table = &found.delays[found.delay[found.offset[i] + p]];
                if (spk_duration_compare(table->lo, c->delay[d].lo) == 0 &&
                    spk_duration_compare(table->hi, c->delay[d].hi) == 0)
                    own[p] = d;
            }
        spk_episode_block one = {
            .size = size, .n = 1, .unit = found.unit + found.offset[i], .delay = own};
        count_by_segment(c, &one, false, &count);
        if (count != found.count[i] || count < support)
            return false;
        n_mined += size == 2;
    }
    return n_mined == n_frequent;
}

static void mining_finds_what_segments_hold_together(void **state)
{
    (void)state;
    static segmented c;
    for (uint64_t number = 0; number < test_scaled(600); number++) {
        test_random random = test_random_make(seed + 1, number);
        do
            draw_case(&random, 60, &c);
        while (c.stream.n_units > 6);
        /* Intervals that are equal would list every episode twice. */
        c.stream.n_delays =
            c.stream.n_delays < 2 || (c.stream.delay[0].lo == c.stream.delay[1].lo &&
                                      c.stream.delay[0].hi == c.stream.delay[1].hi)
                ? 1
                : 2;
        spk_recording *recording = make_recording(&c);
        spk_episode_options options;
        spk_episode_options_init(&options, sizeof options);
        options.delays = c.delay;
        options.n_delays = c.stream.n_delays;
        options.support = 1 + test_random_below(&random, 5);
        options.max_size = 3;
        const test_episode_engine *engine;
        for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
            spk_episode_list *list = NULL;
            spk_episode_summary summary;
            options.engine = engine->name;
            options.two_pass =
                test_random_chance(&random, 0.5) ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
            assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
            assert_int_equal(spk_episode_mine(context, recording, &options, spk_episode_list_add,
                                              list, &summary),
                             SPK_OK);
            assert_true(summary.complete);
            if (!mined_right(&c, list, options.support))
                fail_case(&c, number, engine->name);
            spk_episode_list_free(list);
        }
        spk_recording_free(recording);
    }
}

/* ---- occurrences ----------------------------------------------------------------------------- */

typedef struct seen {
    const segmented *c;
    const spk_tick_delay *delay;
    size_t segment;
    int64_t last_end;
    uint64_t n[MOST_SEGMENTS];
} seen;

static spk_status see(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    seen *s = user;
    assert_true(segment < s->c->n && segment >= s->segment);
    for (uint32_t p = 0; p < size; p++) {
        assert_true(time[p] >= s->c->segment[segment].start);
        assert_true(time[p] < s->c->segment[segment].stop);
        if (p > 0)
            assert_true(spk_tick_delay_admits(s->delay[p - 1], time[p - 1], time[p]));
    }
    if (s->n[segment] > 0)
        assert_true(time[0] > s->last_end);
    s->segment = segment;
    s->last_end = time[size - 1];
    s->n[segment]++;
    return SPK_OK;
}

static spk_status see_any(void *user, uint32_t size, const int64_t *time)
{
    (void)size;
    (void)time;
    ++*(uint64_t *)user;
    return SPK_OK;
}

static void no_occurrence_crosses_a_border(void **state)
{
    (void)state;
    static segmented c;
    static test_stream alone;
    static test_episodes episodes;
    for (uint64_t number = 0; number < test_scaled(3000); number++) {
        test_random random = test_random_make(seed + 2, number);
        draw_case(&random, MOST_EVENTS, &c);
        spk_recording *recording = make_recording(&c);
        uint32_t size = (uint32_t)(1 + test_random_below(&random, 4));
        test_episodes_draw(&random, &c.stream, size, 1, &episodes);
        spk_delay delays[SPK_EPISODE_MAX_SIZE];
        spk_tick_delay ticks[SPK_EPISODE_MAX_SIZE];
        for (uint32_t p = 1; p < size; p++) {
            delays[p - 1] = c.delay[episodes.delay[p]];
            ticks[p - 1] = c.stream.delay[episodes.delay[p]];
        }
        seen s = {.c = &c, .delay = ticks};
        assert_int_equal(spk_episode_occurrences_in_segments(context, recording, size,
                                                             episodes.unit, delays, see, &s),
                         SPK_OK);
        uint64_t sum = 0, any = 0;
        for (size_t k = 0; k < c.n; k++) {
            uint64_t count = 0;
            slice(&c, k, &alone);
            count_alone(&alone, &episodes.block, &count);
            assert_int_equal(s.n[k], count);
            sum += count;
        }
        assert_int_equal(
            spk_episode_occurrences(context, recording, size, episodes.unit, delays, see_any, &any),
            SPK_OK);
        assert_int_equal(any, sum);
        spk_recording_free(recording);
    }
}

/* ---- shares ---------------------------------------------------------------------------------- */

static void shares_are_of_the_events_of_all_segments(void **state)
{
    (void)state;
    static const int64_t time[] = {0, 1, 2, 3, 50};
    static const uint32_t unit[5] = {0};
    static const spk_segment segments[] = {{0, 4}, {2, 6}};
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 5;
    source.time = time;
    source.unit = unit;
    source.n_units = 1;
    source.rate = (spk_rate){1, 1};
    source.segments = segments;
    source.n_segments = 2;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    assert_int_equal(spk_episode_support(recording, (spk_fraction){5, -1}), 3); /* of 6 */
    spk_recording_free(recording);
}

/* ---- engine time ----------------------------------------------------------------------------- */

static spk_recording *make_long(size_t n, const int64_t *time, const spk_segment *segments,
                                size_t n_segments)
{
    static const uint32_t unit[8] = {0};
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n;
    source.time = time;
    source.unit = unit;
    source.n_units = 1;
    source.rate = (spk_rate){1, 1};
    source.segments = segments;
    source.n_segments = n_segments;
    assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
    return recording;
}

static void segments_that_no_delay_joins_are_not_copied(void **state)
{
    (void)state;
    static const int64_t time[] = {0, 5, 100, 105};
    static const spk_segment segments[] = {{0, 10}, {100, 110}};
    spk_recording *recording = make_long(4, time, segments, 2);
    for (int infinite = 0; infinite < 2; infinite++) {
        spk_tick_delay delay = {0, infinite ? UINT64_MAX : 94};
        episode_layout layout;
        assert_int_equal(episode_layout_make(context, recording, 1, &delay, &layout), SPK_OK);
        assert_ptr_equal(layout.recording, recording);
        assert_int_equal(delay.hi, 5); /* no segment has a longer one */
        episode_layout_free(&layout);
    }
    spk_recording_free(recording);
}

static void segments_too_long_for_64_bit_are_refused(void **state)
{
    (void)state;
    static const int64_t time[] = {INT64_MIN, -1, INT64_MAX - 1};
    static const spk_segment segments[] = {{INT64_MIN, 0}, {-1, INT64_MAX}, {INT64_MIN, 1}};
    spk_recording *recording = make_long(3, time, segments, 3);
    spk_tick_delay delay = {0, UINT64_MAX};
    episode_layout layout;
    assert_int_equal(episode_layout_make(context, recording, 1, &delay, &layout), SPK_ERR_RANGE);
    assert_non_null(strstr(spk_context_message(context), "take shorter delays"));
    delay = (spk_tick_delay){0, 1000}; /* what no delay reaches over takes no room */
    assert_int_equal(episode_layout_make(context, recording, 1, &delay, &layout), SPK_OK);
    assert_int_equal(spk_recording_events(layout.recording).n_events, 6);
    episode_layout_free(&layout);
    spk_recording_free(recording);
}

static uint64_t used_of(spk_context *limited)
{
    return spk_context_memory_limit(limited) - spk_memory_left(limited);
}

/* The copy counts against the limit, and what it took is free again afterwards. */
static void the_copy_counts_against_the_limit(void **state)
{
    (void)state;
    enum { N = 200000 };
    int64_t *time = malloc(N * sizeof *time);
    uint32_t *unit = calloc(N, sizeof *unit);
    assert_true(time != NULL && unit != NULL);
    for (int i = 0; i < N; i++)
        time[i] = i;
    const spk_segment segments[] = {{0, N / 2}, {N / 2, N}};
    spk_context *limited = NULL;
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = N;
    source.time = time;
    source.unit = unit;
    source.n_units = 1;
    source.rate = (spk_rate){1, 1};
    source.segments = segments;
    source.n_segments = 2;
    assert_int_equal(spk_context_create(&limited), SPK_OK);
    spk_context_set_memory_limit(limited, 1000000000);
    assert_int_equal(spk_recording_create(limited, &source, &recording), SPK_OK);
    const uint64_t used = used_of(limited);
    spk_tick_delay delay = {0, 3};
    episode_layout layout;
    spk_context_set_memory_limit(limited, used + 1000000);
    assert_int_equal(episode_layout_make(limited, recording, 1, &delay, &layout), SPK_ERR_MEMORY);
    assert_int_equal(used_of(limited), used);
    spk_context_set_memory_limit(limited, used + 10000000);
    assert_int_equal(episode_layout_make(limited, recording, 1, &delay, &layout), SPK_OK);
    assert_true(used_of(limited) >= used + 16 * (uint64_t)N);
    episode_layout_free(&layout);
    assert_int_equal(used_of(limited), used);
    spk_recording_free(recording);
    spk_context_free(limited);
    free(time);
    free(unit);
}

int main(void)
{
    seed = test_seed("test_segment_counts");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_sums_over_segments),
        cmocka_unit_test(mining_finds_what_segments_hold_together),
        cmocka_unit_test(no_occurrence_crosses_a_border),
        cmocka_unit_test(shares_are_of_the_events_of_all_segments),
        cmocka_unit_test(segments_that_no_delay_joins_are_not_copied),
        cmocka_unit_test(segments_too_long_for_64_bit_are_refused),
        cmocka_unit_test(the_copy_counts_against_the_limit),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
