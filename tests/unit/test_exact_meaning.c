/*
 * What significant results mean: each word and each direction against its definition, by looking
 * through all results, in small random recordings with made-up verdicts.
 */
#include "support/context.h"

enum { UNITS = 4, EVENTS = 60, TICKS_PER_S = 4000 };
#define ALPHA 0.05

static spk_recording *draw_recording(test_random *random)
{
    int64_t time[EVENTS];
    uint32_t unit[EVENTS];
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    for (int k = 0; k < EVENTS; k++) {
        time[k] = test_random_between(random, 0, 400);
        unit[k] = (uint32_t)test_random_below(random, UNITS);
    }
    source.time = time, source.unit = unit, source.n_events = EVENTS, source.n_units = UNITS;
    source.rate = (spk_rate){TICKS_PER_S, 1};
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* ---- by definition --------------------------------------------------------------------------- */

/* P[X >= k] of n trials. */
static double tail(uint64_t k, uint64_t n, double p)
{
    double sum = 0;
    for (uint64_t j = k; j <= n; j++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)j + 1) - lgamma((double)(n - j) + 1) +
                   (double)j * log(p) + (double)(n - j) * log1p(-p));
    return sum;
}

typedef struct gathered {
    uint64_t n;
    uint64_t n_short;
} gathered;

static spk_status gather(void *user, uint32_t size, const int64_t *time)
{
    gathered *g = user;
    assert_int_equal(size, 2);
    g->n++;
    g->n_short += time[1] - time[0] < TICKS_PER_S / 1000;
    return SPK_OK;
}

static gathered occurrences(const spk_recording *recording, const spk_episode_columns *e,
                            uint32_t from, uint32_t to, uint16_t delay)
{
    gathered g = {0, 0};
    const uint32_t units[2] = {from, to};
    check(spk_episode_occurrences(context, recording, 2, units, &e->delays[delay], gather, &g));
    return g;
}

/* The number of this pair among the results, e->n where it is not. */
static uint64_t pair_number(const spk_episode_columns *e, uint32_t from, uint32_t to,
                            uint16_t delay)
{
    uint64_t i = 0;
    while (i < e->n && !(e->offset[i + 1] - e->offset[i] == 2 && e->unit[e->offset[i]] == from &&
                         e->unit[e->offset[i] + 1] == to && e->delay[e->offset[i] + 1] == delay))
        i++;
    return i;
}

static double direction(uint64_t there, uint64_t back, double mean_there, double mean_back)
{
    double n = (double)(there + back), excess = (n - mean_there - mean_back) / 2;
    excess = excess > 0 ? excess : 0;
    return tail(there, there + back, (mean_there + excess) / (mean_there + mean_back + 2 * excess));
}

static void compare_result(const spk_recording *recording, const spk_episode_columns *e,
                           const spk_exact_verdict *v, uint64_t i, uint32_t means, double p,
                           const spk_exact_direction *d)
{
    const bool significant = v[i].tested && v[i].p <= ALPHA;
    uint32_t wanted = 0;
    double wanted_p = -1, wanted_back_p = -1;
    bool opposite_fits = false;
    for (uint64_t k = e->offset[i]; k < e->offset[i + 1]; k++) {
        for (uint64_t j = e->offset[i]; j < k; j++)
            wanted |= e->unit[j] == e->unit[k] ? SPK_MEANS_RHYTHM : 0;
        if (k == e->offset[i] || e->unit[k - 1] == e->unit[k])
            continue;
        uint32_t from = e->unit[k - 1], to = e->unit[k];
        uint64_t there = pair_number(e, from, to, e->delay[k]);
        uint64_t back = pair_number(e, to, from, e->delay[k]);
        gathered g = occurrences(recording, e, from, to, e->delay[k]);
        gathered opposite = occurrences(recording, e, to, from, e->delay[k]);
        assert_true(there < e->n); /* parts of what is frequent are frequent */
        if (back < e->n && v[back].tested && v[back].p <= ALPHA)
            wanted |= SPK_MEANS_SYNCHRONY;
        if (2 * g.n_short > g.n)
            wanted |= SPK_MEANS_TWIN;
        double own = direction(g.n, opposite.n, v[there].expected,
                               back < e->n ? v[back].expected : v[there].expected);
        double other = direction(
            opposite.n, g.n, back < e->n ? v[back].expected : v[there].expected, v[there].expected);
        if (fabs(d->p - own) < 1e-9 && own >= wanted_p - 1e-9)
            opposite_fits |= d->back == opposite.n;
        wanted_p = own > wanted_p ? own : wanted_p;
        wanted_back_p = other > wanted_back_p ? other : wanted_back_p;
    }
    assert_true(opposite_fits || wanted_p < 0);
    wanted_p = wanted_p < 0 ? 1 : wanted_p;
    wanted_back_p = wanted_back_p < 0 ? 1 : wanted_back_p;
    assert_true(fabs(d->p - wanted_p) < 1e-9 && fabs(d->back_p - wanted_back_p) < 1e-9);
    assert_int_equal(means, significant ? wanted : 0);
    wanted_p = significant ? wanted_p : 1;
    if (!(fabs(p - wanted_p) < 1e-9))
        fail_msg("direction_p %.12g, wanted %.12g", p, wanted_p);
}

