/* When results occur: the cells of time in which events of their occurrences lie. */
#ifndef SPK_SELECT_CELLS_H
#define SPK_SELECT_CELLS_H

#include "select/results.h"
#include "spikemine/occurrences.h"

/* Cells are numbered in order of segment (trial) and time, without those in which nothing fires.
 * Borrows recording or windows, and the columns. */
typedef struct spk_cells {
    spk_context *context;
    const spk_recording *recording;
    const spk_episode_columns *episodes;
    spk_window_columns windows;
    const spk_pattern_columns *patterns;
    spk_pattern_locator *locator;
    int64_t cell_ticks; /* of patterns: bins */
    uint64_t *base;     /* by segment or trial: its first cell before the empty ones are left out */
    uint32_t *number;   /* by such a cell: its number */
    uint8_t *touches;   /* by number: it follows the one before it at once */
    uint32_t n_cells;
    uint32_t *found; /* of the result that was asked for last, ascending */
    uint64_t n_found;
    uint64_t found_capacity;
    int64_t segment_start; /* of the occurrence that is handed out */
} spk_cells;

/* spk_cells_close in any case. */
spk_status spk_cells_of_episodes(spk_context *context, const spk_recording *recording,
                                 const spk_episode_columns *episodes, spk_cells *out);
spk_status spk_cells_of_patterns(spk_context *context, const spk_windows *windows,
                                 const spk_pattern_columns *patterns, spk_cells *out);
void spk_cells_close(spk_cells *cells);

/* Fills found and n_found with the cells of result i. */
spk_status spk_cells_find(spk_cells *cells, uint64_t i);

#endif
