/*
 * Mean counts of patterns.
 *
 * A start bin in window w of jitter at phase f (f bins from the window's begin) puts an item of lag
 * l into window w + floor((f + l) / D). For a range of phases these shifts are the same, so that
 * the pattern's mean is a sum over few ranges:
 *
 *     D = 4, lags 0 1 5:    phase   0 1 2   3        shifts of the items
 *                           lag 0   0 0 0   0        phases 0 .. 2: 0 0 1
 *                           lag 1   0 0 0   1        phase  3:      0 1 2
 *                           lag 5   1 1 1   2
 *
 * and for each range a sum, over windows w, of products of the units' numbers in the windows
 * w + shift, by one constant: the number of phases over the product of window lengths. A unit that
 * is twice in one window counts there with one less, and one bin less.
 *
 * The first window of a trial has fewer phases and the last one fewer bins. Both are left out of
 * the sums, and are added one by one at the end.
 *
 * Where windows are those of one draw, a fifth of the mean is that of constant rates (means_lean).
 *
 * Sums go block by block of windows, those first in which most fires. A pattern whose mean has
 * passed its limit is left. Patterns that begin with the same items, as neighbours in a list do,
 * share the products of these.
 */
#include "significance/exact/pattern_means.h"

#include <assert.h>
#include <math.h>

#include "base/cpu.h"
#include "significance/exact/null_inside.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

enum {
    CHUNK = 256, /* patterns that go through all blocks together */
    DEPTH = 8    /* most items whose products are kept */
};

/* ---- kernels --------------------------------------------------------------------------------- */

means_multiply_fn means_multiply_portable, means_multiply_neon, means_multiply_avx2,
    means_multiply_avx512;
means_sum_fn means_sum_portable, means_sum_neon, means_sum_avx2, means_sum_avx512;

means_kernels means_kernels_choose(void)
{
    return (means_kernels){.multiply = SPK_SIMD_BEST(means_multiply),
                           .sum = SPK_SIMD_BEST(means_sum)};
}

/* ---- items ----------------------------------------------------------------------------------- */

/* A pattern's items, and what is the same for all of its blocks. */
typedef struct item_list {
    const uint32_t *item;
    uint32_t size;
    bool repeats; /* a unit is there twice */
} item_list;

/* What a chunk works with. Of the first `depth` items of the last pattern the products are there,
 * level k of the first k + 1: for each range of phases the first one, and whether all are 0. */
typedef struct means {
    const null_patterns *p;
    means_kernels kernel;
    uint64_t block; /* its first window */
    uint32_t n;     /* and how many */
    uint32_t depth;
    struct {
        uint32_t n;
        uint64_t from[DEPTH + 1];
        bool zero[DEPTH + 1];
        double product[DEPTH + 1][NULL_BLOCK];
    } level[DEPTH];
    double product[NULL_BLOCK]; /* of items beyond */
} means;

/* Windows between the start and an item, at a phase. */
static inline uint64_t shift_of(const null_patterns *p, uint32_t item, uint64_t phase)
{
    const null_lag *lag = &p->lag[null_lag_of(p, item)];
    return lag->windows + (phase >= lag->turn);
}

/* The end of the range of phases that begins at `from`: the next phase at which one of the items
 * gets into the next window. */
static uint64_t range_end(const null_patterns *p, uint32_t size, const uint32_t *item,
                          uint64_t from)
{
    uint64_t end = p->length;
    for (uint32_t k = 0; k < size; k++) {
        uint64_t turn = p->lag[null_lag_of(p, item[k])].turn;
        end = turn > from && turn < end ? turn : end;
    }
    return end;
}

/* Earlier items of the unit of item k that lie in its window. */
static uint32_t taken_before(const null_patterns *p, const item_list *pattern, uint32_t k,
                             uint64_t phase)
{
    uint32_t n = 0;
    if (!pattern->repeats)
        return 0;
    for (uint32_t j = 0; j < k; j++)
        n += null_unit(p, pattern->item[j]) == null_unit(p, pattern->item[k]) &&
             shift_of(p, pattern->item[j], phase) == shift_of(p, pattern->item[k], phase);
    return n;
}

