/*
 * Partitions of live streams: each one equals mining its slice of the recorded stream, whatever the
 * chunks, borders and silences; what falls behind is skipped and told, never anything else.
 */
#include <time.h>

#include "support/flow.h"
#include "support/test.h"

enum { MOST_PARTITIONS = 5000 };

static uint64_t seed;

/* ---- what is expected ------------------------------------------------------------------------ */

typedef struct expected_partition {
    uint64_t series;
    int64_t number;
    int64_t start, stop;
    uint64_t n_events;
    bool cut;
    uint64_t first, last; /* spikes of its series */
} expected_partition;

typedef struct expectation {
    uint64_t n;
    expected_partition partition[MOST_PARTITIONS];
    uint64_t passed;
} expectation;

/* The first tick at or behind number * step (+ length), found by counting up from below. */
static int64_t first_tick_at(const test_flow *f, int64_t number, bool stop)
{
    __int128 up = (__int128)number * f->step.up * f->length.down +
                  (stop ? (__int128)f->length.up * f->step.down : 0);
    __int128 down = (__int128)f->step.down * f->length.down;
    up *= f->rate.numerator;
    down *= f->rate.denominator;
    int64_t tick = (int64_t)(up / down) - 2;
    while (tick * down < up)
        tick++;
    return tick;
}

static uint64_t count_between(const test_flow *f, uint64_t first, uint64_t last, int64_t a,
                              int64_t b)
{
    uint64_t n = 0;
    for (uint64_t i = first; i < last; i++)
        n += f->time[i] >= a && f->time[i] < b;
    return n;
}

/* Partitions of the spikes first .. last - 1, one series. */
static void expect_series(const test_flow *f, uint64_t first, uint64_t last, uint64_t series,
                          expectation *out)
{
    int64_t number = 0, observed = f->time[last - 1];
    bool silent = false;
    if (f->bounded)
        observed = f->bounds[test_flow_segment(f, last - 1)].stop;
    while (first_tick_at(f, number, false) > f->time[first])
        number--;
    while (first_tick_at(f, number + 1, false) <= f->time[first])
        number++;
    for (;; number++) {
        expected_partition p = {.series = series,
                                .number = number,
                                .start = first_tick_at(f, number, false),
                                .stop = first_tick_at(f, number, true),
                                .first = first,
                                .last = last};
        p.n_events = count_between(f, first, last, p.start, p.stop);
        p.cut = p.stop > observed;
        if (p.cut && p.n_events == 0)
            return;
        if (p.n_events > 0 || !silent) {
            assert_true(out->n < MOST_PARTITIONS);
            out->partition[out->n++] = p;
        } else {
            out->passed++;
        }
        silent = p.n_events == 0;
        if (p.cut)
            return;
    }
}

