/* One partition: its recording, its episodes, what became of them, and their test. */
#include "live/partition_mine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/label.h"
#include "base/memory.h"
#include "base/order.h"

/* ---- following ------------------------------------------------------------------------------- */

static const uint64_t NOT_THERE = UINT64_MAX;

static void partition_episodes_free(partition_episodes *episodes)
{
    spk_holding_release(&episodes->holding);
    spk_free_all(episodes->offset, episodes->unit, episodes->delay, episodes->count,
                 episodes->slots);
    *episodes = (partition_episodes){.n = 0};
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const partition_episodes *e, uint64_t i)
{
    uint64_t hash = e->offset[i + 1] - e->offset[i];
    for (uint64_t k = e->offset[i]; k < e->offset[i + 1]; k++)
        hash = mix(hash, (uint64_t)e->unit[k] << 16 | e->delay[k]);
    return hash;
}

static bool same(const partition_episodes *a, uint64_t i, const partition_episodes *b, uint64_t k)
{
    uint64_t size = a->offset[i + 1] - a->offset[i];
    return b->offset[k + 1] - b->offset[k] == size &&
           memcmp(a->unit + a->offset[i], b->unit + b->offset[k], size * sizeof *a->unit) == 0 &&
           memcmp(a->delay + a->offset[i], b->delay + b->offset[k], size * sizeof *a->delay) == 0;
}

static void fill_table(partition_episodes *e)
{
    for (uint64_t i = 0; i < e->n; i++) {
        uint64_t slot = hash_of(e, i) & (e->n_slots - 1);
        while (e->slots[slot] != 0)
            slot = (slot + 1) & (e->n_slots - 1);
        e->slots[slot] = i + 1;
    }
}

