/* Where many searches run: processors first, then perhaps a GPU. */
#include "pattern/windows.h"

#include <math.h>

#include "base/deadline.h"
#include "base/stage.h"
#include "cuda/gpus.h"
#include "pattern/engine/policy.h"

void spk_pattern_places_open(spk_pattern_places *places, spk_context *context,
                             const spk_pattern_options *options, uint64_t n)
{
    const spk_engine_request request = {.engine = options->engine};
    const bool ours = spk_engine_is_auto(&request) && options->gpus == 0;
    *places = (spk_pattern_places){.options = options,
                                   .threads = spk_context_threads(context),
                                   .driver = ours && spk_gpus_driver(),
                                   .look = spk_gpus_look_here,
                                   .n_left = n,
                                   .place = ours ? SPK_PLACE_UNKNOWN : SPK_PLACE_PROCESSORS};
    pthread_mutex_init(&places->lock, NULL);
}

void spk_pattern_places_close(spk_pattern_places *places)
{
    pthread_mutex_destroy(&places->lock);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Seconds after which a search of the first ones is given up, since a GPU surely pays then;
 * infinite where it is not. */
static double begin(spk_pattern_places *p)
{
    const double surely = 2, least = 0.02;
    double most = INFINITY;
    pthread_mutex_lock(&p->lock);
    if (p->place == SPK_PLACE_UNKNOWN && p->driver)
        most = fmax(surely * spk_pattern_gpu_pays_from(p->n_left, p->threads), least);
    p->n_left -= p->n_left > 0;
    pthread_mutex_unlock(&p->lock);
    return most;
}

/* A search took so long on processors, or was given up after that time. */
static void measure(spk_pattern_places *p, double seconds)
{
    spk_gpus_found found = {.n = 0};
    pthread_mutex_lock(&p->lock);
    p->n_measured++;
    p->seconds += seconds;
    const bool pays =
        p->seconds / (double)p->n_measured > spk_pattern_gpu_pays_from(p->n_left, p->threads);
    if (p->place == SPK_PLACE_UNKNOWN && pays) {
        p->look(&found); /* once, since it takes time */
        p->place = found.n > 0 ? SPK_PLACE_GPU : SPK_PLACE_PROCESSORS;
    }
    pthread_mutex_unlock(&p->lock);
}

static bool is_on_gpu(spk_pattern_places *p)
{
    pthread_mutex_lock(&p->lock);
    const bool gpu = p->place == SPK_PLACE_GPU;
    pthread_mutex_unlock(&p->lock);
    return gpu;
}

static void leave_gpu(spk_pattern_places *p)
{
    pthread_mutex_lock(&p->lock);
    p->place = SPK_PLACE_PROCESSORS;
    pthread_mutex_unlock(&p->lock);
}

/* ---- searches -------------------------------------------------------------------------------- */

/* *ended is false where the search was given up after so many seconds. */
static spk_status search_here(spk_pattern_places *p, spk_context *own, spk_placed_search *search,
                              void *user, double most, bool *ended)
{
    spk_deadline deadline;
    const double began = spk_seconds_now();
    const bool timed = most < INFINITY && spk_deadline_begin(own, most, &deadline) == SPK_OK;
    if (timed)
        spk_memory_lend(own, deadline.own);
    const spk_status found = search(timed ? deadline.own : own, p->options, user);
    const spk_status status = timed ? spk_deadline_leave(own, &deadline, found) : found;
    *ended = status == found;
    measure(p, spk_seconds_now() - began);
    return status;
}

spk_status spk_pattern_places_run(spk_pattern_places *p, spk_context *own,
                                  spk_placed_search *search, void *user)
{
    bool ended = true;
    spk_status status = SPK_OK;
    const double most = begin(p);
    if (most < INFINITY) {
        status = search_here(p, own, search, user, most, &ended);
        if (ended)
            return status;
    }
    if (is_on_gpu(p)) {
        spk_pattern_options options = *p->options;
        options.gpus = 1;
        status = search(own, &options, user);
        if (status == SPK_OK || status == SPK_ERR_CANCELLED)
            return status;
        leave_gpu(p);
    }
    return search_here(p, own, search, user, INFINITY, &ended);
}
