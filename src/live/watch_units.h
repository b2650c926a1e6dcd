/* The units of a watch: those of its episodes and patterns, numbered by themselves, since the
 * stream may meet them later, or never. */
#ifndef SPK_LIVE_WATCH_UNITS_H
#define SPK_LIVE_WATCH_UNITS_H

#include "base/stage.h"
#include "recording/labels.h"
#include "spikemine/live.h"

/* Begins zeroed. */
typedef struct watch_units {
    spk_labels labels;
    uint32_t *stream_unit; /* by unit of the watch; UINT32_MAX: not met yet */
    uint64_t stream_unit_capacity;
    uint32_t *own; /* by unit of the stream; UINT32_MAX: not watched */
    uint64_t own_capacity;
    spk_holding holding; /* own */
    uint32_t n_met;      /* units of the stream that have been looked up */
} watch_units;

void watch_units_clear(watch_units *units);

/* The number of a label, a new one where it is new. */
spk_status watch_units_number(spk_context *context, watch_units *units, const char *label,
                              uint32_t *number);

/* Looks up the units of the stream that are new. */
spk_status watch_units_meet(spk_context *context, watch_units *units,
                            const spk_live_stream *stream);

#endif
