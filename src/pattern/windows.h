/* The windows' inside, for binning and the transaction reader. */
#ifndef SPK_PATTERN_WINDOWS_H
#define SPK_PATTERN_WINDOWS_H

#include <assert.h>

#include "base/context.h"
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
    char sha256[65];     /* of a file of transactions */
};

#endif
