/*
 * What a GPU thread of the papers' strategies does, on the CPU: Algorithm 1 with rings, PreElim,
 * and MTPE's tuples, concatenation and walk, against `reference` on hostile recordings.
 * test_gpu_machines_32.c builds the same with ticks of 32 bits.
 */
#include "episode/engine/cuda/papers/host_ticks.h"
#include "episode/engine/engine.h"
#include "support/context.h"
#include "support/streams.h"

enum { MOST_SEGMENTS = 32, MOST_CAPACITY = 512, WIDE = sizeof(Tick) == sizeof(uint64_t) };

static uint64_t seed;

/* ---- a recording in ticks -------------------------------------------------------------------- */

typedef struct drawn {
    test_stream stream;
    test_episodes episodes;
    uint64_t exact[TEST_MAX_EPISODES];
    uint64_t bound[TEST_MAX_EPISODES];
    uint32_t n_events;
    struct machine_event event[TEST_MAX_EVENTS];
} drawn;

static void run_reference(const spk_recording *recording, drawn *d)
{
    const spk_episode_engine *reference = &spk_episode_engine_reference;
    void *state = NULL;
    spk_episode_job job = {.recording = recording,
                           .delays = d->stream.delay,
                           .n_delays = d->stream.n_delays,
                           .threads = 1};
    assert_int_equal(reference->open(context, &job, &state), SPK_OK);
    assert_int_equal(reference->count(context, state, &d->episodes.block, d->exact), SPK_OK);
    assert_int_equal(reference->bound(context, state, &d->episodes.block, d->bound), SPK_OK);
    reference->close(state);
}

/* False when the recording is too long for a tick. */
static bool draw(uint64_t number, uint32_t least_size, drawn *d)
{
    test_random random = test_random_make(seed, number);
    test_stream_draw(&random, number % 8 == 0 ? TEST_MAX_EVENTS : 80, &d->stream);
    uint32_t most = number % 16 == 0 ? 12 : 5;
    uint32_t size = least_size + (uint32_t)test_random_below(&random, most - least_size + 1);
    test_episodes_draw(&random, &d->stream, size, 1 + test_random_below(&random, 12), &d->episodes);
    spk_recording *recording = test_stream_recording(context, &d->stream);
    spk_events events = spk_recording_events(recording);
    d->n_events = (uint32_t)events.n_events;
    uint64_t base = d->n_events > 0 ? (uint64_t)events.time[0] : 0;
    uint64_t length = d->n_events > 0 ? (uint64_t)events.time[d->n_events - 1] - base : 0;
    bool fits = WIDE || !host_ticks_wide(length);
    if (fits) {
        host_write_events(&events, base, WIDE, 0, d->n_events, d->event);
        run_reference(recording, d);
    }
    spk_recording_free(recording);
    return fits;
}

/* ---- a machine ------------------------------------------------------------------------------- */

typedef struct bench {
    struct machine machine;
    Tick lo[SPK_EPISODE_MAX_SIZE];
    Tick hi[SPK_EPISODE_MAX_SIZE];
    Tick stamp[SPK_EPISODE_MAX_SIZE * MOST_CAPACITY];
    uint32_t head[SPK_EPISODE_MAX_SIZE];
    uint32_t tail[SPK_EPISODE_MAX_SIZE];
} bench;

static void set_episode(const drawn *d, uint64_t k, uint32_t capacity, bench *b)
{
    uint32_t size = d->episodes.block.size;
    for (uint32_t p = 0; p < size; p++) {
        uint16_t delay = d->episodes.delay[k * size + p];
        host_write_bounds(d->stream.delay, false, WIDE, delay, 1, &b->lo[p]);
        host_write_bounds(d->stream.delay, true, WIDE, delay, 1, &b->hi[p]);
    }
    b->machine = (struct machine){.size = size,
                                  .capacity = capacity,
                                  .unit = d->episodes.unit + k * size,
                                  .lo = b->lo,
                                  .hi = b->hi,
                                  .stamp = b->stamp,
                                  .head = b->head,
                                  .tail = b->tail};
    machine_clear(&b->machine, 0);
}

