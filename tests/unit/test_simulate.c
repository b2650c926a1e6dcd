/* Generators: reproducible to the bit, rates as specified, every planted occurrence really there.
 */
#include "base/random.h"
#include "support/simulated.h"
#include "support/test.h"

/* ---- random numbers -------------------------------------------------------------------------- */

/* Known answer of Random123's kat_vectors for philox4x32-10: key and counter all zero. */
static void philox_gives_the_published_numbers(void **state)
{
    (void)state;
    spk_random random = spk_random_start(0, 0, 0);
    assert_true(spk_random_u64(&random) == 0xe169c58d6627e8d5u);
    assert_true(spk_random_u64(&random) == 0x9b00dbd8bc57ac4cu);
}

static void own_functions_agree_with_libm(void **state)
{
    (void)state;
    for (int k = 1; k < 20000; k++) {
        double x = k * 0.0137;
        assert_true(fabs(spk_portable_log(x) - log(x)) <= 2e-15 * fmax(1, fabs(log(x))));
        double y = (k - 10000) * 0.03;
        assert_true(fabs(spk_portable_exp(y) / exp(y) - 1) < 4e-15);
        double turn = (k - 10000) * 0.00041;
        assert_true(fabs(spk_portable_sin_turns(turn) - sin(6.283185307179586 * turn)) < 1e-14);
    }
    assert_true(fabs(spk_portable_log(0x1p-53) + 53 * log(2)) < 1e-14);
}

/* A sine may be 1 and one bit more, and what is computed from it a little outside 0 .. 1. */
static void chances_hold_at_their_ends(void **state)
{
    (void)state;
    spk_random random = spk_random_start(20261120, 98, 0);
    for (int k = 0; k < 10000; k++) {
        assert_false(spk_random_chance(&random, 0));
        assert_false(spk_random_chance(&random, -0x1p-53));
        assert_true(spk_random_chance(&random, 1));
        assert_true(spk_random_chance(&random, 1 + 0x1p-52));
    }
    int n = 0;
    for (int k = 0; k < 10000; k++)
        n += spk_random_chance(&random, 0.25);
    assert_true(abs(n - 2500) < 5 * sqrt(10000 * 0.25 * 0.75));
}

static void distributions_have_their_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    spk_random random = spk_random_start(20261120, 99, 0);
    double e = 0, g = 0, g2 = 0, p = 0;
    uint64_t below[7] = {0};
    for (int k = 0; k < N; k++) {
        e += spk_random_exponential(&random);
        double z = spk_random_normal(&random);
        g += z;
        g2 += z * z;
        p += (double)spk_random_poisson(&random, 70.5);
        below[spk_random_below(&random, 7)]++;
    }
    /* Five standard errors each. */
    assert_true(fabs(e / N - 1) < 5 / sqrt(N));
    assert_true(fabs(g / N) < 5 / sqrt(N));
    assert_true(fabs(g2 / N - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(p / N - 70.5) < 5 * sqrt(70.5 / N));
    for (int k = 0; k < 7; k++)
        assert_true(fabs((double)below[k] - N / 7.0) < 5 * sqrt(N * 6.0 / 49));
}

/* ---- sym26 ----------------------------------------------------------------------------------- */

static void sym26_is_the_same_everywhere(void **state)
{
    (void)state;
    spk_sym26_options options;
    spk_sym26_options_init(&options, sizeof options);
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        spk_context *context = NULL;
        spk_recording *recording = NULL;
        assert_int_equal(spk_context_create(&context), SPK_OK);
        spk_context_set_threads(context, k == 0 ? 1 : 3);
        options.seed = k < 2 ? 26 : 27;
        assert_int_equal(spk_simulate_sym26(context, &options, &recording, NULL), SPK_OK);
        hash[k] = test_hash_columns(recording);
        spk_recording_free(recording);
        spk_context_free(context);
    }
    assert_int_equal(hash[0], 0xb613bdfd0c8e0c1b);
    assert_true(hash[1] == hash[0]);
    assert_true(hash[2] != hash[0]);
}

/* Expected rates in closed form; a cascade multiplies the variance by at most (1 + s + ...)^2 < 12,
 * so six standard deviations are at most 6 * sqrt(12 * n). */
static void sym26_has_its_rates(void **state)
{
    (void)state;
    spk_sym26_options options;
    spk_sym26_options_init(&options, sizeof options);
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_sym26(NULL, &options, &recording, &truth), SPK_OK);
    test_check_truth(recording, truth);
    spk_events events = spk_recording_events(recording);
    assert_int_equal(events.n_units, 26);
    assert_true(fabs((double)events.n_events - 50000) < 2500);
    for (uint32_t u = 0; u < 26; u++) {
        double n = 1200;
        double rate = 1200;
        uint32_t first = u < 4 ? 0 : 7;
        for (uint32_t p = first; (u < 4 || (u >= 7 && u < 15)) && p < u; p++) {
            rate *= options.strength;
            n += rate;
        }
        double got = (double)(events.unit_first[u + 1] - events.unit_first[u]);
        assert_true(fabs(got - n) < 6 * sqrt(12 * n));
    }
    spk_truth_chain chain = spk_truth_get_chain(truth, 0);
    double planted = 1200 * pow(options.strength, 3);
    assert_true(fabs((double)chain.planted - planted) < 6 * sqrt(planted));
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* ---- network --------------------------------------------------------------------------------- */

