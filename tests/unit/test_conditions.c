/* The conditions of trials: labels from lists and files, what is wrong with them, and the ways to
 * deal the conditions out. */
#include "significance/compare/compare.h"
#include "support/context.h"

enum { MOST_TRIALS = 9 };

static uint64_t seed;

static spk_conditions *read_text(const char *text, size_t n_trials, spk_status wanted,
                                 const char *message)
{
    spk_conditions *conditions = NULL;
    const char *path = test_file("labels", text);
    spk_status status = spk_conditions_read(context, path, n_trials, &conditions);
    if (status != SPK_OK)
        assert_null(conditions);
    if (wanted == SPK_OK)
        check(status);
    else
        check_fails(status, wanted, message);
    return conditions;
}

static void check_labels(const char *text, const char *expected)
{
    spk_conditions *conditions = read_text(text, 4, SPK_OK, NULL);
    spk_condition_columns c = spk_conditions_columns(conditions);
    size_t ones = 0;
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(c.condition[k], expected[k] - '0');
        ones += c.condition[k];
    }
    assert_int_equal(c.trials[1], ones);
    assert_int_equal(c.trials[0], 4 - ones);
    assert_string_equal(c.label[0], "go2");
    assert_string_equal(c.label[1], "go10");
    spk_conditions_free(conditions);
}

static void labels_are_read(void **state)
{
    (void)state;
    check_labels("go10\ngo2\ngo2\ngo10\n", "1001");
    check_labels("# labels\n\ngo2 # first\r\ngo10\r\ngo10\r\ngo2", "0110");
    check_labels("trial,label\n4,go10\n1;go2\n 3\tgo2\n2 go2\n", "0001");
    check_labels("4 go10\n1 go2\n3 go2\n2 go2\n", "0001");
    read_text("a\nb\na\n", 4, SPK_ERR_FORMAT, "3 labels for 4 trials");
    read_text("a\nb\na\nb\nb\n", 4, SPK_ERR_FORMAT, "labels:5: label 5, but there are 4 trials");
    read_text("a\nb\nc\nb\n", 4, SPK_ERR_FORMAT, "labels:3: 'c' is a third label");
    read_text("a\na\na\na\n", 4, SPK_ERR_FORMAT, "all trials have the label 'a'");
    read_text("1 a\n2 b\n2 a\n", 4, SPK_ERR_FORMAT, "labels:3: trial 2 has a label already");
    read_text("1 a\n5 b\n", 4, SPK_ERR_FORMAT, "labels:2: '5' is no trial");
    read_text("1 a\nb b\n", 4, SPK_ERR_FORMAT, "labels:2: 'b' is no trial");
    read_text("1 a\nb\n", 4, SPK_ERR_FORMAT, "labels:2: another number of columns");
    read_text("1 a b\n", 4, SPK_ERR_FORMAT, "labels:1: more than two columns");
    read_text("", 4, SPK_ERR_FORMAT, "0 labels for 4 trials");
    spk_conditions *conditions = NULL;
    check_fails(spk_conditions_read(context, "/nowhere/labels", 4, &conditions), SPK_ERR_IO,
                "cannot read the labels");
    const char *const labels[] = {"b", "a", "b", "c"};
    check(spk_conditions_create(context, 3, labels, &conditions));
    assert_string_equal(spk_conditions_columns(conditions).label[0], "a");
    assert_int_equal(spk_conditions_columns(conditions).condition[1], 0);
    spk_conditions_free(conditions);
    check_fails(spk_conditions_create(context, 4, labels, &conditions), SPK_ERR_ARGUMENT,
                "trial 4 has a third label, 'c'");
    check_fails(spk_conditions_create(context, 1, labels, &conditions), SPK_ERR_ARGUMENT,
                "one label");
    spk_conditions_free(NULL);
}

/* ---- ways to deal out conditions ------------------------------------------------------------- */

static uint8_t condition[MOST_TRIALS];

static void set_trials(size_t n, size_t n_first)
{
    for (size_t k = 0; k < n; k++)
        condition[k] = k >= n_first;
}

static unsigned draw_way(const spk_labellings *l, uint64_t k)
{
    uint64_t words[256], chosen[MOST_TRIALS];
    unsigned way = 0;
    assert_true(spk_labellings_words(l) <= 256);
    spk_labelling_draw(l, k, words, chosen);
    for (size_t j = 0; j < l->n_chosen; j++)
        way |= 1u << chosen[j];
    return way;
}

/* All ways are taken once, the recording's own never; drawn ones are equally likely. */
static void ways_are_all_or_equally_likely(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 9; n++)
        for (size_t n_first = 1; n_first < n; n_first++) {
            bool seen[1 << MOST_TRIALS] = {false};
            unsigned own = 0;
            set_trials(n, n_first);
            spk_trials trial = {.n = n, .condition = condition, .n_of = {n_first, n - n_first}};
            spk_labellings l = spk_labellings_of(&trial, 1000, 1);
            for (size_t k = 0; k < n; k++)
                own |= (unsigned)(condition[k] == l.chosen) << k;
            seen[own] = true;
            assert_true(l.all);
            assert_int_equal(l.n + 1, spk_count_choices(n, n_first));
            for (uint64_t k = 0; k < l.n; k++) {
                unsigned way = draw_way(&l, k);
                assert_int_equal(__builtin_popcount(way), l.n_chosen);
                assert_false(seen[way]);
                seen[way] = true;
            }
        }
    enum { DRAWS = 20000, WAYS = 35 };
    uint64_t n_drawn[1 << 7] = {0};
    double chi = 0;
    set_trials(7, 4);
    spk_trials trial = {.n = 7, .condition = condition, .n_of = {4, 3}};
    spk_labellings l = {.n_trials = 7, .n_chosen = 3, .chosen = 1, .n = DRAWS, .seed = seed};
    assert_false(spk_labellings_of(&trial, 33, seed).all);
    assert_true(spk_labellings_of(&trial, 34, seed).all);
    for (uint64_t k = 0; k < DRAWS; k++)
        n_drawn[draw_way(&l, k)]++;
    for (unsigned way = 0; way < 1 << 7; way++)
        if (__builtin_popcount(way) == 3)
            chi += pow((double)n_drawn[way] - (double)DRAWS / WAYS, 2) * WAYS / DRAWS;
    assert_true(chi < 34 + 6 * sqrt(68.0)); /* mean 34, variance 68 */
    assert_int_equal(spk_count_choices(200, 100), UINT64_MAX);
    assert_int_equal(spk_count_choices(3, 4), 0);
    assert_true(spk_compare_smallest_p(3, 3, 9999) == 2.0 / 20);
    assert_true(spk_compare_smallest_p(2, 4, 9999) == 1.0 / 15);
    assert_true(spk_compare_smallest_p(50, 50, 999) == 1.0 / 1000);
    assert_true(spk_compare_smallest_p(1, 1, 9999) == 1);
    assert_true(spk_compare_smallest_p(0, 5, 9999) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_read),
        cmocka_unit_test(ways_are_all_or_equally_likely),
    };
    seed = test_seed("test_conditions");
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
