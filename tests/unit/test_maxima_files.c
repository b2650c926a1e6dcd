/*
 * Files of maxima: what is damaged, foreign, of another version or against the format is refused
 * with a reason.
 */
#include "base/sha256.h"
#include "significance/maxima/maxima.h"
#include "support/context.h"

static void assert_no_merge(const spk_maxima *maxima, const char *says)
{
    spk_maxima *out = NULL;
    assert_int_equal(spk_maxima_merge(context, 1, &maxima, &out), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), says));
    assert_null(out);
}

/* A file with its right checksum; the caller frees it. */
static char *with_sum(const char *text)
{
    char hex[SPK_SHA256_HEX];
    size_t n = strlen(text);
    char *out = malloc(n + 100);
    assert_non_null(out);
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add(&digest, text, n);
    spk_sha256_end(&digest, hex);
    snprintf(out, n + 100, "%s# sha256: %s\n", text, hex);
    return out;
}

#define HEAD                                                                                       \
    "# spikemine maxima 1\n# version: 0.1.0\n# spectrum: 3d\n# surrogates: 9\n# shard: 2/3\n"
#define COLUMNS "surrogate\tsize\tduration\tcount\n"

static void an_interrupted_shard_is_named(void **state)
{
    (void)state;
    char *text = with_sum(HEAD "# done: 2\n" COLUMNS "2\t0\t0\t0\n8\t2\t1\t9\n");
    spk_maxima *maxima = NULL;
    assert_int_equal(spk_maxima_parse(context, "b.spk", text, strlen(text), &maxima), SPK_OK);
    spk_maxima_info info = spk_maxima_describe(maxima);
    assert_int_equal(info.n_missing, 1);
    assert_int_equal(info.n_of_shard, 3);
    assert_no_merge(maxima, "these are missing: 1, 3;");
    char *first = with_sum("# spikemine maxima 1\n# version: 0.1.0\n# spectrum: 3d\n"
                           "# surrogates: 9\n# shard: 1/1\n# done: 1\n" COLUMNS "5\t0\t0\t0\n");
    spk_maxima_free(maxima);
    assert_int_equal(spk_maxima_parse(context, "a.spk", first, strlen(first), &maxima), SPK_OK);
    assert_no_merge(maxima, "a.spk: 8 of the 9 surrogates of shard 1/1 are missing");
    spk_maxima_free(maxima);
    free(first);
    free(text);
}

/* ---- files ----------------------------------------------------------------------------------- */

static spk_status parse(const char *bytes, size_t n)
{
    spk_maxima *maxima = NULL;
    spk_status status = spk_maxima_parse(context, "x.spk", bytes, n, &maxima);
    assert_true((status == SPK_OK) == (maxima != NULL));
    spk_maxima_free(maxima);
    return status;
}

static void every_damaged_byte_is_noticed(void **state)
{
    (void)state;
    char *bytes = with_sum(HEAD "# done: 2\n" COLUMNS "2\t0\t0\t0\n8\t2\t1\t9\n");
    size_t n = strlen(bytes);
    assert_int_equal(parse(bytes, n), SPK_OK);
    char *copy = malloc(n + 1);
    assert_non_null(copy);
    for (size_t k = 0; k < n; k++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(copy, bytes, n);
            copy[k] = (char)(copy[k] ^ (1 << bit));
            assert_int_equal(parse(copy, n), SPK_ERR_FORMAT);
            assert_non_null(strstr(spk_context_message(context), "x.spk: "));
        }
        memcpy(copy, bytes, n); /* and left out */
        memmove(copy + k, copy + k + 1, n - k - 1);
        assert_int_equal(parse(copy, n - 1), SPK_ERR_FORMAT);
        memcpy(copy, bytes, n); /* and written twice */
        memmove(copy + k + 1, copy + k, n - k);
        assert_int_equal(parse(copy, n + 1), SPK_ERR_FORMAT);
        assert_int_equal(parse(bytes, k), SPK_ERR_FORMAT); /* cut off before it */
    }
    free(copy);
    free(bytes);
}

