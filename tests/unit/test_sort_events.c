/* Sorting event columns, few and many, against the library of the system. */
#include "recording/recording.h"
#include "support/test.h"

typedef struct event {
    int64_t time;
    uint32_t unit;
} event;

static int compare(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static void check(test_random *random, uint64_t n, uint64_t range, int64_t lowest)
{
    event *expected = calloc(n, sizeof *expected);
    int64_t *time = calloc(n, sizeof *time);
    uint32_t *unit = calloc(n, sizeof *unit);
    bool sorted = true;
    assert_true(expected != NULL && time != NULL && unit != NULL);
    for (uint64_t i = 0; i < n; i++) {
        time[i] = expected[i].time = lowest + (int64_t)test_random_below(random, range);
        unit[i] = expected[i].unit = (uint32_t)test_random_below(random, 40);
    }
    time[0] = expected[0].time = lowest + (int64_t)(range - 1); /* out of order */
    time[1] = expected[1].time = lowest;
    qsort(expected, n, sizeof *expected, compare);
    assert_int_equal(spk_sort_events(NULL, n, time, unit, &sorted), SPK_OK);
    assert_false(sorted);
    for (uint64_t i = 0; i < n; i++)
        if (time[i] != expected[i].time || unit[i] != expected[i].unit)
            fail_msg("event %llu of %llu, range %llu", (unsigned long long)i, (unsigned long long)n,
                     (unsigned long long)range);
    free(expected);
    free(time);
    free(unit);
}

static void events_are_sorted(void **state)
{
    (void)state;
    static const uint64_t ranges[] = {2,        200, 257, 65536, 100000, 1 << 24, (uint64_t)1 << 40,
                                      INT64_MAX};
    static const int64_t lowest[] = {0, -100, INT64_MIN};
    uint64_t seed = test_seed("events_are_sorted"), k = 0;
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
        for (size_t l = 0; l < 3; l++) {
            test_random random = test_random_make(seed, k++);
            check(&random, 1000, ranges[r], lowest[l] == -100 && r == 7 ? 0 : lowest[l]);
            if (test_scaled(20) > 1 || l == 0) /* parts, which the caches hold */
                check(&random, 300000, ranges[r], lowest[l] == -100 && r == 7 ? 0 : lowest[l]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
