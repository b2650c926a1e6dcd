/* The surrogates of an exact test: each is searched as the recording is, and leaves its scores. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "significance/exact/exact.h"
#include "significance/maxima/maxima.h"

typedef struct exact_run {
    const spk_exact_job *job;
    spk_exact_scales *scales;
} exact_run;

/* ---- one surrogate --------------------------------------------------------------------------- */

/* Adds the steps of surrogate k at one scale. */
static spk_status find_scale(spk_context *own, const exact_run *r, uint32_t k_scale, uint64_t k,
                             spk_score_step *step, size_t *n)
{
    const spk_exact_scale *scale = &r->scales->scale[k_scale];
    spk_exact_scorer *scorer = NULL;
    spk_status status = spk_exact_scorer_create(own, r->job, scale->null, &scale->classes, &scorer);
    if (status == SPK_OK)
        status = spk_exact_search(own, r->job, scale->surrogates, k, scorer);
    if (status == SPK_OK)
        *n += spk_top_scores_steps(&scorer->top, k_scale, step + *n);
    spk_exact_scorer_free(scorer);
    return status;
}

/* A spk_maxima_find; `user` is an exact_run. */
static spk_status find_scores(spk_context *own, const void *user, uint64_t k,
                              spk_maxima_entry **entry, size_t *n)
{
    const exact_run *r = user;
    const size_t n_scales = r->job->options.n_jitter;
    spk_score_step *step = NULL;
    spk_maxima_entry *found = NULL;
    *n = 0;
    spk_status status = spk_alloc(own, &step, n_scales * SPK_EXACT_KEPT, "scores");
    for (uint32_t s = 0; s < n_scales && status == SPK_OK; s++)
        status = find_scale(own, r, s, k, step, n);
    if (status == SPK_OK)
        status = spk_alloc(own, &found, *n, "scores");
    for (size_t i = 0; i < *n && status == SPK_OK; i++)
        found[i].step = step[i];
    spk_free(own, step);
    *entry = found;
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status run_job(spk_context *context, const spk_recording *recording,
                          const spk_exact_job *job, spk_maxima **out)
{
    const spk_exact_options *o = &job->options;
    const spk_maxima_part part = {.job = job->text,
                                  .n_surrogates = o->n_surrogates,
                                  .shard = o->shard,
                                  .n_shards = o->n_shards,
                                  .n_scales = (uint32_t)o->n_jitter};
    exact_run r = {.job = job};
    spk_status status = spk_exact_scales_open(context, recording, job, &r.scales);
    for (size_t k = 0; status == SPK_OK && k < r.scales->n; k++)
        status = spk_exact_check_null(context, recording, job, &r.scales->scale[k], k);
    if (status == SPK_OK)
        status = spk_maxima_run_part(context, &part, o->checkpoint, find_scores, &r, out);
    if (status != SPK_OK) {
        spk_exact_scales_free(r.scales);
        return status;
    }
    for (size_t k = 0; k < r.scales->n; k++) { /* they borrow the recording */
        spk_surrogates_free(r.scales->scale[k].surrogates);
        r.scales->scale[k].surrogates = NULL;
    }
    (*out)->kept = r.scales;
    (*out)->free_kept = spk_exact_scales_free;
    return SPK_OK;
}

spk_status spk_exact_run(spk_context *context, const spk_recording *recording,
                         const spk_exact_options *options, spk_maxima **out)
{
    spk_exact_job job;
    spk_recording *on_grid = NULL;
    *out = NULL;
    spk_status status = spk_exact_job_take(context, recording, options, &job);
    if (status == SPK_OK && !job.of_patterns)
        status = spk_exact_on_grid(context, recording, job.episodes.delays, job.episodes.n_delays,
                                   &on_grid);
    if (status == SPK_OK)
        status = run_job(context, on_grid != NULL ? on_grid : recording, &job, out);
    spk_recording_free(on_grid);
    free(job.text);
    return status;
}

spk_status spk_exact_check(spk_context *context, const spk_maxima *maxima,
                           const spk_recording *recording, const spk_exact_options *options)
{
    spk_exact_job job;
    spk_status status = spk_exact_job_take(context, recording, options, &job);
    if (status == SPK_OK)
        status = spk_maxima_check_text(context, maxima, job.text, job.options.n_surrogates);
    free(job.text);
    return status;
}
