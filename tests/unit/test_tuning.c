/* The hybrid's crossover points, fit, rule and file, without a GPU. */
#include "episode/engine/cuda/papers/host_crossover.h"
#include "support/context.h"

static void assert_near(double expected, double got)
{
    if (got < expected - 1e-9 * (1 + expected) || got > expected + 1e-9 * (1 + expected)) {
        print_message("expected %.17g, got %.17g\n", expected, got);
        fail();
    }
}

/* ---- points, fit, rule ----------------------------------------------------------------------- */

static void points_lie_where_times_meet(void **state)
{
    (void)state;
    const double candidates[] = {16, 32, 64, 128};
    const double level[] = {4, 4, 4, 4};
    const double rising[] = {1, 2, 8, 16}; /* meets 4 half way between 32 and 64, in logarithms */
    const double noisy[] = {5, 2, 8, 16};  /* above, below, above: the last crossing counts */
    const double low[] = {1, 1, 1, 1};
    bool crossed = false;
    assert_near(45.254833995939045, crossover_point(4, candidates, level, rising, &crossed));
    assert_true(crossed);
    assert_near(45.254833995939045, crossover_point(4, candidates, level, noisy, &crossed));
    assert_true(crossed);
    assert_near(16, crossover_point(4, candidates, low, level, &crossed));
    assert_false(crossed);
    assert_near(128, crossover_point(4, candidates, level, low, &crossed));
    assert_false(crossed);
    assert_near(16, crossover_point(4, candidates, level, level, &crossed));
    assert_false(crossed);
}

static void fit_finds_a_and_b(void **state)
{
    (void)state;
    spk_papers_crossover points[7];
    crossover_fit fit;
    for (uint32_t k = 0; k < 7; k++)
        points[k] =
            (spk_papers_crossover){.size = k + 2,
                                   .resident = 1000 + 100 * k,
                                   .candidates = (1000 + 100 * k) * (0.75 / (k + 2) + 0.125)};
    assert_int_equal(crossover_least_squares(context, 7, points, &fit), SPK_OK);
    assert_near(0.75, fit.a);
    assert_near(0.125, fit.b);
    /* Errors that cancel out: +e, -2e, +e at equal distances in 1 / N. */
    const uint32_t sizes[] = {2, 3, 6}; /* 1/2, 1/3, 1/6 */
    const double off[] = {0.01, -0.02, 0.01};
    for (uint32_t k = 0; k < 3; k++)
        points[k] = (spk_papers_crossover){
            .size = sizes[k], .resident = 100, .candidates = 100 * (2.0 / sizes[k] + 1 + off[k])};
    assert_int_equal(crossover_least_squares(context, 3, points, &fit), SPK_OK);
    assert_near(2, fit.a);
    assert_near(1, fit.b);
    points[1].size = points[2].size = points[0].size;
    assert_int_equal(crossover_least_squares(context, 3, points, &fit), SPK_ERR_ARGUMENT);
    assert_int_equal(crossover_least_squares(context, 0, points, &fit), SPK_ERR_ARGUMENT);
}

static void rule_is_equation_3(void **state)
{
    (void)state;
    crossover_fit fit = {.a = 2, .b = 0.5};
    assert_false(crossover_takes_ptpe(fit, 960, 4, 960));
    assert_true(crossover_takes_ptpe(fit, 960, 4, 961));
    assert_false(crossover_takes_ptpe(crossover_default(), 960, 4, 240));
    assert_true(crossover_takes_ptpe(crossover_default(), 960, 4, 241));
    fit.b = -10; /* a fit may go below 0 for long episodes: then any number will do */
    assert_true(crossover_takes_ptpe(fit, 960, 8, 1));
}

/* ---- the file -------------------------------------------------------------------------------- */

typedef struct place {
    char folder[64];
    char path[128];
} place;

static place make_place(void)
{
    place p = {.folder = "/tmp/spikemine-tuning-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/deep/er/gpu.json", p.folder);
    return p;
}

