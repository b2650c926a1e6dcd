/*
 * Patterns by their rarest unit: where a search for sets of items may begin when windows slide.
 *
 * A pattern is found in the windows that begin with its first spike. Its occurrences can be counted
 * at any other spike of it just as well. Let unit a fire rarely, b and c often, and let the pattern
 * be b@0 a@3 c@5. Seen from the spike of a it is
 *
 *     b 3 bins before, c 2 bins after
 *
 * and has as many occurrences as a has spikes with these two around it. So each set of items can be
 * searched from the first spike of its rarest unit: its anchor. Next comes the rarest of the
 * others. Then a set of four items is looked at only where its two rarest ones form frequent sets
 * with each of the two others, which are the fewest sets of three that one can ask for.
 *
 * Around an anchor lie 2 length - 1 bins; the items of a set must fit into one window.
 */
#ifndef SPK_PATTERN_ENGINE_BITMAP_ANCHORS_H
#define SPK_PATTERN_ENGINE_BITMAP_ANCHORS_H

#include "pattern/engine/bitmap/bitmap.h"

/* Spikes of the units from one on, by window. */
typedef struct spk_bitmap_spikes {
    uint32_t unit;   /* and all that are more frequent */
    uint64_t *first; /* the spikes in the window's first bin are first[w] .. first[w + 1] - 1 */
    uint32_t *spike; /* unit * span + bin, modulo 2^32 */
} spk_bitmap_spikes;

/* A root needs the spikes of its unit and of more frequent ones. */
enum { SPK_BITMAP_SPIKE_LISTS = 4 };

/* Units are numbered by the job's roots: rare ones first. The item of unit r that lies `lag` bins
 * after the anchor (before it: lag < 0) has the place r * span + lag + reach. */
typedef struct spk_bitmap_anchors {
    uint32_t reach;  /* bins before and after the anchor; 0: not in use */
    uint32_t span;   /* 2 reach + 1 */
    uint32_t *begin; /* by window: the first one within reach of it, and the one after the last */
    uint32_t *end;
    spk_bitmap_spikes spikes[SPK_BITMAP_SPIKE_LISTS]; /* by their units */
    uint32_t *unit_of; /* by place: the unit's number in the windows */
    uint32_t *lag_of;  /* by place: lag + reach */
} spk_bitmap_anchors;

/* Whether the job's windows are those of a recording, of several bins, none of whose items is in
 * all of them, and the tables, which each root goes through, are small beside the windows. */
bool spk_bitmap_can_anchor(const spk_bitmap_job *job);

/* Free them in any case. Errors: SPK_ERR_MEMORY. */
spk_status spk_bitmap_anchors_create(spk_context *context, const spk_bitmap_job *job,
                                     spk_bitmap_anchors *anchors);
void spk_bitmap_anchors_free(spk_bitmap_anchors *anchors);

/* The shortest list that holds all spikes of a root's patterns. */
static inline const spk_bitmap_spikes *spk_bitmap_spikes_of(const spk_bitmap_anchors *anchors,
                                                            uint32_t root)
{
    uint32_t k = SPK_BITMAP_SPIKE_LISTS - 1;
    while (anchors->spikes[k].unit > root)
        k--;
    return &anchors->spikes[k];
}

#endif
