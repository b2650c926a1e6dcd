/* Lines of a job's text, which all kinds of job write, and the digest that is one of them. */
#pragma once

#include "base/context.h"
#include "base/sha256.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/surrogate.h"

/* A growing text; after a failure nothing is added. */
typedef struct spk_job_text {
    spk_context *context;
    char *text; /* free() frees it */
    size_t n;
    uint64_t capacity;
    spk_status status;
} spk_job_text;

void spk_job_put(spk_job_text *out, const char *format, ...) SPK_PRINTF(2, 3);
void spk_job_put_duration(spk_job_text *out, const char *name, spk_duration duration);

/* Version and digest of the recording: the first lines. */
void spk_job_put_recording(spk_job_text *out, const spk_recording *recording);
void spk_job_put_windows(spk_job_text *out, const spk_window_options *windows);
void spk_job_put_patterns(spk_job_text *out, const spk_pattern_options *patterns);
void spk_job_put_episodes(spk_job_text *out, const spk_episode_options *episodes);
void spk_job_put_surrogates(spk_job_text *out, const spk_surrogate_options *s);

/* Errors of what is written above: a bin of no width, too many supports. */
spk_status spk_job_check_patterns(spk_context *context, const spk_window_options *windows,
                                  const spk_pattern_options *patterns);

/* ---- what names the content of a recording --------------------------------------------------- */

/* SHA-256 of all that surrogates and windows depend on: events, labels, rate, extent and segments
 * with their exact bounds. Not the file's bytes: the same recording in another format is the same.
 */
void spk_recording_content(const spk_recording *recording, char hex[SPK_SHA256_HEX]);

/* The same of trials that the caller chose. */
void spk_trials_content(const spk_window_options *windows, char hex[SPK_SHA256_HEX]);