static void remove_place(const place *p)
{
    char name[160];
    static const char *const inside[] = {"deep/er/gpu.json", "deep/er", "deep"};
    for (size_t k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s/%s", p->folder, inside[k]);
        (void)remove(name);
    }
    assert_int_equal(rmdir(p->folder), 0); /* nothing else is left, no temporary file */
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static spk_papers_tuning example(const char *id, double a)
{
    spk_papers_tuning c = {.n_crossovers = 2, .a = a, .b = -0.1};
    snprintf(c.gpu.id, sizeof c.gpu.id, "%s", id);
    snprintf(c.gpu.name, sizeof c.gpu.name, "GPU \"%s\"", id);
    c.gpu.multiprocessors = 132;
    c.gpu.memory = (uint64_t)150 << 30;
    c.crossover[0] = (spk_papers_crossover){3, true, 415.0 / 3, 270336};
    c.crossover[1] = (spk_papers_crossover){4, false, 16, 202752};
    return c;
}

static void tunings_come_back(void **state)
{
    (void)state;
    place p = make_place();
    spk_papers_tuning first = example("aa01", 0.1);
    spk_papers_tuning second = example("bb02", 1.0 / 3);
    spk_papers_tuning got;
    bool found = true;
    assert_int_equal(crossover_load(context, p.path, "aa01", &found, &got), SPK_OK);
    assert_false(found);
    assert_int_equal(crossover_store(context, p.path, &first), SPK_OK);
    assert_int_equal(crossover_store(context, p.path, &second), SPK_OK);
    first.a = 0.7;
    assert_int_equal(crossover_store(context, p.path, &first), SPK_OK);
    assert_int_equal(crossover_load(context, p.path, "cc03", &found, &got), SPK_OK);
    assert_false(found);
    const spk_papers_tuning *all[] = {&first, &second};
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(crossover_load(context, p.path, all[k]->gpu.id, &found, &got), SPK_OK);
        assert_true(found);
        assert_string_equal(got.gpu.name, all[k]->gpu.name);
        assert_string_equal(got.gpu.id, all[k]->gpu.id);
        assert_int_equal(got.gpu.multiprocessors, 132);
        assert_int_equal(got.gpu.memory, all[k]->gpu.memory);
        assert_true(got.a == all[k]->a && got.b == all[k]->b);
        assert_int_equal(got.n_crossovers, 2);
        for (uint32_t x = 0; x < 2; x++) {
            assert_int_equal(got.crossover[x].size, all[k]->crossover[x].size);
            assert_int_equal(got.crossover[x].crossed, all[k]->crossover[x].crossed);
            assert_int_equal(got.crossover[x].resident, all[k]->crossover[x].resident);
            assert_true(got.crossover[x].candidates == all[k]->crossover[x].candidates);
        }
    }
    remove_place(&p);
}

static void damage_is_told(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{\"version\": 1, \"gpus\": {\"aa01\": {\"na",
        "[]",
        "{\"version\": 2, \"gpus\": {}}",
        "{\"version\": 1}",
        "{\"version\": 1, \"gpus\": []}",
        "{\"version\": 1, \"gpus\": {\"aa01\": 7}}",
        "{\"version\": 1, \"gpus\": {\"aa01\": {\"name\": \"x\", \"multiprocessors\": 1, "
        "\"memory\": 1, \"a\": \"1\", \"b\": 0, \"crossovers\": []}}}",
        "{\"version\": 1, \"gpus\": {\"aa01\": {\"name\": \"x\", \"multiprocessors\": 1, "
        "\"memory\": 1, \"a\": 1, \"b\": 0, \"crossovers\": [{\"size\": 0}]}}}",
        "{\"version\": 1, \"gpus\": {\"aa01\": {\"name\": \"x\", \"multiprocessors\": 1, "
        "\"memory\": 1, \"a\": 1, \"b\": 0, \"crossovers\": [1,1,1,1,1,1,1,1]}}}",
    };
    place p = make_place();
    spk_papers_tuning c = example("aa01", 1);
    assert_int_equal(crossover_store(context, p.path, &c), SPK_OK);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        bool found = true;
        write_text(p.path, texts[k]);
        assert_int_equal(crossover_load(context, p.path, "aa01", &found, &c), SPK_ERR_FORMAT);
        assert_false(found);
        assert_non_null(strstr(spk_context_message(context), "gpu.json: "));
        assert_non_null(strstr(spk_context_message(context), "spikemine tune"));
    }
    /* A damaged file may hold the tunings of other devices: nothing is written over it. */
    write_text(p.path, texts[1]);
    assert_int_equal(crossover_store(context, p.path, &c), SPK_ERR_FORMAT);
    remove_place(&p);
}

static void path_follows_the_environment(void **state)
{
    (void)state;
    char *path = NULL;
    setenv("HOME", "/home/someone", 1);
    setenv("XDG_CONFIG_HOME", "/configured", 1);
    assert_int_equal(spk_papers_tuning_path(context, &path), SPK_OK);
    assert_string_equal(path, "/configured/spikemine/gpu.json");
    free(path);
    setenv("XDG_CONFIG_HOME", "not/absolute", 1);
    assert_int_equal(spk_papers_tuning_path(context, &path), SPK_OK);
    assert_string_equal(path, "/home/someone/.config/spikemine/gpu.json");
    free(path);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(spk_papers_tuning_path(context, &path), SPK_OK);
    assert_null(path);
}

/* What a build or machine without GPUs answers. */
static void absent_gpus_say_why(void **state)
{
    (void)state;
    spk_gpu_info info;
    spk_papers_tuning tuning;
    int n = spk_gpu_count();
    assert_true(n >= 0);
    spk_status expected = n == 0 ? SPK_ERR_UNAVAILABLE : SPK_ERR_ARGUMENT;
    assert_int_equal(spk_gpu_describe(context, n, &info), expected);
    assert_true(strlen(spk_context_message(context)) > 0);
    assert_int_equal(spk_papers_tune(context, n, &tuning), expected);
    assert_int_equal(spk_gpu_describe(context, -1, &info), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lie_where_times_meet),
        cmocka_unit_test(fit_finds_a_and_b),
        cmocka_unit_test(rule_is_equation_3),
        cmocka_unit_test(tunings_come_back),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(path_follows_the_environment),
        cmocka_unit_test(absent_gpus_say_why),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
