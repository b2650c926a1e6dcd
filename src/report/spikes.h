/* Which spikes an occurrence of a pattern is made of. */
#pragma once

#include "base/context.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

/* The times of a pattern's spikes (items item[0] .. item[size - 1]) in window w, in ticks. A spike
 * is the unit's first one in its bin, which is `bin_ticks` long. Errors: SPK_ERR_ARGUMENT (the
 * windows are not of this recording). */
spk_status report_pattern_spikes(spk_context *context, const spk_recording *recording,
                                 const spk_window_columns *windows, double bin_ticks, uint64_t w,
                                 uint32_t size, const uint32_t *item, int64_t *time);