static uint64_t count_events(const drawn *d, bench *b)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < d->n_events; i++) {
        machine_step step = machine_feed(&b->machine, d->event[i].time, d->event[i].unit);
        if (step == MACHINE_OVERFLOW)
            return MACHINE_UNKNOWN;
        count += step == MACHINE_COUNTED;
    }
    return count;
}

static void check_count(const drawn *d, uint64_t k, uint64_t number, uint64_t expected,
                        uint64_t got)
{
    if (expected == got)
        return;
    uint32_t size = d->episodes.block.size;
    test_stream_print(&d->stream);
    for (uint32_t p = 0; p < size; p++)
        print_message("unit %u by delay %u\n", d->episodes.unit[k * size + p],
                      d->episodes.delay[k * size + p]);
    print_message("case %llu: expected %llu, got %llu\n", (unsigned long long)number,
                  (unsigned long long)expected, (unsigned long long)got);
    fail();
}

/* Rings of any capacity either give the count or say that they overflowed; as many stamps as there
 * are events never overflow. */
static void rings_equal_reference(void **state)
{
    (void)state;
    static drawn d;
    static bench b;
    uint64_t overflows = 0;
    uint64_t short_counts = 0;
    for (uint64_t c = 0; c < test_scaled(4000); c++) {
        if (!draw(c, 1, &d))
            continue;
        for (uint64_t k = 0; k < d.episodes.block.n; k++) {
            for (uint32_t capacity = 1; capacity <= MOST_CAPACITY; capacity *= 4) {
                set_episode(&d, k, capacity, &b);
                uint64_t got = count_events(&d, &b);
                overflows += got == MACHINE_UNKNOWN;
                short_counts += got != MACHINE_UNKNOWN && capacity <= 4;
                if (got != MACHINE_UNKNOWN)
                    check_count(&d, k, c, d.exact[k], got);
            }
            set_episode(&d, k, MOST_CAPACITY, &b);
            check_count(&d, k, c, d.exact[k], count_events(&d, &b));
        }
    }
    assert_true(overflows > 0 && short_counts > 0);
}

static void relaxed_equals_reference(void **state)
{
    (void)state;
    static drawn d;
    static bench b;
    for (uint64_t c = 0; c < test_scaled(4000); c++) {
        if (!draw(c, 1, &d))
            continue;
        for (uint64_t k = 0; k < d.episodes.block.n; k++) {
            Tick newest[SPK_EPISODE_MAX_SIZE];
            set_episode(&d, k, 1, &b);
            struct machine_relaxed m = {
                .size = b.machine.size, .unit = b.machine.unit, .hi = b.hi, .newest = newest};
            for (uint32_t i = 0; i < d.n_events; i++)
                machine_relaxed_feed(&m, d.event[i].time, d.event[i].unit);
            check_count(&d, k, c, d.bound[k], m.count);
        }
    }
}

/* ---- segments -------------------------------------------------------------------------------- */

typedef struct cut {
    struct machine_segments segments;
    uint32_t first[MOST_SEGMENTS + 1];
    Tick border[MOST_SEGMENTS + 1];
    struct machine_tuple tuple[MOST_SEGMENTS * SPK_EPISODE_MAX_SIZE];
    struct machine_tuple joined[MOST_SEGMENTS * SPK_EPISODE_MAX_SIZE];
} cut;

/* What test and kernel share is machine.h; how many machines found no partner. */
typedef struct tally {
    uint64_t walks, runs, unknown, borders;
} tally;

static void run_machines(bench *b, cut *s)
{
    uint32_t size = b->machine.size;
    for (uint32_t g = 0; g < s->segments.n; g++) {
        for (uint32_t k = 0; k < size; k++) {
            machine_clear(&b->machine, 0);
            machine_run(&b->machine, &s->segments, g, machine_start(&s->segments, b->hi, g, k),
                        machine_span(b->hi, size), &s->tuple[g * size + k]);
        }
    }
}

static uint64_t concatenate(const bench *b, cut *s)
{
    uint32_t size = b->machine.size;
    memcpy(s->joined, s->tuple, sizeof s->tuple);
    for (uint32_t step = 1; step < s->segments.n; step *= 2)
        for (uint32_t g = 0; g + step < s->segments.n; g += 2 * step)
            for (uint32_t k = 0; k < size; k++)
                machine_concatenate(&s->joined[g * size + k], &s->joined[(g + step) * size], size,
                                    1);
    return s->joined[0].count;
}

