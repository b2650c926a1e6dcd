/* Whether a picture could be written is known before the work, and asking leaves nothing behind. */
#include "support/context.h"

static void availability_has_a_reason_when_there_is_none(void **state)
{
    (void)state;
    const char *reason = NULL;
    bool available = spk_figure_available(&reason);
    assert_non_null(reason);
    assert_int_equal(strlen(reason) == 0, available);
    assert_int_equal(spk_figure_available(NULL), available);
}

static void places_are_tried_and_left_as_they_were(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        spk_status status;
    } cases[] = {{"a.png", SPK_OK},
                 {"a.svg", SPK_OK},
                 {"a.pdf", SPK_OK},
                 {"a.jpeg", SPK_ERR_ARGUMENT},
                 {"a", SPK_ERR_ARGUMENT},
                 {"no/folder/a.png", SPK_ERR_IO},
                 {"no/folder/a.svg", SPK_ERR_IO},
                 {"no/folder/a.pdf", SPK_ERR_IO}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_status expected = spk_figure_available(NULL) ? cases[k].status : SPK_ERR_UNAVAILABLE;
        assert_int_equal(spk_figure_check(context, test_path(cases[k].name)), expected);
        if (expected != SPK_OK)
            assert_non_null(strstr(spk_context_message(context), cases[k].name));
        assert_false(test_file_exists(cases[k].name));
    }
}

static void a_picture_that_is_there_stays(void **state)
{
    (void)state;
    test_file("old.svg", "old");
    spk_status expected = spk_figure_available(NULL) ? SPK_OK : SPK_ERR_UNAVAILABLE;
    assert_int_equal(spk_figure_check(context, test_path("old.svg")), expected);
    assert_true(test_file_exists("old.svg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(availability_has_a_reason_when_there_is_none),
        cmocka_unit_test(places_are_tried_and_left_as_they_were),
        cmocka_unit_test(a_picture_that_is_there_stays),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
