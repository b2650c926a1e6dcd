/* Recordings from columns in one call. */
#include "support/recordings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "spikemine/formats.h"

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
