/* Groups by average linkage. */
#ifndef SPK_SELECT_LINKAGE_H
#define SPK_SELECT_LINKAGE_H

#include "base/context.h"

/* Joins groups of n things as long as the mean similarity of all pairs, one of each group, reaches
 * `limit`. `similarity` is n x n and symmetric; it is used up. group[i] is the number of i's group,
 * from 0 in the order of their first members. Method of the nearest-neighbour chain (Murtagh
 * 1983), n * n steps. Errors: SPK_ERR_MEMORY. */
spk_status spk_linkage_average(spk_context *context, uint32_t n, float *similarity, float limit,
                               uint32_t *group, uint32_t *n_groups);

#endif
