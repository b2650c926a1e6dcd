/* Supports and delays that are chosen from what chance does: by definition, the same for a
 * recording and its surrogates, and on hostile recordings. */
#include "support/context.h"
#include "support/surrogates.h"

static uint64_t seed;

static spk_recording *make(uint32_t n_units, uint64_t n, const int64_t *time, const uint32_t *unit,
                           const int64_t *stop)
{
    static const int64_t zero = 0;
    spk_recording *out = NULL;
    check(test_recording_create(context, n, time, unit, n_units, NULL, (spk_rate){1000, 1},
                                stop != NULL ? &zero : NULL, stop, &out));
    return out;
}

/* Units that fire at random, some in chains of 3 ms; ticks of 1 ms. */
static spk_recording *make_random(test_random *random, uint32_t n_units, uint64_t n)
{
    int64_t *time = calloc(n, sizeof *time);
    uint32_t *unit = calloc(n, sizeof *unit);
    const int64_t stop = 2000 + (int64_t)test_random_below(random, 2000);
    assert_true(time != NULL && unit != NULL);
    for (uint64_t e = 0; e < n; e++) {
        time[e] = (int64_t)test_random_below(random, (uint64_t)stop);
        unit[e] = (uint32_t)test_random_below(random, n_units);
        if (e > 0 && test_random_chance(random, 0.4) && time[e - 1] + 3 < stop) {
            time[e] = time[e - 1] + 3;
            unit[e] = (unit[e - 1] + 1) % n_units;
        }
    }
    spk_recording *out = make(n_units, n, time, unit, &stop);
    free(time);
    free(unit);
    return out;
}

/* By the null hypothesis of this name, or that of a choice without a test. */
static spk_surrogates *jitter(const spk_recording *recording, const char *null, spk_duration window,
                              uint64_t of_seed)
{
    spk_surrogates *out = NULL;
    spk_surrogate_options options;
    spk_surrogate_options_init(&options, sizeof options);
    for (size_t k = 0; k < spk_exact_null_count(); k++)
        if (strcmp(null != NULL ? null : "shift", spk_exact_null_get(k)->name) == 0)
            options.method = spk_exact_null_get(k)->method;
    options.dither = window;
    options.seed = of_seed;
    assert_int_equal(spk_surrogates_create(context, recording, &options, &out), SPK_OK);
    return out;
}

/* ---- by definition --------------------------------------------------------------------------- */

typedef struct counted {
    uint64_t n[4096]; /* episodes of two units or more with at least this count */
} counted;

static spk_status add_counts(void *user, const spk_episode_columns *found)
{
    counted *c = user;
    for (uint64_t i = 0; i < found->n && found->level->size > 1; i++)
        for (uint64_t s = 0; s <= found->count[i]; s++)
            c->n[s]++;
    return SPK_OK;
}

/* All surrogates, by the engine that follows the definition, from support 1 on. */
static uint64_t support_by_definition(const spk_recording *recording, const spk_delay *delays,
                                      size_t n_delays, const spk_choose_options *o, counted *c)
{
    static const uint64_t first = UINT64_C(1) << 61;
    spk_surrogates *surrogates = jitter(recording, o->null, o->jitter, o->seed);
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays, options.n_delays = n_delays;
    options.max_size = o->max_size;
    options.support = o->least_support;
    options.engine = "fsm";
    *c = (counted){{0}};
    for (uint64_t k = 0; k < o->n_surrogates; k++) {
        spk_recording *one = NULL;
        assert_int_equal(spk_surrogates_make(context, surrogates, first + k, &one), SPK_OK);
        assert_int_equal(spk_episode_mine(context, one, &options, add_counts, c, NULL), SPK_OK);
        spk_recording_free(one);
    }
    spk_surrogates_free(surrogates);
    uint64_t s = o->least_support;
    while (c->n[s] > o->n_surrogates * o->most_by_chance)
        s++;
    return s;
}