/* The number in `in` of episode i of `e`; NOT_THERE where there is none. */
static uint64_t find(const partition_episodes *in, const partition_episodes *e, uint64_t i)
{
    if (in->n == 0)
        return NOT_THERE;
    for (uint64_t slot = hash_of(e, i);; slot++) {
        uint64_t found = in->slots[slot & (in->n_slots - 1)];
        if (found == 0)
            return NOT_THERE;
        if (same(in, found - 1, e, i))
            return found - 1;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

static spk_status make(spk_context *context, uint64_t n, uint64_t n_positions,
                       partition_episodes *out)
{
    *out = (partition_episodes){.n_slots = 1};
    while (out->n_slots < 2 * n)
        out->n_slots *= 2;
    spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_alloc_columns(context, "episodes of a partition", SPK_COLUMN(&out->offset, n + 1),
                          SPK_COLUMN(&out->unit, n_positions), SPK_COLUMN(&out->delay, n_positions),
                          SPK_COLUMN(&out->count, n), SPK_COLUMN_ZERO(&out->slots, out->n_slots));
    spk_stage_keep(context, &stage, &out->holding);
    return status;
}

/* A copy with other numbers of units, and the table that finds episodes. */
static spk_status partition_episodes_copy(spk_context *context, const spk_episode_columns *from,
                                          const uint32_t *unit_number, partition_episodes *out)
{
    uint64_t n_positions = from->n > 0 ? from->offset[from->n] : 0;
    spk_status status = make(context, from->n, n_positions, out);
    if (status != SPK_OK)
        return status;
    out->n = from->n;
    out->offset[0] = 0;
    for (uint64_t i = 0; i < from->n; i++) {
        out->offset[i + 1] = from->offset[i + 1];
        out->count[i] = from->count[i];
    }
    for (uint64_t k = 0; k < n_positions; k++) {
        out->unit[k] = unit_number[from->unit[k]];
        out->delay[k] = from->delay[k];
    }
    fill_table(out);
    return SPK_OK;
}

/* Those of `from` that are not `kept`. */
static spk_status copy_rest(spk_context *context, const partition_episodes *from, const bool *kept,
                            partition_episodes *out)
{
    spk_status status = make(context, from->n, from->n > 0 ? from->offset[from->n] : 0, out);
    if (status != SPK_OK)
        return status;
    uint64_t at = out->offset[0] = 0;
    for (uint64_t i = 0; i < from->n; i++) {
        if (kept[i])
            continue;
        for (uint64_t k = from->offset[i]; k < from->offset[i + 1]; k++, at++) {
            out->unit[at] = from->unit[k];
            out->delay[at] = from->delay[k];
        }
        out->count[out->n++] = from->count[i];
        out->offset[out->n] = at;
    }
    return SPK_OK;
}

/* Two counts that vary by chance differ by up to two standard deviations of their difference; that
 * is no change. */
static spk_trend trend_of(uint64_t before, uint64_t now)
{
    const double change = (double)now - (double)before;
    if (change * change <= 4 * ((double)now + (double)before))
        return SPK_TREND_STEADY;
    return change > 0 ? SPK_TREND_GROWING : SPK_TREND_SHRINKING;
}

/* What became of the episodes of `now` since `before`: trend[i] and count_before[i] of each, both
 * of now->n entries, and those of `before` that are not among them, in their order. All delay
 * numbers are of one table. */
static spk_status partition_follow(spk_context *context, const partition_episodes *before,
                                   const partition_episodes *now, uint8_t *trend,
                                   uint64_t *count_before, partition_episodes *vanished)
{
    bool *kept = NULL;
    spk_status status = spk_alloc_zero(context, &kept, before->n, "episodes of a partition");
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < now->n; i++) {
        uint64_t k = find(before, now, i);
        count_before[i] = k != NOT_THERE ? before->count[k] : 0;
        trend[i] =
            (uint8_t)(k == NOT_THERE ? SPK_TREND_NEW : trend_of(count_before[i], now->count[i]));
        if (k != NOT_THERE)
            kept[k] = true;
    }
    status = copy_rest(context, before, kept, vanished);
    free(kept);
    return status;
}

/* ---- mining ---------------------------------------------------------------------------------- */

void partition_finished_free(partition_finished *finished)
{
    if (finished == NULL)
        return;
    spk_episode_list_free(finished->list);
    spk_recording_free(finished->recording);
    partition_episodes_free(&finished->vanished);
    spk_holding_release(&finished->holding);
    spk_free_all(finished->p, finished->expected, finished->trend, finished->before, finished);
}

/* ---- units ----------------------------------------------------------------------------------- */

static void free_units(partition_units *units)
{
    spk_holding_release(&units->holding);
    spk_free_all(units->label, units->number, units->unit);
    *units = (partition_units){.n = 0};
}

void partition_miner_close(partition_miner *miner)
{
    free_units(&miner->units);
    partition_episodes_free(&miner->before);
    spk_context_free(miner->testing);
    spk_context_free(miner->context);
    spk_free_all(miner->support_text, (void *)miner->episodes.delays,
                 (void *)miner->episodes.engine);
}

typedef struct labelled {
    const char *label;
    uint32_t unit;
} labelled;

static int compare_labelled(const void *a, const void *b)
{
    return spk_natural_compare(((const labelled *)a)->label, ((const labelled *)b)->label);
}

/* Merges the runs from `first` and from `middle`, up to `end`. */
static void merge(const labelled *from, uint32_t first, uint32_t middle, uint32_t end, labelled *to)
{
    uint32_t a = first, b = middle;
    for (uint32_t k = first; k < end; k++) {
        const bool left = b == end || (a < middle && compare_labelled(&from[a], &from[b]) <= 0);
        to[k] = left ? from[a++] : from[b++];
    }
}

static uint32_t lower(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* Sorts, with a look at a cancel after each run, since a million labels take seconds; *order is one
 * of both, with the result. */
static spk_status sort_labelled(spk_context *context, uint32_t n, labelled **order, labelled *room)
{
    enum { RUN = 4096 };
    spk_status status = SPK_OK;
    for (uint64_t first = 0; first < n && status == SPK_OK; first += RUN) {
        qsort(*order + first, lower(RUN, (uint32_t)(n - first)), sizeof **order, compare_labelled);
        status = spk_check_cancel(context);
    }
    for (uint64_t run = RUN; run < n; run *= 2) {
        for (uint64_t first = 0; first < n && status == SPK_OK; first += 2 * run) {
            merge(*order, (uint32_t)first, lower(first + run, n), lower(first + 2 * run, n), room);
            status = spk_check_cancel(context);
        }
        labelled *sorted = room;
        room = *order;
        *order = sorted;
    }
    return status;
}

/* Orders the units anew when there are more of them than before. */
static spk_status order_units(spk_context *context, uint32_t n, const char *const *labels,
                              partition_units *units)
{
    labelled *order = NULL, *room = NULL;
    if (n == units->n && units->label != NULL)
        return SPK_OK;
    free_units(units);
    const spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_alloc_columns(context, "units of a stream", SPK_COLUMN(&units->label, n),
                          SPK_COLUMN(&units->number, n), SPK_COLUMN(&units->unit, n));
    spk_stage_keep(context, &stage, &units->holding);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "units of a stream", SPK_COLUMN(&order, n),
                                   SPK_COLUMN(&room, n));
    if (status != SPK_OK)
        return status;
    labelled *sorted = order;
    for (uint32_t u = 0; u < n; u++)
        order[u] = (labelled){labels[u], u};
    status = sort_labelled(context, n, &sorted, room);
    for (uint32_t k = 0; k < n && status == SPK_OK; k++) {
        units->label[k] = sorted[k].label;
        units->unit[k] = sorted[k].unit;
        units->number[sorted[k].unit] = k;
    }
    units->n = n;
    if (status != SPK_OK)
        free_units(units);
    free(order);
    free(room);
    return status;
}

/* ---- the recording --------------------------------------------------------------------------- */

/* Columns that a recording reads where they are. */
typedef struct slice_columns {
    int64_t *time;
    uint32_t *unit;
    spk_holding holding;
} slice_columns;

static void free_columns(void *owner)
{
    slice_columns *columns = owner;
    spk_holding_release(&columns->holding);
    spk_free_all(columns->time, columns->unit, columns);
}

/* Spikes of one time come in any order; recordings have them by unit. */
static void order_ties(uint64_t n, const int64_t *time, uint32_t *unit)
{
    for (uint64_t first = 0, end; first < n; first = end) {
        bool ordered = true;
        for (end = first + 1; end < n && time[end] == time[first]; end++)
            ordered &= unit[end - 1] < unit[end];
        if (!ordered)
            qsort(unit + first, (size_t)(end - first), sizeof *unit, spk_rising_u32);
    }
}

static spk_status copy_spikes(spk_context *context, const partition_job *job,
                              const uint32_t *number, slice_columns **out)
{
    slice_columns *columns = NULL;
    uint64_t n = job->span.n;
    *out = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_zero(context, &columns, 1, "a partition");
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "spikes of a partition", SPK_COLUMN(&columns->time, n),
                                   SPK_COLUMN(&columns->unit, n));
    if (status == SPK_OK) {
        spk_stage_keep(context, &stage, &columns->holding);
        partition_span_copy(&job->span, number, columns->time, columns->unit);
        *out = columns;
    } else {
        spk_stage_close(context, &stage);
        free(columns);
    }
    return status;
}

