/*
 * The largest counts by branch and bound: passes and threads.
 *
 *     pass      1           2           3             support 15; a root has 999 windows at most
 *     counts    334 .. 999  112 .. 333  15 .. 111     a pass of 15 .. 37 alone is not worth it
 *
 * Invariant: what has more than the ceiling of a pass was found in an earlier one, so that the
 * table is exact from the floor of the last pass on. Threads take roots from one counter and share
 * the table; a bound that is out of date only cuts less. Cost: memory is a search for each thread;
 * time is that of the branches (maxima_wide.h, maxima_narrow.h). Ours; maxima.h has the idea.
 */
#include "pattern/engine/bitmap/maxima.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/stage.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static bool search_create(spk_bitmap_bounds *shared, spk_maxima_search *search)
{
    const spk_bitmap_job *job = shared->job;
    *search = (spk_maxima_search){
        .shared = shared,
        .job = job,
        .arena = spk_arena_make(SPK_BITMAP_ALIGNMENT, SPK_BITMAP_ARENA_BYTES, NULL),
        .bound_version = UINT32_MAX,
        .reach = shared->anchors.reach,
        /* Around anchors a set may grow to both sides, and its duration is open. With counts by
         * duration there is a row of bounds for each span, 0 .. window - 1. */
        .n_spans =
            shared->anchors.reach > 0 && shared->given->by_duration ? job->windows->window : 1,
        .unit_of = shared->anchors.reach > 0 ? shared->anchors.unit_of : job->unit_of,
        .lag_of = shared->anchors.lag_of,
        .count = calloc((uint64_t)job->n_roots * shared->anchors.span + 1, sizeof *search->count),
        .rank = malloc(((size_t)shared->longest + 1) * sizeof *search->rank),
        .unit_count = calloc(job->windows->n_units + 1u, sizeof *search->unit_count),
        .unit_met = calloc(job->windows->n_units + 1u, sizeof *search->unit_met),
        .window = malloc((shared->most_windows + 1) * sizeof *search->window),
        .item = malloc(((size_t)shared->longest + 1) * sizeof *search->item)};
    return search->count != NULL && search->rank != NULL && search->unit_count != NULL &&
           search->unit_met != NULL && search->window != NULL && search->item != NULL;
}

static void search_free(spk_maxima_search *search)
{
    spk_arena_free(&search->arena);
    spk_free_all(search->count, search->rank, search->unit_count, search->unit_met, search->window,
                 search->item, search->bounds);
}

/* Roots of common units first: what occurs often is found early. */
static void search_roots(spk_maxima_search *search)
{
    spk_bitmap_bounds *shared = search->shared;
    const spk_bitmap_job *job = search->job;
    uint32_t next;
    search->bound_version = UINT32_MAX;
    while ((next = atomic_fetch_add(&shared->next_root, 1)) < job->n_roots &&
           atomic_load(&shared->status) == SPK_OK) {
        uint32_t root = job->n_roots - 1 - next;
        if (spk_maxima_windows_of(job, root) >= shared->floor)
            shared->kernels->root(search, root);
    }
}

