/* Durations that are fractions: text, order and ticks against multiplication in 128 bit; moments
 * and lengths between the ticks; fractions as decimals. */
#include "base/fraction.h"
#include "support/test.h"

static spk_status parse(const char *text, spk_duration *out)
{
    return spk_duration_parse(NULL, text, strlen(text), out);
}

static spk_duration duration(const char *text)
{
    spk_duration out;
    if (parse(text, &out) != SPK_OK)
        fail_msg("'%s' is not read", text);
    return out;
}

static void fractions_keep_their_text(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"1/30s", "1/30s"},
                                           {"1/3ms", "1/3ms"},
                                           {"8/30s", "8/30s"},
                                           {"4/15s", "4/15s"},
                                           {"10/30s", "10/30s"},
                                           {"8/30ms", "8/30ms"},
                                           {"8/30000s", "8/30000s"},
                                           {"30/60s", "500ms"},
                                           {"-1/30 s", "-1/30s"},
                                           {"1/4s", "250ms"},
                                           {"10/5ms", "2ms"},
                                           {"0/7s", "0"},
                                           {"0/7", "0"},
                                           {"1.5/4.5ms", "1/3ms"},
                                           {"1/24414.0625s", "40.96us"},
                                           {"100/3ms", "100/3ms"},
                                           {"1/48000s", "1/48000s"},
                                           {"11/44100s", "11/44100s"},
                                           {"1e-9/7s", "1/7ns"},
                                           {"1e-40/7s", "1e-40/7s"},
                                           {"1e40/7s", "1e40/7s"},
                                           {"999999999999999999/17s", "999999999999999999/17s"},
                                           {"1/4294967291s", "1/4294967291s"}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        char text[48];
        spk_duration first = duration(pairs[k][0]);
        assert_true(spk_duration_format(first, text, sizeof text) < sizeof text);
        assert_string_equal(text, pairs[k][1]);
        spk_duration again = duration(text);
        assert_int_equal(spk_duration_compare(first, again), 0);
        spk_duration_format(again, text, sizeof text);
        assert_string_equal(text, pairs[k][1]);
    }
}

/* So many frames read as such, whatever the clock that counts them; equal lengths are equal. */
static void ticks_are_fractions_of_their_clock(void **state)
{
    (void)state;
    static const struct {
        int64_t tick;
        spk_rate rate;
        const char *text;
    } cases[] = {
        {8, {30, 1}, "8/30s"},   {32, {30, 1}, "32/30s"},     {10, {30, 1}, "10/30s"},
        {5, {60, 1}, "5/60s"},   {8000, {30000, 1}, "8/30s"}, {8, {30000, 1001}, "8008/30ms"},
        {-8, {30, 1}, "-8/30s"}, {3, {30, 1}, "100ms"},       {150, {30000, 1}, "5ms"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[48];
        spk_duration made, reduced;
        assert_true(spk_duration_of_tick(cases[k].tick, cases[k].rate, &made));
        spk_duration_format(made, text, sizeof text);
        assert_string_equal(text, cases[k].text);
        reduced = spk_duration_reduce(made);
        assert_int_equal(spk_duration_compare(made, reduced), 0);
        assert_int_equal(spk_duration_ticks(made, cases[k].rate),
                         cases[k].tick > 0 ? cases[k].tick : 0);
    }
    spk_duration a = spk_duration_reduce(duration("8/30s"));
    spk_duration b = spk_duration_reduce(duration("4/15s"));
    assert_memory_equal(&a, &b, sizeof a);
}

static void fractions_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"1/30",  "1/s",    "1/0s",   "1/-3s",  "/3s",
                                      "1//3s", "1/3/3s", "1/infs", "inf/3s", "1/ 3s"};
    static const char *const wild[] = {"1/4294967311s", "1/1234567890123456789s",
                                       "999999999999999999/16s", "1e-10000/7ms", "1e6000/1e-6000s"};
    spk_duration out;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        if (parse(bad[k], &out) != SPK_ERR_FORMAT)
            fail_msg("'%s'", bad[k]);
    for (size_t k = 0; k < sizeof wild / sizeof wild[0]; k++)
        if (parse(wild[k], &out) != SPK_ERR_RANGE)
            fail_msg("'%s'", wild[k]);
}

