/* Reading text recordings from memory, for tests and fuzzing. */
#ifndef SPK_RECORDING_READ_TEXT_H
#define SPK_RECORDING_READ_TEXT_H

#include "spikemine/recording.h"

/* spk_recording_read_text on `n` bytes; `name` stands for the path in messages. */
spk_status spk_recording_read_buffer(spk_context *context, const char *name, const void *bytes,
                                     size_t n, const spk_read_options *given, spk_recording **out);

/* The comment that tells the unit of time to the reader, before N or N/D. */
#define SPK_TEXT_SAMPLES_COMMENT "# spikemine time-unit samples@"

#endif
