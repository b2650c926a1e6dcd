/*
 * Dithering by the distribution of intervals: a spike moves between its neighbours so that the two
 * intervals beside it are drawn from the (joint) distribution of the unit, given their sum. It
 * moves by whole bins of the histogram. The first and the last spike of a segment stay.
 *
 * Beside the published program: its search skips the bin farthest to the left, which makes spikes
 * late on average; here both directions reach equally far. Where the refractory period divides a
 * bin, the program makes intervals shorter than it; here none is.
 *
 * Layout of a unit's table, n_bins = 3: cumulative weights along the diagonals of equal sum.
 *     pairs of bins   (0,0) | (0,1) (1,0) | (0,2) (1,1) (2,0)
 *     place           0       1     2       3     4     5
 *
 * Invariant: the sum of a spike's two intervals stays, so that its neighbours do. Cost: a table
 * takes n_bins^2 steps, times the width of the Gaussian where it is smoothed; a spike takes a
 * search by halves. Bytes: 4 * n_bins * (n_bins + 1) for each unit with three spikes in a segment,
 * and 16 * n_bins^2 while they are made.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "significance/surrogates/surrogates.h"

/* ---- the distribution of intervals ----------------------------------------------------------- */

/*
 * Histograms of successive intervals. The intervals of a unit in all segments give one histogram:
 * of pairs (interval, next one), or of the product of both alone. It is smoothed with a Gaussian
 * that is reflected at its edges and ends at four standard deviations. A spike between two
 * intervals keeps their sum, hence moves along an anti-diagonal of bins; cumulative weights along
 * these are what drawing needs.
 */

enum { LEAST_BINS = 2, MOST_BINS = 4096 };

/* Memory for one unit at a time: n_bins^2 each, and the Gaussian's weights. */
typedef struct workshop {
    double *histogram;
    double *other;
    double *kernel; /* of distance 0 .. radius */
    uint32_t radius;
} workshop;

/* The bin of an interval, n_bins for all that the histogram does not hold. */
static inline uint32_t interval_bin(const surrogate_intervals *d, uint64_t interval)
{
    return interval < d->truncation ? (uint32_t)(interval * d->factor / d->divisor) : d->n_bins;
}

/* The cumulative weights of the pairs of bins (0, sum), (1, sum - 1), .. (sum, 0) of a unit. */
static inline const double *diagonal(const surrogate_intervals *d, uint32_t unit, uint32_t sum)
{
    uint64_t size = (uint64_t)d->n_bins * (d->n_bins + 1) / 2;
    return d->weight + d->table_of[unit] * size + (uint64_t)sum * (sum + 1) / 2;
}

/* ---- options --------------------------------------------------------------------------------- */

static spk_status fail_option(spk_context *context, const char *what, spk_duration value,
                              const char *remedy)
{
    char text[48];
    spk_duration_format(value, text, sizeof text);
    return spk_fail(context, SPK_ERR_ARGUMENT, "the %s of intervals is %s; %s", what, text, remedy);
}

/* The grid of the histogram in ticks: bin = floor(interval * factor / divisor). */
static spk_status lay_bins(spk_context *context, const spk_surrogate_options *options,
                           spk_rate rate, surrogate_intervals *d)
{
    uint64_t numerator = 0, denominator = 1;
    if (options->n_bins < LEAST_BINS || options->n_bins > MOST_BINS)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a histogram of %u bins of intervals; take %d to %d bins", options->n_bins,
                        LEAST_BINS, MOST_BINS);
    if (options->truncation.digits <= 0)
        return fail_option(context, "truncation", options->truncation,
                           "take a length above 0, for example 100ms");
    if (!spk_length_of(options->truncation, rate, &numerator, &denominator) ||
        (unsigned __int128)numerator * options->n_bins + denominator > INT64_MAX ||
        denominator > INT64_MAX / MOST_BINS)
        return fail_option(context, "truncation", options->truncation,
                           "that is too long, or has too many digits, for exact bins in 64 bit");
    d->n_bins = options->n_bins;
    /* bin = interval / (truncation / n_bins) with truncation = numerator / denominator: in whole
     * numbers, so that no interval lies in another bin for rounding. */
    d->divisor = numerator;
    d->factor = denominator * options->n_bins;
    d->truncation = numerator / denominator + (numerator % denominator != 0);
    return SPK_OK;
}

