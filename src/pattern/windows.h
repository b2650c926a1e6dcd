/* The windows' inside, for binning and the transaction reader. */
#pragma once

#include <assert.h>
#include <pthread.h>

#include "base/context.h"
#include "base/stage.h"
#include "engine/facts.h"
#include "pattern/run.h"
#include "recording/bin_grid.h"
#include "spikemine/pattern.h"

static_assert(SPK_MAX_WINDOWS < UINT32_MAX && SPK_MAX_ITEMS < UINT32_MAX,
              "windows and items are numbered by 32 bit, UINT32_MAX is none");

struct spk_windows {
    spk_window_columns columns; /* borrowed views of the columns below */
    uint64_t *first;
    uint32_t *item;
    uint32_t *trial;
    uint64_t *start_bin;
    int64_t *start_time; /* NULL without a recording */
    spk_bin_grid *grid;  /* by trial; likewise */
    size_t *number;      /* likewise: of the trial in what was given */
    size_t n_trials;     /* 0 without a recording */
    spk_rate rate;
    char sha256[65]; /* of a file of transactions */
    uint64_t *place; /* of transactions that slide: the bins in which they start; NULL else */
    spk_holding holding;
};

/* Once the columns are made: they count against the memory limit until they are freed. */
void spk_windows_hold(spk_context *context, spk_windows *windows);

/* What engines mine. Windows of transactions that a recording shows are like that recording's: they
 * start in its bins, and in time, too, with a tick a bin. */
spk_window_columns spk_windows_mined(const spk_windows *windows);

/* ---- where patterns lie ---------------------------------------------------------------------- */

/*
 * Where many searches that are alike run, as those of surrogates are, while the engine is left to
 * us. They begin on processors. As soon as it is known what one costs, or that one has taken so
 * long already that a GPU would end those that are left sooner, the GPU gets them. What fails there
 * is done by processors: nobody asked for the GPU.
 */

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
