/* Labels in lines of text, and text that is safe to print: whatever bytes come in. */
#include "base/label.h"
#include "base/utf8.h"
#include "support/test.h"

enum { MOST = 24 };

/* Bytes that mean something somewhere come up often. */
static void make_label(test_random *random, char label[MOST + 1])
{
    static const char *const pieces[] = {
        "\t", "\"", "\\", "\n", "\r",       "\x1b[31m", "\x7f",         " ",       "#",
        "@",  "(",  "]",  ",",  "\xc2\x9b", "\xc3\xa9", "\xe2\x80\xae", "episode", "\xef\xbb\xbf",
        "x1", "\\t"};
    size_t n = 0;
    size_t wanted = (size_t)test_random_below(random, MOST + 1);
    while (n < wanted) {
        if (test_random_chance(random, 0.4)) {
            label[n++] = (char)test_random_between(random, 1, 255);
            continue;
        }
        const char *piece = pieces[test_random_below(random, sizeof pieces / sizeof pieces[0])];
        if (n + strlen(piece) > wanted)
            break;
        memcpy(label + n, piece, strlen(piece));
        n += strlen(piece);
    }
    label[n] = '\0';
}

/* Independent of the code: no control byte, and no C1 control or override of direction. */
static bool is_clean(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return false;
    char c1[3] = "\xc2";
    for (int k = 0x80; k < 0xa0; k++) {
        c1[1] = (char)k;
        if (strstr(text, c1) != NULL)
            return false;
    }
    return strstr(text, "\xe2\x80\xae") == NULL;
}

static void labels_come_back(void **state)
{
    (void)state;
    uint64_t seed = test_seed("labels_come_back");
    static const char *const separators[] = {"()[],", "@"};
    for (uint64_t c = 0; c < test_scaled(100000); c++) {
        test_random random = test_random_make(seed, c);
        char label[MOST + 1];
        char text[4 * MOST + 16];
        char again[4 * MOST + 16];
        const char *separator = separators[c % 2];
        make_label(&random, label);
        spk_text_buffer buffer = {text, sizeof text, 0};
        spk_label_put(&buffer, label, spk_label_needs_quotes(label, separator));
        spk_text_put(&buffer, c % 3 == 0 ? "" : c % 3 == 1 ? " (" : "\t");
        size_t length = spk_text_end(&buffer);
        assert_int_equal(length, strlen(text));
        const char *end = spk_label_take(text, separator, again);
        assert_non_null(end);
        assert_string_equal(again, label);
        assert_string_equal(end, c % 3 == 0 ? "" : c % 3 == 1 ? " (" : "\t");
        assert_true(text[0] != '#');
        text[end - text] = '\0';
        assert_true(is_clean(text));
        assert_null(strchr(text, '\t'));
    }
}

static void quoted_labels_have_a_fixed_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"56", "56"},
                                           {"a\\b", "a\\b"},
                                           {"left hand", "\"left hand\""},
                                           {"", "\"\""},
                                           {"#a", "\"#a\""},
                                           {"a#", "a#"},
                                           {"a\tb", "\"a\\tb\""},
                                           {"a\\ b", "\"a\\\\ b\""},
                                           {"\x1b[31m", "\"\\x1b[31m\""},
                                           {"say \"hi\"", "\"say \"\"hi\"\"\""},
                                           {"\xc3\xa9", "\xc3\xa9"},
                                           {"\xff", "\"\\xff\""},
                                           {"a\r\n", "\"a\\r\\n\""}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[64];
        spk_text_buffer buffer = {text, sizeof text, 0};
        spk_label_put(&buffer, cases[k][0], spk_label_needs_quotes(cases[k][0], "()[],"));
        spk_text_end(&buffer);
        assert_string_equal(text, cases[k][1]);
    }
}

/* What people write by hand is read as they mean it. */
static void other_forms_are_read(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"\"a\tb\"", "a\tb"},   {"\"C:\\data\"", "C:\\data"},
                                           {"\"\\x1B\"", "\\x1B"}, {"\"\\x00\"", "\\x00"},
                                           {"\"a\\\"", "a\\"},     {"a\\tb", "a\\tb"},
                                           {"\"\"\"\"", "\""},     {"\"\\x1\"", "\\x1"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char label[64];
        assert_non_null(spk_label_take(cases[k][0], "()[],", label));
        assert_string_equal(label, cases[k][1]);
    }
    char label[64];
    assert_null(spk_label_take("\"a", "", label));
    assert_null(spk_label_take("\"a\"\"", "", label));
}

static void printed_text_is_clean(void **state)
{
    (void)state;
    uint64_t seed = test_seed("printed_text_is_clean");
    for (uint64_t c = 0; c < test_scaled(100000); c++) {
        test_random random = test_random_make(seed, c);
        char raw[MOST + 1];
        char text[4 * MOST + 1];
        char again[4 * MOST + 1];
        make_label(&random, raw);
        size_t n = spk_text_printable(raw, text, sizeof text);
        assert_int_equal(n, strlen(text));
        assert_true(is_clean(text));
        /* Clean text stays as it is. */
        assert_int_equal(spk_text_printable(text, again, sizeof again), n);
        assert_string_equal(again, text);
        /* A short buffer gets whole characters. */
        char few[6];
        assert_int_equal(spk_text_printable(raw, few, sizeof few), n);
        assert_memory_equal(few, text, strlen(few));
        assert_int_equal(spk_text_printable(few, again, sizeof again), strlen(few));
    }
    char text[32];
    spk_text_printable("caf\xc3\xa9 \x1b]0;x\a", text, sizeof text);
    assert_string_equal(text, "caf\xc3\xa9 \\x1b]0;x\\x07");
    assert_int_equal(spk_text_printable("abc", NULL, 0), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_come_back),
        cmocka_unit_test(quoted_labels_have_a_fixed_form),
        cmocka_unit_test(other_forms_are_read),
        cmocka_unit_test(printed_text_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