static void supports_are_those_of_the_definition(void **state)
{
    (void)state;
    static const spk_delay delays[] = {{{0, 0, 0}, {5, -3, 0}}, {{5, -3, 0}, {1, -2, 0}}};
    static counted c;
    uint64_t above_least = 0;
    for (uint64_t k = 0; k < test_scaled(40); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = make_random(&random, 2 + (uint32_t)test_random_below(&random, 8),
                                               50 + test_random_below(&random, 250));
        spk_choose_options options;
        spk_support_choice choice, again;
        spk_choose_options_init(&options, sizeof options);
        options.jitter = (spk_duration){4 + (int64_t)test_random_below(&random, 60), -3, 0};
        options.seed = k;
        options.n_surrogates = 1 + (uint32_t)test_random_below(&random, 5);
        options.max_size = 2 + (uint32_t)test_random_below(&random, 4);
        options.least_support = 2 + test_random_below(&random, 3);
        options.most_by_chance = 1 + test_random_below(&random, 60);
        const size_t n_delays = 1 + test_random_below(&random, 2);
        const uint64_t expected = support_by_definition(recording, delays, n_delays, &options, &c);
        spk_context_set_threads(context, 1);
        assert_int_equal(
            spk_choose_support(context, recording, delays, n_delays, &options, &choice), SPK_OK);
        spk_context_set_threads(context, 3);
        assert_int_equal(spk_choose_support(context, recording, delays, n_delays, &options, &again),
                         SPK_OK);
        assert_int_equal(choice.support, expected);
        assert_int_equal(again.support, expected);
        assert_true(choice.by_chance == (double)c.n[expected] / options.n_surrogates);
        assert_true(again.by_chance == choice.by_chance);
        assert_true((double)choice.most_in_one >= choice.by_chance);
        assert_int_equal(again.most_in_one, choice.most_in_one);
        above_least += expected > options.least_support;
        spk_recording_free(recording);
    }
    spk_context_set_threads(context, 2);
    assert_true(above_least > 0 || test_scaled(40) < 40);
}

/* The test stays exact: whichever surrogate were the recording, the support would be the same. That
 * of a recording's own counts is another one in some of them. */
