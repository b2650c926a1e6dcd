/*
 * Scores of patterns on a GPU: what the sieve keeps and drops, by the same code on the host; on a
 * GPU the whole test of patterns, which must be that of processors.
 */
#include "cuda/gpus.h"
#include "significance/exact/classes.h"
#include "significance/exact/exact.h"
#include "support/context.h"

static uint64_t seed;

/* ---- what is kept ---------------------------------------------------------------------------- */

enum { UNITS = 40, WINDOW = 7, LENGTH = 5, BLOCKS = 3, STRIDE = BLOCKS * NULL_BLOCK + NULL_BLOCK };
enum { PAIRS = UNITS * WINDOW * UNITS, MOST_ITEMS = 36, ROWS = 3 };

typedef struct sieve_case {
    float row[UNITS * STRIDE];
    null_lag lag[WINDOW];
    double starts[STRIDE];
    double ends[STRIDE];
    uint64_t order[BLOCKS];
    bool has_end[BLOCKS];
    float ratio[PAIRS];
    double chance[UNITS];
    double rate_starts[WINDOW];
    uint32_t row_of[SPK_EXACT_CLASSES];
    double limit[ROWS * SIEVE_STEPS];
    double factor[ROWS]; /* the true limit of a count, over the count */
    sieve_view view;
} sieve_case;

static void draw_case(test_random *random, sieve_case *c)
{
    for (uint64_t k = 0; k < UNITS * STRIDE; k++)
        c->row[k] = k % STRIDE < BLOCKS * NULL_BLOCK ? (float)test_random_below(random, 4) : 0;
    for (uint32_t l = 0; l < WINDOW; l++)
        c->lag[l] = (null_lag){l / LENGTH, LENGTH - l % LENGTH};
    for (uint64_t k = 0; k < STRIDE; k++)
        c->starts[k] = c->ends[k] = test_random_chance(random, 0.9);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        c->order[b] = BLOCKS - 1 - b;
        c->has_end[b] = test_random_chance(random, 0.5);
    }
    for (uint64_t k = 0; k < PAIRS; k++)
        c->ratio[k] = (float)(0.5 + test_random_real(random));
    for (uint32_t u = 0; u < UNITS; u++)
        c->chance[u] = test_random_real(random);
    for (uint32_t l = 0; l < WINDOW; l++)
        c->rate_starts[l] = 100 * test_random_real(random);
    for (uint32_t k = 0; k < SPK_EXACT_CLASSES; k++)
        c->row_of[k] = k % 5 < ROWS ? k % 5 : UINT32_MAX;
    for (uint32_t r = 0; r < ROWS; r++) {
        c->factor[r] = 20 * test_random_real(random) * test_random_real(random);
        for (uint32_t s = 0; s < SIEVE_STEPS; s++)
            c->limit[r * SIEVE_STEPS + s] = c->factor[r] * sieve_last(s);
    }
    c->view =
        (sieve_view){.means = {.n_units = UNITS,
                               .window = WINDOW,
                               .length = LENGTH,
                               .stride = STRIDE,
                               .n_blocks = BLOCKS,
                               .row = c->row,
                               .lag = c->lag,
                               .starts = c->starts,
                               .ends = c->ends,
                               .block_order = c->order,
                               .has_end = c->has_end},
                     .rates = {test_random_chance(random, 0.5) ? c->chance : NULL, c->rate_starts},
                     .ratio = test_random_chance(random, 0.7) ? c->ratio : NULL,
                     .least_size = (uint32_t)test_random_below(random, 5),
                     .least_units = (uint32_t)test_random_below(random, 5),
                     .largest = SPK_EXACT_LARGEST,
                     .n_classes = SPK_EXACT_CLASSES,
                     .row = c->row_of,
                     .limit = c->limit};
}

