/* What a search for episodes costs, measured: the pieces are those of the real job, what did not
 * end is told, and what played ranks find is what the job finds. */
#include "base/deadline.h"
#include "plan/measure.h"
#include "support/context.h"

static spk_recording *recording;
static const spk_delay delay = {{2, -3, 0}, {6, -3, 0}};

/* Units that fire at random; ticks of 1 ms. */
static spk_recording *make(uint64_t seed, uint32_t n_units, uint64_t n_events, int64_t length)
{
    test_random random = test_random_make(seed, n_events);
    int64_t *time = calloc(n_events, sizeof *time);
    uint32_t *unit = calloc(n_events, sizeof *unit);
    spk_recording *out = NULL;
    spk_recording_source source;
    for (uint64_t k = 0; k < n_events; k++) {
        time[k] = test_random_between(&random, 0, length - 1);
        unit[k] = (uint32_t)test_random_below(&random, n_units);
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events, source.time = time, source.unit = unit, source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    if (spk_recording_create(context, &source, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    free(time);
    free(unit);
    return out;
}

static int setup(void **state)
{
    (void)state;
    if (spk_context_create(&context) != SPK_OK)
        return -1;
    spk_context_set_threads(context, 1);
    recording = make(test_seed("test_plan_episodes"), 12, 30000, 400000);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}

static spk_episode_options make_options(uint64_t support, uint32_t max_size)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = support;
    options.max_size = max_size;
    options.engine = "sweep";
    return options;
}

/* ---- played ranks ---------------------------------------------------------------------------- */

static spk_status add_counts(void *user, const spk_episode_columns *found)
{
    uint64_t *sum = user;
    for (uint64_t i = 0; i < found->n; i++)
        sum[0] += found->count[i] * (i + found->level->size);
    sum[1] += found->n;
    return SPK_OK;
}

static void mine(spk_context *own, const spk_episode_options *options, uint64_t *sum)
{
    sum[0] = sum[1] = 0;
    if (spk_episode_mine(own, recording, options, add_counts, sum, NULL) != SPK_OK)
        fail_msg("%s", spk_context_message(own));
}

static void test_played_candidates(void **state)
{
    (void)state;
    const spk_episode_options options = make_options(30, 4);
    uint64_t alone[2], played_sum[2];
    spk_played played;
    spk_context *own = NULL;
    mine(context, &options, alone);
    spk_played_begin(&played, 0, 8, 1);
    assert_int_equal(spk_context_create_child(context, &own), SPK_OK);
    assert_int_equal(spk_context_set_ranks(own, &played.ranks), SPK_OK);
    mine(own, &options, played_sum);
    assert_true(alone[1] > 12 && alone[0] == played_sum[0] && alone[1] == played_sum[1]);
    assert_true(played.n > 0 && played.n % 64 == 0); /* all pieces of each size */
    for (uint64_t k = 0; k < played.n; k++)
        assert_true(played.piece_s[k] >= 0);
    spk_context_free(own);
    spk_played_free(&played);
}

/* The last rank of two that has seen nothing at its left: no count beyond that of the whole, and
 * none below that of its stretch by itself. */
static void test_played_time(void **state)
{
    (void)state;
    spk_episode_options options = make_options(1, 2);
    uint64_t alone[2], last[2];
    spk_played played;
    spk_context *own = NULL;
    mine(context, &options, alone);
    options.divide = SPK_DIVIDE_TIME;
    spk_played_begin(&played, 1, 2, 1);
    assert_int_equal(spk_context_create_child(context, &own), SPK_OK);
    assert_int_equal(spk_context_set_ranks(own, &played.ranks), SPK_OK);
    mine(own, &options, last);
    assert_int_equal(alone[1], last[1]);
    assert_true(last[0] < alone[0]);
    spk_context_free(own);
    spk_played_free(&played);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void test_whole(void **state)
{
    (void)state;
    const spk_episode_options options = make_options(30, 4);
    static spk_episode_summary summary;
    spk_plan_costs c;
    spk_plan_machine m;
    spk_plan_prediction p;
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, &summary), SPK_OK);
    assert_int_equal(spk_plan_measure_episodes(context, recording, &options, 30, &c), SPK_OK);
    const uint64_t n_events = spk_recording_events(recording).n_events;
    assert_int_equal(c.measured_events, n_events);
    assert_false(c.is_least);
    assert_int_equal(c.n_events, n_events);
    uint32_t n = 0;
    for (uint32_t k = 1; k < summary.n_levels; k++)
        if (summary.level[k].candidates > 0)
            assert_int_equal(c.round[n++].items, summary.level[k].candidates);
    assert_int_equal(c.n_rounds, n);
    assert_true(c.divides_time && c.time_work > 0 && c.largest_piece >= 1);
    assert_true(c.margin_events > 0 && c.margin_events < 10);
    assert_true(c.bytes_an_event >= 16);
    spk_plan_machine_init(&m, sizeof m);
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_OK);
    assert_true(p.part_s[SPK_PLAN_WORK] > 0 && p.seconds > p.part_s[SPK_PLAN_WORK]);
}

