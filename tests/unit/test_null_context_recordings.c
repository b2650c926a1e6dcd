/* Public functions with NULL in place of their context: recordings, their surrogates, and
 * simulations. */
#include "support/sample.h"
#include "support/test.h"

static void recordings(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    uint32_t unknown = SAMPLE_UNITS;
    assert_int_equal(sample_make_recording((spk_rate){0, 1}, &out), SPK_ERR_ARGUMENT);
    assert_null(out);
    assert_int_equal(spk_recording_slice(NULL, sample_recording, &sample_time, NULL, 0, NULL, &out),
                     SPK_OK);
    assert_int_equal(spk_recording_events(out).n_events, SAMPLE_EVENTS);
    spk_recording_free(out);
    assert_int_equal(spk_recording_slice(NULL, sample_recording, NULL, NULL, 1, &unknown, &out),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_shuffle(NULL, sample_recording, 1, &out), SPK_OK);
    spk_recording_free(out);
    const spk_time_range range = {{0, 0, 0}, {1, -2, 0}};
    spk_recording *taken = NULL;
    assert_int_equal(spk_recording_cut(NULL, sample_recording, 1, &range, &taken), SPK_OK);
    assert_int_equal(spk_recording_cut_take(NULL, taken, 1, &range, &out), SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_recording_cut(NULL, sample_recording, 1, &range, &taken), SPK_OK);
    assert_int_equal(spk_recording_cut_take(NULL, taken, 0, &range, &out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_cut(NULL, sample_recording, 0, &range, &out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_restrict(NULL, sample_recording, 1, &range, &taken), SPK_OK);
    assert_int_equal(spk_recording_restrict_take(NULL, taken, 0, &range, &out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_on_grid(NULL, sample_recording, &out), SPK_OK);
    assert_null(out);
    const char *const further[] = {"new", "2"};
    assert_int_equal(spk_recording_add_units(NULL, sample_recording, 1, further, &out), SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_recording_add_units(NULL, sample_recording, 2, further, &out),
                     SPK_ERR_ARGUMENT);
}

static void taken_recordings(void **state)
{
    (void)state;
    static const int64_t time[] = {1, 2};
    static const uint32_t unit[] = {0, 0};
    spk_recording *out = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = 2;
    source.time = time;
    source.unit = unit;
    source.n_units = 1;
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_take(NULL, &source, NULL, NULL, &out), SPK_OK);
    spk_recording_free(out);
    source.n_units = 0;
    assert_int_equal(spk_recording_take(NULL, &source, NULL, NULL, &out), SPK_ERR_ARGUMENT);
    const double time_s = 0.5;
    spk_seconds_source seconds;
    spk_seconds_source_init(&seconds, sizeof seconds);
    seconds.n_events = 1;
    seconds.time = &time_s;
    seconds.unit = unit;
    seconds.n_units = 1;
    assert_int_equal(spk_recording_create_from_seconds(NULL, &seconds, &out), SPK_OK);
    spk_recording_free(out);
    seconds.n_units = 0;
    assert_int_equal(spk_recording_create_from_seconds(NULL, &seconds, &out), SPK_ERR_ARGUMENT);
}

static void text_files(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_unit_check check[SAMPLE_UNITS];
    spk_unit_check_options limits;
    spk_unit_check_options_init(&limits, sizeof limits);
    assert_int_equal(spk_recording_check_units(NULL, sample_recording, &limits, check), SPK_OK);
    limits.coincidence.exponent = SPK_DURATION_INFINITE;
    assert_int_equal(spk_recording_check_units(NULL, sample_recording, &limits, check),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_write_text(NULL, sample_recording, test_path("events")), SPK_OK);
    assert_int_equal(spk_recording_write_text(NULL, sample_recording, test_path("no/events")),
                     SPK_ERR_IO);
    assert_int_equal(spk_recording_read_text(NULL, test_path("events"), NULL, &out), SPK_OK);
    assert_int_equal(spk_recording_events(out).n_events, SAMPLE_EVENTS);
    spk_recording_free(out);
    assert_int_equal(spk_recording_read_text(NULL, test_path("none"), NULL, &out), SPK_ERR_IO);
    assert_int_equal(spk_recording_read_text(NULL, test_file("bad", "0.1 a\n0.2\n"), NULL, &out),
                     SPK_ERR_FORMAT);
}

static void trials(void **state)
{
    (void)state;
    spk_time_range *out = NULL;
    size_t n = 0;
    test_file("trials", "0 10ms\n");
    assert_int_equal(spk_intervals_read(NULL, sample_recording, test_path("trials"), &out, &n),
                     SPK_OK);
    assert_int_equal(n, 1);
    free(out);
    assert_int_equal(spk_intervals_read(NULL, sample_recording, test_path("none"), &out, &n),
                     SPK_ERR_IO);
    const char *events = test_file("two", "0.1 a\n0.2 b\n");
    assert_int_equal(spk_intervals_read_table(NULL, events, NULL, "trials", &out, &n),
                     SPK_ERR_UNSUPPORTED);
    assert_int_equal(spk_intervals_read_table(NULL, "-", NULL, "trials", &out, &n),
                     SPK_ERR_UNSUPPORTED);
}

static void simulations(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_truth *truth = NULL;
    spk_sym26_options sym26;
    spk_sym26_options_init(&sym26, sizeof sym26);
    sym26.duration = (spk_duration){1, 0};
    assert_int_equal(spk_simulate_sym26(NULL, &sym26, &out, &truth), SPK_OK);
    assert_int_equal(spk_truth_write(NULL, out, truth, test_path("truth")), SPK_OK);
    assert_int_equal(spk_truth_write(NULL, sample_recording, truth, test_path("truth")),
                     SPK_ERR_ARGUMENT);
    spk_truth_free(truth);
    spk_recording_free(out);
    sym26.rate_hz = -1;
    assert_int_equal(spk_simulate_sym26(NULL, &sym26, &out, NULL), SPK_ERR_ARGUMENT);

    spk_network_options network;
    spk_network_options_init(&network, sizeof network);
    network.duration = (spk_duration){1, 0};
    assert_int_equal(spk_simulate_network(NULL, &network, &out, NULL), SPK_OK);
    spk_recording_free(out);
    network.n_units = 0;
    assert_int_equal(spk_simulate_network(NULL, &network, &out, NULL), SPK_ERR_ARGUMENT);

    spk_probe_options probe;
    spk_probe_options_init(&probe, sizeof probe);
    assert_int_equal(spk_simulate_probe(NULL, &probe, NULL, &out, NULL), SPK_OK);
    spk_recording_free(out);
    probe.repeats = 0;
    assert_int_equal(spk_simulate_probe(NULL, &probe, NULL, &out, NULL), SPK_ERR_ARGUMENT);

    spk_culture_options culture;
    spk_culture_options_init(&culture, sizeof culture);
    culture.n_events = 2000;
    assert_int_equal(spk_simulate_culture(NULL, &culture, &out, NULL), SPK_OK);
    spk_recording_free(out);
    culture.n_units = 0;
    assert_int_equal(spk_simulate_culture(NULL, &culture, &out, NULL), SPK_ERR_ARGUMENT);
}

static void surrogate_makers(void **state)
{
    (void)state;
    spk_surrogate_options options;
    spk_surrogates *surrogates = NULL;
    spk_recording *out = NULL;
    spk_surrogate_options_init(&options, sizeof options);
    assert_int_equal(spk_surrogates_create(NULL, sample_recording, &options, &surrogates), SPK_OK);
    assert_int_equal(spk_surrogates_make(NULL, surrogates, 1, &out), SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_surrogates_make(NULL, surrogates, 0, &out), SPK_ERR_ARGUMENT);
    spk_surrogates_free(surrogates);
    options.method = "no such method";
    assert_int_equal(spk_surrogates_create(NULL, sample_recording, &options, &surrogates),
                     SPK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings),  cmocka_unit_test(taken_recordings),
        cmocka_unit_test(text_files),  cmocka_unit_test(trials),
        cmocka_unit_test(simulations), cmocka_unit_test(surrogate_makers),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
