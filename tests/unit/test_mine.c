/*
 * The level-wise search: equal to exhaustive mining on small streams, the published counts on real
 * recordings, and the same result for every engine, number of threads, number of passes and memory
 * limit.
 */
#include "episode/search.h"
#include "support/context.h"
#include "support/engines.h"
#include "support/streams.h"

static uint64_t seed;

/* ---- results as one string of numbers -------------------------------------------------------- */

typedef struct mined {
    const spk_episode_options *options; /* of the job */
    uint64_t n;
    uint64_t capacity;
    uint64_t *number;
} mined;

static void add_number(mined *m, uint64_t number)
{
    if (m->n == m->capacity) {
        m->capacity = 2 * m->capacity + 1024;
        m->number = realloc(m->number, m->capacity * sizeof *m->number);
        assert_non_null(m->number);
    }
    m->number[m->n++] = number;
}

static spk_status collect(void *user, const spk_episode_columns *episodes)
{
    mined *m = user;
    const spk_episode_level *level = episodes->level;
    assert_int_equal(level->frequent, episodes->n);
    assert_int_equal(episodes->n_delays, m->options->n_delays);
    assert_ptr_equal(episodes->delays, m->options->delays);
    for (uint64_t k = 0; k < episodes->n; k++) {
        uint64_t size = episodes->offset[k + 1] - episodes->offset[k];
        assert_int_equal(size, level->size);
        add_number(m, size);
        add_number(m, episodes->count[k]);
        for (uint64_t p = episodes->offset[k]; p < episodes->offset[k + 1]; p++) {
            add_number(m, episodes->delay[p]);
            add_number(m, episodes->unit[p]);
        }
    }
    return SPK_OK;
}

static spk_duration seconds(uint64_t ticks)
{
    if (ticks > INT64_MAX)
        return (spk_duration){1, SPK_DURATION_INFINITE};
    return (spk_duration){(int64_t)ticks, 0};
}

static mined mine(const spk_recording *recording, const spk_episode_options *options,
                  spk_episode_summary *summary)
{
    mined m = {.options = options};
    spk_status status = spk_episode_mine(context, recording, options, collect, &m, summary);
    if (status != SPK_OK)
        print_message("%s\n", spk_context_message(context));
    assert_int_equal(status, SPK_OK);
    assert_true(summary->complete);
    return m;
}

/* ---- exhaustive mining ----------------------------------------------------------------------- */

/* All episodes up to max_size over all units and intervals, counted by definition, the frequent
 * ones in canonical order: units first, then intervals, so plain nested counting gives the tie
 * order. */
typedef struct found {
    uint64_t count;
    uint32_t unit[4];
    uint16_t delay[4];
    uint32_t size;
} found;

static int canonical(const void *a, const void *b)
{
    const found *x = a;
    const found *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    for (uint32_t p = 0; p < x->size; p++)
        if (x->unit[p] != y->unit[p])
            return x->unit[p] < y->unit[p] ? -1 : 1;
    for (uint32_t p = 0; p < x->size; p++)
        if (x->delay[p] != y->delay[p])
            return x->delay[p] < y->delay[p] ? -1 : 1;
    return 0;
}

/* What the largest of the links asks, as episode.h defines it. `ticks`: of the whole stream. */
static uint64_t limit_of_links(const test_stream *stream, const found *f, double share,
                               double ticks)
{
    double most = 0;
    for (uint32_t p = 1; p < f->size; p++) {
        const uint16_t none = 0;
        const double a = (double)test_brute_count(stream, 1, &f->unit[p - 1], &none);
        const double b = (double)test_brute_count(stream, 1, &f->unit[p], &none);
        const double lo = (double)stream->delay[f->delay[p]].lo;
        const double hi = fmin((double)stream->delay[f->delay[p]].hi, ticks);
        const double width = hi > lo ? hi - lo : 0;
        if (a > 0 && b > 0)
            most = fmax(most, a * b * width / (ticks + fmax(a, b) * width));
    }
    return (uint64_t)ceil(share * most);
}

