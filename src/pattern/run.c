/* An engine at work: choice, ranges of sizes, the moving-window step. */
#include "pattern/run.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stage.h"
#include "base/threads.h"
#include "pattern/engine/policy.h"
#include "pattern/moving_window.h"
#include "pattern/share.h"
#include "spikemine/ranks.h"

enum { TRY_BYTES = 1 << 30 };

typedef struct pattern_run {
    const spk_window_columns *windows;
    const spk_pattern_options *options;
    spk_engine_choice choice;
    const spk_pattern_engine *engine;
    bool collected; /* patterns stay in memory, and have half of what there is */
    bool drops;     /* the engine does the moving-window step */
    bool tries;     /* the engine has but TRY_BYTES; another one takes less */
    uint64_t n_dropped;
    const spk_pattern_sieve *sieve;
} pattern_run;

/* Between the engine and the caller: counts, and passes on. */
typedef struct counting_sink {
    spk_context *context;
    spk_pattern_sink *sink;
    void *user;
    uint64_t n;
} counting_sink;

static spk_status count_and_pass(void *user, const spk_pattern_columns *patterns)
{
    counting_sink *counter = user;
    counter->n += patterns->n;
    spk_tally_add(counter->context, patterns->n, 0);
    return counter->sink != NULL ? counter->sink(counter->user, patterns) : SPK_OK;
}

/* The same where threads or ranks make bytes of patterns. */
typedef struct counting_bytes {
    counting_sink *counter;
    const spk_pattern_bytes *bytes;
} counting_bytes;

static spk_status make_bytes(void *user, int maker, const spk_pattern_columns *patterns,
                             const char **bytes, uint64_t *n_bytes)
{
    const counting_bytes *c = user;
    return c->bytes->make(c->bytes->user, maker, patterns, bytes, n_bytes);
}

static spk_status count_and_take(void *user, const char *bytes, uint64_t n_bytes,
                                 uint64_t n_patterns)
{
    const counting_bytes *c = user;
    c->counter->n += n_patterns;
    spk_tally_add(c->counter->context, n_patterns, 0);
    return c->bytes->take(c->bytes->user, bytes, n_bytes, n_patterns);
}

/* One search, of this process or of all ranks. */
static spk_status mine(spk_context *context, const pattern_run *run, const spk_pattern_job *job,
                       counting_sink *counter)
{
    counting_bytes of_counter = {counter, run->options->bytes};
    const spk_pattern_bytes bytes = {make_bytes, count_and_take, &of_counter, job->threads};
    const bool wanted = run->options->bytes != NULL && !run->collected;
    if (spk_pattern_is_shared(context, run->engine)) {
        const spk_ranks *ranks = spk_context_ranks(context);
        const bool by_bytes = wanted && ranks->send != NULL && ranks->receive != NULL;
        return spk_pattern_mine_shared(context, run->engine, job, by_bytes ? &bytes : NULL,
                                       count_and_pass, counter);
    }
    spk_pattern_job own = *job;
    if (wanted && run->engine->makes_bytes && job->threads > 1 &&
        run->options->bytes->n_makers >= job->threads)
        own.bytes = &bytes;
    return run->engine->mine(context, &own, count_and_pass, counter);
}

static void tell_choice(const pattern_run *run, spk_pattern_summary *summary)
{
    snprintf(summary->engine, sizeof summary->engine, "%s", run->choice.engine->name);
    summary->choice = run->choice.reason;
    summary->gpus = run->choice.gpus;
}

static spk_status choose_engine(spk_context *context, const spk_pattern_options *options,
                                spk_engine_choice *out)
{
    spk_engine_request request = {
        .engine = options->engine, .gpus = options->gpus, .look = spk_gpus_look_here};
    return spk_pattern_choose(context, &request, out);
}

spk_status spk_pattern_gpus(spk_context *context, const spk_pattern_options *options, int *gpus)
{
    spk_engine_choice choice = {.gpus = 0};
    spk_status status = choose_engine(context, options, &choice);
    *gpus = choice.gpus;
    return status;
}

static spk_status choose(spk_context *context, pattern_run *run, spk_pattern_summary *summary)
{
    spk_status status = choose_engine(context, run->options, &run->choice);
    if (status != SPK_OK)
        return status;
    run->engine = spk_pattern_engine_table(run->choice.engine);
    assert(run->engine != NULL); /* what is not built is not available */
    status = spk_ranks_compare(context, "engine", run->choice.engine->name);
    if (status != SPK_OK)
        return status;
    tell_choice(run, summary);
    return SPK_OK;
}

/* ---- ranges of sizes ------------------------------------------------------------------------- */

/* The paper's jobs: one for each range of sizes with the same support. The first one takes the
 * sizes below 2, too. */
