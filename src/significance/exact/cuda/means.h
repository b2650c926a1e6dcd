/*
 * Mean counts of patterns on a GPU, or on the host by the same code. The means are those of
 * pattern_means.c, which says what is summed: same bits, since every product and sum has its order
 * there. Sixteen lanes own a pattern: lane k has the windows k, k + 16, ... of each block.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cuda/shared.h"

/* Windows go through sums in blocks, and side by side in lanes. */
enum { NULL_BLOCK = 128, MEANS_LANES = 16, MEANS_TURNS = NULL_BLOCK / MEANS_LANES };

/* A bin at phase f of a window (f bins behind its begin) and one `lag` bins later: they are
 * `windows` windows apart, one more from phase `turn` on. */
typedef struct null_lag {
    uint64_t windows;
    uint64_t turn;
} null_lag;

/* What means are made of, as null_patterns has it; in memory of the device or of the host. */
typedef struct means_view {
    uint32_t n_units;
    uint32_t window;
    uint64_t length;
    uint64_t stride;
    uint64_t n_blocks;
    const float *row;
    const null_lag *lag;
    const double *starts;
    const double *ends;
    const uint64_t *block_order;
    const bool *has_end;
} means_view;

/* Where windows are those of one draw: constant rates, which have what that draw happens not to
 * have.
 */
typedef struct means_rates {
    const double *chance; /* by unit: that it is in a bin; NULL: windows are kept by all draws */
    const double *starts; /* by lag of the last item: bins in which a pattern may start */
} means_rates;

/* What an item asks for in each block: where its unit's row begins, and its lag. */
typedef struct means_place {
    uint64_t row;
    null_lag lag;
    uint32_t unit;
} means_place;

/* Places of so many items are found once, and used in all blocks; those of others anew each time.
 */
enum { MEANS_PLACES = MEANS_LANES };

/* The items of a pattern. */
typedef struct means_items {
    const uint32_t *item;
    const means_place *place; /* of the first MEANS_PLACES items */
    uint32_t size;
    bool repeats; /* a unit is there twice */
} means_items;

