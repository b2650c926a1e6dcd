/* Public functions with NULL in place of their context: episodes. */
#include "support/sample.h"
#include "support/test.h"

static void episode_lists(void **state)
{
    (void)state;
    static const uint32_t units[] = {2, 0};
    spk_episode_list *own = NULL;
    spk_episode_columns all = spk_episode_list_columns(sample_list);
    assert_int_equal(spk_episode_list_create(NULL, &own), SPK_OK);
    assert_int_equal(spk_episode_list_append(NULL, own, 2, units, &sample_delay), SPK_OK);
    assert_int_equal(spk_episode_list_append(NULL, own, 0, units, &sample_delay), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_list_add(own, &all), SPK_OK);
    all.n_delays = 0;
    assert_int_equal(spk_episode_list_add(own, &all), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_list_columns(own).n, 2);
    spk_episode_list_free(own);
}

static void episode_texts(void **state)
{
    (void)state;
    spk_delay out;
    uint64_t support = 0;
    spk_episode_list *own = NULL;
    assert_int_equal(spk_delay_parse(NULL, "(5ms,10ms]", &out), SPK_OK);
    assert_int_equal(spk_delay_parse(NULL, "10ms:5ms", &out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_support_parse(NULL, sample_recording, "50%", &support), SPK_OK);
    assert_int_equal(support, SAMPLE_EVENTS / 2);
    assert_int_equal(spk_episode_support_parse(NULL, sample_recording, "0", &support),
                     SPK_ERR_ARGUMENT);
    test_file("episodes", "0 (1ms,4ms] 1\n");
    assert_int_equal(spk_episode_list_read(NULL, sample_recording, test_path("episodes"), &own),
                     SPK_OK);
    assert_int_equal(spk_episode_parse(NULL, sample_recording, "2 (1ms,4ms] 0", own), SPK_OK);
    assert_int_equal(spk_episode_parse(NULL, sample_recording, "2 (1ms,4ms] 7", own),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_parse(NULL, sample_recording, "2 (1ms", own), SPK_ERR_FORMAT);
    assert_int_equal(spk_episode_list_columns(own).n, 2);
    spk_episode_list_free(own);
    assert_int_equal(spk_episode_list_read(NULL, sample_recording, test_path("none"), &own),
                     SPK_ERR_IO);
    spk_recording *widened = NULL;
    test_file("episodes", "0 (1ms,4ms] 7\n");
    const char *sources[2] = {test_path("episodes"), "1 (1ms,4ms] 0"}, *none = test_path("none");
    assert_int_equal(
        spk_episode_list_read_widened(NULL, sample_recording, 2, sources, &widened, &own), SPK_OK);
    assert_int_equal(spk_recording_events(widened).n_units, SAMPLE_UNITS + 1);
    assert_int_equal(spk_episode_list_columns(own).n, 2);
    spk_recording_free(widened);
    spk_episode_list_free(own);
    assert_int_equal(
        spk_episode_list_read_widened(NULL, sample_recording, 1, &none, &widened, &own),
        SPK_ERR_IO);
}

static void episode_jobs(void **state)
{
    (void)state;
    spk_episode_list *found = NULL;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &sample_delay;
    options.n_delays = 1;
    options.support = 5;
    options.max_size = 2;
    assert_int_equal(spk_episode_list_create(NULL, &found), SPK_OK);
    assert_int_equal(
        spk_episode_mine(NULL, sample_recording, &options, spk_episode_list_add, found, NULL),
        SPK_OK);
    assert_int_equal(spk_episode_list_columns(found).n, 2 * SAMPLE_UNITS);
    assert_int_equal(spk_episode_count(NULL, sample_recording, &options, sample_list, NULL),
                     SPK_OK);
    assert_int_equal(spk_episode_list_columns(sample_list).count[0], SAMPLE_EVENTS / SAMPLE_UNITS);
    options.engine = "abacus";
    assert_int_equal(
        spk_episode_mine(NULL, sample_recording, &options, spk_episode_list_add, found, NULL),
        SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_count(NULL, sample_recording, &options, sample_list, NULL),
                     SPK_ERR_ARGUMENT);
    spk_episode_list_free(found);
}

static spk_status count_in_segment(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    (void)segment;
    (void)size;
    (void)time;
    ++*(uint64_t *)user;
    return SPK_OK;
}

static spk_status count_occurrence(void *user, uint32_t size, const int64_t *time)
{
    *(uint64_t *)user += size == 2 && time[0] < time[1];
    return SPK_OK;
}

static void episode_occurrences(void **state)
{
    (void)state;
    static const uint32_t units[] = {0, 1};
    uint64_t n = 0;
    assert_int_equal(spk_episode_occurrences(NULL, sample_recording, 2, units, &sample_delay,
                                             count_occurrence, &n),
                     SPK_OK);
    assert_int_equal(n, SAMPLE_EVENTS / SAMPLE_UNITS);
    assert_int_equal(spk_episode_occurrences(NULL, sample_recording, 0, units, &sample_delay,
                                             count_occurrence, &n),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_episode_occurrences_in_segments(NULL, sample_recording, 2, units,
                                                         &sample_delay, count_in_segment, &n),
                     SPK_OK);
    spk_occurrence_list *occurrences = NULL;
    assert_int_equal(spk_occurrence_list_create(NULL, &occurrences), SPK_OK);
    assert_int_equal(spk_occurrence_list_add(occurrences, 0, 1, &sample_time), SPK_OK);
    assert_int_equal(spk_occurrence_list_add(occurrences, 0, 2, &sample_time), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_occurrence_list_columns(occurrences).n, 1);
    spk_occurrence_list_free(occurrences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episode_lists),
        cmocka_unit_test(episode_texts),
        cmocka_unit_test(episode_jobs),
        cmocka_unit_test(episode_occurrences),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
