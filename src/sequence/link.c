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
#include <string.h>

#include "base/bisect.h"
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
    spk_free_all(scan->cover, scan->before, scan->covered);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Where one unit's spikes are counted with one width. */
typedef struct counts {
    int64_t n; /* lags */
    int width;
    int32_t *cover;   /* by lag: differences of neighbours */
    uint32_t *before; /* by cell; NULL: they are counted already */
} counts;

/* A spike at distance d - SEQUENCE_CELLS from lag 0 adds 1 to its cell, and to the lags within the
 * width that no earlier spike of the moment reached: *covered ends at `zero`, which rises from
 * moment to moment by more than there are lags. */
static inline void add_spike(const counts *c, double d, int64_t zero, int64_t *covered)
{
    /* Above 0, a number is cut to the cell that it lies in. */
    const int64_t low = (int64_t)d, high = low + ((double)low < d);
    int64_t from = high - SEQUENCE_CELLS - c->width, to = low - SEQUENCE_CELLS + c->width + 1;
    if (c->before != NULL)
        c->before[(int64_t)(d + 0.5)]++;
    from = from < *covered - zero ? *covered - zero : from;
    to = to > c->n ? c->n : to;
    if (from < 0)
        from = 0;
    if (from >= to)
        return;
    c->cover[from]++;
    c->cover[to]--;
    *covered = zero + to;
}

/* The first spike at `at` or behind it, as spk_sequence_first_spike; `hint` is that of an earlier
 * moment: mostly it lies close before. */
static uint64_t spike_behind(const sequence_axis *axis, uint32_t unit, uint64_t hint, double at)
{
    const uint64_t end = axis->first[unit + 1];
    uint64_t step = 1;
    if (hint > axis->first[unit] && axis->at[hint - 1] >= at)
        return spk_sequence_first_spike(axis, unit, at);
    while (hint + step < end && axis->at[hint + step] < at) {
        hint += step;
        step *= 2;
    }
    return spk_first_f64(axis->at, hint, hint + step < end ? hint + step : end, at);
}

