/* Files of patterns: their text form, tables, units that a recording lacks, errors with lines. */
#include "support/context.h"

static spk_recording *recording;
static char note[400];

static void keep_note(void *user, const char *text)
{
    (void)user;
    snprintf(note, sizeof note, "%s", text);
}

static int setup(void **state)
{
    (void)state;
    static const char *const labels[] = {"7", "12", "40", "a b", "c@d", "e\"f", "#g", ""};
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_note(context, keep_note, NULL);
    return test_recording_create(context, 0, NULL, NULL, 8, labels, (spk_rate){1000, 1}, NULL, NULL,
                                 &recording) != SPK_OK;
}

static int teardown(void **state)
{
    (void)state;
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}

/* The patterns of a text, written again, one a line. */
static void check_text(const char *text, uint32_t window, const char *expected)
{
    spk_recording *widened = NULL;
    spk_pattern_list *list = NULL;
    char again[1000] = "";
    size_t length = 0;
    note[0] = '\0';
    spk_status status =
        spk_pattern_list_read(context, recording, test_file("list", text), window, &widened, &list);
    if (status != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    for (uint64_t k = 0; k < columns.n; k++) {
        length += spk_pattern_format(widened != NULL ? widened : recording, &columns, k,
                                     again + length, sizeof again - length);
        length += (size_t)snprintf(again + length, sizeof again - length, "\n");
    }
    assert_string_equal(again, expected);
    assert_true((widened == NULL) == (note[0] == '\0'));
    spk_recording_free(widened);
    spk_pattern_list_free(list);
}

static void text_form(void **state)
{
    (void)state;
    check_text("12@0 40@3 7@11\n", 0, "12@0 40@3 7@11\n");
    check_text("\xef\xbb\xbf# mine\n\n  7@11\t40@3   12@0 \r\n7@0", 0, "12@0 40@3 7@11\n7@0\n");
    check_text("\"a b\"@0 \"c@d\"@1 \"e\"\"f\"@2 \"#g\"@3 \"\"@4 \"7\"@5\n", 6,
               "\"a b\"@0 \"c@d\"@1 \"e\"\"f\"@2 \"#g\"@3 \"\"@4 7@5\n");
    check_text("7@0 7@1 40@0 12@0\n", 2, "7@0 12@0 40@0 7@1\n");
}

static void tables(void **state)
{
    (void)state;
    check_text("spikes\toccurrences\tneurons\tduration\tpattern\tp\n2\t7\t2\t3\t12@0 40@3\t0.01\n"
               "1\t9\t1\t0\t7@0\t1\n",
               20, "12@0 40@3\n7@0\n");
    check_text("pattern\ttrial\n12@0\t1\n", 0, "12@0\n");
}

static void absent_units(void **state)
{
    (void)state;
    check_text("10@0 7@0\n\"new one\"@0 40@2\n10@0 12@0\n", 0,
               "7@0 10@0\n\"new one\"@0 40@2\n10@0 12@0\n");
    assert_non_null(strstr(note, "has no unit 10, new one; patterns with these count 0"));
    spk_pattern_list *list = NULL;
    assert_int_equal(
        spk_pattern_list_read(context, recording, test_file("list", "7@0\n10@0\n"), 0, NULL, &list),
        SPK_ERR_ARGUMENT);
    assert_null(list);
    assert_non_null(strstr(spk_context_message(context),
                           "list:2: pattern '10@0': the recording has no unit '10'"));
}

static void errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t window;
        spk_status status;
        const char *message;
    } cases[] = {
        {"7@0\n7\n", 0, SPK_ERR_FORMAT, ":2: pattern '7': expected a unit and its lag"},
        {"7@\n", 0, SPK_ERR_FORMAT, ":1: pattern '7@': expected"},
        {"7@x\n", 0, SPK_ERR_FORMAT, "expected a unit and its lag"},
        {"7@-1\n", 0, SPK_ERR_FORMAT, "expected a unit and its lag"},
        {"@0\n", 0, SPK_ERR_FORMAT, "expected a unit and its lag"},
        {"7@0x 12@1\n", 0, SPK_ERR_FORMAT, "expected a unit and its lag"},
        {"7@0\"12\"@1\n", 0, SPK_ERR_FORMAT, "expected a unit and its lag"},
        {"7 @0\n", 0, SPK_ERR_FORMAT, "expected a unit and its lag"},
        {"\"7@0\n", 0, SPK_ERR_FORMAT, ":1: pattern '\"7@0': a quote is not closed"},
        {"7@1 12@3\n", 0, SPK_ERR_FORMAT, "no spike has lag 0"},
        {"7@0 12@3 7@0\n", 0, SPK_ERR_FORMAT, "stands there twice"},
        {"7@0 12@20\n", 20, SPK_ERR_RANGE, "lag 20 is outside a window of 20 bins"},
        {"7@0 12@65535\n", 0, SPK_ERR_RANGE, "lag 65535 is outside"},
        {"7@0 12@99999999999999999999\n", 0, SPK_ERR_RANGE, "is outside a window"},
        {"# none\n", 0, SPK_ERR_FORMAT, "has no patterns; write one a line"},
        {"spikes\tpattern\n2\n", 0, SPK_ERR_FORMAT, ":2: there is no column 'pattern'"},
        {"7@0\n", 65536, SPK_ERR_ARGUMENT, "window of 65536 bins"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_recording *widened = NULL;
        spk_pattern_list *list = NULL;
        spk_status status = spk_pattern_list_read(
            context, recording, test_file("list", cases[k].text), cases[k].window, &widened, &list);
        if (status != cases[k].status ||
            strstr(spk_context_message(context), cases[k].message) == NULL)
            fail_msg("case %zu: status %d, %s", k, (int)status, spk_context_message(context));
        assert_true(list == NULL && widened == NULL);
    }
}

/* Whatever is written is read as the same. */
static void round_trips(void **state)
{
    (void)state;
    uint64_t seed = test_seed("pattern lists");
    for (uint64_t k = 0; k < test_scaled(500); k++) {
        test_random random = test_random_make(seed, k);
        uint32_t window = 1 + (uint32_t)test_random_below(&random, 9), item[8], count = 0;
        uint64_t offset[] = {0, 0};
        for (uint32_t i = 0; i < 8 * window && offset[1] < 8; i++) { /* by lag, then unit */
            uint32_t unit = i % 8, lag = i / 8;
            if (i == 0 || test_random_chance(&random, 0.2))
                item[offset[1]++] = unit * window + lag;
        }
        const spk_pattern_columns one = {
            .n = 1, .window = window, .offset = offset, .item = item, .count = &count};
        char text[400];
        spk_pattern_list *list = NULL;
        spk_pattern_format(recording, &one, 0, text, sizeof text);
        assert_int_equal(
            spk_pattern_list_read(context, recording, test_file("list", text), window, NULL, &list),
            SPK_OK);
        spk_pattern_columns got = spk_pattern_list_columns(list);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.offset[1], offset[1]);
        assert_memory_equal(got.item, item, offset[1] * sizeof *item);
        spk_pattern_list_free(list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_form), cmocka_unit_test(tables),      cmocka_unit_test(absent_units),
        cmocka_unit_test(errors),    cmocka_unit_test(round_trips),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
