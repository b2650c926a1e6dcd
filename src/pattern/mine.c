/* Mining from the outside: options checked, an engine chosen, the moving-window step, the summary.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "pattern/engine/engine.h"
#include "pattern/moving_window.h"

void spk_pattern_options_init(spk_pattern_options *options, size_t struct_size)
{
    static const spk_pattern_options defaults = {.min_spikes = 1,
                                                 .support = 2,
                                                 .min_neurons = 1,
                                                 .engine = "auto",
                                                 .moving_window_filter = true};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- options --------------------------------------------------------------------------------- */

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

static spk_status check_options(spk_context *context, const spk_pattern_options *o)
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

static uint32_t at_most_32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Between the engine and the caller: counts, and passes on. */
typedef struct counting_sink {
    spk_pattern_sink *sink;
    void *user;
    uint64_t n;
} counting_sink;

static spk_status count_and_pass(void *user, const spk_pattern_columns *patterns)
{
    counting_sink *counter = user;
    counter->n += patterns->n;
    return counter->sink != NULL ? counter->sink(counter->user, patterns) : SPK_OK;
}

/* Sizes that share a least support: begin .. end. */
typedef struct size_range {
    uint32_t begin;
    uint32_t end;
    uint64_t min_support;
} size_range;

/* The paper's jobs: one for each range of sizes with the same least support. The first one takes
 * the sizes below 2, too. */
static uint32_t split_sizes(const spk_pattern_options *o, size_range *range)
{
    uint32_t max = o->max_spikes != 0 ? o->max_spikes : UINT32_MAX, n = 0;
    const spk_pattern_supports *t = o->supports;
    if (t == NULL) {
        range[0] = (size_range){o->min_spikes, max, o->support};
        return 1;
    }
    for (uint32_t k = 2; k <= t->n; k++) {
        uint32_t begin = k == 2 ? 1 : k, end = k == t->n ? UINT32_MAX : k;
        begin = begin > o->min_spikes ? begin : o->min_spikes;
        end = end < max ? end : max;
        if (begin > end)
            continue;
        if (n > 0 && range[n - 1].min_support == t->at_size[k])
            range[n - 1].end = end;
        else
            range[n++] = (size_range){begin, end, t->at_size[k]};
    }
    return n;
}

static spk_status run_engine(spk_context *context, const spk_window_columns *windows,
                             const spk_pattern_options *o, counting_sink *counter,
                             spk_pattern_summary *summary)
{
    size_range range[SPK_PATTERN_MAX_ESTIMATE];
    uint32_t n_ranges = split_sizes(o, range);
    uint64_t max = o->max_count != 0 ? o->max_count : UINT32_MAX;
    const spk_pattern_engine *engine = NULL;
    spk_status status = SPK_OK;
    for (uint32_t k = 0; k < n_ranges && status == SPK_OK; k++) {
        /* Nothing occurs more often than there are windows; counts are 32 bit. */
        bool possible = range[k].min_support <= windows->n_windows && range[k].min_support <= max;
        spk_pattern_limits limits = {.min_spikes = range[k].begin,
                                     .max_spikes = range[k].end,
                                     .min_support = at_most_32(range[k].min_support),
                                     .max_count = at_most_32(max),
                                     .min_neurons = o->min_neurons};
        status = spk_pattern_engine_choose(context, o->engine, windows, &limits, &engine,
                                           &summary->choice);
        if (status == SPK_OK)
            snprintf(summary->engine, sizeof summary->engine, "%s", engine->name);
        if (status == SPK_OK && possible)
            status = engine->mine(context, windows, &limits, count_and_pass, counter);
    }
    summary->n_mined = counter->n;
    if (status == SPK_ERR_CANCELLED) /* how far a search without an end in sight had come */
        spk_fail(context, status, "interrupted after %" PRIu64 " patterns", counter->n);
    return status;
}

static spk_status filter_moving_window(spk_context *context, const spk_window_columns *windows,
                                       spk_pattern_list *list)
{
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    uint8_t *keep = NULL;
    spk_status status = spk_alloc(context, &keep, columns.n, "the moving-window step");
    if (status == SPK_OK)
        status = spk_moving_window_filter(context, windows, &columns, keep);
    if (status == SPK_OK)
        spk_pattern_list_keep(list, keep);
    free(keep);
    return status;
}

static spk_status mine_and_filter(spk_context *context, const spk_window_columns *windows,
                                  const spk_pattern_options *o, spk_pattern_sink *sink, void *user,
                                  spk_pattern_summary *summary)
{
    spk_pattern_list *list = NULL;
    double begin = spk_seconds_now();
    spk_status status = spk_pattern_list_create(context, windows->window, &list);
    if (status != SPK_OK)
        return status;
    counting_sink collector = {.sink = spk_pattern_list_add, .user = list};
    status = run_engine(context, windows, o, &collector, summary);
    double mined = spk_seconds_now();
    summary->mine_s = mined - begin;
    if (status == SPK_OK)
        status = filter_moving_window(context, windows, list);
    summary->filter_s = spk_seconds_now() - mined;
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    if (status == SPK_OK)
        summary->n_reported = columns.n;
    if (status == SPK_OK && sink != NULL && columns.n > 0)
        status = sink(user, &columns);
    spk_pattern_list_free(list);
    return status;
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
        status = check_options(context, &options);
    if (status != SPK_OK)
        return status;
    spk_window_columns columns = spk_windows_columns(windows);
    if (options.moving_window_filter && columns.window > 1)
        return mine_and_filter(context, &columns, &options, sink, user, summary);
    counting_sink counter = {.sink = sink, .user = user};
    double begin = spk_seconds_now();
    status = run_engine(context, &columns, &options, &counter, summary);
    summary->mine_s = spk_seconds_now() - begin;
    summary->n_reported = counter.n;
    return status;
}