/* Items by lag, then unit, none twice; few units now and then, so that some repeat. */
static uint32_t draw_items(test_random *random, uint32_t *item)
{
    const uint32_t units = test_random_chance(random, 0.5) ? 4 : UNITS;
    const uint32_t most = 1 + (uint32_t)test_random_below(random, MOST_ITEMS);
    uint32_t n = 0;
    for (uint32_t lag = 0; lag < WINDOW; lag++)
        for (uint32_t u = 0; u < units; u++)
            if (n < most && test_random_chance(random, 3.0 / (double)units))
                item[n++] = u * WINDOW + lag;
    return n;
}

static uint32_t units_of(const uint32_t *item, uint32_t n)
{
    bool seen[UNITS] = {false};
    uint32_t units = 0;
    for (uint32_t k = 0; k < n; k++) {
        units += !seen[item[k] / WINDOW];
        seen[item[k] / WINDOW] = true;
    }
    return units;
}

/* Pairs of neighbours, and of an item with the last one of its unit. */
static double ratio_of(const sieve_case *c, const uint32_t *item, uint32_t n)
{
    double ratio = 1;
    for (uint32_t k = 1; k < n && c->view.ratio != NULL; k++) {
        int last = -1;
        for (uint32_t j = 0; j < k; j++)
            last = item[j] / WINDOW == item[k] / WINDOW ? (int)j : last;
        for (uint32_t j = 0; j < k; j++)
            if (j + 1 == k || (int)j == last)
                ratio *=
                    (double)
                        c->ratio[(item[j] / WINDOW * WINDOW + item[k] % WINDOW - item[j] % WINDOW) *
                                     UNITS +
                                 item[k] / WINDOW];
    }
    return ratio;
}

/* Where windows are those of one draw, a fifth of the mean is that of constant rates. */
static double leaning(const sieve_case *c, const uint32_t *item, uint32_t n, double mean)
{
    double by_rates = c->rate_starts[item[n - 1] % WINDOW];
    for (uint32_t k = 0; k < n; k++)
        by_rates *= c->chance[item[k] / WINDOW];
    return c->view.rates.chance != NULL ? 0.8 * mean + 0.2 * by_rates : mean;
}

static void check_pattern(const sieve_case *c, const uint32_t *item, uint32_t n, uint32_t count)
{
    means_place place[MEANS_PLACES];
    const uint32_t units = units_of(item, n);
    const sieve_verdict found = sieve_look(&c->view, item, n, count, place);
    if (n < 2 || n < c->view.least_size || units < c->view.least_units) {
        assert_true(!found.keep && found.class_number == SPK_EXACT_NO_CLASS);
        return;
    }
    assert_int_equal(found.class_number, spk_exact_class(n, units));
    const double mean = means_of_blocks(&c->view.means, item, n, INFINITY, place);
    const uint32_t row = c->row_of[found.class_number];
    const double limit = row == UINT32_MAX ? INFINITY : c->factor[row] * count;
    if (found.keep)
        assert_true(found.mean == mean);
    /* Rounding aside, since the product is made in another order here. */
    const double whole = leaning(c, item, n, mean) * ratio_of(c, item, n);
    if (whole < limit * (1 - 1e-9))
        assert_true(found.keep);
    /* A step has counts up to an eighth larger: of those below 64 each has its own. */
    if (whole > limit * (count < SIEVE_EXACT ? 1 + 1e-9 : 1.13))
        assert_false(found.keep);
}

static void what_may_matter_is_kept(void **state)
{
    (void)state;
    sieve_case *c = malloc(sizeof *c);
    uint32_t item[WINDOW * UNITS];
    assert_non_null(c);
    for (uint64_t k = 0; k < test_scaled(30); k++) {
        test_random random = test_random_make(seed, k);
        draw_case(&random, c);
        for (uint32_t i = 0; i < 200; i++) {
            const uint32_t n = draw_items(&random, item);
            if (n > 0)
                check_pattern(c, item, n, 1 + (uint32_t)test_random_below(&random, 200));
        }
    }
    free(c);
}