uint32_t spk_pattern_ranges(const spk_pattern_options *o, spk_pattern_range *range)
{
    uint32_t max = spk_pattern_most_spikes(o), n = 0;
    const spk_pattern_supports *t = o->supports;
    if (t == NULL) {
        range[0] = (spk_pattern_range){o->min_spikes, max, o->support};
        return 1;
    }
    for (uint32_t k = 2; k <= t->n; k++) {
        uint32_t begin = k == 2 ? 1 : k, end = k == t->n ? UINT32_MAX : k;
        begin = begin > o->min_spikes ? begin : o->min_spikes;
        end = end < max ? end : max;
        if (begin > end)
            continue;
        if (n > 0 && range[n - 1].support == t->at_size[k])
            range[n - 1].end = end;
        else
            range[n++] = (spk_pattern_range){begin, end, t->at_size[k]};
    }
    return n;
}

static uint32_t at_most_32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static spk_status mine_ranges(spk_context *context, pattern_run *run, counting_sink *counter)
{
    spk_pattern_range range[SPK_PATTERN_MAX_ESTIMATE];
    const spk_pattern_options *o = run->options;
    uint32_t n_ranges = spk_pattern_ranges(o, range);
    uint64_t max = o->max_count != 0 ? o->max_count : UINT32_MAX;
    uint64_t left = spk_memory_left(context);
    if (run->tries && (left == 0 || left > TRY_BYTES))
        left = TRY_BYTES;
    int threads = spk_threads_take(context);
    spk_status status = spk_memory_check_left(context);
    for (uint32_t k = 0; k < n_ranges && status == SPK_OK; k++) {
        /* Nothing occurs more often than there are windows; counts are 32 bit. */
        bool possible = range[k].support <= run->windows->n_windows && range[k].support <= max;
        spk_pattern_job job = {.windows = run->windows,
                               .limits = {.min_spikes = range[k].begin,
                                          .max_spikes = range[k].end,
                                          .min_support = at_most_32(range[k].support),
                                          .max_count = at_most_32(max),
                                          .min_neurons = o->min_neurons},
                               .threads = threads,
                               .unordered = o->unordered,
                               .sieve = run->sieve,
                               .drop_ends_of = run->drops ? spk_pattern_most_spikes(o) : 0,
                               .n_dropped = &run->n_dropped,
                               .gpus = run->choice.gpus,
                               .memory = run->collected ? (left + 1) / 2 : left};
        if (possible)
            status = mine(context, run, &job, counter);
    }
    if (status == SPK_ERR_CANCELLED) /* how far a search without an end in sight had come */
        spk_fail(context, status, "interrupted after %" PRIu64 " patterns", counter->n);
    return status;
}

/* ---- the moving-window step ------------------------------------------------------------------ */

spk_pattern_step spk_pattern_step_of(const spk_pattern_engine *engine,
                                     const spk_window_columns *windows,
                                     const spk_pattern_options *options)
{
    if (!options->moving_window_filter || windows->window == 1)
        return SPK_PATTERN_NO_STEP;
    return engine->can_drop_ends != NULL && spk_windows_slide(windows) &&
                   engine->can_drop_ends(windows)
               ? SPK_PATTERN_STEP_INSIDE
               : SPK_PATTERN_STEP_AFTER;
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

static spk_status mine_and_filter(spk_context *context, pattern_run *run, spk_pattern_sink *sink,
                                  void *user, spk_pattern_summary *summary)
{
    spk_pattern_list *list = NULL;
    double begin = spk_seconds_now();
    spk_status status = spk_pattern_list_create(context, run->windows->window, &list);
    if (status != SPK_OK)
        return status;
    run->collected = true;
    counting_sink collector = {.context = context, .sink = spk_pattern_list_add, .user = list};
    status = mine_ranges(context, run, &collector);
    double mined = spk_seconds_now();
    summary->n_mined = collector.n;
    summary->mine_s = mined - begin;
    if (status == SPK_OK)
        status = filter_moving_window(context, run->windows, list);
    summary->filter_s = spk_seconds_now() - mined;
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    if (status == SPK_OK)
        summary->n_reported = columns.n;
    if (status == SPK_OK && sink != NULL && columns.n > 0)
        status = sink(user, &columns);
    spk_pattern_list_free(list);
    return status;
}

static spk_status run_chosen(spk_context *context, pattern_run run, spk_pattern_sink *sink,
                             void *user, spk_pattern_summary *summary)
{
    const spk_pattern_options *options = run.options;
    const spk_window_columns *windows = run.windows;
    spk_status status = SPK_OK;
    const spk_pattern_step step = spk_pattern_step_of(run.engine, windows, options);
    run.drops = step == SPK_PATTERN_STEP_INSIDE;
    if (step == SPK_PATTERN_STEP_AFTER && options->unordered)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "patterns as they are found do not go with the moving-window step here, "
                        "which needs all of them (engine %s); switch one of the two off",
                        run.choice.engine->name);
    if (step == SPK_PATTERN_STEP_AFTER)
        return mine_and_filter(context, &run, sink, user, summary);
    counting_sink counter = {.context = context, .sink = sink, .user = user};
    double begin = spk_seconds_now();
    status = mine_ranges(context, &run, &counter);
    summary->mine_s = spk_seconds_now() - begin;
    summary->n_mined = counter.n + run.n_dropped;
    summary->n_reported = counter.n;
    return status;
}