static void check_episode(const drawn *d, uint64_t k, uint64_t number, test_random *random,
                          bench *b, cut *s, tally *t)
{
    static const uint32_t capacities[] = {2, 8, MOST_CAPACITY};
    set_episode(d, k, capacities[test_random_below(random, 3)], b);
    run_machines(b, s);
    uint64_t joined = concatenate(b, s);
    if (joined != MACHINE_UNKNOWN)
        check_count(d, k, number, d->exact[k], joined);
    t->unknown += joined == MACHINE_UNKNOWN;
    uint32_t runs = 0;
    Tick span = machine_span(b->hi, b->machine.size);
    b->machine.capacity = MOST_CAPACITY;
    check_count(d, k, number, d->exact[k],
                machine_walk(&b->machine, &s->segments, s->tuple, 1, span, &runs));
    t->runs += runs;
    t->walks++;
    t->borders += s->segments.n - 1;
}

/* Tuples of machines with rings of any capacity, joined or walked, give the count. */
static void segments_equal_reference(void **state)
{
    (void)state;
    static drawn d;
    static bench b;
    static cut s;
    tally t = {.walks = 0};
    for (uint64_t c = 0; c < test_scaled(6000); c++) {
        if (!draw(c, 2, &d) || d.n_events == 0)
            continue;
        test_random random = test_random_make(seed + 1, c);
        uint32_t n = (uint32_t)1 << test_random_below(&random, 6);
        s.segments = (struct machine_segments){
            .n = n, .n_events = d.n_events, .event = d.event, .first = s.first, .border = s.border};
        for (uint32_t g = 0; g <= n; g++)
            machine_cut(d.event, d.n_events, n, g, &s.first[g], &s.border[g]);
        for (uint64_t k = 0; k < d.episodes.block.n; k++)
            check_episode(&d, k, c, &random, &b, &s, &t);
    }
    print_message("%llu episodes over %llu borders: %llu not joined, %llu segments run again\n",
                  (unsigned long long)t.walks, (unsigned long long)t.borders,
                  (unsigned long long)t.unknown, (unsigned long long)t.runs);
    assert_true(t.unknown > 0 && t.unknown < t.walks && t.runs > 0);
}

/* ---- docs/explanation/segment-borders.md
 * ----------------------------------------------------------------------------- */

typedef struct example {
    uint32_t n_events;
    uint32_t before; /* events before the border */
    struct machine_event event[8];
    uint32_t unit[2];
    Tick lo, hi;
} example;

static void run_example(const example *x, cut *s, bench *b, uint64_t *whole)
{
    Tick last = x->event[x->n_events - 1].time;
    s->first[0] = 0;
    s->first[1] = x->before;
    s->first[2] = x->n_events;
    s->border[1] = x->event[x->before - 1].time;
    s->border[2] = last;
    s->segments = (struct machine_segments){
        .n = 2, .n_events = x->n_events, .event = x->event, .first = s->first, .border = s->border};
    b->lo[1] = x->lo;
    b->hi[1] = x->hi;
    b->machine = (struct machine){.size = 2,
                                  .capacity = 8,
                                  .unit = x->unit,
                                  .lo = b->lo,
                                  .hi = b->hi,
                                  .stamp = b->stamp,
                                  .head = b->head,
                                  .tail = b->tail};
    run_machines(b, s);
    uint32_t runs = 0;
    *whole = machine_walk(&b->machine, &s->segments, s->tuple, 1, x->hi, &runs);
}

/* No machine of the second segment ends where the first one's does. */
static void a_partner_may_be_missing(void **state)
{
    (void)state;
    static const example x = {.n_events = 4,
                              .before = 3,
                              .event = {{0, 0}, {2, 0}, {3, 0}, {4, 0}},
                              .unit = {0, 0},
                              .lo = 0,
                              .hi = 2};
    static cut s;
    static bench b;
    uint64_t count = 0;
    run_example(&x, &s, &b, &count);
    assert_int_equal(s.tuple[0].b, 4);
    assert_int_equal(s.tuple[2].a, 0);
    assert_int_equal(s.tuple[3].a, 0);
    assert_int_equal(concatenate(&b, &s), MACHINE_UNKNOWN);
    assert_int_equal(count, 2);
}

