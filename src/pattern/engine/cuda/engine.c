/*
 * Engine cuda-bitmap: closed patterns, and largest counts of surrogates, on a GPU (view.h, run.h).
 * Lists have the order and the answers of engine bitmap. One GPU lists a job's patterns; of jobs
 * that run beside each other, as surrogates do, each takes a GPU by what its windows hold.
 */
#include "pattern/engine/cuda/engine.h"

#include <assert.h>

#include "base/memory.h"
#include "base/stage.h"
#include "cuda/gpus.h"
#include "pattern/engine/cuda/records.h"
#include "pattern/engine/cuda/report.h"

/* ---- lists ----------------------------------------------------------------------------------- */

/* What must be exceeded for a size to matter: one limit for all that are reported. */
static spk_status send_limits(cp_run *run)
{
    cp_view *v = &run->view;
    uint32_t *bound = NULL;
    v->n_spans = 1;
    v->n_sizes = v->min_spikes + 1;
    spk_status status = spk_alloc(run->context, &bound, v->n_sizes, "sizes");
    for (uint32_t size = 0; size < v->n_sizes && status == SPK_OK; size++)
        bound[size] = size < v->min_spikes ? UINT32_MAX : v->least - 1;
    if (status == SPK_OK)
        status = cp_run_array(run, &v->bound, bound, v->n_sizes, sizeof *bound, "sizes");
    spk_free(run->context, bound);
    return status;
}

/* The items of every window are a pattern when one of them has lag 0; it leaves first. */
static spk_status report_always(spk_context *context, const cp_job *job, cp_records *records,
                                uint64_t *n_dropped)
{
    const cp_view *v = &job->view;
    const uint32_t n = (uint32_t)job->windows->n_windows, n_words = v->n_lags * v->words;
    uint32_t *common = NULL, *item = NULL;
    if (!job->always_first)
        return SPK_OK;
    spk_status status = spk_alloc_columns(context, "items", SPK_COLUMN(&common, n_words),
                                          SPK_COLUMN(&item, job->n_always));
    if (status != SPK_OK)
        return status;
    /* What all windows have in common is the pattern, with as many windows as there are. */
    cp_find_common(v, job->place, n, 0, common, n_words);
    const cp_sizes sizes = cp_measure(v, common, NULL);
    assert(sizes.size == job->n_always);
    const uint64_t offset[] = {0, sizes.size};
    const spk_pattern_columns pattern = {
        .n = 1, .window = v->n_lags, .offset = offset, .item = item, .count = &n};
    cp_write_items(v, common, item);
    if (sizes.size >= v->min_spikes && sizes.size <= v->max_spikes && n <= v->max_count &&
        sizes.neurons >= v->min_neurons) {
        if (v->drop_ends_of > 0 && cp_is_end(v, job->place, n, 0, sizes))
            ++*n_dropped;
        else
            status = cp_records_pass(records, &pattern);
    }
    spk_free(context, common);
    spk_free(context, item);
    return status;
}

/* Whether patterns are sought as sets. What would hide larger ones does not go with it, and where
 * few neurons are enough, telling all sets costs more than the search. */
static bool can_seek_sets(const spk_pattern_job *given)
{
    enum { SEVERAL_NEURONS = 3 };
    const spk_pattern_limits *l = &given->limits;
    return given->unordered && given->windows->start_time != NULL && l->min_spikes > 1 &&
           l->min_neurons >= SEVERAL_NEURONS && l->max_spikes == UINT32_MAX &&
           l->max_count == UINT32_MAX &&
           (given->drop_ends_of == 0 || given->drop_ends_of == UINT32_MAX);
}

/* A unit that fires in all windows would be in all sets. */
static spk_status create_list_job(spk_context *context, const spk_pattern_job *given, cp_job *job)
{
    const bool sets = can_seek_sets(given);
    spk_status status = cp_job_create(context, given, sets ? CP_SETS : CP_LISTS, job);
    if (status != SPK_OK || !sets || job->n_always == 0)
        return status;
    cp_job_free(job);
    return cp_job_create(context, given, CP_LISTS, job);
}

/* A cp_take: patterns stay where they are, and `user`, a spk_pattern_sieve, looks at them there. */
static spk_status take_pile(cp_run *run, uint64_t sure, void *user)
{
    const spk_pattern_sieve *sieve = user;
    const uint64_t found = cp_run_found(run);
    const spk_pattern_pile pile = {.word = run->view.out,
                                   .n_words = cp_out_words(found),
                                   .place = run->view.place,
                                   .n = cp_out_patterns(found)};
    (void)sure;
    return pile.n > 0 ? sieve->sift(sieve->user, &pile) : SPK_OK;
}

