/* The windows' inside, for binning and the transaction reader. */
#ifndef SPK_PATTERN_WINDOWS_H
#define SPK_PATTERN_WINDOWS_H

#include <assert.h>

#include "base/context.h"
#include "base/stage.h"
#include "recording/bin_grid.h"
#include "spikemine/pattern.h"

static_assert(SPK_MAX_WINDOWS < UINT32_MAX && SPK_MAX_ITEMS < UINT32_MAX,
              "windows and items are numbered by 32 bit, UINT32_MAX is none");

struct spk_windows {
    spk_window_columns columns; /* borrowed views of the columns below */
    uint64_t *first;
    uint32_t *item;
    uint32_t *trial;
    uint64_t *start_bin;
    int64_t *start_time; /* NULL without a recording */
    spk_bin_grid *grid;  /* by trial; likewise */
    size_t *number;      /* likewise: of the trial in what was given */
    size_t n_trials;     /* 0 without a recording */
    spk_rate rate;
    char sha256[65]; /* of a file of transactions */
    uint64_t *place; /* of transactions that slide: the bins in which they start; NULL else */
    spk_holding holding;
};

/* Once the columns are made: they count against the memory limit until they are freed. */
void spk_windows_hold(spk_context *context, spk_windows *windows);

/* What engines mine. Windows of transactions that a recording shows are like that recording's: they
 * start in its bins, and in time, too, with a tick a bin. */
spk_window_columns spk_windows_mined(const spk_windows *windows);

#endif
