/*
 * Supports by the recipe of the published studies, and the binomial tails below it: constants of
 * scipy.stats.binom (tails below 1e-12 by its sf), and sums of products in long double.
 */
#include "base/random.h"
#include "base/tails.h"
#include "support/test.h"

/* scipy 1.17.1 */
static const struct {
    double q;
    uint64_t n;
    double p;
    uint64_t k;
} isf[] = {
    {4.9e-14, 1, 0.00115, 1},
    {5.25e-14, 1, 7.3e-06, 1},
    {1.1e-06, 1, 7.32e-05, 1},
    {1.74e-06, 1, 0.0890557, 1},
    {0.372, 1, 0.0019345, 0},
    {2.75e-08, 1, 0.0320633, 1},
    {8.91e-12, 2, 9.37e-05, 2},
    {4.17e-07, 2, 6.5e-05, 1},
    {2.14e-06, 2, 6.3e-06, 1},
    {0.000195, 2, 1.65e-05, 0},
    {0.00011, 2, 0.030703, 2},
    {1.86e-14, 2, 0.000797, 2},
    {6.92e-11, 10, 0.5632614, 10},
    {0.000123, 10, 0.001724, 2},
    {2.63e-14, 10, 9.1e-06, 3},
    {0.0214, 10, 0.0012192, 0},
    {1.32e-11, 10, 0.0053514, 5},
    {1.41e-13, 10, 0.0046319, 6},
    {3.8e-08, 37, 1.7e-06, 1},
    {0.12, 37, 0.0005582, 0},
    {1.15e-12, 37, 0.0068414, 9},
    {0.000209, 37, 0.0035139, 3},
    {6.92e-08, 37, 0.1053153, 16},
    {2.82e-11, 37, 0.0011353, 5},
    {3.31e-12, 500, 7.7e-06, 4},
    {9.33e-12, 500, 0.0121915, 29},
    {5.75e-12, 500, 1.4e-05, 4},
    {0.0646, 500, 1.39e-05, 0},
    {8.71e-13, 500, 0.130094, 123},
    {2.34e-07, 500, 0.1744584, 132},
    {0.708, 4967, 4.35e-05, 0},
    {8.13e-11, 4967, 0.0072679, 80},
    {0.000105, 4967, 0.0992439, 573},
    {1.07e-09, 4967, 1.94e-05, 5},
    {3.24e-14, 4967, 0.065197, 462},
    {1.66e-07, 4967, 7.9e-06, 3},
    {1.12e-06, 100000, 0.2240788, 23034},
    {0.407, 100000, 0.0033514, 339},
    {1.35e-13, 100000, 0.0106485, 1310},
    {3.98e-13, 100000, 0.0879864, 9447},
    {0.000331, 100000, 0.0088905, 992},
    {0.001, 100000, 0.0394214, 4134},
    {0.12, 3000000, 0.0935456, 281229},
    {0.00457, 3000000, 0.0863808, 260412},
    {3.39e-05, 3000000, 0.0001751, 619},
    {0.00288, 3000000, 0.0136206, 41417},
    {0.741, 3000000, 0.0002342, 685},
    {1.17e-06, 3000000, 3.71e-05, 165},
    {1.32e-09, 4000000000, 4.3e-06, 17986},
    {6.76e-11, 4000000000, 0.0001883, 758779},
    {8.51e-07, 4000000000, 0.0081305, 32549186},
    {1.35e-09, 4000000000, 0.1536656, 614798086},
    {1.51e-05, 4000000000, 0.0700552, 280288149},
    {0.00162, 4000000000, 0.001783, 7139856},
    {1e-100, 4967, 0.2, 1633},
    {1e-250, 1000000, 0.01, 13544},
    {1e-300, 5000, 1e-09, 45},
    {3e-18, 4967, 4.88e-06, 7},
    {0.9999, 1000, 0.5, 441},
    {0.5, 4967, 0.0075, 37},
    {1e-30, 20, 0.3, 20},
};

static void scipy_constants(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isf / sizeof *isf; i++)
        assert_int_equal(spk_binomial_isf(spk_portable_log(isf[i].q), isf[i].n, isf[i].p),
                         isf[i].k);
    assert_int_equal(spk_binomial_isf(-5, 100, 0), 0);
    assert_int_equal(spk_binomial_isf(-5, 100, 1), 100);
    assert_int_equal(spk_binomial_isf(-5, 0, 0.5), 0);
    assert_int_equal(spk_binomial_isf(0, 100, 0.5), 0);
    /* exp(-5000) is below every double; log P[X > 65670] is -5000.55 by lgamma. */
    assert_int_equal(spk_binomial_isf(-5000, 100000, 0.5), 65670);
}

static void probabilities_are_products(void **state)
{
    (void)state;
    uint64_t seed = test_seed("binomial probabilities");
    for (uint64_t round = 0; round < test_scaled(3000); round++) {
        test_random random = test_random_make(seed, round);
        uint64_t n = test_random_below(&random, 200);
        double p = test_random_real(&random);
        if (test_random_chance(&random, 0.5))
            p *= p * p * p;
        uint64_t k = test_random_below(&random, n + 1);
        long double probability = 1;
        for (uint64_t j = 0; j < k; j++)
            probability *= (long double)(n - j) / (long double)(j + 1) * (long double)p;
        for (uint64_t j = k; j < n; j++)
            probability *= 1 - (long double)p;
        if (probability < 1e-280L)
            continue;
        double ratio = exp(spk_binomial_log_pmf(k, n, p)) / (double)probability;
        assert_true(fabs(ratio - 1) < 1e-12);
    }
}

