/*
 * Threads and output of the bitmap engine.
 *
 * The search is cut at its second level: a root (a lag-0 item) is prepared by one thread, its
 * extensions are handed out in chunks of like cost, so that a few bursting units that hold most of
 * the work are shared by all. Several roots are prepared at a time, one per thread.
 *
 * Patterns leave in the order of the search, whoever finds them: roots by rank, chunks in order. A
 * chunk that is not first in line keeps its patterns in blocks; beyond BUFFERED_BYTES of them its
 * thread waits, as long as another one runs. The first in line never waits, so there is no
 * deadlock, and memory does not grow with the number of patterns.
 *
 * Where processes share the search (pieces.c), each first prepares some of the roots, only to see
 * what they cost; then all take pieces of roots from one counter. A piece is a root whose chunks
 * are some of all, and what follows about roots holds for pieces.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"
#include "pattern/engine/bitmap/bitmap.h"

enum { BUFFERED_BYTES = 16 << 20, SPARE_BLOCKS = 4 };
/* Pairs of items that make a chunk worth handing out. */
#define CHUNK_PAIRS 20000u

struct spk_bitmap_chunk {
    uint32_t begin; /* extensions of the root's node */
    uint32_t end;
    uint64_t cost; /* pairs of items that its children will look at */
    bool finished;
    spk_bitmap_block *blocks; /* full ones, oldest first */
    spk_bitmap_block **blocks_end;
};

/* A root in work. Its memory is that of the search that prepared it, moved here. */
typedef struct root_work {
    uint64_t piece; /* its number, for the share */
    bool prepared;
    uint32_t n_chunks;
    uint32_t next_chunk;  /* to hand out */
    uint32_t first_chunk; /* first in line to leave */
    spk_bitmap_chunk *chunk;
    spk_bitmap_node *node;
    spk_arena arena;
    uint32_t size;
    uint64_t *key;
    uint32_t *unit;
} root_work;

struct spk_bitmap_schedule {
    spk_context *context;
    const spk_bitmap_job *job;
    const spk_bitmap_kernels *kernels;
    spk_pattern_sink *sink;
    void *user;
    uint32_t n_threads; /* that have begun to work: fewer than asked for may come */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const spk_pattern_share *share; /* NULL: all roots are this process's */
    spk_bitmap_pieces pieces;       /* of the share */
    uint32_t next_root; /* to prepare; with a share, the number of the piece among this process's */
    uint32_t first_root; /* first in line to leave; roots first .. next - 1 are in slots */
    uint32_t n_roots;    /* with a share UINT32_MAX until no piece is left to take */
    uint32_t n_slots;
    root_work *slot;   /* of root r: slot[r % n_slots] */
    uint64_t buffered; /* bytes */
    uint32_t waiting;
    bool draining;
    bool stop; /* read without the lock through stopped */
    int stopped;
    spk_status status;
    spk_bitmap_block *spare;
    uint32_t n_spare;
};

/* ---- blocks ---------------------------------------------------------------------------------- */

static void block_free(spk_bitmap_block *block)
{
    if (block == NULL)
        return;
    free(block->offset);
    free(block->count);
    free(block->item);
    free(block);
}

static void blocks_free(spk_bitmap_block *block)
{
    while (block != NULL) {
        spk_bitmap_block *next = block->next;
        block_free(block);
        block = next;
    }
}

static spk_bitmap_block *block_create(uint32_t capacity, uint32_t item_capacity)
{
    spk_bitmap_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    block->capacity = capacity;
    block->item_capacity = item_capacity;
    block->offset = malloc(((size_t)capacity + 1) * sizeof *block->offset);
    block->count = malloc(capacity * sizeof *block->count);
    block->item = malloc(item_capacity * sizeof *block->item);
    if (block->offset != NULL && block->count != NULL && block->item != NULL)
        return block;
    block_free(block);
    return NULL;
}

static spk_bitmap_block *block_create_full(void)
{
    return block_create(SPK_BITMAP_BLOCK_PATTERNS, SPK_BITMAP_BLOCK_ITEMS);
}

static uint64_t block_bytes(const spk_bitmap_block *block)
{
    return sizeof *block + (uint64_t)block->capacity * 12 + (uint64_t)block->item_capacity * 4;
}

