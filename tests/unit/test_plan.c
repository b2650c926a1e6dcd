/* The model of plans: against numbers reckoned by hand, and against ranks that are played piece by
 * piece. */
#include "plan/measure.h"
#include "support/context.h"

static bool close_to(double a, double b)
{
    double difference = a > b ? a - b : b - a, size = b > 0 ? b : -b;
    return difference <= 1e-9 * (size > 1e-3 ? size : 1e-3);
}

static void assert_close(double a, double b)
{
    if (!close_to(a, b))
        fail_msg("%.12g in place of %.12g", a, b);
}

/* 1000 events; 2 s of reading, 1 s of preparing, 80 s of search, 0.5 s and 0.25 s that nobody
 * shares. */
static void make_costs(spk_plan_costs *c)
{
    spk_plan_costs_init(c, sizeof *c);
    c->n_events = 1000;
    c->file_bytes = 16000;
    c->read_s = 2;
    c->prepare_s = 1;
    c->repeat_s = 0.5;
    c->write_s = 0.25;
    c->n_rounds = 1;
    c->round[0] = (spk_plan_round){.items = 6400, .fixed_s = 30, .event_s = 0.05, .exchanges = 1};
    c->pieces_per_rank = 8;
    c->divides_time = true;
    c->bytes_an_event = 100;
    c->bytes_fixed = 5000;
}

/* No network, no file system. */
static void make_machine(spk_plan_machine *m, uint32_t ranks)
{
    spk_plan_machine_init(m, sizeof *m);
    m->ranks = ranks;
    m->latency_s = 0;
    m->bandwidth = m->file_bandwidth = 1e200;
}

static spk_plan_prediction predict(const spk_plan_costs *c, const spk_plan_machine *m)
{
    spk_plan_prediction out;
    if (spk_plan_predict(context, c, m, &out) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return out;
}

static void test_one_rank(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    make_costs(&c);
    make_machine(&m, 1);
    spk_plan_prediction p = predict(&c, &m);
    const double expected[SPK_PLAN_N_PARTS] = {2, 1, 80, 0, 0, 0.5, 0.25};
    for (int k = 0; k < SPK_PLAN_N_PARTS; k++)
        assert_close(p.part_s[k], expected[k]);
    assert_close(p.seconds, 83.75);
    assert_close(p.processor_s, 83.75);
    assert_close(p.efficiency, 1);
    assert_close(p.memory_bytes, 105000);
    assert_int_equal(p.largest, SPK_PLAN_WORK);
    assert_int_equal(p.divide, SPK_DIVIDE_CANDIDATES);
    assert_true(p.possible);
}

/* What is shared is shared, everything else stays; half a piece is waited for. */
static void test_candidates(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    make_costs(&c);
    make_machine(&m, 10);
    spk_plan_prediction p = predict(&c, &m);
    assert_close(p.part_s[SPK_PLAN_READ], 2);
    assert_close(p.part_s[SPK_PLAN_PREPARE], 1);
    assert_close(p.part_s[SPK_PLAN_WORK], 8);
    assert_close(p.part_s[SPK_PLAN_WAIT], 0.5 * 0.9 * 1);
    assert_close(p.memory_bytes, 105000);
    assert_close(p.efficiency, 83.75 / (10 * p.seconds));
    c.lines_s = 4; /* of results, which the ranks share */
    c.bytes_results = 300;
    c.bytes_shared = 1000;
    assert_close(predict(&c, &m).part_s[SPK_PLAN_WRITE], 0.25 + 0.4);
    assert_close(predict(&c, &m).memory_bytes, 105000 + 300 + 100);
    c.lines_s = -1;
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_ERR_ARGUMENT);
    c.lines_s = c.bytes_results = c.bytes_shared = 0;
    c.largest_piece = 12; /* one piece is more than the share of a rank */
    assert_close(predict(&c, &m).part_s[SPK_PLAN_WAIT], 4);
    c.largest_piece = 1;
    c.piece_event_s = 1e-4; /* 80 pieces of 0.1 s */
    assert_close(predict(&c, &m).part_s[SPK_PLAN_WORK], 8.8);
    c.piece_event_s = 0;
    c.round[0].items = 5; /* ranks without a piece */
    p = predict(&c, &m);
    assert_close(p.part_s[SPK_PLAN_WORK] + p.part_s[SPK_PLAN_WAIT], 16);
    m.processors = 5; /* ranks take turns */
    c.round[0].items = 6400;
    p = predict(&c, &m);
    assert_close(p.part_s[SPK_PLAN_READ], 4);
    assert_close(p.part_s[SPK_PLAN_WORK], 16);
    assert_close(p.processor_s, 10 * (2 + 1 + 8 + 0.5) + 0.25);
}

