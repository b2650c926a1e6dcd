/* The inside of peeling: which events belong to a result, and the recording without them. */
#ifndef SPK_SIGNIFICANCE_EXACT_PEEL_H
#define SPK_SIGNIFICANCE_EXACT_PEEL_H

#include "spikemine/episode.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

/* Sets gone[e] to 1 for the events of the counted occurrences of episode 0 of the columns. */
spk_status spk_peel_mark_episode(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episode, uint8_t *gone);

/* The same for the occurrences of pattern 0. A unit that fires several times in a bin is one spike
 * of a pattern: all these events are marked. `windows` are those of the recording. */
spk_status spk_peel_mark_pattern(spk_context *context, const spk_recording *recording,
                                 const spk_windows *windows, const spk_pattern_columns *pattern,
                                 uint8_t *gone);

/* The recording without these events. Units keep their numbers, also where none of their events is
 * left; extent and segments stay. */
spk_status spk_peel_remove(spk_context *context, const spk_recording *recording,
                           const uint8_t *gone, spk_recording **out);

#endif