void spk_maxima_run_pass(spk_bitmap_bounds *shared)
{
    atomic_store(&shared->next_root, 0);
    atomic_store(&shared->version, 0);
    if (shared->n_searches == 1) {
        search_roots(shared->search);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(shared->n_searches)
#endif
    for (int k = 0; k < shared->n_searches; k++)
        search_roots(&shared->search[k]);
}

spk_status spk_maxima_status(spk_bitmap_bounds *shared)
{
    spk_status status = (spk_status)atomic_load(&shared->status);
    if (status == SPK_ERR_MEMORY)
        return spk_fail_memory(shared->context, 1u << 20, "a search");
    if (status == SPK_ERR_CANCELLED)
        return spk_check_cancel(shared->context);
    return status;
}

/* Pass by pass, each with a third of the support of the one before; with less where that one found
 * nothing. The last one takes up what would be left for a pass of hardly less support. */
static void run_passes(spk_bitmap_bounds *shared)
{
    enum { THIRD = 3 };
    const spk_pattern_limits *limits = &shared->job->limits;
    uint32_t above = smaller((uint32_t)shared->most_windows, limits->max_count);
    uint32_t part = THIRD;
    while (above >= limits->min_support && atomic_load(&shared->status) == SPK_OK) {
        const uint32_t least = above / part + 1;
        shared->ceiling = above;
        shared->floor = least / part >= limits->min_support ? least : limits->min_support;
        spk_maxima_run_pass(shared);
        above = shared->floor - 1;
        part = atomic_load(&shared->version) > 0 ? THIRD : part * THIRD;
    }
}

/* ---- the job --------------------------------------------------------------------------------- */

static uint32_t longest_window(const spk_window_columns *windows)
{
    uint64_t longest = 0;
    for (uint64_t w = 0; w < windows->n_windows; w++)
        if (windows->first[w + 1] - windows->first[w] > longest)
            longest = windows->first[w + 1] - windows->first[w];
    return (uint32_t)longest;
}

spk_status spk_maxima_open(spk_bitmap_bounds *shared)
{
    const spk_bitmap_job *job = shared->job;
    int n = job->threads > 1 ? job->threads : 1;
    n = (uint32_t)n > job->n_roots ? (int)job->n_roots : n;
    pthread_mutex_init(&shared->lock, NULL);
    shared->kernels = SPK_SIMD_BEST(&spk_maxima_kernels);
    shared->longest = longest_window(job->windows);
    shared->most_around = 2 * shared->longest + 1;
    for (uint32_t r = 0; r < job->n_roots; r++)
        if (spk_maxima_windows_of(job, r) > shared->most_windows)
            shared->most_windows = spk_maxima_windows_of(job, r);
    spk_status status = SPK_OK;
    /* No window has enough spikes for one pattern: without searches every pass ends at once. */
    if (shared->longest < job->limits.min_spikes)
        return status;
    if (spk_bitmap_can_anchor(job))
        status = spk_bitmap_anchors_create(shared->context, job, &shared->anchors);
    if (status == SPK_OK)
        status = spk_alloc_zero(shared->context, &shared->near, job->n_roots, "roots");
    if (status == SPK_OK)
        status = spk_alloc_zero(shared->context, &shared->search, (uint64_t)n, "a search");
    for (; shared->n_searches < n && status == SPK_OK; shared->n_searches++)
        if (!search_create(shared, &shared->search[shared->n_searches]))
            status = spk_fail_memory(shared->context, 1u << 20, "a search");
    return status;
}

void spk_maxima_close(spk_bitmap_bounds *shared)
{
    for (int k = 0; k < shared->n_searches; k++)
        search_free(&shared->search[k]);
    spk_free(shared->context, shared->search);
    for (uint32_t r = 0; shared->near != NULL && r < shared->job->n_roots; r++) {
        free(shared->near[r].place);
        free(shared->near[r].count);
    }
    spk_free(shared->context, shared->near);
    spk_bitmap_anchors_free(&shared->anchors);
    pthread_mutex_destroy(&shared->lock);
}

spk_status spk_bitmap_maxima(spk_context *context, const spk_pattern_maxima_job *given,
                             spk_maxima_table *table, bool *done)
{
    spk_bitmap_job job;
    *done = true;
    if (given->job.windows->n_windows < given->job.limits.min_support)
        return SPK_OK;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_bitmap_job_create(context, &given->job, &job);
    *done = status != SPK_OK || job.n_always == 0; /* items of every window are no item of a set */
    if (status == SPK_OK && *done) {
        spk_bitmap_bounds shared = {
            .context = context, .job = &job, .given = given, .table = table};
        status = spk_maxima_open(&shared);
        if (status == SPK_OK && shared.n_searches > 0)
            run_passes(&shared);
        if (status == SPK_OK)
            status = spk_maxima_status(&shared);
        spk_maxima_close(&shared);
    }
    spk_stage_close(context, &stage);
    spk_bitmap_job_free(&job);
    return status;
}
