/*
 * Links: how one unit's spikes gather at one lag from the moments of a sequence.
 *
 *     moments:   |         |          |        |
 *     spikes:      .  o       . o       o  .     .o      o: at the lag
 *
 * A moment counts once, however many spikes it has there. What chance gives is taken from the
 * unit's spikes nearby, up to a distance that surrogates move spikes by, without those at the lag.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/portable.h"
#include "base/random.h"
#include "sequence/sequence.h"

/* Spikes that the unit's mean rate counts for in the rate nearby. */
static const double prior_spikes = 5;

/* Lags are whole cells 0 .. n - 1 from `origin` on. */
typedef struct lag_range {
    double origin;
    int64_t n;
    int first_width;
    int last_width;
} lag_range;

void spk_sequence_scan_free(sequence_scan *scan)
{
    free(scan->cover);
    free(scan->before);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Adds 1 to the lags that a spike at distance d from the origin covers and no earlier spike of this
 * moment did; `cover` holds differences of neighbours. */
static void cover_lags(lag_range range, double d, int width, int64_t *covered, int32_t *cover)
{
    int64_t from = (int64_t)ceil(d - width), to = (int64_t)floor(d + width) + 1;
    from = from < *covered ? *covered : from;
    to = to > range.n ? range.n : to;
    if (from >= to)
        return;
    cover[from]++;
    cover[to]--;
    *covered = to;
}

static void add_moment(const sequence_axis *axis, uint32_t unit, double moment, lag_range range,
                       sequence_scan *scan)
{
    const double base = moment + range.origin;
    int64_t covered[SEQUENCE_N_WIDTHS] = {0};
    uint64_t i = spk_sequence_first_spike(axis, unit, base - SEQUENCE_CELLS);
    for (; i < axis->first[unit + 1]; i++) {
        const double d = axis->at[i] - base;
        const int64_t cell = (int64_t)floor(d + 0.5) + SEQUENCE_CELLS;
        if (cell >= range.n + (int64_t)2 * SEQUENCE_CELLS)
            break;
        scan->touched++;
        scan->before[cell]++;
        for (int k = range.first_width; k <= range.last_width; k++)
            cover_lags(range, d, spk_sequence_width(k), &covered[k],
                       scan->cover + k * (range.n + 1));
    }
}

static void sum_up(uint32_t *count, uint64_t n)
{
    uint32_t sum = 0;
    for (uint64_t j = 0; j < n; j++) {
        const uint32_t here = count[j];
        count[j] = sum;
        sum += here;
    }
}

/* ---- scores ---------------------------------------------------------------------------------- */

static double divergence(double n, double k, double q)
{
    const double with = k * spk_portable_log(k / (n * q));
    if (k >= n)
        return with;
    return with + (n - k) * (spk_portable_log1p(-k / n) - spk_portable_log1p(-q));
}

/* Judges all lags with one width. */
static void judge(const sequence_axis *axis, uint64_t n_moments, uint32_t unit, lag_range range,
                  int number, const sequence_scan *scan, sequence_link *best)
{
    const int w = spk_sequence_width(number);
    const int32_t *cover = scan->cover + number * (range.n + 1);
    const uint32_t *before = scan->before + SEQUENCE_CELLS;
    const double n = (double)n_moments;
    const double exposure = n * (2 * SEQUENCE_CELLS - 2 * w) + prior_spikes / axis->mean_rate[unit];
    int64_t with = 0;
    for (int64_t j = 0; j < range.n; j++) {
        with += cover[j];
        if (with < SEQUENCE_LEAST)
            continue;
        const uint32_t outside = before[j + SEQUENCE_CELLS + 1] - before[j + w + 1] +
                                 before[j - w] - before[j - SEQUENCE_CELLS];
        const double mean = 2 * w * (outside + prior_spikes) / exposure;
        const double excess = (double)with / n - mean;
        if (excess <= 0 || n * excess * excess * (1 + mean) * (1 + mean) <= best->score * mean)
            continue; /* the divergence is at most excess^2 / (q (1 - q)) */
        const double q = -spk_portable_expm1(-mean);
        const double score = divergence(n, (double)with, q);
        if (score > best->score)
            *best =
                (sequence_link){score, range.origin + (double)j, w, (uint64_t)with, n_moments, q};
    }
}

spk_status spk_sequence_link_find(spk_context *context, const sequence_axis *axis,
                                  const sequence_moments *moments, uint32_t unit,
                                  sequence_range range, sequence_scan *scan, sequence_link *out)
{
    const double origin = ceil(range.low);
    const lag_range lags = {origin, (int64_t)(floor(range.high) - origin) + 1, range.first_width,
                            range.last_width};
    *out = (sequence_link){.n = moments->n};
    if (lags.n < 1 || moments->n < SEQUENCE_LEAST || axis->first[unit] == axis->first[unit + 1])
        return SPK_OK;
    /* Spikes are counted beyond both ends of the lags, too: what chance gives is taken from
     * there. */
    const uint64_t n_cells = (uint64_t)lags.n + UINT64_C(2) * SEQUENCE_CELLS + 1;
    scan->touched += moments->n + n_cells * (uint64_t)(range.last_width - range.first_width + 1);
    spk_status status =
        spk_grow_columns(context, &scan->capacity, n_cells, "lags",
                         SPK_COLUMN(&scan->cover, SEQUENCE_N_WIDTHS), SPK_COLUMN(&scan->before, 1));
    if (status != SPK_OK)
        return status;
    memset(scan->cover, 0, SEQUENCE_N_WIDTHS * (size_t)(lags.n + 1) * sizeof *scan->cover);
    memset(scan->before, 0, n_cells * sizeof *scan->before);
    for (uint64_t k = 0; k < moments->n; k++)
        add_moment(axis, unit, moments->at[k], lags, scan);
    sum_up(scan->before, n_cells);
    for (int k = lags.first_width; k <= lags.last_width; k++)
        judge(axis, moments->n, unit, lags, k, scan, out);
    return SPK_OK;
}
