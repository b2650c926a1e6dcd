/* Sorting of indices against qsort with the place as the last key: few and many values, lists that
 * are in order or in the opposite one, one thread and several. */
#include "base/sort.h"
#include "support/context.h"

static const uint32_t *key;

static int by_key(const void *user, uint32_t a, uint32_t b)
{
    const uint32_t *keys = user;
    return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

static int by_key_and_place(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    const int order = by_key(key, a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

static void assert_sorted(const uint32_t *keys, uint64_t n)
{
    uint32_t *index = malloc((n + 1) * sizeof *index), *expected = malloc((n + 1) * sizeof *index);
    assert_non_null(index);
    assert_non_null(expected);
    for (uint64_t i = 0; i < n; i++)
        index[i] = expected[i] = (uint32_t)i;
    key = keys;
    qsort(expected, n, sizeof *expected, by_key_and_place);
    check(spk_sort_indices(context, n, index, by_key, keys));
    assert_memory_equal(index, expected, n * sizeof *index);
    free(index);
    free(expected);
}

static void indices_are_sorted_as_by_qsort(void **state)
{
    (void)state;
    enum { MOST = 100003 };
    static uint32_t keys[MOST];
    const uint64_t sizes[] = {0, 1, 2, 15, 16, 17, 32, 33, 1000, 32768, 65537, MOST};
    const uint32_t values[] = {1, 3, 1000, UINT32_MAX};
    const uint64_t seed = test_seed("sort");
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++)
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            const uint64_t n = sizes[k / 2];
            if (n > 1000 && v != k % 4 && !test_whole_recordings())
                continue; /* an emulator takes a minute for all of them */
            test_random random = test_random_make(seed, k * 4 + v);
            spk_context_set_threads(context, k % 2 == 0 ? 1 : 5);
            for (uint64_t i = 0; i < n; i++)
                keys[i] = (uint32_t)test_random_below(&random, values[v]);
            assert_sorted(keys, n);
            for (uint64_t i = 0; i < n; i++)
                keys[i] = (uint32_t)(v < 2 ? i : n - i);
            assert_sorted(keys, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(indices_are_sorted_as_by_qsort)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