spk_status cp_mine(spk_context *context, const cp_machine *machine, const spk_pattern_job *given,
                   spk_pattern_sink *sink, void *user)
{
    cp_job job;
    cp_run run = {.context = context};
    cp_records records = {.batch = NULL};
    uint64_t n_dropped = 0;
    if (given->windows->n_windows < given->limits.min_support)
        return SPK_OK;
    spk_stage stage = spk_stage_open(context);
    spk_status status = create_list_job(context, given, &job);
    job.view.drop_ends_of = given->drop_ends_of;
    job.view.has_places = given->sieve != NULL;
    if (status == SPK_OK)
        status = cp_records_open(context, given, sink, user, &records);
    if (status == SPK_OK)
        status = report_always(context, &job, &records, &n_dropped);
    if (status == SPK_OK && job.view.n_roots > 0 && job.longest >= given->limits.min_spikes) {
        status = cp_run_open(&run, context, machine, &job, given->memory);
        if (status == SPK_OK)
            status = send_limits(&run);
        if (status == SPK_OK)
            status = given->sieve != NULL ? cp_run_search(&run, take_pile, (void *)given->sieve)
                                          : cp_run_search(&run, cp_records_take, &records);
        /* Ends that the machine left out, beside the one above. */
        n_dropped += run.n_dropped;
        cp_run_close(&run);
    }
    if (status == SPK_OK && n_dropped > 0)
        *given->n_dropped += n_dropped;
    spk_stage_close(context, &stage);
    cp_records_free(&records);
    cp_job_free(&job);
    return status;
}

/* ---- largest counts -------------------------------------------------------------------------- */

/* The least count that is reported for a size. */
static uint32_t support_at(const spk_pattern_maxima_job *given, uint32_t size)
{
    const spk_pattern_supports *t = given->supports;
    if (t == NULL)
        return given->job.limits.min_support;
    size = size < 2 ? 2 : cp_smaller(size, t->n);
    return t->at_size[size] < UINT32_MAX ? (uint32_t)t->at_size[size] : UINT32_MAX;
}

/* Bounds of a pass: by what is known, and what counts at all. Largest counts are of a duration; a
 * set lasts as long as its span or longer, in the end. */
static void make_bounds(const cp_view *v, const spk_pattern_maxima_job *given, const uint32_t *most,
                        uint32_t *bound)
{
    for (uint32_t size = 0; size < v->n_sizes; size++) {
        const uint32_t least =
            size < v->min_spikes ? UINT32_MAX : cp_larger(support_at(given, size), v->least) - 1;
        uint32_t known = UINT32_MAX;
        for (uint32_t span = v->n_spans; span-- > 0;) {
            known = cp_smaller(known, most[span * v->n_sizes + size]);
            bound[span * v->n_sizes + size] = cp_larger(least, known);
        }
    }
}

/* Each pass has a third of the support of the one before; less where that one found nothing. The
 * last one takes up what would be left for a pass of hardly less support. */
static spk_status run_passes(cp_run *run, const spk_pattern_maxima_job *given, uint32_t *most,
                             uint32_t *bound)
{
    enum { THIRD = 3 };
    cp_view *v = &run->view;
    const uint32_t support = given->job.limits.min_support;
    const uint64_t n = (uint64_t)v->n_spans * v->n_sizes;
    uint32_t above = cp_smaller(run->job->most_windows, v->max_count), part = THIRD;
    spk_status status = SPK_OK;
    while (above >= support && status == SPK_OK) {
        const uint32_t least = above / part + 1;
        /* What has more windows than the ceiling was found by the pass before. */
        v->ceiling = above;
        v->least = least / part >= support ? least : support;
        make_bounds(v, given, most, bound);
        run->n_raised = 0;
        status = run->machine->send(run->context, v->bound, bound, n * sizeof *bound);
        if (status == SPK_OK)
            status = cp_run_search(run, NULL, NULL);
        if (status == SPK_OK)
            status = run->machine->fetch(run->context, most, v->most, n * sizeof *most);
        above = v->least - 1;
        part = run->n_raised > 0 ? THIRD : part * THIRD;
    }
    return status;
}

static spk_status fill_table(spk_context *context, const cp_view *v, const uint32_t *most,
                             spk_maxima_table *table)
{
    for (uint32_t d = 0; d < v->n_spans; d++)
        for (uint32_t size = v->n_sizes; size-- > 1;)
            if (!spk_maxima_raise(&table->row[d], size, most[d * v->n_sizes + size]))
                return spk_fail_memory(context, 64, "largest counts");
    return SPK_OK;
}

