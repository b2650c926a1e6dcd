/* Shuffled recordings keep what they should and nothing else; the truth as JSON holds what the
 * truth object holds. */
#include <jansson.h>

#include "simulate/simulate.h"
#include "support/simulated.h"
#include "support/test.h"

/* ---- shuffling ------------------------------------------------------------------------------- */

static void check_shuffled(const spk_recording *recording, const spk_recording *shuffled)
{
    const char *reason = "";
    if (!spk_recording_validate(shuffled, &reason))
        fail_msg("invalid recording: %s", reason);
    spk_events before = spk_recording_events(recording);
    spk_events after = spk_recording_events(shuffled);
    assert_int_equal(after.n_events, before.n_events);
    assert_int_equal(after.n_units, before.n_units);
    assert_memory_equal(after.unit_first, before.unit_first,
                        (before.n_units + 1) * sizeof *before.unit_first);
    for (uint32_t u = 0; u < before.n_units; u++)
        assert_string_equal(spk_recording_label(shuffled, u), spk_recording_label(recording, u));
    assert_true(spk_recording_start(shuffled) == spk_recording_start(recording));
    assert_true(spk_recording_stop(shuffled) == spk_recording_stop(recording));
    assert_int_equal(spk_recording_rate(shuffled).numerator,
                     spk_recording_rate(recording).numerator);
    assert_int_equal(spk_recording_rate(shuffled).denominator,
                     spk_recording_rate(recording).denominator);
}

/* Random recordings, from nearly empty to units that fire at every tick of the extent. */
static void shuffling_keeps_numbers_and_extent(void **state)
{
    (void)state;
    enum { MOST = 300 };
    static const char *const labels[] = {"b", "a 2", "10", "9"};
    uint64_t seed = test_seed("shuffling_keeps_numbers_and_extent");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        int64_t time[MOST];
        uint32_t unit[MOST];
        int64_t start = test_random_between(&random, -1000, 1000);
        int64_t stop = start + (int64_t)test_random_below(&random, 120);
        uint64_t n = stop > start ? test_random_below(&random, MOST) : 0;
        for (uint64_t i = 0; i < n; i++) {
            time[i] = test_random_between(&random, start, stop - 1);
            unit[i] =
                (uint32_t)test_random_below(&random, test_random_chance(&random, 0.5) ? 1 : 4);
        }
        spk_recording *recording = NULL;
        spk_recording *shuffled = NULL;
        assert_int_equal(test_recording_create(NULL, n, time, unit, 4, labels, (spk_rate){7, 3},
                                               &start, &stop, &recording),
                         SPK_OK);
        assert_int_equal(spk_recording_shuffle(NULL, recording, k, &shuffled), SPK_OK);
        check_shuffled(recording, shuffled);
        spk_recording_free(recording);
        spk_recording_free(shuffled);
    }
}

static void shuffling_reaches_the_ends_of_time(void **state)
{
    (void)state;
    enum { N = 1000 };
    int64_t time[N];
    uint32_t unit[N] = {0};
    int64_t start = INT64_MIN;
    int64_t stop = INT64_MAX;
    for (int i = 0; i < N; i++)
        time[i] = i;
    spk_recording *recording = NULL;
    spk_recording *shuffled = NULL;
    assert_int_equal(test_recording_create(NULL, N, time, unit, 1, NULL, (spk_rate){7, 3}, &start,
                                           &stop, &recording),
                     SPK_OK);
    assert_int_equal(spk_recording_shuffle(NULL, recording, 1, &shuffled), SPK_OK);
    check_shuffled(recording, shuffled);
    spk_events events = spk_recording_events(shuffled);
    int n_negative = 0;
    for (int i = 0; i < N; i++)
        n_negative += events.time[i] < 0;
    assert_true(abs(n_negative - N / 2) < 5 * sqrt(N) / 2);
    assert_true(events.time[0] < INT64_MIN / 10 * 9 && events.time[N - 1] > INT64_MAX / 10 * 9);
    spk_recording_free(recording);
    spk_recording_free(shuffled);
}

/* Extents of a few ticks, anywhere in int64, with every number of spikes: each tick before stop is
 * drawn, and stop never is. */
