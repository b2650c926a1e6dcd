/* What a reader tells of a recording that it has made. */
#ifndef SPK_RECORDING_DESCRIBE_H
#define SPK_RECORDING_DESCRIBE_H

#include "recording/recording.h"

/* A note when the rates of the units are implausible: the unit of time may be wrong. None of a part
 * before it is joined. SPK_ERR_MEMORY. */
spk_status spk_recording_tell_rates(spk_context *context, const spk_recording *recording,
                                    const char *name);

#endif