static bool has_repeats(const null_patterns *p, uint32_t size, const uint32_t *item)
{
    for (uint32_t k = 1; k < size; k++) {
        uint32_t first = null_unit(p, item[k]) * p->window; /* items of its unit, from here on */
        for (uint32_t j = 0; j < k; j++)
            if (item[j] - first < p->window)
                return true;
    }
    return false;
}

static inline const float *row_of(const means *m, uint32_t item, uint64_t phase)
{
    const null_patterns *p = m->p;
    return p->row + null_unit(p, item) * p->stride + m->block + shift_of(p, item, phase);
}

/* ---- products -------------------------------------------------------------------------------- */

/* The range of a level that holds a phase. */
static uint32_t range_at(const means *m, uint32_t level, uint64_t phase)
{
    uint32_t r = m->level[level].n - 1;
    while (m->level[level].from[r] > phase)
        r--;
    return r;
}

/* The products of the first k items at a phase; NULL: all are 0. */
static const double *products_at(const means *m, uint32_t k, uint64_t phase)
{
    if (k == 0)
        return m->p->starts + m->block;
    uint32_t r = range_at(m, k - 1, phase);
    return m->level[k - 1].zero[r] ? NULL : m->level[k - 1].product[r];
}

/* Makes the level of items 0 .. k from that of items 0 .. k - 1. */
static void add_level(means *m, const item_list *pattern, uint32_t k)
{
    m->level[k].n = 0;
    for (uint64_t from = 0, end; from < m->p->length; from = end) {
        uint32_t r = m->level[k].n++;
        const double *before = products_at(m, k, from);
        end = range_end(m->p, k + 1, pattern->item, from);
        m->level[k].from[r] = from;
        m->level[k].zero[r] =
            before == NULL ||
            !m->kernel.multiply(m->n, before, row_of(m, pattern->item[k], from),
                                taken_before(m->p, pattern, k, from), m->level[k].product[r]);
    }
}

/* The sum over the block's windows of the products of all items at a phase. */
static double sum_at(means *m, const item_list *pattern, uint64_t phase)
{
    uint32_t last = pattern->size - 1, k = m->depth < last ? m->depth : last;
    const double *product = products_at(m, k, phase), *mask = NULL;
    for (; k + 1 < last && product != NULL; k++) {
        bool some = m->kernel.multiply(m->n, product, row_of(m, pattern->item[k], phase),
                                       taken_before(m->p, pattern, k, phase), m->product);
        product = some ? m->product : NULL;
    }
    if (product == NULL)
        return 0;
    if (m->p->has_end[m->block / NULL_BLOCK])
        mask = m->p->ends + m->block + shift_of(m->p, pattern->item[last], phase);
    const float *row = k < last ? row_of(m, pattern->item[k], phase) : NULL;
    return m->kernel.sum(
        m->n, product, row, row != NULL ? taken_before(m->p, pattern, k, phase) : 0,
        row_of(m, pattern->item[last], phase), taken_before(m->p, pattern, last, phase), mask);
}

/* The number of phases over the product of the places that items have in whole windows. */
static double weight_at(const null_patterns *p, const item_list *pattern, uint64_t from,
                        uint64_t end)
{
    double places = 1;
    for (uint32_t k = 0; k < pattern->size; k++)
        places *= (double)p->length - taken_before(p, pattern, k, from);
    return (double)(end - from) / places;
}

/* What the block adds to the mean. */
static double block_mean(means *m, const item_list *pattern)
{
    double mean = 0;
    for (uint64_t from = 0, end; from < m->p->length; from = end) {
        end = range_end(m->p, pattern->size, pattern->item, from);
        double sum = sum_at(m, pattern, from);
        if (sum > 0)
            mean += sum * weight_at(m->p, pattern, from, end);
    }
    return mean;
}

/* ---- first and last windows ------------------------------------------------------------------ */

