/*
 * Blocks that become members.
 *
 * Blocks are numbered. Each has a place in a ring, which it keeps until its member has left:
 *
 *     first ......... next ......... last
 *     members, or     wait           is filled
 *     in work
 *
 * Invariant: first <= next <= last < first + n_places. The writer alone fills, hands members on and
 * moves first and last; who moves next over a block makes its member. The lock guards next, last
 * and whether a member is done.
 */
#include "base/compressor.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/compression.h"
#include "base/memory.h"
#include "base/stage.h"

typedef struct output_block {
    char *bytes; /* NULL until it is filled for the first time */
    size_t n;
    size_t mark; /* bytes before it */
    bool has_mark;
    bool done;
    bool good;
    spk_member member;
} output_block;

struct spk_compressor {
    const spk_compression *kind;
    spk_compressor_sink sink;
    uint64_t first;
    uint64_t next;
    uint64_t last;
    uint64_t n_places;
    output_block *place; /* of block b: place[b % n_places] */
    bool begun;          /* the block that is filled */
    char *kept;          /* what stands before the last mark in its block */
    size_t n_kept;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a block waits, a member is done, or the end */
    bool closing;
    int n_threads; /* that were started */
    int n_wanted;
    pthread_t *thread;
    spk_holding holding;
};

static output_block *block_at(const spk_compressor *compressor, uint64_t number)
{
    return &compressor->place[number % compressor->n_places];
}

/* ---- making members -------------------------------------------------------------------------- */

/* Entered and left with the lock. */
static void make_next(spk_compressor *compressor)
{
    output_block *block = block_at(compressor, compressor->next++);
    pthread_mutex_unlock(&compressor->lock);
    bool good = spk_compress(compressor->kind, block->bytes, block->n, &block->member);
    pthread_mutex_lock(&compressor->lock);
    block->good = good;
    block->done = true;
    pthread_cond_broadcast(&compressor->changed);
}

static void *work(void *raw)
{
    spk_compressor *compressor = raw;
    pthread_mutex_lock(&compressor->lock);
    while (!compressor->closing) {
        if (compressor->next < compressor->last)
            make_next(compressor);
        else
            pthread_cond_wait(&compressor->changed, &compressor->lock);
    }
    pthread_mutex_unlock(&compressor->lock);
    return NULL;
}

/* Where the system gives no more threads, there are fewer. */
static void start_threads(spk_compressor *compressor)
{
    while (compressor->n_threads < compressor->n_wanted &&
           pthread_create(&compressor->thread[compressor->n_threads], NULL, work, compressor) == 0)
        compressor->n_threads++;
    compressor->n_wanted = compressor->n_threads;
}

/* ---- handing on ------------------------------------------------------------------------------ */

static void keep_mark(spk_compressor *compressor, output_block *block)
{
    char *other = compressor->kept;
    compressor->kept = block->bytes;
    compressor->n_kept = block->mark;
    block->bytes = other;
    compressor->sink.leave_mark(compressor->sink.user);
}

/* The first block's member, which it makes or waits for. */
static bool hand_on_first(spk_compressor *compressor)
{
    output_block *block = block_at(compressor, compressor->first);
    pthread_mutex_lock(&compressor->lock);
    while (!block->done) {
        if (compressor->next < compressor->last)
            make_next(compressor);
        else
            pthread_cond_wait(&compressor->changed, &compressor->lock);
    }
    pthread_mutex_unlock(&compressor->lock);
    compressor->first++;
    if (block->has_mark)
        keep_mark(compressor, block);
    errno = ENOMEM;
    return block->good &&
           compressor->sink.take(compressor->sink.user, block->member.bytes, block->member.n);
}

static bool first_is_done(spk_compressor *compressor)
{
    pthread_mutex_lock(&compressor->lock);
    bool done =
        compressor->first < compressor->last && block_at(compressor, compressor->first)->done;
    pthread_mutex_unlock(&compressor->lock);
    return done;
}

