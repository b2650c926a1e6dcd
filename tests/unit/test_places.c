/* Where many searches run, by searches that only wait: each ends once, whatever is given up or
 * fails, and a GPU is looked for where it pays. */
#include <pthread.h>

#include "base/deadline.h"
#include "pattern/windows.h"
#include "support/context.h"

enum { THREADS = 8, SEARCHES = 200 };

typedef struct world {
    spk_pattern_places places;
    double host_s;   /* of a search on processors */
    int fails_after; /* searches on the GPU */
    pthread_mutex_t lock;
    int next, on_gpu, on_host, given_up;
    int done[SEARCHES];
    spk_status status;
} world;

typedef struct one {
    world *world;
    int k;
} one;

static void one_gpu(spk_gpus_found *out)
{
    out->n = 1;
}

static void no_gpu(spk_gpus_found *out)
{
    out->n = 0;
}

/* Waits, and looks for a cancel. */
static bool rest(spk_context *own, double seconds)
{
    const double until = spk_seconds_now() + seconds;
    while (spk_seconds_now() < until && !spk_context_cancelled(own)) {
        const struct timespec step = {0, 200000};
        nanosleep(&step, NULL);
    }
    return !spk_context_cancelled(own);
}

static spk_status search(spk_context *own, const spk_pattern_options *options, void *user)
{
    const one *o = user;
    world *w = o->world;
    const bool gpu = options->gpus > 0, whole = gpu || rest(own, w->host_s);
    pthread_mutex_lock(&w->lock);
    const bool fails = gpu && w->on_gpu >= w->fails_after;
    w->given_up += !whole;
    w->on_gpu += gpu && !fails;
    w->on_host += !gpu && whole;
    w->done[o->k] += whole && !fails;
    pthread_mutex_unlock(&w->lock);
    return fails ? SPK_ERR_MEMORY : whole ? SPK_OK : SPK_ERR_CANCELLED;
}

static void *work(void *user)
{
    world *w = user;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        one o = {w, w->next++};
        pthread_mutex_unlock(&w->lock);
        if (o.k >= SEARCHES)
            return NULL;
        const spk_status status = spk_pattern_places_run(&w->places, context, search, &o);
        pthread_mutex_lock(&w->lock);
        w->status = status != SPK_OK ? status : w->status;
        pthread_mutex_unlock(&w->lock);
    }
}

/* With THREADS threads of which each thinks that there are so many. `look`: what a look finds. */
static void run(world *w, const char *engine, int gpus, spk_gpus_look *look)
{
    pthread_t thread[THREADS];
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.engine = engine;
    options.gpus = gpus;
    spk_context_set_threads(context, THREADS);
    pthread_mutex_init(&w->lock, NULL);
    spk_pattern_places_open(&w->places, context, &options, SEARCHES);
    w->places.driver = w->places.place == SPK_PLACE_UNKNOWN;
    w->places.look = look;
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, work, w), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    spk_pattern_places_close(&w->places);
    pthread_mutex_destroy(&w->lock);
    spk_context_set_threads(context, 0);
    if (w->status == SPK_OK)
        for (int k = 0; k < SEARCHES; k++)
            assert_int_equal(w->done[k], 1);
}

/* A search of a minute is given up as soon as it is known that a GPU does all of them sooner. */
static void nobody_waits_for_the_first_searches(void **state)
{
    (void)state;
    if (!SPIKEMINE_HAVE_CUDA)
        skip();
    world w = {.host_s = 60, .fails_after = SEARCHES};
    const double begin = spk_seconds_now();
    run(&w, "auto", 0, one_gpu);
    assert_int_equal(w.status, SPK_OK);
    assert_true(w.given_up > 0 && w.given_up <= THREADS);
    assert_int_equal(w.on_gpu, SEARCHES);
    assert_true(spk_seconds_now() - begin < 50);
}

/* Where the look finds none, what was given up is done again, on processors. */
static void without_a_gpu_all_end_on_processors(void **state)
{
    (void)state;
    world w = {.host_s = 0.03, .fails_after = 0};
    run(&w, "auto", 0, no_gpu);
    assert_int_equal(w.status, SPK_OK);
    assert_int_equal(w.on_host, SEARCHES);
    assert_true(w.given_up <= THREADS);
    assert_int_equal(w.places.place,
                     SPIKEMINE_HAVE_CUDA ? SPK_PLACE_PROCESSORS : SPK_PLACE_UNKNOWN);
}

/* Searches that end soon need no GPU. */
static void short_searches_stay(void **state)
{
    (void)state;
    world w = {.host_s = 0, .fails_after = SEARCHES};
    run(&w, "auto", 0, one_gpu);
    assert_int_equal(w.status, SPK_OK);
    assert_int_equal(w.on_host, SEARCHES);
}

/* What fails on a GPU that nobody asked for is done by processors. */
static void a_gpu_may_fail(void **state)
{
    (void)state;
    if (!SPIKEMINE_HAVE_CUDA)
        skip();
    world w = {.host_s = 0.03, .fails_after = 50};
    run(&w, "auto", 0, one_gpu);
    assert_int_equal(w.status, SPK_OK);
    assert_true(w.on_gpu >= 50);
    assert_int_equal(w.on_gpu + w.on_host, SEARCHES);
}

static spk_status fail_with_words(spk_context *own, const spk_pattern_options *options, void *user)
{
    (void)options;
    (void)user;
    return spk_fail(own, SPK_ERR_RANGE, "there are %d windows too many", 3);
}

/* An error of a search that would have been given up later is the caller's, with its words. */
static void errors_of_first_searches_keep_their_words(void **state)
{
    (void)state;
    spk_pattern_places places;
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    spk_pattern_places_open(&places, context, &options, SEARCHES);
    places.driver = true;
    assert_int_equal(spk_pattern_places_run(&places, context, fail_with_words, NULL),
                     SPK_ERR_RANGE);
    assert_string_equal(spk_context_message(context), "there are 3 windows too many");
    spk_pattern_places_close(&places);
}

/* A named engine, and GPUs that are asked for, leave nothing to decide. */
static void only_auto_looks_for_a_gpu(void **state)
{
    (void)state;
    world named = {.host_s = 0.03, .fails_after = SEARCHES};
    run(&named, "bitmap", 0, one_gpu);
    assert_int_equal(named.status, SPK_OK);
    assert_int_equal(named.on_host, SEARCHES);
    world asked = {.host_s = 0.03, .fails_after = 50};
    run(&asked, "auto", 1, one_gpu);
    assert_int_equal(asked.status, SPK_ERR_MEMORY);
    assert_int_equal(asked.on_host, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_for_the_first_searches),
        cmocka_unit_test(without_a_gpu_all_end_on_processors),
        cmocka_unit_test(short_searches_stay),
        cmocka_unit_test(a_gpu_may_fail),
        cmocka_unit_test(errors_of_first_searches_keep_their_words),
        cmocka_unit_test(only_auto_looks_for_a_gpu),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