static void surrogates_choose_the_same(void **state)
{
    (void)state;
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    for (uint64_t k = 0; k < test_scaled(10); k++) {
        test_random random = test_random_make(seed, 1000 + k);
        spk_recording *recording = make_random(&random, 6, 400);
        spk_choose_options options;
        spk_support_choice choice, other;
        spk_choose_options_init(&options, sizeof options);
        options.jitter = (spk_duration){25, -3, 0};
        options.seed = k;
        options.most_by_chance = 40;
        options.null = k % 2 == 0 ? "interval-jitter" : "shift";
        assert_int_equal(spk_choose_support(context, recording, &delay, 1, &options, &choice),
                         SPK_OK);
        spk_surrogates *surrogates = jitter(recording, options.null, options.jitter, options.seed);
        for (uint64_t i = 1; i <= 5; i++) {
            spk_recording *one = NULL;
            assert_int_equal(spk_surrogates_make(context, surrogates, i, &one), SPK_OK);
            assert_int_equal(spk_choose_support(context, one, &delay, 1, &options, &other), SPK_OK);
            assert_int_equal(other.support, choice.support);
            assert_true(other.by_chance == choice.by_chance);
            assert_int_equal(other.most_in_one, choice.most_in_one);
            spk_recording_free(one);
        }
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* A unit that fires nearly all the time, and slow ones. */
static spk_recording *make_busy(test_random *random)
{
    enum { SLOW = 5, STOP = 6000 };
    static int64_t time[2 * STOP];
    static uint32_t unit[2 * STOP];
    const int64_t stop = STOP;
    uint64_t n = 0;
    for (int64_t t = 0; t < STOP; t++) {
        if (test_random_chance(random, 0.25))
            time[n] = t, unit[n++] = SLOW;
        if (test_random_chance(random, 0.02))
            time[n] = t, unit[n++] = (uint32_t)test_random_below(random, SLOW);
    }
    return make(SLOW + 1, n, time, unit, &stop);
}

static spk_support_choice choose_for_test(const spk_recording *recording, int64_t ms)
{
    static const spk_delay delays[] = {{{0, 0, 0}, {5, -3, 0}}, {{5, -3, 0}, {1, -2, 0}}};
    spk_choose_options options;
    spk_support_choice choice;
    spk_choose_options_init(&options, sizeof options);
    options.jitter = (spk_duration){5, -2, 0};
    options.most_by_chance = 0, options.n_surrogates = 2, options.null = "shift";
    options.time = (spk_duration){ms, -3, 0};
    assert_int_equal(spk_choose_support(context, recording, delays, 2, &options, &choice), SPK_OK);
    return choice;
}

/* Where no null is named the choice for a test has that of the test, and another choice shift. */
static void the_null_is_that_of_the_test(void **state)
{
    (void)state;
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    test_random random = test_random_make(seed, 1300);
    spk_recording *recording = make_random(&random, 6, 40);
    spk_choose_options options;
    spk_support_choice own, named, other;
    spk_choose_options_init(&options, sizeof options);
    options.jitter = (spk_duration){5, -2, 0};
    assert_string_equal(spk_exact_null_for(recording, &options.jitter, 1)->name, "shift-apart");
    for (uint64_t most = 0; most <= 10; most += 10) {
        options.most_by_chance = most, options.null = NULL;
        options.least_support = 1;
        assert_int_equal(spk_choose_support(context, recording, &delay, 1, &options, &own), SPK_OK);
        options.null = most == 0 ? "shift-apart" : "shift";
        assert_int_equal(spk_choose_support(context, recording, &delay, 1, &options, &named),
                         SPK_OK);
        options.null = most == 0 ? "shift" : "shift-apart";
        assert_int_equal(spk_choose_support(context, recording, &delay, 1, &options, &other),
                         SPK_OK);
        assert_true(own.by_chance == named.by_chance && own.by_chance != other.by_chance);
    }
    spk_recording_free(recording);
}

/* For a test the support is the least one, whatever chance gives. Where searches would take too
 * long busy units are asked for more: the less time there is the more. Surrogates choose the same,
 * on any number of threads. */
static void tests_have_the_least_support(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 1200);
    spk_recording *recording = make_busy(&random), *one = NULL;
    spk_surrogates *surrogates = jitter(recording, "shift", (spk_duration){5, -2, 0}, 0);
    double before = 0;
    assert_int_equal(spk_surrogates_make(context, surrogates, 3, &one), SPK_OK);
    for (int64_t ms = 1000; ms >= 10; ms /= 10) {
        const spk_support_choice choice = choose_for_test(recording, ms);
        spk_context_set_threads(context, 1);
        const spk_support_choice other = choose_for_test(one, ms);
        spk_context_set_threads(context, 2);
        assert_int_equal(choice.support, 6);
        assert_true(choice.link_share >= before);
        assert_true(other.support == 6 && other.link_share == choice.link_share);
        assert_true(other.by_chance == choice.by_chance);
        assert_int_equal(other.most_in_one, choice.most_in_one);
        before = choice.link_share;
    }
    assert_true(before > 0);
    spk_surrogates_free(surrogates);
    spk_recording_free(one);
    spk_recording_free(recording);
}

/* Work is counted: no clock leaves a set out, and any number of threads gives the same. */
static void no_clock_leaves_a_set_out(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 1300);
    spk_recording *recording = make_busy(&random);
    spk_delay_table *table = NULL;
    uint64_t support = 0;
    spk_choose_options options;
    spk_choose_options_init(&options, sizeof options);
    options.time = (spk_duration){1, -9, 0};
    for (int threads = 4; threads >= 2; threads -= 2) { /* two as before */
        spk_context_set_threads(context, threads);
        assert_int_equal(spk_choose_delays(context, recording, NULL, 0, &options, &table), SPK_OK);
        const spk_delay_table_columns c = spk_delay_table_get(table);
        assert_true(c.n_sets == 12 && (threads == 4 || c.trial[0].support == support));
        support = c.trial[0].support;
        spk_delay_table_free(table);
    }
    spk_recording_free(recording);
}

/* Closed patterns of a surrogate with at least this count, by size. */
typedef struct patterns_of_chance {
    uint64_t n[SPK_PATTERN_MAX_ESTIMATE + 1];
    const spk_pattern_supports *supports;
} patterns_of_chance;

static spk_status add_patterns(void *user, const spk_pattern_columns *found)
{
    patterns_of_chance *c = user;
    for (uint64_t i = 0; i < found->n; i++) {
        const uint64_t size = found->offset[i + 1] - found->offset[i];
        const uint64_t at = size < c->supports->n ? size : c->supports->n;
        c->n[size] += found->count[i] >= c->supports->at_size[at];
    }
    return SPK_OK;
}

static void mine_surrogate(const spk_surrogates *surrogates, uint64_t k,
                           const spk_window_options *windows, patterns_of_chance *c)
{
    spk_recording *one = NULL;
    spk_windows *cut = NULL;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.min_spikes = 2, options.support = c->supports->at_size[c->supports->n];
    options.moving_window_filter = false, options.engine = "fpgrowth";
    assert_int_equal(spk_surrogates_make(context, surrogates, (UINT64_C(1) << 61) + k, &one),
                     SPK_OK);
    assert_int_equal(spk_windows_create(context, one, windows, &cut), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, cut, &options, add_patterns, c, NULL), SPK_OK);
    spk_windows_free(cut);
    spk_recording_free(one);
}

