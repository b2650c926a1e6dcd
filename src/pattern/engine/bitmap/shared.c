/*
 * A search that several processes share.
 *
 * First each process prepares some of the roots: what is alive in them, and what their chunks cost.
 * All give each other what they have learned, and plan the same pieces, which they take from one
 * counter. When it is exhausted, some process waits. The others see that when they look at the
 * counter now and then; they leave what they have not begun. What all have left is shared like the
 * roots before: a list that all have, pieces, a counter. So it goes on until nothing is left.
 *
 *     roots  ->  pieces from the counter  ->  somebody waits: rest of all  ->  pieces  ->  ...
 *
 * A piece is a branch: the items that lead to a node, and some of its extensions. Its patterns are
 * those from its first extension on, in the order of the search, so that the items of the branch
 * and the first extension tell where its patterns stand among those of all processes.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "pattern/engine/bitmap/schedule.h"

typedef struct shared_run {
    spk_bitmap_schedule schedule; /* first, so that its functions find the whole */
    uint32_t *order;              /* roots, large ones first */
    spk_bitmap_branches branches;
    spk_bitmap_pieces pieces;
} shared_run;

/* ---- roots ----------------------------------------------------------------------------------- */

static int compare_roots(const void *user, uint32_t a, uint32_t b)
{
    const spk_bitmap_job *job = user;
    uint64_t of_a = job->root_first[a + 1] - job->root_first[a];
    uint64_t of_b = job->root_first[b + 1] - job->root_first[b];
    return of_a > of_b ? -1 : of_a < of_b;
}

static spk_status order_roots(shared_run *run)
{
    const spk_bitmap_job *job = run->schedule.job;
    spk_context *context = run->schedule.context;
    spk_status status = spk_alloc(context, &run->order, job->n_roots, "the order of roots");
    for (uint32_t r = 0; status == SPK_OK && r < job->n_roots; r++)
        run->order[r] = r;
    return status == SPK_OK
               ? spk_sort_indices(context, job->n_roots, run->order, compare_roots, job)
               : status;
}

/* Under the lock: hands on the pattern that is in the search's block, which is the root's. */
static spk_status leave_pattern(spk_bitmap_schedule *schedule, spk_bitmap_search *search,
                                uint32_t root)
{
    spk_bitmap_block *block = search->block;
    if (block == NULL || block->n == 0)
        return SPK_OK;
    spk_status status = spk_bitmap_block_leave(schedule, &root, 1, block);
    block->n = block->n_items = 0;
    return status;
}

/* Under the lock: adds a root to the list of branches. */
static spk_status leave_root(spk_bitmap_schedule *schedule, uint32_t root,
                             const spk_bitmap_work *work)
{
    const spk_bitmap_node *node = work->node;
    uint64_t at = 0;
    if (node == NULL)
        return SPK_OK;
    const uint64_t item[2] = {root, ((uint64_t)node->n + 63) / 64};
    const spk_bitmap_branch base = {.depth = 1, .item = item, .alive = node->alive};
    uint64_t before = schedule->left.n;
    spk_status status =
        spk_bitmap_branch_open(schedule->context, &schedule->left, &base, NULL, 0, node, &at);
    for (uint32_t c = 1; c < work->n_chunks && status == SPK_OK; c++)
        if (work->chunk[c].cost > 0)
            status =
                spk_bitmap_branch_add(schedule->context, &schedule->left, at, work->chunk[c].begin,
                                      work->chunk[c].end, work->chunk[c].cost);
    if (status == SPK_OK && schedule->left.word[at] == 0)
        schedule->left.n = before;
    return status;
}

/* Entered and left with the lock. */
static void measure_root(spk_bitmap_schedule *schedule, spk_bitmap_search *search, uint32_t root)
{
    spk_bitmap_work work = {.prepared = false};
    uint32_t size = search->size;
    bool valid = false;
    /* Measuring needs no lock: the node is this thread's alone, and is thrown away once its chunks
     * are known. Only its live items and costs go on to others. */
    pthread_mutex_unlock(&schedule->lock);
    bool good = spk_bitmap_make_root(schedule, search, root, &work, &valid);
    if (good && valid)
        spk_bitmap_emit_root(search, root);
    spk_bitmap_pop(search, size);
    if (good && spk_context_cancelled(schedule->context))
        search->status = SPK_ERR_CANCELLED;
    pthread_mutex_lock(&schedule->lock);
    spk_status status =
        good ? leave_pattern(schedule, search, root) : spk_bitmap_failure(schedule, search);
    if (status == SPK_OK)
        status = leave_root(schedule, root, &work);
    spk_bitmap_work_free(&work);
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
}

