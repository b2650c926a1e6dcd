/* The binary search against a walk: every range of short lists with repeats, and the largest
 * numbers. */
#include "base/bisect.h"
#include "support/test.h"

enum { MOST = 7, VALUES = 4 };

/* The walk that the search saves. */
static uint64_t walk(const int64_t *rising, uint64_t low, uint64_t high, int64_t wanted)
{
    while (low < high && rising[low] < wanted)
        low++;
    return low;
}

/* Rising lists of MOST numbers below VALUES: `ends[v]` of them are at most v. */
static void check_list(const uint64_t *ends)
{
    uint32_t narrow[MOST];
    uint64_t wide[MOST];
    int64_t below_zero[MOST];
    for (uint64_t i = 0, v = 0; i < MOST; i++) {
        while (ends[v] <= i)
            v++;
        narrow[i] = (uint32_t)v;
        wide[i] = v;
        below_zero[i] = (int64_t)v - 2;
    }
    for (uint64_t low = 0; low <= MOST; low++)
        for (uint64_t high = low; high <= MOST; high++)
            for (int64_t wanted = 0; wanted <= VALUES; wanted++) {
                const uint64_t expected = walk(below_zero, low, high, wanted - 2);
                assert_int_equal(spk_first_i64(below_zero, low, high, wanted - 2), expected);
                assert_int_equal(spk_first_u32(narrow, low, high, (uint64_t)wanted), expected);
                assert_int_equal(spk_first_u64(wide, low, high, (uint64_t)wanted), expected);
            }
}

static void finds_what_a_walk_finds(void **state)
{
    (void)state;
    for (uint64_t a = 0; a <= MOST; a++)
        for (uint64_t b = a; b <= MOST; b++)
            for (uint64_t c = b; c <= MOST; c++)
                check_list((uint64_t[VALUES]){a, b, c, MOST});
}

static void places_may_be_the_largest_numbers(void **state)
{
    (void)state;
    spk_bisect s = {UINT64_MAX - 5, UINT64_MAX};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, s.middle < UINT64_MAX - 2);
    assert_true(s.low == UINT64_MAX - 2);
    static const uint32_t all = UINT32_MAX;
    assert_int_equal(spk_first_u32(&all, 0, 1, (uint64_t)UINT32_MAX + 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_walk_finds),
        cmocka_unit_test(places_may_be_the_largest_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
