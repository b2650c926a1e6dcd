/* Recordings from columns in one call. */
#include "support/recordings.h"

#include "support/test.h"

spk_status test_recording_create(spk_context *context, uint64_t n_events, const int64_t *time,
                                 const uint32_t *unit, uint32_t n_units, const char *const *labels,
                                 spk_rate rate, const int64_t *start, const int64_t *stop,
                                 spk_recording **out)
{
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = n_events;
    source.time = time;
    source.unit = unit;
    source.n_units = n_units;
    source.labels = labels;
    source.rate = rate;
    source.start = start;
    source.stop = stop;
    return spk_recording_create(context, &source, out);
}

spk_recording *test_recording_read(spk_context *context, const char *path,
                                   const spk_read_options *options)
{
    spk_recording *recording = NULL;
    const char *reason = NULL;
    if (spk_recording_read(context, path, options, &recording) != SPK_OK)
        fail_msg("%s", spk_context_message(context));
    assert_true(spk_recording_validate(recording, &reason));
    return recording;
}

spk_recording *test_recording_bundled(spk_context *context, const char *name)
{
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    return test_recording_read(context, test_bundled(name), &options);
}

const char *test_events_text(const spk_recording *recording)
{
    static char text[1024];
    size_t n = 0;
    spk_events e = spk_recording_events(recording);
    text[0] = '\0';
    for (uint64_t i = 0; i < e.n_events; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld:%s", i > 0 ? " " : "",
                              (long long)e.time[i], spk_recording_label(recording, e.unit[i]));
    return text;
}

void test_assert_ticks(const spk_recording *recording, const char *label, size_t n,
                       const int64_t *ticks)
{
    spk_events e = spk_recording_events(recording);
    uint32_t unit = 0;
    assert_true(spk_recording_find_unit(recording, label, &unit));
    assert_int_equal(e.unit_first[unit + 1] - e.unit_first[unit], n);
    for (size_t k = 0; k < n; k++)
        assert_int_equal(e.time[e.by_unit[e.unit_first[unit] + k]], ticks[k]);
}
