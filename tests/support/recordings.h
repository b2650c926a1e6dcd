/* Recordings from columns in one call. */
#pragma once

#include "spikemine/recording.h"

/* spk_recording_create with the fields of the source as arguments. */
SPK_MUST_CHECK spk_status test_recording_create(spk_context *context, uint64_t n_events,
                                                const int64_t *time, const uint32_t *unit,
                                                uint32_t n_units, const char *const *labels,
                                                spk_rate rate, const int64_t *start,
                                                const int64_t *stop, spk_recording **out);

/* Reads a file that must be read, and checks what came of it; the caller frees it. */
spk_recording *test_recording_read(spk_context *context, const char *path,
                                   const spk_read_options *options);

/* The same for a bundled recording, data/NAME, whose lines may stand in any order. */
spk_recording *test_recording_bundled(spk_context *context, const char *name);

/* All events as "TIME:LABEL TIME:LABEL ..."; a static buffer, valid until the next call. */
const char *test_events_text(const spk_recording *recording);

/* Fails the test unless the unit of this label fires at these ticks. */
void test_assert_ticks(const spk_recording *recording, const char *label, size_t n,
                       const int64_t *ticks);
