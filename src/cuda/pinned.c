/* Pinned memory: a stack of free pieces. */
#include "cuda/pinned.h"

#include <assert.h>
#include <pthread.h>

#include "base/memory.h"

enum { MOST_KEPT = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept[MOST_KEPT];
static int n_kept;

spk_status gpu_pinned_take(spk_context *context, void **piece, const char *what)
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

void gpu_pinned_give(void *piece)
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
