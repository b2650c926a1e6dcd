/* Which results of a list are chosen, against definitions that look at all pairs. */
#include "support/context.h"

static uint64_t seed;

static uint32_t size_of(const uint64_t *offset, uint64_t i)
{
    return (uint32_t)(offset[i + 1] - offset[i]);
}

/* ---- what the words mean --------------------------------------------------------------------- */

static bool episode_contains(const spk_episode_columns *e, uint64_t whole, uint64_t part)
{
    uint32_t n = size_of(e->offset, whole);
    uint32_t m = size_of(e->offset, part);
    for (uint32_t first = 0; m < n && first + m <= n; first++) {
        bool same = true;
        for (uint32_t p = 0; p < m && same; p++) {
            uint64_t x = e->offset[whole] + first + p;
            uint64_t y = e->offset[part] + p;
            same = e->unit[x] == e->unit[y] && (p == 0 || e->delay[x] == e->delay[y]);
        }
        if (same)
            return true;
    }
    return false;
}

static bool has_item(const spk_pattern_columns *p, uint64_t i, uint64_t unit, uint64_t lag)
{
    for (uint64_t k = p->offset[i]; k < p->offset[i + 1]; k++)
        if (p->item[k] / p->window == unit && p->item[k] % p->window == lag)
            return true;
    return false;
}

static bool pattern_contains(const spk_pattern_columns *p, uint64_t whole, uint64_t part)
{
    for (uint32_t shift = 0;
         shift < p->window && size_of(p->offset, part) < size_of(p->offset, whole); shift++) {
        bool all = true;
        for (uint64_t k = p->offset[part]; k < p->offset[part + 1] && all; k++)
            all = has_item(p, whole, p->item[k] / p->window, p->item[k] % p->window + shift);
        if (all)
            return true;
    }
    return false;
}

static uint32_t distinct_units(const uint32_t *entry, uint32_t size, uint32_t window)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < size; a++) {
        bool first = true;
        for (uint32_t b = 0; b < a; b++)
            first = first && entry[a] / window != entry[b] / window;
        n += first;
    }
    return n;
}

/* ---- random lists ---------------------------------------------------------------------------- */

static spk_recording *random_recording(test_random *random, uint32_t n_units, uint64_t n)
{
    spk_recording *recording = NULL;
    int64_t *time = calloc(n, sizeof *time);
    uint32_t *unit = calloc(n, sizeof *unit);
    assert_true(time != NULL && unit != NULL);
    for (uint64_t k = 0; k < n; k++) {
        time[k] = (k > 0 ? time[k - 1] : 0) + test_random_between(random, 0, 2);
        unit[k] = (uint32_t)test_random_below(random, n_units);
    }
    assert_int_equal(test_recording_create(context, n, time, unit, n_units, NULL,
                                           (spk_rate){1000, 1}, NULL, NULL, &recording),
                     SPK_OK);
    free(time);
    free(unit);
    return recording;
}

static spk_episode_list *mine_episodes(const spk_recording *recording, uint64_t support)
{
    static const spk_delay delays[] = {{{0, 0}, {2, -3}}, {{2, -3}, {5, -3}}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays;
    options.n_delays = 2;
    options.support = support;
    spk_episode_list *list = NULL;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL), SPK_OK);
    return list;
}

