/* Columns at the door: what callers hand in must fit the recording or the windows that they hand in
 * with it. Behind it, writers and figures index without asking. */
#pragma once

#include "spikemine/episode.h"
#include "spikemine/pattern.h"

/* Every episode has 1 .. SPK_EPISODE_MAX_SIZE positions, and its units and intervals exist.
 * SPK_ERR_ARGUMENT otherwise. */
spk_status report_check_episodes(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episodes);

/* Every pattern has an item, windows of this length, units that exist, and no more windows than
 * there are. SPK_ERR_ARGUMENT otherwise. */
spk_status report_check_patterns(spk_context *context, const spk_window_columns *windows,
                                 const spk_pattern_columns *patterns);