static void steps_of_counts_follow_each_other(void **state)
{
    (void)state;
    for (uint32_t step = 1; step < SIEVE_STEPS; step++) {
        const uint32_t last = sieve_last(step);
        assert_true(last > sieve_last(step - 1));
        assert_int_equal(sieve_step(last), step);
        assert_int_equal(sieve_step(sieve_last(step - 1) + 1), step);
    }
    assert_int_equal(sieve_last(SIEVE_STEPS - 1), UINT32_MAX);
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

/* Several thousand patterns, so that later ones are looked at with the scores of the first. */
static spk_recording *make_recording(test_random *random, uint32_t n_units)
{
    enum { EVENTS = 3000 };
    static int64_t time[EVENTS];
    static uint32_t unit[EVENTS];
    static const int64_t start = 0, stop = 4000;
    spk_recording *recording = NULL;
    spk_recording_source source;
    for (uint32_t e = 0; e < EVENTS; e++) {
        time[e] = test_random_between(random, 0, 3999);
        if (test_random_chance(random, 0.3))
            time[e] -= time[e] % 200;
        unit[e] = (uint32_t)test_random_below(random, n_units);
    }
    spk_recording_source_init(&source, sizeof source);
    source.n_events = EVENTS;
    source.time = time;
    source.unit = unit;
    source.n_units = n_units;
    source.rate = (spk_rate){1000, 1};
    source.start = &start;
    source.stop = &stop;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

static void scores_of_a_gpu_are_those_of_processors(void **state)
{
    static const spk_duration jitter = {25, -3, 0};
    (void)state;
    char reason[160];
    if (!spk_gpus_available(reason, sizeof reason)) {
        print_message("nothing tested: %s\n", reason);
        skip();
    }
    for (uint64_t k = 0; k < test_scaled(40); k++) {
        test_random random = test_random_make(seed, 1000 + k);
        spk_window_options windows;
        spk_pattern_options patterns;
        spk_exact_options options;
        spk_maxima *made[2] = {NULL, NULL};
        spk_recording *recording =
            make_recording(&random, 4 + (uint32_t)test_random_below(&random, 30));
        spk_window_options_init(&windows, sizeof windows);
        spk_pattern_options_init(&patterns, sizeof patterns);
        spk_exact_options_init(&options, sizeof options);
        windows.bin = (spk_duration){5, -3, 0};
        windows.window = 2 + (uint32_t)test_random_below(&random, 6);
        patterns.min_spikes = 2 + (uint32_t)test_random_below(&random, 3);
        patterns.max_spikes = test_random_chance(&random, 0.3) ? 4 : 0;
        patterns.min_neurons = 1 + (uint32_t)test_random_below(&random, 4);
        patterns.support = 3 + test_random_below(&random, 6);
        options.windows = &windows;
        options.patterns = &patterns;
        options.jitter = &jitter;
        options.n_jitter = 1;
        options.n_surrogates = 9;
        options.seed = k;
        options.null = spk_exact_null_get(k % 3)->name;
        options.distinct_units = (uint32_t)test_random_below(&random, 4);
        for (int gpu = 0; gpu < 2; gpu++) {
            patterns.engine = gpu ? "cuda-bitmap" : "bitmap";
            check(spk_exact_run(context, recording, &options, &made[gpu]));
        }
        const spk_exact_columns a = spk_exact_columns_of(made[0]);
        const spk_exact_columns b = spk_exact_columns_of(made[1]);
        assert_memory_equal(a.first, b.first, (a.n + 1) * sizeof *a.first);
        for (uint64_t i = 0; i < a.first[a.n]; i++) {
            assert_int_equal(a.step[i].score, b.step[i].score);
            assert_int_equal(a.step[i].results, b.step[i].results);
        }
        spk_maxima_free(made[0]);
        spk_maxima_free(made[1]);
        spk_recording_free(recording);
    }
}

int main(void)
{
    seed = test_seed("sieve");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_matter_is_kept),
        cmocka_unit_test(steps_of_counts_follow_each_other),
        cmocka_unit_test(scores_of_a_gpu_are_those_of_processors),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