static mined exhaustive(const test_stream *stream, const spk_episode_options *options, double ticks)
{
    const uint32_t max_size = options->max_size;
    const uint64_t support = options->support;
    mined m = {.n = 0};
    static found frequent[100000];
    for (uint32_t size = 1; size <= max_size; size++) {
        size_t n = 0;
        uint64_t total = 1;
        for (uint32_t p = 0; p < size; p++)
            total *= stream->n_units * (p > 0 ? stream->n_delays : 1);
        for (uint64_t code = 0; code < total; code++) {
            found f = {.size = size};
            uint64_t rest = code;
            for (uint32_t p = 0; p < size; p++) {
                f.unit[p] = (uint32_t)(rest % stream->n_units);
                rest /= stream->n_units;
                if (p > 0) {
                    f.delay[p] = (uint16_t)(rest % stream->n_delays);
                    rest /= stream->n_delays;
                }
            }
            f.count = test_brute_count(stream, size, f.unit, f.delay);
            if (size == 1) { /* distinct times, which brute force chains too */
                assert_true(f.count <= stream->n_events);
            }
            if (f.count >= support &&
                f.count >= limit_of_links(stream, &f, options->link_share, ticks))
                frequent[n++] = f;
        }
        qsort(frequent, n, sizeof frequent[0], canonical);
        for (size_t k = 0; k < n; k++) {
            add_number(&m, size);
            add_number(&m, frequent[k].count);
            for (uint32_t p = 0; p < size; p++) {
                add_number(&m, frequent[k].delay[p]);
                add_number(&m, frequent[k].unit[p]);
            }
        }
    }
    return m;
}

static void mining_equals_exhaustive_search(void **state)
{
    (void)state;
    static test_stream stream;
    for (uint64_t c = 0; c < test_scaled(400); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, 18, &stream);
        stream.n_units = stream.n_units > 3 ? 3 : stream.n_units;
        stream.n_delays = stream.n_delays > 2 ? 2 : stream.n_delays;
        for (uint64_t i = 0; i < stream.n_events; i++)
            stream.unit[i] %= stream.n_units;
        spk_delay delays[TEST_MAX_DELAYS];
        for (size_t d = 0; d < stream.n_delays; d++) {
            stream.delay[d].hi = stream.delay[d].hi > INT64_MAX ? UINT64_MAX : stream.delay[d].hi;
            stream.delay[d].lo = stream.delay[d].lo > INT64_MAX ? 7 : stream.delay[d].lo;
            delays[d] = (spk_delay){seconds(stream.delay[d].lo), seconds(stream.delay[d].hi)};
        }
        spk_episode_options options;
        spk_episode_options_init(&options, sizeof options);
        options.delays = delays;
        options.n_delays = stream.n_delays;
        options.support = 1 + test_random_below(&random, 4);
        options.max_size = (uint32_t)(1 + test_random_below(&random, 3));
        options.link_share =
            c % 2 == 0 ? 0 : (double)(1 + test_random_below(&random, 16)) / 4; /* exact */
        spk_recording *recording = test_stream_recording(context, &stream);
        const double ticks =
            (double)spk_recording_stop(recording) - (double)spk_recording_start(recording);
        mined expected = exhaustive(&stream, &options, ticks);
        const test_episode_engine *engine;
        for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
            options.engine = engine->name;
            options.two_pass = (spk_two_pass)test_random_below(&random, 3);
            spk_episode_summary summary;
            mined got = mine(recording, &options, &summary);
            assert_string_equal(summary.engine, options.engine);
            if (got.n != expected.n ||
                (got.n > 0 && memcmp(got.number, expected.number, got.n * sizeof(uint64_t)) != 0)) {
                test_stream_print(&stream);
                print_message("case %llu, engine %s, support %llu, link share %g\n",
                              (unsigned long long)c, options.engine,
                              (unsigned long long)options.support, options.link_share);
                fail();
            }
            free(got.number);
        }
        free(expected.number);
        spk_recording_free(recording);
    }
}

/* ---- real recordings ------------------------------------------------------------------------- */

