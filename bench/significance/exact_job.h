/* The exact test of one recording, in one of the two languages, by the library's public interface.
 */
#pragma once

#include "spikemine/spikemine.h"

/* The options of a search and of its test. They point into the job: it is never copied. */
typedef struct exact_job {
    bool of_patterns;
    spk_delay delay[8];
    spk_episode_options episodes;
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_duration jitter;
    spk_exact_options exact;
    spk_surrogate_options null; /* those that the test takes, unless it chooses its null */
} exact_job;

/* Episodes with (0,5ms] and (5ms,10ms], patterns in bins of 5 ms, one window of jitter, and a null
 * hypothesis by its name; NULL: the default. Supports, sizes and the length of windows are the
 * library's. */
void exact_job_init(exact_job *job, bool of_patterns, const char *null, int64_t jitter_ms,
                    uint64_t n_surrogates, uint64_t seed);

/* What the search found, and a verdict for each result. exact_found_free accepts what was never
 * filled, when it is zero. */
typedef struct exact_found {
    uint64_t n;
    spk_episode_list *episodes; /* one of the two */
    spk_pattern_list *patterns;
    spk_exact_verdict *verdict;
} exact_found;

spk_status exact_job_run(spk_context *context, const spk_recording *recording, const exact_job *job,
                         exact_found *out);
void exact_found_free(exact_found *found);

/* For each result 1 where it has p <= alpha and no part explains it, else 0. */
spk_status exact_found_core(spk_context *context, const spk_recording *recording,
                            const exact_job *job, const exact_found *found, double alpha,
                            uint8_t *core);
