/* The moving-window step: one pattern of spikes is seen by several windows, and those that start
 * later see only its end. */
#ifndef SPK_PATTERN_MOVING_WINDOW_H
#define SPK_PATTERN_MOVING_WINDOW_H

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

#endif
