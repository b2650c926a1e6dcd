/*
 * Levels of the search on the device: rows (episodes of one size), runs (their children by strip),
 * the occurrence lists of a range of rows, counting, keeping the frequent, putting them in order.
 *
 * A row is an episode: the row of its prefix in the level before, the row of its suffix there, its
 * last lane and interval, its count. A run is what one row has as children in one strip (interval
 * and tile): a mask of lanes, and the row of the first. The candidates of a row P are the runs of
 * its suffix's children, so the join is one look-up a row: new run (P, child run).
 */
#pragma once

#include "episode/engine/cuda/sweep/index.h"

SPK_BEGIN_C

/* Occurrence lists of the rows [begin, end) of a level. Row r's entries are entry[first[r - begin]]
 * up to entry[first[r - begin + 1]]. Rows without candidates have none. The lists of single lanes
 * (size 1) are the index itself and take no memory. */
typedef struct csweep_lists {
    uint64_t begin, end;
    uint64_t n_entries;
    gpu_buffer first; /* uint64_t, end - begin + 1 */
    gpu_buffer entry;
} csweep_lists;

typedef struct csweep_level {
    uint32_t size;
    bool balanced; /* rows are in the order of csweep_balance, not of their prefixes */
    uint64_t n;
    gpu_buffer prefix; /* uint32_t each */
    gpu_buffer suffix;
    gpu_buffer lane;
    gpu_buffer delay;
    gpu_buffer count;
    uint64_t n_before; /* rows of the level before; at size 1 it is 1, the empty episode */
    uint64_t n_runs;
    gpu_buffer run_first; /* n_before + 1: the runs of each row of the level before */
    gpu_buffer run_strip;
    gpu_buffer run_mask;
    gpu_buffer run_row; /* row of the run's first lane */
    csweep_lists lists;
} csweep_level;

/* Candidates that are counted together, of the rows [begin, end). */
typedef struct csweep_batch {
    uint64_t begin, end;
    uint64_t n_runs;
    uint64_t n_candidates;
    gpu_buffer first;  /* uint32_t, end - begin + 1: the runs of each row */
    gpu_buffer prefix; /* per run: its row */
    gpu_buffer strip;
    gpu_buffer mask;
    gpu_buffer child;     /* row that the run's first candidate has as suffix */
    gpu_buffer candidate; /* n_runs + 1: where the run's candidates start */
    gpu_buffer found;     /* per run: mask of the frequent */
    gpu_buffer counts;    /* per candidate */
    bool resumes;         /* counting goes on from where it ended elsewhere: */
    gpu_buffer free_from; /* per candidate, the first rank at which an occurrence may start; becomes
                             that behind the last one counted */
} csweep_batch;

/* Scratch memory that calls share. */
typedef struct csweep_scratch {
    gpu_buffer temporary, keys, keys_out, values, values_out, totals;
    gpu_buffer task_row, task_group, task_piece, piece_state, piece_count, unsettled;
    gpu_buffer piece_open, piece_met;
} csweep_scratch;

void csweep_scratch_close(csweep_scratch *scratch);
void csweep_level_close(csweep_level *level);
void csweep_lists_close(csweep_lists *lists);
void csweep_batch_close(csweep_batch *batch);

/* Size 1: every lane a row, every interval may lead to every lane. */
spk_status csweep_level_of_lanes(spk_context *context, const csweep_index *index,
                                 csweep_level *level);

/* ---- lists (lists.cu) ------------------------------------------------------------------------ */

/* Makes the lists of the rows [begin, end) of a level of size >= 2 from the lists of a range of the
 * level before that contains their prefixes (`parents` NULL: the level before has size 1).
 * `batch_first`: NULL, or the number of runs before each row; rows without runs get no list.
 * *fits = false, and nothing made, when they take more than `memory` bytes. */
spk_status csweep_lists_extend(spk_context *context, const csweep_index *index,
                               const csweep_level *level, const csweep_lists *parents,
                               uint64_t begin, uint64_t end, const uint32_t *batch_first,
                               uint64_t memory, csweep_scratch *scratch, csweep_lists *out,
                               bool *fits);