static spk_pattern_list *mine_patterns(const spk_recording *recording, uint32_t window)
{
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -3};
    cut.window = window;
    spk_windows *windows = NULL;
    spk_pattern_list *list = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.moving_window_filter = false;
    options.min_spikes = 1;
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    assert_int_equal(spk_pattern_list_create(context, window, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    spk_windows_free(windows);
    return list;
}

/* ---- one list, one set of options ------------------------------------------------------------ */

typedef struct judged {
    const spk_episode_columns *episodes; /* or */
    const spk_pattern_columns *patterns;
    spk_select_options options;
    uint64_t n;
    uint64_t *chosen;
    uint64_t n_chosen;
} judged;

static const uint64_t *offsets(const judged *j)
{
    return j->episodes != NULL ? j->episodes->offset : j->patterns->offset;
}

static uint64_t count_of(const judged *j, uint64_t i)
{
    return j->episodes != NULL ? j->episodes->count[i] : j->patterns->count[i];
}

static uint32_t units_of(const judged *j, uint64_t i)
{
    const uint32_t *entry = j->episodes != NULL ? j->episodes->unit : j->patterns->item;
    return distinct_units(entry + offsets(j)[i], size_of(offsets(j), i),
                          j->episodes != NULL ? 1 : j->patterns->window);
}

static bool contains(const judged *j, uint64_t whole, uint64_t part)
{
    return j->episodes != NULL ? episode_contains(j->episodes, whole, part)
                               : pattern_contains(j->patterns, whole, part);
}

static bool in_list(const judged *j, uint64_t i)
{
    return j->options.among == NULL || j->options.among[i] != 0;
}

static bool should_be_chosen(const judged *j, uint64_t i)
{
    bool yes = in_list(j, i) && size_of(offsets(j), i) >= j->options.min_size &&
               units_of(j, i) >= j->options.distinct_units;
    for (uint64_t other = 0; other < j->n && yes; other++)
        if (in_list(j, other) && contains(j, other, i))
            yes =
                !j->options.maximal && (!j->options.closed || count_of(j, other) != count_of(j, i));
    return yes;
}

static void choose(judged *j)
{
    j->n = j->episodes != NULL ? j->episodes->n : j->patterns->n;
    j->chosen = calloc(j->n + 1, sizeof *j->chosen);
    assert_non_null(j->chosen);
    assert_int_equal(
        j->episodes != NULL
            ? spk_select_episodes(context, j->episodes, &j->options, j->chosen, &j->n_chosen)
            : spk_select_patterns(context, j->patterns, &j->options, j->chosen, &j->n_chosen),
        SPK_OK);
}

/* Number of results that were chosen, after every result was judged by definition. */
static uint64_t check_judged(judged j)
{
    choose(&j);
    uint64_t at = 0;
    for (uint64_t i = 0; i < j.n; i++) {
        bool chosen = at < j.n_chosen && j.chosen[at] == i;
        assert_int_equal(chosen, should_be_chosen(&j, i));
        at += chosen;
    }
    assert_int_equal(at, j.n_chosen);
    free(j.chosen);
    return at;
}

static uint8_t *random_members(test_random *random, uint64_t n)
{
    uint8_t *among = calloc(n + 1, 1);
    assert_non_null(among);
    for (uint64_t i = 0; i < n; i++)
        among[i] = test_random_chance(random, 0.6);
    return among;
}

/* All choices, on the whole list and on a part of it, which lacks some of the links between large
 * and small results. */
static void check_all(judged j, test_random *random, uint64_t *n_maximal, uint64_t *n_closed)
{
    uint64_t n = j.episodes != NULL ? j.episodes->n : j.patterns->n;
    uint8_t *among = random_members(random, n);
    for (int part = 0; part < 2; part++) {
        spk_select_options_init(&j.options, sizeof j.options);
        j.options.among = part ? among : NULL;
        check_judged(j);
        j.options.maximal = true;
        *n_maximal += check_judged(j);
        j.options.closed = true;
        check_judged(j);
        j.options.maximal = false;
        *n_closed += check_judged(j);
        j.options.min_size = (uint32_t)test_random_between(random, 1, 4);
        j.options.distinct_units = (uint32_t)test_random_between(random, 1, 4);
        check_judged(j);
    }
    free(among);
}

static void episodes_by_definition(void **state)
{
    (void)state;
    uint64_t n_maximal = 0, n_closed = 0;
    uint64_t n_cases = test_scaled(60);
    for (uint64_t k = 0; k < n_cases; k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording =
            random_recording(&random, 3, (uint64_t)test_random_between(&random, 20, 90));
        spk_episode_list *list = mine_episodes(recording, 5);
        spk_episode_columns columns = spk_episode_list_columns(list);
        if (columns.n < 1500)
            check_all((judged){.episodes = &columns}, &random, &n_maximal, &n_closed);
        spk_episode_list_free(list);
        spk_recording_free(recording);
    }
    /* A few cases may have none that is closed and not maximal. */
    assert_true(n_cases < 20 || (n_maximal > 0 && n_closed > n_maximal));
}

static void patterns_by_definition(void **state)
{
    (void)state;
    uint64_t n_maximal = 0, n_closed = 0;
    uint64_t n_cases = test_scaled(60);
    for (uint64_t k = 0; k < n_cases; k++) {
        test_random random = test_random_make(seed, 1000 + k);
        spk_recording *recording =
            random_recording(&random, 4, (uint64_t)test_random_between(&random, 10, 40));
        spk_pattern_list *list =
            mine_patterns(recording, (uint32_t)test_random_between(&random, 1, 4));
        spk_pattern_columns columns = spk_pattern_list_columns(list);
        if (columns.n < 1500)
            check_all((judged){.patterns = &columns}, &random, &n_maximal, &n_closed);
        spk_pattern_list_free(list);
        spk_recording_free(recording);
    }
    /* A few cases may have none that is closed and not maximal. */
    assert_true(n_cases < 20 || (n_maximal > 0 && n_closed > n_maximal));
}

/* ---- the best -------------------------------------------------------------------------------- */

/* <0: a is better. Without the last resort, unit numbers. */
static int compare(const judged *j, uint64_t a, uint64_t b)
{
    const uint32_t *score = j->options.score;
    if (score != NULL && score[a] != score[b])
        return score[a] > score[b] ? -1 : 1;
    if (units_of(j, a) != units_of(j, b))
        return units_of(j, a) > units_of(j, b) ? -1 : 1;
    if (size_of(offsets(j), a) != size_of(offsets(j), b))
        return size_of(offsets(j), a) > size_of(offsets(j), b) ? -1 : 1;
    return count_of(j, a) == count_of(j, b) ? 0 : count_of(j, a) > count_of(j, b) ? -1 : 1;
}

static void check_top(judged j)
{
    choose(&j);
    assert_int_equal(j.n_chosen, j.options.top < j.n ? j.options.top : j.n);
    for (uint64_t k = 1; k < j.n_chosen; k++)
        assert_true(compare(&j, j.chosen[k - 1], j.chosen[k]) <= 0);
    for (uint64_t i = 0; i < j.n && j.n_chosen > 0; i++) {
        bool chosen = false;
        for (uint64_t k = 0; k < j.n_chosen && !chosen; k++)
            chosen = j.chosen[k] == i;
        assert_true(chosen || compare(&j, j.chosen[j.n_chosen - 1], i) <= 0);
    }
    free(j.chosen);
}

static void best_come_first(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 2000);
    spk_recording *recording = random_recording(&random, 4, 100);
    spk_episode_list *list = mine_episodes(recording, 5);
    spk_pattern_list *patterns = mine_patterns(recording, 3);
    spk_episode_columns columns = spk_episode_list_columns(list);
    spk_pattern_columns pattern_columns = spk_pattern_list_columns(patterns);
    uint64_t most = columns.n > pattern_columns.n ? columns.n : pattern_columns.n;
    uint32_t *score = calloc(most + 1, sizeof *score);
    assert_non_null(score);
    for (uint64_t i = 0; i < most; i++)
        score[i] = (uint32_t)test_random_below(&random, 50);
    judged j = {.episodes = &columns};
    judged of_patterns = {.patterns = &pattern_columns};
    static const uint64_t tops[] = {1, 7, 100, 1000000};
    spk_select_options_init(&j.options, sizeof j.options);
    spk_select_options_init(&of_patterns.options, sizeof of_patterns.options);
    for (int scored = 0; scored < 2; scored++) {
        j.options.score = of_patterns.options.score = scored ? score : NULL;
        for (size_t k = 0; k < sizeof tops / sizeof tops[0]; k++) {
            j.options.top = of_patterns.options.top = tops[k];
            check_top(j);
            check_top(of_patterns);
        }
    }
    free(score);
    spk_pattern_list_free(patterns);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* The same episodes in another order: the same ones are chosen. */
static void order_of_the_list(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 3000);
    spk_recording *recording = random_recording(&random, 3, 90);
    spk_episode_list *list = mine_episodes(recording, 5);
    spk_episode_list *turned = NULL;
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_int_equal(spk_episode_list_create(context, &turned), SPK_OK);
    for (uint64_t i = columns.n; i-- > 0;) {
        spk_episode_columns one = columns;
        one.n = 1;
        one.offset += i;
        one.count += i;
        assert_int_equal(spk_episode_list_add(turned, &one), SPK_OK);
    }
    spk_episode_columns other = spk_episode_list_columns(turned);
    judged a = {.episodes = &columns};
    judged b = {.episodes = &other};
    spk_select_options_init(&a.options, sizeof a.options);
    a.options.top = 20;
    a.options.closed = true;
    b.options = a.options;
    choose(&a);
    choose(&b);
    assert_int_equal(a.n_chosen, b.n_chosen);
    /* The intervals may be numbered in another order, so ties among them are compared by count. */
    for (uint64_t k = 0; k < a.n_chosen; k++)
        assert_int_equal(compare(&a, a.chosen[k], other.n - 1 - b.chosen[k]), 0);
    free(a.chosen);
    free(b.chosen);
    spk_episode_list_free(turned);
    spk_episode_list_free(list);
    spk_recording_free(recording);
}