/* Where `auto` has the choice, an engine that costs less is tried first. If it needs much memory,
 * it has handed over nothing yet. */
static spk_status run_cheapest(spk_context *context, const pattern_run *run, spk_pattern_sink *sink,
                               void *user, spk_pattern_summary *summary)
{
    pattern_run other = *run;
    if (run->choice.reason[0] == '\0' || run->choice.gpus > 0 || run->options->supports != NULL ||
        spk_context_ranks(context) != NULL ||
        !spk_pattern_choose_cheaper(run->windows, run->options->support, &other.choice))
        return run_chosen(context, *run, sink, user, summary);
    other.engine = spk_pattern_engine_table(other.choice.engine);
    other.tries = true;
    tell_choice(&other, summary);
    spk_status status = run_chosen(context, other, sink, user, summary);
    if (status != SPK_ERR_MEMORY || summary->n_mined > 0)
        return status;
    tell_choice(run, summary);
    return run_chosen(context, *run, sink, user, summary);
}

spk_status spk_pattern_run(spk_context *context, const spk_window_columns *windows,
                           const spk_pattern_options *options, spk_pattern_sink *sink, void *user,
                           spk_pattern_summary *summary)
{
    pattern_run run = {.windows = windows, .options = options};
    spk_status status = choose(context, &run, summary);
    return status == SPK_OK ? run_cheapest(context, &run, sink, user, summary) : status;
}

spk_status spk_pattern_run_unordered(spk_context *context, const spk_window_columns *windows,
                                     const spk_pattern_options *options, spk_pattern_sink *sink,
                                     void *user, const spk_pattern_sieve *sieve)
{
    spk_pattern_options any_order = *options;
    pattern_run run = {.windows = windows, .options = &any_order};
    spk_pattern_summary summary = {.engine = ""};
    spk_status status = choose(context, &run, &summary);
    if (status != SPK_OK)
        return status;
    any_order.unordered =
        spk_pattern_step_of(run.engine, windows, options) != SPK_PATTERN_STEP_AFTER;
    run.sieve = any_order.unordered ? sieve : NULL;
    return run_chosen(context, run, sink, user, &summary);
}

/* ---- the largest counts ---------------------------------------------------------------------- */

spk_status spk_pattern_run_bounds(spk_context *context, const spk_window_columns *windows,
                                  const spk_pattern_options *o, bool by_duration,
                                  spk_maxima_table *table, bool *done)
{
    pattern_run run = {.windows = windows, .options = o};
    spk_pattern_summary summary = {.engine = ""};
    spk_pattern_range range[SPK_PATTERN_MAX_ESTIMATE];
    uint64_t max = o->max_count != 0 ? o->max_count : UINT32_MAX;
    spk_status status = choose(context, &run, &summary);
    *done = status != SPK_OK || run.engine->maxima != NULL;
    if (status != SPK_OK || !*done)
        return status;
    /* Supports never rise with the size: the last range has the least one. */
    uint32_t n_ranges = spk_pattern_ranges(o, range);
    uint64_t support = n_ranges > 0 ? range[n_ranges - 1].support : UINT64_MAX;
    if (support > windows->n_windows || support > max)
        return SPK_OK;
    spk_pattern_maxima_job job = {.job = {.windows = windows,
                                          .limits = {.min_spikes = o->min_spikes,
                                                     .max_spikes = spk_pattern_most_spikes(o),
                                                     .min_support = at_most_32(support),
                                                     .max_count = at_most_32(max),
                                                     .min_neurons = o->min_neurons},
                                          .threads = spk_threads_take(context),
                                          .gpus = run.choice.gpus,
                                          .memory = spk_memory_left(context)},
                                  .supports = o->supports,
                                  .by_duration = by_duration,
                                  .drop_ends = by_duration && o->moving_window_filter &&
                                               windows->window > 1};
    status = spk_memory_check_left(context);
    return status == SPK_OK ? run.engine->maxima(context, &job, table, done) : status;
}
