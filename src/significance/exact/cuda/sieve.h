/*
 * Which patterns can have a score that matters, decided where a GPU has found them. A surrogate has
 * hundreds of thousands of patterns, of which some thousand count: the others never leave the
 * device.
 *
 *     pile of the engine      .. .. 5 12 items   .. .. 6 11 items   ...   two words of its own,
 *                                                                         size, count, items
 *     what is kept            mean 5 12 items    mean 6 11 items          a double in their place
 *
 * Invariant: limits are those of the scores or above, so that what is dropped has a mean beyond its
 * limit; the host looks at the rest again. A class whose results have not been seen has no limit.
 * Cost: that of the first blocks of a mean, 64 bytes of a row at a time.
 */
#pragma once

#include <math.h>

#include "significance/exact/cuda/means.h"

/* Words of a pattern before its items. */
enum { SIEVE_HEAD = 4 };

/* Counts share a limit, that of the last one of a step: each has its own below 64, then there are
 * eight steps to twice the count. */
enum { SIEVE_EXACT = 64, SIEVE_FINE_BITS = 3, SIEVE_STEPS = SIEVE_EXACT + (26 << SIEVE_FINE_BITS) };

SPK_SHARED uint32_t sieve_step(uint32_t count)
{
    uint32_t octave = 0;
    if (count < SIEVE_EXACT)
        return count;
    for (uint32_t rest = count / SIEVE_EXACT; rest > 1; rest /= 2)
        octave++;
    const uint32_t fine = count >> (octave + 6 - SIEVE_FINE_BITS); /* 8 .. 15 */
    return SIEVE_EXACT + (octave << SIEVE_FINE_BITS) + fine - (1u << SIEVE_FINE_BITS);
}

/* The last count of a step. */
SPK_SHARED uint32_t sieve_last(uint32_t step)
{
    if (step < SIEVE_EXACT)
        return step;
    const uint32_t octave = (step - SIEVE_EXACT) >> SIEVE_FINE_BITS;
    const uint64_t fine = (step & ((1u << SIEVE_FINE_BITS) - 1)) + (1u << SIEVE_FINE_BITS) + 1;
    return (uint32_t)((fine << (octave + 6 - SIEVE_FINE_BITS)) - 1);
}

/* What decides; in memory of the device or of the host. */
typedef struct sieve_view {
    means_view means;
    means_rates rates;
    const float *ratio; /* by pair, as null_pair_at has them; NULL: none */
    uint32_t least_size;
    uint32_t least_units;
    uint32_t largest;    /* sizes and numbers of units from here on are one */
    uint32_t n_classes;  /* (largest + 1)^2: size, then units */
    const uint32_t *row; /* by class: of limits; UINT32_MAX: it has none */
    const double *limit; /* by row and step */
} sieve_view;

typedef struct sieve_verdict {
    uint32_t class_number; /* UINT32_MAX: it is not tested, and dropped */
    bool keep;
    double mean; /* of whole windows, as the windows have it, where it is kept */
} sieve_verdict;

/* How many units the items have. */
SPK_SHARED uint32_t sieve_count_units(const sieve_view *v, const uint32_t *item, uint32_t size)
{
    uint32_t n = 0;
#ifdef __CUDA_ARCH__
    const uint32_t lane = threadIdx.x % MEANS_LANES, lanes = MEANS_LANES;
#else
    const uint32_t lane = 0, lanes = 1;
#endif
    for (uint32_t base = 0; base < size; base += lanes) {
        const uint32_t k = base + lane;
        bool first = k < size;
        const uint32_t begin = first ? item[k] - item[k] % v->means.window : 0;
        for (uint32_t j = 0; j < k && first; j++)
            first = item[j] - begin >= v->means.window;
#ifdef __CUDA_ARCH__
        const unsigned mine = 0xffffu << (threadIdx.x & MEANS_LANES);
        n += (uint32_t)__popc(__ballot_sync(mine, first));
#else
        n += first;
#endif
    }
    return n;
}

/* What draws say of the pairs of neighbours, and of the nearest items of one unit: correct() of
 * pattern_means.c. */
SPK_SHARED double sieve_ratio(const sieve_view *v, const uint32_t *item, uint32_t size)
{
    const uint32_t window = v->means.window;
    double ratio = 1;
    for (uint32_t k = 1; k < size && v->ratio != 0; k++) {
        const uint32_t unit = item[k] / window, lag = item[k] % window;
        for (uint32_t j = k; j-- > 0;) {
            const uint32_t other = item[j] / window;
            if (j + 1 == k || other == unit) {
                const uint64_t pair = (uint64_t)other * window + (lag - item[j] % window);
                ratio = means_times(ratio, (double)v->ratio[pair * v->means.n_units + unit]);
            }
            if (other == unit)
                break;
        }
    }
    return ratio;
}

/* `place`: room for MEANS_PLACES, which the lanes of a pattern share. */
SPK_SHARED sieve_verdict sieve_look(const sieve_view *v, const uint32_t *item, uint32_t size,
                                    uint32_t count, means_place *place)
{
    const uint32_t units = sieve_count_units(v, item, size);
    sieve_verdict out = {UINT32_MAX, false, 0};
    double limit = INFINITY;
    if (size < 2 || size < v->least_size || units < v->least_units)
        return out;
    out.class_number = (size < v->largest ? size : v->largest) * (v->largest + 1) +
                       (units < v->largest ? units : v->largest);
    const uint32_t row = v->row[out.class_number];
    if (row != UINT32_MAX)
        limit = v->limit[(uint64_t)row * SIEVE_STEPS + sieve_step(count)];
    limit = means_limit(&v->rates, limit, sieve_ratio(v, item, size),
                        means_by_rates(&v->rates, v->means.window, item, size));
    out.mean = means_of_blocks(&v->means, item, size, limit, place);
    out.keep = out.mean <= limit;
    return out;
}
