/* Simulated cultures: reproducible to the bit, rates and bursts as specified, the planted order
 * really there. */
#include "support/simulated.h"
#include "support/test.h"

static uint64_t n_spikes(const spk_recording *recording, uint32_t unit)
{
    spk_events events = spk_recording_events(recording);
    return events.unit_first[unit + 1] - events.unit_first[unit];
}

static void culture_is_the_same_everywhere(void **state)
{
    (void)state;
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    options.n_events = 50000;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        spk_context *context = NULL;
        spk_recording *recording = NULL;
        assert_int_equal(spk_context_create(&context), SPK_OK);
        spk_context_set_threads(context, k == 0 ? 1 : 3);
        options.seed = k < 2 ? 59 : 60;
        assert_int_equal(spk_simulate_culture(context, &options, &recording, NULL), SPK_OK);
        hash[k] = test_hash_columns(recording);
        spk_recording_free(recording);
        spk_context_free(context);
    }
    assert_int_equal(hash[0], 0x47e36def4dfa70bd);
    assert_true(hash[1] == hash[0]);
    assert_true(hash[2] != hash[0]);
}

/* The channels' shares of all events follow their log-normal weights: with sigma 1 over 59 channels
 * the busiest and the quietest one are far apart (a factor of e^4.6 on average; every channel fires
 * once a burst at least, which narrows it). */
static void culture_has_its_rates(void **state)
{
    (void)state;
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_culture(NULL, &options, &recording, &truth), SPK_OK);
    test_check_truth(recording, truth);
    spk_events events = spk_recording_events(recording);
    assert_int_equal(events.n_units, 59);
    /* 1169 bursts of 708 events, whose size varies by 0.41; gaps vary by a half, tonic firing is a
     * sixth of all: 1 % in all. */
    assert_true(fabs((double)events.n_events / 1e6 - 1) < 5 * 0.011);
    assert_int_equal(spk_truth_get_chain(truth, 0).planted, 1169);
    uint64_t most = 0;
    uint64_t fewest = UINT64_MAX;
    for (uint32_t u = 0; u < 59; u++) {
        most = n_spikes(recording, u) > most ? n_spikes(recording, u) : most;
        fewest = n_spikes(recording, u) < fewest ? n_spikes(recording, u) : fewest;
    }
    assert_true(most > 8 * fewest);
    assert_true(spk_recording_get_facts(recording)->sorted);
    assert_int_equal(spk_recording_get_facts(recording)->duplicates, 0);
    assert_int_equal(spk_recording_rate(recording).numerator, 25000);
    for (uint32_t u = 0; u < events.n_units; u++)
        for (uint64_t i = events.unit_first[u] + 1; i < events.unit_first[u + 1]; i++)
            assert_true(events.time[events.by_unit[i]] - events.time[events.by_unit[i - 1]] > 25);
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* Without tonic firing all events are bursts' and the time between them is silent; without bursts
 * there are none planted and events are Poisson. */
