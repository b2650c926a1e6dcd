/* The largest counts of patterns in surrogates: the job of maxima.h. */
#include <stdlib.h>

#include "pattern/windows.h"
#include "significance/maxima/maxima.h"

typedef struct counts {
    const spk_maxima_options *options;
    const spk_surrogates *surrogates;
    spk_pattern_places places;
} counts;

typedef struct count_search {
    const counts *counts;
    const spk_windows *windows;
    spk_pattern_maximum *maximum;
    size_t n;
} count_search;

/* A spk_placed_search. */
static spk_status find_maxima(spk_context *own, const spk_pattern_options *options, void *user)
{
    count_search *s = user;
    return spk_pattern_find_maxima(own, s->windows, options, s->counts->options->by_duration,
                                   &s->maximum, &s->n);
}

/* A spk_maxima_find; `user` is a counts. */
static spk_status find_counts(spk_context *own, const void *user, uint64_t k,
                              spk_maxima_entry **entry, size_t *n)
{
    counts *c = *(counts *const *)user; /* what it leads to changes */
    spk_recording *surrogate = NULL;
    spk_windows *windows = NULL;
    spk_status status = spk_surrogates_make(own, c->surrogates, k, &surrogate);
    if (status == SPK_OK)
        status = spk_windows_create(own, surrogate, c->options->windows, &windows);
    spk_recording_free(surrogate);
    count_search search = {.counts = c, .windows = windows};
    if (status == SPK_OK)
        status = spk_pattern_places_run(&c->places, own, find_maxima, &search);
    spk_windows_free(windows);
    *entry = (spk_maxima_entry *)search.maximum; /* which has it as a member */
    *n = search.n;
    return status;
}

static spk_status run_job(spk_context *context, const spk_recording *recording,
                          const spk_maxima_job *job, spk_maxima **out)
{
    const spk_maxima_options *o = &job->options;
    const spk_maxima_part part = {.job = job->text,
                                  .n_surrogates = o->n_surrogates,
                                  .shard = o->shard,
                                  .n_shards = o->n_shards,
                                  .by_duration = o->by_duration};
    spk_surrogates *surrogates = NULL;
    spk_status status = spk_surrogates_create(context, recording, o->surrogates, &surrogates);
    counts c = {.options = o, .surrogates = surrogates};
    counts *const user = &c;
    spk_pattern_places_open(&c.places, context, o->patterns, o->n_surrogates / o->n_shards);
    if (status == SPK_OK)
        status = spk_maxima_run_part(context, &part, o->checkpoint, find_counts, &user, out);
    spk_pattern_places_close(&c.places);
    spk_surrogates_free(surrogates);
    return status;
}

spk_status spk_maxima_run(spk_context *context, const spk_recording *recording,
                          const spk_maxima_options *options, spk_maxima **out)
{
    spk_maxima_job job;
    *out = NULL;
    spk_status status = spk_maxima_job_take(context, recording, options, &job);
    if (status == SPK_OK)
        status = run_job(context, recording, &job, out);
    free(job.text);
    return status;
}

spk_status spk_maxima_check(spk_context *context, const spk_maxima *maxima,
                            const spk_recording *recording, const spk_maxima_options *options)
{
    spk_maxima_job job;
    spk_status status = spk_maxima_job_take(context, recording, options, &job);
    if (status == SPK_OK)
        status = spk_maxima_check_text(context, maxima, job.text, job.options.n_surrogates);
    free(job.text);
    return status;
}
