/* Delay intervals: the text form, the rules, the bounds in ticks. */
#ifndef SPK_EPISODE_DELAYS_H
#define SPK_EPISODE_DELAYS_H

#include "episode/engine/engine.h"

/* Every interval must have 0 <= lo < hi; at most SPK_EPISODE_MAX_DELAYS. */
spk_status spk_delays_check(spk_context *context, const spk_delay *delays, size_t n_delays);

/* floor(lo * rate), floor(hi * rate) for each; free with free(). */
spk_status spk_delays_to_ticks(spk_context *context, const spk_delay *delays, size_t n_delays,
                               spk_rate rate, spk_tick_delay **out);

#endif
