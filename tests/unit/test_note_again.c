/* Notes on what happens again and again become rare, and tell how often it did. */
#include "base/context.h"
#include "support/test.h"

typedef struct heard {
    unsigned n;
    char last[256];
} heard;

static void hear(void *user, const char *text)
{
    heard *h = user;
    h->n++;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static void notes_become_rare(void **state)
{
    (void)state;
    spk_context *context;
    heard h = {0};
    uint64_t times = 0, others = 0;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_note(context, hear, &h);
    for (int k = 1; k < 10; k++) {
        spk_note_again(context, &times, "place %d", k);
        assert_int_equal(h.n, k);
        assert_null(strstr(h.last, "so far"));
    }
    for (int k = 10; k <= 55937; k++)
        spk_note_again(context, &times, "place %d", k);
    assert_int_equal(times, 55937);
    assert_int_equal(h.n, 13); /* ten, and 100, 1,000, 10,000 */
    assert_string_equal(h.last, "place 10000 (10000 times so far; told again after 100000)");
    spk_note_again(context, &others, "another");
    assert_string_equal(h.last, "another");
    spk_note_again(NULL, &others, "nobody hears it");
    spk_context_free(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(notes_become_rare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