/* Returns the first spike that it looked at. */
static uint64_t add_moment(const sequence_axis *axis, uint32_t unit, double moment, lag_range range,
                           uint64_t hint, sequence_scan *scan)
{
    const double base = moment + range.origin, beyond = (double)range.n + SEQUENCE_CELLS - 0.5;
    const uint64_t end = axis->first[unit + 1];
    const uint64_t first = spike_behind(axis, unit, hint, base - SEQUENCE_CELLS);
    counts c = {.n = range.n, .before = scan->before};
    for (int k = range.first_width; k <= range.last_width; k++) {
        int64_t covered = 0;
        uint64_t i = first;
        c.width = spk_sequence_width(k);
        c.cover = scan->cover + k * (range.n + 1);
        for (; i < end && axis->at[i] - base < beyond; i++)
            add_spike(&c, axis->at[i] - base + SEQUENCE_CELLS, 0, &covered);
        scan->touched += i - first;
        c.before = NULL;
    }
    return first;
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

/* What one width tells of one unit. */
typedef struct counted {
    uint32_t unit;
    uint64_t n_moments;
    int number;             /* of the width */
    int32_t *with;          /* by lag: moments with a spike */
    const uint32_t *before; /* by lag: spikes before it; SEQUENCE_CELLS more on both sides */
} counted;

/* Whether judge() looks at any lag more closely, where `least` is the best score so far: its own
 * condition, with room for the rounding of floats. No branch, so that this loop becomes vectors. */
static bool may_reach(const sequence_axis *axis, const counted *c, int64_t n, double least)
{
    const int w = spk_sequence_width(c->number);
    const float moments = (float)c->n_moments, share = 1 / moments;
    const float scale = (float)(2 * w /
                                (moments * (2.0F * SEQUENCE_CELLS - 2 * (float)w) +
                                 prior_spikes / axis->mean_rate[c->unit]));
    const float prior = (float)prior_spikes, needed = (float)(0.999 * least) / moments;
    int reached = 0;
    for (int64_t j = 0; j < n; j++) {
        const uint32_t *here = c->before + j;
        const int32_t outside =
            (int32_t)(here[SEQUENCE_CELLS + 1] - here[w + 1] + here[-w] - here[-SEQUENCE_CELLS]);
        const float mean = scale * ((float)outside + prior);
        const float excess = share * (float)c->with[j] - mean;
        const float larger = excess + excess * mean;
        reached |= (larger > 0) & (larger * larger > needed * mean);
    }
    return reached != 0;
}

/* Judges all lags with one width; *best is the best one so far. */
static void judge(const sequence_axis *axis, const counted *c, lag_range range, sequence_link *best)
{
    const int w = spk_sequence_width(c->number);
    const uint32_t *before = c->before;
    const double n = (double)c->n_moments;
    const double exposure =
        n * (2 * SEQUENCE_CELLS - 2 * w) + prior_spikes / axis->mean_rate[c->unit];
    for (int64_t j = 1; j < range.n; j++)
        c->with[j] += c->with[j - 1];
    if (!may_reach(axis, c, range.n, best->score))
        return;
    for (int64_t j = 0; j < range.n; j++) {
        const double with = (double)c->with[j];
        if (with < SEQUENCE_LEAST)
            continue;
        const uint32_t outside = before[j + SEQUENCE_CELLS + 1] - before[j + w + 1] +
                                 before[j - w] - before[j - SEQUENCE_CELLS];
        const double mean = 2 * w * (outside + prior_spikes) / exposure;
        const double excess = with / n - mean;
        /* No better than the best one. Where spikes are so dense that the mean is near 1, a lag
         * that is a little better may be passed over, in the recording as in its surrogates. */
        if (excess <= 0 || n * excess * excess * (1 + mean) * (1 + mean) <= best->score * mean)
            continue;
        const double q = -spk_portable_expm1(-mean);
        const double score = divergence(n, with, q);
        if (score > best->score)
            *best = (sequence_link){
                score, range.origin + (double)j, w, (uint64_t)with, c->n_moments, q};
    }
}

static lag_range lags_of(sequence_range range)
{
    const double origin = ceil(range.low);
    return (lag_range){origin, (int64_t)(floor(range.high) - origin) + 1, range.first_width,
                       range.last_width};
}

/* Spikes are counted beyond both ends of the lags, too: what chance gives is taken from there. */
static uint64_t cells_of(lag_range lags)
{
    return (uint64_t)lags.n + UINT64_C(2) * SEQUENCE_CELLS + 1;
}

spk_status spk_sequence_link_find(spk_context *context, const sequence_axis *axis,
                                  const sequence_moments *moments, uint32_t unit,
                                  sequence_range range, sequence_scan *scan, sequence_link *out)
{
    const lag_range lags = lags_of(range);
    *out = (sequence_link){.n = moments->n};
    if (lags.n < 1 || moments->n < SEQUENCE_LEAST || axis->first[unit] == axis->first[unit + 1])
        return SPK_OK;
    const uint64_t n_cells = cells_of(lags);
    scan->touched += moments->n + n_cells * (uint64_t)(range.last_width - range.first_width + 1);
    spk_status status =
        spk_grow_columns(context, &scan->capacity, n_cells, "lags",
                         SPK_COLUMN(&scan->cover, SEQUENCE_N_WIDTHS), SPK_COLUMN(&scan->before, 1));
    if (status != SPK_OK)
        return status;
    memset(scan->cover, 0, SEQUENCE_N_WIDTHS * (size_t)(lags.n + 1) * sizeof *scan->cover);
    memset(scan->before, 0, n_cells * sizeof *scan->before);
    uint64_t hint = axis->first[unit];
    for (uint64_t k = 0; k < moments->n; k++)
        hint = add_moment(axis, unit, moments->at[k], lags, hint, scan);
    sum_up(scan->before, n_cells);
    for (int k = lags.first_width; k <= lags.last_width; k++) {
        const counted c = {unit, moments->n, k, scan->cover + k * (lags.n + 1),
                           scan->before + SEQUENCE_CELLS};
        judge(axis, &c, lags, out);
    }
    return SPK_OK;
}

/* ---- all units ------------------------------------------------------------------------------- */

/* Counts the spikes of all units about the moments, in order of time, into scan->cover and
 * scan->before, a row for each unit; `covered` is 0 for each unit. */
static void count_all(const sequence_axis *axis, const sequence_moments *moments, lag_range range,
                      int64_t *covered, sequence_scan *scan)
{
    const double beyond = (double)range.n + SEQUENCE_CELLS - 0.5;
    const uint64_t n_cells = cells_of(range), n_lags = (uint64_t)range.n + 1;
    counts c = {.n = range.n, .width = spk_sequence_width(range.first_width)};
    uint64_t low = 0;
    for (uint64_t k = 0; k < moments->n; k++) {
        const double base = moments->at[k] + range.origin;
        const int64_t zero = (int64_t)(k * n_lags);
        const double first = base - SEQUENCE_CELLS;
        while (low < axis->n && axis->ordered[low] < first)
            low++;
        uint64_t i = low;
        for (; i < axis->n && axis->ordered[i] - base < beyond; i++) {
            const uint32_t u = axis->ordered_unit[i];
            c.cover = scan->cover + u * n_lags;
            c.before = scan->before + u * n_cells;
            add_spike(&c, axis->ordered[i] - base + SEQUENCE_CELLS, zero, &covered[u]);
        }
        scan->touched += i - low;
    }
}

spk_status spk_sequence_links_sum(spk_context *context, const sequence_axis *axis,
                                  const sequence_moments *moments, const uint32_t but[2],
                                  sequence_range range, double least, sequence_scan *scan,
                                  double *out)
{
    const lag_range lags = lags_of(range);
    *out = 0;
    if (lags.n < 1 || moments->n < SEQUENCE_LEAST)
        return SPK_OK;
    const uint64_t n_cells = cells_of(lags), n_units = axis->n_units;
    scan->touched += n_units * n_cells / 4; /* eight lags are judged at once, mostly */
    spk_status status =
        spk_grow_columns(context, &scan->capacity, n_units * n_cells, "lags of all units",
                         SPK_COLUMN(&scan->cover, SEQUENCE_N_WIDTHS), SPK_COLUMN(&scan->before, 1));
    if (status == SPK_OK)
        status = spk_grow(context, &scan->covered, &scan->n_covered, n_units, "units");
    if (status != SPK_OK)
        return status;
    memset(scan->cover, 0, n_units * (size_t)(lags.n + 1) * sizeof *scan->cover);
    memset(scan->before, 0, n_units * n_cells * sizeof *scan->before);
    memset(scan->covered, 0, n_units * sizeof *scan->covered);
    count_all(axis, moments, lags, scan->covered, scan);
    for (uint32_t u = 0; u < n_units; u++) {
        uint32_t *before = scan->before + u * n_cells;
        const counted c = {u, moments->n, lags.first_width,
                           scan->cover + u * (uint64_t)(lags.n + 1), before + SEQUENCE_CELLS};
        sequence_link link = {.score = least};
        if (u == but[0] || u == but[1] || scan->covered[u] == 0)
            continue;
        sum_up(before, n_cells);
        judge(axis, &c, lags, &link);
        *out += link.score - least;
    }
    return SPK_OK;
}