/* Standard deviation of the smoothing in bins. */
static spk_status find_sigma(spk_context *context, const spk_surrogate_options *options,
                             spk_rate rate, const surrogate_intervals *d, double *out)
{
    uint64_t numerator = 0, denominator = 1;
    *out = 0;
    if (options->sigma.digits == 0)
        return SPK_OK;
    if (options->sigma.digits < 0 || spk_duration_compare(options->sigma, options->truncation) > 0)
        return fail_option(context, "smoothing", options->sigma,
                           "take 0, or a length up to the truncation");
    if (!spk_length_of(options->sigma, rate, &numerator, &denominator))
        return fail_option(context, "smoothing", options->sigma, "take one of fewer digits");
    *out = (double)numerator / (double)denominator * (double)d->factor / (double)d->divisor;
    return SPK_OK;
}

/* Displacements by whole bins, in ticks: round(j * divisor / factor). */
static void list_steps(surrogate_intervals *d)
{
    for (uint32_t j = 0; j <= d->n_bins; j++)
        d->step[j] = (uint64_t)(((unsigned __int128)2 * j * d->divisor + d->factor) /
                                ((unsigned __int128)2 * d->factor));
}

/* ---- the histogram --------------------------------------------------------------------------- */

/* Pairs that the histogram does not hold are left out; a pair does not reach from one segment into
 * the next. */
static void count_pairs(const spk_surrogates *s, uint32_t unit, uint64_t first_run, uint64_t end,
                        double *histogram)
{
    const surrogate_intervals *d = &s->intervals;
    for (uint64_t r = first_run; r < end && s->run[r].unit == unit; r++) {
        const int64_t *time = s->time + s->run[r].first;
        uint32_t before = d->n_bins;
        for (uint64_t i = 1; i < s->run[r].n; i++) {
            uint32_t bin = interval_bin(d, (uint64_t)time[i] - (uint64_t)time[i - 1]);
            if (before < d->n_bins && bin < d->n_bins)
                histogram[(size_t)before * d->n_bins + bin]++;
            before = bin;
        }
    }
}

/* The same as the product of the counts of single intervals. */
static void count_products(const spk_surrogates *s, uint32_t unit, uint64_t first_run, uint64_t end,
                           double *histogram)
{
    const surrogate_intervals *d = &s->intervals;
    double n_in[MOST_BINS] = {0};
    for (uint64_t r = first_run; r < end && s->run[r].unit == unit; r++) {
        const int64_t *time = s->time + s->run[r].first;
        for (uint64_t i = 1; i < s->run[r].n; i++) {
            uint32_t bin = interval_bin(d, (uint64_t)time[i] - (uint64_t)time[i - 1]);
            if (bin < d->n_bins)
                n_in[bin]++;
        }
    }
    for (uint32_t a = 0; a < d->n_bins; a++)
        for (uint32_t b = 0; b < d->n_bins; b++)
            histogram[(size_t)a * d->n_bins + b] = n_in[a] * n_in[b];
}

/* ---- smoothing ------------------------------------------------------------------------------- */

/* Weights of a Gaussian out to four standard deviations; their sum over both sides is 1. */
static void fill_kernel(double sigma, workshop *w)
{
    double sum = 0;
    w->radius = (uint32_t)(4 * sigma + 0.5);
    for (uint32_t k = 0; k <= w->radius; k++) {
        w->kernel[k] =
            k == 0 ? 1 : spk_portable_exp(-0.5 * ((double)k / sigma) * ((double)k / sigma));
        sum += k == 0 ? 1 : 2 * w->kernel[k];
    }
    for (uint32_t k = 0; k <= w->radius; k++)
        w->kernel[k] /= sum;
}