/* A search without an end: it is given up, and what was reached is told. */
static void test_too_short(void **state)
{
    (void)state;
    spk_recording *dense = make(5, 40, 400000, 400000);
    const spk_episode_options options = make_options(1, 64);
    spk_plan_costs c;
    const double begin = spk_seconds_now();
    assert_int_equal(spk_plan_measure_episodes(context, dense, &options, 0.3, &c), SPK_OK);
    assert_true(c.is_least);
    assert_true(spk_seconds_now() - begin < 60);
    assert_false(spk_context_cancelled(context));
    spk_recording_free(dense);
}

static void test_engines(void **state)
{
    (void)state;
    spk_episode_options options = make_options(200, 3);
    spk_plan_costs c;
    options.engine = "fsm";
    assert_int_equal(spk_plan_measure_episodes(context, recording, &options, 20, &c), SPK_OK);
    assert_false(c.divides_time);
    options.engine = "auto";
    options.two_pass = SPK_TWO_PASS_ON;
    assert_int_equal(spk_plan_measure_episodes(context, recording, &options, 20, &c), SPK_OK);
    assert_false(c.divides_time);
}

static void test_bad(void **state)
{
    (void)state;
    spk_episode_options options = make_options(10, 3);
    spk_plan_costs c;
    spk_recording *empty = make(1, 3, 0, 10);
    assert_int_equal(spk_plan_measure_episodes(context, recording, &options, 0, &c),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_plan_measure_episodes(context, empty, &options, 1, &c), SPK_ERR_ARGUMENT);
    options.n_delays = 0;
    assert_int_equal(spk_plan_measure_episodes(context, recording, &options, 1, &c),
                     SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "delay"));
    spk_context_cancel(context); /* by the caller: no end of the seconds */
    options = make_options(10, 3);
    assert_int_equal(spk_plan_measure_episodes(context, recording, &options, 1, &c),
                     SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
    spk_recording_free(empty);
}

/* ---- clocks and peaks ------------------------------------------------------------------------ */

static void test_deadline(void **state)
{
    (void)state;
    spk_deadline d;
    assert_int_equal(spk_deadline_begin(context, 0.02, &d), SPK_OK);
    const double begin = spk_seconds_now();
    while (!spk_context_cancelled(d.own) && spk_seconds_now() - begin < 60)
        ;
    assert_true(spk_deadline_end(&d));
    assert_false(spk_deadline_end(&d)); /* ended already */
    assert_int_equal(spk_deadline_begin(context, 1000, &d), SPK_OK);
    assert_false(spk_context_cancelled(d.own));
    assert_false(spk_deadline_end(&d));
    assert_false(spk_context_cancelled(context));
}

static void test_peak(void **state)
{
    (void)state;
    const size_t bytes = (size_t)64 << 20;
    const double begin = spk_peak_begin();
    if (begin <= 0)
        skip(); /* the system does not say */
    char *block = malloc(bytes);
    assert_non_null(block);
    memset(block, 1, bytes);
    assert_true(block[bytes / 2] == 1);
    free(block);
    assert_true(spk_peak_end(begin) > 60e6 && spk_peak_end(begin) < 100e6);
    assert_true(spk_peak_end(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_played_candidates),
        cmocka_unit_test(test_played_time),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_too_short),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_peak),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
