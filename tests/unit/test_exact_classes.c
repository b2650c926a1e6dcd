/*
 * The scale of each class of results. Support keeps the raw scores of a rare class far above 0:
 * that is no reason to give its results low scores, nor to give high ones to a class that no pilot
 * has.
 */
#include "significance/exact/classes.h"
#include "support/test.h"

/* Pilots with n results of a class, whose raw scores are `least` and more: ten times fewer at every
 * power of ten above it. */
static void add_results(spk_class_tops *tops, uint64_t size, uint32_t n, uint32_t least)
{
    for (uint32_t k = 1; k <= n; k++)
        spk_class_tops_add(tops, spk_exact_class(size, size),
                           least + (uint32_t)(1000 * log10((double)n / k)));
}

static uint32_t score_of(const spk_class_tops *tops, uint64_t size, uint32_t raw)
{
    spk_exact_classes *classes = malloc(sizeof *classes);
    assert_non_null(classes);
    spk_exact_classes_fit(tops, classes);
    const uint32_t score = spk_exact_classes_score(classes, spk_exact_class(size, size), raw);
    free(classes);
    return score;
}

static spk_class_tops *create_tops(void)
{
    spk_class_tops *tops = calloc(1, sizeof *tops);
    assert_non_null(tops);
    return tops;
}

static void many_results_have_a_score_of_0_where_a_surrogate_has_one(void **state)
{
    (void)state;
    spk_class_tops *tops = create_tops();
    add_results(tops, 2, 2500, 0);
    /* 100 of a surrogate: one reaches 2, and one of 1,000 surrogates has 5. */
    assert_in_range(score_of(tops, 2, 2000), 0, 100);
    assert_in_range(score_of(tops, 2, 5000), 2500, 3500);
    free(tops);
}

static void few_results_have_a_scale_that_begins_at_the_least(void **state)
{
    (void)state;
    spk_class_tops *tops = create_tops();
    add_results(tops, 4, 6, 4000);
    /* The least comes in a quarter of the surrogates. */
    assert_in_range(score_of(tops, 4, 4000), 500, 700);
    assert_in_range(score_of(tops, 4, 14000), 8000, 13000);
    assert_in_range(score_of(tops, 4, 1000), 0, 0);
    free(tops);
}

static void what_no_pilot_has_lies_above_its_parts(void **state)
{
    (void)state;
    spk_class_tops *tops = create_tops();
    add_results(tops, 3, 12, 2000);
    add_results(tops, 4, 2, 5000);
    /* 2, 5, and so about 8 and 11: a score there is that of one in 25 surrogates. */
    assert_in_range(score_of(tops, 5, 8000), 1300, 1500);
    assert_in_range(score_of(tops, 6, 11000), 1300, 1500);
    assert_in_range(score_of(tops, 5, 28000), 20000, 22000);
    free(tops);
}

static void scores_of_all_classes_are_in_order(void **state)
{
    (void)state;
    spk_class_tops *tops = create_tops();
    add_results(tops, 2, 100, 0);
    add_results(tops, 3, 1, 4000000000u);
    for (uint64_t size = 2; size <= 40; size++)
        for (uint32_t raw = 0; raw < 4000000000u; raw += 399999937u)
            assert_true(score_of(tops, size, raw) <= score_of(tops, size, raw + 1));
    free(tops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_results_have_a_score_of_0_where_a_surrogate_has_one),
        cmocka_unit_test(few_results_have_a_scale_that_begins_at_the_least),
        cmocka_unit_test(what_no_pilot_has_lies_above_its_parts),
        cmocka_unit_test(scores_of_all_classes_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
