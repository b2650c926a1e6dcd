/* A partition's result as JSON: its best episodes, those that vanished, and who follows whom. */
#ifndef SPK_LIVE_PAGE_PARTITION_H
#define SPK_LIVE_PAGE_PARTITION_H

#include <stdio.h>

#include "spikemine/live.h"
#include "spikemine/partitions.h"

/* Episodes, episodes that vanished, and steps from one unit to another one that are told at most.
 */
enum {
    PARTITION_EPISODES = 200,
    PARTITION_VANISHED = 50,
    PARTITION_STEPS = 150,
    PARTITION_PER_UNIT = 3
};

/* Units of steps are those of the stream. */
spk_status partition_write(spk_context *context, spk_live_stream *stream,
                           const spk_partition_result *result, FILE *out);

#endif
