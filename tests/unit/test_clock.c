/* Exact ticks from seconds in floating point: every grid is found again, and none that is not
 * there. */
#include "recording/clock.h"
#include "support/context.h"

enum { MOST = 20000 };

static char notes[1024];
static double seconds[MOST];
static int64_t expected[MOST];

static void keep_note(void *user, const char *text)
{
    (void)user;
    snprintf(notes, sizeof notes, "%s", text);
}

static int setup(void **state)
{
    (void)state;
    if (spk_context_create(&context) != SPK_OK)
        return -1;
    spk_context_set_note(context, keep_note, NULL);
    return 0;
}

static spk_clock find(uint64_t n, const spk_clock_hints *hints)
{
    spk_clock clock;
    if (spk_clock_find(context, seconds, n, hints, &clock) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return clock;
}

static void expect_rate(const spk_clock *clock, spk_rate rate)
{
    if (clock->rate.numerator != rate.numerator || clock->rate.denominator != rate.denominator)
        fail_msg("%llu/%llu (%s), not %llu/%llu", (unsigned long long)clock->rate.numerator,
                 (unsigned long long)clock->rate.denominator, clock->origin,
                 (unsigned long long)rate.numerator, (unsigned long long)rate.denominator);
}

static void expect_ticks(uint64_t n, spk_rate rate)
{
    assert_int_equal(spk_clock_ticks(context, rate, seconds, n), SPK_OK);
    for (uint64_t i = 0; i < n; i++) {
        int64_t tick;
        memcpy(&tick, &seconds[i], sizeof tick);
        if (tick != expected[i])
            fail_msg("tick %lld, not %lld", (long long)tick, (long long)expected[i]);
    }
}

/* ---- every grid ------------------------------------------------------------------------------ */

static const spk_rate GRIDS[] = {
    {1, 1},       {10, 1},      {100, 1},      {1000, 1},      {10000, 1},     {20000, 1},
    {390625, 16}, {25000, 1},   {30000, 1},    {32000, 1},     {40000, 1},     {50000, 1},
    {100000, 1},  {1000000, 1}, {10000000, 1}, {100000000, 1}, {1000000000, 1}};
enum { N_GRIDS = sizeof GRIDS / sizeof GRIDS[0] };

/* The ways in which programs make seconds of whole numbers. */
static double make_seconds(int64_t tick, spk_rate rate, uint64_t way)
{
    double step = (double)rate.denominator / (double)rate.numerator;
    if (way == 0)
        return (double)tick * (double)rate.denominator / (double)rate.numerator;
    if (way == 1)
        return (double)tick * step;
    return 0.5 + ((double)tick * step - 0.5);
}

/* n random ticks within `longest` seconds, two of them neighbours and neither on a coarser grid. */
static void draw(test_random *random, spk_rate rate, double longest, uint64_t n)
{
    double most = longest * (double)rate.numerator / (double)rate.denominator;
    int64_t last = most < 4e18 ? (int64_t)most : INT64_C(4000000000000000000);
    for (uint64_t i = 0; i < n; i++)
        expected[i] = test_random_between(random, -last / 4, last);
    expected[0] = 1;
    expected[1] = 7;
}

static void test_every_grid_is_found_again(void **state)
{
    (void)state;
    uint64_t seed = test_seed("every grid");
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        spk_rate rate = GRIDS[test_random_below(&random, N_GRIDS)];
        uint64_t n = 2 + test_random_below(&random, 300), way = test_random_below(&random, 3);
        draw(&random, rate, pow(10, 5 * test_random_real(&random)), n);
        double largest = 0;
        for (uint64_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(make_seconds(expected[i], rate, 0)));
        if (way == 2 && largest < 0.5) /* the difference of much larger times: no grid is known */
            way = 1;
        for (uint64_t i = 0; i < n; i++)
            seconds[i] = make_seconds(expected[i], rate, way);
        spk_clock clock = find(n, NULL);
        expect_rate(&clock, rate);
        assert_int_equal(clock.found, SPK_CLOCK_GRID);
        assert_true(clock.worst_s <= clock.rounding_s);
        expect_ticks(n, rate);
    }
}

