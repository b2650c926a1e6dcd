/* Decimals, and durations compared and turned into ticks, against arithmetic of another kind. */
#include "base/decimal.h"
#include "support/test.h"

/* ---- decimals -------------------------------------------------------------------------------- */

static void numbers_are_kept_as_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rest;
        uint64_t digits;
        int64_t exponent, decimals;
        bool negative, more;
    } cases[] = {
        {"12.50 s", " s", 1250, -2, 2, false, false},
        {"-0.005", "", 5, -3, 3, true, false},
        {"+7e3", "", 7, 3, 0, false, false},
        {"7e", "e", 7, 0, 0, false, false},
        {"7e+x", "e+x", 7, 0, 0, false, false},
        {"1.25e1", "", 125, -1, 1, false, false},
        {"5.", "", 5, 0, 0, false, false},
        {".5.", ".", 5, -1, 1, false, false},
        {"1e-99999999999999999999", "", 1, -999999999999999999, 999999999999999999, false, false},
        {"0000000000000000000000000000000000000000001.5", "", 15, -1, 1, false, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_written_decimal number;
        const char *rest = NULL;
        assert_true(spk_decimal_scan(cases[k].text, strchr(cases[k].text, '\0'), &number, &rest));
        assert_string_equal(rest, cases[k].rest);
        assert_true(number.digits == cases[k].digits);
        assert_true(number.exponent == cases[k].exponent);
        assert_true(number.decimals == cases[k].decimals);
        assert_true(number.negative == cases[k].negative && number.more == cases[k].more);
    }
    static const char *const none[] = {"", ".", "-", "+.", "e5", "x", " 1"};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        spk_written_decimal number;
        const char *rest = NULL;
        assert_false(spk_decimal_scan(none[k], strchr(none[k], '\0'), &number, &rest));
    }
}

/* 38 digits are kept; of the others it is told whether any was not zero. */
static void long_numbers_are_cut_and_say_so(void **state)
{
    (void)state;
    static const char digits[] = "12345678901234567890123456789012345678";
    for (int kind = 0; kind < 3; kind++) {
        char text[64];
        spk_written_decimal number;
        const char *rest = NULL;
        snprintf(text, sizeof text, "%s%s", digits, kind == 0 ? "" : kind == 1 ? "000" : "001");
        assert_true(spk_decimal_scan(text, strchr(text, '\0'), &number, &rest));
        assert_true(number.more == (kind == 2) && *rest == '\0');
        assert_int_equal(number.exponent, kind == 0 ? 0 : 3);
        for (int k = 37; k >= 0; k--, number.digits /= 10)
            assert_int_equal((int)(number.digits % 10), digits[k] - '0');
    }
}

static void whole_numbers_end_at_64_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {{"0", true, 0},
                 {"0042x", true, 42},
                 {"18446744073709551615", true, UINT64_MAX},
                 {"18446744073709551616", false, 0},
                 {"99999999999999999999999", false, 0},
                 {"-1", false, 0},
                 {"", false, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *at = cases[k].text;
        uint64_t value = 0;
        assert_true(spk_whole_scan(&at, strchr(at, '\0'), &value) == cases[k].good);
        if (cases[k].good)
            assert_true(value == cases[k].value && !spk_is_digit(*at));
    }
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    uint64_t seed = test_seed("what_is_written_is_read_again");
    for (uint64_t k = 0; k < test_scaled(200000); k++) {
        test_random random = test_random_make(seed, k);
        int64_t value = (int64_t)test_random_bits(&random) >> test_random_below(&random, 64);
        if (k < 2)
            value = k == 0 ? INT64_MIN : INT64_MAX;
        int decimals = (int)test_random_below(&random, 19);
        char text[24];
        spk_written_decimal number;
        const char *rest = NULL;
        size_t n = spk_decimal_format(value, decimals, text, sizeof text);
        assert_true(n < sizeof text && strlen(text) == n);
        assert_true(spk_decimal_scan(text, text + n, &number, &rest) && *rest == '\0');
        assert_int_equal(number.decimals, decimals);
        assert_true(number.digits == (value < 0 ? 0 - (uint64_t)value : (uint64_t)value));
        assert_true(number.negative == (value < 0) && number.exponent == -decimals);
    }
}

/* ---- durations ------------------------------------------------------------------------------- */

