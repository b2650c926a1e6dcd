/* The selection of what a picture of episodes shows: the top episodes with their counted
 * occurrences, and the stretch of the recording that holds many of them. */
#pragma once

#include "report/figure/axis.h"
#include "report/figure/canvas.h"
#include "spikemine/episode.h"
#include "spikemine/figure.h"

typedef struct spk_shown_episode {
    uint64_t index; /* in the columns */
    uint32_t size;
    const uint32_t *unit; /* borrowed from the columns */
    spk_delay *delays;    /* size - 1 intervals */
    uint64_t n;           /* counted occurrences */
    int64_t *time;        /* n * size ticks */
    uint64_t n_alike;     /* other episodes that show the same */
} spk_shown_episode;

typedef struct spk_selection {
    uint32_t n_top;
    spk_shown_episode top[SPK_PALETTE_SIZE];
    spk_stretch stretch;
    uint64_t n_in_stretch; /* occurrences that lie in it, of n_occurrences of the top episodes */
    uint64_t n_occurrences;
    uint64_t n_unlike; /* episodes of two positions and more that show what no example does */
} spk_selection;

/* Whether two results of n_a and n_b units, of which they share some, show much the same: half of
 * the units of the smaller one at least, and not a single one of a pair. So the parts of one
 * rhythm, 5 2 12 17 and 12 7 6 2, are one example, and what 5 does before 2 and before 7 are two.
 */
static inline bool spk_share_much(uint32_t shared, uint32_t n_a, uint32_t n_b)
{
    return 2 * shared + (shared > 1) > (n_a < n_b ? n_a : n_b);
}

/* Selects. The top episodes have at least two positions. After a test significant ones come
 * first, in the order of the columns; else those through most different units, then the longest,
 * then the most frequent, then the first in the columns. An episode is left out, and counted,
 * where one before it shows the same (spk_share_much), or its units fire in this order there too.
 * There are at most n_top of the options and SPK_PALETTE_SIZE. With as_listed the first of the
 * columns are taken as they stand. The stretch is that of the options, or one with many
 * occurrences. The episodes were checked (report/check.h). The selection starts as zeros and is
 * released with spk_selection_free, also after a failure. Errors: those of
 * spk_episode_occurrences; SPK_ERR_ARGUMENT (the stretch of the options lies outside the
 * recording). */
spk_status spk_selection_make(spk_context *context, const spk_recording *recording,
                              const spk_episode_columns *episodes,
                              const spk_figure_options *options, spk_selection *selection);

void spk_selection_free(spk_selection *selection);

/* Number of the episode's first occurrence that starts at or after `time`; n when none does. */
uint64_t spk_shown_episode_at(const spk_shown_episode *episode, int64_t time);

/* Number of the occurrence of top episode e that is shown closely: one within the stretch if there
 * is any. The episode's n when it has no occurrence. */
uint64_t spk_selection_example(const spk_selection *selection, uint32_t e);
