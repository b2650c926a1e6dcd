/* Cutting work into parts. */
#ifndef SPK_DISTRIBUTE_SPLIT_H
#define SPK_DISTRIBUTE_SPLIT_H

#include <stdint.h>

/* Cuts n items into n_parts runs of neighbours of about equal weight: part k is
 * [first[k], first[k + 1]); first has n_parts + 1 entries. weight_before[i] is the weight of the
 * items before i, n + 1 entries. */
void spk_split(uint64_t n, const uint64_t *weight_before, int n_parts, uint64_t *first);

#endif