/* ---- counting (count.cu) --------------------------------------------------------------------- */

typedef struct csweep_count_job {
    const csweep_index *index;
    const csweep_tables *tables;
    const csweep_level *level; /* of the prefixes */
    const csweep_lists *lists; /* of the batch's rows; NULL: they are single lanes */
    uint64_t support;          /* 0: all counts exact */
} csweep_count_job;

/* Fills batch->counts, and batch->found with the candidates that reach the support. A batch that
 * resumes has support 0. */
spk_status csweep_count(spk_context *context, const csweep_count_job *job, csweep_scratch *scratch,
                        csweep_batch *batch);

/* ---- the join, and the next level (join.cu) -------------------------------------------------- */

/* The candidates of rows [begin, end) of a level. *fits = false when there are more than max_runs
 * runs; then only batch->n_runs is set. */
spk_status csweep_join(spk_context *context, const csweep_level *level, uint64_t begin,
                       uint64_t end, uint64_t max_runs, csweep_scratch *scratch,
                       csweep_batch *batch, bool *fits);

/* Appends the frequent candidates of a batch to the next level; batches come in order. */
spk_status csweep_keep(spk_context *context, const csweep_batch *batch, uint32_t n_tiles,
                       csweep_scratch *scratch, csweep_level *next);

/* Starts the level after `level`; rows before the first batch's have no runs. */
spk_status csweep_level_start(spk_context *context, const csweep_level *level, csweep_level *next);

/* Puts the level's rows into another order, in which n_parts ranges of rows have about equal work;
 * part k is the range border[k] .. border[k + 1]. All rows of a run are in one part. Equal levels
 * get the same order on every device (balance.cu). */
spk_status csweep_balance(spk_context *context, csweep_level *level, int n_parts,
                          csweep_scratch *scratch, uint64_t *border);

/* The range of rows of the level before that holds the prefixes of the rows [begin, end). */
spk_status csweep_prefix_range(spk_context *context, const csweep_level *level, uint64_t begin,
                               uint64_t end, csweep_scratch *scratch, uint64_t *first,
                               uint64_t *last);

/* Row borders that cut the level's work into n_parts about equal parts: border[0 .. n_parts]. */
spk_status csweep_borders(spk_context *context, const csweep_level *level, int n_parts,
                          csweep_scratch *scratch, uint64_t *border);

/* ---- results (order.cu) ---------------------------------------------------------------------- */

/* A range of a level's episodes in canonical order, on the device. */
typedef struct csweep_columns {
    uint64_t begin; /* place of the first in the order */
    uint64_t n;
    gpu_buffer unit;  /* uint32_t, n * size */
    gpu_buffer delay; /* uint16_t, n * size; the first of each episode is 0 */
    gpu_buffer count; /* uint64_t, n */
} csweep_columns;

/* Fills *out, whose memory is kept from call to call, with part `part` of n_parts about equal ones;
 * returns when it is there for all streams. `levels[k]` has size k + 1. */
spk_status csweep_sort_level(spk_context *context, const csweep_index *index,
                             const uint32_t *lane_unit_device, const csweep_level *levels,
                             uint32_t size, int part, int n_parts, csweep_scratch *scratch,
                             csweep_columns *out);
void csweep_columns_close(csweep_columns *columns);

/* ---- the parts of a level that several devices counted --------------------------------------- */

/* The new rows that `device` found for the rows [begin, end) of the level before. */
typedef struct csweep_part {
    const csweep_level *level;
    int device;
    uint64_t begin, end;
    uint64_t n_found; /* rows of `level`, which may be gone when this is read */
} csweep_part;

/* Makes on the calling thread's device (number `device`) the whole level from all parts, in order;
 * returns when the parts are no longer needed by this device. */
spk_status csweep_merge(spk_context *context, const csweep_part *parts, int n_parts, int device,
                        csweep_level *full);

SPK_END_C