static void test_floats_of_32_bit(void **state)
{
    (void)state;
    const spk_clock_hints single = {.single = true};
    uint64_t seed = test_seed("floats of 32 bit");
    for (uint64_t c = 0; c < test_scaled(500); c++) {
        test_random random = test_random_make(seed, c);
        spk_rate rate = GRIDS[test_random_below(&random, 12)];
        uint64_t n = 200 + test_random_below(&random, 300);
        draw(&random, rate, 5e6 * (double)rate.denominator / (double)rate.numerator, n);
        for (uint64_t i = 0; i < n; i++)
            seconds[i] = (double)(float)make_seconds(expected[i], rate, 0);
        spk_clock clock = find(n, &single);
        expect_rate(&clock, rate);
        expect_ticks(n, rate);
    }
}

/* 30 kHz samples of an hour in 32 bit: 2e-4 s between two numbers, so that no grid can be told. */
static void test_long_recordings_in_32_bit_have_no_grid(void **state)
{
    (void)state;
    const spk_rate rate = {30000, 1};
    const spk_clock_hints single = {.single = true},
                          declared = {.rate = &rate, .n = 1, .declared = true, .single = true};
    test_random random = test_random_make(test_seed("long recordings in 32 bit"), 0);
    for (int i = 0; i < 1000; i++)
        seconds[i] = (double)(float)((double)test_random_between(&random, 0, 108000000) / 30000);
    spk_clock clock = find(1000, &single);
    assert_int_equal(clock.found, SPK_CLOCK_NANOSECOND);
    spk_clock_tell(context, "rec.npy", &clock, &(spk_recording_facts){.lines = 0});
    assert_non_null(strstr(notes, "coarser than that"));
    /* With a declared rate they lie within their rounding of its samples. */
    clock = find(1000, &declared);
    assert_int_equal(clock.found, SPK_CLOCK_DECLARED);
    assert_true(clock.worst_s <= 0.5 / 30000 + 1e-12);
}

/* ---- no grid --------------------------------------------------------------------------------- */

static void test_times_off_every_grid_are_nanoseconds(void **state)
{
    (void)state;
    uint64_t seed = test_seed("off every grid");
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed, c);
        uint64_t n = 50 + test_random_below(&random, 100);
        for (uint64_t i = 0; i < n; i++) {
            seconds[i] = 1000 * test_random_real(&random) - 100;
            expected[i] = (int64_t)llrintl((long double)seconds[i] * 1e9L);
        }
        spk_clock clock = find(n, NULL);
        assert_int_equal(clock.found, SPK_CLOCK_NANOSECOND);
        assert_true(clock.worst_s > 1e-10 && clock.worst_s <= 0.51e-9);
        assert_string_equal(clock.origin, "1ns: no grid fits");
        for (uint64_t i = 0; i < n; i++) {
            int64_t tick;
            assert_true(spk_clock_tick(seconds[i], clock.rate, &tick));
            assert_true(llabs(tick - expected[i]) <= 1);
            assert_true(fabsl((long double)tick - (long double)seconds[i] * 1e9L) <= 0.5001L);
        }
    }
}

/* Wherever it stands, and however many fit. */
static void test_one_time_off_the_grid_decides(void **state)
{
    (void)state;
    uint64_t seed = test_seed("one time off the grid");
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        uint64_t n = 2 + test_random_below(&random, MOST - 2);
        draw(&random, (spk_rate){1000, 1}, 3600, n);
        for (uint64_t i = 0; i < n; i++)
            seconds[i] = (double)expected[i] / 1000;
        uint64_t odd = 2 + test_random_below(&random, n - 1);
        odd = odd < n ? odd : n - 1;
        expected[odd] = 10 * expected[odd] + 3;
        seconds[odd] = (double)expected[odd] / 10000;
        for (uint64_t i = 0; i < n; i++)
            expected[i] *= i == odd ? 1 : 10;
        spk_clock clock = find(n, NULL);
        expect_rate(&clock, (spk_rate){10000, 1});
        expect_ticks(n, clock.rate);
    }
}

/* ---- single cases ---------------------------------------------------------------------------- */

static void test_whole_seconds_are_on_all_grids(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        seconds[i] = i - 30;
    spk_clock clock = find(100, NULL);
    expect_rate(&clock, (spk_rate){1, 1});
    assert_string_equal(clock.origin, "a grid of 1s");
    assert_true(clock.worst_s == 0);
}