static void measure_loop(spk_bitmap_schedule *schedule, bool first)
{
    const shared_run *run = (const shared_run *)(const void *)schedule;
    const spk_pattern_share *share = schedule->share;
    spk_bitmap_search search = {.status = SPK_OK};
    (void)first;
    pthread_mutex_lock(&schedule->lock);
    spk_status status = spk_bitmap_search_create(schedule, &search);
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
    /* Roots come from the counter of all processes, large ones first: those that are measured last
     * are small, and nobody waits long for the others. */
    while (!schedule->stop) {
        uint64_t taken = 0;
        status = share->next(share->user, &taken);
        if (status != SPK_OK)
            spk_bitmap_stop(schedule, status);
        if (status != SPK_OK || taken >= schedule->job->n_roots)
            break;
        measure_root(schedule, &search, run->order[taken]);
        spk_bitmap_check_search(schedule, &search);
    }
    pthread_mutex_unlock(&schedule->lock);
    spk_bitmap_search_free(&search);
}

static spk_status measure_roots(shared_run *run)
{
    spk_bitmap_schedule *schedule = &run->schedule;
    spk_status status = order_roots(run);
    if (status == SPK_OK)
        status = schedule->share->begin(schedule->share->user);
    if (status == SPK_OK) {
        spk_bitmap_team_run(schedule, measure_loop);
        status = schedule->status;
    }
    return status;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The chunks of a piece, as the branch has them. */
static bool copy_chunks(spk_bitmap_work *work, const spk_bitmap_piece *piece)
{
    uint32_t n = piece->end - piece->begin;
    work->chunk = calloc(n, sizeof *work->chunk);
    if (work->chunk == NULL)
        return false;
    for (uint32_t c = 0; c < n; c++) {
        const uint64_t *from = work->branch->chunk + 3 * ((uint64_t)piece->begin + c);
        work->chunk[c] = (spk_bitmap_chunk){
            .begin = (uint32_t)from[0], .end = (uint32_t)from[1], .cost = from[2]};
        work->chunk[c].blocks_end = &work->chunk[c].blocks;
    }
    work->n_chunks = n;
    return true;
}

/* Goes to a branch's node: no rows and no pruning on the way. */
static spk_bitmap_node *find_node(spk_bitmap_schedule *schedule, spk_bitmap_search *search,
                                  const spk_bitmap_branch *branch)
{
    const uint64_t *alive = branch->alive;
    spk_bitmap_node *node =
        schedule->kernels->root(search, spk_bitmap_branch_rank(branch, 0), alive, NULL);
    for (uint32_t k = 1; k < branch->depth && node != NULL; k++) {
        alive += branch->item[2 * (uint64_t)(k - 1) + 1];
        node = schedule->kernels->child(search, node, spk_bitmap_branch_rank(branch, k), alive);
    }
    return node;
}

static bool make_piece(spk_bitmap_schedule *schedule, spk_bitmap_search *search,
                       const spk_bitmap_piece *piece, spk_bitmap_work *work)
{
    const spk_bitmap_branch *branch = work->branch;
    spk_arena own = search->arena;
    search->arena = spk_arena_make(SPK_BITMAP_ALIGNMENT, SPK_BITMAP_ARENA_BYTES, NULL);
    work->node = find_node(schedule, search, branch);
    work->arena = search->arena;
    search->arena = own;
    work->path = malloc(((size_t)branch->depth + 1) * sizeof *work->path);
    for (uint32_t k = 0; work->path != NULL && k < branch->depth; k++)
        work->path[k] = spk_bitmap_branch_rank(branch, k);
    return work->node != NULL && work->path != NULL && copy_chunks(work, piece) &&
           work->chunk[work->n_chunks - 1].end <= work->node->n - work->node->n_excluded &&
           spk_bitmap_keep_pattern(search, work);
}

/* The next piece; NULL where none is left, or the share failed. */
static const spk_bitmap_piece *take_piece(spk_bitmap_schedule *schedule)
{
    uint64_t taken = 0;
    spk_status status = schedule->share->next(schedule->share->user, &taken);
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
    if (status == SPK_OK && taken < schedule->pieces->n)
        return &schedule->pieces->piece[schedule->pieces->order[taken]];
    schedule->n_roots = schedule->next_root;
    pthread_cond_broadcast(&schedule->changed);
    return NULL;
}

/* Entered and left with the lock. */
static void prepare_piece(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    const spk_bitmap_piece *piece = take_piece(schedule);
    if (piece == NULL)
        return;
    spk_bitmap_work *work = spk_bitmap_slot(schedule, schedule->next_root++);
    uint32_t size = search->size;
    *work = (spk_bitmap_work){.branch = &schedule->branches->branch[piece->branch]};
    pthread_mutex_unlock(&schedule->lock);
    bool good = make_piece(schedule, search, piece, work);
    spk_bitmap_pop(search, size);
    pthread_mutex_lock(&schedule->lock);
    spk_bitmap_prepared(schedule, search, work, good);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* All processes plan the same pieces. */
static spk_status plan_pieces(shared_run *run)
{
    spk_context *context = run->schedule.context;
    const spk_bitmap_branches *all = &run->branches;
    uint64_t *n_chunks = NULL, *cost = NULL, n = 0;
    for (uint64_t b = 0; b < all->n; b++)
        n += all->branch[b].n_chunks;
    spk_status status = spk_alloc_columns(context, "what branches cost",
                                          SPK_COLUMN(&n_chunks, all->n), SPK_COLUMN(&cost, n));
    /* What a chunk costs is the last of the three numbers that branches hold for it. */
    n = 0;
    for (uint64_t b = 0; b < all->n && status == SPK_OK; b++) {
        n_chunks[b] = all->branch[b].n_chunks;
        for (uint32_t c = 0; c < n_chunks[b]; c++)
            cost[n++] = all->branch[b].chunk[3 * (uint64_t)c + 2];
    }
    spk_bitmap_pieces_free(&run->pieces);
    if (status == SPK_OK)
        status = spk_bitmap_pieces_make(context, all->n, n_chunks, cost,
                                        run->schedule.share->n_parts, &run->pieces);
    if (status == SPK_OK && run->schedule.share->planned != NULL)
        run->schedule.share->planned(run->schedule.share->user, run->pieces.n);
    free(n_chunks);
    free(cost);
    return status;
}

/* Gives all what each has left, and finds the branches in it. */
static spk_status exchange(shared_run *run)
{
    spk_bitmap_schedule *schedule = &run->schedule;
    const spk_pattern_share *share = schedule->share;
    const void *bytes = NULL;
    uint64_t n = 0;
    spk_status status = share->exchange(share->user, schedule->left.word,
                                        schedule->left.n * sizeof *schedule->left.word, &bytes, &n);
    schedule->left.n = 0;
    return status == SPK_OK
               ? spk_bitmap_branches_read(schedule->context, bytes, n / sizeof(uint64_t),
                                          schedule->job, &run->branches)
               : status;
}

/* All that is left; *more is false when nothing was. */
static spk_status run_round(shared_run *run, bool *more)
{
    spk_bitmap_schedule *schedule = &run->schedule;
    spk_status status = exchange(run);
    *more = status == SPK_OK && run->branches.n > 0;
    if (!*more)
        return status;
    status = plan_pieces(run);
    if (status == SPK_OK)
        status = schedule->share->begin(schedule->share->user);
    if (status != SPK_OK)
        return status;
    schedule->n_roots = UINT32_MAX;
    schedule->cutting = 0;
    return spk_bitmap_schedule_run(schedule);
}

spk_status spk_bitmap_run_shared(spk_context *context, const spk_bitmap_job *job,
                                 const spk_bitmap_kernels *kernels, const spk_pattern_share *share,
                                 spk_pattern_sink *sink, void *user)
{
    shared_run run = {.schedule = {.context = context,
                                   .job = job,
                                   .kernels = kernels,
                                   .prepare = prepare_piece,
                                   .share = share,
                                   .sink = sink,
                                   .user = user}};
    run.schedule.branches = &run.branches;
    run.schedule.pieces = &run.pieces;
    bool more = true;
    spk_status status = spk_bitmap_schedule_open(&run.schedule);
    /* What is in every window is reported by one process alone. */
    if (status == SPK_OK && share->part == 0)
        status = spk_bitmap_report_always(&run.schedule);
    if (status == SPK_OK)
        status = measure_roots(&run);
    while (status == SPK_OK && more)
        status = run_round(&run, &more);
    spk_bitmap_schedule_close(&run.schedule);
    spk_bitmap_branches_free(&run.branches);
    spk_bitmap_pieces_free(&run.pieces);
    free(run.schedule.left.word);
    free(run.order);
    return status;
}