static void results_mean_what_the_definition_says(void **state)
{
    (void)state;
    const spk_delay delays[2] = {{{0, 0, 0}, {15, -4, 0}}, {{1, -3, 0}, {5, -3, 0}}};
    uint64_t seed = test_seed("meanings"), seen[8] = {0};
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        spk_recording *recording = draw_recording(&random);
        spk_episode_options options;
        spk_exact_options test;
        spk_episode_list *list = NULL;
        spk_episode_options_init(&options, sizeof options);
        options.delays = delays, options.n_delays = 2, options.support = 3, options.max_size = 3;
        spk_exact_options_init(&test, sizeof test);
        test.episodes = &options;
        check(spk_episode_list_create(context, &list));
        check(spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL));
        spk_episode_columns e = spk_episode_list_columns(list);
        spk_exact_verdict *v = calloc(e.n + 1, sizeof *v);
        uint32_t *means = malloc((e.n + 1) * sizeof *means);
        double *p = malloc((e.n + 1) * sizeof *p);
        assert_true(v != NULL && means != NULL && p != NULL);
        for (uint64_t i = 0; i < e.n; i++) {
            v[i].tested = e.offset[i + 1] - e.offset[i] > 1;
            v[i].p = test_random_chance(&random, 0.3) ? 0.01 : 0.5;
            v[i].expected = 0.5 + 5 * test_random_real(&random);
        }
        check(spk_exact_interpret_episodes(context, recording, &test, ALPHA, &e, v, means, p));
        spk_exact_direction *d = calloc(e.n + 1, sizeof *d);
        assert_non_null(d);
        check(spk_exact_direct_episodes(context, recording, &test, &e, v, d));
        for (uint64_t i = 0; i < e.n; i++) {
            seen[means[i]]++;
            compare_result(recording, &e, v, i, means[i], p[i], &d[i]);
        }
        free(d);
        free(v);
        free(means);
        free(p);
        spk_episode_list_free(list);
        spk_recording_free(recording);
    }
    for (int k = 0; k < 8; k++) /* too few cases need not have them all */
        assert_true(seen[k] > 0 || test_scaled(300) < 90);
}

static void patterns_mean_what_their_items_say(void **state)
{
    (void)state;
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_exact_options test;
    spk_window_options_init(&windows, sizeof windows);
    spk_pattern_options_init(&patterns, sizeof patterns);
    spk_exact_options_init(&test, sizeof test);
    test.windows = &windows, test.patterns = &patterns;
    /* 0@0 1@0; 0@0 1@2; 0@0 0@2; 0@0 1@0, not significant */
    const uint32_t item[] = {0, 3, 0, 5, 0, 2, 0, 3}, count[] = {9, 9, 9, 9};
    const uint64_t offset[] = {0, 2, 4, 6, 8};
    const spk_pattern_columns columns = {
        .n = 4, .window = 3, .offset = offset, .item = item, .count = count};
    const spk_exact_verdict v[] = {{.tested = true, .p = 0.01},
                                   {.tested = true, .p = 0.01},
                                   {.tested = true, .p = 0.05},
                                   {.tested = true, .p = 0.06}};
    for (int k = 0; k < 2; k++) {
        uint32_t means[4], together = SPK_MEANS_SYNCHRONY | (k == 0 ? SPK_MEANS_TWIN : 0);
        windows.bin = (spk_duration){k == 0 ? 9 : 10, -4, 0};
        check(spk_exact_interpret_patterns(context, &test, ALPHA, &columns, v, means));
        assert_int_equal(means[0], together);
        assert_int_equal(means[1], 0);
        assert_int_equal(means[2], SPK_MEANS_RHYTHM);
        assert_int_equal(means[3], 0);
    }
    assert_string_equal(spk_exact_means_text(0), "-");
    assert_string_equal(spk_exact_means_text(SPK_MEANS_RHYTHM | SPK_MEANS_TWIN), "rhythm,twin");
}

static void a_test_of_the_other_language_is_refused(void **state)
{
    (void)state;
    spk_exact_options test;
    spk_episode_columns none = {.n = 0};
    spk_pattern_columns no_patterns = {.n = 0};
    spk_exact_options_init(&test, sizeof test);
    assert_int_equal(
        spk_exact_interpret_episodes(context, NULL, &test, ALPHA, &none, NULL, NULL, NULL),
        SPK_ERR_ARGUMENT);
    assert_int_equal(spk_exact_direct_episodes(context, NULL, &test, &none, NULL, NULL),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_exact_interpret_patterns(context, &test, ALPHA, &no_patterns, NULL, NULL),
                     SPK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_mean_what_the_definition_says),
        cmocka_unit_test(patterns_mean_what_their_items_say),
        cmocka_unit_test(a_test_of_the_other_language_is_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
