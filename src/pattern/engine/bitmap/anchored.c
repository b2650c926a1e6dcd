/*
 * All patterns from their anchors: the job, its threads, and the order of patterns.
 *
 *     roots -> search_root (maxima_simd.c), floor min_support, no ceiling
 *           -> spk_anchored_report -> batches to the sink, as they are found     no order asked for
 *                                  -> kept in arenas -> sorted -> batches        in order
 *
 * The search for the largest counts is told one bound for all sizes, so that it cuts nothing but
 * what is too rare. Invariant: where patterns are kept and memory is short, nothing has left yet:
 * *done is false then, and the search of bitmap_simd.c begins anew. Kept patterns take at most
 * KEPT_MEGABYTES; their order takes a pointer and an entry for each. Ours; maxima.h has the idea.
 */
#include "pattern/engine/bitmap/anchored.h"

#include "base/memory.h"

/* Patterns that are kept to be put in order take no more than this. */
enum { KEPT_MEGABYTES = 256 };

static bool can_mine(const spk_bitmap_job *job)
{
    enum { SEVERAL_NEURONS = 5 };
    const spk_pattern_limits *limits = &job->limits;
    const spk_bitmap_ends *ends = &job->ends;
    return limits->min_neurons >= SEVERAL_NEURONS && limits->max_spikes == UINT32_MAX &&
           limits->max_count == UINT32_MAX && limits->min_spikes > 1 &&
           spk_bitmap_can_anchor(job) &&
           (ends->row != NULL ? ends->most_spikes == UINT32_MAX
                              : spk_bitmap_can_drop_ends(job->windows));
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct anchored_run {
    spk_bitmap_bounds shared;
    spk_anchored_output *output; /* one a search */
    pthread_mutex_t lock;        /* of the sink, which one thread at a time calls */
    spk_budget budget;           /* of patterns that are kept */
} anchored_run;

static spk_status search_all(anchored_run *run)
{
    spk_bitmap_bounds *shared = &run->shared;
    for (int k = 0; k < shared->n_searches; k++) {
        shared->search[k].output = &run->output[k];
        if (!spk_anchored_output_create(shared, &run->output[k]))
            return spk_fail_memory(shared->context, 1u << 20, "a search");
    }
    shared->floor = shared->job->limits.min_support;
    shared->ceiling = UINT32_MAX;
    spk_maxima_run_pass(shared);
    for (int k = 0; k < shared->n_searches; k++)
        spk_anchored_output_leave(&shared->search[k]);
    return SPK_OK;
}

/* ---- in order -------------------------------------------------------------------------------- */

static spk_status put_in_order(anchored_run *run, const uint32_t *item, spk_pattern_entry *entry,
                               uint64_t n, spk_found_pattern **list)
{
    spk_bitmap_bounds *shared = &run->shared;
    const spk_bitmap_job *job = shared->job;
    uint64_t at = 0;
    for (int k = 0; k < shared->n_searches; k++)
        for (spk_found_pattern *p = run->output[k].newest; p != NULL; p = p->before)
            entry[at++].pattern = p;
    assert(at == n);
    const spk_pattern_ranks ranks = {
        .n = job->n_items, .item = item, .row = job->row, .row_words = job->row_words};
    spk_status status = spk_pattern_order(shared->context, job->windows, &ranks, shared->n_searches,
                                          entry, n, list);
    if (status == SPK_OK)
        spk_anchored_output_all(shared, list, n);
    return status;
}

/* Hands on what was kept. */
static spk_status hand_on(anchored_run *run)
{
    spk_context *context = run->shared.context;
    const spk_bitmap_job *job = run->shared.job;
    spk_pattern_entry *entry = NULL;
    spk_found_pattern **list = NULL;
    uint32_t *item = NULL;
    uint64_t n = 0;
    for (int k = 0; k < run->shared.n_searches; k++)
        n += run->output[k].n_kept;
    spk_status status = spk_alloc_columns(context, "the order of patterns", SPK_COLUMN(&entry, n),
                                          SPK_COLUMN(&list, n), SPK_COLUMN(&item, job->n_items));
    /* The order compares ranks; the lower half of a key is the item itself. */
    for (uint32_t rank = 0; rank < job->n_items && status == SPK_OK; rank++)
        item[rank] = (uint32_t)job->key_of[rank];
    if (status == SPK_OK)
        status = put_in_order(run, item, entry, n, list);
    spk_free(context, entry);
    spk_free(context, list);
    spk_free(context, item);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status mine(anchored_run *run, const spk_pattern_job *given, bool *done)
{
    spk_bitmap_bounds *shared = &run->shared;
    const bool ordered = !shared->job->unordered;
    spk_status status = search_all(run);
    /* No room for all of them: nothing has left yet, and the other search needs none. */
    *done = !ordered || atomic_load(&shared->status) != SPK_ERR_MEMORY;
    if (status != SPK_OK || !*done)
        return status;
    if (ordered && atomic_load(&shared->status) == SPK_OK)
        status = hand_on(run);
    for (int k = 0; k < shared->n_searches && given->drop_ends_of != 0; k++)
        *given->n_dropped += run->output[k].n_dropped;
    for (int k = 0; k < shared->n_searches; k++)
        if (run->output[k].refused) /* the sink has said why */
            return (spk_status)atomic_load(&shared->status);
    return status == SPK_OK ? spk_maxima_status(shared) : status;
}

/* Half of what there is: the other half is for the order. */
static uint64_t kept_bytes(const spk_pattern_job *given)
{
    const uint64_t most = (uint64_t)KEPT_MEGABYTES << 20, half = given->memory / 2;
    return given->memory > 0 && half < most ? half + 1 : most;
}

static spk_status run_searches(anchored_run *run, const spk_pattern_job *given,
                               spk_pattern_sink *sink, void *user, bool *done)
{
    spk_bitmap_bounds *shared = &run->shared;
    spk_status status = spk_maxima_open(shared);
    if (status == SPK_OK && shared->n_searches > 0)
        status =
            spk_alloc_zero(shared->context, &run->output, (uint64_t)shared->n_searches, "a search");
    /* Each search has buffers of its own, and what all of them keep is charged to one budget, so
     * that the limit holds for the sum. Only the sink is shared: the lock is for it. */
    for (int k = 0; k < shared->n_searches && run->output != NULL; k++)
        run->output[k] = (spk_anchored_output){
            .lock = &run->lock,
            .sink = sink,
            .user = user,
            .maker = k,
            .drops = given->drop_ends_of != 0,
            .keeps = !shared->job->unordered,
            .kept = spk_arena_make(2 * sizeof(uint64_t), SPK_BITMAP_ARENA_BYTES, &run->budget)};
    if (run->output != NULL)
        status = mine(run, given, done);
    for (int k = 0; k < shared->n_searches && run->output != NULL; k++)
        spk_anchored_output_free(&run->output[k]);
    spk_free(shared->context, run->output);
    spk_maxima_close(shared);
    return status;
}

spk_status spk_bitmap_mine_anchored(spk_context *context, const spk_pattern_job *given,
                                    spk_bitmap_job *job, spk_pattern_sink *sink, void *user,
                                    bool *done)
{
    const spk_pattern_maxima_job searched = {.job = *given};
    spk_maxima_table table;
    anchored_run run = {
        .shared = {.context = context, .job = job, .given = &searched, .table = &table}};
    *done = can_mine(job);
    if (!*done)
        return SPK_OK;
    const bool borrows = job->ends.row == NULL; /* rows of bins for this search alone */
    spk_status status = spk_maxima_table_create(context, 1, &table);
    if (status == SPK_OK && borrows)
        status = spk_bitmap_ends_create(context, job->windows, UINT32_MAX, &job->ends);
    pthread_mutex_init(&run.lock, NULL);
    spk_budget_init(&run.budget, kept_bytes(given));
    if (status == SPK_OK)
        status = run_searches(&run, given, sink, user, done);
    pthread_mutex_destroy(&run.lock);
    if (borrows)
        spk_bitmap_ends_free(&job->ends);
    spk_maxima_table_free(&table);
    return status;
}