/* The decimals are what they were before there were fractions: {digits, exponent}. */
static void a_decimal_needs_no_divisor(void **state)
{
    (void)state;
    spk_duration five = {5, -3}, one = {5, -3, 1};
    char text[48];
    assert_int_equal(spk_duration_compare(five, duration("5ms")), 0);
    assert_int_equal(spk_duration_compare(five, one), 0);
    assert_int_equal(duration("5ms").divisor, 0);
    spk_duration_format(one, text, sizeof text);
    assert_string_equal(text, "5ms");
    assert_int_equal(spk_duration_ticks(one, (spk_rate){1000, 1}), 5);
}

/* ---- against multiplication ------------------------------------------------------------------ */

/* up / down seconds, both small. */
typedef struct ratio {
    int64_t up, down;
} ratio;

static ratio draw(test_random *random)
{
    return (ratio){test_random_between(random, -20000, 20000),
                   test_random_between(random, 1, 3000)};
}

static spk_duration duration_of(ratio value)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRId64 "/%" PRId64 "s", value.up, value.down);
    return duration(text);
}

static void fractions_are_ordered_and_counted_exactly(void **state)
{
    (void)state;
    uint64_t seed = test_seed("fractions_are_ordered_and_counted_exactly");
    for (uint64_t number = 0; number < test_scaled(50000); number++) {
        test_random random = test_random_make(seed, number);
        ratio a = draw(&random), b = test_random_chance(&random, 0.1) ? a : draw(&random);
        b.up += test_random_chance(&random, 0.1);
        spk_duration x = duration_of(a), y = duration_of(b);
        int64_t left = a.up * b.down, right = b.up * a.down;
        assert_int_equal(spk_duration_compare(x, y), (left > right) - (left < right));
        char text[48];
        spk_duration_format(x, text, sizeof text);
        assert_int_equal(spk_duration_compare(x, duration(text)), 0);

        spk_rate rate = {(uint64_t)test_random_between(&random, 1, 50000),
                         (uint64_t)test_random_between(&random, 1, 50)};
        int64_t up = a.up * (int64_t)rate.numerator, down = a.down * (int64_t)rate.denominator;
        int64_t first = spk_duration_first_tick(x, rate);
        assert_true(first * down >= up && (first - 1) * down < up);
        int64_t ticks = (int64_t)spk_duration_ticks(x, rate);
        if (a.up > 0)
            assert_true(ticks * down <= up && (ticks + 1) * down > up);
        else
            assert_int_equal(ticks, 0);

        spk_moment moment;
        spk_duration of_tick;
        assert_true(spk_duration_of_tick(first, rate, &of_tick));
        assert_true(spk_moment_of(of_tick, rate, &moment));
        assert_true(moment.tick == first && moment.part == 0);
        assert_true(spk_moment_of(x, rate, &moment));
        assert_int_equal(moment.tick, first);
        assert_true(moment.part < moment.parts);
        /* tick - part / parts = up / down */
        assert_true((__int128)down * (moment.tick * (__int128)moment.parts - moment.part) ==
                    (__int128)up * moment.parts);
        uint64_t numerator, denominator;
        if (a.up > 0) {
            assert_true(spk_length_of(x, rate, &numerator, &denominator));
            assert_true((__int128)numerator * down == (__int128)denominator * up);
        }
    }
}

/* Where 128 bits do not hold digits x rate x 10^exponent, the quotient still comes out. */
static void ticks_without_an_exact_time_are_refused(void **state)
{
    (void)state;
    spk_duration out;
    assert_false(spk_duration_of_tick(1, (spk_rate){4294967311u, 1}, &out)); /* a prime */
    assert_false(spk_duration_of_tick(INT64_MIN, (spk_rate){7, 1}, &out));
    assert_true(spk_duration_of_tick(-3, (spk_rate){30000, 1}, &out));
    assert_int_equal(spk_duration_compare(out, (spk_duration){-1, -4, 0}), 0);
    assert_true(spk_duration_of_tick(0, (spk_rate){4294967311u, 1}, &out));
    assert_int_equal(out.digits, 0);
}