static spk_status make_recording(const partition_miner *miner, const partition_job *job,
                                 slice_columns *columns, spk_recording **out)
{
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = job->span.n;
    source.time = columns->time;
    source.unit = columns->unit;
    source.n_units = miner->units.n;
    source.labels = miner->units.label;
    source.rate = miner->rate;
    source.start = &job->slice.start;
    source.stop = &job->slice.stop;
    source.segments = job->n_segments > 0 ? job->segments : NULL;
    source.n_segments = job->n_segments;
    source.trial = job->n_segments > 0 ? job->trials : NULL;
    source.n_trials = job->n_trials;
    order_ties(job->span.n, columns->time, columns->unit);
    return spk_recording_take(miner->context, &source, free_columns, columns, out);
}

/* ---- mining ---------------------------------------------------------------------------------- */

static spk_status find_support(const partition_miner *miner, uint32_t raised, partition_finished *f)
{
    uint64_t support = miner->episodes.support;
    spk_status status = SPK_OK;
    if (miner->support_text != NULL)
        status =
            spk_episode_support_parse(miner->context, f->recording, miner->support_text, &support);
    f->result.asked_support = support;
    f->result.support = support > UINT64_MAX >> raised ? UINT64_MAX : support << raised;
    f->result.support_raised = f->result.support > support;
    return status;
}

