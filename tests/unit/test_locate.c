/* The locator: windows of a pattern against a look at every window, for items of all densities,
 * with rows of bits and without, from recordings and from transactions with empty lines. */
#include "support/test.h"

static bool has_item(const spk_window_columns *c, uint64_t w, uint32_t item)
{
    for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++)
        if (c->item[k] == item)
            return true;
    return false;
}

static bool has_all(const spk_window_columns *c, uint64_t w, uint32_t size, const uint32_t *items)
{
    for (uint32_t k = 0; k < size; k++)
        if (!has_item(c, w, items[k]))
            return false;
    return true;
}

/* Returns the number of windows found. */
static uint32_t check_pattern(spk_pattern_locator *locator, const spk_window_columns *c,
                              uint32_t size, const uint32_t *items)
{
    const uint32_t *window = NULL;
    uint32_t n = 0, k = 0;
    assert_int_equal(spk_pattern_locate(locator, size, items, &window, &n), SPK_OK);
    for (uint64_t w = 0; w < c->n_windows; w++)
        if (has_all(c, w, size, items)) {
            assert_true(k < n);
            assert_int_equal(window[k++], w);
        }
    assert_int_equal(k, n);
    return n;
}

static uint32_t check_windows(spk_context *context, const spk_windows *windows, test_random *random)
{
    const spk_window_columns c = spk_windows_columns(windows);
    const uint64_t n_items = (uint64_t)c.n_units * c.window;
    spk_pattern_locator *locator = NULL;
    uint32_t n_found = 0;
    assert_int_equal(spk_pattern_locator_create(context, windows, &locator), SPK_OK);
    for (int turn = 0; turn < 30; turn++) {
        uint32_t items[5], size = 1 + (uint32_t)test_random_below(random, 5);
        for (uint32_t k = 0; k < size; k++)
            items[k] = (uint32_t)test_random_below(random, n_items);
        n_found += check_pattern(locator, &c, size, items);
    }
    spk_pattern_locator_free(locator);
    return n_found;
}

/* Lines of items, each there with its unit's chance: from one window in a thousand to nearly all.
 */
static spk_windows *random_transactions(spk_context *context, test_random *random, uint32_t n_units,
                                        uint32_t window)
{
    static const double chances[] = {0.001, 0.01, 0.05, 0.3, 0.9};
    const uint64_t n_lines = 1 + test_random_below(random, 300);
    const size_t room = n_lines * (7 * (size_t)n_units * window + 1) + 1;
    double chance[32];
    size_t length = 0;
    char *text = malloc(room);
    assert_non_null(text);
    const uint64_t densest =
        1 + test_random_below(random, 5); /* 1: rare items only, without rows */
    for (uint32_t unit = 0; unit < n_units; unit++)
        chance[unit] = chances[test_random_below(random, densest)];
    for (uint64_t line = 0; line < n_lines; line++) {
        for (uint32_t item = 0; item < n_units * window; item++)
            if (test_random_chance(random, chance[item / window]))
                length += (size_t)snprintf(text + length, room - length, "%u ", item);
        text[length++] = '\n';
    }
    spk_windows *windows = NULL;
    assert_int_equal(
        spk_windows_parse_transactions(context, "lines", text, length, n_units, window, &windows),
        SPK_OK);
    free(text);
    return windows;
}

static void windows_are_those_that_contain_the_pattern(void **state)
{
    (void)state;
    const uint64_t seed = test_seed("locate");
    spk_context *context = NULL;
    uint32_t n_found = 0;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (uint64_t turn = 0; turn < 20 + test_scaled(400); turn++) {
        test_random random = test_random_make(seed, turn);
        const uint32_t n_units = 1 + (uint32_t)test_random_below(&random, 12);
        const uint32_t window = 1 + (uint32_t)test_random_below(&random, 4);
        spk_windows *windows = random_transactions(context, &random, n_units, window);
        n_found += check_windows(context, windows, &random);
        spk_windows_free(windows);
    }
    assert_true(n_found > 500);
    spk_context_free(context);
}

/* More windows than a row's words, so that a pattern of common items is met row by row, one with a
 * rare item by its windows; the last word is not full. */
static void common_and_rare_items(void **state)
{
    (void)state;
    enum { LINES = 1000 };
    char *text = malloc(LINES * 8);
    size_t length = 0;
    spk_context *context = NULL;
    spk_windows *windows = NULL;
    spk_pattern_locator *locator = NULL;
    assert_non_null(text);
    for (int line = 0; line < LINES; line++)
        length += (size_t)snprintf(text + length, 8, "0%s%s\n", line % 3 != 0 ? " 1" : "",
                                   line % 333 == 0 ? " 2" : "");
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_windows_parse_transactions(context, "lines", text, length, 4, 1, &windows),
                     SPK_OK);
    const spk_window_columns c = spk_windows_columns(windows);
    assert_int_equal(spk_pattern_locator_create(context, windows, &locator), SPK_OK);
    assert_int_equal(check_pattern(locator, &c, 1, (const uint32_t[]){0}), LINES);
    assert_int_equal(check_pattern(locator, &c, 2, (const uint32_t[]){0, 1}), 666);
    assert_int_equal(check_pattern(locator, &c, 2, (const uint32_t[]){2, 0}), 4);
    assert_int_equal(check_pattern(locator, &c, 3, (const uint32_t[]){0, 1, 2}), 0);
    assert_int_equal(check_pattern(locator, &c, 2, (const uint32_t[]){3, 0}), 0); /* silent */
    spk_pattern_locator_free(locator);
    spk_windows_free(windows);
    spk_context_free(context);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_those_that_contain_the_pattern),
        cmocka_unit_test(common_and_rare_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
