/*
 * Threads of the bitmap engine.
 *
 * The search is cut at its second level: a root (a lag-0 item) is prepared by one thread, its
 * extensions are handed out in chunks of like cost, so that a few bursting units that hold most of
 * the work are shared by all. Several roots are prepared at a time, one per thread. Patterns leave
 * in the order of the search (output.c).
 *
 * Where processes share the search (shared.c), what is said here about roots holds for pieces.
 *
 *     roots      first_root ......... next_root ......... n_roots
 *                prepared or in work, in n_slots slots    not begun
 *     chunks     first_chunk ........ next_chunk ........ n_chunks    of each root in work
 *                to leave             to hand out
 *
 * Invariant: what threads share changes under the lock alone, and a chunk in hand is its thread's.
 * The earliest root with work goes first, so that what is buffered can leave soon. Bytes: a node
 * for each slot.
 */
#include "pattern/engine/bitmap/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Pairs of items that the child of an extension looks at. One thread by itself needs no chunks. */
static uint64_t extension_cost(const spk_bitmap_schedule *schedule, const spk_bitmap_node *node,
                               uint32_t e)
{
    if (schedule->team == 1 && schedule->share == NULL)
        return 0;
    return node->kept ? schedule->kernels->pairs(node, e) : SPK_BITMAP_CHUNK_PAIRS;
}

static bool cut_chunks(const spk_bitmap_schedule *schedule, spk_bitmap_work *work)
{
    const spk_bitmap_node *node = work->node;
    uint32_t n_extensions = node != NULL ? node->n - node->n_excluded : 0;
    work->chunk = calloc((size_t)n_extensions + 1, sizeof *work->chunk);
    if (work->chunk == NULL)
        /* Chunk 0 is the root's own pattern and has no extension. The next one begins at extension
         * 0: `pairs` begins as if a chunk were full. */
        return false;
    work->n_chunks = 1;
    uint64_t pairs = SPK_BITMAP_CHUNK_PAIRS;
    for (uint32_t e = 0; e < n_extensions; e++) {
        if (pairs >= SPK_BITMAP_CHUNK_PAIRS) {
            work->chunk[work->n_chunks++].begin = e;
            pairs = 0;
        }
        uint64_t n = extension_cost(schedule, node, e);
        pairs += n;
        work->chunk[work->n_chunks - 1].cost += n;
        work->chunk[work->n_chunks - 1].end = e + 1;
    }
    for (uint32_t c = 0; c < work->n_chunks; c++)
        work->chunk[c].blocks_end = &work->chunk[c].blocks;
    return true;
}

bool spk_bitmap_keep_pattern(const spk_bitmap_search *search, spk_bitmap_work *work)
{
    work->size = search->size;
    work->key = malloc((search->size + 1) * sizeof *work->key);
    work->unit = malloc((search->size + 1) * sizeof *work->unit);
    if (work->key == NULL || work->unit == NULL)
        return false;
    memcpy(work->key, search->key, search->size * sizeof *work->key);
    memcpy(work->unit, search->unit, search->size * sizeof *work->unit);
    return true;
}

bool spk_bitmap_make_root(spk_bitmap_schedule *schedule, spk_bitmap_search *search, uint32_t root,
                          spk_bitmap_work *work, bool *valid)
{
    spk_arena own = search->arena;
    search->arena = spk_arena_make(SPK_BITMAP_ALIGNMENT, SPK_BITMAP_ARENA_BYTES, NULL);
    work->node = schedule->kernels->root(search, root, NULL, valid);
    work->arena = search->arena;
    search->arena = own;
    return search->status == SPK_OK && cut_chunks(schedule, work);
}

void spk_bitmap_emit_root(spk_bitmap_search *search, uint32_t root)
{
    const spk_bitmap_job *job = search->job;
    search->chunk = NULL; /* nobody waits for space here: others may wait for this root */
    const uint64_t begin = job->root_first[root];
    const uint32_t count = (uint32_t)(job->root_first[root + 1] - begin);
    const spk_bitmap_places places = {job->root_window + begin, NULL, count};
    spk_bitmap_emit(search, count, &places);
}

void spk_bitmap_prepared(spk_bitmap_schedule *schedule, const spk_bitmap_search *search,
                         spk_bitmap_work *work, bool good)
{
    if (!good) {
        spk_bitmap_stop(schedule, spk_bitmap_failure(schedule, search));
        return;
    }
    work->prepared = true;
    spk_bitmap_drain(schedule);
    pthread_cond_broadcast(&schedule->changed);
}