/* ---- the example of the header, and errors --------------------------------------------------- */

static void example(void **state)
{
    (void)state;
    static const spk_delay delays[] = {{{0, 0}, {5, -3}}};
    static const uint64_t offset[] = {0, 4, 7, 10};
    static const uint32_t unit[] = {0, 1, 2, 3, 0, 1, 2, 1, 2, 3};
    static const uint16_t delay[10] = {0};
    static const uint64_t count[] = {12, 12, 20};
    const spk_episode_columns columns = {3, offset, unit, delay, count, delays, 1, NULL};
    uint64_t chosen[3];
    uint64_t n = 0;
    spk_select_options options;
    spk_select_options_init(&options, sizeof options);
    options.maximal = true;
    assert_int_equal(spk_select_episodes(context, &columns, &options, chosen, &n), SPK_OK);
    assert_int_equal(n, 1);
    assert_int_equal(chosen[0], 0);
    options.maximal = false;
    options.closed = true;
    assert_int_equal(spk_select_episodes(context, &columns, &options, chosen, &n), SPK_OK);
    assert_int_equal(n, 2);
    assert_int_equal(chosen[1], 2);
}

/* An episode of the largest size and single parts of it, with nothing between them. */
static void gaps_between_sizes(void **state)
{
    (void)state;
    enum { N = SPK_EPISODE_MAX_SIZE };
    static const spk_delay delays[] = {{{0, 0}, {5, -3}}};
    uint64_t offset[4] = {0, N, N + 2, N + 4};
    uint32_t unit[N + 4];
    uint16_t delay[N + 4] = {0};
    const uint64_t count[] = {3, 3, 3};
    for (uint32_t p = 0; p < N; p++)
        unit[p] = p;
    unit[N] = 40, unit[N + 1] = 41;     /* a part */
    unit[N + 2] = 41, unit[N + 3] = 40; /* none */
    const spk_episode_columns columns = {3, offset, unit, delay, count, delays, 1, NULL};
    judged j = {.episodes = &columns};
    spk_select_options_init(&j.options, sizeof j.options);
    j.options.maximal = true;
    assert_int_equal(check_judged(j), 2);
}