static void nothing_is_drawn_at_stop(void **state)
{
    (void)state;
    enum { MOST = 6, SEEDS = 100 };
    static const int64_t starts[] = {INT64_MIN, -3, 0, INT64_MAX - MOST};
    for (int place = 0; place < 4; place++)
        for (int width = 1; width <= MOST; width++)
            for (int n = 1; n <= width; n++) {
                int64_t time[MOST];
                const uint32_t unit[MOST] = {0};
                const int64_t start = starts[place];
                const int64_t stop = start + width;
                int drawn[MOST + 1] = {0};
                spk_recording *recording = NULL;
                for (int k = 0; k < n; k++)
                    time[k] = start + k;
                assert_int_equal(test_recording_create(NULL, (uint64_t)n, time, unit, 1, NULL,
                                                       (spk_rate){7, 3}, &start, &stop, &recording),
                                 SPK_OK);
                for (uint64_t seed = 0; seed < SEEDS; seed++) {
                    spk_recording *shuffled = NULL;
                    assert_int_equal(spk_recording_shuffle(NULL, recording, seed, &shuffled),
                                     SPK_OK);
                    check_shuffled(recording, shuffled);
                    for (int k = 0; k < n; k++)
                        drawn[spk_recording_events(shuffled).time[k] - start]++;
                    spk_recording_free(shuffled);
                }
                for (int tick = 0; tick < width; tick++)
                    assert_true(drawn[tick] > 0); /* 100 draws miss a tick once in 10^7 */
                assert_int_equal(drawn[width], 0);
                spk_recording_free(recording);
            }
}

/* Every set of 2 of 5 ticks, and by the complement every set of 4 of 5, is as likely as any other;
 * units are independent. Five standard deviations of a binomial. */
static void shuffled_sets_are_uniform(void **state)
{
    (void)state;
    const uint64_t n = test_scaled_from(20000, 5000);
    const double expected = (double)n / 50;
    static const int64_t time[] = {0, 1, 0, 1, 2, 3};
    static const uint32_t unit[] = {0, 0, 1, 1, 1, 1};
    int64_t start = 0;
    int64_t stop = 5;
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(NULL, 6, time, unit, 2, NULL, (spk_rate){7, 3}, &start,
                                           &stop, &recording),
                     SPK_OK);
    int n_sets[32][32] = {{0}};
    for (uint64_t k = 0; k < n; k++) {
        spk_recording *shuffled = NULL;
        assert_int_equal(spk_recording_shuffle(NULL, recording, k, &shuffled), SPK_OK);
        spk_events events = spk_recording_events(shuffled);
        int set[2] = {0, 0};
        for (int i = 0; i < 6; i++)
            set[events.unit[i]] |= 1 << events.time[i];
        n_sets[set[0]][set[1]]++;
        spk_recording_free(shuffled);
    }
    int n_met = 0;
    for (int a = 0; a < 32; a++) {
        for (int b = 0; b < 32; b++) {
            if (n_sets[a][b] == 0)
                continue;
            n_met++;
            assert_true(fabs(n_sets[a][b] - expected) < 5 * sqrt(expected * 49 / 50));
        }
    }
    assert_int_equal(n_met, 50);
    spk_recording_free(recording);
}

static void a_shuffle_depends_on_its_seed_alone(void **state)
{
    (void)state;
    spk_network_options options;
    spk_network_options_init(&options, sizeof options);
    options.n_units = 5;
    spk_recording *recording = NULL;
    assert_int_equal(spk_simulate_network(NULL, &options, &recording, NULL), SPK_OK);
    uint64_t hash[3];
    for (uint64_t k = 0; k < 3; k++) {
        spk_recording *shuffled = NULL;
        assert_int_equal(spk_recording_shuffle(NULL, recording, 11 + k / 2, &shuffled), SPK_OK);
        hash[k] = test_hash_columns(shuffled);
        spk_recording_free(shuffled);
    }
    assert_int_equal(hash[0], 0xcec6d92385ed8806);
    assert_true(hash[1] == hash[0] && hash[2] != hash[0]);
    spk_recording_free(recording);
}

/* ---- truth ----------------------------------------------------------------------------------- */

static double seconds(const spk_recording *recording, int64_t ticks)
{
    spk_rate rate = spk_recording_rate(recording);
    return (double)ticks * (double)rate.denominator / (double)rate.numerator;
}

static void check_row(const spk_recording *recording, json_t *row, uint32_t n, const int64_t *ticks)
{
    assert_int_equal(json_array_size(row), n);
    for (uint32_t p = 0; p < n; p++)
        assert_true(fabs(json_number_value(json_array_get(row, p)) - seconds(recording, ticks[p])) <
                    1e-9);
}