static void test_network(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    make_costs(&c);
    make_machine(&m, 16);
    c.round[0].bytes = 1000;
    m.latency_s = 0.01;
    m.bandwidth = 100;
    m.file_bandwidth = 64000;
    spk_plan_prediction p = predict(&c, &m);
    /* Barriers of 4 hops, 9 questions, sizes of 4 hops, messages of 16 ranks over 4 hops. */
    assert_close(p.part_s[SPK_PLAN_EXCHANGE],
                 0.01 * (8 + 18 + 4 + 64) + (2 * 1000 + 8 * 16) / 100.0);
    assert_close(p.part_s[SPK_PLAN_READ], 4); /* 16 times 16000 bytes */
    m.divide = SPK_DIVIDE_TIME;
    assert_close(predict(&c, &m).part_s[SPK_PLAN_READ], 4);
    c.reads_parts = true;
    assert_close(predict(&c, &m).part_s[SPK_PLAN_READ], 0.25 * 63 / 62.5);
}

/* The end of the last rank when `pieces` go from rank to rank, each taking `each` seconds. */
static double play_wave(uint32_t ranks, uint64_t pieces, double each)
{
    double end[64] = {0}; /* of the piece that each rank counted last */
    for (uint64_t k = 0; k < pieces; k++)
        for (uint32_t r = 0; r < ranks; r++) {
            double begin = r > 0 && end[r - 1] > end[r] ? end[r - 1] : end[r];
            end[r] = begin + each;
        }
    return end[ranks - 1];
}

static void test_time(void **state)
{
    (void)state;
    const uint32_t numbers[] = {2, 5, 8, 50};
    for (int k = 0; k < 4; k++) {
        spk_plan_costs c;
        spk_plan_machine m;
        make_costs(&c);
        make_machine(&m, numbers[k]);
        m.divide = SPK_DIVIDE_TIME;
        c.round[0].fixed_s = 0;
        c.time_work = 2;
        c.margin_events = 10;
        double held = 1000.0 / numbers[k] + 10, all = 2 * 0.05 * held;
        uint64_t pieces = numbers[k] * 8;
        spk_plan_prediction p = predict(&c, &m);
        assert_int_equal(p.divide, SPK_DIVIDE_TIME);
        assert_close(p.part_s[SPK_PLAN_WORK], all);
        assert_close(p.part_s[SPK_PLAN_WORK] + p.part_s[SPK_PLAN_WAIT],
                     play_wave(numbers[k], pieces, all / (double)pieces));
        assert_close(p.part_s[SPK_PLAN_PREPARE], held / 1000);
        assert_close(p.memory_bytes, 5000 + 100 * held);
        c.round[0].items = 40; /* in pieces of no less than 16 */
        p = predict(&c, &m);
        assert_close(p.part_s[SPK_PLAN_WORK] + p.part_s[SPK_PLAN_WAIT],
                     play_wave(numbers[k], 3, all / 3));
    }
}

/* Ranks that take pieces from one counter, each the next one when it is free: the prediction lies
 * between what no order of pieces beats and what the worst takes. */
static void test_played_queue(void **state)
{
    (void)state;
    const uint64_t seed = test_seed("test_plan");
    for (uint64_t i = 0; i < test_scaled(500); i++) {
        test_random random = test_random_make(seed, i);
        spk_plan_costs c;
        spk_plan_machine m;
        double piece[1024], free_at[128] = {0}, all = 0, largest = 0, end = 0;
        uint32_t ranks = 2 + (uint32_t)test_random_below(&random, 100);
        uint64_t n = (uint64_t)ranks * 8;
        for (uint64_t k = 0; k < n; k++) {
            piece[k] = 0.5 + (double)test_random_below(&random, 1000) / 1000;
            all += piece[k];
            largest = piece[k] > largest ? piece[k] : largest;
        }
        for (uint64_t k = 0; k < n; k++) {
            uint32_t r = 0;
            for (uint32_t j = 1; j < ranks; j++)
                r = free_at[j] < free_at[r] ? j : r;
            free_at[r] += piece[k];
            end = free_at[r] > end ? free_at[r] : end;
        }
        make_costs(&c);
        make_machine(&m, ranks);
        c.round[0] = (spk_plan_round){.items = n, .fixed_s = all, .exchanges = 1};
        c.largest_piece = c.last_piece = largest * (double)n / all;
        spk_plan_prediction p = predict(&c, &m);
        double predicted = p.part_s[SPK_PLAN_WORK] + p.part_s[SPK_PLAN_WAIT];
        assert_true(predicted >= all / ranks && predicted <= all / ranks + largest);
        if (predicted < end - 0.5 * largest || predicted > end + 0.5 * largest)
            fail_msg("%u ranks: %f in place of %f", ranks, predicted, end);
    }
}

static void test_surrogates(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    make_costs(&c);
    make_machine(&m, 8);
    c.n_rounds = 0;
    c.surrogates = 20;
    c.surrogate_s = 3;
    spk_plan_prediction p = predict(&c, &m);
    assert_close(p.part_s[SPK_PLAN_WORK], 7.5);
    assert_close(p.part_s[SPK_PLAN_WAIT], 1.5); /* three each for the ranks that have most */
}

