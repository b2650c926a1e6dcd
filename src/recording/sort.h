/* Sorting event columns by (time, unit). */
#ifndef SPK_RECORDING_SORT_H
#define SPK_RECORDING_SORT_H

#include "base/context.h"

/* Sorts both columns by (time, unit) in place. Columns already in order of time cost one pass (ties
 * are put in order of unit); others are radix sorted through a copy, 12 bytes an event.
 * *was_sorted tells whether times never went backwards. */
spk_status spk_sort_events(spk_context *context, uint64_t n, int64_t *time, uint32_t *unit,
                           bool *was_sorted);

#endif