/* Entry i of n that are continued by reflection: .. 1 0 | 0 1 .. n-1 | n-1 n-2 .. Most are among
 * the n, and need no division, which would take most of the time. */
static uint32_t reflect(int64_t i, uint32_t n)
{
    if (i >= 0 && i < n)
        return (uint32_t)i;
    int64_t at = i % (2 * (int64_t)n);
    at = at < 0 ? at + 2 * (int64_t)n : at;
    return (uint32_t)(at < n ? at : 2 * (int64_t)n - 1 - at);
}

/* Smooths along one dimension of a square table: n lines of n entries, `along` apart, in lines
 * `across` apart. */
static void smooth_lines(const workshop *w, uint32_t n, size_t across, size_t along,
                         const double *from, double *to)
{
    for (uint32_t line = 0; line < n; line++) {
        const double *in = from + line * across;
        double *out = to + line * across;
        for (uint32_t i = 0; i < n; i++) {
            double sum = in[i * along] * w->kernel[0];
            for (uint32_t k = 1; k <= w->radius; k++)
                sum += w->kernel[k] * (in[reflect((int64_t)i - k, n) * along] +
                                       in[reflect((int64_t)i + k, n) * along]);
            out[i * along] = sum;
        }
    }
}

/* Smooths the square from bin `first` on; what lies before it becomes 0. */
static void smooth(workshop *w, uint32_t n_bins, uint32_t first)
{
    uint32_t n = n_bins - first;
    size_t corner = (size_t)first * n_bins + first;
    smooth_lines(w, n, 1, n_bins, w->histogram + corner, w->other + corner);
    smooth_lines(w, n, n_bins, 1, w->other + corner, w->histogram + corner);
    for (uint32_t a = 0; a < n_bins; a++)
        for (uint32_t b = 0; b < n_bins; b++)
            if (a < first || b < first)
                w->histogram[(size_t)a * n_bins + b] = 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void add_up_diagonals(const double *histogram, uint32_t n_bins, double *weight)
{
    for (uint32_t sum = 0; sum < n_bins; sum++) {
        double total = 0;
        for (uint32_t a = 0; a <= sum; a++) {
            total += histogram[(size_t)a * n_bins + (sum - a)];
            *weight++ = total;
        }
    }
}

/* The runs of one unit become its table. */
static void fill_table(const spk_surrogates *s, const spk_surrogate_options *options, bool joint,
                       uint64_t first_run, workshop *w)
{
    const surrogate_intervals *d = &s->intervals;
    uint32_t unit = s->run[first_run].unit, first = 0;
    size_t cells = (size_t)d->n_bins * d->n_bins;
    memset(w->histogram, 0, cells * sizeof *w->histogram);
    (joint ? count_pairs : count_products)(s, unit, first_run, s->n_runs, w->histogram);
    for (size_t k = 0; k < cells && options->use_sqrt; k++)
        w->histogram[k] = sqrt(w->histogram[k]);
    if (options->cutoff)
        first = interval_bin(d, s->refractory[unit]);
    if (w->kernel != NULL)
        smooth(w, d->n_bins, first);
    uint64_t size = (uint64_t)d->n_bins * (d->n_bins + 1) / 2;
    add_up_diagonals(w->histogram, d->n_bins, d->weight + d->table_of[unit] * size);
}

/* Numbers the units that have a spike between two others; only they get tables. */
static uint64_t number_tables(spk_surrogates *s)
{
    uint64_t n = 0;
    uint32_t last = UINT32_MAX;
    for (uint64_t r = 0; r < s->n_runs; r++) {
        uint32_t unit = s->run[r].unit;
        if (s->run[r].n < 3 || unit == last)
            continue;
        s->intervals.table_of[unit] = n++;
        last = unit;
    }
    return n;
}

static spk_status fill_tables(spk_context *context, const spk_surrogate_options *options,
                              bool joint, spk_surrogates *s, workshop *w)
{
    spk_status status = SPK_OK;
    for (uint64_t r = 0; r < s->n_runs && status == SPK_OK;) {
        uint64_t first = r;
        bool has_table = false;
        for (; r < s->n_runs && s->run[r].unit == s->run[first].unit; r++)
            has_table |= s->run[r].n >= 3;
        if (has_table)
            fill_table(s, options, joint, first, w);
        status = spk_check_cancel(context);
    }
    return status;
}

/* Fills s->intervals, from the refractory periods and the dither, which are there: joint,
 * or the product of the distribution of intervals with itself. */
static spk_status find_intervals(spk_context *context, const spk_surrogate_options *options,
                                 bool joint, spk_surrogates *s)
{
    surrogate_intervals *d = &s->intervals;
    workshop w = {NULL, NULL, NULL, 0};
    double sigma = 0;
    spk_status status = lay_bins(context, options, s->recording->rate, d);
    if (status == SPK_OK)
        status = find_sigma(context, options, s->recording->rate, d, &sigma);
    if (status != SPK_OK)
        return status;
    d->reach = interval_bin(d, s->dither);
    d->fast = options->fast;
    d->alternate = options->alternate;
    d->keeps_refractory = options->cutoff;
    uint64_t cells = (uint64_t)d->n_bins * d->n_bins;
    status = spk_alloc_columns(context, "distributions of intervals",
                               SPK_COLUMN(&w.histogram, cells), SPK_COLUMN(&w.other, cells),
                               SPK_COLUMN(&d->step, (uint64_t)d->n_bins + 1),
                               SPK_COLUMN_ZERO(&d->table_of, s->recording->events.n_units));
    /* One side of the kernel with its middle: it reaches four sigma. */
    if (status == SPK_OK && sigma > 0)
        status = spk_alloc(context, &w.kernel, (uint64_t)(4 * sigma + 0.5) + 1, "smoothing");
    if (status == SPK_OK)
        status = spk_alloc(context, &d->weight,
                           number_tables(s) * ((uint64_t)d->n_bins * (d->n_bins + 1) / 2),
                           "distributions of intervals");
    if (status == SPK_OK) {
        list_steps(d);
        if (sigma > 0)
            fill_kernel(sigma, &w);
        status = fill_tables(context, options, joint, s, &w);
    }
    spk_free(context, w.histogram);
    spk_free(context, w.other);
    spk_free(context, w.kernel);
    return status;
}

/* ---- moving spikes --------------------------------------------------------------------------- */

/* How far, in bins, an interval may shrink. */
static uint32_t spare_bins(const surrogate_intervals *d, uint64_t interval, uint64_t least)
{
    return interval_bin(d, interval - least);
}

/* Moves a spike, *before and *after being its two intervals, uniformly: where the histogram says
 * nothing. */
static void move_uniformly(const spk_surrogates *s, uint64_t least, spk_random *random,
                           uint64_t *before, uint64_t *after)
{
    uint64_t left = *before - least < s->dither ? *before - least : s->dither;
    uint64_t right = *after - least < s->dither ? *after - least : s->dither;
    uint64_t drawn = spk_random_below(random, left + right + 1);
    *before = *before - left + drawn;
    *after = *after + left - drawn;
}

/* The least entry from low on whose cumulative weight passes `value`, at most high. */
static uint32_t search(const double *weight, uint32_t low, uint32_t high, double value)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, weight[s.middle] <= value);
    return (uint32_t)s.low;
}

