/*
 * Copy threads: workers, each with a device and staging memory of its own.
 *
 *     thread    0       1       2       3        of two devices
 *     device    0       1       0       1        neighbours copy to different devices
 *     number    0       0       1       1        which share of an array it has (gpu_copy_share)
 *
 * Invariant: all threads of a device use one stream, which the first of them makes. Opening returns
 * before any thread has entered its device: the first task does that. There are at most
 * MOST_COPY_THREADS threads, or one for each device where devices are more, with two pieces of
 * staging each (staging.h).
 */
#include "cuda/copy_threads.h"

#include <assert.h>
#include <pthread.h>

#include "base/memory.h"
#include "cuda/shared.h"
#include "distribute/workers.h"

enum { MOST_COPY_THREADS = 16 };

/* A device, and the stream that all of its threads use. */
typedef struct copy_device {
    cudaStream_t stream; /* NULL: not made yet */
} copy_device;

struct gpu_copy_threads {
    spk_workers *workers;
    int n_devices;
    gpu_copy_thread *thread;
    pthread_mutex_t lock; /* of `device` */
    copy_device *device;
    gpu_copy_task *task; /* the present one */
    void *user;
};

/* A thread's first task begins with this, so that opening does not wait for all threads. The first
 * thread on a device makes the stream. */
static spk_status join_device(spk_context *context, gpu_copy_threads *threads,
                              gpu_copy_thread *self)
{
    if (self->joined)
        return SPK_OK;
    cudaStream_t *stream = &threads->device[self->device].stream;
    spk_status status = gpu_join(context, self->device);
    pthread_mutex_lock(&threads->lock);
    if (status == SPK_OK && *stream == NULL)
        status = gpu_check(context, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                           "threads for copying");
    self->staging.stream = *stream;
    pthread_mutex_unlock(&threads->lock);
    self->joined = status == SPK_OK;
    return status;
}

static void leave_device(int worker, void *raw)
{
    gpu_copy_threads *threads = raw;
    gpu_staging_close(&threads->thread[worker].staging);
    (void)cudaGetLastError();
}

static spk_status run_task(spk_context *context, int worker, void *raw)
{
    gpu_copy_threads *threads = raw;
    gpu_copy_thread *self = &threads->thread[worker];
    spk_status status = join_device(context, threads, self);
    return status == SPK_OK ? threads->task(context, self, threads->user) : status;
}

spk_status gpu_copy_threads_open(spk_context *context, int n_devices, int n_threads,
                                 gpu_copy_threads **out)
{
    *out = NULL;
    gpu_copy_threads *threads = NULL;
    const char *what = "threads for copying";
    assert(n_devices > 0);
    int each = (n_threads < MOST_COPY_THREADS ? n_threads : MOST_COPY_THREADS) / n_devices;
    /* With more devices than threads each device still has one. */
    each = each < 1 ? 1 : each;
    spk_status status = spk_alloc_zero(context, &threads, 1, what);
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&threads->lock, NULL);
    status = spk_alloc_columns(
        context, what, SPK_COLUMN_ZERO(&threads->thread, (uint64_t)each * (uint64_t)n_devices),
        SPK_COLUMN_ZERO(&threads->device, (uint64_t)n_devices));
    if (status == SPK_OK)
        threads->n_devices = n_devices;
    for (int k = 0; k < each * n_devices && status == SPK_OK; k++)
        threads->thread[k] =
            (gpu_copy_thread){.device = k % n_devices, .number = k / n_devices, .n_threads = each};
    if (status == SPK_OK)
        status = spk_workers_open(context, each * n_devices, 1, NULL, leave_device, threads,
                                  &threads->workers);
    if (status == SPK_OK)
        *out = threads;
    else
        gpu_copy_threads_close(threads);
    return status;
}

spk_status gpu_copy_threads_run(spk_context *context, gpu_copy_threads *threads,
                                gpu_copy_task *task, void *user)
{
    threads->task = task;
    threads->user = user;
    return spk_workers_run(context, threads->workers, run_task, threads);
}

void gpu_copy_share(const gpu_copy_thread *self, uint64_t n, uint64_t least, uint64_t *begin,
                    uint64_t *end)
{
    assert(self->number >= 0 && self->number < self->n_threads);
    gpu_share own = gpu_share_of(n, (uint64_t)self->n_threads, (uint64_t)self->number, least);
    *begin = own.begin;
    *end = own.end;
}

void gpu_copy_threads_dismiss(gpu_copy_threads *threads)
{
    if (threads != NULL)
        spk_workers_dismiss(threads->workers);
}

void gpu_copy_threads_close(gpu_copy_threads *threads)
{
    if (threads == NULL)
        return;
    spk_workers_close(threads->workers);
    for (int k = 0; k < threads->n_devices; k++)
        if (threads->device[k].stream != NULL)
            (void)cudaStreamDestroy(threads->device[k].stream);
    pthread_mutex_destroy(&threads->lock);
    spk_free_all(threads->device, threads->thread, threads);
}