/* The chance that all items are there, for a start in window w of a trial. */
static double chance_at(const null_patterns *p, const null_trial *trial, const item_list *pattern,
                        uint64_t w, uint64_t phase)
{
    double chance = 1;
    for (uint32_t k = 0; k < pattern->size && chance > 0; k++) {
        uint64_t v = w + shift_of(p, pattern->item[k], phase);
        double taken = taken_before(p, pattern, k, phase);
        double n = p->row[null_unit(p, pattern->item[k]) * p->stride + trial->first + v] - taken;
        double bins = (double)(null_stop_bin(p, trial, v) - null_first_bin(p, v)) - taken;
        chance *= n > 0 ? n / bins : 0;
    }
    return chance;
}

/* Adds up the starts in the trial's first window, and those whose last item lies in its last one.
 */
static double edge_mean(const null_patterns *p, const null_trial *trial, const item_list *pattern,
                        uint64_t from, uint64_t end)
{
    uint32_t last = pattern->item[pattern->size - 1];
    uint64_t shift = shift_of(p, last, from), n = trial->n_windows;
    double mean = 0;
    if (shift + 1 < n && end > p->offset) {
        uint64_t first = from > p->offset ? from : p->offset;
        mean += (double)(end - first) * chance_at(p, trial, pattern, 0, from);
    }
    if (shift < n) {
        uint64_t w = n - 1 - shift, first = w == 0 && from < p->offset ? p->offset : from;
        uint64_t behind = trial->n_bins + p->offset - w * p->length; /* phases of the last bins */
        uint64_t lag = null_lag_of(p, last);
        uint64_t stop = behind <= lag ? 0 : behind - lag < end ? behind - lag : end;
        if (first < stop)
            mean += (double)(stop - first) * chance_at(p, trial, pattern, w, from);
    }
    return mean;
}

static double edges_mean(const null_patterns *p, const item_list *pattern)
{
    double mean = 0;
    for (uint64_t from = 0, end; from < p->length; from = end) {
        end = range_end(p, pattern->size, pattern->item, from);
        for (size_t k = 0; k < p->n_trials; k++)
            mean += edge_mean(p, &p->trial[k], pattern, from, end);
    }
    return mean;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static uint32_t common_items(const item_list *a, const item_list *b)
{
    uint32_t n = 0;
    while (n < a->size && n < b->size && a->item[n] == b->item[n])
        n++;
    return n;
}

/* What one block adds to all patterns of a chunk. */
static void add_block(means *m, uint32_t n, const item_list *pattern, const double *limit,
                      double *mean)
{
    m->depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t shared = i > 0 ? common_items(&pattern[i - 1], &pattern[i]) : 0;
        m->depth = m->depth < shared ? m->depth : shared;
        if (mean[i] > limit[i])
            continue;
        uint32_t wanted = i + 1 < n ? common_items(&pattern[i], &pattern[i + 1]) : 0;
        wanted = wanted < pattern[i].size - 1 ? wanted : pattern[i].size - 1;
        for (; m->depth < wanted && m->depth < DEPTH; m->depth++)
            add_level(m, &pattern[i], m->depth);
        mean[i] += block_mean(m, &pattern[i]);
    }
}

/* The pairs of neighbours, and of the nearest items of one unit. */
static null_correction correct(const spk_null *null, const item_list *pattern)
{
    const null_patterns *p = &null->patterns;
    null_correction c = {.ratio = 1};
    for (uint32_t k = 1; k < pattern->size && null->pairs.ratio != NULL; k++) {
        const uint32_t unit = null_unit(p, pattern->item[k]),
                       lag = null_lag_of(p, pattern->item[k]);
        for (uint32_t j = k; j-- > 0;) {
            const uint32_t other = null_unit(p, pattern->item[j]);
            if (j + 1 == k || other == unit)
                null_add_pair(&null->pairs, other, lag - null_lag_of(p, pattern->item[j]), unit,
                              &c);
            if (other == unit)
                break;
        }
    }
    return c;
}

/* The pattern's mean at constant rates. */
static double by_rates(const spk_null *null, const item_list *pattern)
{
    const means_rates rates = null_rates(null);
    return means_by_rates(&rates, null->patterns.window, pattern->item, pattern->size);
}