/* Draws the bin of the interval before, between those that neighbours and dither allow, with the
 * weights of the diagonal; both intervals change by the same whole bins. */
static void move_spike(const spk_surrogates *s, uint32_t unit, spk_random *random, uint64_t *before,
                       uint64_t *after)
{
    const surrogate_intervals *d = &s->intervals;
    uint64_t least = d->keeps_refractory ? s->refractory[unit] : 1;
    uint32_t bin = interval_bin(d, *before), next = interval_bin(d, *after);
    assert(*before >= least && *after >= least);
    /* The histogram says nothing of a sum so long, or had no such pair (below). */
    if (bin + next >= d->n_bins) {
        move_uniformly(s, least, random, before, after);
        return;
    }
    uint32_t left = spare_bins(d, *before, least), right = spare_bins(d, *after, least);
    left = !d->fast && left > d->reach ? d->reach : left;
    right = !d->fast && right > d->reach ? d->reach : right;
    const double *weight = diagonal(d, unit, bin + next);
    double base = bin > left ? weight[bin - left - 1] : 0, top = weight[bin + right];
    if (!(top > base)) {
        move_uniformly(s, least, random, before, after);
        return;
    }
    double value = base + spk_random_unit(random) * (top - base);
    uint32_t to = search(weight, bin - left, bin + right, value);
    *before = to > bin ? *before + d->step[to - bin] : *before - d->step[bin - to];
    *after = to > bin ? *after - d->step[to - bin] : *after + d->step[bin - to];
}

