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
#include "base/random.h"
#include "sequence/sequence.h"

/* Spikes that the unit's mean rate counts for in the rate nearby. */
static const double prior_spikes = 5;

/* Lags that are looked at together. */
enum { A_BLOCK = 16 };

/* Lags are whole cells 0 .. n - 1 from `origin` on. */
typedef struct lag_range {
    double origin;
    int64_t n;
    int first_width;
    int last_width;
} lag_range;

/* Blocks of so many lags, and of the end behind them. */
static int64_t blocks_of(int64_t n_lags)
{
    return n_lags / A_BLOCK + 1;
}

void spk_sequence_scan_free(sequence_scan *scan)
{
    spk_free_all(scan->cover, scan->spikes, scan->block, scan->covered);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Where one unit's spikes are counted with one width. */
typedef struct counts {
    int64_t n; /* lags */
    int width;
    int32_t *cover;        /* by lag: differences of neighbours */
    sequence_block *block; /* of lags; NULL: spikes are so dense that each block has many */
    uint32_t *spikes;      /* by cell; NULL: they are counted already */
} counts;

/* A spike at distance d - SEQUENCE_CELLS from lag 0 adds 1 to its cell, and to the lags within the
 * width that no earlier spike of the moment reached: *covered ends at `zero`, which rises from
 * moment to moment by more than there are lags. */
static inline void add_spike(const counts *c, double d, int64_t zero, int64_t *covered)
{
    /* Above 0, a number is cut to the cell that it lies in. */
    const int64_t low = (int64_t)d, high = low + ((double)low < d);
    int64_t from = high - SEQUENCE_CELLS - c->width, to = low - SEQUENCE_CELLS + c->width + 1;
    if (c->spikes != NULL)
        c->spikes[(int64_t)(d + 0.5)]++;
    from = from < *covered - zero ? *covered - zero : from;
    to = to > c->n ? c->n : to;
    if (from < 0)
        from = 0;
    if (from >= to)
        return;
    c->cover[from]++;
    c->cover[to]--;
    *covered = zero + to;
    if (c->block == NULL)
        return;
    uint64_t b = (uint64_t)from / A_BLOCK;
    c->block[b].begun++;
    while (++b <= (uint64_t)to / A_BLOCK)
        c->block[b].before++;
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

/* Spikes about the moments, at a lag and of a unit, above which blocks are of no use. */
static const double most_sparse = 0.1;

/* Of a unit, whose spikes are so many. */
static bool is_sparse(const sequence_axis *axis, double n_spikes, uint64_t n_moments)
{
    return n_spikes * (double)n_moments < most_sparse * axis->observed;
}

/* Returns the first spike that it looked at. */
static uint64_t add_moment(const sequence_axis *axis, uint32_t unit, double moment, lag_range range,
                           bool sparse, uint64_t hint, sequence_scan *scan)
{
    const double base = moment + range.origin, beyond = (double)range.n + SEQUENCE_CELLS - 0.5;
    const uint64_t end = axis->first[unit + 1];
    const uint64_t first = spike_behind(axis, unit, hint, base - SEQUENCE_CELLS);
    counts c = {.n = range.n, .spikes = scan->spikes};
    for (int k = range.first_width; k <= range.last_width; k++) {
        int64_t covered = 0;
        uint64_t i = first;
        c.width = spk_sequence_width(k);
        c.cover = scan->cover + k * (range.n + 1);
        c.block = sparse ? scan->block + k * blocks_of(range.n) : NULL;
        for (; i < end && axis->at[i] - base < beyond; i++)
            add_spike(&c, axis->at[i] - base + SEQUENCE_CELLS, 0, &covered);
        scan->touched += i - first;
        c.spikes = NULL;
    }
    return first;
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
    int number; /* of the width */
    const int32_t *cover;
    const sequence_block *block; /* or NULL */
    const uint32_t *spikes;      /* by cell, from SEQUENCE_CELLS before the first lag on */
} counted;

/* A block of lags, summed up. */
typedef struct summed {
    int64_t n;               /* lags */
    int32_t last;            /* moments at the last one */
    int32_t with[A_BLOCK];   /* moments with a spike */
    int32_t beside[A_BLOCK]; /* spikes within SEQUENCE_CELLS, and outside of the window */
} summed;

/* What a width and a unit have in common at all lags. */
typedef struct scale {
    float moments;
    float of_spikes; /* a spike outside of the window, in the mean of the window */
    float least;     /* score that is of interest, less what floats round */
} scale;

static scale scale_of(const sequence_axis *axis, const counted *c, double least)
{
    const double w = spk_sequence_width(c->number), n = (double)c->n_moments;
    const double exposure =
        n * (2 * SEQUENCE_CELLS - 2 * w) + prior_spikes / axis->mean_rate[c->unit];
    return (scale){(float)n, (float)(2 * w / exposure), (float)(0.999 * least - 1e-5 * n)};
}

/* No less than the score, but for what floats round: chance is 1 - exp(-mean), which is at least
 * mean / (1 + mean / 2 + mean^2 / 12), and the logarithm of its complement is -mean. */
static inline float score_at_most(const scale *by, float with, float mean)
{
    const float n = by->moments, without = n - with;
    const float odds = with * (1 + mean * (0.5F + mean * (1 / 12.0F))) / (n * mean);
    return with * spk_sequence_log(odds) + without * (spk_sequence_log(without / n) + mean);
}

/* So many moments must have a spike for a score of interest, if no spike lies outside. */
static int32_t find_least_with(const scale *by, uint64_t n_moments)
{
    const float mean = by->of_spikes * (float)prior_spikes;
    spk_bisect s = {SEQUENCE_LEAST, n_moments + 1};
    while (spk_bisect_next(&s)) {
        const float with = (float)s.middle;
        spk_bisect_told(&s,
                        !(with > by->moments * mean && score_at_most(by, with, mean) > by->least));
    }
    return (int32_t)s.low;
}

/* The mean that chance gives within the window of a lag. */
static inline float mean_at(const summed *s, const scale *by, int64_t j)
{
    return by->of_spikes * ((float)s->beside[j] + (float)prior_spikes);
}

/* Whether judge_lag() looks at any of the lags more closely: its own condition, with room for the
 * rounding of floats. No branch, so that this loop becomes vectors. */
static bool may_reach(const summed *s, const scale *by)
{
    const float share = 1 / by->moments, needed = by->least / by->moments;
    int reached = 0;
    for (int64_t j = 0; j < s->n; j++) {
        const float mean = mean_at(s, by, j);
        const float excess = share * (float)s->with[j] - mean;
        const float larger = excess + excess * mean;
        reached |= (larger > 0) & (larger * larger > needed * mean);
    }
    return reached != 0;
}

/* The lags whose score may be of interest. Without a branch, too. */
static void find_near(const summed *s, const scale *by, int32_t *near)
{
    for (int64_t j = 0; j < s->n; j++) {
        const int32_t with = s->with[j] < SEQUENCE_LEAST ? SEQUENCE_LEAST : s->with[j];
        const float most = score_at_most(by, (float)with, mean_at(s, by, j));
        near[j] = (most > by->least) & (s->with[j] >= SEQUENCE_LEAST);
    }
}

/* Judges one lag; *best is the best one so far. */
static void judge_lag(const sequence_axis *axis, const counted *c, const summed *s, int64_t j,
                      double lag, sequence_link *best)
{
    const int w = spk_sequence_width(c->number);
    const double n = (double)c->n_moments, with = (double)s->with[j];
    const double exposure =
        n * (2 * SEQUENCE_CELLS - 2 * w) + prior_spikes / axis->mean_rate[c->unit];
    const double mean = 2 * w * (s->beside[j] + prior_spikes) / exposure;
    const double excess = with / n - mean;
    /* No better than the best one. Where spikes are so dense that the mean is near 1, a lag that is
     * a little better may be passed over, in the recording as in its surrogates. */
    if (excess <= 0 || n * excess * excess * (1 + mean) * (1 + mean) <= best->score * mean)
        return;
    const double q = -spk_portable_expm1(-mean);
    const double score = divergence(n, with, q);
    if (score > best->score)
        *best = (sequence_link){score, lag, w, (uint64_t)with, c->n_moments, q};
}

/*
 * Spikes beside the window of each lag, from those of the lag before it:
 *
 *     cells       lag - CELLS .. | - w .. lag .. + w | .. + CELLS
 *     next lag     out              in           out              in
 */
static void sum_beside(const counted *c, int64_t from, int64_t n, int32_t *beside)
{
    const int w = spk_sequence_width(c->number);
    const uint32_t *left = c->spikes + from, *left_end = left + SEQUENCE_CELLS - w;
    const uint32_t *right = left + SEQUENCE_CELLS + w + 1, *right_end = right + SEQUENCE_CELLS - w;
    uint32_t now = 0, change[A_BLOCK];
    for (int k = 0; k < SEQUENCE_CELLS - w; k++)
        now += left[k] + right[k];
    for (int64_t j = 0; j < n; j++)
        change[j] = left_end[j] - left[j] + right_end[j] - right[j];
    for (int64_t j = 0; j < n; j++) {
        beside[j] = (int32_t)now;
        now += change[j];
    }
}

/* The largest number of moments in a block, which is summed up. */
static int32_t sum_up(const counted *c, int64_t b, int64_t n_lags, summed *s)
{
    const int64_t from = b * A_BLOCK;
    const int32_t *cover = c->cover + from;
    int32_t with = c->block != NULL ? c->block[b].before : s->last, most = 0;
    s->n = from + A_BLOCK < n_lags ? A_BLOCK : n_lags - from;
    for (int64_t j = 0; j < s->n; j++) {
        s->with[j] = with += cover[j];
        most = with > most ? with : most;
    }
    s->last = with;
    sum_beside(c, from, s->n, s->beside);
    return most;
}

/* Judges all lags with one width. A block that has too few moments for a better score is not even
 * summed up, and a logarithm of doubles is taken where floats come near to the best one alone. */
static void judge(const sequence_axis *axis, const counted *c, lag_range range, sequence_link *best)
{
    scale by = scale_of(axis, c, best->score);
    int32_t near[A_BLOCK], least_with = find_least_with(&by, c->n_moments);
    summed s = {.last = 0};
    for (int64_t b = 0; b * A_BLOCK < range.n; b++) {
        if (c->block != NULL && c->block[b].before + c->block[b].begun < least_with)
            continue;
        if (sum_up(c, b, range.n, &s) < least_with || !may_reach(&s, &by))
            continue;
        const double score = best->score;
        find_near(&s, &by, near);
        for (int64_t j = 0; j < s.n; j++)
            if (near[j])
                judge_lag(axis, c, &s, j, range.origin + (double)(b * A_BLOCK + j), best);
        if (best->score > score) {
            by = scale_of(axis, c, best->score);
            least_with = find_least_with(&by, c->n_moments);
        }
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
    spk_status status = spk_grow_columns(context, &scan->capacity, n_cells, "lags",
                                         SPK_COLUMN(&scan->cover, SEQUENCE_N_WIDTHS),
                                         SPK_COLUMN(&scan->spikes, 1), SPK_COLUMN(&scan->block, 1));
    if (status != SPK_OK)
        return status;
    memset(scan->cover, 0, SEQUENCE_N_WIDTHS * (size_t)(lags.n + 1) * sizeof *scan->cover);
    memset(scan->spikes, 0, n_cells * sizeof *scan->spikes);
    memset(scan->block, 0, SEQUENCE_N_WIDTHS * (size_t)blocks_of(lags.n) * sizeof *scan->block);
    const uint64_t n_spikes = axis->first[unit + 1] - axis->first[unit];
    const bool sparse = is_sparse(axis, (double)n_spikes, moments->n);
    uint64_t hint = axis->first[unit];
    for (uint64_t k = 0; k < moments->n; k++)
        hint = add_moment(axis, unit, moments->at[k], lags, sparse, hint, scan);
    for (int k = lags.first_width; k <= lags.last_width; k++) {
        const counted c = {unit,
                           moments->n,
                           k,
                           scan->cover + k * (lags.n + 1),
                           sparse ? scan->block + k * blocks_of(lags.n) : NULL,
                           scan->spikes};
        judge(axis, &c, lags, out);
    }
    return SPK_OK;
}

/* ---- all units ------------------------------------------------------------------------------- */

/* Counts the spikes of all units about the moments, in order of time, into scan->cover and
 * scan->spikes, a row for each unit; `covered` is 0 for each unit. */
static void count_all(const sequence_axis *axis, const sequence_moments *moments, lag_range range,
                      bool sparse, int64_t *covered, sequence_scan *scan)
{
    const double beyond = (double)range.n + SEQUENCE_CELLS - 0.5;
    const uint64_t n_cells = cells_of(range), n_lags = (uint64_t)range.n + 1;
    const uint64_t n_blocks = (uint64_t)blocks_of(range.n);
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
            c.spikes = scan->spikes + u * n_cells;
            c.block = sparse ? scan->block + u * n_blocks : NULL;
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
    const uint64_t n_blocks = (uint64_t)blocks_of(lags.n);
    scan->touched += n_units * n_cells / 4; /* eight lags are judged at once, mostly */
    spk_status status =
        spk_grow_columns(context, &scan->capacity, n_units * n_cells, "lags of all units",
                         SPK_COLUMN(&scan->cover, SEQUENCE_N_WIDTHS), SPK_COLUMN(&scan->spikes, 1),
                         SPK_COLUMN(&scan->block, 1));
    if (status == SPK_OK)
        status = spk_grow(context, &scan->covered, &scan->n_covered, n_units, "units");
    if (status != SPK_OK)
        return status;
    memset(scan->cover, 0, n_units * (size_t)(lags.n + 1) * sizeof *scan->cover);
    memset(scan->spikes, 0, n_units * n_cells * sizeof *scan->spikes);
    memset(scan->block, 0, n_units * n_blocks * sizeof *scan->block);
    memset(scan->covered, 0, n_units * sizeof *scan->covered);
    const bool sparse = is_sparse(axis, (double)axis->n / (double)n_units, moments->n);
    count_all(axis, moments, lags, sparse, scan->covered, scan);
    for (uint32_t u = 0; u < n_units; u++) {
        const counted c = {u,
                           moments->n,
                           lags.first_width,
                           scan->cover + u * (uint64_t)(lags.n + 1),
                           sparse ? scan->block + u * n_blocks : NULL,
                           scan->spikes + u * n_cells};
        sequence_link link = {.score = least};
        if (u == but[0] || u == but[1] || scan->covered[u] == 0)
            continue;
        judge(axis, &c, lags, &link);
        *out += link.score - least;
    }
    return SPK_OK;
}
