/* Selections of rows: what is parsed, what holds, and what is refused. */
#include "recording/readers/row_filter.h"
#include "support/context.h"

static spk_row_filter *parse(const char *text)
{
    spk_row_filter *filter = NULL;
    if (spk_row_filter_parse(context, text, &filter) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    return filter;
}

static bool holds_text(const char *select_text, const char *cell)
{
    spk_row_filter *filter = parse(select_text);
    const spk_row_filter_value value = {.text = cell, .n_text = strlen(cell)};
    bool holds = spk_row_filter_holds(filter, 0, &value);
    spk_row_filter_free(filter);
    return holds;
}

static bool holds_number(const char *select_text, double cell)
{
    spk_row_filter *filter = parse(select_text);
    const spk_row_filter_value value = {.number = cell, .is_number = true};
    bool holds = spk_row_filter_holds(filter, 0, &value);
    spk_row_filter_free(filter);
    return holds;
}

static void test_terms(void **state)
{
    (void)state;
    spk_row_filter *filter = parse(" group == good && n_spikes>=100&&'brain area'!=\"CA 1\" ");
    assert_int_equal(spk_row_filter_count(filter), 3);
    assert_string_equal(spk_row_filter_column(filter, 0), "group");
    assert_string_equal(spk_row_filter_column(filter, 1), "n_spikes");
    assert_string_equal(spk_row_filter_column(filter, 2), "brain area");
    assert_true(
        spk_row_filter_holds(filter, 0, &(spk_row_filter_value){.text = "good", .n_text = 4}));
    assert_true(
        spk_row_filter_holds(filter, 1, &(spk_row_filter_value){.number = 100, .is_number = true}));
    assert_false(
        spk_row_filter_holds(filter, 2, &(spk_row_filter_value){.text = "CA 1", .n_text = 4}));
    spk_row_filter_free(filter);
    spk_row_filter_free(NULL);
}

static void test_texts(void **state)
{
    (void)state;
    assert_true(holds_text("q==good", "good"));
    assert_false(holds_text("q==good", "goods"));
    assert_false(holds_text("q==good", "Good"));
    assert_true(holds_text("q!=good", "mua"));
    assert_true(holds_text("q!=good", ""));
    assert_true(holds_text("q==''", ""));
    assert_false(holds_text("q==100", "good"));
    assert_true(holds_text("q!=100", "good"));
}

static void test_numbers(void **state)
{
    (void)state;
    assert_true(holds_text("x==1.50", "1.5"));
    assert_true(holds_text("x==1e2", "100"));
    assert_true(holds_text("x<10", "9.99"));
    assert_false(holds_text("x<10", "10"));
    assert_true(holds_text("x<=10", "10"));
    assert_true(holds_text("x>-0.5", "-0.25"));
    assert_true(holds_text("x>=0", "0"));
    assert_false(holds_text("x>=0", ""));
    assert_false(holds_text("x>=0", "nan"));
    assert_false(holds_text("x>=0", "good"));
    assert_true(holds_number("x==0.1", 0.1));
    assert_true(holds_number("x==1.7976931348623157e308", 1.7976931348623157e308) ||
                holds_number("x>1e308", 1.7976931348623157e308));
    assert_false(holds_number("x==0", NAN));
    assert_true(holds_number("x!=0", NAN));
    assert_false(holds_number("x>=0", NAN));
    assert_false(holds_number("x==good", 1));
    assert_true(holds_number("x!=good", 1));
}

static void test_a_number_may_have_a_text(void **state)
{
    (void)state;
    const spk_row_filter_value yes = {.text = "True", .n_text = 4, .number = 1, .is_number = true};
    spk_row_filter *word = parse("visual==True"), *digit = parse("visual==1");
    assert_true(spk_row_filter_holds(word, 0, &yes));
    assert_true(spk_row_filter_holds(digit, 0, &yes));
    spk_row_filter_free(word);
    spk_row_filter_free(digit);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {{"", "a column's name is missing"},
                 {"good", "an operator is missing"},
                 {"q=good", "an operator is missing"},
                 {"q==", "a value is missing"},
                 {"==good", "a column's name is missing"},
                 {"q=='good", "a quote is not closed"},
                 {"'q==good", "a column's name is missing"},
                 {"q==good &&", "a column's name is missing"},
                 {"q==good & x>1", "is not &&"},
                 {"q=='good' x>1", "is not &&"},
                 {"q==a==b", "is not &&"},
                 {"q<good", "need a number"},
                 {"q===good", "a value is missing"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_row_filter *filter = NULL;
        assert_int_equal(spk_row_filter_parse(context, cases[k].text, &filter), SPK_ERR_ARGUMENT);
        assert_null(filter);
        if (strstr(spk_context_message(context), cases[k].why) == NULL)
            fail_msg("%s: %s", cases[k].text, spk_context_message(context));
        assert_non_null(strstr(spk_context_message(context), "write for example"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),           cmocka_unit_test(test_texts),
        cmocka_unit_test(test_numbers),         cmocka_unit_test(test_a_number_may_have_a_text),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
