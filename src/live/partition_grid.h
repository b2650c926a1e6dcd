/* Where partitions start and stop: exact multiples of a step on the clock of a stream. */
#ifndef SPK_LIVE_PARTITION_GRID_H
#define SPK_LIVE_PARTITION_GRID_H

#include "base/context.h"
#include "spikemine/duration.h"
#include "spikemine/recording.h"

/* A step has step / parts ticks, a partition length / parts. */
typedef struct partition_grid {
    int64_t step;
    int64_t length;
    int64_t parts;
} partition_grid;

/* Errors: SPK_ERR_ARGUMENT (less than a tick), SPK_ERR_RANGE (too many digits). */
spk_status partition_grid_make(spk_context *context, spk_duration length, spk_duration step,
                               spk_rate rate, partition_grid *out);

/* The ticks of partition `number`, cut at the ends of int64. */
spk_segment partition_grid_slice(const partition_grid *grid, int64_t number);

/* The partition whose step holds the tick. */
int64_t partition_grid_step_of(const partition_grid *grid, int64_t tick);

/* The first partition that stops behind the tick. */
int64_t partition_grid_first_behind(const partition_grid *grid, int64_t tick);

#endif
