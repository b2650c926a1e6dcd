/* Sorting of indices by a comparison that needs to know something, and comparisons for qsort. */
#pragma once

#include <stdint.h>

#include "base/context.h"

/* Of numbers, for ascending order. */
static inline int spk_compare_int64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int spk_compare_uint64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* <0, 0, >0: does item a come before item b? Called by several threads where items are many. */
typedef int spk_compare_fn(const void *user, uint32_t a, uint32_t b);

/* Sorts index[0 .. n - 1] by merging: stable, n more indices of memory. */
spk_status spk_sort_indices(spk_context *context, uint64_t n, uint32_t *index,
                            spk_compare_fn *compare, const void *user);
