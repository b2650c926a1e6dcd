/*
 * Output of the bitmap engine.
 *
 * Patterns leave in the order of the search, whoever finds them: roots by rank, chunks in order. A
 * chunk that is not first in line keeps its patterns in blocks, or the bytes that its thread made
 * of them; beyond BUFFERED_BYTES for each thread it waits, as long as another one runs. The first
 * in line never waits, so there is no deadlock, and memory does not grow with the number of
 * patterns: at most BUFFERED_BYTES and two blocks for each thread, each with the bytes of its
 * patterns.
 *
 * In line:
 *     root       5            6            7
 *     chunks     a  b  c      d  e         not prepared yet
 *                first in line: blocks of `a` leave; those of b .. e are kept
 *
 * Invariant: a block is in one list at a time, and lists change under the lock; the sink is called
 * without it, by one thread. Cost: patterns are copied once, into a block; a chunk with few of them
 * is copied again, so that no whole block is kept for it.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/engine/bitmap/schedule.h"

enum { BUFFERED_BYTES = 8 << 20, SPARE_BLOCKS = 4 };

/* ---- blocks ---------------------------------------------------------------------------------- */

static void block_free(spk_bitmap_block *block)
{
    if (block == NULL)
        return;
    spk_free_all(block->bytes, block->offset, block->count, block->item, block);
}

void spk_bitmap_blocks_free(spk_bitmap_block *block)
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
    if (block->offset != NULL && block->count != NULL && block->item != NULL) {
        block->offset[0] = 0; /* of the first pattern; those of others are ends of the one before */
        return block;
    }
    block_free(block);
    return NULL;
}

static spk_bitmap_block *block_create_full(void)
{
    return block_create(SPK_BITMAP_BLOCK_PATTERNS, SPK_BITMAP_BLOCK_ITEMS);
}

/* An offset and a count for each pattern, and its items. */
static uint64_t block_bytes(const spk_bitmap_block *block)
{
    return sizeof *block + block->n_bytes + (uint64_t)block->capacity * 12 +
           (uint64_t)block->item_capacity * 4;
}

