/* The inside of a list of episodes. */
#pragma once

#include "base/stage.h"
#include "episode/engine/engine.h"
#include "recording/labels.h"
#include "spikemine/episode.h"

struct spk_episode_list {
    spk_context *context;
    uint64_t n;
    uint64_t n_positions;
    uint64_t capacity;          /* of offset and count */
    uint64_t position_capacity; /* of unit and delay */
    uint64_t *offset;           /* n + 1 */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
    size_t n_delays;
    spk_delay *delays;
    uint64_t delays_capacity;
    spk_holding holding;
};

/* What a label shares a line with. */
#define SPK_EPISODE_SEPARATORS "()[],"

/* ---- delay intervals: the text form, the rules, the bounds in ticks -------------------------- */

/* Every interval must have 0 <= lo < hi; at most SPK_EPISODE_MAX_DELAYS. */
spk_status spk_delays_check(spk_context *context, const spk_delay *delays, size_t n_delays);

/* floor(lo * rate), floor(hi * rate) for each; free with free(). */
spk_status spk_delays_to_ticks(spk_context *context, const spk_delay *delays, size_t n_delays,
                               spk_rate rate, spk_tick_delay **out);
