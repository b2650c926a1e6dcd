/* The table of labels: numbers by order of appearance, whatever the seed of its hash is. */
#include "recording/labels.h"
#include "support/test.h"

enum { N = 3000 };

static void fill(spk_labels *labels)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < N; k++) {
            char text[32];
            uint32_t number = UINT32_MAX;
            int n = snprintf(text, sizeof text, "%.*sunit %u", (int)(k % 9), "xxxxxxxxx", k);
            assert_int_equal(spk_labels_intern(NULL, labels, text, (size_t)n, &number), SPK_OK);
            assert_int_equal(number, k);
        }
    }
    assert_int_equal(labels->n, N);
}

static void numbers_do_not_depend_on_the_seed(void **state)
{
    (void)state;
    spk_labels *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    assert_true(a != NULL && b != NULL);
    fill(a);
    fill(b);
    /* The slots do: nobody can choose labels that share one. */
    assert_int_equal(a->n_slots, b->n_slots);
    assert_memory_not_equal(a->seed, b->seed, sizeof a->seed);
    assert_memory_not_equal(a->slots, b->slots, a->n_slots * sizeof *a->slots);
    spk_labels_clear(a);
    spk_labels_clear(b);
    free(a);
    free(b);
}

/* Labels of all lengths fill a table evenly: the longest walk to a free slot is short. */
static void labels_spread(void **state)
{
    (void)state;
    spk_labels *labels = calloc(1, sizeof *labels);
    assert_non_null(labels);
    fill(labels);
    uint32_t run = 0, longest = 0;
    for (uint32_t k = 0; k < labels->n_slots; k++) {
        run = labels->slots[k] != 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest >= 2 && longest < 80);
    spk_labels_clear(labels);
    free(labels);
}

static void empty_and_similar_labels_are_told_apart(void **state)
{
    (void)state;
    static const char bytes[] = "aaaaaaaaaaaaaaaaaaaaaaaa";
    spk_labels *labels = calloc(1, sizeof *labels);
    uint32_t number = 0;
    assert_non_null(labels);
    for (uint32_t length = 0; length < sizeof bytes; length++) {
        assert_int_equal(spk_labels_intern(NULL, labels, bytes, length, &number), SPK_OK);
        assert_int_equal(number, length);
    }
    for (uint32_t length = 0; length < sizeof bytes; length++)
        assert_true(spk_labels_find(labels, bytes, length, &number) && number == length);
    assert_false(spk_labels_find(labels, "b", 1, &number));
    spk_labels_clear(labels);
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_do_not_depend_on_the_seed),
        cmocka_unit_test(labels_spread),
        cmocka_unit_test(empty_and_similar_labels_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