/* A product and a sum that no compiler makes one step of. */
SPK_SHARED double means_times(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

SPK_SHARED double means_plus(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dadd_rn(a, b);
#else
    return a + b;
#endif
}

/* The share of a mean that is that of constant rates: what one draw does not have is rare, and
 * never impossible. */
#define MEANS_BY_RATES 0.2

SPK_SHARED double means_lean(double mean, double by_rates)
{
    return means_plus(means_times(1 - MEANS_BY_RATES, mean), means_times(MEANS_BY_RATES, by_rates));
}

/* The mean of a pattern at constant rates; 0 where windows are kept. */
SPK_SHARED double means_by_rates(const means_rates *rates, uint32_t window, const uint32_t *item,
                                 uint32_t size)
{
    if (rates->chance == 0)
        return 0;
    double mean = rates->starts[item[size - 1] % window];
    for (uint32_t k = 0; k < size; k++)
        mean = means_times(mean, rates->chance[item[k] / window]);
    return mean;
}

/* The limit of a sum of blocks, from that of a mean that has leaned and was then multiplied by a
 * ratio. It is a little above the true one: no rounding leaves out a mean that is its limit. */
SPK_SHARED double means_limit(const means_rates *rates, double limit, double ratio, double by_rates)
{
    const double above = limit / ratio * (1 + 1e-12);
    return rates->chance == 0 ? above : (above - MEANS_BY_RATES * by_rates) / (1 - MEANS_BY_RATES);
}

SPK_SHARED means_place means_find_place(const means_view *v, uint32_t item)
{
    const uint32_t unit = item / v->window;
    const means_place place = {unit * v->stride, v->lag[item % v->window], unit};
    return place;
}

SPK_SHARED means_place means_place_at(const means_view *v, const means_items *p, uint32_t k)
{
    return k < MEANS_PLACES ? p->place[k] : means_find_place(v, p->item[k]);
}

SPK_SHARED uint64_t means_shift(const means_place *place, uint64_t phase)
{
    return place->lag.windows + (phase >= place->lag.turn);
}

SPK_SHARED uint64_t means_range_end(const means_view *v, const means_items *p, uint64_t from)
{
    uint64_t end = v->length;
    for (uint32_t k = 0; k < p->size; k++) {
        const uint64_t turn = means_place_at(v, p, k).lag.turn;
        end = turn > from && turn < end ? turn : end;
    }
    return end;
}

/* The places of a pattern's items, into `place`: each lane has one. */
SPK_SHARED means_items means_open(const means_view *v, const uint32_t *item, uint32_t size,
                                  means_place *place)
{
    means_items p = {item, place, size, false};
#ifdef __CUDA_ARCH__
    const uint32_t lane = threadIdx.x % MEANS_LANES;
    if (lane < size)
        place[lane] = means_find_place(v, item[lane]);
    __syncwarp(0xffffu << (threadIdx.x & MEANS_LANES));
#else
    for (uint32_t k = 0; k < size && k < MEANS_PLACES; k++)
        place[k] = means_find_place(v, item[k]);
#endif
    for (uint32_t k = 1; k < size; k++)
        for (uint32_t j = 0; j < k; j++)
            p.repeats |= means_place_at(v, &p, j).unit == means_place_at(v, &p, k).unit;
    return p;
}

/* Earlier items of the unit of item k that lie in its window. */
SPK_SHARED uint32_t means_taken(const means_view *v, const means_items *p, uint32_t k,
                                uint64_t phase)
{
    uint32_t n = 0;
    if (!p->repeats)
        return 0;
    const means_place own = means_place_at(v, p, k);
    for (uint32_t j = 0; j < k; j++) {
        const means_place other = means_place_at(v, p, j);
        n += other.unit == own.unit && means_shift(&other, phase) == means_shift(&own, phase);
    }
    return n;
}

/* A lane's part of the sum over a block, which begins with window `block`. */
SPK_SHARED double means_lane_sum(const means_view *v, const means_items *p, uint64_t block,
                                 uint64_t phase, uint32_t lane)
{
    double value[MEANS_TURNS], sum = 0;
    for (uint32_t s = 0; s < MEANS_TURNS; s++)
        value[s] = v->starts[block + (uint64_t)s * MEANS_LANES + lane];
    for (uint32_t k = 0; k < p->size; k++) {
        const means_place place = means_place_at(v, p, k);
        const double taken = means_taken(v, p, k, phase);
        const float *row = v->row + place.row + block + means_shift(&place, phase) + lane;
        for (uint32_t s = 0; s < MEANS_TURNS; s++) {
            double left = (double)row[(uint64_t)s * MEANS_LANES];
            if (p->repeats) {
                left -= taken;
                left = left > 0 ? left : 0;
            }
            value[s] = means_times(value[s], left);
        }
    }
    const means_place last = means_place_at(v, p, p->size - 1);
    const double *ends = v->ends + block + means_shift(&last, phase) + lane;
    const bool has_end = v->has_end[block / NULL_BLOCK];
    for (uint32_t s = 0; s < MEANS_TURNS; s++) {
        if (has_end)
            value[s] = means_times(value[s], ends[(uint64_t)s * MEANS_LANES]);
        sum = means_plus(sum, value[s]);
    }
    return sum;
}

/* The sum of all lanes, which each of them gets. */
SPK_SHARED double means_sum(const means_view *v, const means_items *p, uint64_t block,
                            uint64_t phase)
{
#ifdef __CUDA_ARCH__
    const unsigned mine = 0xffffu << (threadIdx.x & MEANS_LANES);
    double sum = means_lane_sum(v, p, block, phase, threadIdx.x % MEANS_LANES);
    for (int width = MEANS_LANES / 2; width > 0; width /= 2)
        sum = means_plus(sum, __shfl_down_sync(mine, sum, width, MEANS_LANES));
    return __shfl_sync(mine, sum, 0, MEANS_LANES);
#else
    double lane[MEANS_LANES];
    for (uint32_t k = 0; k < MEANS_LANES; k++)
        lane[k] = means_lane_sum(v, p, block, phase, k);
    for (uint32_t width = MEANS_LANES / 2; width > 0; width /= 2)
        for (uint32_t k = 0; k < width; k++)
            lane[k] = means_plus(lane[k], lane[k + width]);
    return lane[0];
#endif
}

/* The number of phases over the product of the places that items have in whole windows. */
SPK_SHARED double means_weight(const means_view *v, const means_items *p, uint64_t from,
                               uint64_t end)
{
    double places = 1;
    for (uint32_t k = 0; k < p->size; k++)
        places = means_times(places, (double)v->length - means_taken(v, p, k, from));
    return (double)(end - from) / places;
}

/* The mean of a pattern without starts in first windows and ends in last ones; where it passes the
 * limit, some number above it. `place`: room for MEANS_PLACES, which the lanes of a pattern share.
 */
SPK_SHARED double means_of_blocks(const means_view *v, const uint32_t *item, uint32_t size,
                                  double limit, means_place *place)
{
    const means_items p = means_open(v, item, size, place);
    double mean = 0;
    for (uint64_t b = 0; b < v->n_blocks && mean <= limit; b++) {
        double more = 0;
        for (uint64_t from = 0, end = 0; from < v->length; from = end) {
            end = means_range_end(v, &p, from);
            const double sum = means_sum(v, &p, v->block_order[b] * NULL_BLOCK, from);
            if (sum > 0)
                more = means_plus(more, means_times(sum, means_weight(v, &p, from, end)));
        }
        mean = means_plus(mean, more);
    }
    return mean;
}
