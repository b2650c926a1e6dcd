/*
 * Engine time: the segments of a recording laid one behind the other, so that no engine needs to
 * know of them. Between two segments lie more ticks than any delay can take:
 *
 *     recording:   |---A---|             |--B--|   |--C--|
 *     engines:     |---A---|  more  |--B--|  more  |--C--|
 *
 * Engines only look at differences of times, and those within a segment stay, as far as a delay can
 * tell them apart. Segments that overlap have copies of their events. An infinite delay becomes one
 * of the longest segment's length.
 */
#ifndef SPK_EPISODE_LAYOUT_H
#define SPK_EPISODE_LAYOUT_H

#include "episode/engine/engine.h"

typedef struct episode_layout {
    const spk_recording *recording; /* for engines */
    spk_recording *own;             /* the same where it is a copy, else NULL */
} episode_layout;

/* Makes it, and bounds the delays by the longest segment. Where no delay reaches from one segment
 * to the next the recording itself will do, which is borrowed. Errors: SPK_ERR_MEMORY,
 * SPK_ERR_RANGE (the copy has more events than a recording holds, or passes 64 bit). */
spk_status episode_layout_make(spk_context *context, const spk_recording *recording,
                               size_t n_delays, spk_tick_delay *delays, episode_layout *out);

void episode_layout_free(episode_layout *layout);

#endif
