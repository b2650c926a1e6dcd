/*
 * A search that gives up where it would be too large: spk_episode_mine with limits on what it may
 * take. They are numbers of things that are the same on every machine, so that whether a search
 * passes them depends on nothing else.
 */
#pragma once

#include "spikemine/episode.h"

/* Steps that engine sweep does in a second, on one processor of our days: so a number of steps can
 * be told as a time. */
#define EPISODE_STEPS_A_SECOND 6e7

/* What does the work of a second in a second, where a time is told for a job of several threads. */
#define EPISODE_PROCESSORS 2

typedef struct episode_limits {
    uint64_t most_steps;    /* of counting: below */
    uint64_t most_frequent; /* episodes of two units or more */
    /* Of the search: */
    uint64_t steps;
    uint64_t n_frequent;
    bool passed; /* it ended at a limit */
} episode_limits;

/* As spk_episode_mine, in blocks of candidates. SPK_ERR_CANCELLED where it ends at a limit, before
 * the work that passes it: sizes that were complete have gone to the sink. */
spk_status episode_mine_within(spk_context *context, const spk_recording *recording,
                               const spk_episode_options *given, episode_limits *limits,
                               spk_episode_sink *sink, void *user);