static spk_pattern_columns block_columns(const spk_bitmap_job *job, const spk_bitmap_block *block)
{
    return (spk_pattern_columns){.n = block->n,
                                 .window = job->windows->window,
                                 .offset = block->offset,
                                 .item = block->item,
                                 .count = block->count};
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

/* A few whole blocks are kept for the next who needs one; what was shrunk is freed. */
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

void spk_bitmap_stop(spk_bitmap_schedule *schedule, spk_status status)
{
    if (schedule->status == SPK_OK)
        schedule->status = status;
    schedule->stop = true;
    __atomic_store_n(&schedule->stopped, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&schedule->changed);
}

void spk_bitmap_work_free(spk_bitmap_work *work)
{
    for (uint32_t c = work->first_chunk; c < work->n_chunks; c++)
        spk_bitmap_blocks_free(work->chunk[c].blocks);
    spk_arena_free(&work->arena);
    spk_free_all(work->chunk, work->key, work->unit, work->path);
    *work = (spk_bitmap_work){.prepared = false};
}

/* The chunk that is first in line; NULL when its root is not prepared yet or all have left. */
static spk_bitmap_chunk *first_in_line(spk_bitmap_schedule *schedule)
{
    while (schedule->first_root < schedule->next_root) {
        spk_bitmap_work *work = spk_bitmap_slot(schedule, schedule->first_root);
        if (!work->prepared)
            return NULL;
        if (work->first_chunk < work->n_chunks)
            return &work->chunk[work->first_chunk];
        spk_bitmap_work_free(work);
        schedule->first_root++;
        pthread_cond_broadcast(&schedule->changed);
    }
    return NULL;
}

spk_status spk_bitmap_block_leave(spk_bitmap_schedule *schedule, const uint32_t *path, uint32_t n,
                                  const spk_bitmap_block *block)
{
    const spk_pattern_share *share = schedule->share;
    const spk_pattern_bytes *to = schedule->job->bytes;
    if (block->bytes != NULL)
        return to->take(to->user, block->bytes, block->n_bytes, block->n);
    spk_status status = share != NULL ? share->at(share->user, path, n) : SPK_OK;
    if (status != SPK_OK)
        return status;
    const spk_pattern_columns columns = block_columns(schedule->job, block);
    return schedule->sink(schedule->user, &columns);
}

/* The same with a chunk's block: its place is that of its first extension. */
static spk_status chunk_leave(spk_bitmap_schedule *schedule, spk_bitmap_work *work,
                              const spk_bitmap_chunk *chunk, const spk_bitmap_block *block)
{
    if (schedule->share == NULL)
        return spk_bitmap_block_leave(schedule, NULL, 0, block);
    uint32_t n = work->branch->depth;
    work->path[n] = work->node->rank[work->node->n_excluded + chunk->begin];
    return spk_bitmap_block_leave(schedule, work->path, n + 1, block);
}

/* The oldest block that may leave; NULL where none is there. */
static spk_bitmap_block *take_ready(spk_bitmap_schedule *schedule)
{
    spk_bitmap_block *block = schedule->ready.blocks;
    if (block == NULL)
        return NULL;
    schedule->ready.blocks = block->next;
    if (block->next == NULL)
        schedule->ready.blocks_end = &schedule->ready.blocks;
    return block;
}

/* After a block has left, with the lock again. */
static void block_left(spk_bitmap_schedule *schedule, spk_bitmap_block *block, spk_status status)
{
    assert(schedule->buffered >= block_bytes(block));
    schedule->buffered -= block_bytes(block);
    block_give(schedule, block);
    pthread_cond_broadcast(&schedule->changed);
    if (status != SPK_OK)
        spk_bitmap_stop(schedule, status);
}

/* Without an order blocks leave as they come. */
static void drain_ready(spk_bitmap_schedule *schedule)
{
    spk_bitmap_block *block = NULL;
    while (!schedule->stop && (block = take_ready(schedule)) != NULL) {
        pthread_mutex_unlock(&schedule->lock);
        spk_status status = spk_bitmap_block_leave(schedule, NULL, 0, block);
        pthread_mutex_lock(&schedule->lock);
        block_left(schedule, block, status);
    }
}

/* Hands everything that is first in line to the sink; one thread at a time, without the lock. */
void spk_bitmap_drain(spk_bitmap_schedule *schedule)
{
    if (schedule->draining)
        return;
    /* Results leave in the order of the search: only the first chunk in line may give its blocks
     * away. The sink is called without the lock, so that other threads go on; `draining` keeps them
     * out of here meanwhile. */
    schedule->draining = true;
    drain_ready(schedule);
    for (spk_bitmap_chunk *chunk; (chunk = first_in_line(schedule)) != NULL && !schedule->stop;) {
        spk_bitmap_block *block = chunk->blocks;
        if (block == NULL && !chunk->finished)
            break;
        if (block == NULL) {
            spk_bitmap_slot(schedule, schedule->first_root)->first_chunk++;
            pthread_cond_broadcast(&schedule->changed);
            continue;
        }
        chunk->blocks = block->next;
        if (chunk->blocks == NULL)
            chunk->blocks_end = &chunk->blocks;
        spk_bitmap_work *work = spk_bitmap_slot(schedule, schedule->first_root);
        pthread_mutex_unlock(&schedule->lock);
        spk_status status = chunk_leave(schedule, work, chunk, block);
        pthread_mutex_lock(&schedule->lock);
        block_left(schedule, block, status);
    }
    schedule->draining = false;
}

/* Behind what the chunk has already; without an order, behind all that is ready. */
static void chunk_append(spk_bitmap_schedule *schedule, spk_bitmap_chunk *chunk,
                         spk_bitmap_block *block)
{
    if (schedule->job->unordered)
        chunk = &schedule->ready;
    block->next = NULL;
    *chunk->blocks_end = block;
    chunk->blocks_end = &block->next;
    schedule->buffered += block_bytes(block);
}

/* A copy of the bytes of a block. */
static spk_bitmap_block *block_of_bytes(const spk_bitmap_search *search)
{
    const spk_pattern_bytes *to = search->job->bytes;
    const spk_pattern_columns columns = block_columns(search->job, search->block);
    const char *bytes = NULL;
    uint64_t n_bytes = 0;
    if (to->make(to->user, search->maker, &columns, &bytes, &n_bytes) != SPK_OK)
        return NULL;
    spk_bitmap_block *block = calloc(1, sizeof *block);
    if (block == NULL || (block->bytes = malloc(n_bytes + 1)) == NULL) {
        free(block);
        return NULL;
    }
    memcpy(block->bytes, bytes, n_bytes);
    block->n_bytes = n_bytes;
    block->n = search->block->n;
    return block;
}

void spk_bitmap_make_bytes(spk_bitmap_search *search)
{
    spk_bitmap_block *block = search->block;
    if (search->job->bytes == NULL || block == NULL || block->n == 0)
        return;
    search->made = block_of_bytes(search);
    if (search->made == NULL)
        search->status = SPK_ERR_MEMORY;
    block->n = block->n_items = 0;
}

/* The bytes that a search has made leave by the chunk. */
static void append_made(spk_bitmap_schedule *schedule, spk_bitmap_chunk *chunk,
                        spk_bitmap_search *search)
{
    if (search->made != NULL)
        chunk_append(schedule, chunk, search->made);
    search->made = NULL;
}

/* The same with what a search has filled when its chunk ends; the search keeps its block when
 * little is in it. */
void spk_bitmap_chunk_end(spk_bitmap_schedule *schedule, spk_bitmap_chunk *chunk,
                          spk_bitmap_search *search)
{
    spk_bitmap_block *block = search->block;
    append_made(schedule, chunk, search);
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
    spk_bitmap_make_bytes(search);
    pthread_mutex_lock(&schedule->lock);
    append_made(schedule, search->chunk, search);
    if (search->block != NULL && search->block->n > 0) {
        assert(search->chunk != NULL);
        chunk_append(schedule, search->chunk, search->block);
        search->block = NULL;
    }
    spk_bitmap_drain(schedule);
    /* Who is not first in line waits while too much is buffered, but never all threads: the first
     * one in line must go on, or nothing would ever leave. */
    while (!schedule->stop && search->chunk != NULL &&
           schedule->buffered >= (uint64_t)BUFFERED_BYTES * schedule->team &&
           first_in_line(schedule) != search->chunk &&
           schedule->waiting + 1 < schedule->n_threads) {
        schedule->waiting++;
        pthread_cond_wait(&schedule->changed, &schedule->lock);
        schedule->waiting--;
    }
    if (!schedule->stop && search->block == NULL) {
        search->block = block_take(schedule);
        if (search->block == NULL)
            spk_bitmap_stop(schedule, spk_fail_memory(schedule->context, 1u << 20, "patterns"));
    }
    pthread_mutex_unlock(&schedule->lock);
    return search->block != NULL && search->status == SPK_OK;
}

/* ---- what a search finds ----------------------------------------------------------------------
 */

/* Each item to the place that as many smaller ones leave to it: no branch that depends on them. */
static void write_few_items(const spk_bitmap_search *search, uint32_t *item)
{
    const uint64_t *key = search->key;
    for (uint32_t i = 0; i < search->size; i++) {
        uint32_t at = 0;
        for (uint32_t j = 0; j < search->size; j++)
            at += key[j] < key[i];
        item[at] = (uint32_t)key[i];
    }
}

/* Insertion sort into the block: most items are in order. */
static void write_items(const spk_bitmap_search *search, uint32_t *item)
{
    enum { FEW_ITEMS = 12 };
    if (search->size <= FEW_ITEMS) {
        write_few_items(search, item);
        return;
    }
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

/* The largest lag of the pattern: the upper half of its keys. */
static uint32_t duration_of(const spk_bitmap_search *search)
{
    uint64_t largest = 0;
    for (uint32_t k = 0; k < search->size; k++)
        largest = search->key[k] > largest ? search->key[k] : largest;
    return (uint32_t)(largest >> 32);
}

bool spk_bitmap_drops(spk_bitmap_search *search, const spk_bitmap_places *places, uint32_t duration,
                      uint32_t size)
{
    const spk_bitmap_ends *ends = &search->job->ends;
    const bool drops = ends->row != NULL && spk_bitmap_is_end(ends, places, duration, size);
    search->n_dropped += drops;
    return drops;
}

spk_bitmap_block *spk_bitmap_next_block(spk_bitmap_search *search, uint32_t size)
{
    const spk_bitmap_block *block = search->block;
    if ((block == NULL || block->n > 0) && !exchange_block(search))
        return NULL;
    if (block_reserve(search->block, size))
        return search->block;
    search->status = SPK_ERR_MEMORY;
    return NULL;
}

void spk_bitmap_emit(spk_bitmap_search *search, uint32_t count, const spk_bitmap_places *places)
{
    const uint32_t size = search->size;
    if (!spk_bitmap_within(search, size, search->neurons, count) ||
        spk_bitmap_drops(search, places, duration_of(search), size))
        return;
    uint32_t *item = spk_bitmap_room(search, size, count);
    if (item != NULL)
        write_items(search, item);
}

void spk_bitmap_search_free(spk_bitmap_search *search)
{
    if (search->n_dropped > 0)
        __atomic_fetch_add(search->job->n_dropped, search->n_dropped, __ATOMIC_RELAXED);
    spk_arena_free(&search->arena);
    block_free(search->block);
    block_free(search->made);
    spk_free_all(search->key, search->unit, search->unit_count, search->unit_end, search->unit_met,
                 search->count, search->mask, search->any, search->sorted, search->level);
}

spk_status spk_bitmap_search_create(spk_bitmap_schedule *schedule, spk_bitmap_search *search)
{
    const spk_bitmap_job *job = schedule->job;
    uint64_t n = (uint64_t)job->n_items + job->n_always;
    uint64_t words = n / 64 + 16;
    uint64_t n_units = job->windows->n_units;
    spk_status status = spk_alloc_columns(
        schedule->context, "a search", SPK_COLUMN_ZERO(&search->key, n),
        SPK_COLUMN_ZERO(&search->unit, n), SPK_COLUMN_ZERO(&search->sorted, n),
        SPK_COLUMN_ZERO(&search->level, n + 1), SPK_COLUMN_ZERO(&search->count, n),
        SPK_COLUMN_ZERO(&search->mask, words), SPK_COLUMN_ZERO(&search->any, words),
        SPK_COLUMN_ZERO(&search->unit_count, n_units), SPK_COLUMN_ZERO(&search->unit_end, n_units),
        SPK_COLUMN_ZERO(&search->unit_met, n_units));
    search->job = job;
    search->schedule = schedule;
    search->arena = spk_arena_make(SPK_BITMAP_ALIGNMENT, SPK_BITMAP_ARENA_BYTES, NULL);
    for (uint32_t k = 0; k < job->n_always && status == SPK_OK; k++)
        spk_bitmap_push(search, job->always_key[k], job->always_unit[k]);
    return status;
}

/* The items of every window are a pattern when one of them has lag 0; it leaves first. */
spk_status spk_bitmap_report_always(spk_bitmap_schedule *schedule)
{
    const spk_bitmap_job *job = schedule->job;
    if (!job->always_lag0)
        return SPK_OK;
    spk_bitmap_search search = {.status = SPK_OK};
    spk_status status = spk_bitmap_search_create(schedule, &search);
    /* This search has no chunk: its pattern leaves by itself, before any thread begins. */
    search.block = block_create_full();
    if (status == SPK_OK && search.block == NULL)
        status = spk_fail_memory(schedule->context, 1u << 20, "patterns");
    if (status == SPK_OK) {
        const spk_bitmap_places all = {.n = (uint32_t)job->windows->n_windows};
        spk_bitmap_emit(&search, all.n, &all);
        status = search.status;
    }
    spk_bitmap_make_bytes(&search);
    if (status == SPK_OK)
        status = search.status == SPK_OK ? SPK_OK
                                         : spk_fail_memory(schedule->context, 1u << 20, "patterns");
    if (status == SPK_OK && search.made != NULL)
        status = spk_bitmap_block_leave(schedule, NULL, 0, search.made);
    else if (status == SPK_OK && search.block->n > 0)
        status = spk_bitmap_block_leave(schedule, NULL, 0, search.block);
    spk_bitmap_search_free(&search);
    return status;
}

spk_status spk_bitmap_failure(const spk_bitmap_schedule *schedule, const spk_bitmap_search *search)
{
    return search->status == SPK_ERR_CANCELLED
               ? spk_check_cancel(schedule->context)
               : spk_fail_memory(schedule->context, 1u << 20, "a search");
}

void spk_bitmap_check_search(spk_bitmap_schedule *schedule, const spk_bitmap_search *search)
{
    if (search->status != SPK_OK)
        spk_bitmap_stop(schedule, spk_bitmap_failure(schedule, search));
}