static spk_status find_episodes(partition_miner *miner, const spk_episode_options *options,
                                partition_finished *f)
{
    spk_status status = spk_episode_list_create(miner->context, &f->list);
    if (status == SPK_OK && f->result.n_events > 0)
        status = spk_episode_mine(miner->context, f->recording, options, spk_episode_list_add,
                                  f->list, &f->summary);
    if (status != SPK_OK)
        return status;
    miner->spent_s = f->summary.seconds * spk_context_threads(miner->context);
    f->columns = spk_episode_list_columns(f->list);
    f->result.episodes = &f->columns;
    f->result.engine = f->summary.engine;
    return SPK_OK;
}

/* What became of the episodes since the partition before, which this one then is for the next. */
static spk_status follow(partition_miner *miner, partition_finished *f)
{
    partition_episodes now = {.n = 0};
    const partition_units *units = &miner->units;
    spk_status status = partition_episodes_copy(miner->context, &f->columns, units->unit, &now);
    spk_stage stage = spk_stage_open(miner->context);
    if (status == SPK_OK)
        status = spk_alloc_columns(miner->context, "episodes of a partition",
                                   SPK_COLUMN(&f->trend, now.n), SPK_COLUMN(&f->before, now.n));
    spk_stage_keep(miner->context, &stage, &f->holding);
    if (status == SPK_OK)
        status = partition_follow(miner->context, &miner->before, &now, f->trend, f->before,
                                  &f->vanished);
    if (status != SPK_OK) {
        partition_episodes_free(&now);
        return status;
    }
    partition_episodes *gone = &f->vanished;
    for (uint64_t k = 0; k < gone->offset[gone->n]; k++)
        gone->unit[k] = units->number[gone->unit[k]];
    f->vanished_columns = (spk_episode_columns){.n = gone->n,
                                                .offset = gone->offset,
                                                .unit = gone->unit,
                                                .delay = gone->delay,
                                                .count = gone->count,
                                                .delays = miner->episodes.delays,
                                                .n_delays = miner->episodes.n_delays};
    f->result.trend = f->trend;
    f->result.before = f->before;
    f->result.vanished = &f->vanished_columns;
    f->result.has_before = miner->has_before;
    f->result.before_number = miner->before_number;
    f->result.before_support = miner->before_support;
    partition_episodes_free(&miner->before);
    miner->before = now;
    miner->has_before = true;
    miner->before_number = f->result.number;
    miner->before_support = f->result.support;
    return SPK_OK;
}

/* ---- the test -------------------------------------------------------------------------------- */

static bool has_pairs(const spk_episode_columns *columns)
{
    return columns->n > 0 && columns->offset[columns->n] - columns->offset[columns->n - 1] > 1;
}

/* Why there is no test, in f->tested; "" where there is one. */
static void decide_test(const partition_miner *miner, const partition_calls *calls,
                        partition_finished *f)
{
    char *text = f->tested;
    if (miner->exact.n_surrogates == 0) {
        snprintf(text, sizeof f->tested, "not asked for");
        return;
    }
    if (!has_pairs(&f->columns)) {
        snprintf(text, sizeof f->tested, "no episode of two units or more");
        return;
    }
    uint64_t waiting = calls->behind(calls->user);
    f->untimely = waiting > 0;
    if (f->untimely)
        snprintf(text, sizeof f->tested, "no time: %" PRIu64 " partition%s", waiting,
                 waiting == 1 ? " waits" : "s wait");
}

static spk_status take_verdicts(const partition_miner *miner, const spk_exact_verdict *verdicts,
                                partition_finished *f)
{
    uint64_t n = f->columns.n;
    spk_stage stage = spk_stage_open(miner->context);
    spk_status status = spk_alloc_columns(miner->context, "a test", SPK_COLUMN(&f->p, n),
                                          SPK_COLUMN(&f->expected, n));
    spk_stage_keep(miner->context, &stage, &f->holding);
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < n; i++) {
        f->p[i] = verdicts[i].p;
        f->expected[i] = verdicts[i].expected;
        f->result.n_significant += verdicts[i].p <= miner->alpha;
    }
    f->result.p = f->p;
    f->result.expected = f->expected;
    return SPK_OK;
}