static void expect(const test_flow *f, expectation *out)
{
    uint64_t first = 0, series = 0;
    out->n = out->passed = 0;
    for (uint64_t i = 1; i <= f->n; i++)
        if (i == f->n || test_flow_goes_back(f, i)) {
            expect_series(f, first, i, series++, out);
            first = i;
        }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void check_columns(const spk_episode_columns *a, const spk_episode_columns *b)
{
    assert_int_equal(a->n, b->n);
    for (uint64_t i = 0; i < a->n; i++) {
        uint64_t size = a->offset[i + 1] - a->offset[i];
        assert_int_equal(b->offset[i + 1] - b->offset[i], size);
        assert_int_equal(a->count[i], b->count[i]);
        assert_memory_equal(a->unit + a->offset[i], b->unit + b->offset[i], size * sizeof *a->unit);
        assert_memory_equal(a->delay + a->offset[i], b->delay + b->offset[i],
                            size * sizeof *a->delay);
    }
}

static void check_segments(const spk_recording *a, const spk_recording *b)
{
    size_t n_a, n_b;
    const spk_segment *of_a = spk_recording_segments(a, &n_a);
    const spk_segment *of_b = spk_recording_segments(b, &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(of_a, of_b, n_a * sizeof *of_a);
}

/* The result against mining the slice of the recording. */
static void check_slice(const test_flow *f, const spk_recording *recording,
                        const spk_partition_result *result)
{
    spk_recording *slice = NULL;
    spk_episode_list *list = NULL;
    spk_episode_options options = test_flow_episodes(f);
    test_flow_check(spk_recording_slice(test_flow_context, recording, &result->slice.start,
                                        &result->slice.stop, 0, NULL, &slice));
    test_flow_check(spk_episode_list_create(test_flow_context, &list));
    test_flow_check(
        spk_episode_support_parse(test_flow_context, slice, f->support, &options.support));
    test_flow_check(
        spk_episode_mine(test_flow_context, slice, &options, spk_episode_list_add, list, NULL));
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(result->n_events, spk_recording_events(slice).n_events);
    assert_int_equal(result->support, options.support);
    assert_false(result->support_raised);
    check_columns(result->episodes, &columns);
    spk_events a = spk_recording_events(result->recording), b = spk_recording_events(slice);
    assert_int_equal(a.n_events, b.n_events);
    assert_memory_equal(a.time, b.time, a.n_events * sizeof *a.time);
    assert_memory_equal(a.unit, b.unit, a.n_events * sizeof *a.unit);
    assert_true(spk_recording_validate(result->recording, &(const char *){NULL}));
    if (f->bounded && a.n_events > 0)
        check_segments(result->recording, slice);
    spk_episode_list_free(list);
    spk_recording_free(slice);
}

/* Texts and counts of a result, for the oracle of trends. */
typedef struct listing {
    uint64_t n;
    char (*text)[256];
    uint64_t *count;
} listing;

static listing list_episodes(const spk_partition_result *result, const spk_episode_columns *e)
{
    listing out = {.n = e->n};
    out.text = calloc(e->n + 1, sizeof *out.text);
    out.count = calloc(e->n + 1, sizeof *out.count);
    assert_true(out.text != NULL && out.count != NULL);
    for (uint64_t i = 0; i < e->n; i++) {
        spk_episode_format(result->recording, e, i, out.text[i], sizeof out.text[i]);
        out.count[i] = e->count[i];
    }
    return out;
}

static void listing_free(listing *l)
{
    free(l->text);
    free(l->count);
    *l = (listing){.n = 0};
}

/* Both lists have about the same order, so that the search begins behind what was found last. */
static uint64_t find_text(const listing *l, const char *text, uint64_t *last)
{
    for (uint64_t k = 0; k < l->n; k++) {
        const uint64_t i = (*last + 1 + k) % l->n;
        if (strcmp(l->text[i], text) == 0)
            return *last = i;
    }
    return UINT64_MAX;
}

/* Whether one count is beyond what chance makes of the other. */
static bool is_beyond(uint64_t more, uint64_t less)
{
    return more > less && (more - less) * (more - less) > 4 * (more + less);
}

/* `before` becomes the list of this result. */
static void check_trends(listing *before, const spk_partition_result *result)
{
    uint64_t last = 0;
    listing now = list_episodes(result, result->episodes);
    listing gone = list_episodes(result, result->vanished);
    for (uint64_t i = 0; i < now.n; i++) {
        uint64_t k = find_text(before, now.text[i], &last);
        uint64_t count = k == UINT64_MAX ? 0 : before->count[k];
        assert_int_equal(result->before[i], count);
        assert_int_equal(result->trend[i], k == UINT64_MAX                  ? SPK_TREND_NEW
                                           : is_beyond(now.count[i], count) ? SPK_TREND_GROWING
                                           : is_beyond(count, now.count[i]) ? SPK_TREND_SHRINKING
                                                                            : SPK_TREND_STEADY);
    }
    uint64_t n_gone = 0;
    last = 0;
    for (uint64_t k = 0; k < before->n; k++)
        if (find_text(&now, before->text[k], &last) == UINT64_MAX) {
            assert_true(n_gone < gone.n);
            assert_string_equal(gone.text[n_gone], before->text[k]);
            assert_int_equal(gone.count[n_gone++], before->count[k]);
        }
    assert_int_equal(gone.n, n_gone);
    listing_free(&gone);
    listing_free(before);
    *before = now;
}

/* What was taken so far, against what is expected. */
typedef struct progress {
    const test_flow *flow;
    const expectation *expected;
    uint64_t n;
    uint64_t n_skipped;
    listing before;
    int64_t before_number;
} progress;

static void check_result(progress *p, const spk_partition_result *result)
{
    assert_true(p->n < p->expected->n);
    const expected_partition *e = &p->expected->partition[p->n];
    assert_int_equal(result->number, e->number);
    assert_int_equal(result->series, e->series);
    assert_int_equal(result->slice.start, e->start);
    assert_int_equal(result->slice.stop, e->stop);
    assert_int_equal(result->n_events, e->n_events);
    if (result->state == SPK_PARTITION_SKIPPED) {
        assert_int_equal(result->skipped, ++p->n_skipped);
        assert_null(result->episodes);
        assert_true(result->why[0] != '\0');
    } else {
        assert_int_equal(result->state == SPK_PARTITION_CUT, e->cut);
        assert_int_equal(result->has_before, p->before.text != NULL);
        if (result->has_before)
            assert_int_equal(result->before_number, p->before_number);
        spk_recording *recording = test_flow_record(p->flow, e->first, e->last);
        check_slice(p->flow, recording, result);
        spk_recording_free(recording);
        check_trends(&p->before, result);
        p->before_number = result->number;
        assert_string_equal(result->tested, "not asked for");
        assert_true(result->p == NULL && result->expected == NULL);
    }
    p->n++;
}

static void take_all(progress *p, spk_partitions *partitions, int timeout_ms)
{
    const spk_partition_result *result = NULL;
    do {
        test_flow_check(spk_partitions_take(test_flow_context, partitions, timeout_ms, &result));
        if (result != NULL)
            check_result(p, result);
    } while (result != NULL);
}

/* ---- random streams -------------------------------------------------------------------------- */

static test_fraction draw_fraction(test_random *random, int64_t most)
{
    static const int64_t down[] = {1, 1, 2, 3, 7, 10};
    return (test_fraction){test_random_between(random, 1, most),
                           down[test_random_below(random, 6)]};
}

/* Bounds that hold each segment's spikes; segments overlap only where times go back. */
static void draw_bounds(test_random *random, int64_t tick, test_flow *f)
{
    for (uint64_t k = 0; k <= f->n_borders; k++) {
        uint64_t first = k > 0 ? f->border[k - 1] : 0;
        uint64_t end = k < f->n_borders ? f->border[k] : f->n;
        spk_segment *s = &f->bounds[k];
        *s = (spk_segment){f->time[first] - test_random_between(random, 0, 9) * tick,
                           f->time[end - 1] + 1 + test_random_between(random, 0, 60) * tick};
        if (k > 0 && f->time[first] >= s[-1].stop && s->start < s[-1].stop)
            s->start = s[-1].stop;
        if (end < f->n && f->time[end] > f->time[end - 1] && s->stop > f->time[end])
            s->stop = f->time[end];
    }
}

static void draw_flow(test_random *random, test_flow *f)
{
    static const spk_rate rates[] = {{10, 1}, {3, 1}, {30, 1}, {44, 7}, {1, 1}, {1000000000, 1}};
    static const char *const supports[] = {"1", "2", "3", "10%", "25%", "0.5%"};
    *f = (test_flow){.n = 1 + test_random_below(random, TEST_FLOW_SPIKES),
                     .n_units = 1 + (uint32_t)test_random_below(random, TEST_FLOW_UNITS),
                     .rate = rates[test_random_below(random, 6)],
                     .support = supports[test_random_below(random, 6)]};
    int64_t tick = (int64_t)(f->rate.numerator / f->rate.denominator / 10) + 1;
    int64_t time = test_random_between(random, -50, 50) * tick;
    int64_t gap = test_random_between(random, 1, 5);
    for (uint64_t i = 0; i < f->n;) {
        if (i > 0 && f->n_borders < TEST_FLOW_BORDERS && test_random_chance(random, 0.01)) {
            f->border[f->n_borders++] = i;
            if (test_random_chance(random, 0.5))
                time -= test_random_between(random, 0, 40) * tick;
        }
        time += test_random_between(random, 0, gap) * tick;
        if (test_random_chance(random, 0.01))
            time += test_random_between(random, 0, 2000) * tick;
        f->time[i] = time;
        f->unit[i] = (uint32_t)test_random_below(random, f->n_units);
        bool again = false; /* a unit twice at one time */
        for (uint64_t k = i; k-- > 0 && f->time[k] == time && !test_flow_is_border(f, k + 1);)
            again |= f->unit[k] == f->unit[i];
        if (again)
            f->n--;
        else
            i++;
    }
    f->bounded = test_random_chance(random, 0.4);
    if (f->bounded)
        draw_bounds(random, tick, f);
    f->length = draw_fraction(random, 40);
    f->step = draw_fraction(random, 20);
    /* Few partitions a series, and at least a tick each. */
    while (f->step.up * 3 < f->step.down * (f->rate.numerator < f->rate.denominator * 9 ? 4 : 1))
        f->step.up++;
    while (f->length.up * 2 < f->length.down * 3)
        f->length.up++;
    int64_t lo = test_random_between(random, 0, 3);
    f->delay.lo = test_flow_duration((test_fraction){lo, 2});
    f->delay.hi = test_flow_duration((test_fraction){lo + test_random_between(random, 1, 6), 2});
}

typedef struct manner {
    uint64_t chunk; /* largest */
    bool worker;
    bool wait;
    uint32_t backlog;
    bool late; /* taken at the end only */
} manner;

static void run_flow(test_random *random, const test_flow *f, const expectation *expected,
                     const manner *m, progress *p)
{
    spk_live_stream *stream = test_flow_stream(f);
    spk_partitions *partitions = NULL;
    spk_episode_options episodes = test_flow_episodes(f);
    spk_partitions_options options = test_flow_partitions(f, &episodes);
    options.worker = m->worker;
    options.wait = m->wait;
    options.backlog = m->backlog;
    *p = (progress){.flow = f, .expected = expected};
    test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
    for (uint64_t i = 0; i < f->n;) {
        i = test_flow_push(f, stream, i, 1 + test_random_below(random, m->chunk));
        if (!m->late)
            take_all(p, partitions, 0);
    }
    test_flow_check(spk_live_stream_end(test_flow_context, stream));
    take_all(p, partitions, -1);
    assert_int_equal(p->n, expected->n);
    spk_partition_totals totals = spk_partitions_totals(partitions);
    assert_int_equal(totals.due, expected->n);
    assert_int_equal(totals.mined + totals.skipped, expected->n);
    assert_int_equal(totals.skipped, p->n_skipped);
    assert_int_equal(totals.passed, expected->passed);
    assert_int_equal(totals.waiting, 0);
    listing_free(&p->before);
    spk_partitions_free(partitions);
    spk_live_stream_free(stream);
}

static void partitions_equal_slices(void **state)
{
    (void)state;
    static test_flow f;
    static expectation expected;
    uint64_t n_cases = test_scaled(5000), n_partitions = 0, n_series = 0;
    for (uint64_t k = 0; k < n_cases; k++) {
        test_random random = test_random_make(seed, k);
        progress p;
        draw_flow(&random, &f);
        expect(&f, &expected);
        manner m = {.chunk = test_random_chance(&random, 0.5) ? 5 : TEST_FLOW_SPIKES,
                    .worker = test_random_chance(&random, 0.3),
                    .wait = test_random_chance(&random, 0.5),
                    .backlog = 1 + (uint32_t)test_random_below(&random, 5),
                    .late = test_random_chance(&random, 0.2)};
        run_flow(&random, &f, &expected, &m, &p);
        if (m.wait)
            assert_int_equal(p.n_skipped, 0);
        n_partitions += expected.n;
        n_series += expected.n > 0 ? expected.partition[expected.n - 1].series : 0;
    }
    assert_true(n_cases < 100 || (n_partitions > n_cases && n_series > 0));
}

/* ---- a culture ------------------------------------------------------------------------------- */

static void partitions_of_a_culture_equal_slices(void **state)
{
    (void)state;
    const char *path = test_external("wagenaar/2-1-10.spk.txt");
    if (path == NULL || !test_whole_recordings())
        skip();
    spk_recording *recording = NULL;
    test_flow_check(spk_recording_read(test_flow_context, path, NULL, &recording));
    spk_events events = spk_recording_events(recording);
    test_flow f = {.rate = spk_recording_rate(recording),
                   .length = {60, 1},
                   .step = {5, 1},
                   .support = "0.2%",
                   .delay = {{5, -3, 0}, {1, -2, 0}}};
    spk_live_stream *stream = test_flow_stream(&f);
    for (uint32_t u = 0; u < events.n_units; u++) {
        uint32_t number;
        test_flow_check(spk_live_stream_unit(test_flow_context, stream,
                                             spk_recording_label(recording, u), &number));
    }
    spk_partitions *partitions = NULL;
    spk_episode_options episodes = test_flow_episodes(&f);
    spk_partitions_options options = test_flow_partitions(&f, &episodes);
    test_flow_check(spk_partitions_create(test_flow_context, stream, &options, &partitions));
    uint64_t n = 0;
    for (uint64_t i = 0; i <= events.n_events; i += 100) {
        const spk_partition_result *result = NULL;
        uint64_t some = events.n_events - i < 100 ? events.n_events - i : 100;
        test_flow_check(spk_live_stream_push(test_flow_context, stream, some, events.time + i,
                                             events.unit + i, NULL));
        if (i + 100 > events.n_events)
            test_flow_check(spk_live_stream_end(test_flow_context, stream));
        while (spk_partitions_take(test_flow_context, partitions, 0, &result) == SPK_OK &&
               result != NULL) {
            assert_int_equal(result->state == SPK_PARTITION_CUT, n == 531);
            assert_int_equal(result->number, n++);
            check_slice(&f, recording, result);
        }
    }
    assert_int_equal(n, 532);
    spk_partitions_free(partitions);
    spk_live_stream_free(stream);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(partitions_equal_slices, test_flow_setup,
                                        test_flow_teardown),
        cmocka_unit_test_setup_teardown(partitions_of_a_culture_equal_slices, test_flow_setup,
                                        test_flow_teardown),
    };
    seed = test_seed("test_partitions");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
