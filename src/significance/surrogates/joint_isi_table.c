/*
 * Histograms of successive intervals. The intervals of a unit in all segments give one histogram:
 * of pairs (interval, next one), or of the product of both alone. It is smoothed with a Gaussian
 * that is reflected at its edges and ends at four standard deviations. A spike between two
 * intervals keeps their sum, hence moves along an anti-diagonal of bins; cumulative weights along
 * these are what drawing needs.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "significance/surrogates/joint_isi.h"

enum { LEAST_BINS = 2, MOST_BINS = 4096 };

/* Memory for one unit at a time: n_bins^2 each, and the Gaussian's weights. */
typedef struct workshop {
    double *histogram;
    double *other;
    double *kernel; /* of distance 0 .. radius */
    uint32_t radius;
} workshop;

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

static void count_pairs(const spk_surrogates *s, uint32_t unit, uint64_t first_run, uint64_t end,
                        double *histogram)
{
    const surrogate_intervals *d = &s->intervals;
    for (uint64_t r = first_run; r < end && s->run[r].unit == unit; r++) {
        const int64_t *time = s->time + s->run[r].first;
        uint32_t before = d->n_bins;
        for (uint64_t i = 1; i < s->run[r].n; i++) {
            uint32_t bin = surrogate_interval_bin(d, (uint64_t)time[i] - (uint64_t)time[i - 1]);
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
            uint32_t bin = surrogate_interval_bin(d, (uint64_t)time[i] - (uint64_t)time[i - 1]);
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

/* Entry i of n that are continued by reflection: .. 1 0 | 0 1 .. n-1 | n-1 n-2 .. */
static uint32_t reflect(int64_t i, uint32_t n)
{
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
        first = surrogate_interval_bin(d, s->refractory[unit]);
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

spk_status spk_surrogate_find_intervals(spk_context *context, const spk_surrogate_options *options,
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
    d->reach = surrogate_interval_bin(d, s->dither);
    d->fast = options->fast;
    d->alternate = options->alternate;
    d->keeps_refractory = options->cutoff;
    uint64_t cells = (uint64_t)d->n_bins * d->n_bins;
    status = spk_alloc_columns(context, "distributions of intervals",
                               SPK_COLUMN(&w.histogram, cells), SPK_COLUMN(&w.other, cells),
                               SPK_COLUMN(&d->step, (uint64_t)d->n_bins + 1),
                               SPK_COLUMN_ZERO(&d->table_of, s->recording->events.n_units));
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
