/*
 * Every public function that takes a context, called with NULL in its place: with arguments that
 * are right and, where it can fail, with one that is wrong. The status must be the same as with a
 * context. tools/check-api.py sees to it that no function is missing here and in the files
 * test_null_context_*.c. This one: what ends handles, contexts, files, engines, GPUs.
 */
#include "support/sample.h"
#include "support/test.h"

/* What ends a handle accepts that there is none, as programs that failed early have it. */
static void ends(void **state)
{
    (void)state;
    spk_context_free(NULL);
    spk_surrogates_free(NULL);
    spk_recording_free(NULL);
    spk_truth_free(NULL);
    spk_episode_list_free(NULL);
    spk_occurrence_list_free(NULL);
    spk_windows_free(NULL);
    spk_families_free(NULL);
    spk_pattern_list_free(NULL);
    spk_spectrum_free(NULL);
    spk_pattern_locator_free(NULL);
    spk_writer_free(NULL);
    spk_pattern_figure_free(NULL);
    spk_maxima_free(NULL);
    spk_live_watch_free(NULL);
    spk_live_stream_free(NULL);
    spk_live_page_free(NULL);
    spk_live_emit_free(NULL);
    spk_live_source_free(NULL);
    spk_live_recorder_free(NULL);
    spk_live_session_free(NULL);
    spk_energy_free(NULL);
}

static void listen_to_notes(void *user, const char *text)
{
    (void)user, (void)text;
}

static void listen_to_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user, (void)what, (void)done, (void)total;
}

static void contexts(void **state)
{
    (void)state;
    spk_context *child = NULL;
    assert_int_equal(spk_context_create_child(NULL, &child), SPK_OK);
    assert_int_equal(spk_context_threads(child), spk_context_threads(NULL));
    assert_false(spk_context_cancelled(child));
    spk_context_free(child);
    assert_string_equal(spk_context_message(NULL), "");
    int processors = spk_context_threads(NULL);
    spk_context_set_threads(NULL, processors + 1);
    assert_int_equal(spk_context_threads(NULL), processors);
    spk_context_set_memory_limit(NULL, 5);
    spk_context_set_default_memory_limit(NULL);
    assert_int_equal(spk_context_memory_limit(NULL), 0);
    spk_context_set_max_expansion(NULL, 5);
    assert_int_equal(spk_context_max_expansion(NULL), SPK_MAX_EXPANSION_DEFAULT);
    spk_context_set_disk_reserve(NULL, 5);
    assert_int_equal(spk_context_disk_reserve(NULL), 0);
    spk_context_abandon_files(NULL);
    assert_int_equal(spk_context_set_ranks(NULL, NULL), SPK_OK);
    assert_int_equal(spk_ranks_compare(NULL, "word", "any"), SPK_OK);
    spk_context_set_progress(NULL, listen_to_progress, NULL);
    assert_int_equal(spk_context_tally(NULL).results + spk_context_tally(NULL).bytes, 0);
    spk_context_set_note(NULL, listen_to_notes, NULL);
    spk_context_cancel(NULL);
    assert_false(spk_context_cancelled(NULL));
    spk_context_cancel_clear(NULL);
}

static void energies(void **state)
{
    (void)state;
    spk_energy *energy = NULL;
    assert_int_equal(spk_energy_begin(NULL, &energy), SPK_OK);
    spk_energy_free(energy);
}

static void files(void **state)
{
    (void)state;
    const spk_file_use use[] = {{test_path("a"), SPK_FILE_RESULT, "the table", NULL},
                                {test_path("a"), SPK_FILE_OUTPUT, "the figure", NULL}};
    assert_int_equal(spk_files_check(NULL, use, 1, false), SPK_OK);
    assert_int_equal(spk_files_check(NULL, use, 2, false), SPK_ERR_ARGUMENT);
    bool has_name = true;
    assert_int_equal(spk_file_has_name(NULL, "-", &has_name), SPK_OK);
    assert_false(has_name);
}