static spk_status run_test(const partition_miner *miner, const spk_episode_options *options,
                           partition_finished *f)
{
    spk_exact_options exact = miner->exact;
    spk_exact_verdict *verdicts = NULL;
    spk_maxima *maxima = NULL;
    exact.episodes = options;
    exact.jitter = &miner->null_window;
    exact.n_jitter = 1;
    spk_memory_lend(miner->context, miner->testing);
    spk_status status = spk_exact_run(miner->testing, f->recording, &exact, &maxima);
    if (status == SPK_OK)
        status = spk_alloc(miner->testing, &verdicts, f->columns.n, "a test");
    if (status == SPK_OK)
        status = spk_exact_test_episodes(miner->testing, f->recording, &exact, maxima, &f->columns,
                                         verdicts, NULL);
    if (status == SPK_OK)
        status = take_verdicts(miner, verdicts, f);
    free(verdicts);
    spk_maxima_free(maxima);
    return status;
}

/* A test that was cancelled alone, since partitions wait, is left out. */
static spk_status test(const partition_miner *miner, const spk_episode_options *options,
                       const partition_calls *calls, partition_finished *f)
{
    decide_test(miner, calls, f);
    f->result.tested = f->tested;
    if (f->tested[0] != '\0')
        return SPK_OK;
    spk_status status = run_test(miner, options, f);
    if (status == SPK_ERR_CANCELLED && !spk_context_cancelled(miner->context)) {
        snprintf(f->tested, sizeof f->tested, "no time: partitions came to wait during the test");
        f->untimely = true;
        return SPK_OK;
    }
    return status == SPK_OK
               ? SPK_OK
               : spk_fail(miner->context, status, "%s", spk_context_message(miner->testing));
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Starting threads and waiting for each other takes longer than mining a short partition, and the
 * thread that receives spikes wants a processor, too. So one thread works until it took long. */
static void choose_threads(const partition_miner *miner)
{
    static const double LONG_S = 0.05;
    spk_context_set_threads(miner->context, miner->spent_s < LONG_S ? 1 : miner->threads);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void take_facts(const partition_job *job, partition_finished *f)
{
    f->result = (spk_partition_result){.number = job->number,
                                       .series = job->series,
                                       .slice = job->slice,
                                       .n_events = job->span.n,
                                       .state = job->cut ? SPK_PARTITION_CUT : SPK_PARTITION_MINED,
                                       .why = f->why,
                                       .tested = f->tested,
                                       .passed = job->passed,
                                       .engine = ""};
    if (job->cut)
        snprintf(f->why, sizeof f->why, "the input or its series ended within the partition");
}

static void take_times(const partition_job *job, double started, partition_finished *f)
{
    f->result.seconds = spk_seconds_now() - started;
    if (job->arrival_ns != 0)
        f->result.lag_s = (double)(spk_now_ns() - job->arrival_ns) / 1e9;
}

spk_status partition_mine(partition_miner *miner, const partition_job *job, uint32_t n_units,
                          const char *const *labels, uint32_t raised, const partition_calls *calls,
                          partition_finished **out)
{
    double started = spk_seconds_now();
    partition_finished *f = NULL;
    slice_columns *columns = NULL;
    spk_episode_options options = miner->episodes;
    *out = NULL;
    choose_threads(miner);
    spk_memory_lend(miner->of, miner->context);
    spk_status status = order_units(miner->context, n_units, labels, &miner->units);
    if (status == SPK_OK)
        status = spk_alloc_zero(miner->context, &f, 1, "a partition");
    if (status == SPK_OK)
        status = copy_spikes(miner->context, job, miner->units.number, &columns);
    calls->copied(calls->user);
    if (status != SPK_OK) {
        free(f);
        return status;
    }
    take_facts(job, f);
    f->result.n_units = n_units;
    status = make_recording(miner, job, columns, &f->recording);
    f->result.recording = f->recording;
    if (status == SPK_OK)
        status = find_support(miner, raised, f);
    options.support = f->result.support;
    if (status == SPK_OK)
        status = find_episodes(miner, &options, f);
    if (status == SPK_OK)
        status = follow(miner, f);
    if (status == SPK_OK)
        status = test(miner, &options, calls, f);
    if (status == SPK_OK) {
        take_times(job, started, f);
        *out = f;
    } else {
        partition_finished_free(f);
    }
    return status;
}
