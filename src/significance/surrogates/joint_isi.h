/* The joint distribution of successive intervals of each unit (joint_isi_table.c). */
#ifndef SPK_SIGNIFICANCE_SURROGATES_JOINT_ISI_H
#define SPK_SIGNIFICANCE_SURROGATES_JOINT_ISI_H

#include "significance/surrogates/surrogates.h"

/* The bin of an interval, n_bins for all that the histogram does not hold. */
static inline uint32_t surrogate_interval_bin(const surrogate_intervals *d, uint64_t interval)
{
    return interval < d->truncation ? (uint32_t)(interval * d->factor / d->divisor) : d->n_bins;
}

/* The cumulative weights of the pairs of bins (0, sum), (1, sum - 1), .. (sum, 0) of a unit. */
static inline const double *surrogate_diagonal(const surrogate_intervals *d, uint32_t unit,
                                               uint32_t sum)
{
    uint64_t size = (uint64_t)d->n_bins * (d->n_bins + 1) / 2;
    return d->weight + d->table_of[unit] * size + (uint64_t)sum * (sum + 1) / 2;
}

/* Fills surrogates->intervals, from the refractory periods and the dither, which are there: joint,
 * or the product of the distribution of intervals with itself. */
spk_status spk_surrogate_find_intervals(spk_context *context, const spk_surrogate_options *options,
                                        bool joint, spk_surrogates *surrogates);

#endif
