/*
 * Choosing: a support for given delays, and delays for a recording, with what chance does at each.
 *
 * The support of given delays is the smallest one at which chance gives at most 1,000 frequent
 * episodes of two units or more. Chance is that of the exact test (exact.h): a few surrogates by
 * interval jitter within windows D, searched as the recording will be. They are those of the test
 * with the same seed, under numbers that no test reaches. The recording itself is never searched
 * for it. So the support depends on nothing but the numbers of events per unit and window, which
 * the recording shares with each of its surrogates: whichever of them were the recording, the
 * support would be the same. The exact test stays exact with it. Chosen from the recording's own
 * counts it would not be.
 *
 *     spk_choose_options options;
 *     spk_choose_options_init(&options, sizeof options);
 *     options.jitter = jitter;
 *     status = spk_choose_support(context, recording, delays, n_delays, &options, &choice);
 *     episodes.support = choice.support;
 *
 * Delays are another matter: they are chosen by what the recording shows. Whoever tries M sets of
 * delays and tests one of them tests it at alpha / M.
 */
#ifndef SPIKEMINE_CHOOSE_H
#define SPIKEMINE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- windows --------------------------------------------------------------------------------- */

/* The window D that goes with delays: the smallest of 1, 2.5, 5, 10, 25 ... ms that is at least
 * four times as long as the widest interval is wide. Two events that are placed anew within windows
 * change their delay by anything up to D. A window that is no longer than the interval is wide
 * leaves most delays in the interval, so that chance makes whatever the recording has. In one of
 * four times the width few delays stay there, and what changes more slowly than the window, such as
 * rates, is still chance. False where an interval is infinite. */
SPK_API bool spk_choose_jitter(const spk_delay *delays, size_t n_delays, spk_duration *out);

/* ---- the support ----------------------------------------------------------------------------- */

/* Initialise with spk_choose_options_init. */
typedef struct spk_choose_options {
    size_t struct_size;      /* set by spk_choose_options_init */
    spk_duration jitter;     /* the window D; 0: that of spk_choose_jitter */
    uint64_t seed;           /* 0; that of the test */
    uint32_t n_surrogates;   /* 9; at most SPK_CHOOSE_MAX_SURROGATES */
    uint32_t max_size;       /* longest episode, as in the search; SPK_EPISODE_MAX_SIZE */
    uint64_t most_by_chance; /* 1000 */
    uint64_t least_support;  /* 5: rarer episodes are left alone */
} spk_choose_options;

#define SPK_CHOOSE_MAX_SURROGATES 1000u

/* The defaults named above. */
SPK_API void spk_choose_options_init(spk_choose_options *options, size_t struct_size);

/* A support. Filled in by the library; it may grow at its end. */
typedef struct spk_support_choice {
    uint64_t support;
    bool limited;          /* below it there would be too many pairs to count */
    spk_duration jitter;   /* the window D */
    uint32_t n_surrogates; /* that were searched */
    double by_chance;      /* mean number of episodes of two units or more in them */
    uint64_t most_in_one;  /* the largest number in one of them */
} spk_support_choice;

/* Chooses the support of a search with these delays: the smallest one, from least_support on, at
 * which the surrogates have on average at most most_by_chance episodes of 2 .. max_size units. NULL
 * options: the defaults. The same recording, options and seed give the same support, with any
 * number of threads. Memory: 16 bytes for each of n_surrogates * most_by_chance episodes. Errors:
 * SPK_ERR_ARGUMENT (an infinite delay and no window), SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of
 * spk_surrogates_create and spk_episode_mine. */
SPK_API SPK_MUST_CHECK spk_status spk_choose_support(spk_context *context,
                                                     const spk_recording *recording,
                                                     const spk_delay *delays, size_t n_delays,
                                                     const spk_choose_options *options,
                                                     spk_support_choice *out);

#ifdef __cplusplus
}
#endif

#endif