static void foreign_files_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"", "is empty"},
        {"1.5 a\n2.5 b\n", "is no file of maxima"},
        {"# spikemine maxima", "is no file of maxima"},
        {"# spikemine maxima 1", "is no file of maxima"},
        {"# spikemine maxima x\n", "is no file of maxima"},
        {"# spikemine maxima 0\n", "has format 0, which is older than this program reads (1)"},
        {"# spikemine maxima 2\n", "has format 2, which is newer than this program reads (1)"},
        {"# spikemine maxima 1\n", "its last line is no checksum"},
    };
    spk_maxima *maxima = NULL;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *path = test_file("foreign", cases[k].text);
        assert_int_equal(spk_maxima_read(context, path, &maxima), SPK_ERR_FORMAT);
        assert_non_null(strstr(spk_context_message(context), cases[k].says));
        assert_non_null(strstr(spk_context_message(context), "foreign: "));
    }
    assert_int_equal(spk_maxima_read(context, test_path("none"), &maxima), SPK_ERR_IO);
}

/* Anybody can make a checksum: the content is checked all the same. */
static void content_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says; /* NULL: right */
    } cases[] = {
        {HEAD "# done: 0\n" COLUMNS, NULL},
        {HEAD "# done: 3\n" COLUMNS "2\t3\t0\t9\n2\t4\t0\t8\n2\t2\t1\t8\n5\t0\t0\t0\n8\t1\t0\t1\n",
         NULL},
        {"# spikemine maxima 1\n", "expected '# NAME: VALUE'"},
        {"# spikemine maxima 1\n# surrogates: 9\n", "spectrum"},
        {"# spikemine maxima 1\n# a\x01: b\n", ":2: expected '# NAME: VALUE'"},
        {"# spikemine maxima 1\n# spectrum: 4d\n# surrogates: 9\n", "spectrum"},
        {"# spikemine maxima 1\n# version: 0.1.0\n# spectrum: 2d\n# surrogates: 0\n", ":4: "},
        {"# spikemine maxima 1\n# version: 0.1.0\n# spectrum: 2d\n# surrogates: 9\n# shard: 4/3\n",
         ":5: "},
        {HEAD "# done: 4\n" COLUMNS, ":6: expected '# done: '"},
        {HEAD "# done: 0\n", "names of the columns"},
        {HEAD "# done: 1\n" COLUMNS, "fewer rows"},
        {HEAD "# done: 2\n" COLUMNS "2\t3\t0\t9\n2\t4\t0\t8\n", "fewer surrogates"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t9\n5\t3\t0\t9\n", "does not belong here"},
        {HEAD "# done: 2\n" COLUMNS "5\t3\t0\t9\n2\t3\t0\t9\n", "does not belong here"},
        {HEAD "# done: 1\n" COLUMNS "3\t3\t0\t9\n", "does not belong here"},
        {HEAD "# done: 1\n" COLUMNS "11\t3\t0\t9\n", "does not belong here"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t9\n2\t3\t0\t8\n", "must be ordered"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t9\n2\t4\t0\t9\n", "must be ordered"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t1\t9\n2\t4\t0\t8\n", "must be ordered"},
        {HEAD "# done: 1\n" COLUMNS "2\t0\t0\t0\n2\t4\t0\t8\n", "must be ordered"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t9\n2\t0\t0\t0\n", "one row of zeros"},
        {HEAD "# done: 1\n" COLUMNS "2\t0\t0\t1\n", "no such numbers"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t0\n", "no such numbers"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t65536\t9\n", "no such numbers"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t4294967296\n", "four whole numbers"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\n", "four whole numbers"},
        {HEAD "# done: 1\n" COLUMNS "2\t3\t0\t-9\n", "four whole numbers"},
        {HEAD "# done: 1\n" COLUMNS "2 3 0 9\n", "four whole numbers"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *text = with_sum(cases[k].text);
        spk_status status = parse(text, strlen(text));
        if (status != (cases[k].says == NULL ? SPK_OK : SPK_ERR_FORMAT) ||
            (cases[k].says != NULL && strstr(spk_context_message(context), cases[k].says) == NULL))
            print_message("case %zu: %s\n", k, spk_context_message(context));
        assert_int_equal(status, cases[k].says == NULL ? SPK_OK : SPK_ERR_FORMAT);
        if (cases[k].says != NULL)
            assert_non_null(strstr(spk_context_message(context), cases[k].says));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_shard_is_named),
        cmocka_unit_test(every_damaged_byte_is_noticed),
        cmocka_unit_test(foreign_files_are_told_apart),
        cmocka_unit_test(content_is_checked),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
