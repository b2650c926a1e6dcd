/* Tails of the Poisson distribution, with the same bits everywhere (random.h says where). */
#ifndef SPK_BASE_POISSON_H
#define SPK_BASE_POISSON_H

#include <stdint.h>

/* log P[X >= count], mean > 0 and finite, count >= 1, within some 1e-14 of it or of 1. The tail may
 * be far below the range of double. *slope: how it grows with the mean, where not NULL. Time: some
 * sqrt(mean) steps at most. */
double spk_poisson_log_tail(uint64_t count, double mean, double *slope);

#endif