/* The block is full, or the last one of those that are wanted now. */
static bool end_block(spk_compressor *compressor)
{
    bool good = true;
    pthread_mutex_lock(&compressor->lock);
    compressor->last++;
    pthread_cond_broadcast(&compressor->changed);
    pthread_mutex_unlock(&compressor->lock);
    compressor->begun = false;
    while (good && (compressor->last - compressor->first == compressor->n_places ||
                    first_is_done(compressor)))
        good = hand_on_first(compressor);
    return good;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool begin_block(spk_compressor *compressor)
{
    output_block *block = block_at(compressor, compressor->last);
    assert(compressor->last - compressor->first < compressor->n_places);
    if (block->bytes == NULL &&
        spk_alloc(NULL, &block->bytes, compressor->kind->block_bytes, "an output") != SPK_OK) {
        errno = ENOMEM;
        return false;
    }
    block->n = 0;
    block->has_mark = block->done = false;
    compressor->begun = true;
    return true;
}

bool spk_compressor_write(spk_compressor *compressor, const char *bytes, size_t n)
{
    const size_t block_bytes = compressor->kind->block_bytes;
    do {
        if (!compressor->begun && !begin_block(compressor))
            return false;
        output_block *block = block_at(compressor, compressor->last);
        size_t part = n < block_bytes - block->n ? n : block_bytes - block->n;
        memcpy(block->bytes + block->n, bytes, part);
        block->n += part;
        bytes += part;
        n -= part;
        if (block->n == block_bytes) {
            start_threads(compressor);
            if (!end_block(compressor))
                return false;
        }
    } while (n > 0);
    return true;
}

bool spk_compressor_flush(spk_compressor *compressor)
{
    bool good = !compressor->begun || end_block(compressor);
    while (good && compressor->first < compressor->last)
        good = hand_on_first(compressor);
    return good;
}

bool spk_compressor_is_pending(const spk_compressor *compressor)
{
    return compressor->begun || compressor->first < compressor->last;
}

/* Forgets what is held back. NULL is accepted. */
static void compressor_drop(spk_compressor *compressor)
{
    if (compressor == NULL)
        return;
    pthread_mutex_lock(&compressor->lock);
    for (; compressor->first < compressor->next; compressor->first++) {
        while (!block_at(compressor, compressor->first)->done)
            pthread_cond_wait(&compressor->changed, &compressor->lock);
    }
    compressor->first = compressor->next = compressor->last;
    pthread_mutex_unlock(&compressor->lock);
    compressor->begun = false;
}

/* ---- marks ----------------------------------------------------------------------------------- */

void spk_compressor_mark(spk_compressor *compressor)
{
    if (!spk_compressor_is_pending(compressor)) {
        compressor->n_kept = 0;
        compressor->sink.leave_mark(compressor->sink.user);
        return;
    }
    output_block *block = block_at(compressor, compressor->last - !compressor->begun);
    block->mark = block->n;
    block->has_mark = true;
}

bool spk_compressor_go_back(spk_compressor *compressor)
{
    compressor_drop(compressor);
    return compressor->n_kept == 0 ||
           spk_compressor_write(compressor, compressor->kept, compressor->n_kept);
}

/* ---- one of them ----------------------------------------------------------------------------- */

/* Threads beside the writer's. */
static int count_threads(const spk_context *context, uint64_t bytes_of_each)
{
    uint64_t most = spk_memory_left(context) / 8 / bytes_of_each;
    int wanted = spk_context_threads(context) - 1;
    return spk_memory_left(context) == 0 || most >= (uint64_t)wanted ? wanted : (int)most;
}

spk_status spk_compressor_create(spk_context *context, const char *path,
                                 const spk_compressor_sink *sink, spk_compressor **out)
{
    const spk_compression *kind = NULL;
    spk_compressor *compressor = NULL;
    *out = NULL;
    spk_status status = spk_compression_find(context, path, &kind);
    if (status != SPK_OK || kind == NULL)
        return status;
    status = spk_alloc_zero(context, &compressor, 1, "an output");
    if (status != SPK_OK)
        return status;
    const uint64_t bytes_of_each = kind->encoder_bytes + 4 * (uint64_t)kind->block_bytes;
    const int n_threads = count_threads(context, bytes_of_each);
    *compressor = (spk_compressor){.kind = kind,
                                   .sink = *sink,
                                   .n_wanted = n_threads,
                                   .n_places = 2 * (uint64_t)n_threads + 1,
                                   .lock = PTHREAD_MUTEX_INITIALIZER,
                                   .changed = PTHREAD_COND_INITIALIZER};
    status = spk_alloc_columns(context, "an output",
                               SPK_COLUMN_ZERO(&compressor->place, compressor->n_places),
                               SPK_COLUMN_ZERO(&compressor->thread, (uint64_t)n_threads));
    if (status != SPK_OK) {
        spk_compressor_free(compressor);
        return status;
    }
    spk_holding_set(context, &compressor->holding, (uint64_t)n_threads * bytes_of_each);
    *out = compressor;
    return SPK_OK;
}

void spk_compressor_free(spk_compressor *compressor)
{
    if (compressor == NULL)
        return;
    compressor_drop(compressor);
    pthread_mutex_lock(&compressor->lock);
    compressor->closing = true;
    pthread_cond_broadcast(&compressor->changed);
    pthread_mutex_unlock(&compressor->lock);
    for (int k = 0; k < compressor->n_threads; k++)
        pthread_join(compressor->thread[k], NULL);
    for (uint64_t k = 0; compressor->place != NULL && k < compressor->n_places; k++) {
        free(compressor->place[k].bytes);
        free(compressor->place[k].member.bytes);
    }
    pthread_cond_destroy(&compressor->changed);
    pthread_mutex_destroy(&compressor->lock);
    spk_holding_release(&compressor->holding);
    spk_free_all(compressor->kept, compressor->place, compressor->thread, compressor);
}