static void network_is_the_same_everywhere(void **state)
{
    (void)state;
    spk_network_options options;
    spk_network_options_init(&options, sizeof options);
    options.rate_spread = 0.7;
    options.modulation = 0.5;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_network(NULL, &options, &recording, &truth), SPK_OK);
    test_check_truth(recording, truth);
    assert_int_equal(test_hash_columns(recording), 0x7ebba5d889f0c07f);
    spk_truth_free(truth);
    spk_recording_free(recording);
}

static void network_has_its_rates_and_refractory_time(void **state)
{
    (void)state;
    spk_network_options options;
    spk_network_options_init(&options, sizeof options);
    options.n_chains = 0;
    options.refractory = (spk_duration){3, -3};
    spk_recording *recording = NULL;
    assert_int_equal(spk_simulate_network(NULL, &options, &recording, NULL), SPK_OK);
    spk_events events = spk_recording_events(recording);
    double expected = 64 * 10 * 60;
    assert_true(fabs((double)events.n_events - expected) < 6 * sqrt(expected));
    for (uint32_t u = 0; u < events.n_units; u++)
        for (uint64_t i = events.unit_first[u] + 1; i < events.unit_first[u + 1]; i++)
            assert_true(events.time[events.by_unit[i]] - events.time[events.by_unit[i - 1]] > 300);
    spk_recording_free(recording);
}

/* Greedy count by earliest end of the pair (unit a, unit b] with the delay in [low, high]. */
static uint64_t count_pair(const spk_recording *recording, uint32_t a, uint32_t b, int64_t low,
                           int64_t high)
{
    spk_events events = spk_recording_events(recording);
    uint64_t count = 0;
    int64_t last = INT64_MIN;
    for (uint64_t i = events.unit_first[b]; i < events.unit_first[b + 1]; i++) {
        int64_t end = events.time[events.by_unit[i]];
        for (uint64_t k = events.unit_first[a]; k < events.unit_first[a + 1]; k++) {
            int64_t start = events.time[events.by_unit[k]];
            if (start > last && end - start >= low && end - start <= high) {
                last = end;
                count++;
                break;
            }
        }
    }
    return count;
}

/* Occurrences of one chain never overlap, so the pair's count is at least what was planted; the
 * chance count is found at a delay that nothing was planted at. */
static void network_chains_stand_out(void **state)
{
    (void)state;
    spk_network_options options;
    spk_network_options_init(&options, sizeof options);
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_network(NULL, &options, &recording, &truth), SPK_OK);
    for (uint32_t k = 0; k < 2; k++) {
        spk_truth_chain chain = spk_truth_get_chain(truth, k);
        assert_true(fabs((double)chain.planted - 120 * pow(0.9, 4)) < 6 * sqrt(79));
        for (uint32_t p = 1; p < chain.size; p++) {
            uint64_t planted = count_pair(recording, chain.unit[p - 1], chain.unit[p], 400, 600);
            uint64_t chance = count_pair(recording, chain.unit[p - 1], chain.unit[p], 5400, 5600);
            assert_true(planted >= chain.planted);
            assert_true(planted > 2 * chance);
        }
    }
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void bad_options_are_refused(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_sym26_options sym26;
    spk_sym26_options_init(&sym26, sizeof sym26);
    sym26.strength = 1.5;
    assert_int_equal(spk_simulate_sym26(context, &sym26, &recording, NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "the strength is 1.5"));
    sym26.strength = NAN;
    assert_int_equal(spk_simulate_sym26(context, &sym26, &recording, NULL), SPK_ERR_ARGUMENT);
    spk_network_options network;
    spk_network_options_init(&network, sizeof network);
    network.chain_size = 65;
    assert_int_equal(spk_simulate_network(context, &network, &recording, NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "chain size is 65"));
    spk_network_options_init(&network, sizeof network);
    network.jitter = network.delay;
    assert_int_equal(spk_simulate_network(context, &network, &recording, NULL), SPK_ERR_ARGUMENT);
    spk_network_options_init(&network, sizeof network);
    network.chain_rate_hz = 40;
    assert_int_equal(spk_simulate_network(context, &network, &recording, NULL), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "without overlap"));
    assert_null(recording);
    spk_context_free(context);
}

static void limits_and_cancel_are_heeded(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_network_options options;
    spk_network_options_init(&options, sizeof options);
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_memory_limit(context, 1000000);
    assert_int_equal(spk_simulate_network(context, &options, &recording, NULL), SPK_ERR_MEMORY);
    assert_non_null(strstr(spk_context_message(context), "memory limit"));
    spk_context_set_memory_limit(context, 0);
    options.mean_rate_hz = 100;
    spk_context_cancel(context);
    assert_int_equal(spk_simulate_network(context, &options, &recording, NULL), SPK_ERR_CANCELLED);
    assert_null(recording);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_numbers),
        cmocka_unit_test(own_functions_agree_with_libm),
        cmocka_unit_test(chances_hold_at_their_ends),
        cmocka_unit_test(distributions_have_their_moments),
        cmocka_unit_test(sym26_is_the_same_everywhere),
        cmocka_unit_test(sym26_has_its_rates),
        cmocka_unit_test(network_is_the_same_everywhere),
        cmocka_unit_test(network_has_its_rates_and_refractory_time),
        cmocka_unit_test(network_chains_stand_out),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(limits_and_cancel_are_heeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
