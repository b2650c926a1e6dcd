/* The windows' inside, for binning and the transaction reader. */
#ifndef SPK_PATTERN_WINDOWS_H
#define SPK_PATTERN_WINDOWS_H

#include <assert.h>

#include "base/context.h"
#include "base/stage.h"
#include "spikemine/pattern.h"

static_assert(SPK_MAX_WINDOWS < UINT32_MAX && SPK_MAX_ITEMS < UINT32_MAX,
              "windows and items are numbered by 32 bit, UINT32_MAX is none");

/*
 * How a trial lies among the ticks. A tick is `scale` parts; everything else here is a whole number
 * of parts, so that bins are exact:
 *
 *     ticks:        |     .     |           |     with scale 4, offset 2 and width 3:
 *     start:              ^                       the first tick of the trial is 2 parts after its
 *     bins:               |--0--|--1- ...         start, hence in bin 0; the next one in bin 2
 */
typedef struct spk_bin_grid {
    int64_t first_tick;      /* the first one that does not lie before the start */
    uint64_t scale;          /* parts of a tick */
    uint64_t offset;         /* from the start to the first tick, below scale */
    unsigned __int128 width; /* of a bin */
    unsigned __int128 length;
    uint64_t short_width; /* the width where 64 bit hold it and the length, else 0 */
} spk_bin_grid;

struct spk_windows {
    spk_window_columns columns; /* borrowed views of the columns below */
    uint64_t *first;
    uint32_t *item;
    uint32_t *trial;
    uint64_t *start_bin;
    int64_t *start_time; /* NULL without a recording */
    spk_bin_grid *grid;  /* by trial; likewise */
    spk_rate rate;
    char sha256[65]; /* of a file of transactions */
    spk_holding holding;
};

/* Once the columns are made: they count against the memory limit until they are freed. */
void spk_windows_hold(spk_context *context, spk_windows *windows);

#endif