/* A copy that is just large enough: a chunk with few patterns must not hold a whole block. */
static spk_bitmap_block *block_shrink(const spk_bitmap_block *block)
{
    spk_bitmap_block *copy = block_create(block->n, block->n_items);
    if (copy == NULL)
        return NULL;
    copy->n = block->n;
    copy->n_items = block->n_items;
    memcpy(copy->offset, block->offset, ((size_t)block->n + 1) * sizeof *copy->offset);
    memcpy(copy->count, block->count, block->n * sizeof *copy->count);
    memcpy(copy->item, block->item, block->n_items * sizeof *copy->item);
    return copy;
}

/* A pattern longer than a whole block: the block grows. */
static bool block_reserve(spk_bitmap_block *block, uint32_t size)
{
    if (size <= block->item_capacity)
        return true;
    uint32_t *larger = realloc(block->item, size * sizeof *larger);
    if (larger == NULL)
        return false;
    block->item = larger;
    block->item_capacity = size;
    return true;
}

/* Under the lock, like all that follows up to the search's own part. */
static spk_bitmap_block *block_take(spk_bitmap_schedule *schedule)
{
    spk_bitmap_block *block = schedule->spare;
    if (block == NULL)
        return block_create_full();
    schedule->spare = block->next;
    schedule->n_spare--;
    assert(schedule->n_spare < SPARE_BLOCKS);
    block->next = NULL;
    block->n = block->n_items = 0;
    return block;
}

static void block_give(spk_bitmap_schedule *schedule, spk_bitmap_block *block)
{
    if (schedule->n_spare >= SPARE_BLOCKS || block->capacity != SPK_BITMAP_BLOCK_PATTERNS) {
        block_free(block);
        return;
    }
    block->next = schedule->spare;
    schedule->spare = block;
    schedule->n_spare++;
}

/* ---- leaving in order ------------------------------------------------------------------------ */

static void stop(spk_bitmap_schedule *schedule, spk_status status)
{
    if (schedule->status == SPK_OK)
        schedule->status = status;
    schedule->stop = true;
    __atomic_store_n(&schedule->stopped, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&schedule->changed);
}

static root_work *root_slot(spk_bitmap_schedule *schedule, uint32_t root)
{
    return &schedule->slot[root % schedule->n_slots];
}

static void root_release(root_work *work)
{
    for (uint32_t c = work->first_chunk; c < work->n_chunks; c++)
        blocks_free(work->chunk[c].blocks);
    spk_arena_free(&work->arena);
    free(work->chunk);
    free(work->key);
    free(work->unit);
    *work = (root_work){.prepared = false};
}

/* The chunk that is first in line; NULL when its root is not prepared yet or all have left. */
static spk_bitmap_chunk *first_in_line(spk_bitmap_schedule *schedule)
{
    while (schedule->first_root < schedule->next_root) {
        root_work *work = root_slot(schedule, schedule->first_root);
        if (!work->prepared)
            return NULL;
        if (work->first_chunk < work->n_chunks)
            return &work->chunk[work->first_chunk];
        root_release(work);
        schedule->first_root++;
        pthread_cond_broadcast(&schedule->changed);
    }
    return NULL;
}

static spk_status block_leave(spk_bitmap_schedule *schedule, uint64_t piece,
                              const spk_bitmap_block *block)
{
    const spk_pattern_share *share = schedule->share;
    spk_status status = share != NULL ? share->piece(share->user, piece) : SPK_OK;
    if (status != SPK_OK)
        return status;
    spk_pattern_columns columns = {.n = block->n,
                                   .window = schedule->job->windows->window,
                                   .offset = block->offset,
                                   .item = block->item,
                                   .count = block->count};
    return schedule->sink(schedule->user, &columns);
}

