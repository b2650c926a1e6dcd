/* Where many searches run: processors first, then perhaps a GPU. */
#include "pattern/places.h"

void spk_pattern_places_open(spk_pattern_places *places, spk_context *context,
                             const spk_pattern_options *options, uint64_t n)
{
    *places = (spk_pattern_places){
        .options = options, .threads = spk_context_threads(context), .n_left = n};
    pthread_mutex_init(&places->lock, NULL);
}

void spk_pattern_places_close(spk_pattern_places *places)
{
    pthread_mutex_destroy(&places->lock);
}

static bool begin_on_gpu(spk_pattern_places *p)
{
    pthread_mutex_lock(&p->lock);
    p->n_left -= p->n_left > 0;
    const bool gpu = p->place == SPK_PLACE_GPU;
    pthread_mutex_unlock(&p->lock);
    return gpu;
}

/* A search took so long on processors. */
static void measure(spk_pattern_places *p, double seconds)
{
    bool looked = false;
    pthread_mutex_lock(&p->lock);
    p->n_measured++;
    p->seconds += seconds;
    if (p->place == SPK_PLACE_UNKNOWN &&
        spk_pattern_should_take_gpu(p->options, p->n_left, p->seconds / (double)p->n_measured,
                                    p->threads, &looked))
        p->place = SPK_PLACE_GPU;
    else if (looked)
        p->place = SPK_PLACE_PROCESSORS;
    pthread_mutex_unlock(&p->lock);
}

static void leave_gpu(spk_pattern_places *p)
{
    pthread_mutex_lock(&p->lock);
    p->place = SPK_PLACE_PROCESSORS;
    pthread_mutex_unlock(&p->lock);
}

spk_status spk_pattern_places_run(spk_pattern_places *places, spk_context *own,
                                  spk_placed_search *search, void *user)
{
    if (begin_on_gpu(places)) {
        spk_pattern_options options = *places->options;
        options.gpus = 1;
        spk_status status = search(own, &options, user);
        if (status == SPK_OK || status == SPK_ERR_CANCELLED)
            return status;
        leave_gpu(places);
    }
    const double begin = spk_seconds_now();
    spk_status status = search(own, places->options, user);
    measure(places, spk_seconds_now() - begin);
    return status;
}