static spk_recording *read_external(const char *name)
{
    const char *path = test_external(name);
    if (path == NULL) {
        print_message("%s is not here\n", name);
        skip();
    }
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    spk_recording *recording = NULL;
    if (spk_recording_read_text(context, path, &options, &recording) != SPK_OK) {
        print_message("%s\n", spk_context_message(context));
        fail();
    }
    return recording;
}

static spk_delay delay(const char *text)
{
    spk_delay out;
    assert_int_equal(spk_delay_parse(context, text, &out), SPK_OK);
    return out;
}

typedef struct published {
    const char *recording;
    size_t n_delays; /* 1: (5,10] ms; 3: (0,5] (5,10] (10,15] ms */
    uint64_t support;
    uint32_t n_levels;
    uint64_t frequent[9];
    bool slow; /* only by the fast engine */
} published;

static const published PUBLISHED[] = {
    {"wagenaar/2-1-20.spk.txt", 1, 517, 3, {42, 38, 0}, false},
    {"wagenaar/2-1-20.spk.txt", 1, 173, 4, {55, 605, 1023, 0}, false},
    {"wagenaar/2-1-20.spk.txt", 3, 517, 4, {42, 238, 89, 0}, false},
    {"wagenaar/2-1-20.spk.txt",
     3,
     173,
     9,
     {55, 1826, 22208, 107737, 289308, 350087, 70532, 117, 0},
     true},
    {"wagenaar/2-1-10.spk.txt", 3, 387, 3, {26, 6, 0}, false},
};

static void check_published(const spk_recording *recording, const published *row,
                            const char *engine, spk_two_pass two_pass, int threads)
{
    const spk_delay one[] = {delay("5ms:10ms")};
    const spk_delay three[] = {delay("0:5ms"), delay("5ms:10ms"), delay("10ms:15ms")};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = row->n_delays == 1 ? one : three;
    options.n_delays = row->n_delays;
    options.support = row->support;
    options.engine = engine;
    options.two_pass = two_pass;
    spk_episode_summary summary;
    spk_context_set_threads(context, threads);
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary), SPK_OK);
    spk_context_set_threads(context, 0);
    assert_int_equal(summary.n_levels, row->n_levels);
    for (uint32_t k = 0; k < row->n_levels; k++)
        assert_int_equal(summary.level[k].frequent, row->frequent[k]);
}

static void published_counts(void **state)
{
    (void)state;
    bool reduced = test_scaled(100) < 100; /* sanitized builds */
    for (size_t r = 0; r < sizeof PUBLISHED / sizeof PUBLISHED[0]; r++) {
        const published *row = &PUBLISHED[r];
        spk_recording *recording = read_external(row->recording);
        if (!row->slow || !reduced) {
            check_published(recording, row, "sweep", SPK_TWO_PASS_OFF, 1);
            check_published(recording, row, "sweep", SPK_TWO_PASS_OFF, 2);
        }
        if (reduced) {
            if (row->support > 173 && row->n_delays == 1)
                check_published(recording, row, "fsm", SPK_TWO_PASS_ON, 2);
        } else if (!row->slow) {
            check_published(recording, row, "sweep", SPK_TWO_PASS_ON, 2);
            check_published(recording, row, "fsm", SPK_TWO_PASS_OFF, 2);
            check_published(recording, row, "fsm", SPK_TWO_PASS_ON, 1);
        }
        if (row->support > 173 && !reduced) {
            check_published(recording, row, "reference", SPK_TWO_PASS_OFF, 2);
            check_published(recording, row, "reference", SPK_TWO_PASS_ON, 1);
        }
        spk_recording_free(recording);
    }
}

