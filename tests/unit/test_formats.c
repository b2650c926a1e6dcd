/* The front of all readers: the list of formats, and the choice among them. */
#include "support/context.h"

static void formats_are_listed(void **state)
{
    (void)state;
    assert_true(spk_format_count() > 0);
    for (size_t k = 0; k < spk_format_count(); k++) {
        spk_format_info info;
        assert_int_equal(spk_format_describe(context, k, &info), SPK_OK);
        assert_string_equal(info.name, spk_format_name(k));
        assert_true(strlen(info.summary) > 10 && strchr(info.summary, '\n') == NULL);
        assert_true(info.reads || info.writes);
        assert_int_equal(info.available, info.reason[0] == '\0');
        for (size_t i = 0; i < k; i++)
            assert_string_not_equal(info.name, spk_format_name(i));
    }
    assert_null(spk_format_name(spk_format_count()));
}

static void text_is_read_like_text(void **state)
{
    (void)state;
    spk_recording *out = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    const char *path = test_file("rec", "0.25 a\n0.5 b\n");
    static const char *const formats[] = {NULL, "text"};
    for (size_t k = 0; k < 2; k++) {
        options.format = formats[k];
        assert_int_equal(spk_recording_read(context, path, &options, &out), SPK_OK);
        assert_int_equal(spk_recording_events(out).n_events, 2);
        assert_int_equal(spk_recording_rate(out).numerator, 100);
        spk_recording_free(out);
    }
    options.format = "papyrus";
    assert_int_equal(spk_recording_read(context, path, &options, &out), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), "papyrus"));
    assert_null(out);
}

/* Content behind the bytes that are looked at is read, too. */
static void long_inputs_are_whole(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    static char text[LINES * 8 + 1];
    spk_recording *out = NULL;
    for (int k = 0; k < LINES; k++)
        snprintf(text + (size_t)k * 8, 9, "%05d %c\n", k, 'a' + k % 3);
    assert_int_equal(spk_recording_read(context, test_file("long", text), NULL, &out), SPK_OK);
    spk_events events = spk_recording_events(out);
    assert_int_equal(events.n_events, LINES);
    for (int k = 0; k < LINES; k++) {
        assert_int_equal(events.time[k], k);
        assert_int_equal(events.unit[k], k % 3);
    }
    spk_recording_free(out);
}

/* The sample is the recording that it says it is, wherever it is written to, and is read as it is.
 */
static void the_sample_is_a_recording(void **state)
{
    (void)state;
    const char *path = test_path(SPK_SAMPLE_NAME);
    spk_recording *recording = NULL, *bundled = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    assert_int_equal(spk_sample_write(context, path), SPK_OK);
    assert_int_equal(spk_recording_read(context, path, &options, &recording), SPK_OK);
    const spk_events events = spk_recording_events(recording);
    assert_int_equal(events.n_units, 74);
    assert_int_equal(events.n_events, 3336);
    options.sort = true;
    assert_int_equal(
        spk_recording_read(context, SPK_SOURCE_DIR "/data/songbird_spikes.txt", &options, &bundled),
        SPK_OK);
    const spk_events same = spk_recording_events(bundled);
    assert_memory_equal(events.time, same.time, events.n_events * sizeof *events.time);
    assert_memory_equal(events.unit, same.unit, events.n_events * sizeof *events.unit);
    spk_recording_free(recording);
    spk_recording_free(bundled);
    assert_int_equal(spk_sample_write(context, test_path("none/sample.txt")), SPK_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(text_is_read_like_text),
        cmocka_unit_test(long_inputs_are_whole),
        cmocka_unit_test(the_sample_is_a_recording),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