static void prepare_root(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    uint32_t root = schedule->next_root++;
    spk_bitmap_work *work = spk_bitmap_slot(schedule, root);
    uint32_t size = search->size;
    bool valid = false;
    *work = (spk_bitmap_work){.prepared = false};
    pthread_mutex_unlock(&schedule->lock);
    bool good = spk_bitmap_make_root(schedule, search, root, work, &valid) &&
                spk_bitmap_keep_pattern(search, work);
    if (good && valid)
        spk_bitmap_emit_root(search, root);
    spk_bitmap_pop(search, size);
    spk_bitmap_make_bytes(search);
    pthread_mutex_lock(&schedule->lock);
    if (good) { /* the root's own pattern leaves with the first chunk, which is empty else */
        spk_bitmap_chunk_end(schedule, &work->chunk[0], search);
        work->chunk[0].finished = true;
        work->next_chunk = 1;
    }
    spk_bitmap_prepared(schedule, search, work, good);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What an extension of a chunk costs where its node does not tell. */
static uint64_t cost_of_each(const spk_bitmap_work *work, const spk_bitmap_chunk *chunk)
{
    return work->node->kept ? 0 : chunk->cost / (chunk->end - chunk->begin) + 1;
}

/* Entered and left with the lock. */
static void run_chunk(spk_bitmap_schedule *schedule, spk_bitmap_search *search,
                      spk_bitmap_work *work)
{
    spk_bitmap_chunk *chunk = &work->chunk[work->next_chunk++];
    pthread_mutex_unlock(&schedule->lock);
    uint32_t size = search->size;
    /* The pattern that the node extends is not this thread's: what is in every window is there
     * already, and the rest is pushed. */
    for (uint32_t k = size; k < work->size; k++)
        spk_bitmap_push(search, work->key[k], work->unit[k]);
    search->chunk = chunk;
    search->branch = work->branch;
    for (uint32_t e = chunk->begin; e < chunk->end && !spk_bitmap_stopped(search); e++) {
        if (search->cut) {
            spk_bitmap_leave(search, work->node, e, chunk->end, cost_of_each(work, chunk));
            break;
        }
        schedule->kernels->extend(search, work->node, e);
    }
    spk_bitmap_pop(search, size);
    spk_bitmap_make_bytes(search);
    pthread_mutex_lock(&schedule->lock);
    spk_bitmap_tell_work(schedule, search);
    spk_bitmap_chunk_end(schedule, chunk, search);
    chunk->finished = true;
    spk_bitmap_drain(schedule);
    pthread_cond_broadcast(&schedule->changed);
}

/* The earliest root that has a chunk to hand out. */
static spk_bitmap_work *find_work(spk_bitmap_schedule *schedule)
{
    for (uint32_t root = schedule->first_root; root < schedule->next_root; root++) {
        spk_bitmap_work *work = spk_bitmap_slot(schedule, root);
        if (work->prepared && work->next_chunk < work->n_chunks)
            return work;
    }
    return NULL;
}

static void work_loop(spk_bitmap_schedule *schedule, bool reports)
{
    spk_bitmap_search search = {.status = SPK_OK};
    pthread_mutex_lock(&schedule->lock);
    spk_status status = spk_bitmap_search_create(schedule, &search);
    search.maker = (int)schedule->n_threads++;
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
    /* Work that is ready comes before work to be made ready, so that few nodes are held. Whoever
     * finds neither waits for a chunk to end, which may free a slot. */
    while (!schedule->stop && schedule->first_root < schedule->n_roots) {
        spk_bitmap_work *work = find_work(schedule);
        if (reports && schedule->share == NULL)
            spk_progress(schedule->context, "mining", schedule->first_root, schedule->n_roots);
        if (work != NULL && schedule->cutting)
            spk_bitmap_leave_chunks(schedule, work);
        else if (work != NULL)
            run_chunk(schedule, &search, work);
        else if (schedule->next_root < schedule->n_roots &&
                 schedule->next_root - schedule->first_root < schedule->n_slots)
            schedule->prepare(schedule, &search);
        else
            pthread_cond_wait(&schedule->changed, &schedule->lock);
        spk_bitmap_check_search(schedule, &search);
    }
    pthread_mutex_unlock(&schedule->lock);
    spk_bitmap_search_free(&search);
}

void spk_bitmap_team_run(spk_bitmap_schedule *schedule,
                         void (*run)(spk_bitmap_schedule *schedule, bool first))
{
    schedule->n_threads = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(schedule->team)
    {
        run(schedule, omp_get_thread_num() == 0);
    }
#else
    run(schedule, true);
#endif
}

spk_status spk_bitmap_schedule_run(spk_bitmap_schedule *schedule)
{
    schedule->first_root = schedule->next_root = 0;
    spk_bitmap_team_run(schedule, work_loop);
    return schedule->status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

spk_status spk_bitmap_schedule_open(spk_bitmap_schedule *schedule)
{
    const spk_bitmap_job *job = schedule->job;
    schedule->team = job->threads > 1 ? (uint32_t)job->threads : 1;
    if (schedule->team > job->n_roots) /* more would find nothing to prepare in a job this small */
        schedule->team = job->n_roots > 0 ? job->n_roots : 1;
    schedule->n_slots = schedule->team + 1;
    schedule->ready.blocks_end = &schedule->ready.blocks;
    pthread_mutex_init(&schedule->lock, NULL);
    pthread_cond_init(&schedule->changed, NULL);
    return spk_alloc_zero(schedule->context, &schedule->slot, schedule->n_slots, "roots");
}

void spk_bitmap_schedule_close(spk_bitmap_schedule *schedule)
{
    pthread_cond_destroy(&schedule->changed);
    pthread_mutex_destroy(&schedule->lock);
    for (uint32_t k = 0; schedule->slot != NULL && k < schedule->n_slots; k++)
        spk_bitmap_work_free(&schedule->slot[k]);
    free(schedule->slot);
    spk_bitmap_blocks_free(schedule->ready.blocks);
    spk_bitmap_blocks_free(schedule->spare);
}

spk_status spk_bitmap_run(spk_context *context, const spk_bitmap_job *job,
                          const spk_bitmap_kernels *kernels, spk_pattern_sink *sink, void *user)
{
    spk_bitmap_schedule schedule = {.context = context,
                                    .job = job,
                                    .kernels = kernels,
                                    .prepare = prepare_root,
                                    .n_roots = job->n_roots,
                                    .sink = sink,
                                    .user = user};
    spk_status status = spk_bitmap_schedule_open(&schedule);
    if (status == SPK_OK)
        status = spk_bitmap_report_always(&schedule);
    if (status == SPK_OK)
        status = spk_bitmap_schedule_run(&schedule);
    spk_bitmap_schedule_close(&schedule);
    return status;
}
