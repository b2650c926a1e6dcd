/* Mining from the outside: options, and their checks. */
#include <inttypes.h>
#include <math.h>

#include "base/context.h"
#include "base/options.h"
#include "pattern/engine/maxima.h"
#include "pattern/run.h"
#include "pattern/windows.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

SPK_OPTIONS_INIT(spk_pattern_options, .min_spikes = 1, .support = 2, .min_neurons = 1,
                 .engine = "auto", .moving_window_filter = true);

static spk_status check_supports(spk_context *context, const spk_pattern_supports *t)
{
    if (t == NULL)
        return SPK_OK;
    bool good = t->n >= 2 && t->n <= SPK_PATTERN_MAX_ESTIMATE && t->at_size[t->n] >= 1;
    for (uint32_t k = 3; good && k <= t->n; k++)
        good = t->at_size[k] <= t->at_size[k - 1];
    return good ? SPK_OK
                : spk_fail(
                      context, SPK_ERR_ARGUMENT,
                      "the least occurrences per size must be at least 1 and must not rise with "
                      "the size");
}

spk_status spk_pattern_check_options(spk_context *context, const spk_pattern_options *o)
{
    if (o->min_spikes < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the least number of spikes must be at least 1");
    if (o->max_spikes != 0 && o->max_spikes < o->min_spikes)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "at most %u spikes and at least %u: nothing is both", o->max_spikes,
                        o->min_spikes);
    if (o->support < 1 && o->supports == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the least number of occurrences must be at least 1");
    if (o->max_count != 0 && o->supports == NULL && o->max_count < o->support)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "at most %" PRIu64 " occurrences and at least %" PRIu64 ": nothing is both",
                        o->max_count, o->support);
    if (o->min_neurons < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the least number of neurons must be at least 1");
    return check_supports(context, o->supports);
}

spk_status spk_pattern_mine(spk_context *context, const spk_windows *windows,
                            const spk_pattern_options *given, spk_pattern_sink *sink, void *user,
                            spk_pattern_summary *summary)
{
    spk_pattern_options options;
    spk_pattern_summary ignored = {.choice = ""};
    summary = summary != NULL ? summary : &ignored;
    *summary = (spk_pattern_summary){.choice = ""};
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_pattern_options);
    if (status == SPK_OK)
        status = spk_pattern_check_options(context, &options);
    if (status != SPK_OK)
        return status;
    spk_window_columns columns = spk_windows_mined(windows);
    return spk_pattern_run(context, &columns, &options, sink, user, summary);
}

spk_status spk_pattern_find_maxima(spk_context *context, const spk_windows *windows,
                                   const spk_pattern_options *given, bool by_duration,
                                   spk_pattern_maximum **out, size_t *n)
{
    spk_pattern_options options;
    *out = NULL;
    *n = 0;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_pattern_options);
    if (status == SPK_OK)
        status = spk_pattern_check_options(context, &options);
    if (status != SPK_OK)
        return status;
    spk_window_columns columns = spk_windows_mined(windows);
    return spk_pattern_run_maxima(context, &columns, &options, by_duration, out, n);
}

/* ---- estimates ------------------------------------------------------------------------------- */

/*
 * How often a chance pattern occurs (Porrmann et al. 2021, section 3.1): independent units at the
 * mean rate, every one of them firing in a bin with the same probability p. One pattern of k spikes
 * then occurs in about n_bins * p^k windows; the number is taken as Poisson distributed, and its
 * 95th percentile is what a pattern must reach.
 */

/* The smallest n with P(N <= n) >= level for a Poisson variable of this mean; sums up to a mean of
 * thousands, beyond that by the normal approximation, which is good to a fraction of one there. */
static uint64_t poisson_quantile(double mean, double level)
{
    const double normal_95 = 1.6448536269514722;
    if (mean > 5000)
        return (uint64_t)ceil(mean + normal_95 * sqrt(mean));
    double log_term = -mean, sum = exp(log_term);
    uint64_t n = 0;
    while (sum < level && n < 100000) {
        n++;
        log_term += log(mean) - log((double)n);
        sum += exp(log_term);
    }
    return n;
}

spk_status spk_pattern_estimate(spk_context *context, const spk_windows *windows,
                                uint64_t floor_support, spk_pattern_supports *out)
{
    const spk_window_columns c = spk_windows_columns(windows);
    *out = (spk_pattern_supports){.n = 0};
    if (floor_support < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the least occurrences must be at least 1");
    uint64_t spikes = 0;
    for (uint64_t k = 0; k < c.first[c.n_windows]; k++)
        spikes += c.item[k] % c.window == 0;
    double cells = (double)c.n_bins * (double)c.n_units;
    double p = cells > 0 ? (double)spikes / cells : 0;
    double mean = (double)c.n_bins * p;
    for (uint32_t k = 2; k <= SPK_PATTERN_MAX_ESTIMATE; k++) {
        mean *= p;
        uint64_t n = mean > 0 ? poisson_quantile(mean, 0.95) : 0;
        out->at_size[k] = n > floor_support ? n : floor_support;
        out->n = k;
        if (n <= floor_support)
            break;
    }
    out->at_size[0] = out->at_size[1] = out->at_size[2];
    return SPK_OK;
}

/* ---- largest counts -------------------------------------------------------------------------- */

/*
 * The largest counts of what mining reports.
 *
 * Without durations the moving-window step changes nothing: a pattern is dropped for a larger one
 * with the same count, which is in the list as well, and M(z) has that one. So patterns need not be
 * collected. With durations the step counts: the larger pattern lasts longer.
 */

typedef struct maxima_sink {
    spk_context *context;
    spk_maxima_table *table;
} maxima_sink;

static spk_status keep_largest(void *user, const spk_pattern_columns *patterns)
{
    const maxima_sink *sink = user;
    for (uint64_t i = 0; i < patterns->n; i++) {
        uint64_t end = patterns->offset[i + 1];
        uint32_t duration = /* items are ordered by lag */
            sink->table->n_rows > 1 ? patterns->item[end - 1] % patterns->window : 0;
        if (!spk_maxima_raise(&sink->table->row[duration], (uint32_t)(end - patterns->offset[i]),
                              patterns->count[i]))
            return spk_fail_memory(sink->context, 64, "largest counts");
    }
    return SPK_OK;
}

spk_status spk_pattern_run_maxima(spk_context *context, const spk_window_columns *windows,
                                  const spk_pattern_options *given, bool by_duration,
                                  spk_pattern_maximum **out, size_t *n)
{
    spk_pattern_options options = *given;
    spk_pattern_summary summary = {.choice = ""};
    spk_maxima_table table;
    spk_status status = spk_maxima_table_create(context, by_duration ? windows->window : 1, &table);
    if (!by_duration)
        options.moving_window_filter = false;
    maxima_sink sink = {context, &table};
    /* The engine looks for ends of other patterns in the bins before a window. */
    bool done = false, slides = !options.moving_window_filter || windows->window == 1 ||
                                windows->start_time != NULL;
    if (status == SPK_OK && slides)
        status = spk_pattern_run_bounds(context, windows, &options, by_duration, &table, &done);
    if (status == SPK_OK && !done)
        status = spk_pattern_run(context, windows, &options, keep_largest, &sink, &summary);
    if (status == SPK_OK)
        status = spk_maxima_list(context, &table, out, n);
    spk_maxima_table_free(&table);
    return status;
}
