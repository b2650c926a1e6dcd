/*
 * Where many searches that are alike run, as those of surrogates are, while the engine is left to
 * us. They begin on processors. As soon as it is known what one costs, or that one has taken so
 * long already that a GPU would end those that are left sooner, the GPU gets them. What fails there
 * is done by processors: nobody asked for the GPU.
 */
#ifndef SPK_PATTERN_PLACES_H
#define SPK_PATTERN_PLACES_H

#include <pthread.h>

#include "engine/facts.h"
#include "pattern/run.h"

typedef struct spk_pattern_places {
    const spk_pattern_options *options;
    int threads;
    bool driver; /* there may be a GPU */
    spk_gpus_look *look;
    pthread_mutex_t lock; /* of what follows */
    uint64_t n_left;      /* searches that were not begun */
    uint64_t n_measured;
    double seconds; /* that these took */
    enum { SPK_PLACE_UNKNOWN, SPK_PLACE_PROCESSORS, SPK_PLACE_GPU } place;
} spk_pattern_places;

/* For n searches with the threads of the context. The options are borrowed; close it in any case.
 */
void spk_pattern_places_open(spk_pattern_places *places, spk_context *context,
                             const spk_pattern_options *options, uint64_t n);
void spk_pattern_places_close(spk_pattern_places *places);

/* A search with the options that it gets: those of the places, or the same on a GPU. It looks for a
 * cancel of `own`. */
typedef spk_status spk_placed_search(spk_context *own, const spk_pattern_options *options,
                                     void *user);

/* Runs one of the searches, by any thread. After a failure on the GPU, and where it was given up on
 * processors, it is called again, and has to begin anew. */
spk_status spk_pattern_places_run(spk_pattern_places *places, spk_context *own,
                                  spk_placed_search *search, void *user);

#endif
