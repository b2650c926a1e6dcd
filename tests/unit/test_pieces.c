/* The plan of a search for patterns that processes share: all chunks, in pieces of like work. */
#include "pattern/engine/bitmap/bitmap.h"
#include "support/test.h"

enum { MOST_ROOTS = 40, MOST_CHUNKS = 60 };

static uint64_t n_chunks[MOST_ROOTS];
static uint64_t cost[MOST_ROOTS * MOST_CHUNKS];

/* Costs whose sizes differ by many orders; returns their sum. */
static uint64_t draw_costs(test_random *random, uint32_t n_roots)
{
    uint64_t at = 0, all = 0;
    for (uint32_t r = 0; r < n_roots; r++) {
        n_chunks[r] = test_random_below(random, MOST_CHUNKS);
        for (uint64_t c = 0; c < n_chunks[r]; c++) {
            cost[at] = test_random_below(random, (uint64_t)1 << test_random_below(random, 30));
            all += cost[at++];
        }
    }
    return all;
}

/* Chunks of all branches come once and in order, and only single chunks are larger than an eighth
 * of what a process does in the mean. */
static void check_pieces(const spk_bitmap_pieces *pieces, uint32_t n_roots, uint64_t largest)
{
    uint64_t k = 0, at = 0;
    for (uint32_t r = 0; r < n_roots; r++) {
        uint32_t chunk = 0;
        for (; k < pieces->n && pieces->piece[k].branch == r; k++) {
            const spk_bitmap_piece *p = &pieces->piece[k];
            uint64_t sum = 0;
            assert_int_equal(p->begin, chunk);
            assert_true(p->end > p->begin);
            for (chunk = p->begin; chunk < p->end; chunk++)
                sum += cost[at++];
            assert_int_equal(p->cost, sum);
            assert_true(p->cost <= largest || p->end - p->begin == 1);
        }
        assert_int_equal(chunk, n_chunks[r]);
    }
    assert_int_equal(k, pieces->n);
}

static void check_order(const spk_bitmap_pieces *pieces)
{
    bool *seen = calloc(pieces->n, sizeof *seen);
    assert_non_null(seen);
    for (uint64_t k = 0; k < pieces->n; k++) {
        assert_false(seen[pieces->order[k]]);
        seen[pieces->order[k]] = true;
        if (k > 0)
            assert_true(pieces->piece[pieces->order[k - 1]].cost >=
                        pieces->piece[pieces->order[k]].cost);
    }
    free(seen);
}

static void random_costs(void **state)
{
    (void)state;
    uint64_t seed = test_seed("random_costs");
    for (uint64_t k = 0; k < test_scaled(500); k++) {
        test_random random = test_random_make(seed, k);
        uint32_t n_roots = 1 + (uint32_t)test_random_below(&random, MOST_ROOTS);
        int n = 1 + (int)test_random_below(&random, 70);
        uint64_t all = draw_costs(&random, n_roots);
        spk_bitmap_pieces pieces;
        assert_int_equal(spk_bitmap_pieces_make(NULL, n_roots, n_chunks, cost, n, &pieces), SPK_OK);
        check_pieces(&pieces, n_roots, all / ((uint64_t)n * 8) + 1);
        check_order(&pieces);
        spk_bitmap_pieces_free(&pieces);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_costs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