static void formats(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_format_info info;
    assert_int_equal(spk_format_describe(NULL, 0, &info), SPK_OK);
    assert_int_equal(spk_format_describe(NULL, spk_format_count(), &info), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_read(NULL, test_file("two", "0.1 a\n0.2 a\n"), NULL, &out),
                     SPK_OK);
    spk_recording_free(out);
    assert_int_equal(spk_recording_read(NULL, test_path("none"), NULL, &out), SPK_ERR_IO);
    assert_int_equal(spk_recording_write(NULL, sample_recording, test_path("a.npz"), NULL), SPK_OK);
    assert_int_equal(spk_sample_write(NULL, test_path("sample.txt")), SPK_OK);
    assert_int_equal(spk_sample_write(NULL, test_path("no such folder/sample.txt")), SPK_ERR_IO);
    assert_int_equal(spk_recording_write(NULL, sample_recording, test_path("a"), "?"),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_recording_check_write(NULL, "a.npz", NULL), SPK_OK);
    assert_int_equal(spk_recording_check_write(NULL, "a", "?"), SPK_ERR_ARGUMENT);
}

static void durations(void **state)
{
    (void)state;
    spk_duration out;
    assert_int_equal(spk_duration_parse(NULL, "5ms", 3, &out), SPK_OK);
    assert_int_equal(spk_duration_parse(NULL, "5", 1, &out), SPK_ERR_FORMAT);
    spk_rate rate;
    assert_int_equal(spk_rate_parse(NULL, "30000", 5, &rate), SPK_OK);
    assert_int_equal(spk_rate_parse(NULL, "x", 1, &rate), SPK_ERR_FORMAT);
    spk_recording_description description;
    assert_int_equal(spk_recording_describe(NULL, sample_recording, &description), SPK_OK);
    assert_int_equal(description.rate_doubt, SPK_RATES_PLAUSIBLE);
    char text[300];
    assert_int_equal(spk_recording_check_times(NULL, sample_recording, text, sizeof text), SPK_OK);
    assert_string_equal(text, "");
    assert_int_equal(spk_recording_check_span(NULL, sample_recording, (spk_duration){0, 0, 0},
                                              (spk_duration){1, -3, 0}, 1, text, sizeof text),
                     SPK_OK);
    assert_string_equal(text, "");
}

static void engines(void **state)
{
    (void)state;
    spk_engine_info info;
    assert_int_equal(spk_engine_describe(NULL, SPK_EPISODES, 0, &info), SPK_OK);
    assert_int_equal(spk_engine_describe(NULL, SPK_PATTERNS, SIZE_MAX, &info), SPK_ERR_ARGUMENT);
}

static void operations(void **state)
{
    (void)state;
    const char *const name[] = {"peel-max", "peel"}, *value[] = {"3", NULL};
    spk_option_uses uses;
    spk_option_uses_init(&uses, sizeof uses);
    uses.n = 2, uses.name = name, uses.value = value;
    assert_int_equal(spk_operation_check(NULL, "episodes", &uses), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_operation_check(NULL, "count", &uses), SPK_OK);
}

static spk_status no_such_gpu(void)
{
    return spk_gpu_count() > 0 ? SPK_ERR_ARGUMENT : SPK_ERR_UNAVAILABLE;
}

static void gpus(void **state)
{
    (void)state;
    spk_gpu_info info;
    spk_papers_tuning calibration;
    assert_int_equal(spk_gpu_describe(NULL, -1, &info), no_such_gpu());
    assert_int_equal(spk_papers_tune(NULL, -1, &calibration), no_such_gpu());
    char *path = NULL;
    assert_int_equal(spk_papers_tuning_path(NULL, &path), SPK_OK);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),    cmocka_unit_test(contexts), cmocka_unit_test(energies),
        cmocka_unit_test(files),   cmocka_unit_test(formats),  cmocka_unit_test(durations),
        cmocka_unit_test(engines), cmocka_unit_test(gpus),     cmocka_unit_test(operations),
    };
    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