/* No size has more patterns by chance than allowed; with one less for it there would be more, or
 * the next size has as much. Of a surrogate the supports are the same. */
static void patterns_have_supports_by_size(void **state)
{
    (void)state;
    test_random random = test_random_make(seed, 1400);
    spk_recording *recording = make_random(&random, 8, 1500), *one = NULL;
    spk_pattern_supports supports, other;
    spk_support_choice choice;
    spk_surrogates *surrogates = NULL;
    spk_surrogate_options making;
    spk_window_options windows;
    spk_choose_options options;
    spk_window_options_init(&windows, sizeof windows);
    windows.bin = (spk_duration){2, -3, 0}, windows.window = 6;
    spk_choose_options_init(&options, sizeof options);
    options.jitter = (spk_duration){2, -2, 0};
    options.n_surrogates = 2, options.most_by_chance = 30;
    assert_int_equal(
        spk_choose_pattern_supports(context, recording, &windows, &options, &supports, &choice),
        SPK_OK);
    assert_true(supports.n > 2 && supports.at_size[2] > supports.at_size[supports.n]);
    spk_surrogate_options_init(&making, sizeof making);
    making.method = "shift-pieces";
    making.dither = options.jitter, making.bin = windows.bin;
    assert_int_equal(spk_surrogates_create(context, recording, &making, &surrogates), SPK_OK);
    patterns_of_chance c = {.supports = &supports};
    for (uint64_t k = 0; k < options.n_surrogates; k++)
        mine_surrogate(surrogates, k, &windows, &c);
    uint64_t sum = 0;
    for (uint32_t size = 2; size <= SPK_PATTERN_MAX_ESTIMATE; size++) {
        assert_true(c.n[size] <= options.most_by_chance * options.n_surrogates);
        sum += c.n[size];
    }
    assert_true(choice.by_chance == (double)sum / options.n_surrogates);
    assert_int_equal(spk_surrogates_make(context, surrogates, 3, &one), SPK_OK);
    assert_int_equal(spk_choose_pattern_supports(context, one, &windows, &options, &other, &choice),
                     SPK_OK);
    assert_int_equal(other.n, supports.n);
    assert_memory_equal(other.at_size, supports.at_size,
                        (supports.n + 1) * sizeof *supports.at_size);
    spk_surrogates_free(surrogates);
    spk_recording_free(one);
    spk_recording_free(recording);
}

