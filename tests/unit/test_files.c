/* The files of a job: none is written onto what is read, no two are one, none that exists is lost.
 */
#include <sys/stat.h>

#include "support/context.h"

/* Two files of one job, the first of a role, the second a result. */
static void assert_check(const char *first, spk_file_role role, const char *second, bool replace,
                         spk_status expected, const char *says)
{
    const spk_file_use use[] = {
        {.path = first, .role = role, .what = "the first"},
        {.path = NULL, .role = SPK_FILE_OUTPUT, .what = "no file"},
        {.path = second, .role = SPK_FILE_RESULT, .what = "the second", .option = "--second"}};
    spk_status status = spk_files_check(context, use, 3, replace);
    if (status != expected)
        print_message("%s, %s: %s\n", first, second, spk_context_message(context));
    assert_int_equal(status, expected);
    if (says != NULL)
        assert_non_null(strstr(spk_context_message(context), says));
}

static void inputs_are_not_written(void **state)
{
    (void)state;
    test_file("in", "precious");
    assert_int_equal(link(test_path("in"), test_path("hard")), 0);
    assert_int_equal(symlink("in", test_path("soft")), 0);
    static const char *const others[] = {"in", "hard", "soft", "./in"};
    for (size_t k = 0; k < 4; k++)
        assert_check(test_path("in"), SPK_FILE_INPUT, test_path(others[k]), true, SPK_ERR_ARGUMENT,
                     "is the first that is read");
    assert_int_equal(symlink("in", test_path("out.incomplete")), 0);
    assert_check(test_path("in"), SPK_FILE_INPUT, test_path("out"), true, SPK_ERR_ARGUMENT,
                 "ends early");
    assert_check(test_path("in"), SPK_FILE_INPUT, test_path("other"), false, SPK_OK, NULL);
    assert_check("/dev/null", SPK_FILE_INPUT, "/dev/null", false, SPK_OK, NULL);
    assert_check(test_path("none"), SPK_FILE_INPUT, test_path("other"), false, SPK_OK, NULL);
    assert_false(test_file_exists("other"));
    static const char *const made[] = {"in", "hard", "soft", "out.incomplete"};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(unlink(test_path(made[k])), 0);
}

static void only_files_have_names(void **state)
{
    (void)state;
    bool has_name = false;
    test_file("there", "x");
    assert_int_equal(symlink("there", test_path("link")), 0);
    static const char *const named[] = {"there", "link", "new"};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(spk_file_has_name(context, test_path(named[k]), &has_name), SPK_OK);
        assert_true(has_name);
    }
    assert_int_equal(mkfifo(test_path("pipe"), 0600), 0);
    const char *const nameless[] = {"-", "/dev/stdout", "/dev/null", test_path("pipe")};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(spk_file_has_name(context, nameless[k], &has_name), SPK_OK);
        assert_false(has_name);
    }
    assert_int_equal(spk_file_has_name(context, test_path("no/file"), &has_name), SPK_ERR_IO);
    static const char *const made[] = {"there", "link", "pipe"};
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(unlink(test_path(made[k])), 0);
}

static void two_outputs_are_two_files(void **state)
{
    (void)state;
    assert_check(test_path("new"), SPK_FILE_OUTPUT, test_path("./new"), false, SPK_ERR_ARGUMENT,
                 "the first goes there");
    assert_int_equal(symlink("new", test_path("soft")), 0); /* leads nowhere yet */
    assert_check(test_path("new"), SPK_FILE_OUTPUT, test_path("soft"), false, SPK_ERR_ARGUMENT,
                 "the first goes there");
    assert_check("-", SPK_FILE_OUTPUT, "-", false, SPK_ERR_ARGUMENT, "the first goes there");
    assert_check("-", SPK_FILE_OUTPUT, "/dev/stdout", false, SPK_ERR_ARGUMENT,
                 "the first goes there");
    assert_check("/dev/null", SPK_FILE_OUTPUT, "/dev/null", false, SPK_OK, NULL);
    assert_check(test_path("new.incomplete"), SPK_FILE_OUTPUT, test_path("new"), false,
                 SPK_ERR_ARGUMENT, ".incomplete");
    assert_check(test_path("new"), SPK_FILE_OUTPUT, test_path("other"), false, SPK_OK, NULL);
    assert_int_equal(unlink(test_path("soft")), 0);
}

static void a_file_that_exists_stays(void **state)
{
    (void)state;
    test_file("old", "precious");
    assert_check("-", SPK_FILE_INPUT, test_path("old"), false, SPK_ERR_IO, "--second");
    assert_non_null(strstr(spk_context_message(context), "--force"));
    assert_check("-", SPK_FILE_INPUT, test_path("old"), true, SPK_OK, NULL);
    assert_check(test_path("old"), SPK_FILE_CHECKPOINT, test_path("new"), false, SPK_OK, NULL);
    assert_check(test_path("old"), SPK_FILE_CHECKPOINT, test_path("old"), true, SPK_ERR_ARGUMENT,
                 "the first goes there");
    char *text = test_file_text("old");
    assert_string_equal(text, "precious");
    free(text);
    test_file("new.incomplete", "of an earlier run");
    assert_check("-", SPK_FILE_INPUT, test_path("new"), false, SPK_OK, NULL);
    assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
    assert_check("-", SPK_FILE_INPUT, test_path("fifo"), false, SPK_OK, NULL);
    assert_check("-", SPK_FILE_INPUT, test_path("none/new"), false, SPK_ERR_IO,
                 "choose another place");
    assert_false(test_file_exists("new"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_not_written),
        cmocka_unit_test(only_files_have_names),
        cmocka_unit_test(two_outputs_are_two_files),
        cmocka_unit_test(a_file_that_exists_stays),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
