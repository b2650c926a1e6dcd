/*
 * Which patterns are the later end of another one: the moving-window step, at the moment at which
 * a pattern is found. Windows slide by one bin with a spike each, so that one that comes a bit
 * later sees the end of what the window before it saw:
 *
 *     bins             . a . b c .        pattern of window 1: a@0 b@2 c@3
 *     window 1           [a . b c .]      pattern of window 2: b@0 c@1, an end
 *     window 2               [b c . .
 *
 * Let X be a closed pattern that lasts l bins, and let some unit fire d bins before each of its
 * windows, d + l < window length. The windows that begin d bins earlier then hold X and this spike,
 * as often as X occurs, and what they have in common ends with X: X is an end. Where no unit does,
 * X is none. The spikes that are nearest, those of the smallest d, make the shortest of these
 * longer patterns; where it has more spikes than patterns may have, X stays. (Torre et al. 2013 and
 * Quaglio et al. 2017 compare all patterns with each other instead.)
 */
#pragma once

#include "base/context.h"
#include "spikemine/pattern.h"

/* The bins in which windows start, and those before them, as bits over units. */
typedef struct spk_bitmap_ends {
    uint32_t window;      /* length in bins */
    uint32_t most_spikes; /* of the longer patterns */
    uint32_t words;       /* of a row */
    uint32_t *place;      /* by window: the row of the bin in which it starts */
    uint64_t *row;        /* NULL: ends are reported like all others */
} spk_bitmap_ends;

/* Windows of a pattern: window[b] of all bits b of a mask of n words; of 0 .. n - 1 without a mask.
 * Without an array `window`, bit b is window b. */
typedef struct spk_bitmap_places {
    const uint32_t *window;
    const uint64_t *mask;
    uint32_t n;
} spk_bitmap_places;

/* Whether rows for these windows, which slide, take no more memory than they are worth. */
bool spk_bitmap_can_drop_ends(const spk_window_columns *windows);

/* Errors: SPK_ERR_MEMORY. */
spk_status spk_bitmap_ends_create(spk_context *context, const spk_window_columns *windows,
                                  uint32_t most_spikes, spk_bitmap_ends *ends);
void spk_bitmap_ends_free(spk_bitmap_ends *ends);

/* Whether a closed pattern of `size` spikes that lasts `duration` bins (its largest lag) is an end;
 * `places` are all windows that hold it, at least one. */
bool spk_bitmap_is_end(const spk_bitmap_ends *ends, const spk_bitmap_places *places,
                       uint32_t duration, uint32_t size);