/* The limit of the sum of blocks, from that of the mean. */
static double limit_of_sum(const spk_null *null, const item_list *pattern, double limit,
                           double ratio)
{
    const means_rates rates = null_rates(null);
    return means_limit(&rates, limit, ratio, by_rates(null, pattern));
}

static item_list items_of(const null_patterns *p, const spk_pattern_columns *patterns, uint64_t i)
{
    const uint64_t at = patterns->offset[i];
    const uint32_t size = (uint32_t)(patterns->offset[i + 1] - at);
    return (item_list){patterns->item + at, size, has_repeats(p, size, patterns->item + at)};
}

/* From the sum of all blocks to the mean. */
static void finish(const spk_null *null, const item_list *pattern, const null_correction *c,
                   double *mean, double *spread)
{
    *mean += edges_mean(&null->patterns, pattern);
    if (null->patterns.chance != NULL)
        *mean = means_lean(*mean, by_rates(null, pattern));
    *mean *= c->ratio;
    if (spread != NULL)
        *spread = null_spread(c, *mean);
}

void spk_null_pattern_means(const spk_null *null, const spk_pattern_columns *patterns,
                            const double *limit, double *mean, double *spread)
{
    null_correction correction[CHUNK];
    double own_limit[CHUNK];
    item_list pattern[CHUNK];
    means m; /* large, and mostly room */
    m.p = &null->patterns;
    m.kernel = means_kernels_choose();
    m.n = NULL_BLOCK;
    assert(patterns->window == m.p->window);
    for (uint64_t first = 0; first < patterns->n; first += CHUNK) {
        uint32_t n = patterns->n - first < CHUNK ? (uint32_t)(patterns->n - first) : CHUNK;
        for (uint32_t i = 0; i < n; i++) {
            pattern[i] = items_of(m.p, patterns, first + i);
            mean[first + i] = 0;
            correction[i] = correct(null, &pattern[i]);
            own_limit[i] = limit != NULL ? limit_of_sum(null, &pattern[i], limit[first + i],
                                                        correction[i].ratio)
                                         : INFINITY;
        }
        /* Block by block for all patterns of a chunk: the numbers of a block stay in the cache
         * meanwhile. Blocks with the largest numbers come first, so that means pass their limits
         * early. */
        for (uint64_t b = 0; b < m.p->n_blocks; b++) {
            m.block = m.p->block_order[b] * NULL_BLOCK;
            add_block(&m, n, pattern, own_limit, mean + first);
        }
        for (uint32_t i = 0; i < n; i++)
            if (mean[first + i] > own_limit[i]) /* what it is exactly does not matter */
                mean[first + i] = INFINITY;
            else
                finish(null, &pattern[i], &correction[i], &mean[first + i],
                       spread != NULL ? &spread[first + i] : NULL);
    }
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

means_view null_means_view(const spk_null *null)
{
    const null_patterns *p = &null->patterns;
    return (means_view){.n_units = null->n_units,
                        .window = p->window,
                        .length = p->length,
                        .stride = p->stride,
                        .n_blocks = p->n_blocks,
                        .row = p->row,
                        .lag = p->lag,
                        .starts = p->starts,
                        .ends = p->ends,
                        .block_order = p->block_order,
                        .has_end = p->has_end};
}

void spk_null_pattern_finish(const spk_null *null, const spk_pattern_columns *patterns,
                             const double *limit, double *mean, double *spread)
{
    for (uint64_t i = 0; i < patterns->n; i++) {
        if (limit != NULL && mean[i] > limit[i]) { /* before its items are looked at */
            mean[i] = INFINITY;
            continue;
        }
        const item_list pattern = items_of(&null->patterns, patterns, i);
        const null_correction c = correct(null, &pattern);
        finish(null, &pattern, &c, &mean[i], &spread[i]);
    }
}

void spk_null_pattern_limits(const spk_null *null, const spk_pattern_columns *patterns,
                             const double *limit, double *own)
{
    for (uint64_t i = 0; i < patterns->n; i++) {
        const item_list pattern = items_of(&null->patterns, patterns, i);
        own[i] = limit_of_sum(null, &pattern, limit[i], correct(null, &pattern).ratio);
    }
}