static void test_sums_and_differences(void **state)
{
    (void)state;
    const double values[] = {0.1 + 0.2, 1.1 + 2.2, 0.3 - 0.1 - 0.2, 1000.1 - 1000, 4.35 * 100};
    memcpy(seconds, values, sizeof values);
    seconds[5] = 1000;
    spk_clock clock = find(6, NULL);
    expect_rate(&clock, (spk_rate){10, 1});
}

static void test_samples_after_ten_hours(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        expected[i] = INT64_C(1080000000) + i;
        seconds[i] = (double)expected[i] * (1.0 / 30000);
    }
    spk_clock clock = find(1000, NULL);
    expect_rate(&clock, (spk_rate){30000, 1});
    assert_string_equal(clock.origin, "a grid of 1/30000s");
    expect_ticks(1000, clock.rate);
}

static void test_hints_and_declared_rates(void **state)
{
    (void)state;
    const spk_rate odd = {30003, 1}, wrong = {25000, 1}, fine = {1000000, 1};
    const spk_clock_hints hint = {.rate = &odd, .n = 1},
                          false_one = {.rate = &wrong, .n = 1, .declared = true},
                          finer = {.rate = &fine, .n = 1, .declared = true};
    for (int i = 0; i < 1000; i++)
        seconds[i] = (double)(7 * i + 1) / 30003;
    spk_clock clock = find(1000, NULL);
    assert_int_equal(clock.found, SPK_CLOCK_NANOSECOND);
    clock = find(1000, &hint);
    expect_rate(&clock, odd);
    assert_int_equal(clock.found, SPK_CLOCK_GRID);
    for (int i = 0; i < 1000; i++)
        seconds[i] = (double)(7 * i + 1) / 30000;
    clock = find(1000, &false_one);
    expect_rate(&clock, (spk_rate){30000, 1});
    assert_true(clock.misfit && clock.misfit_s > 1e-5 && clock.misfit_s < 2.1e-5);
    spk_recording_facts facts = {.clock = "another one"}; /* which was told where it was found */
    notes[0] = '\0';
    spk_clock_tell(context, "rec.nwb", &clock, &facts);
    assert_non_null(strstr(notes, "rec.nwb: times are not on the file's own clock"));
    assert_null(strstr(notes, "taken to lie on"));
    spk_clock_facts(&clock, &facts);
    spk_clock_tell(context, "rec.nwb", &clock, &facts);
    assert_non_null(strstr(notes, "rec.nwb: times are taken to lie on a grid of 1/30000s"));
    for (int i = 0; i < 1000; i++)
        seconds[i] = i * 0.5;
    clock = find(1000, &finer); /* what the file declares goes before what is coarsest */
    expect_rate(&clock, fine);
    assert_string_equal(clock.origin, "the file's clock of 1us");
}

static void test_no_times_at_all(void **state)
{
    (void)state;
    const spk_rate rate = {30000, 1};
    const spk_clock_hints declared = {.rate = &rate, .n = 1, .declared = true};
    spk_clock clock = find(0, NULL);
    expect_rate(&clock, (spk_rate){1000000000, 1});
    clock = find(0, &declared);
    expect_rate(&clock, rate);
}

static void test_times_that_are_none(void **state)
{
    (void)state;
    spk_clock clock;
    for (int i = 0; i < 100; i++)
        seconds[i] = i;
    seconds[63] = NAN;
    assert_int_equal(spk_clock_find(context, seconds, 100, NULL, &clock), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "time 63 (from 0) is NaN"));
    seconds[63] = -INFINITY;
    assert_int_equal(spk_clock_find(context, seconds, 100, NULL, &clock), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "time 63 (from 0) is infinite"));
    seconds[63] = 1e300;
    assert_int_equal(spk_clock_find(context, seconds, 100, NULL, &clock), SPK_ERR_RANGE);
    assert_non_null(strstr(spk_context_message(context), "time 63 (from 0), 1e+300 s"));
    assert_int_equal(spk_clock_ticks(context, (spk_rate){1, 1}, seconds, 100), SPK_ERR_RANGE);
    assert_non_null(strstr(spk_context_message(context), "time 63"));
}

