/* The columns of results: the reference page has each one's meaning, the schemas have its key. */
#include "report/columns.h"
#include "support/test.h"

/* A file of the sources without its backticks; to be freed. */
static char *read_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/docs/reference/%s", SPK_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, file), kept = 0;
    for (size_t k = 0; k < n; k++)
        if (text[k] != '`')
            text[kept++] = text[k];
    text[kept] = '\0';
    fclose(file);
    return text;
}

static void expect(const char *text, const char *where, const char *form, const char *key,
                   const char *meaning)
{
    char wanted[1024];
    snprintf(wanted, sizeof wanted, form, key, meaning);
    if (strstr(text, wanted) == NULL)
        fail_msg("%s lacks: %s", where, wanted);
}

static void the_reference_has_all_columns(void **state)
{
    (void)state;
    static const spk_duration window = {25, -3, 0};
    const spk_exact_report exact = {.jitter = &window, .n_jitter = 1};
    const report_tests tests = {.exact = &exact};
    size_t n = 0;
    const report_column *column = report_columns(&n);
    char *page = read_file("output.md");
    for (size_t c = 0; c < n; c++) {
        char key[REPORT_COLUMN_TEXT], meaning[REPORT_COLUMN_TEXT];
        const char *shown = report_column_text(&tests, column[c].facts.key, 0, key);
        const char *told = report_column_text(&tests, column[c].facts.meaning, 0, meaning);
        assert_true(strlen(told) + 1 < REPORT_COLUMN_TEXT); /* nothing was cut */
        expect(page, "output.md", "\n| %s | %s", shown, told);
    }
    for (int rows = REPORT_SEQUENCES; rows <= REPORT_MOMENTS; rows++) {
        column = report_sequence_columns((report_sequence_rows)rows, &n);
        for (size_t c = 0; c < n; c++)
            expect(page, "output.md", "\n| %s | %s", column[c].facts.key, column[c].facts.meaning);
    }
    free(page);
}

static void schemas_have_all_columns(void **state)
{
    size_t n = 0;
    const report_column *column = report_columns(&n);
    char *episodes = read_file("schemas/episodes.schema.json");
    char *patterns = read_file("schemas/patterns.schema.json");
    (void)state;
    for (size_t c = 0; c < n; c++) {
        const char *key =
            column[c].facts.json_key != NULL ? column[c].facts.json_key : column[c].facts.key;
        const bool of_patterns = column[c].source.test == offsetof(report_tests, signatures);
        if (strstr(key, "%s") != NULL)
            continue; /* as many as there are windows */
        expect(of_patterns ? patterns : episodes, "schema", "\"%s%s", key, "");
        if (!column[c].facts.of_episodes)
            expect(patterns, "schema of patterns", "\"%s%s", key, "");
    }
    char *sequences = read_file("schemas/sequences.schema.json");
    for (int rows = REPORT_MEMBERS; rows <= REPORT_MOMENTS; rows++) {
        column = report_sequence_columns((report_sequence_rows)rows, &n);
        for (size_t c = 0; c < n; c++)
            expect(sequences, "schema of sequences", "\"%s%s\"", column[c].facts.key, "");
    }
    free(episodes);
    free(patterns);
    free(sequences);
}

/* What others read columns by is what tables are made of. */
static void columns_are_told(void **state)
{
    (void)state;
    size_t n = 0;
    const report_column *column = report_columns(&n);
    for (size_t c = 0; c < n; c++) {
        const spk_result_column *told = spk_result_column_get(c);
        assert_ptr_equal(told, &column[c].facts);
        assert_non_null(told->test);
        assert_true((told->member == NULL) == (column[c].get != NULL));
        if (strcmp(told->key, "explained_by") == 0) {
            assert_string_equal(told->json_key, "explained_without");
            assert_string_equal(told->name, "left_out");
            assert_string_equal(told->member, "left_out");
        }
    }
    assert_null(spk_result_column_get(n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_has_all_columns),
        cmocka_unit_test(schemas_have_all_columns),
        cmocka_unit_test(columns_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
