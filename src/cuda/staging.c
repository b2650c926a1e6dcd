/*
 * Staged copies: host memory that the driver does not know goes through two pieces that it does.
 *
 *     to the device     fill 0   fill 1   fill 0      the host's thread
 *                                copy 0   copy 1      the device
 *     to the host       copy 0   copy 1   copy 0      the device
 *                                read 0   read 1      the host's thread
 *
 * Invariant: a piece is written again only after the copy that used it has ended (done[c % 2]).
 * Bytes: two pieces of GPU_PINNED_BYTES a thread; a process keeps at most MOST_KEPT pieces.
 */
#include "cuda/staging.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- pinned memory --------------------------------------------------------------------------- */

/* Pieces of host memory that devices read and write directly ("pinned"). Getting such memory from
 * the driver takes as long as copying GPU_PINNED_COST bytes, so what jobs give back is kept for the
 * next, up to 16 MB a process. */

#define GPU_PINNED_BYTES (512u << 10)

#define GPU_PINNED_COST  (30 * GPU_PINNED_BYTES)

enum { MOST_KEPT = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept[MOST_KEPT];
static int n_kept;

/* A piece of GPU_PINNED_BYTES bytes for any device, with whatever it held. */
static spk_status gpu_pinned_take(spk_context *context, void **piece, const char *what)
{
    pthread_mutex_lock(&lock);
    *piece = n_kept > 0 ? kept[--n_kept] : NULL;
    pthread_mutex_unlock(&lock);
    if (*piece != NULL)
        return SPK_OK;
    cudaError_t error = cudaHostAlloc(piece, GPU_PINNED_BYTES, cudaHostAllocPortable);
    if (error != cudaErrorMemoryAllocation)
        return gpu_check(context, error, what);
    (void)cudaGetLastError();
    return spk_fail_memory(context, GPU_PINNED_BYTES, what);
}

/* Gives it back; no copy may be under way. NULL is accepted. */
static void gpu_pinned_give(void *piece)
{
    pthread_mutex_lock(&lock);
    assert(n_kept >= 0 && n_kept <= MOST_KEPT);
    if (piece != NULL && n_kept < MOST_KEPT) {
        kept[n_kept++] = piece;
        piece = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (piece != NULL)
        (void)cudaFreeHost(piece);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static const uint64_t CHUNK = GPU_PINNED_BYTES;

gpu_staging gpu_staging_for(uint64_t bytes)
{
    return (gpu_staging){.pageable = bytes < 2 * (uint64_t)GPU_PINNED_COST};
}

static cudaStream_t stream_of(const gpu_staging *staging)
{
    return staging->stream != NULL ? staging->stream : cudaStreamPerThread;
}

/* As many pieces as n chunks need. */
static spk_status make_chunks(spk_context *context, gpu_staging *staging, uint64_t n,
                              const char *what)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < 2 && k < n && status == SPK_OK; k++) {
        if (staging->chunk[k] == NULL)
            status = staging->pageable
                         ? spk_alloc_bytes(context, &staging->chunk[k], CHUNK, 1, what)
                         : gpu_pinned_take(context, &staging->chunk[k], what);
        if (status == SPK_OK && staging->done[k] == NULL)
            status = gpu_check(
                context, cudaEventCreateWithFlags(&staging->done[k], cudaEventDisableTiming), what);
    }
    return status;
}

static spk_status mark_done(spk_context *context, const gpu_staging *staging, uint64_t c,
                            const char *what)
{
    return gpu_check(context, cudaEventRecord(staging->done[c % 2], stream_of(staging)), what);
}

static spk_status wait_for(spk_context *context, const gpu_staging *staging, uint64_t c,
                           const char *what)
{
    return gpu_check(context, cudaEventSynchronize(staging->done[c % 2]), what);
}

static uint64_t chunk_bytes(uint64_t c, uint64_t bytes)
{
    return bytes - c * CHUNK < CHUNK ? bytes - c * CHUNK : CHUNK;
}

spk_status gpu_fetch(spk_context *context, gpu_staging *staging, void *to, const void *from,
                     uint64_t bytes, const char *what)
{
    uint64_t n = (bytes + CHUNK - 1) / CHUNK;
    spk_status status = make_chunks(context, staging, n, what);
    /* Two pieces of pinned memory take turns: chunk c is on its way while chunk c - 1 is copied
     * out, which empties the piece for chunk c + 1. */
    for (uint64_t c = 0; c <= n && status == SPK_OK; c++) {
        if (c < n) {
            status = gpu_check(
                context,
                cudaMemcpyAsync(staging->chunk[c % 2], (const char *)from + c * CHUNK,
                                chunk_bytes(c, bytes), cudaMemcpyDeviceToHost, stream_of(staging)),
                what);
            if (status == SPK_OK)
                status = mark_done(context, staging, c, what);
        }
        if (c > 0 && status == SPK_OK) {
            uint64_t before = c - 1;
            status = wait_for(context, staging, before, what);
            if (status == SPK_OK)
                memcpy((char *)to + before * CHUNK, staging->chunk[before % 2],
                       chunk_bytes(before, bytes));
        }
    }
    return status;
}

spk_status gpu_send(spk_context *context, gpu_staging *staging, void *array, uint64_t begin,
                    uint64_t end, uint64_t size, gpu_fill *fill, void *user, const char *what)
{
    assert(begin <= end && size > 0 && size <= CHUNK);
    uint64_t most = CHUNK / size;
    uint64_t n_chunks = (end - begin + most - 1) / most;
    spk_status status = make_chunks(context, staging, n_chunks, what);
    for (uint64_t c = 0; c < n_chunks && status == SPK_OK; c++) {
        uint64_t first = begin + c * most;
        uint64_t n = end - first < most ? end - first : most;
        void *chunk = staging->chunk[c % 2];
        status = c > 1 ? wait_for(context, staging, c, what) : SPK_OK; /* the one before last */
        if (status != SPK_OK || !fill(chunk, first, n, user))
            break;
        status = gpu_check(context,
                           cudaMemcpyAsync((char *)array + first * size, chunk, n * size,
                                           cudaMemcpyHostToDevice, stream_of(staging)),
                           what);
        if (status == SPK_OK)
            status = mark_done(context, staging, c, what);
    }
    return status == SPK_OK ? gpu_check(context, cudaStreamSynchronize(stream_of(staging)), what)
                            : status;
}

spk_status gpu_upload_filled(spk_context *context, gpu_staging *staging, gpu_buffer *buffer,
                             uint64_t n, uint64_t size, gpu_fill *fill, void *user,
                             const char *what)
{
    assert(staging->stream == NULL); /* the buffer's memory is this thread's stream's first */
    spk_status status = gpu_reserve(context, buffer, n, size, what);
    if (status == SPK_OK)
        status = gpu_send(context, staging, buffer->data, 0, n, size, fill, user, what);
    return status;
}

void gpu_staging_close(gpu_staging *staging)
{
    if (staging->chunk[0] != NULL) /* a copy may be under way, after a failure */
        (void)cudaStreamSynchronize(stream_of(staging));
    for (int k = 0; k < 2; k++) {
        if (staging->pageable)
            free(staging->chunk[k]);
        else
            gpu_pinned_give(staging->chunk[k]);
        if (staging->done[k] != NULL)
            (void)cudaEventDestroy(staging->done[k]);
    }
    *staging = (gpu_staging){.chunk = {NULL}};
}