static void test_single_ticks_are_exact(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        spk_rate rate;
        bool good;
        int64_t tick;
    } cases[] = {
        {0.5, {1, 1}, true, 1},
        {-0.5, {1, 1}, true, -1},
        {0.49999999999999994, {1, 1}, true, 0},
        {0x1p62, {1, 1}, true, INT64_C(1) << 62},
        {0x1p63, {1, 1}, false, 0},
        {-0x1p63, {1, 1}, true, INT64_MIN},
        {0x1p62, {2, 1}, false, 0},
        {-0x1p62, {2, 1}, true, INT64_MIN},
        {4.9e-324, {UINT64_MAX, 1}, true, 0},
        {1e308, {1, UINT64_MAX}, false, 0},
        {0x1p62, {1, UINT64_C(1) << 50}, true, INT64_C(1) << 12},
        {9007199254740993e-9, {1000000000, 1}, true, 9007199254740993},
        {3.0, {1, 2}, true, 2},
        {1.0, {390625, 16}, true, 24414},
        {8.0, {390625, 16}, true, 195313}, /* 195312.5 */
        {NAN, {1, 1}, false, 0},
        {INFINITY, {1, 1}, false, 0},
        {-0.0, {1, 1}, true, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int64_t tick = 0;
        bool good = spk_clock_tick(cases[k].seconds, cases[k].rate, &tick);
        if (good != cases[k].good || tick != cases[k].tick)
            fail_msg("case %zu: %d %lld", k, good, (long long)tick);
    }
}

static void test_rates_of_floating_point(void **state)
{
    (void)state;
    static const struct {
        double value;
        bool step;
        spk_rate rate;
    } cases[] = {{30000, false, {30000, 1}},
                 {24414.0625, false, {390625, 16}},
                 {30000.1, false, {300001, 10}},
                 {29999.954846, false, {14999977423, 500000}},
                 {1e-6, true, {1000000, 1}},
                 {1.0 / 30000, true, {30000, 1}},
                 {4.096e-5, true, {390625, 16}},
                 {0.0333, true, {10000, 333}},
                 {0.5, true, {2, 1}},
                 {31415.926535897932, false, {0, 1}},
                 {-1, false, {0, 1}},
                 {0, true, {0, 1}},
                 {NAN, true, {0, 1}},
                 {INFINITY, false, {0, 1}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_rate rate;
        bool good = cases[k].step ? spk_clock_rate_of_step(cases[k].value, &rate)
                                  : spk_clock_rate_of(cases[k].value, &rate);
        if (good != (cases[k].rate.numerator > 0) || rate.numerator != cases[k].rate.numerator ||
            rate.denominator != cases[k].rate.denominator)
            fail_msg("case %zu: %llu/%llu", k, (unsigned long long)rate.numerator,
                     (unsigned long long)rate.denominator);
    }
}

static void test_the_facts_say_so(void **state)
{
    (void)state;
    spk_recording_facts facts = {.lines = 0};
    seconds[0] = 0.25;
    spk_clock clock = find(1, NULL);
    spk_clock_facts(&clock, &facts);
    assert_string_equal(facts.clock, "a grid of 10ms");
    assert_true(facts.clock_worst_s == clock.worst_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_grid_is_found_again),
        cmocka_unit_test(test_floats_of_32_bit),
        cmocka_unit_test(test_long_recordings_in_32_bit_have_no_grid),
        cmocka_unit_test(test_times_off_every_grid_are_nanoseconds),
        cmocka_unit_test(test_one_time_off_the_grid_decides),
        cmocka_unit_test(test_whole_seconds_are_on_all_grids),
        cmocka_unit_test(test_sums_and_differences),
        cmocka_unit_test(test_samples_after_ten_hours),
        cmocka_unit_test(test_hints_and_declared_rates),
        cmocka_unit_test(test_no_times_at_all),
        cmocka_unit_test(test_times_that_are_none),
        cmocka_unit_test(test_single_ticks_are_exact),
        cmocka_unit_test(test_rates_of_floating_point),
        cmocka_unit_test(test_the_facts_say_so),
    };
    return cmocka_run_group_tests(tests, setup, context_teardown);
}
