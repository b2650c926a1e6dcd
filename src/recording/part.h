/* A part of a recording by time, for one of several readers (spk_read_options.part). */
#ifndef SPK_RECORDING_PART_H
#define SPK_RECORDING_PART_H

#include "recording/recording.h"

/* Whether the options ask for a part, and have nothing that needs the whole. */
bool spk_part_is_wanted(const spk_read_options *options);

/* How far the margin before a part's own stretch goes back, in ticks of this rate. */
uint64_t spk_part_reach(const spk_read_part *wanted, spk_rate rate);

/* Makes the recording a part whose own stretch begins at the time `own`. */
void spk_part_set(spk_recording *recording, const spk_read_part *wanted, int64_t own);

#endif
