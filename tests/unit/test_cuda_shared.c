/* What GPU code works out without a GPU: blocks of a launch, shares of copy threads. */
#include "cuda/shared.h"
#include "support/test.h"

static uint64_t seed;

static void blocks_hold_all_threads(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 32, 128, 256, 1024};
    for (size_t b = 0; b < sizeof sizes / sizeof sizes[0]; b++) {
        for (uint64_t c = 0; c < test_scaled(2000); c++) {
            test_random random = test_random_make(seed, c);
            uint64_t n = 1 + (test_random_bits(&random) >> (34 + test_random_below(&random, 29)));
            uint64_t blocks = gpu_blocks(n, sizes[b]);
            assert_true(blocks * sizes[b] >= n); /* enough */
            assert_true((blocks - 1) * sizes[b] < n);
        }
    }
}

/* The largest grid, and one more. */
static void a_grid_that_is_too_large_is_no_grid(void **state)
{
    (void)state;
    const uint64_t most = INT32_MAX;
    assert_int_equal(gpu_blocks(most * 256, 256), most);
    assert_true(gpu_blocks(most * 256 + 1, 256) > most);
    assert_true(gpu_blocks(((uint64_t)1 << 32) * 256, 256) > most); /* not cut to 32 bits */
    assert_true(gpu_blocks((((uint64_t)1 << 32) + 1) * 256, 256) > most);
    assert_true(gpu_blocks(UINT64_MAX, 1) > most);
}

static void shares_cover_all_things_once(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(20000); c++) {
        test_random random = test_random_make(seed + 1, c);
        uint64_t n = test_random_below(&random, c % 2 == 0 ? 50 : 100000);
        uint64_t n_shares = 1 + test_random_below(&random, 16);
        uint64_t least = 1 + test_random_below(&random, 2000);
        uint64_t at = 0;
        uint64_t shortest = UINT64_MAX;
        uint64_t longest = 0;
        uint64_t used = 0;
        for (uint64_t k = 0; k < n_shares; k++) {
            gpu_share share = gpu_share_of(n, n_shares, k, least);
            uint64_t length = share.end - share.begin;
            assert_true(share.begin == at && share.end >= share.begin);
            at = share.end;
            if (length == 0)
                continue;
            shortest = length < shortest ? length : shortest;
            longest = length > longest ? length : longest;
            used++;
        }
        assert_true(at == n);
        assert_true(used <= 1 || shortest >= least);
        assert_true(used <= 1 || longest - shortest <= used);    /* about equal */
        assert_true(used == n_shares || n < (used + 1) * least); /* no thread idles for nothing */
    }
}

int main(void)
{
    seed = test_seed("test_cuda_shared");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_all_threads),
        cmocka_unit_test(a_grid_that_is_too_large_is_no_grid),
        cmocka_unit_test(shares_cover_all_things_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
