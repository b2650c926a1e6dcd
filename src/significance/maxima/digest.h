/* What names the content of a recording. */
#ifndef SPK_SIGNIFICANCE_MAXIMA_DIGEST_H
#define SPK_SIGNIFICANCE_MAXIMA_DIGEST_H

#include "base/sha256.h"
#include "spikemine/pattern.h"

/* SHA-256 of all that surrogates and windows depend on: events, labels, rate, extent and segments
 * with their exact bounds. Not the file's bytes: the same recording in another format is the same.
 */
void spk_recording_content(const spk_recording *recording, char hex[SPK_SHA256_HEX]);

/* The same of trials that the caller chose. */
void spk_trials_content(const spk_window_options *windows, char hex[SPK_SHA256_HEX]);

#endif
