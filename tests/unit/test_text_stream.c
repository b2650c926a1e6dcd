/* Streams into memory end with their text, or without any. */
#include "base/memory.h"
#include "support/test.h"

static void texts(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    assert_non_null(stream);
    fputs("a text", stream);
    assert_true(spk_close_text(stream, &text));
    assert_string_equal(text, "a text");
    assert_int_equal(n, 6);
    free(text);
}

/* A stream that was not opened, one that failed to write, one that closes without its text. */
static void failures(void **state)
{
    (void)state;
    char *text = NULL;
    assert_false(spk_close_text(NULL, &text));
    FILE *stream = fopen("/dev/full", "w");
    assert_non_null(stream);
    text = calloc(1, 10);
    assert_non_null(text);
    fputs("a text", stream);
    assert_int_not_equal(fflush(stream), 0);
    assert_false(spk_close_text(stream, &text));
    assert_null(text);
    stream = tmpfile();
    assert_non_null(stream);
    assert_false(spk_close_text(stream, &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