static void published_single_counts(void **state)
{
    (void)state;
    static const struct {
        const char *recording;
        const char *episode;
        uint64_t count;
    } rows[] = {
        {"wagenaar/2-1-10.spk.txt", "0 (5ms,10ms] 59", 473},
        {"wagenaar/2-1-10.spk.txt", "59 (5ms,10ms] 0", 535},
        {"wagenaar/2-1-20.spk.txt", "13 (5ms,10ms] 2", 778},
        {"wagenaar/2-1-20.spk.txt", "2 (5ms,10ms] 4", 695},
        {"wagenaar/2-1-20.spk.txt", "2 (5ms,10ms] 56", 1123},
        {"wagenaar/2-1-20.spk.txt", "2 (5ms,10ms] 57", 1055},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        spk_recording *recording = read_external(rows[r].recording);
        const test_episode_engine *engine;
        for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
            spk_episode_list *list = NULL;
            spk_episode_options options;
            spk_episode_options_init(&options, sizeof options);
            options.engine = engine->name;
            assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
            assert_int_equal(spk_episode_parse(context, recording, rows[r].episode, list), SPK_OK);
            assert_int_equal(spk_episode_count(context, recording, &options, list, NULL), SPK_OK);
            assert_int_equal(spk_episode_list_columns(list).count[0], rows[r].count);
            spk_episode_list_free(list);
        }
        spk_recording_free(recording);
    }
}

/* The same bytes for any memory limit (blocks, stretches) and number of threads. */
static void memory_and_threads_change_nothing(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    spk_read_options read;
    spk_read_options_init(&read, sizeof read);
    spk_recording *recording = NULL;
    assert_int_equal(spk_recording_read_text(context, test_bundled("movement_PGHF.spikes.txt"),
                                             &read, &recording),
                     SPK_OK);
    const spk_delay delays[] = {delay("0:10ms"), delay("10ms:20ms")};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays;
    options.n_delays = 2;
    options.support = 120;
    spk_episode_summary summary;
    mined expected = mine(recording, &options, &summary);
    assert_true(expected.n > 1000);
    for (int k = 0; k < 3; k++) {
        spk_context_set_threads(context, 1 + k);
        spk_context_set_memory_limit(context, k < 2 ? 1000000 : 0);
        options.engine = k == 1 ? "fsm" : "sweep";
        mined got = mine(recording, &options, &summary);
        assert_int_equal(got.n, expected.n);
        assert_memory_equal(got.number, expected.number, got.n * sizeof(uint64_t));
        free(got.number);
    }
    spk_context_set_threads(context, 0);
    /* Too little for the result: refused, not cut short. */
    spk_context_set_memory_limit(context, 20000);
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary),
                     SPK_ERR_MEMORY);
    assert_false(summary.complete);
    assert_non_null(strstr(spk_context_message(context), "memory limit"));
    spk_context_set_memory_limit(context, 0);
    free(expected.number);
    spk_recording_free(recording);
}

/* ---- options and cancelling ------------------------------------------------------------------ */

static void bad_options_are_refused(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 0, NULL, NULL, 0, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_delay good = delay("5ms:10ms");
    spk_delay empty = {{10, -3}, {5, -3}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT); /* no interval */
    options.delays = &empty;
    options.n_delays = 1;
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    options.delays = &good;
    options.support = 0;
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    options.support = 1;
    options.engine = "warp";
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    options.engine = "auto";
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, NULL), SPK_OK);
    spk_recording_free(recording);
}

static spk_status cancel_after_pairs(void *user, const spk_episode_columns *episodes)
{
    *(uint32_t *)user = episodes->level->size;
    if (episodes->level->size == 2)
        spk_context_cancel(context);
    return SPK_OK;
}

static void cancelling_keeps_what_is_complete(void **state)
{
    (void)state;
    spk_read_options read;
    spk_read_options_init(&read, sizeof read);
    read.stop = &(spk_duration){5, 0, 0};
    spk_recording *recording = NULL;
    assert_int_equal(spk_recording_read_text(context, test_bundled("movement_PGHF.spikes.txt"),
                                             &read, &recording),
                     SPK_OK);
    const spk_delay delays[] = {delay("0:20ms")};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays;
    options.n_delays = 1;
    options.support = 50;
    spk_episode_summary summary;
    const test_episode_engine *engine;
    for (size_t e = 0; (engine = test_episode_engine_at(e)) != NULL; e++) {
        uint32_t last = 0;
        options.engine = engine->name;
        assert_int_equal(
            spk_episode_mine(context, recording, &options, cancel_after_pairs, &last, &summary),
            SPK_ERR_CANCELLED);
        spk_context_cancel_clear(context);
        assert_int_equal(last, 2);
        assert_int_equal(summary.n_levels, 2);
        assert_false(summary.complete);
    }
    spk_recording_free(recording);
}

