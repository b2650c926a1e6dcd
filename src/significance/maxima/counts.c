/*
 * The largest counts of patterns in surrogates: the job of maxima.h.
 *
 * Where the engine is left to us, surrogates begin on processors. As soon as it is known what one
 * costs, and a GPU would end those that are left sooner, it gets them.
 */
#include <pthread.h>
#include <stdlib.h>

#include "pattern/run.h"
#include "significance/maxima/maxima.h"

typedef enum place { UNKNOWN, ON_PROCESSORS, ON_GPU } place;

typedef struct counts {
    const spk_maxima_options *options;
    const spk_surrogates *surrogates;
    int threads;
    pthread_mutex_t lock; /* of what follows */
    uint64_t n_left;      /* surrogates that were not begun */
    uint64_t n_measured;
    double seconds; /* that these took */
    place place;
} counts;

static place begin_surrogate(counts *c)
{
    pthread_mutex_lock(&c->lock);
    c->n_left -= c->n_left > 0;
    const place now = c->place;
    pthread_mutex_unlock(&c->lock);
    return now;
}

/* A surrogate took so long on processors. */
static void measure(counts *c, double seconds)
{
    bool looked = false;
    pthread_mutex_lock(&c->lock);
    c->n_measured++;
    c->seconds += seconds;
    if (c->place == UNKNOWN &&
        spk_pattern_should_take_gpu(c->options->patterns, c->n_left,
                                    c->seconds / (double)c->n_measured, c->threads, &looked))
        c->place = ON_GPU;
    else if (looked)
        c->place = ON_PROCESSORS;
    pthread_mutex_unlock(&c->lock);
}

static void leave_gpu(counts *c)
{
    pthread_mutex_lock(&c->lock);
    c->place = ON_PROCESSORS;
    pthread_mutex_unlock(&c->lock);
}

/* Nobody asked for the GPU: what fails there is done by processors. */
static spk_status find_maxima(spk_context *own, counts *c, const spk_windows *windows,
                              spk_pattern_maximum **maximum, size_t *n)
{
    spk_pattern_options options = *c->options->patterns;
    if (begin_surrogate(c) == ON_GPU) {
        options.gpus = 1;
        spk_status status =
            spk_pattern_find_maxima(own, windows, &options, c->options->by_duration, maximum, n);
        if (status == SPK_OK || status == SPK_ERR_CANCELLED)
            return status;
        leave_gpu(c);
    }
    const double begin = spk_seconds_now();
    spk_status status = spk_pattern_find_maxima(own, windows, c->options->patterns,
                                                c->options->by_duration, maximum, n);
    measure(c, spk_seconds_now() - begin);
    return status;
}

/* A spk_maxima_find; `user` is a counts. */
static spk_status find_counts(spk_context *own, const void *user, uint64_t k,
                              spk_maxima_entry **entry, size_t *n)
{
    counts *c = *(counts *const *)user; /* what it leads to changes */
    spk_recording *surrogate = NULL;
    spk_windows *windows = NULL;
    spk_pattern_maximum *maximum = NULL;
    spk_status status = spk_surrogates_make(own, c->surrogates, k, &surrogate);
    if (status == SPK_OK)
        status = spk_windows_create(own, surrogate, c->options->windows, &windows);
    spk_recording_free(surrogate);
    if (status == SPK_OK)
        status = find_maxima(own, c, windows, &maximum, n);
    spk_windows_free(windows);
    *entry = (spk_maxima_entry *)maximum; /* which has it as a member */
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
    counts c = {.options = o,
                .surrogates = surrogates,
                .threads = spk_context_threads(context),
                .n_left = o->n_surrogates / o->n_shards};
    counts *const user = &c;
    pthread_mutex_init(&c.lock, NULL);
    if (status == SPK_OK)
        status = spk_maxima_run_part(context, &part, o->checkpoint, find_counts, &user, out);
    pthread_mutex_destroy(&c.lock);
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