static void errors(void **state)
{
    (void)state;
    static const uint64_t offset[] = {0, 0};
    static const uint32_t unit[] = {0};
    static const uint16_t delay[] = {0};
    static const uint64_t count[] = {1};
    static const uint32_t pattern_count[] = {1};
    const spk_episode_columns empty = {1, offset, unit, delay, count, NULL, 0, NULL};
    const spk_pattern_columns no_window = {1, 0, offset, unit, pattern_count};
    const spk_episode_columns nothing = {0, offset, unit, delay, count, NULL, 0, NULL};
    uint64_t chosen[1];
    uint64_t n = 7;
    assert_int_equal(spk_select_episodes(context, &empty, NULL, chosen, &n), SPK_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    assert_int_equal(spk_select_patterns(context, &no_window, NULL, chosen, &n), SPK_ERR_ARGUMENT);
    spk_select_options options;
    memset(&options, 0, sizeof options);
    assert_int_equal(spk_select_episodes(context, &nothing, &options, chosen, &n),
                     SPK_ERR_ARGUMENT);
    spk_select_options_init(&options, sizeof options);
    options.maximal = true;
    options.top = 3;
    assert_int_equal(spk_select_episodes(context, &nothing, &options, chosen, &n), SPK_OK);
    assert_int_equal(n, 0);
}

int main(void)
{
    seed = test_seed("test_chosen");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),
        cmocka_unit_test(episodes_by_definition),
        cmocka_unit_test(patterns_by_definition),
        cmocka_unit_test(best_come_first),
        cmocka_unit_test(order_of_the_list),
        cmocka_unit_test(gaps_between_sizes),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