static void ticks_at_the_limits(void **state)
{
    (void)state;
    const spk_rate slow = {1, UINT64_C(10000000000000000000)}, fast = {UINT64_MAX, 1};
    assert_true(spk_duration_ticks((spk_duration){3, 37}, slow) == 3000000000000000000u);
    assert_true(spk_duration_ticks((spk_duration){3, 37, 3}, slow) == 1000000000000000000u);
    assert_true(spk_duration_ticks((spk_duration){7, 37, 4294967291}, slow) ==
                UINT64_C(7000000000000000000) / 4294967291);
    assert_true(spk_duration_ticks((spk_duration){1, 0, 3}, fast) == UINT64_MAX / 3);
    assert_true(spk_duration_ticks((spk_duration){INT64_MAX, 0, 1}, fast) == UINT64_MAX);
    assert_true(spk_duration_ticks((spk_duration){1, -10000, 3}, fast) == 0);
    assert_true(spk_duration_ticks((spk_duration){1, 10000, 4294967291}, slow) == UINT64_MAX);
    assert_true(spk_duration_first_tick((spk_duration){-1, 10000, 7}, slow) == INT64_MIN);
    assert_true(spk_duration_first_tick((spk_duration){-1, -10000, 7}, slow) == 0);
    assert_true(spk_duration_first_tick((spk_duration){1, -10000, 7}, slow) == 1);
    spk_duration third = {1, 0, 3}, near = {333333333333333333, -18}, far = {1, -10000, 3};
    assert_int_equal(spk_duration_compare(third, near), 1);
    assert_int_equal(spk_duration_compare(far, third), -1);
    assert_int_equal(spk_duration_compare((spk_duration){-1, 0, 3}, far), -1);
    assert_int_equal(
        spk_duration_compare((spk_duration){INT64_MIN, 0, 3}, (spk_duration){INT64_MIN, 0, 2}), 1);
    spk_moment moment;
    assert_true(spk_moment_of((spk_duration){1, 30}, fast, &moment) && moment.tick == INT64_MAX);
    assert_false(spk_moment_of((spk_duration){1, -30}, (spk_rate){1, 1}, &moment));
    uint64_t up, down, least;
    assert_false(spk_length_of((spk_duration){1, -30}, (spk_rate){1, 1}, &up, &down));
    assert_false(spk_length_of((spk_duration){1, 30}, (spk_rate){1, 1}, &up, &down));
    assert_false(spk_length_of((spk_duration){1, SPK_DURATION_INFINITE}, slow, &up, &down));
    assert_true(spk_least_multiple(INT64_MAX, INT64_MAX, &least) && least == INT64_MAX);
    assert_false(spk_least_multiple(INT64_MAX, 2, &least));
}

/* ---- decimals -------------------------------------------------------------------------------- */

