/* The moving-window step: one pattern of spikes is seen by several windows, and those that start
 * later see only its end. */
#ifndef SPK_PATTERN_MOVING_WINDOW_H
#define SPK_PATTERN_MOVING_WINDOW_H

#include "base/context.h"
#include "spikemine/pattern.h"

/* keep[i] = 0 for every pattern that, aligned to its last spike, is contained in another of the
 * list with the same support; 1 for the others. `keep` has patterns->n entries. */
spk_status spk_moving_window_filter(spk_context *context, const spk_pattern_columns *patterns,
                                    uint8_t *keep);

#endif
