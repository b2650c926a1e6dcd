/*
 * Peeling: the exact test again and again, each time without the events of what it found.
 *
 * A result that shares events with a true pattern inherits its significance: its parts, its shifted
 * variants, and what chance adds to it. Peeling lists each finding once. A round is the search, its
 * surrogates and the test (exact.h) of the events that are left. The best result is accepted where
 * its p is at most alpha, and the events of its occurrences are removed. The next round has
 * surrogates of what is left. Peeling ends with the first round in which nothing is significant.
 *
 *     round 1: A -> B -> C -> D, 60 times   240 events are removed
 *     round 2: E -> F, 35 times             70 events are removed
 *     round 3: nothing is significant
 *
 * The best result is the one with the smallest p, then the largest score, then in the order of the
 * search (episodes) or of spk_pattern_list_sort. The events of an episode are those of its counted
 * occurrences, which do not overlap. The events of a pattern are those of all its occurrences, and
 * all events of the unit that lie in the same bin.
 *
 * The first round is the test itself with its seed, and its p means what it says there: under the
 * null hypothesis the chance that anything is accepted at all is at most alpha. In a later round p
 * is that of the test of what is left, as if the removed events had never been there. It is no
 * guarantee for all rounds together, since data chose what was removed. Units that lost events
 * also have lower counts, so that a second pattern with the same events is harder to find.
 *
 *     spk_peel_options options;
 *     spk_peel_options_init(&options, sizeof options);
 *     options.test = &test;
 *     status = spk_exact_peel(context, recording, &options, sink, user);
 */
#ifndef SPIKEMINE_PEEL_H
#define SPIKEMINE_PEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Initialise with spk_peel_options_init; pointers are borrowed for the call. */
typedef struct spk_peel_options {
    size_t struct_size;            /* set by spk_peel_options_init */
    const spk_exact_options *test; /* of a round; without shards and checkpoint */
    double alpha;                  /* 0.05: largest p of an accepted result */
    uint32_t max_rounds;           /* 0: until nothing is significant */
    bool core; /* the best result that no part of it explains; false: the best one */
} spk_peel_options;

/* Alpha 0.05, no bound on rounds, the best result; the test is missing. */
SPK_API void spk_peel_options_init(spk_peel_options *options, size_t struct_size);

/* A round that has ended; what it points to is valid during the call that brings it. */
typedef struct spk_peel_round {
    uint32_t number; /* from 1 */
    uint64_t seed;   /* of its surrogates: that of the options in round 1 */
    /* What was left, and was searched; its units have the same numbers in all rounds. */
    const spk_recording *recording;
    const spk_episode_summary *episode_summary; /* of the search, in either language */
    const spk_pattern_summary *pattern_summary;
    uint64_t n_tested;      /* results of the search */
    uint64_t n_significant; /* of them */
    double least_p;         /* of all results; 1 where there is none */
    /* The accepted result, one of either language. In the last round both are NULL, and nothing
     * below means anything. */
    const spk_episode_columns *episode;
    const spk_pattern_columns *pattern;
    spk_exact_verdict verdict;
    const double *scale_p; /* p at each window D, not corrected for their number */
    double part_p;         /* of its parts, as spk_exact_explain_episodes: a p above alpha */
    uint32_t left_out;     /* explains it; and the position that this part lacks */
    uint64_t n_removed;    /* events */
    uint32_t means;     /* what it may mean beside a sequence, among the results of this round, */
    double direction_p; /* and of an episode the test of its direction: as by
                           spk_exact_interpret_episodes and its like for patterns */
} spk_peel_round;

/* Receives each round, also the last one. A status other than SPK_OK ends the work, and the work
 * returns it. */
typedef spk_status spk_peel_sink(void *user, const spk_peel_round *round);

/* Peels episodes or patterns. Each round costs a whole test; `sink` has got the rounds that were
 * complete before a cancel. The rounds are the same for any engine and number of threads. Progress
 * names the round. Errors: SPK_ERR_ARGUMENT (no test, one with shards or a checkpoint, alpha),
 * those of spk_exact_run, spk_exact_test_episodes, of the search and of the sink. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_peel(spk_context *context,
                                                 const spk_recording *recording,
                                                 const spk_peel_options *options,
                                                 spk_peel_sink *sink, void *user);

SPK_END_C

#endif