/* So do patterns with the supports of the published recipe. */
static void surrogates_choose_the_same_for_patterns(void **state)
{
    (void)state;
    static const spk_duration bin = {5, -3, 0};
    for (uint64_t k = 0; k < test_scaled(10); k++) {
        test_random random = test_random_make(seed, 1100 + k);
        spk_recording *recording = make_random(&random, 6, 900);
        spk_surrogates *surrogates = NULL;
        spk_surrogate_options making;
        spk_pattern_supports first = {.n = 0};
        spk_surrogate_options_init(&making, sizeof making);
        making.method = "interval-jitter", making.dither = (spk_duration){5, -2, 0};
        making.bin = bin;
        assert_int_equal(spk_surrogates_create(context, recording, &making, &surrogates), SPK_OK);
        for (uint64_t i = 0; i <= 4; i++) {
            spk_recording *one = NULL;
            spk_windows *windows = NULL;
            spk_window_options options;
            spk_pattern_recipe_options recipe;
            spk_pattern_supports supports;
            spk_window_options_init(&options, sizeof options);
            options.bin = bin, options.window = 6;
            spk_pattern_recipe_options_init(&recipe, sizeof recipe);
            recipe.floor_support = 1;
            if (i > 0)
                assert_int_equal(spk_surrogates_make(context, surrogates, i, &one), SPK_OK);
            assert_int_equal(
                spk_windows_create(context, i > 0 ? one : recording, &options, &windows), SPK_OK);
            assert_int_equal(spk_pattern_estimate_published(context, windows, &recipe, &supports),
                             SPK_OK);
            if (i == 0)
                first = supports;
            assert_true(supports.n >= 2 && supports.at_size[2] > 1);
            assert_int_equal(supports.n, first.n);
            assert_memory_equal(supports.at_size, first.at_size,
                                (first.n + 1) * sizeof *first.at_size);
            spk_windows_free(windows);
            spk_recording_free(one);
        }
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- windows --------------------------------------------------------------------------------- */

static void windows_suit_delays(void **state)
{
    (void)state;
    static const struct {
        spk_delay delay;
        spk_duration window;
    } cases[] = {
        {{{0, 0, 0}, {5, -3, 0}}, {25, -3, 0}}, {{{5, -3, 0}, {1, -2, 0}}, {25, -3, 0}},
        {{{1, -1, 0}, {2, -1, 0}}, {5, -1, 0}}, {{{0, 0, 0}, {15, -3, 0}}, {1, -1, 0}},
        {{{0, 0, 0}, {25, -3, 0}}, {1, -1, 0}}, {{{0, 0, 0}, {26, -3, 0}}, {25, -2, 0}},
        {{{0, 0, 0}, {2, -1, 0}}, {1, 0, 0}},   {{{0, 0, 0}, {1, 0, 30}}, {25, -2, 0}},
        {{{0, 0, 0}, {1, 9, 0}}, {5, 9, 0}}, /* times of another unit, on a grid of that */
    };
    spk_duration window;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_true(spk_choose_jitter(&cases[k].delay, 1, &window));
        assert_int_equal(spk_duration_compare(window, cases[k].window), 0);
    }
    static const spk_delay infinite = {{0, 0, 0}, {0, SPK_DURATION_INFINITE, 0}};
    assert_false(spk_choose_jitter(&infinite, 1, &window));
}

/* ---- delays ---------------------------------------------------------------------------------- */

static bool all_different(const uint32_t *unit, uint64_t n)
{
    for (uint64_t p = 0; p < n; p++)
        for (uint64_t q = p + 1; q < n; q++)
            if (unit[p] == unit[q])
                return false;
    return true;
}

typedef struct wanted {
    uint64_t support;
    uint64_t n[5]; /* episodes of different units, by size */
} wanted;

static spk_status add_wanted(void *user, const spk_episode_columns *found)
{
    wanted *w = user;
    const uint32_t size = found->level->size;
    for (uint64_t i = 0; i < found->n && size <= 4; i++)
        w->n[size] +=
            found->count[i] >= w->support && all_different(found->unit + found->offset[i], size);
    return SPK_OK;
}

static wanted count_by_definition(const spk_recording *recording, const spk_delay_trial *t)
{
    wanted w = {.support = t->support};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = t->delays, options.n_delays = t->n_delays;
    options.max_size = 4;
    options.engine = "fsm";
    assert_int_equal(spk_episode_mine(context, recording, &options, add_wanted, &w, NULL), SPK_OK);
    return w;
}

/* One trial against searches of the recording and of each surrogate. */
static void check_trial(const spk_recording *recording, const spk_choose_options *o,
                        const spk_delay_trial *t)
{
    spk_surrogates *surrogates = jitter(recording, NULL, t->jitter, o->seed);
    uint64_t sum[5] = {0}, most[5] = {0};
    const wanted found = count_by_definition(recording, t);
    for (uint64_t k = 0; k < o->n_surrogates; k++) {
        spk_recording *one = NULL;
        assert_int_equal(spk_surrogates_make(context, surrogates, (UINT64_C(1) << 61) + k, &one),
                         SPK_OK);
        const wanted chance = count_by_definition(one, t);
        for (int size = 2; size <= 4; size++) {
            sum[size] += chance.n[size];
            most[size] = chance.n[size] > most[size] ? chance.n[size] : most[size];
        }
        spk_recording_free(one);
    }
    for (int size = 2; size <= 4; size++) {
        const spk_delay_trial_size *s = &t->size[size - 2];
        assert_true(s->reached);
        assert_int_equal(s->found, found.n[size]);
        assert_int_equal(s->most_in_one, most[size]);
        assert_true(s->by_chance == (double)sum[size] / o->n_surrogates);
    }
    spk_surrogates_free(surrogates);
}

static void trials_are_those_of_the_definition(void **state)
{
    (void)state;
    static const spk_delay delays[] = {{{0, 0, 0}, {5, -3, 0}}, {{5, -3, 0}, {1, -2, 0}}};
    static const spk_delay_set sets[] = {{delays, 1}, {delays, 2}, {delays + 1, 1}};
    static counted c;
    for (uint64_t k = 0; k < test_scaled(6); k++) {
        test_random random = test_random_make(seed, 2000 + k);
        spk_recording *recording = make_random(&random, 6, 200);
        spk_choose_options options;
        spk_delay_table *table = NULL, *again = NULL;
        spk_choose_options_init(&options, sizeof options);
        options.seed = k, options.n_surrogates = 3, options.most_by_chance = 100;
        spk_context_set_threads(context, 1);
        assert_int_equal(spk_choose_delays(context, recording, sets, 3, &options, &table), SPK_OK);
        spk_context_set_threads(context, 3);
        assert_int_equal(spk_choose_delays(context, recording, sets, 3, &options, &again), SPK_OK);
        const spk_delay_table_columns a = spk_delay_table_get(table),
                                      b = spk_delay_table_get(again);
        assert_int_equal(a.n_sets, 3);
        assert_int_equal(a.n, 6);
        assert_int_equal(a.best, b.best);
        for (size_t i = 0; i < a.n; i++) {
            const spk_delay_trial *t = &a.trial[i];
            assert_true(t->delays < delays || t->delays >= delays + 2); /* copies, of these: */
            assert_int_equal(t->n_delays, sets[i / 2].n_delays);
            for (size_t d = 0; d < t->n_delays; d++) {
                const spk_delay *of = &sets[i / 2].delays[d];
                assert_int_equal(spk_duration_compare(t->delays[d].lo, of->lo), 0);
                assert_int_equal(spk_duration_compare(t->delays[d].hi, of->hi), 0);
            }
            assert_int_equal(t->limit, i % 2 == 0 ? 100 : 10);
            assert_memory_equal(t->size, b.trial[i].size, sizeof t->size);
            options.jitter = t->jitter;
            options.most_by_chance = t->limit;
            assert_int_equal(
                t->support, support_by_definition(recording, t->delays, t->n_delays, &options, &c));
            check_trial(recording, &options, t);
            options.most_by_chance = 100;
            options.jitter = (spk_duration){0, 0, 0};
        }
        spk_delay_table_free(table);
        spk_delay_table_free(again);
        spk_recording_free(recording);
    }
    spk_context_set_threads(context, 2);
}

/* Frames of 1/30 s: bounds lie between frames, and sequences of tens to hundreds of ms show. */
static void songbird(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    spk_recording *recording = test_recording_bundled(context, "songbird_spikes.txt");
    spk_time_grid grid;
    spk_delay_table *table = NULL;
    char text[400];
    spk_recording_find_grid(recording, &grid);
    for (uint64_t k = 0; k < test_scaled(3); k++) {
        spk_choose_options options;
        spk_choose_options_init(&options, sizeof options);
        options.seed = k;
        options.time = (spk_duration){36, 2, 0}; /* a slow machine tries all sets, too */
        assert_int_equal(spk_choose_delays(context, recording, NULL, 0, &options, &table), SPK_OK);
        const spk_delay_table_columns c = spk_delay_table_get(table);
        assert_int_equal(c.n_sets, 8);
        assert_int_equal(c.n_events, 3336);
        for (size_t t = 0; t < c.n; t++)
            for (size_t d = 0; d < c.trial[t].n_delays; d++)
                assert_int_equal(spk_time_grid_check_delay(&grid, c.trial[t].delays[d].lo,
                                                           c.trial[t].delays[d].hi, text,
                                                           sizeof text),
                                 0);
        assert_true(c.best < c.n);
        /* One frame, or one and two. */
        const spk_delay_trial *best = &c.trial[c.best];
        assert_int_equal(spk_duration_compare(best->delays[0].hi, (spk_duration){50, -3, 0}), 0);
        assert_true(best->support >= 8 && best->support <= 14);
        assert_true((double)best->size[1].found > 2.5 * best->size[1].by_chance);
        assert_true((double)best->size[2].found > 10 * best->size[2].by_chance);
        spk_delay_test plan;
        assert_int_equal(spk_choose_test(context, recording, table, 0.05, k, &plan), SPK_OK);
        assert_ptr_equal(plan.trial, &c.trial[c.best / 2 * 2]); /* at its lowest support */
        assert_true(plan.is_whole);
        assert_true(plan.alpha == 62 * 1e-4); /* 0.05 / 8, of which two digits are left */
        assert_int_equal(plan.n_surrogates, 199);
        assert_true(plan.estimate.seconds > 0);
        assert_true(plan.estimate.n_surrogates == 0 || plan.estimate.n_tested > 0);
        assert_int_equal(spk_choose_test(context, recording, table, 1, k, &plan), SPK_ERR_ARGUMENT);
        spk_delay_table_free(table);
    }
    spk_recording_free(recording);
}

/* Chance against chance: spikes that were placed anew anywhere show nothing. */
static void chance_shows_nothing(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    const spk_surrogate_options options = test_surrogate_options("randomise-spikes", 1, 5);
    spk_recording *recording = test_recording_bundled(context, "movement_PGHF.spikes.txt");
    spk_recording *one = test_surrogate(recording, &options, 1);
    spk_delay_table *table = NULL;
    spk_choose_options choosing;
    spk_choose_options_init(&choosing, sizeof choosing);
    choosing.n_events = 4000;
    assert_int_equal(spk_choose_delays(context, one, NULL, 0, &choosing, &table), SPK_OK);
    const spk_delay_table_columns c = spk_delay_table_get(table);
    assert_true(c.n_events <= 4000 && c.n_events > 3900);
    assert_int_equal(c.best, c.n);
    spk_delay_test plan;
    assert_int_equal(spk_choose_test(context, one, table, 0.05, 1, &plan), SPK_OK);
    assert_null(plan.trial);
    spk_delay_table_free(table);
    spk_recording_free(one);
    spk_recording_free(recording);
}

/* Steps that a recording's ticks allow. */
static void ladders(void **state)
{
    (void)state;
    static const struct {
        uint64_t rate;
        size_t n_sets;
        spk_duration first;
    } cases[] = {{1000, 12, {5, -3, 0}},  {200, 12, {5, -3, 0}}, {100, 10, {1, -2, 0}},
                 {30, 8, {5, -2, 0}},     {4, 2, {25, -2, 0}},   {1, 2, {1, 0, 0}},
                 {30000, 12, {5, -3, 0}}, {60, 8, {25, -3, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        static const int64_t time[] = {0, 1, 2, 5, 9};
        static const uint32_t unit[] = {0, 1, 0, 1, 0};
        spk_recording *recording = NULL;
        spk_delay_table *table = NULL;
        spk_recording_source source;
        spk_recording_source_init(&source, sizeof source);
        source.n_events = k % 2 == 0 ? 5 : 0, source.time = time, source.unit = unit;
        source.n_units = 2;
        source.rate = (spk_rate){cases[k].rate, 1};
        assert_int_equal(spk_recording_create(context, &source, &recording), SPK_OK);
        assert_int_equal(spk_choose_delays(context, recording, NULL, 0, NULL, &table), SPK_OK);
        const spk_delay_table_columns c = spk_delay_table_get(table);
        assert_int_equal(c.n_sets, cases[k].n_sets);
        assert_int_equal(spk_duration_compare(c.trial[0].delays[0].hi, cases[k].first), 0);
        assert_int_equal(c.best, c.n);
        spk_delay_table_free(table);
        spk_recording_free(recording);
    }
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* A planted chain is counted, and a test with other numbers of surrogates takes as much longer. */
static void estimates(void **state)
{
    (void)state;
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    static const spk_duration window = {25, -3, 0};
    test_random random = test_random_make(7, 0);
    spk_recording *recording = make_random(&random, 6, 1500);
    spk_episode_options episodes;
    spk_exact_options test;
    spk_exact_estimate few, many;
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 40, episodes.max_size = 3;
    spk_exact_options_init(&test, sizeof test);
    assert_int_equal(spk_choose_estimate(context, recording, &test, 0.05, &few), SPK_ERR_ARGUMENT);
    test.episodes = &episodes;
    test.jitter = &window, test.n_jitter = 1;
    assert_int_equal(spk_choose_estimate(context, recording, &test, 0.05, &few), SPK_OK);
    test.n_surrogates = 199000;
    assert_int_equal(spk_choose_estimate(context, recording, &test, 0.05, &many), SPK_OK);
    assert_int_equal(few.n_surrogates, 19);
    assert_true(few.n_results > 0 && few.n_results <= few.n_tested);
    assert_int_equal(many.n_results, few.n_results);
    assert_true(many.seconds > few.seconds);
    spk_recording_free(recording);
}

/* A perfect rhythm has episodes of every size and in every order: the trial ends all the same. */
static void rhythms_are_limited(void **state)
{
    (void)state;
    enum { UNITS = 25, N = 300 };
    static int64_t time[N];
    static uint32_t unit[N];
    static const spk_delay delay = {{0, 0, 0}, {1, -1, 0}};
    static const spk_duration window = {5, -1, 0};
    spk_episode_options episodes;
    spk_exact_options test;
    spk_exact_estimate estimate;
    for (uint32_t k = 0; k < N; k++)
        time[k] = (int64_t)k * 3, unit[k] = k % UNITS;
    spk_recording *recording = make(UNITS, N, time, unit, NULL);
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = &delay, episodes.n_delays = 1, episodes.support = 4;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &episodes;
    test.jitter = &window, test.n_jitter = 1;
    assert_int_equal(spk_choose_estimate(context, recording, &test, 0.05, &estimate), SPK_OK);
    assert_int_equal(estimate.max_size, 3); /* 25^4 is 390,625 */
    assert_true(estimate.n_tested > 15000 && estimate.n_tested <= 200000);
    spk_recording_free(recording);
}

/* ---- hostile recordings ---------------------------------------------------------------------- */

static void hostile_recordings(void **state)
{
    (void)state;
    enum { N = 60 };
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    static const int64_t stop = 100;
    int64_t same[N] = {0};
    uint32_t units[N];
    for (uint32_t k = 0; k < N; k++)
        units[k] = k;
    spk_recording *const recordings[] = {
        make(0, 0, NULL, NULL, NULL),   make(3, 0, NULL, NULL, &stop),
        make(1, 1, same, units, NULL),  make(1, 1, same, units, &stop),
        make(N, N, same, units, &stop),
    };
    for (size_t k = 0; k < sizeof recordings / sizeof recordings[0]; k++) {
        spk_support_choice choice;
        assert_int_equal(spk_choose_support(context, recordings[k], &delay, 1, NULL, &choice),
                         SPK_OK);
        assert_int_equal(choice.support, 6);
        assert_true(choice.by_chance == 0);
        assert_int_equal(choice.n_surrogates, 9);
        assert_int_equal(spk_duration_compare(choice.jitter, (spk_duration){25, -3, 0}), 0);
        spk_recording_free(recordings[k]);
    }
}

/* Too many busy units for all their pairs: the support rises until they are few enough. */
static void many_units(void **state)
{
    (void)state;
    enum { UNITS = 1200, EACH = 6, N = UNITS * EACH };
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}};
    static int64_t time[N];
    static uint32_t unit[N];
    for (uint32_t k = 0; k < N; k++) {
        time[k] = (int64_t)k * 7 % 5000;
        unit[k] = k % UNITS;
    }
    spk_support_choice choice;
    spk_recording *recording = make(UNITS, N, time, unit, NULL);
    assert_int_equal(spk_choose_support(context, recording, &delay, 1, NULL, &choice), SPK_OK);
    assert_true(choice.limited);
    assert_int_equal(choice.support, EACH + 1);
    spk_recording_free(recording);
}

static void refuse(const spk_recording *r, const spk_delay *d, size_t n, spk_choose_options *o)
{
    spk_support_choice out;
    assert_int_equal(spk_choose_support(context, r, d, n, o, &out), SPK_ERR_ARGUMENT);
}

static void wrong_options(void **state)
{
    (void)state;
    static const spk_delay delay = {{0, 0, 0}, {5, -3, 0}}, beyond = {{0, 0, 0}, {9, 18, 0}};
    static const spk_delay infinite = {{0, 0, 0}, {0, SPK_DURATION_INFINITE, 0}};
    spk_choose_options o;
    spk_recording *recording = make(3, 0, NULL, NULL, &(int64_t){100});
    spk_choose_options_init(&o, sizeof o);
    refuse(recording, NULL, 0, &o);
    refuse(recording, &infinite, 1, &o);
    assert_non_null(strstr(spk_context_message(context), "infinite"));
    refuse(recording, &beyond, 1, &o);
    assert_non_null(strstr(spk_context_message(context), "9000000000000000000s; is the unit of "));
    o.n_surrogates = 0;
    refuse(recording, &delay, 1, &o);
    o.n_surrogates = 1, o.max_size = 1;
    refuse(recording, &delay, 1, &o);
    o.max_size = 2, o.time = (spk_duration){0, 0, 0};
    refuse(recording, &delay, 1, &o);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_are_those_of_the_definition),
        cmocka_unit_test(surrogates_choose_the_same),
        cmocka_unit_test(the_null_is_that_of_the_test),
        cmocka_unit_test(tests_have_the_least_support),
        cmocka_unit_test(no_clock_leaves_a_set_out),
        cmocka_unit_test(patterns_have_supports_by_size),
        cmocka_unit_test(surrogates_choose_the_same_for_patterns),
        cmocka_unit_test(windows_suit_delays),
        cmocka_unit_test(trials_are_those_of_the_definition),
        cmocka_unit_test(songbird),
        cmocka_unit_test(chance_shows_nothing),
        cmocka_unit_test(ladders),
        cmocka_unit_test(estimates),
        cmocka_unit_test(rhythms_are_limited),
        cmocka_unit_test(hostile_recordings),
        cmocka_unit_test(many_units),
        cmocka_unit_test(wrong_options),
    };
    seed = test_seed("choose");
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