static spk_status find_maxima(cp_run *run, const spk_pattern_maxima_job *given,
                              spk_maxima_table *table)
{
    cp_view *v = &run->view;
    uint32_t *most = NULL, *bound = NULL;
    v->by_duration = given->by_duration;
    /* A longer pattern that has more spikes than the limit is none, and hides no end. */
    v->drop_ends_of = given->drop_ends ? v->max_spikes : 0;
    v->n_spans = given->by_duration ? v->n_lags : 1;
    v->n_sizes = run->job->longest + 2;
    const uint64_t n = (uint64_t)v->n_spans * v->n_sizes;
    spk_status status = spk_alloc_columns(run->context, "largest counts", SPK_COLUMN_ZERO(&most, n),
                                          SPK_COLUMN(&bound, n));
    if (status == SPK_OK)
        status = cp_run_array(run, &v->most, most, n, sizeof *most, "largest counts");
    if (status == SPK_OK)
        status = cp_run_array(run, &v->bound, NULL, n, sizeof *bound, "largest counts");
    if (status == SPK_OK)
        status = run_passes(run, given, most, bound);
    if (status == SPK_OK)
        status = fill_table(run->context, v, most, table);
    spk_free(run->context, most);
    spk_free(run->context, bound);
    return status;
}

spk_status cp_maxima(spk_context *context, const cp_machine *machine,
                     const spk_pattern_maxima_job *given, spk_maxima_table *table, bool *done)
{
    const spk_window_columns *windows = given->job.windows;
    cp_job job;
    cp_run run = {.context = context};
    *done = windows->start_time != NULL; /* else windows do not slide */
    if (!*done || windows->n_windows < given->job.limits.min_support)
        return SPK_OK;
    spk_stage stage = spk_stage_open(context);
    spk_status status = cp_job_create(context, &given->job, CP_COUNTS, &job);
    if (status == SPK_OK && job.view.n_roots > 0 && job.longest >= given->job.limits.min_spikes) {
        status = cp_run_open(&run, context, machine, &job, given->job.memory);
        if (status == SPK_OK)
            status = find_maxima(&run, given, table);
        cp_run_close(&run);
    }
    spk_stage_close(context, &stage);
    cp_job_free(&job);
    return status;
}

/* ---- on GPUs --------------------------------------------------------------------------------- */

/* A GPU for one of the jobs that run beside each other: the same one each time. */
static int device_of(const spk_window_columns *windows, int n_gpus)
{
    uint64_t hash = windows->n_windows;
    enum { SAMPLES = 64 };
    const uint64_t n = windows->first[windows->n_windows];
    for (uint64_t k = 0; k < SAMPLES && k < n; k++)
        hash = (hash ^ windows->item[n - 1 - k]) * UINT64_C(0x9e3779b97f4a7c15);
    return n_gpus > 1 ? (int)((hash >> 32) % (uint64_t)n_gpus) : 0;
}

typedef struct mining {
    const spk_pattern_job *job;
    spk_pattern_sink *sink;
    void *user;
} mining;

static spk_status mine_here(spk_context *context, void *user)
{
    const mining *m = user;
    return cp_mine(context, &cp_machine_gpu, m->job, m->sink, m->user);
}

static spk_status mine(spk_context *context, const spk_pattern_job *job, spk_pattern_sink *sink,
                       void *user)
{
    mining m = {job, sink, user};
    return spk_gpus_on(context, device_of(job->windows, job->gpus), mine_here, &m);
}

typedef struct bounding {
    const spk_pattern_maxima_job *job;
    spk_maxima_table *table;
    bool *done;
} bounding;

static spk_status maxima_here(spk_context *context, void *user)
{
    const bounding *b = user;
    return cp_maxima(context, &cp_machine_gpu, b->job, b->table, b->done);
}

static spk_status maxima(spk_context *context, const spk_pattern_maxima_job *job,
                         spk_maxima_table *table, bool *done)
{
    bounding b = {job, table, done};
    return spk_gpus_on(context, device_of(job->job.windows, job->job.gpus), maxima_here, &b);
}

static bool can_drop_ends(const spk_window_columns *windows)
{
    return windows->start_time != NULL;
}

const spk_pattern_engine spk_pattern_engine_cuda_bitmap = {
    .mine = mine,
    .makes_bytes = true,
    .like_threads = 80,
    .start_s = 0.4,
    .can_drop_ends = can_drop_ends,
    .maxima = maxima,
};