static void check_json(const spk_recording *recording, const spk_truth *truth, const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    assert_true(json_number_value(json_object_get(root, "tick_s")) == seconds(recording, 1));
    json_t *chains = json_object_get(root, "chains");
    assert_int_equal(json_array_size(chains), spk_truth_n_chains(truth));
    for (uint32_t k = 0; k < spk_truth_n_chains(truth); k++) {
        spk_truth_chain chain = spk_truth_get_chain(truth, k);
        json_t *object = json_array_get(chains, k);
        json_t *units = json_object_get(object, "units");
        assert_int_equal(json_array_size(units), chain.size);
        for (uint32_t p = 0; p < chain.size; p++)
            assert_string_equal(json_string_value(json_array_get(units, p)),
                                spk_recording_label(recording, chain.unit[p]));
        check_row(recording, json_object_get(object, "delays_s"), chain.size - 1,
                  chain.delay_ticks);
        assert_true(fabs(json_number_value(json_object_get(object, "jitter_s")) -
                         seconds(recording, chain.jitter_ticks)) < 1e-12);
        assert_int_equal(json_integer_value(json_object_get(object, "planted")), chain.planted);
        assert_int_equal(json_integer_value(json_object_get(object, "kept")), chain.kept);
        json_t *times = json_object_get(object, "times_s");
        assert_int_equal(json_array_size(times), chain.kept);
        for (uint64_t i = 0; i < chain.kept; i++)
            check_row(recording, json_array_get(times, i), chain.size, chain.time + i * chain.size);
    }
    json_decref(root);
}

static void truth_is_written_in_full(void **state)
{
    (void)state;
    char path[] = "/tmp/spikemine-truth-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    spk_sym26_options sym26;
    spk_sym26_options_init(&sym26, sizeof sym26);
    assert_int_equal(spk_simulate_sym26(NULL, &sym26, &recording, &truth), SPK_OK);
    assert_int_equal(spk_truth_write(NULL, recording, truth, path), SPK_OK);
    check_json(recording, truth, path);
    spk_recording_free(recording);
    spk_truth_free(truth);

    spk_network_options network;
    spk_network_options_init(&network, sizeof network);
    network.n_chains = 0;
    assert_int_equal(spk_simulate_network(NULL, &network, &recording, &truth), SPK_OK);
    assert_int_equal(spk_truth_write(NULL, recording, truth, path), SPK_OK);
    check_json(recording, truth, path);
    spk_recording_free(recording);
    spk_truth_free(truth);
    remove(path);
}

/* Of more occurrences than a truth keeps, all are counted and the first ones kept. */
static void truth_stays_small(void **state)
{
    (void)state;
    static const uint32_t size = 3;
    uint64_t most = SPK_TRUTH_MAX_TIMES / size;
    spk_truth *truth = NULL;
    assert_int_equal(spk_truth_create(NULL, 1, &size, &truth), SPK_OK);
    for (uint64_t i = 0; i < most + 10; i++) {
        int64_t time[3] = {(int64_t)i, (int64_t)i + 1, (int64_t)i + 2};
        assert_int_equal(spk_planted_add(NULL, &truth->chain[0], time), SPK_OK);
    }
    spk_truth_chain chain = spk_truth_get_chain(truth, 0);
    assert_int_equal(chain.planted, most + 10);
    assert_int_equal(chain.kept, most);
    assert_int_equal(chain.time[(most - 1) * 3 + 2], most + 1);
    spk_truth_free(truth);
}

/* Labels that JSON must escape are escaped; what cannot be written leaves no file behind. */
static void labels_of_the_truth(void **state)
{
    (void)state;
    static const uint32_t size = 2;
    static const char *const escaped[] = {"a \"quoted\\\" \t one", "\xc3\xa9"};
    static const char *const broken[] = {"good", "\xff"};
    char folder[] = "/tmp/spikemine-truth-XXXXXX";
    char path[64];
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.json", folder);
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_truth_create(NULL, 1, &size, &truth), SPK_OK);
    truth->chain[0].unit[1] = 1;
    assert_int_equal(test_recording_create(NULL, 0, NULL, NULL, 2, broken, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_truth_write(context, recording, truth, path), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "not UTF-8"));
    truth->chain[0].unit[0] = 2;
    assert_int_equal(spk_truth_write(context, recording, truth, path), SPK_ERR_ARGUMENT);
    assert_int_not_equal(access(path, F_OK), 0);
    spk_recording_free(recording);

    truth->chain[0].unit[0] = 0;
    assert_int_equal(test_recording_create(NULL, 0, NULL, NULL, 2, escaped, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    assert_int_equal(spk_truth_write(context, recording, truth, path), SPK_OK);
    check_json(recording, truth, path);
    spk_recording_free(recording);
    spk_truth_free(truth);
    spk_context_free(context);
    remove(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffling_keeps_numbers_and_extent),
        cmocka_unit_test(shuffling_reaches_the_ends_of_time),
        cmocka_unit_test(nothing_is_drawn_at_stop),
        cmocka_unit_test(shuffled_sets_are_uniform),
        cmocka_unit_test(a_shuffle_depends_on_its_seed_alone),
        cmocka_unit_test(truth_is_written_in_full),
        cmocka_unit_test(truth_stays_small),
        cmocka_unit_test(labels_of_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