/* |digits| * 10^(exponent + 40) as decimal digits from the left, padded with zeros. */
static void spell(spk_duration d, char *out, size_t size)
{
    char digits[32];
    uint64_t magnitude = d.digits < 0 ? 0 - (uint64_t)d.digits : (uint64_t)d.digits;
    int n = snprintf(digits, sizeof digits, "%" PRIu64, magnitude);
    memset(out, '0', size - 1);
    out[size - 1] = '\0';
    memcpy(out + size - 1 - (size_t)(d.exponent + 40) - (size_t)n, digits, (size_t)n);
}

static int expected_order(spk_duration a, spk_duration b)
{
    char x[128], y[128];
    spell(a, x, sizeof x);
    spell(b, y, sizeof y);
    int order = strcmp(x, y);
    if ((a.digits < 0) != (b.digits < 0))
        return a.digits < 0 ? -1 : 1;
    order = (order > 0) - (order < 0);
    return a.digits < 0 ? -order : order;
}

static spk_duration draw_duration(test_random *random)
{
    int64_t digits = (int64_t)test_random_bits(random) >> test_random_below(random, 64);
    spk_duration d = {digits, (int32_t)test_random_between(random, -40, 40)};
    if (test_random_chance(random, 0.5))
        d = (spk_duration){digits % 100, (int32_t)test_random_between(random, -3, 3)};
    return d;
}

static void durations_are_compared_exactly(void **state)
{
    (void)state;
    uint64_t seed = test_seed("durations_are_compared_exactly");
    for (uint64_t k = 0; k < test_scaled(200000); k++) {
        test_random random = test_random_make(seed, k);
        spk_duration a = draw_duration(&random);
        spk_duration b = draw_duration(&random);
        if (test_random_chance(&random, 0.3) && a.digits % 10 == 0 && a.digits != 0)
            b = (spk_duration){a.digits / 10 + (int64_t)test_random_below(&random, 2),
                               a.exponent + 1};
        int order = spk_duration_compare(a, b);
        if (order != expected_order(a, b))
            fail_msg("%" PRId64 "e%d and %" PRId64 "e%d: %d", a.digits, a.exponent, b.digits,
                     b.exponent, order);
        assert_int_equal(spk_duration_compare(b, a), -order);
    }
    spk_duration endless = {1, SPK_DURATION_INFINITE}, long_one = {INT64_MAX, 10000}, zero = {0, 0};
    assert_int_equal(spk_duration_compare(endless, endless), 0);
    assert_int_equal(spk_duration_compare(endless, long_one), 1);
    assert_int_equal(spk_duration_compare(zero, endless), -1);
    assert_int_equal(spk_duration_compare((spk_duration){0, 5}, (spk_duration){0, -5}), 0);
}

/* For times that 128 bits hold: tick t lies at or after the time when t * denominator *
 * 10^-exponent
 * >= digits * numerator. The first such tick does, the one before does not. */
static void first_ticks_are_exact(void **state)
{
    (void)state;
    static const spk_rate rates[] = {{1, 1}, {1000, 1}, {100000, 1}, {30000, 1001}, {1, 3}, {7, 3}};
    uint64_t seed = test_seed("first_ticks_are_exact");
    for (uint64_t k = 0; k < test_scaled(200000); k++) {
        test_random random = test_random_make(seed, k);
        spk_rate rate = rates[test_random_below(&random, 6)];
        int64_t digits = test_random_between(&random, -1000000, 1000000);
        int32_t exponent = (int32_t)test_random_between(&random, -6, 0);
        __int128 scale = (__int128)rate.denominator;
        for (int32_t e = exponent; e < 0; e++)
            scale *= 10;
        __int128 time = (__int128)digits * (__int128)rate.numerator;
        int64_t tick = spk_duration_first_tick((spk_duration){digits, exponent}, rate);
        assert_true(tick * scale >= time && (tick - 1) * scale < time);
    }
    spk_rate whole = {1, 1};
    assert_true(spk_duration_first_tick((spk_duration){1, SPK_DURATION_INFINITE}, whole) ==
                INT64_MAX);
    assert_true(spk_duration_first_tick((spk_duration){1, 40}, whole) == INT64_MAX);
    assert_true(spk_duration_first_tick((spk_duration){-1, 40}, whole) == INT64_MIN);
    assert_true(spk_duration_first_tick((spk_duration){INT64_MIN, 0}, whole) == INT64_MIN);
    assert_true(spk_duration_first_tick((spk_duration){1, -40}, whole) == 1);
    assert_true(spk_duration_first_tick((spk_duration){-1, -40}, whole) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_kept_as_written),
        cmocka_unit_test(long_numbers_are_cut_and_say_so),
        cmocka_unit_test(whole_numbers_end_at_64_bits),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(durations_are_compared_exactly),
        cmocka_unit_test(first_ticks_are_exact),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
