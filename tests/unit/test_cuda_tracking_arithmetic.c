/*
 * Local tracking and scheduling on the CPU, with the arithmetic that the kernels of cuda-tracking
 * use: ranges of seeds, compactions that keep order and one that loses it, against `reference` on
 * hostile recordings.
 */
#include "episode/engine/cuda/papers/tracking/arithmetic.h"
#include "episode/engine/engine.h"
#include "support/context.h"
#include "support/streams.h"

enum { MOST_TRACKS = TEST_MAX_EVENTS * TEST_MAX_EVENTS };

static uint64_t seed;

typedef struct tracks {
    uint64_t n;
    track track[MOST_TRACKS];
} tracks;

typedef struct setting {
    const test_stream *stream;
    spk_events events;
    int64_t place_time[TEST_MAX_EVENTS];
} setting;

static tracking_range earlier(const setting *s, uint32_t unit, uint32_t delay, track t)
{
    spk_tick_delay bounds = s->stream->delay[delay];
    return tracking_earlier(s->place_time, s->events.unit_first[unit],
                            s->events.unit_first[unit + 1], s->place_time[track_place(t)],
                            bounds.lo, bounds.hi);
}

static int compare_tracks(const void *a, const void *b)
{
    track x = *(const track *)a;
    track y = *(const track *)b;
    return x < y ? -1 : x > y;
}

/* As the compaction by atomics: any order, then a sort. */
static void shuffle_and_sort(test_random *random, tracks *t)
{
    for (uint64_t k = t->n; k > 1; k--) {
        uint64_t other = test_random_below(random, k);
        track held = t->track[k - 1];
        t->track[k - 1] = t->track[other];
        t->track[other] = held;
    }
    qsort(t->track, t->n, sizeof t->track[0], compare_tracks);
}

static void step_back(const setting *s, uint32_t unit, uint32_t delay, bool atomic,
                      test_random *random, tracks *t)
{
    static tracks next;
    uint64_t to_before = 0;
    next.n = 0;
    for (uint64_t k = 0; k < t->n; k++) {
        bool same = k > 0 && track_seed(t->track[k - 1]) == track_seed(t->track[k]);
        tracking_range range = earlier(s, unit, delay, t->track[k]);
        tracking_range found = tracking_new(range, same, to_before);
        to_before = range.to;
        assert_true(found.from <= found.to);
        for (uint64_t place = found.from; place < found.to; place++) {
            assert_true(next.n < MOST_TRACKS); /* at most one for each seed and event */
            next.track[next.n++] = track_make(track_seed(t->track[k]), (uint32_t)place);
        }
    }
    *t = next;
    if (atomic)
        shuffle_and_sort(random, t);
    for (uint64_t k = 1; k < t->n; k++)
        assert_true(t->track[k - 1] < t->track[k]);
}

/* Seeds [first, first + n) of an episode, numbered from 0. */
static void track_range(const setting *s, const uint32_t *unit, const uint16_t *delay,
                        uint32_t size, uint64_t first, uint64_t n, bool atomic, test_random *random,
                        tracking_schedule *schedule)
{
    static tracks t;
    uint64_t first_place = s->events.unit_first[unit[size - 1]];
    t.n = n;
    for (uint64_t k = 0; k < n; k++)
        t.track[k] = track_make((uint32_t)k, (uint32_t)(first_place + first + k));
    for (uint32_t p = size - 1; p > 0; p--)
        step_back(s, unit[p - 1], delay[p], atomic, random, &t);
    for (uint64_t k = 0; k < t.n; k++) {
        if (k + 1 < t.n && track_seed(t.track[k + 1]) == track_seed(t.track[k]))
            continue; /* starts earlier */
        tracking_take(schedule, s->place_time[track_place(t.track[k])],
                      s->place_time[first_place + first + track_seed(t.track[k])]);
    }
}

static uint64_t count(const setting *s, const uint32_t *unit, const uint16_t *delay, uint32_t size,
                      bool atomic, test_random *random)
{
    tracking_schedule schedule = {0, 0};
    uint64_t n_seeds =
        s->events.unit_first[unit[size - 1] + 1] - s->events.unit_first[unit[size - 1]];
    for (uint64_t first = 0; first < n_seeds;) {
        uint64_t n = 1 + test_random_below(random, n_seeds - first);
        track_range(s, unit, delay, size, first, n, atomic, random, &schedule);
        first += n;
    }
    return schedule.count;
}

static void counts_equal_reference(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    static setting s;
    const spk_episode_engine *reference = &spk_episode_engine_reference;
    uint64_t expected[TEST_MAX_EPISODES];
    for (uint64_t c = 0; c < test_scaled(4000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, c % 16 == 0 ? TEST_MAX_EVENTS : 80, &stream);
        uint32_t size = 1 + (uint32_t)test_random_below(&random, c % 32 == 0 ? 10 : 5);
        test_episodes_draw(&random, &stream, size, 1 + test_random_below(&random, 8), &episodes);
        spk_recording *recording = test_stream_recording(context, &stream);
        spk_episode_job job = {.recording = recording,
                               .delays = stream.delay,
                               .n_delays = stream.n_delays,
                               .threads = 1};
        void *engine = NULL;
        assert_int_equal(reference->open(context, &job, &engine), SPK_OK);
        assert_int_equal(reference->count(context, engine, &episodes.block, expected), SPK_OK);
        reference->close(engine);
        s = (setting){.stream = &stream, .events = spk_recording_events(recording)};
        for (uint64_t p = 0; p < s.events.n_events; p++)
            s.place_time[p] = s.events.time[s.events.by_unit[p]];
        for (uint64_t k = 0; k < episodes.block.n; k++) {
            uint64_t got = count(&s, episodes.unit + k * size, episodes.delay + k * size, size,
                                 c % 2 == 0, &random);
            if (got != expected[k]) {
                test_stream_print(&stream);
                print_message("case %llu, episode %llu: %llu, expected %llu\n",
                              (unsigned long long)c, (unsigned long long)k, (unsigned long long)got,
                              (unsigned long long)expected[k]);
                fail();
            }
        }
        spk_recording_free(recording);
    }
}

int main(void)
{
    seed = test_seed("test_cuda_tracking_arithmetic");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_equal_reference),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
