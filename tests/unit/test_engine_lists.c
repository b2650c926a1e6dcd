/* The lists of engines: what a program learns of each before it asks for one. */
#include "support/test.h"

static bool describe(spk_language language, const char *name, spk_engine_info *out)
{
    for (size_t k = 0; k < spk_engine_count(language); k++) {
        assert_int_equal(spk_engine_describe(NULL, language, k, out), SPK_OK);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

static void check_list(spk_language language)
{
    spk_engine_info info;
    size_t n = spk_engine_count(language);
    assert_true(n > 0);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(spk_engine_describe(NULL, language, k, &info), SPK_OK);
        assert_string_equal(info.name, spk_engine_name(language, k));
        assert_true(strlen(info.name) > 0 && strlen(info.summary) > 0);
        assert_null(strchr(info.summary, '\n'));
        assert_int_equal(strlen(info.reason) == 0, info.available);
        assert_int_equal(strlen(info.needs) > 0, info.on_gpu);
        assert_true(!info.on_gpu || spk_gpu_count() > 0 || !info.available);
        for (size_t j = 0; j < k; j++)
            assert_string_not_equal(info.name, spk_engine_name(language, j));
    }
    assert_int_equal(spk_engine_describe(NULL, language, n, &info), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_engine_describe(NULL, language, SIZE_MAX, &info), SPK_ERR_ARGUMENT);
    assert_null(spk_engine_name(language, n));
}

static void episode_engines_are_listed(void **state)
{
    (void)state;
    spk_engine_info info;
    check_list(SPK_EPISODES);
    assert_true(describe(SPK_EPISODES, "sweep", &info) && info.available && !info.on_gpu);
    assert_true(describe(SPK_EPISODES, "reference", &info) && info.available && !info.on_gpu);
    assert_true(describe(SPK_EPISODES, "cuda-sweep", &info) && info.on_gpu);
    assert_false(describe(SPK_EPISODES, "auto", &info)); /* a choice, no engine */
}

static void pattern_engines_are_listed(void **state)
{
    (void)state;
    spk_engine_info info;
    check_list(SPK_PATTERNS);
    assert_true(describe(SPK_PATTERNS, "bitmap", &info) && info.available);
    assert_true(describe(SPK_PATTERNS, "fpgrowth", &info) && info.available);
}

static void an_unknown_language_has_no_engine(void **state)
{
    (void)state;
    assert_int_equal(spk_engine_count((spk_language)7), 0);
    assert_null(spk_engine_name((spk_language)7, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episode_engines_are_listed),
        cmocka_unit_test(pattern_engines_are_listed),
        cmocka_unit_test(an_unknown_language_has_no_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
