/* In which order results have their units. */
#ifndef SPK_SELECT_UNIT_ORDER_H
#define SPK_SELECT_UNIT_ORDER_H

#include "select/results.h"

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

#endif