static void test_limit(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    spk_plan_prediction p;
    make_costs(&c);
    make_machine(&m, 1);
    assert_int_equal(spk_plan_limit(context, &c, &m, &p), SPK_OK);
    m.ranks = p.ranks;
    spk_plan_prediction here = predict(&c, &m);
    m.ranks *= 2;
    spk_plan_prediction twice = predict(&c, &m);
    assert_true(p.seconds == here.seconds && twice.seconds > 0.8 * here.seconds);
    m.ranks = p.ranks / 2;
    assert_true(here.seconds <= 0.8 * predict(&c, &m).seconds);
    /* By time the first possible number may be larger than where it would stop. */
    c.n_events = 1000000000000u;
    m.ranks = 1;
    assert_int_equal(spk_plan_limit(context, &c, &m, &p), SPK_OK);
    assert_false(p.possible);
    m.divide = SPK_DIVIDE_TIME;
    assert_int_equal(spk_plan_limit(context, &c, &m, &p), SPK_OK);
    assert_true(p.possible && p.ranks >= 256);
}

static void test_possible(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    make_costs(&c);
    make_machine(&m, 4);
    m.memory_bytes = 104999;
    assert_false(predict(&c, &m).possible);
    m.divide = SPK_DIVIDE_TIME;
    assert_true(predict(&c, &m).possible);
    m.memory_bytes = 0;
    c.n_events = 4 * (uint64_t)SPK_MAX_EVENTS;
    assert_true(predict(&c, &m).possible);
    c.margin_events = 1;
    assert_false(predict(&c, &m).possible);
    m.divide = SPK_DIVIDE_CANDIDATES;
    assert_false(predict(&c, &m).possible);
}

static void test_scale(void **state)
{
    (void)state;
    spk_plan_costs c, longer;
    spk_plan_machine m;
    make_costs(&c);
    make_machine(&m, 1);
    assert_int_equal(spk_plan_scale(context, &c, 10000, &longer), SPK_OK);
    spk_plan_prediction p = predict(&longer, &m);
    const double expected[SPK_PLAN_N_PARTS] = {20, 10, 530, 0, 0, 0.5, 0.25};
    for (int k = 0; k < SPK_PLAN_N_PARTS; k++)
        assert_close(p.part_s[k], expected[k]);
    assert_close(longer.file_bytes, 160000);
    assert_int_equal(spk_plan_scale(context, &c, 0, &longer), SPK_ERR_ARGUMENT);
}

static void test_bad(void **state)
{
    (void)state;
    spk_plan_costs c;
    spk_plan_machine m;
    spk_plan_prediction p;
    make_costs(&c);
    make_machine(&m, 0);
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_ERR_ARGUMENT);
    make_machine(&m, 2);
    m.bandwidth = 0;
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_ERR_ARGUMENT);
    make_machine(&m, 2);
    c.read_s = -1;
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_ERR_ARGUMENT);
    make_costs(&c);
    c.pieces_per_rank = 0.0 / (c.file_bytes - 16000);
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_ERR_ARGUMENT);
    make_costs(&c);
    c.n_rounds = SPK_PLAN_MAX_ROUNDS + 1;
    assert_int_equal(spk_plan_limit(context, &c, &m, &p), SPK_ERR_ARGUMENT);
    make_costs(&c);
    c.divides_time = false;
    m.divide = SPK_DIVIDE_TIME;
    assert_int_equal(spk_plan_predict(context, &c, &m, &p), SPK_ERR_UNSUPPORTED);
    assert_string_equal(spk_plan_part_name(SPK_PLAN_WORK), "search");
    assert_string_equal(spk_plan_part_name(SPK_PLAN_N_PARTS), "");
}

static void test_fit(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4}, line[] = {5, 7, 11}, falls[] = {3, 2, 1}, steep[] = {1, 4, 9};
    const double same[] = {2, 2}, twice[] = {6, 6}, none[] = {0, 0};
    double a, b;
    spk_plan_fit(3, x, line, &a, &b);
    assert_close(a, 3);
    assert_close(b, 2);
    spk_plan_fit(3, x, falls, &a, &b);
    assert_true(b == 0 && a > 1 && a < 3);
    spk_plan_fit(3, x, steep, &a, &b); /* below the origin: through it */
    assert_true(a == 0 && b > 1 && b < 2.25);
    spk_plan_fit(2, same, twice, &a, &b);
    assert_close(a, 0);
    assert_close(b, 3);
    spk_plan_fit(2, same, none, &a, &b);
    assert_true(a == 0 && b == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_rank),     cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_network),      cmocka_unit_test(test_time),
        cmocka_unit_test(test_played_queue), cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_limit),        cmocka_unit_test(test_possible),
        cmocka_unit_test(test_scale),        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_fit),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
