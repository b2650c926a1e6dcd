/* Arenas against a plain stack of copies; budgets that all threads of a job share. */
#include <pthread.h>

#include "base/arena.h"
#include "support/test.h"

enum { MOST_PIECES = 64, BLOCK_BYTES = 1000 };

typedef struct piece {
    unsigned char *bytes;
    size_t n;
    unsigned char value;
    spk_arena_mark before;
} piece;

static void check_piece(const piece *p)
{
    for (size_t k = 0; k < p->n; k++)
        assert_int_equal(p->bytes[k], p->value);
}

/* Pieces come and go like the branches of a search; what is still there keeps its bytes. */
static void pieces_keep_their_bytes_until_released(void **state)
{
    (void)state;
    uint64_t seed = test_seed("pieces_keep_their_bytes_until_released");
    for (uint64_t number = 0; number < test_scaled(300); number++) {
        test_random random = test_random_make(seed, number);
        spk_budget budget;
        spk_budget_init(&budget, 0);
        size_t alignment = (size_t)16 << test_random_below(&random, 3);
        spk_arena arena = spk_arena_make(alignment, BLOCK_BYTES, number % 2 ? &budget : NULL);
        piece stack[MOST_PIECES];
        size_t n = 0;
        for (int step = 0; step < 400; step++) {
            if (n == MOST_PIECES || (n > 0 && test_random_chance(&random, 0.4))) {
                size_t keep = test_random_below(&random, n);
                for (size_t k = 0; k < n; k++)
                    check_piece(&stack[k]);
                spk_arena_release(&arena, stack[keep].before);
                n = keep;
                continue;
            }
            piece *p = &stack[n++];
            size_t size = 1 + test_random_below(&random, 8);
            uint64_t items =
                test_random_below(&random, test_random_chance(&random, 0.1) ? 600 : 40);
            *p = (piece){.n = items * size,
                         .value = (unsigned char)test_random_bits(&random),
                         .before = spk_arena_get_mark(&arena)};
            p->bytes = spk_arena_alloc(&arena, items, size);
            assert_non_null(p->bytes);
            assert_int_equal((uintptr_t)p->bytes % alignment, 0);
            memset(p->bytes, p->value, p->n);
        }
        spk_arena_free(&arena);
        assert_int_equal(budget.used, 0);
        assert_non_null(spk_arena_alloc(&arena, 1, 1)); /* ready for more */
        spk_arena_free(&arena);
    }
}

static void arenas_reuse_what_was_released(void **state)
{
    (void)state;
    spk_budget budget;
    spk_budget_init(&budget, 3000000);
    spk_arena arena = spk_arena_make(16, 1 << 18, &budget);
    spk_arena_mark empty = spk_arena_get_mark(&arena);
    for (int round = 0; round < 100; round++) {
        unsigned char *small = spk_arena_alloc(&arena, 10, 1);
        spk_arena_mark mark = spk_arena_get_mark(&arena);
        unsigned char *large = spk_arena_alloc(&arena, 1000000, 1);
        assert_true(small != NULL && large != NULL);
        memset(small, 1, 10);
        memset(large, 2, 1000000);
        assert_null(spk_arena_alloc(&arena, 3000000, 1));
        spk_arena_release(&arena, mark);
        assert_int_equal(small[9], 1);
        spk_arena_release(&arena, empty);
    }
    assert_true(budget.peak < 2000000);
    spk_arena_free(&arena);
    assert_int_equal(budget.used, 0);
}

/* A search that steps back and forth over the end of a block gets the same block each time. */
static void a_border_costs_no_new_blocks(void **state)
{
    (void)state;
    spk_budget budget;
    spk_budget_init(&budget, 0);
    spk_arena arena = spk_arena_make(64, 4096, &budget);
    assert_non_null(spk_arena_alloc(&arena, 4000, 1));
    spk_arena_mark border = spk_arena_get_mark(&arena);
    const void *beyond = spk_arena_alloc(&arena, 200, 1);
    uint64_t used = budget.used;
    for (int k = 0; k < 1000; k++) {
        spk_arena_release(&arena, border);
        assert_ptr_equal(spk_arena_alloc(&arena, 200, 1), beyond);
        assert_int_equal(budget.used, used);
    }
    assert_int_equal(budget.peak, used);
    spk_arena_free(&arena);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    spk_arena arena = spk_arena_make(16, 64, NULL);
    assert_null(spk_arena_alloc(&arena, UINT64_MAX, 1));
    assert_null(spk_arena_alloc(&arena, UINT64_MAX / 8 + 2, 8));
    assert_null(spk_arena_alloc(&arena, (uint64_t)1 << 63, 2));
    assert_non_null(spk_arena_alloc(&arena, 0, 8));
    spk_arena_free(&arena);
}

/* ---- budgets --------------------------------------------------------------------------------- */

enum { THREADS = 4, LIMIT = 10000 };

static void *spend(void *user)
{
    spk_budget *budget = user;
    for (int k = 0; k < 20000; k++) {
        size_t bytes = 1 + (size_t)(k * 7) % 5000;
        void *memory = spk_budget_alloc(budget, bytes);
        spk_budget_free(budget, memory, bytes);
    }
    return NULL;
}

static void a_budget_is_kept_by_all_threads_together(void **state)
{
    (void)state;
    spk_budget budget;
    pthread_t thread[THREADS];
    spk_budget_init(&budget, LIMIT);
    void *half = spk_budget_alloc(&budget, LIMIT / 2);
    assert_non_null(half);
    assert_null(spk_budget_alloc(&budget, LIMIT / 2 + 1));
    assert_int_equal(budget.used, LIMIT / 2);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, spend, &budget), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    assert_int_equal(budget.used, LIMIT / 2);
    assert_true(budget.peak > LIMIT / 2 && budget.peak <= LIMIT);
    spk_budget_free(&budget, half, LIMIT / 2);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_keep_their_bytes_until_released),
        cmocka_unit_test(arenas_reuse_what_was_released),
        cmocka_unit_test(a_border_costs_no_new_blocks),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(a_budget_is_kept_by_all_threads_together),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
