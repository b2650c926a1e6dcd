/*
 * Parts that explain results, each at the window D of the result's verdict.
 *
 * Invariant: a result is explained at the window of its verdict only; windows that no verdict has
 * are not opened. Cost: for each window in use all results are explained, and those of the window
 * are kept.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/stage.h"
#include "significance/exact/exact.h"
#include "significance/surrogates/surrogates.h"

/* The results of either language. */
typedef struct results {
    const spk_recording *recording;
    const spk_episode_columns *episodes;
    const spk_pattern_columns *patterns;
    const spk_exact_verdict *verdicts;
    uint64_t n;
} results;

static bool has_scale(const results *r, size_t k)
{
    for (uint64_t i = 0; i < r->n; i++)
        if (r->verdicts[i].scale == k)
            return true;
    return false;
}

/* At window k; entries of other windows are not for use. */
static spk_status explain_at(spk_context *context, const spk_exact_job *job, size_t k,
                             const results *r, double *p, uint32_t *left_out)
{
    spk_exact_scale scale = {.null = NULL};
    spk_windows *windows = NULL;
    spk_status status = spk_exact_scale_open(context, r->recording, job, k, false, &scale);
    if (status == SPK_OK && r->patterns != NULL)
        status = spk_windows_create(context, r->recording, &job->windows, &windows);
    if (status == SPK_OK && r->patterns != NULL)
        status = spk_null_explain_patterns(context, windows, scale.null, r->patterns, p, left_out);
    else if (status == SPK_OK)
        status =
            spk_null_explain_episodes(context, r->recording, scale.null, r->episodes, p, left_out);
    spk_windows_free(windows);
    spk_exact_scale_close(&scale);
    return status;
}

static spk_status explain(spk_context *context, const spk_exact_options *options, const results *r,
                          double *p, uint32_t *left_out)
{
    spk_exact_job job;
    spk_recording *on_grid = NULL;
    results own = *r;
    double *here = NULL;
    uint32_t *position = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_exact_job_take(context, r->recording, options, &job);
    /* Whatever the test's: left-out events go anywhere in their windows. */
    job.options.null = spk_surrogate_interval_jitter.facts.name;
    if (status == SPK_OK)
        status = spk_exact_null_find(context, r->recording, &job.options, &job.null);
    if (status == SPK_OK && !job.of_patterns)
        status = spk_exact_on_grid(context, r->recording, job.episodes.delays,
                                   job.episodes.n_delays, &on_grid);
    own.recording = on_grid != NULL ? on_grid : r->recording;
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "parts", SPK_COLUMN(&here, r->n),
                                   SPK_COLUMN(&position, r->n));
    for (size_t k = 0; status == SPK_OK && k < job.options.n_jitter; k++) {
        if (!has_scale(r, k))
            continue;
        status = explain_at(context, &job, k, &own, here, position);
        for (uint64_t i = 0; i < r->n && status == SPK_OK; i++) {
            if (r->verdicts[i].scale != k)
                continue;
            p[i] = here[i];
            left_out[i] = position[i];
        }
    }
    spk_free(context, here);
    spk_free(context, position);
    spk_recording_free(on_grid);
    free(job.text);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_exact_explain_episodes(spk_context *context, const spk_recording *recording,
                                      const spk_exact_options *options,
                                      const spk_episode_columns *episodes,
                                      const spk_exact_verdict *verdicts, double *p,
                                      uint32_t *left_out)
{
    const results r = {
        .recording = recording, .episodes = episodes, .verdicts = verdicts, .n = episodes->n};
    if (options == NULL || options->episodes == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of episodes");
    return explain(context, options, &r, p, left_out);
}

spk_status spk_exact_explain_patterns(spk_context *context, const spk_recording *recording,
                                      const spk_exact_options *options,
                                      const spk_pattern_columns *patterns,
                                      const spk_exact_verdict *verdicts, double *p,
                                      uint32_t *left_out)
{
    const results r = {
        .recording = recording, .patterns = patterns, .verdicts = verdicts, .n = patterns->n};
    if (options == NULL || options->patterns == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of patterns");
    return explain(context, options, &r, p, left_out);
}