/* Hands everything that is first in line to the sink; one thread at a time, without the lock. */
static void drain(spk_bitmap_schedule *schedule)
{
    if (schedule->draining)
        return;
    schedule->draining = true;
    for (spk_bitmap_chunk *chunk; (chunk = first_in_line(schedule)) != NULL && !schedule->stop;) {
        spk_bitmap_block *block = chunk->blocks;
        if (block == NULL && !chunk->finished)
            break;
        if (block == NULL) {
            root_slot(schedule, schedule->first_root)->first_chunk++;
            pthread_cond_broadcast(&schedule->changed);
            continue;
        }
        chunk->blocks = block->next;
        if (chunk->blocks == NULL)
            chunk->blocks_end = &chunk->blocks;
        uint64_t piece = root_slot(schedule, schedule->first_root)->piece;
        pthread_mutex_unlock(&schedule->lock);
        spk_status status = block_leave(schedule, piece, block);
        pthread_mutex_lock(&schedule->lock);
        assert(schedule->buffered >= block_bytes(block));
        schedule->buffered -= block_bytes(block);
        block_give(schedule, block);
        pthread_cond_broadcast(&schedule->changed);
        if (status != SPK_OK)
            stop(schedule, status);
    }
    schedule->draining = false;
}

static void chunk_append(spk_bitmap_schedule *schedule, spk_bitmap_chunk *chunk,
                         spk_bitmap_block *block)
{
    block->next = NULL;
    *chunk->blocks_end = block;
    chunk->blocks_end = &block->next;
    schedule->buffered += block_bytes(block);
}

/* The same with what a search has filled when its chunk ends; the search keeps its block when
 * little is in it. */
static void chunk_end(spk_bitmap_schedule *schedule, spk_bitmap_chunk *chunk,
                      spk_bitmap_search *search)
{
    spk_bitmap_block *block = search->block;
    if (block == NULL || block->n == 0)
        return;
    spk_bitmap_block *small =
        block->n_items < SPK_BITMAP_BLOCK_ITEMS / 4 ? block_shrink(block) : NULL;
    if (small != NULL)
        block->n = block->n_items = 0;
    else
        search->block = NULL;
    chunk_append(schedule, chunk, small != NULL ? small : block);
}

/* Passes on the search's full block and gets an empty one. */
static bool exchange_block(spk_bitmap_search *search)
{
    spk_bitmap_schedule *schedule = search->schedule;
    pthread_mutex_lock(&schedule->lock);
    if (search->block != NULL && search->chunk != NULL)
        chunk_append(schedule, search->chunk, search->block);
    search->block = NULL;
    drain(schedule);
    while (!schedule->stop && search->chunk != NULL && schedule->buffered >= BUFFERED_BYTES &&
           first_in_line(schedule) != search->chunk &&
           schedule->waiting + 1 < schedule->n_threads) {
        schedule->waiting++;
        pthread_cond_wait(&schedule->changed, &schedule->lock);
        schedule->waiting--;
    }
    if (!schedule->stop) {
        search->block = block_take(schedule);
        if (search->block == NULL)
            stop(schedule, spk_fail_memory(schedule->context, 1u << 20, "patterns"));
    }
    pthread_mutex_unlock(&schedule->lock);
    return search->block != NULL;
}

/* ---- the search's own part ------------------------------------------------------------------- */

bool spk_bitmap_stopped(spk_bitmap_search *search)
{
    if (search->status != SPK_OK)
        return true;
    if (search->steps++ % 256 == 0 && spk_context_cancelled(search->schedule->context))
        search->status = SPK_ERR_CANCELLED;
    return search->status != SPK_OK ||
           __atomic_load_n(&search->schedule->stopped, __ATOMIC_RELAXED) != 0;
}

/* Insertion sort into the block: patterns are short and nearly in order. */
static void write_items(const spk_bitmap_search *search, uint32_t *item)
{
    uint64_t few[64];
    uint32_t n = search->size;
    uint64_t *sorted = n <= 64 ? few : search->sorted;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key = search->key[i];
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > key; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = key;
    }
    for (uint32_t i = 0; i < n; i++)
        item[i] = (uint32_t)sorted[i];
}