static void fractions_print_exactly_or_rounded_down(void **state)
{
    (void)state;
    static const struct {
        int64_t up;
        uint64_t down;
        const char *text;
    } cases[] = {{1, 65536, "0.0000152587890625"},
                 {-1, 65536, "-0.0000152587890625"},
                 {1, 16777216, "0.000000059604644775390625"},
                 {1, 33554432, "0.000000029802"},
                 {16, 390625, "0.00004096"},
                 {1, 3, "0.333333333333"},
                 {-1, 3, "-0.333333333334"},
                 {-2999999999999999999, 3000000000000000000, "-1"},
                 {2999999999999999999, 3000000000000000000, "0.999999999999"},
                 {-6, 3, "-2"},
                 {0, 7, "0"},
                 {10, 4, "2.5"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[48];
        size_t n = spk_fraction_format(cases[k].up, cases[k].down, 12, text, sizeof text);
        assert_int_equal(n, strlen(cases[k].text));
        assert_string_equal(text, cases[k].text);
    }
    char text[48];
    const __int128 most = (__int128)(((unsigned __int128)1 << 127) - 1);
    assert_true(spk_fraction_format(most, 3, 24, text, sizeof text) < sizeof text);
    assert_string_equal(text, "56713727820156410577229101238628035242.3333333");
    assert_true(spk_fraction_format(-most, 1, 24, text, sizeof text) < sizeof text);
    assert_string_equal(text, "-170141183460469231731687303715884105727");
}

/* A time that was printed means the same tick when it is given as a start. */
static void printed_times_are_their_ticks_again(void **state)
{
    (void)state;
    static const spk_rate rates[] = {{30000, 1},      {24414, 1}, {390625, 16}, {44100, 1},
                                     {65536, 1},      {3, 1},     {30, 7},      {1000000007, 1},
                                     {UINT64_MAX, 1}, {1, 1},     {2000000, 3}, {7, 1000000}};
    uint64_t seed = test_seed("printed_times_are_their_ticks_again");
    for (uint64_t number = 0; number < test_scaled(2400); number++) {
        test_random random = test_random_make(seed, number);
        int64_t most = number % 2 == 0 ? 1000 : INT64_C(100000000000000);
        spk_rate rate = rates[number % 12];
        int64_t tick = test_random_between(&random, -most, most);
        spk_recording_source source = {.struct_size = sizeof source, .rate = rate};
        spk_recording *recording = NULL;
        char text[64];
        assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
        size_t n = spk_recording_format_time(recording, tick, text, 48);
        spk_recording_free(recording);
        if (n > 18) /* a duration has 18 digits */
            continue;
        memcpy(text + n, "s", 2);
        if (spk_duration_first_tick(duration(text), rate) != tick)
            fail_msg("tick %" PRId64 " of %" PRIu64 "/%" PRIu64 " printed as %s", tick,
                     rate.numerator, rate.denominator, text);
    }
}

static void rates_are_read_as_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        spk_rate rate;
        spk_status status;
    } cases[] = {{"30000", {30000, 1}, SPK_OK},
                 {"24414.0625", {390625, 16}, SPK_OK},
                 {"390625/16", {390625, 16}, SPK_OK},
                 {"60000/4", {15000, 1}, SPK_OK},
                 {"1e3/3", {1000, 3}, SPK_OK},
                 {"0", {0, 1}, SPK_ERR_FORMAT},
                 {"-5", {0, 1}, SPK_ERR_FORMAT},
                 {"", {0, 1}, SPK_ERR_FORMAT},
                 {"30k", {0, 1}, SPK_ERR_FORMAT},
                 {"5/0", {0, 1}, SPK_ERR_FORMAT},
                 {"1234567890123456789", {0, 1}, SPK_ERR_RANGE},
                 {"1e30", {0, 1}, SPK_ERR_RANGE}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_rate rate;
        assert_int_equal(spk_rate_parse(NULL, cases[k].text, strlen(cases[k].text), &rate),
                         cases[k].status);
        if (cases[k].status == SPK_OK)
            assert_true(rate.numerator == cases[k].rate.numerator &&
                        rate.denominator == cases[k].rate.denominator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_keep_their_text),
        cmocka_unit_test(ticks_are_fractions_of_their_clock),
        cmocka_unit_test(fractions_that_do_not_fit_are_refused),
        cmocka_unit_test(a_decimal_needs_no_divisor),
        cmocka_unit_test(fractions_are_ordered_and_counted_exactly),
        cmocka_unit_test(ticks_without_an_exact_time_are_refused),
        cmocka_unit_test(ticks_at_the_limits),
        cmocka_unit_test(fractions_print_exactly_or_rounded_down),
        cmocka_unit_test(rates_are_read_as_fractions),
        cmocka_unit_test(printed_times_are_their_ticks_again),
    };
    return cmocka_run_group_tests_name("duration", tests, NULL, NULL);
}