static void the_quantile_splits_the_tail(void **state)
{
    (void)state;
    uint64_t seed = test_seed("binomial quantiles");
    for (uint64_t round = 0; round < test_scaled(3000); round++) {
        test_random random = test_random_make(seed, round);
        uint64_t n = 1 + test_random_below(&random, 150);
        double p = test_random_real(&random), q = test_random_real(&random);
        if (test_random_chance(&random, 0.5))
            q = pow(q, 20);
        uint64_t k = spk_binomial_isf(log(q), n, p);
        double above = 0, at = exp(spk_binomial_log_pmf(k, n, p));
        for (uint64_t j = n; j > k; j--)
            above += exp(spk_binomial_log_pmf(j, n, p));
        assert_true(above <= q * (1 + 1e-9));
        assert_true(k == 0 || above + at > q * (1 - 1e-9));
    }
}

/* ---- the recipe ------------------------------------------------------------------------------ */

static spk_windows *windows_of(const char *name, uint32_t length)
{
    spk_read_options reading;
    spk_recording *recording;
    spk_windows *windows;
    spk_read_options_init(&reading, sizeof reading);
    reading.columns = SPK_COLUMNS_TIME_UNIT;
    reading.sort = true;
    assert_int_equal(spk_recording_read_text(NULL, test_bundled(name), &reading, &recording),
                     SPK_OK);
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){5, -3};
    options.window = length;
    assert_int_equal(spk_windows_create(NULL, recording, &options, &windows), SPK_OK);
    spk_recording_free(recording);
    return windows;
}

static void expect(const spk_windows *windows, const spk_pattern_recipe_options *options,
                   uint32_t n, const uint64_t *supports)
{
    spk_pattern_supports found;
    assert_int_equal(spk_pattern_estimate_published(NULL, windows, options, &found), SPK_OK);
    assert_int_equal(found.n, n);
    for (uint32_t size = 2; size <= n; size++)
        assert_int_equal(found.at_size[size], supports[size - 2]);
}

/* The published trials of 0.5 s lay 0.12 s apart: 36 * 124 bins. In the bundled recording they lie
 * 0.2 s apart, so that the rates are lower. */
static void the_published_recording(void **state)
{
    (void)state;
    spk_windows *windows = windows_of("movement_PGHF.spikes.txt", 20);
    spk_pattern_recipe_options options;
    expect(windows, NULL, 5, (uint64_t[]){80, 23, 11, 10});
    spk_pattern_recipe_options_init(&options, sizeof options);
    assert_true(options.rate_percentile == 0.9 && options.alpha == 0.05);
    options.n_bins = 36 * 124;
    expect(windows, &options, 5, (uint64_t[]){86, 25, 12, 10});
    options.floor_support = 12;
    expect(windows, &options, 4, (uint64_t[]){86, 25, 12});
    spk_windows_free(windows);
}

/* Values of numpy.percentile and scipy.stats.binom.sf. */
static void percentiles_and_levels(void **state)
{
    (void)state;
    spk_windows *windows = windows_of("movement_PGHF.spikes.txt", 20);
    spk_pattern_recipe_options options;
    spk_pattern_recipe_options_init(&options, sizeof options);
    options.rate_percentile = 0.5, options.floor_support = 3;
    expect(windows, &options, 6, (uint64_t[]){24, 8, 5, 4, 3});
    options.rate_percentile = 0.995, options.floor_support = 10, options.alpha = 0.001;
    expect(windows, &options, 8, (uint64_t[]){317, 104, 45, 25, 17, 13, 10});
    spk_windows_free(windows);
    /* windows shorter than the patterns */
    windows = windows_of("movement_PGHF.spikes.txt", 1);
    spk_pattern_recipe_options_init(&options, sizeof options);
    options.floor_support = 1;
    expect(windows, &options, 13, (uint64_t[]){67, 16, 7, 4, 3, 3, 2, 2, 2, 2, 2, 1});
    spk_windows_free(windows);
}

static void few_units(void **state)
{
    (void)state;
    static const char text[] = "0 2\n0\n0\n";
    spk_windows *windows;
    spk_pattern_recipe_options options;
    assert_int_equal(
        spk_windows_parse_transactions(NULL, "text", text, sizeof text - 1, 9, 2, &windows),
        SPK_OK);
    /* Two units fire, so that there are no patterns of three. */
    spk_pattern_recipe_options_init(&options, sizeof options);
    options.floor_support = 1, options.rate_percentile = 1;
    expect(windows, &options, 3, (uint64_t[]){3, 1});
    options.n_bins = 2;
    spk_pattern_supports found;
    assert_int_equal(spk_pattern_estimate_published(NULL, windows, &options, &found),
                     SPK_ERR_ARGUMENT);
    spk_windows_free(windows);
    assert_int_equal(spk_windows_parse_transactions(NULL, "text", "\n", 1, 2, 2, &windows), SPK_OK);
    expect(windows, NULL, 2, (uint64_t[]){10});
    const spk_pattern_recipe_options wrong[] = {
        {sizeof *wrong, -0.1, 0.05, 10}, {sizeof *wrong, 1.1, 0.05, 10},
        {sizeof *wrong, NAN, 0.05, 10},  {sizeof *wrong, 0.9, 0, 10},
        {sizeof *wrong, 0.9, 1, 10},     {sizeof *wrong, 0.9, NAN, 10},
        {sizeof *wrong, 0.9, 0.05, 0},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(spk_pattern_estimate_published(NULL, windows, &wrong[k], &found),
                         SPK_ERR_ARGUMENT);
    spk_windows_free(windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scipy_constants),
        cmocka_unit_test(probabilities_are_products),
        cmocka_unit_test(the_quantile_splits_the_tail),
        cmocka_unit_test(the_published_recording),
        cmocka_unit_test(percentiles_and_levels),
        cmocka_unit_test(few_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
