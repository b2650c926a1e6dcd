/* The moving-window step: one pattern of spikes is seen by several windows, and those that start
 * later see only its end. */
#pragma once

#include <assert.h>

#include "base/context.h"
#include "spikemine/pattern.h"

/* keep[i] = 0 for every pattern that, aligned to its last spike, is contained in another of the
 * list with the same count; 1 for the others. `keep` has patterns->n entries. With a window of
 * one bin there is nothing to drop.
 *
 * `windows`: where the patterns were mined, or NULL. The patterns must be distinct, and where
 * windows are given, closed in them; the limits of the mining may have hidden others. Windows that
 * slide (spk_windows_slide) make the step linear in the number of spikes; for others, and for NULL,
 * patterns are compared with those that share their rarest spike.
 *
 * Errors: SPK_ERR_ARGUMENT (more than 2^32 - 2 patterns), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_moving_window_filter(spk_context *context, const spk_window_columns *windows,
                                    const spk_pattern_columns *patterns, uint8_t *keep);

/* True when the windows are what a moving window sees: every spike of a window begins a window of
 * its own, which shows the same spikes as far as the first one reaches. Binned recordings are so by
 * construction; a file of transactions is checked in one pass over its items. */
bool spk_windows_slide(const spk_window_columns *windows);

/* Finds the recording whose windows these are: the bins in which they start, so far apart as they
 * see each other and a window's length where they do not. False where there is none: windows do not
 * slide, or one of them begins without a spike.
 *
 *     windows of 5 bins    a@0 b@3    b@0    a@0 a@1    a@0
 *     start_bin            0          3      8          9 */
bool spk_windows_place(const spk_window_columns *windows, uint64_t *start_bin);

/* ---- the two ways of the step ---------------------------------------------------------------- */

/* Both clear keep[i] of what is to be dropped and leave the rest alone. */
spk_status spk_moving_window_by_ends(spk_context *context, const spk_pattern_columns *patterns,
                                     uint8_t *keep);
spk_status spk_moving_window_by_index(spk_context *context, const spk_pattern_columns *patterns,
                                      uint8_t *keep);

/* Largest lag of pattern i; items are ordered by lag, so it is the last one's. */
static inline uint32_t spk_pattern_duration(const spk_pattern_columns *patterns, uint64_t i)
{
    assert(i < patterns->n && patterns->offset[i + 1] > patterns->offset[i]);
    return patterns->item[patterns->offset[i + 1] - 1] % patterns->window;
}

static inline uint32_t spk_pattern_size(const spk_pattern_columns *patterns, uint64_t i)
{
    return (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
}
