/* The tests' own tools: a wrong generator would make every random test say less than it claims. */
#include "support/test.h"

/* First outputs of xoshiro256** from the state {1, 2, 3, 4}, as published with other libraries
 * (numpy, Rust's rand_xoshiro). */
static void generator_gives_the_published_numbers(void **state)
{
    (void)state;
    static const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240),
                                        UINT64_C(1216172134540287360)};
    test_random random = {{1, 2, 3, 4}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        assert_true(test_random_bits(&random) == expected[k]);
}

static void same_seed_and_case_repeat(void **state)
{
    (void)state;
    test_random a = test_random_make(7, 3);
    test_random b = test_random_make(7, 3);
    test_random other_case = test_random_make(7, 4);
    test_random other_seed = test_random_make(8, 3);
    uint64_t first = test_random_bits(&a);
    assert_true(first == test_random_bits(&b));
    assert_true(first != test_random_bits(&other_case));
    assert_true(first != test_random_bits(&other_seed));
}

static void ranges_are_kept_and_filled(void **state)
{
    (void)state;
    test_random random = test_random_make(test_seed("ranges_are_kept_and_filled"), 0);
    unsigned seen[7] = {0};
    for (int k = 0; k < 7000; k++) {
        int64_t value = test_random_between(&random, -3, 3);
        assert_in_range(value + 3, 0, 6);
        seen[value + 3]++;
        double real = test_random_real(&random);
        assert_true(real >= 0 && real < 1);
    }
    /* Expected 1000 each, standard deviation 29: 12 of them away is no accident. */
    for (size_t k = 0; k < 7; k++)
        assert_in_range(seen[k], 650, 1350);
    assert_true(test_random_below(&random, 1) == 0);
    assert_true(test_random_between(&random, INT64_MAX, INT64_MAX) == INT64_MAX);
    test_random_between(&random, INT64_MIN, INT64_MAX);
}

static void scale_follows_the_environment(void **state)
{
    (void)state;
    const char *before = getenv("SPIKEMINE_TEST_SCALE");
    char *kept = before != NULL ? strdup(before) : NULL;
    static const struct {
        const char *text;
        uint64_t of_1000;
        uint64_t of_1;
    } cases[] = {{"1", 1000, 1}, {"0.1", 100, 1}, {"2", 2000, 2}, {"0", 1000, 1}, {"x", 1000, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(setenv("SPIKEMINE_TEST_SCALE", cases[k].text, 1), 0);
        assert_int_equal(test_scaled(1000), cases[k].of_1000);
        assert_int_equal(test_scaled(1), cases[k].of_1);
        assert_int_equal(test_scaled(0), 0);
    }
    if (kept != NULL)
        setenv("SPIKEMINE_TEST_SCALE", kept, 1);
    else
        unsetenv("SPIKEMINE_TEST_SCALE");
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_gives_the_published_numbers),
        cmocka_unit_test(same_seed_and_case_repeat),
        cmocka_unit_test(ranges_are_kept_and_filled),
        cmocka_unit_test(scale_follows_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