static void supports_as_shares_round_up(void **state)
{
    (void)state;
    int64_t time[1000];
    uint32_t unit[1000];
    for (int i = 0; i < 1000; i++) {
        time[i] = i;
        unit[i] = 0;
    }
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 1000, time, unit, 1, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_episode_support(recording, (spk_fraction){1, -2}), 10);   /* 1 % */
    assert_int_equal(spk_episode_support(recording, (spk_fraction){101, -4}), 11); /* 1.01 % */
    assert_int_equal(spk_episode_support(recording, (spk_fraction){1, -9}), 1);
    assert_int_equal(spk_episode_support(recording, (spk_fraction){0, 0}), 1);
    assert_int_equal(spk_episode_support(recording, (spk_fraction){1, 0}), 1000);
    assert_int_equal(spk_episode_support(recording, (spk_fraction){1, INT32_MIN}), 1);
    assert_true(spk_episode_support(recording, (spk_fraction){1, INT32_MAX}) == UINT64_MAX);
    spk_recording_free(recording);
}

/* Phases add up to no more than the whole; a first pass takes time only where there is one. */
static void phases_tell_where_the_time_went(void **state)
{
    (void)state;
    spk_delay delay = {{5, -3}, {1, -2}};
    spk_recording *recording = NULL;
    spk_sym26_options sym26;
    spk_sym26_options_init(&sym26, sizeof sym26);
    sym26.duration = (spk_duration){5, 0};
    assert_int_equal(spk_simulate_sym26(context, &sym26, &recording, NULL), SPK_OK);
    for (int two = 0; two < 2; two++) {
        spk_episode_summary summary;
        spk_episode_options options;
        spk_episode_options_init(&options, sizeof options);
        options.delays = &delay;
        options.n_delays = 1;
        options.support = 40;
        options.engine = "fsm";
        options.two_pass = two ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
        assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary),
                         SPK_OK);
        assert_true(summary.n_levels > 1);
        spk_episode_phases p = summary.phases;
        assert_true(p.opening >= 0 && p.candidates > 0 && p.counting > 0);
        assert_int_equal(p.bounding > 0, two);
        assert_true(p.opening + p.candidates + p.bounding + p.counting <= summary.seconds);
    }
    spk_recording_free(recording);
}

/* A unit that fires at each tick has an occurrence that ends at nearly each of them, however few
 * are counted. */
static void ends_between_counted_occurrences_are_work(void **state)
{
    (void)state;
    enum { N = 1000, LONGEST = 4 };
    spk_recording *recording = NULL;
    int64_t time[N];
    uint32_t unit[N];
    for (uint32_t k = 0; k < N; k++) {
        time[k] = k;
        unit[k] = 0;
    }
    assert_int_equal(test_recording_create(context, N, time, unit, 1, NULL, (spk_rate){1, 1}, NULL,
                                           NULL, &recording),
                     SPK_OK);
    const spk_delay delay = {seconds(5), seconds(10)};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.max_size = LONGEST;
    episode_limits limits = {.most_steps = UINT64_MAX, .most_frequent = UINT64_MAX};
    assert_int_equal(episode_mine_within(context, recording, &options, &limits, NULL, NULL),
                     SPK_OK);
    /* A candidate of each size: itself, the list of its prefix, and a strip. */
    assert_int_equal(limits.steps, (LONGEST - 1) * (1 + 2 * N));
    assert_int_equal(limits.n_frequent, LONGEST - 1);
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("test_mine");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mining_equals_exhaustive_search),
        cmocka_unit_test(published_counts),
        cmocka_unit_test(published_single_counts),
        cmocka_unit_test(memory_and_threads_change_nothing),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(cancelling_keeps_what_is_complete),
        cmocka_unit_test(supports_as_shares_round_up),
        cmocka_unit_test(phases_tell_where_the_time_went),
        cmocka_unit_test(ends_between_counted_occurrences_are_work),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