/* An occurrence that ends exactly at border + span belongs to the zone. */
static void the_zone_is_closed(void **state)
{
    (void)state;
    static const example x = {.n_events = 3,
                              .before = 1,
                              .event = {{0, 0}, {1, 0}, {2, 1}},
                              .unit = {0, 1},
                              .lo = 1,
                              .hi = 2};
    static cut s;
    static bench b;
    uint64_t count = 0;
    run_example(&x, &s, &b, &count);
    assert_int_equal(s.tuple[0].b, 2);
    assert_int_equal(s.tuple[2].a, 0); /* would be its partner if 2 were outside */
    assert_int_equal(s.tuple[2].count, 0);
    assert_int_equal(s.tuple[3].a, 2);
    assert_int_equal(concatenate(&b, &s), 1);
    assert_int_equal(count, 1);
}

/* ---- what hosts write ------------------------------------------------------------------------ */

/* Both widths, in pieces of any length. */
static void events_keep_time_and_unit(void **state)
{
    (void)state;
    enum { N = 5 };
    static const int64_t far[N] = {INT64_MIN, INT64_MIN + 1, -1, INT64_MAX - 1, INT64_MAX};
    static const int64_t near[N] = {-7, -7, 0, (int64_t)UINT32_MAX - 9, (int64_t)UINT32_MAX - 8};
    static const uint32_t unit[N] = {0, 3, UINT32_MAX, 1, 0};
    struct machine_event_32 narrow[N];
    struct machine_event_64 wide[N];
    assert_true(host_ticks_wide((uint64_t)far[N - 1] - (uint64_t)far[0]));
    assert_false(host_ticks_wide((uint64_t)near[N - 1] - (uint64_t)near[0]));
    assert_true(host_ticks_wide(UINT32_MAX)); /* stands for bounds that a tick cannot hold */
    for (uint64_t piece = 1; piece <= N; piece++) {
        for (uint64_t first = 0; first < N; first += piece) {
            uint64_t n = N - first < piece ? N - first : piece;
            spk_events events = {.n_events = N, .unit = unit, .time = far};
            host_write_events(&events, (uint64_t)far[0], true, first, n, wide + first);
            events.time = near;
            host_write_events(&events, (uint64_t)near[0], false, first, n, narrow + first);
        }
        for (uint64_t i = 0; i < N; i++) {
            assert_true((int64_t)(wide[i].time + (uint64_t)far[0]) == far[i]);
            assert_true((int64_t)narrow[i].time + near[0] == near[i]);
            assert_true(wide[i].unit == unit[i] && narrow[i].unit == unit[i]);
        }
    }
}

static void bounds_are_kept_or_become_the_largest_tick(void **state)
{
    (void)state;
    static const spk_tick_delay delay[] = {{0, 1},
                                           {UINT32_MAX - 1, UINT32_MAX},
                                           {(uint64_t)UINT32_MAX + 1, UINT64_MAX},
                                           {7, 1u << 31}};
    enum { N = sizeof delay / sizeof delay[0] };
    for (int upper = 0; upper < 2; upper++) {
        uint32_t narrow[N];
        uint64_t wide[N];
        host_write_bounds(delay, upper, false, 0, N, narrow);
        host_write_bounds(delay, upper, true, 0, 1, wide);
        host_write_bounds(delay, upper, true, 1, N - 1, wide + 1);
        for (size_t d = 0; d < N; d++) {
            uint64_t bound = upper ? delay[d].hi : delay[d].lo;
            assert_true(wide[d] == bound);
            assert_true(narrow[d] == (bound > UINT32_MAX ? UINT32_MAX : bound));
        }
    }
}

int main(void)
{
    seed = test_seed(sizeof(Tick) == 8 ? "test_gpu_machines" : "test_gpu_machines_32");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_equal_reference),
        cmocka_unit_test(relaxed_equals_reference),
        cmocka_unit_test(segments_equal_reference),
        cmocka_unit_test(a_partner_may_be_missing),
        cmocka_unit_test(the_zone_is_closed),
        cmocka_unit_test(events_keep_time_and_unit),
        cmocka_unit_test(bounds_are_kept_or_become_the_largest_tick),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
