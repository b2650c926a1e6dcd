/* The lists of engines: what a program learns of each before it asks for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "spikemine/spikemine.h"

typedef struct engine_list {
    size_t n;
    spk_status (*describe)(size_t k, spk_engine_info *out);
} engine_list;

static bool describe(const engine_list *list, const char *name, spk_engine_info *out)
{
    for (size_t k = 0; k < list->n; k++) {
        assert_int_equal(list->describe(k, out), SPK_OK);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

static void check_list(const engine_list *list)
{
    spk_engine_info info;
    spk_engine_info other;
    assert_true(list->n > 0);
    for (size_t k = 0; k < list->n; k++) {
        assert_int_equal(list->describe(k, &info), SPK_OK);
        assert_true(strlen(info.name) > 0 && strlen(info.summary) > 0);
        assert_null(strchr(info.summary, '\n'));
        assert_non_null(info.needs);
        assert_int_equal(strlen(info.reason) == 0, info.available);
        if (info.on_gpu) {
            assert_true(strlen(info.needs) > 0);
            assert_true(spk_gpu_count() > 0 || !info.available);
        }
        for (size_t j = 0; j < k; j++) {
            assert_int_equal(list->describe(j, &other), SPK_OK);
            assert_string_not_equal(info.name, other.name);
        }
    }
    assert_int_equal(list->describe(list->n, &info), SPK_ERR_ARGUMENT);
    assert_int_equal(list->describe(SIZE_MAX, &info), SPK_ERR_ARGUMENT);
}

static void episode_engines_are_listed(void **state)
{
    (void)state;
    const engine_list list = {spk_episode_engine_count(), spk_episode_engine_info};
    spk_engine_info info;
    check_list(&list);
    assert_true(describe(&list, "sweep", &info) && info.available && !info.on_gpu);
    assert_true(describe(&list, "reference", &info) && info.available && !info.on_gpu);
    assert_true(describe(&list, "cuda-sweep", &info) && info.on_gpu);
    assert_false(describe(&list, "auto", &info)); /* a choice, no engine */
}

static void pattern_engines_are_listed(void **state)
{
    (void)state;
    const engine_list list = {spk_pattern_engine_count(), spk_pattern_engine_info};
    spk_engine_info info;
    check_list(&list);
    assert_true(describe(&list, "bitmap", &info) && info.available);
    assert_true(describe(&list, "fpgrowth", &info) && info.available);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episode_engines_are_listed),
        cmocka_unit_test(pattern_engines_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
