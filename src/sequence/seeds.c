/*
 * Seeds: peaks of the cross-correlograms of all pairs of units, smoothed by each width.
 *
 *     lag       -5 -4 -3 -2 -1  0  1  2  3  4  5
 *     count      .  .  1  .  5  7  4  .  .  1  .
 *     before     0  0  0  1  1  6 13 17 17 17 18 18    17 - 1 = 16 lie within 1 of lag 0
 *
 * Invariant: `before` is a running sum, so that any window of lags is one difference. Cost: a step
 * for each coincidence within reach, and for each pair of units its lags times the widths. Bytes: 4
 * for each lag and unit, for one unit at a time, and 12 for each spike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "sequence/sequence.h"

/* Peaks that are kept of a pair, and coincidences that one needs. */
enum { PEAKS = 2, LEAST_PAIRS = 5 };

/* Of one unit with each later one. */
typedef struct correlograms {
    const sequence_axis *axis;
    uint64_t reach;
    uint64_t length;  /* cells from -reach to reach */
    uint32_t *count;  /* unit by unit */
    uint64_t *before; /* of one of them: coincidences at smaller lags, length + 1 */
    sequence_seed *seed;
    uint64_t n, capacity;
    uint64_t touched; /* spikes and lags */
    double *at;       /* spikes of later units, by position */
    uint32_t *of;     /* their units */
    uint64_t n_left;
} correlograms;

/* Of the unit's spikes with those of later units; its own, and those of earlier ones, go from `at`
 * and `of`, which the walk over the next unit is shorter by. */
static void count_lags(correlograms *c, uint32_t unit)
{
    const sequence_axis *axis = c->axis;
    const double reach = (double)c->reach;
    uint64_t low = 0, n = 0;
    for (uint64_t j = 0; j < c->n_left; j++)
        if (c->of[j] != unit) {
            c->at[n] = c->at[j];
            c->of[n++] = c->of[j];
        }
    c->n_left = n;
    memset(c->count, 0, axis->n_units * c->length * sizeof *c->count);
    for (uint64_t i = axis->first[unit]; i < axis->first[unit + 1]; i++) {
        const double at = axis->at[i];
        while (low < n && c->at[low] < at - reach)
            low++;
        uint64_t j = low;
        for (; j < n && c->at[j] < at + reach; j++) {
            const uint64_t cell = (uint64_t)(int64_t)(c->at[j] - at + reach + 0.5);
            c->count[c->of[j] * c->length + cell]++;
        }
        c->touched += j - low;
    }
}

/* A peak takes the place of a worse one of about its lag, else of the worst one. */
static void keep_peak(sequence_seed *peak, const sequence_seed *seed)
{
    int worst = 0;
    for (int k = 0; k < PEAKS; k++) {
        const double apart = 2 * fmax(peak[k].width, seed->width);
        if (peak[k].score > 0 && fabs(peak[k].lag - seed->lag) <= apart) {
            worst = k;
            break;
        }
        worst = peak[k].score < peak[worst].score ? k : worst;
    }
    if (seed->score > peak[worst].score)
        peak[worst] = *seed;
}

/* Score: n log(n / mean) - (n - mean), a bound of -log of the tail of the Poisson distribution. */
static void find_peaks(const correlograms *c, uint32_t a, uint32_t b, int width,
                       sequence_seed *peak)
{
    const uint64_t w = (uint64_t)width;
    const double total = (double)c->before[c->length];
    const double share = (2 * width + 1) / (double)c->length;
    for (uint64_t j = w; j + w < c->length; j++) {
        const double n = (double)(c->before[j + w + 1] - c->before[j - w]);
        const double mean = (total - n + 1) * share / (1 - share);
        if (n < LEAST_PAIRS || n < mean + sqrt(mean))
            continue;
        const double score = n * spk_portable_log(n / mean) - (n - mean);
        const sequence_seed seed = {{a, b}, (double)j - (double)c->reach, width, score};
        keep_peak(peak, &seed);
    }
}

static spk_status add_pair(spk_context *context, correlograms *c, uint32_t a, uint32_t b)
{
    const uint32_t *count = c->count + b * c->length;
    sequence_seed peak[PEAKS] = {{{0}, 0, 0, 0}};
    for (uint64_t j = 0; j < c->length; j++)
        c->before[j + 1] = c->before[j] + count[j];
    c->touched += c->length * SEQUENCE_N_WIDTHS;
    if (c->before[c->length] < LEAST_PAIRS)
        return SPK_OK;
    for (int k = 0; k < SEQUENCE_N_WIDTHS; k++)
        find_peaks(c, a, b, spk_sequence_width(k), peak);
    spk_status status = spk_grow(context, &c->seed, &c->capacity, c->n + PEAKS, "seeds");
    for (int k = 0; k < PEAKS && status == SPK_OK; k++)
        if (peak[k].score > 0)
            c->seed[c->n++] = peak[k];
    return status;
}

int spk_sequence_compare_seeds(const void *a, const void *b)
{
    const sequence_seed *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->score, y->score), SPK_UP(x->unit[0], y->unit[0]),
                  SPK_UP(x->unit[1], y->unit[1]), SPK_UP(x->lag, y->lag));
}

spk_status spk_sequence_seeds(spk_context *context, const sequence_axis *axis, uint64_t most,
                              sequence_seed **out, uint64_t *n, uint64_t *touched)
{
    const uint64_t reach = (uint64_t)axis->reach;
    correlograms c = {.axis = axis, .reach = reach, .length = 2 * reach + 1, .n_left = axis->n};
    spk_status status =
        spk_alloc_columns(context, "correlograms", SPK_COLUMN(&c.count, axis->n_units * c.length),
                          SPK_COLUMN_ZERO(&c.before, c.length + 1), SPK_COLUMN(&c.at, axis->n),
                          SPK_COLUMN(&c.of, axis->n));
    if (status == SPK_OK && axis->n > 0) {
        memcpy(c.at, axis->ordered, axis->n * sizeof *c.at);
        memcpy(c.of, axis->ordered_unit, axis->n * sizeof *c.of);
    }
    for (uint32_t a = 0; a < axis->n_units && status == SPK_OK; a++) {
        status = spk_check_cancel(context);
        /* One unit with all others: memory does not grow with the number of pairs. */
        count_lags(&c, a);
        for (uint32_t b = a + 1; b < axis->n_units && status == SPK_OK; b++)
            status = add_pair(context, &c, a, b);
    }
    if (status == SPK_OK && c.n > 0)
        qsort(c.seed, c.n, sizeof *c.seed, spk_sequence_compare_seeds);
    spk_free(context, c.count);
    spk_free(context, c.before);
    spk_free(context, c.at);
    spk_free(context, c.of);
    *touched += c.touched;
    *out = c.seed;
    *n = c.n < most ? c.n : most;
    return status;
}