static void bursts_and_tonic_firing_are_apart(void **state)
{
    (void)state;
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    options.n_events = 100000;
    options.tonic_hz = 0;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_culture(NULL, &options, &recording, &truth), SPK_OK);
    spk_truth_chain chain = spk_truth_get_chain(truth, 0);
    spk_events events = spk_recording_events(recording);
    uint64_t n_pauses = 0;
    for (uint64_t i = 1; i < events.n_events; i++)
        n_pauses += events.time[i] - events.time[i - 1] > 12500;
    assert_int_equal(n_pauses + 1, chain.planted);
    assert_int_equal(events.time[0], chain.time[0]);
    spk_truth_free(truth);
    spk_recording_free(recording);

    options.tonic_hz = 2;
    options.bursts_per_min = 0;
    assert_int_equal(spk_simulate_culture(NULL, &options, &recording, &truth), SPK_OK);
    chain = spk_truth_get_chain(truth, 0);
    assert_int_equal(chain.planted, 0);
    assert_int_equal(chain.size, 59);
    /* Refractory losses: 1 ms of sum(rate^2) / sum(rate), below 2 % unless one channel has it all.
     */
    double n = (double)spk_recording_events(recording).n_events;
    assert_true(n < 100000 + 6 * sqrt(1e5) && n > 98000 - 6 * sqrt(1e5));
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* Every burst holds one whole occurrence, and the next one starts later. */
static void the_order_recurs_in_every_burst(void **state)
{
    (void)state;
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    options.n_events = 200000;
    options.bursts_per_min = 70;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_int_equal(spk_simulate_culture(NULL, &options, &recording, &truth), SPK_OK);
    test_check_truth(recording, truth);
    assert_int_equal(spk_truth_n_chains(truth), 1);
    spk_truth_chain chain = spk_truth_get_chain(truth, 0);
    bool seen[59] = {false};
    assert_int_equal(chain.size, 59);
    for (uint32_t p = 0; p < 59; p++) {
        assert_false(seen[chain.unit[p]]);
        seen[chain.unit[p]] = true;
        assert_true(p == 58 || (chain.delay_ticks[p] - chain.jitter_ticks > 25 &&
                                chain.delay_ticks[p] + chain.jitter_ticks <= 50));
    }
    assert_int_equal(chain.kept, chain.planted);
    assert_int_equal(test_count_planted(&chain), chain.planted);
    double minutes = (double)spk_recording_stop(recording) / 25000 / 60;
    assert_true(fabs((double)chain.planted - 70 * minutes) < 6 * 0.5 * sqrt(70 * minutes));
    spk_truth_free(truth);
    spk_recording_free(recording);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        spk_culture_options options;
        spk_status status;
        const char *text;
    } cases[] = {
        {{sizeof(spk_culture_options), 1, 0, 59, 0.5, 12, 12},
         SPK_ERR_ARGUMENT,
         "the number of events is 0"},
        {{sizeof(spk_culture_options), 1, 1000, 1, 0.5, 12, 12},
         SPK_ERR_ARGUMENT,
         "the number of units is 1"},
        {{sizeof(spk_culture_options), 1, 1000, 59, 21, 12, 12},
         SPK_ERR_ARGUMENT,
         "the tonic rate in Hz is 21"},
        {{sizeof(spk_culture_options), 1, 1000, 59, 0.5, -1, 12},
         SPK_ERR_ARGUMENT,
         "the number of bursts a minute is -1"},
        {{sizeof(spk_culture_options), 1, 1000, 59, 0.5, 12, 0.5},
         SPK_ERR_ARGUMENT,
         "the number of spikes in a burst is 0.5"},
        {{sizeof(spk_culture_options), 1, 1000, 59, 0.5, 12, NAN},
         SPK_ERR_ARGUMENT,
         "the number of spikes in a burst is nan"},
        {{sizeof(spk_culture_options), 1, 1000, 59, 0, 0, 12},
         SPK_ERR_ARGUMENT,
         "there are no events"},
        {{sizeof(spk_culture_options), 1, 1000, 59, 0.5, 80, 12},
         SPK_ERR_ARGUMENT,
         "80 bursts a minute would overlap"},
        {{sizeof(spk_culture_options), 1, 1000, 5000, 0.5, 12, 12},
         SPK_ERR_ARGUMENT,
         "would overlap"},
        {{sizeof(spk_culture_options), 1, 1000000, 2, 1e-12, 0, 12},
         SPK_ERR_ARGUMENT,
         "the times would not fit"},
        {{sizeof(spk_culture_options), 1, SPK_MAX_EVENTS, 59, 0.5, 12, 12},
         SPK_ERR_RANGE,
         "one recording holds"},
        {{sizeof(spk_culture_options), 1, 100000000, 59, 0.5, 12, 12},
         SPK_ERR_MEMORY,
         "the memory limit is 1000000000"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_context *context = NULL;
        spk_recording *recording = NULL;
        spk_truth *truth = NULL;
        assert_int_equal(spk_context_create(&context), SPK_OK);
        spk_context_set_memory_limit(context, 1000000000);
        assert_int_equal(spk_simulate_culture(context, &cases[k].options, &recording, &truth),
                         cases[k].status);
        if (strstr(spk_context_message(context), cases[k].text) == NULL)
            fail_msg("case %zu: %s", k, spk_context_message(context));
        assert_null(recording);
        assert_null(truth);
        spk_context_free(context);
    }
}

static void cancel_is_heeded(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_culture_options options;
    spk_culture_options_init(&options, sizeof options);
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_cancel(context);
    assert_int_equal(spk_simulate_culture(context, &options, &recording, NULL), SPK_ERR_CANCELLED);
    assert_null(recording);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(culture_is_the_same_everywhere),
        cmocka_unit_test(culture_has_its_rates),
        cmocka_unit_test(bursts_and_tonic_firing_are_apart),
        cmocka_unit_test(the_order_recurs_in_every_burst),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(cancel_is_heeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
