/*
 * The groups of a few cores, and which of them another result joins.
 *
 * A cell's part in the coincidence of a result with a group is the sum over the group's founders of
 * 1 / deviation for those that have the cell, less a number that is the same for all cells. So the
 * mean coincidence with all founders takes one look at each of the result's cells.
 */
#pragma once

#include "base/context.h"
#include "select/results.h"
#include "spikemine/occurrences.h"

/* ---- the order of units ---------------------------------------------------------------------- */

/* In which order results have their units. */

/* A unit of a result and where it stands: the mean of its positions, of patterns of its lags. */
typedef struct spk_unit_place {
    uint32_t unit;
    float place;
} spk_unit_place;

/* The different units of result i, ascending; `out` has room for one entry a position. Returns how
 * many there are. */
uint32_t spk_unit_places(const spk_results *results, uint64_t i, spk_unit_place *out);

/* Of the pairs of common units: how many more come in the same order than in the opposite one. */
int32_t spk_unit_places_agree(const spk_unit_place *a, uint32_t n_a, const spk_unit_place *b,
                              uint32_t n_b);

/* Which unit comes first in a group of results: for each pair of its units how many more results
 * have one before the other, and how many have both. */
typedef struct spk_group_order {
    uint32_t n;
    uint32_t *unit;   /* ascending */
    uint32_t *having; /* by unit: results that have it */
    int32_t *before;  /* n x n: results with row before column, less those with column before row */
    uint32_t *both;   /* n x n */
} spk_group_order;

/* Room for these units, ascending. spk_group_order_free in any case. */
spk_status spk_group_order_make(spk_context *context, const uint32_t *unit, uint32_t n,
                                spk_group_order *out);
void spk_group_order_free(spk_group_order *order);

/* Counts a result; units that the group lacks are left out. */
void spk_group_order_add(spk_group_order *order, const spk_unit_place *places, uint32_t n);

/* As spk_unit_places_agree, with what most results of the group have. */
int32_t spk_group_order_agrees(const spk_group_order *order, const spk_unit_place *places,
                               uint32_t n);

/* The units that at least `least` results have, in the order in which they fire: each by the mean
 * of its precedence over the others. Returns how many. `out` has room for all. */
spk_status spk_group_order_list(spk_context *context, const spk_group_order *order, uint64_t least,
                                uint32_t *out, uint32_t *n);

/* ---- founders -------------------------------------------------------------------------------- */

/* ---- cells ----------------------------------------------------------------------------------- */

/* When results occur: the cells of time in which events of their occurrences lie.
 *
 * Cells are numbered in order of segment (trial) and time, without those in which nothing fires.
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

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct spk_founders {
    uint32_t n;
    const uint32_t *id; /* results; borrowed */
    uint64_t *first;    /* cells of founder k: cell[first[k]] .. cell[first[k + 1] - 1] */
    uint32_t *cell;
    uint64_t cell_capacity;
    uint64_t *place_first; /* the same for its units */
    spk_unit_place *place;
    uint64_t place_capacity;
    uint32_t n_groups;
    uint32_t *group;        /* by founder */
    uint32_t *size;         /* by group */
    double *constant;       /* by group: what each cell has less */
    spk_group_order *order; /* by group */
    uint8_t *closed;        /* by group: nothing may join */
    uint64_t *row;          /* by cell: its groups, entry[row[c]] .. entry[row[c + 1] - 1] */
    uint32_t *entry;        /* groups */
    double *weight;         /* of entries */
    double *sum;            /* by group, 0 between two calls */
    uint32_t *touched;      /* groups with a sum */
} spk_founders;

/* Groups results id[0] .. id[n - 1], the best one first; n is at most SPK_MAX_FOUNDERS.
 * spk_founders_free in any case. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of occurrences.
 */
#define SPK_MAX_FOUNDERS 2048u
spk_status spk_founders_make(spk_context *context, const spk_results *results, spk_cells *cells,
                             const uint32_t *id, uint32_t n, double limit, spk_founders *out);
void spk_founders_free(spk_founders *founders);

/* The group with the largest mean coincidence above *coincidence, which counts half where the group
 * has the opposite order; n_groups where there is none. The result's cells were found; `places` has
 * its units. */
uint32_t spk_founders_join(spk_founders *founders, const spk_cells *cells,
                           const spk_unit_place *places, uint32_t n_places, double *coincidence);

/* ---- linkage --------------------------------------------------------------------------------- */

/* Joins groups of n things as long as the mean similarity of all pairs, one of each group, reaches
 * `limit`. `similarity` is n x n and symmetric; it is used up. group[i] is the number of i's group,
 * from 0 in the order of their first members. Method of the nearest-neighbour chain (Murtagh
 * 1983), n * n steps. Errors: SPK_ERR_MEMORY. */
spk_status spk_linkage_average(spk_context *context, uint32_t n, float *similarity, float limit,
                               uint32_t *group, uint32_t *n_groups);