/* Every other spike, then those between; or all in order of time. */
static uint64_t dither_intervals(const spk_surrogates *s, const surrogate_run *run,
                                 spk_random *random, const surrogate_space *space, int64_t *out)
{
    const int64_t *time = s->time + run->first;
    uint64_t *interval = space->number; /* interval[i] lies before spike i */
    uint64_t n_rounds = s->intervals.alternate ? 2 : 1;
    for (uint64_t i = 1; i < run->n; i++)
        interval[i] = (uint64_t)time[i] - (uint64_t)time[i - 1];
    for (uint64_t round = 1; round <= n_rounds; round++)
        for (uint64_t i = round; i + 1 < run->n; i += n_rounds)
            move_spike(s, run->unit, random, &interval[i], &interval[i + 1]);
    out[0] = time[0];
    for (uint64_t i = 1; i < run->n; i++)
        out[i] = (int64_t)((uint64_t)out[i - 1] + interval[i]);
    assert(out[run->n - 1] == time[run->n - 1]);
    return run->n;
}

static spk_status prepare(spk_context *context, const spk_surrogate_options *options, bool joint,
                          spk_surrogates *s)
{
    spk_status status = spk_surrogate_prepare_dither(context, options, s);
    if (status == SPK_OK)
        status = spk_surrogate_prepare_refractory(context, options, s);
    return status == SPK_OK ? find_intervals(context, options, joint, s) : status;
}

static spk_status prepare_joint(spk_context *context, const spk_surrogate_options *options,
                                spk_surrogates *s)
{
    return prepare(context, options, true, s);
}

static spk_status prepare_single(spk_context *context, const spk_surrogate_options *options,
                                 spk_surrogates *s)
{
    return prepare(context, options, false, s);
}

const surrogate_method spk_surrogate_joint_isi_dithering = {
    .facts = {.name = "joint-isi-dithering",
              .summary = "spikes move so that pairs of successive intervals stay as likely",
              .null_hypothesis = "spikes have no timing finer than the jitter, but for the joint "
                                 "distribution of successive intervals of each unit",
              .keeps =
                  "the number of spikes of each unit in each segment and their order; the first "
                  "and the last one; nearly the joint distribution of successive intervals; "
                  "the refractory period; the rate profile, smoothed over the jitter",
              .source = "Gerstein 2004; Louis, Gerstein, Gruen & Diesmann 2010",
              .warning = SURROGATE_SPARSE_INTERVALS},
    .number = 10,
    .prepare = prepare_joint,
    .make = dither_intervals,
};

const surrogate_method spk_surrogate_isi_dithering = {
    .facts = {.name = "isi-dithering",
              .summary = "spikes move so that intervals stay as likely",
              .null_hypothesis = "spikes have no timing finer than the jitter, but for the "
                                 "distribution of intervals of each unit",
              .keeps =
                  "the number of spikes of each unit in each segment and their order; the first "
                  "and the last one; nearly the distribution of intervals; the refractory "
                  "period; the rate profile, smoothed over the jitter",
              .source =
                  "Gerstein 2004; Louis, Gerstein, Gruen & Diesmann 2010; Stella, Bouss, Palm "
                  "& Gruen 2022",
              .warning = SURROGATE_SPARSE_INTERVALS},
    .number = 11,
    .prepare = prepare_single,
    .make = dither_intervals,
};