void spk_bitmap_emit(spk_bitmap_search *search, uint32_t count)
{
    const spk_pattern_limits *limits = &search->job->limits;
    uint32_t size = search->size;
    if (size < limits->min_spikes || size > limits->max_spikes || count > limits->max_count ||
        search->neurons < limits->min_neurons)
        return;
    spk_bitmap_block *block = search->block;
    if (block == NULL || block->n == SPK_BITMAP_BLOCK_PATTERNS ||
        (block->n > 0 && block->item_capacity - block->n_items < size)) {
        if (!exchange_block(search))
            return;
        block = search->block;
    }
    if (!block_reserve(block, size)) {
        search->status = SPK_ERR_MEMORY;
        return;
    }
    write_items(search, block->item + block->n_items);
    block->offset[block->n] = block->n_items;
    block->n_items += size;
    block->count[block->n++] = count;
    block->offset[block->n] = block->n_items;
}

static void search_free(spk_bitmap_search *search)
{
    spk_arena_free(&search->arena);
    block_free(search->block);
    free(search->key);
    free(search->unit);
    free(search->unit_count);
    free(search->unit_end);
    free(search->count);
    free(search->mask);
    free(search->any);
    free(search->sorted);
}

/* Allocates under the lock, for the context's message. */
static spk_status search_create(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    const spk_bitmap_job *job = schedule->job;
    uint64_t n = (uint64_t)job->n_items + job->n_always;
    uint64_t words = n / 64 + 16;
    uint64_t n_units = job->windows->n_units;
    spk_status status = spk_alloc_columns(
        schedule->context, "a search", SPK_COLUMN_ZERO(&search->key, n),
        SPK_COLUMN_ZERO(&search->unit, n), SPK_COLUMN_ZERO(&search->sorted, n),
        SPK_COLUMN_ZERO(&search->count, n), SPK_COLUMN_ZERO(&search->mask, words),
        SPK_COLUMN_ZERO(&search->any, words), SPK_COLUMN_ZERO(&search->unit_count, n_units),
        SPK_COLUMN_ZERO(&search->unit_end, n_units));
    search->job = job;
    search->schedule = schedule;
    search->arena = spk_arena_make(SPK_BITMAP_ALIGNMENT, SPK_BITMAP_ARENA_BYTES, NULL);
    for (uint32_t k = 0; k < job->n_always && status == SPK_OK; k++)
        spk_bitmap_push(search, job->always_key[k], job->always_unit[k]);
    return status;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Pairs of items that the child of extension e looks at: each item that can extend it, which comes
 * after e, beside all others of the child. */
static uint64_t pairs_below(const spk_bitmap_node *node, uint32_t e)
{
    const uint64_t *share = node->share + (size_t)e * node->words;
    uint32_t position = node->n_excluded + e;
    uint64_t all = 0, after = 0;
    for (uint32_t w = 0; w < node->words; w++) {
        uint64_t bits = share[w] & node->alive[w];
        uint64_t n = (uint64_t)__builtin_popcountll(bits);
        all += n;
        if (w == position / 64)
            after += (uint64_t)__builtin_popcountll(bits & (~(uint64_t)0 << position % 64));
        else if (w > position / 64)
            after += n;
    }
    return (after + 1) * (all + 1);
}

/* Cuts a root's extensions into chunks: by the pairs that their children will look at. The first
 * chunk stays empty and carries the root's own pattern. */
static bool cut_chunks(root_work *work)
{
    const spk_bitmap_node *node = work->node;
    uint32_t n_extensions = node != NULL ? node->n - node->n_excluded : 0;
    work->chunk = calloc((size_t)n_extensions + 1, sizeof *work->chunk);
    if (work->chunk == NULL)
        return false;
    work->n_chunks = 1;
    uint64_t pairs = CHUNK_PAIRS;
    for (uint32_t e = 0; e < n_extensions; e++) {
        if (pairs >= CHUNK_PAIRS) {
            work->chunk[work->n_chunks++].begin = e;
            pairs = 0;
        }
        uint64_t n = node->kept ? pairs_below(node, e) : CHUNK_PAIRS;
        pairs += n;
        work->chunk[work->n_chunks - 1].cost += n;
        work->chunk[work->n_chunks - 1].end = e + 1;
    }
    for (uint32_t c = 0; c < work->n_chunks; c++)
        work->chunk[c].blocks_end = &work->chunk[c].blocks;
    return true;
}

/* Copies the root's pattern, which is in the search, for the threads that will go on from it. */
static bool keep_pattern(const spk_bitmap_search *search, root_work *work)
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

/* Makes the root's node in memory of its own, and adds its closure to the pattern of the search. */
static bool make_node(const spk_bitmap_schedule *schedule, spk_bitmap_search *search, uint32_t root,
                      root_work *work, bool *valid)
{
    spk_arena own = search->arena;
    work->arena = spk_arena_make(SPK_BITMAP_ALIGNMENT, SPK_BITMAP_ARENA_BYTES, NULL);
    search->arena = work->arena;
    work->node = schedule->kernels->root(search, root, valid);
    work->arena = search->arena;
    search->arena = own;
    return search->status == SPK_OK && cut_chunks(work);
}

/* The chunks of a piece, which does not count the first one: that is empty. */
static void keep_piece(root_work *work, const spk_bitmap_piece *piece)
{
    assert(piece->end < work->n_chunks);
    work->next_chunk = 1 + piece->begin;
    work->n_chunks = 1 + piece->end;
    if (!piece->first)
        work->first_chunk = work->next_chunk;
}

/* The next piece, under the lock; false where none is left, or the share failed. */
static bool take_piece(spk_bitmap_schedule *schedule, uint64_t *number, spk_bitmap_piece *out)
{
    if (schedule->share == NULL) {
        *number = schedule->next_root;
        *out = (spk_bitmap_piece){.root = schedule->next_root, .first = true};
        return true;
    }
    uint64_t taken = 0;
    spk_status status = schedule->share->next(schedule->share->user, &taken);
    if (status != SPK_OK)
        stop(schedule, status);
    bool got = status == SPK_OK && taken < schedule->pieces.n;
    if (got) {
        *number = schedule->pieces.order[taken];
        *out = schedule->pieces.piece[*number];
        return true;
    }
    schedule->n_roots = schedule->next_root;
    pthread_cond_broadcast(&schedule->changed);
    return false;
}

/* Entered and left with the lock. */
static void prepare_root(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    uint64_t number = 0;
    spk_bitmap_piece piece;
    if (!take_piece(schedule, &number, &piece))
        return;
    uint32_t root = piece.root;
    root_work *work = root_slot(schedule, schedule->next_root++);
    uint32_t size = search->size;
    bool valid = false;
    *work = (root_work){.piece = number};
    pthread_mutex_unlock(&schedule->lock);
    bool good = make_node(schedule, search, root, work, &valid) && keep_pattern(search, work);
    if (good && valid && piece.first) { /* the root's own pattern leaves with the first chunk */
        search->chunk = NULL; /* nobody waits for space here: others may wait for this root */
        spk_bitmap_emit(search, (uint32_t)(schedule->job->root_first[root + 1] -
                                           schedule->job->root_first[root]));
    }
    spk_bitmap_pop(search, size);
    pthread_mutex_lock(&schedule->lock);
    if (!good) {
        stop(schedule, spk_fail_memory(schedule->context, 1u << 20, "a search"));
        return;
    }
    chunk_end(schedule, &work->chunk[0], search);
    work->chunk[0].finished = true;
    if (schedule->share != NULL)
        keep_piece(work, &piece);
    else
        work->next_chunk = 1;
    work->prepared = true;
    drain(schedule);
    pthread_cond_broadcast(&schedule->changed);
}

/* Under the lock: tells the share what the search has done since it was told last. */
static void tell_work(const spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    const spk_pattern_share *share = schedule->share;
    if (share != NULL && share->worked != NULL)
        share->worked(share->user, search->steps - search->told_steps,
                      search->seen - search->told_seen);
    search->told_steps = search->steps;
    search->told_seen = search->seen;
}

/* Entered and left with the lock. */
static void run_chunk(spk_bitmap_schedule *schedule, spk_bitmap_search *search, root_work *work)
{
    spk_bitmap_chunk *chunk = &work->chunk[work->next_chunk++];
    pthread_mutex_unlock(&schedule->lock);
    uint32_t size = search->size;
    for (uint32_t k = size; k < work->size; k++)
        spk_bitmap_push(search, work->key[k], work->unit[k]);
    search->chunk = chunk;
    for (uint32_t e = chunk->begin; e < chunk->end && !spk_bitmap_stopped(search); e++)
        schedule->kernels->extend(search, work->node, e);
    spk_bitmap_pop(search, size);
    pthread_mutex_lock(&schedule->lock);
    tell_work(schedule, search);
    chunk_end(schedule, chunk, search);
    chunk->finished = true;
    drain(schedule);
    pthread_cond_broadcast(&schedule->changed);
}

/* The earliest root that has a chunk to hand out. */
static root_work *find_work(spk_bitmap_schedule *schedule)
{
    for (uint32_t root = schedule->first_root; root < schedule->next_root; root++) {
        root_work *work = root_slot(schedule, root);
        if (work->prepared && work->next_chunk < work->n_chunks)
            return work;
    }
    return NULL;
}

static void work_loop(spk_bitmap_schedule *schedule, bool reports)
{
    spk_bitmap_search search = {.status = SPK_OK};
    pthread_mutex_lock(&schedule->lock);
    schedule->n_threads++;
    spk_status status = search_create(schedule, &search);
    if (status != SPK_OK)
        stop(schedule, status);
    while (!schedule->stop && schedule->first_root < schedule->n_roots) {
        root_work *work = find_work(schedule);
        if (reports && schedule->share == NULL)
            spk_progress(schedule->context, "mining", schedule->first_root, schedule->n_roots);
        if (work != NULL)
            run_chunk(schedule, &search, work);
        else if (schedule->next_root < schedule->n_roots &&
                 schedule->next_root - schedule->first_root < schedule->n_slots)
            prepare_root(schedule, &search);
        else
            pthread_cond_wait(&schedule->changed, &schedule->lock);
        if (search.status == SPK_ERR_CANCELLED)
            stop(schedule, spk_check_cancel(schedule->context));
        else if (search.status != SPK_OK)
            stop(schedule, spk_fail_memory(schedule->context, 1u << 20, "a search"));
    }
    pthread_mutex_unlock(&schedule->lock);
    search_free(&search);
}

/* The items of every window are a pattern when one of them has lag 0; it leaves first. */
static spk_status report_always(spk_bitmap_schedule *schedule)
{
    const spk_bitmap_job *job = schedule->job;
    if (!job->always_lag0 || (schedule->share != NULL && schedule->share->part > 0))
        return SPK_OK;
    spk_bitmap_search search = {.status = SPK_OK};
    spk_status status = search_create(schedule, &search);
    search.block = block_create_full();
    if (status == SPK_OK && search.block == NULL)
        status = spk_fail_memory(schedule->context, 1u << 20, "patterns");
    if (status == SPK_OK) {
        spk_bitmap_emit(&search, (uint32_t)job->windows->n_windows);
        status = search.status;
    }
    if (status == SPK_OK && search.block != NULL && search.block->n > 0)
        status = block_leave(schedule, 0, search.block);
    search_free(&search);
    return status;
}

/* ---- what roots cost, for a share ------------------------------------------------------------ */

typedef struct root_costs {
    uint64_t *n_chunks; /* by root; 0 for those of other processes */
    uint64_t *cost;     /* of the chunks of this process's roots */
    uint64_t n;
    uint64_t capacity;
} root_costs;

/* Adds the costs of a root's chunks to the list. */
static spk_status measure_root(spk_bitmap_schedule *schedule, spk_bitmap_search *search,
                               uint32_t root, root_costs *costs)
{
    root_work work = {.prepared = false};
    uint32_t size = search->size;
    bool valid = false;
    bool good = make_node(schedule, search, root, &work, &valid);
    spk_bitmap_pop(search, size);
    uint64_t n = good ? work.n_chunks - 1 : 0;
    spk_status status = spk_grow(schedule->context, &costs->cost, &costs->capacity, costs->n + n,
                                 "what roots cost");
    for (uint64_t c = 0; c < n && status == SPK_OK; c++)
        costs->cost[costs->n++] = work.chunk[c + 1].cost;
    costs->n_chunks[root] = n;
    root_release(&work);
    if (good)
        return status;
    return search->status == SPK_ERR_CANCELLED
               ? spk_check_cancel(schedule->context)
               : spk_fail_memory(schedule->context, 1u << 20, "a search");
}

/* Every process measures some roots. */
static spk_status measure_roots(spk_bitmap_schedule *schedule, root_costs *costs)
{
    const spk_pattern_share *share = schedule->share;
    spk_bitmap_search search = {.status = SPK_OK};
    uint32_t n = schedule->job->n_roots;
    spk_status status =
        spk_alloc_zero(schedule->context, &costs->n_chunks, n, "chunks of the roots");
    if (status == SPK_OK)
        status = search_create(schedule, &search);
    for (uint32_t r = (uint32_t)share->part; r < n && status == SPK_OK;
         r += (uint32_t)share->n_parts)
        status = measure_root(schedule, &search, r, costs);
    search_free(&search);
    return status;
}

/* Puts this process's costs where they belong among those of all roots. */
static spk_status join_costs(spk_bitmap_schedule *schedule, const root_costs *mine, uint64_t **out)
{
    const spk_pattern_share *share = schedule->share;
    uint32_t n = schedule->job->n_roots;
    uint64_t all = 0, at = 0, taken = 0;
    *out = NULL;
    spk_status status = share->sum(share->user, n, mine->n_chunks);
    for (uint32_t r = 0; r < n && status == SPK_OK; r++)
        all += mine->n_chunks[r];
    if (status == SPK_OK)
        status = spk_alloc_zero(schedule->context, out, all + 1, "what roots cost");
    for (uint32_t r = 0; r < n && status == SPK_OK; at += mine->n_chunks[r++]) {
        if (r % (uint32_t)share->n_parts != (uint32_t)share->part || mine->n_chunks[r] == 0)
            continue;
        memcpy(*out + at, mine->cost + taken, mine->n_chunks[r] * sizeof **out);
        taken += mine->n_chunks[r];
    }
    return status == SPK_OK ? share->sum(share->user, all, *out) : status;
}

/* All processes plan the same pieces. */
static spk_status plan_pieces(spk_bitmap_schedule *schedule)
{
    const spk_pattern_share *share = schedule->share;
    root_costs mine = {.n = 0};
    uint64_t *cost = NULL;
    if (share == NULL)
        return SPK_OK;
    spk_status status = measure_roots(schedule, &mine);
    if (status == SPK_OK)
        status = join_costs(schedule, &mine, &cost);
    if (status == SPK_OK)
        status = spk_bitmap_pieces_make(schedule->context, schedule->job->n_roots, mine.n_chunks,
                                        cost, share->n_parts, &schedule->pieces);
    free(mine.n_chunks);
    free(mine.cost);
    free(cost);
    schedule->n_roots = UINT32_MAX;
    return status;
}

spk_status spk_bitmap_run(spk_context *context, const spk_bitmap_job *job,
                          const spk_bitmap_kernels *kernels, const spk_pattern_share *share,
                          spk_pattern_sink *sink, void *user)
{
    spk_bitmap_schedule schedule = {.context = context,
                                    .job = job,
                                    .kernels = kernels,
                                    .share = share,
                                    .n_roots = job->n_roots,
                                    .sink = sink,
                                    .user = user};
    uint32_t team = job->threads > 1 ? (uint32_t)job->threads : 1;
    if (team > job->n_roots) /* more would find nothing to prepare in a job this small */
        team = job->n_roots > 0 ? job->n_roots : 1;
    schedule.n_slots = team + 1;
    spk_status status = spk_alloc_zero(context, &schedule.slot, schedule.n_slots, "roots");
    if (status == SPK_OK)
        status = report_always(&schedule);
    if (status == SPK_OK)
        status = plan_pieces(&schedule);
    if (status != SPK_OK)
        goto done;
    pthread_mutex_init(&schedule.lock, NULL);
    pthread_cond_init(&schedule.changed, NULL);
#ifdef _OPENMP
#pragma omp parallel num_threads(team)
    {
        work_loop(&schedule, omp_get_thread_num() == 0);
    }
#else
    work_loop(&schedule, true);
#endif
    status = schedule.status;
    pthread_cond_destroy(&schedule.changed);
    pthread_mutex_destroy(&schedule.lock);
done:
    for (uint32_t k = 0; schedule.slot != NULL && k < schedule.n_slots; k++)
        root_release(&schedule.slot[k]);
    free(schedule.slot);
    blocks_free(schedule.spare);
    spk_bitmap_pieces_free(&schedule.pieces);
    return status;
}
