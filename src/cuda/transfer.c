/* Transfers: a workers whose workers have a device and their staging memory. */
#include "cuda/transfer.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "distribute/workers.h"

enum { MOST_CARRIERS = 16 };

struct gpu_transfers {
    spk_workers *workers;
    int n_devices;
    gpu_transfer *transfer;
    pthread_mutex_t lock;    /* of `stream` */
    cudaStream_t *stream;    /* per device, for all of its transfers */
    gpu_transfer_task *task; /* the present one */
    void *user;
};

/* A transfer's first task begins with this, so that opening does not wait for all of them. The
 * first one on a device makes the stream. */
static spk_status join_device(spk_context *context, gpu_transfers *transfers, gpu_transfer *self)
{
    if (self->joined)
        return SPK_OK;
    cudaStream_t *stream = &transfers->stream[self->device];
    spk_status status = gpu_join(context, self->device);
    pthread_mutex_lock(&transfers->lock);
    if (status == SPK_OK && *stream == NULL)
        status = gpu_check(context, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                           "threads for copying");
    self->staging.stream = *stream;
    pthread_mutex_unlock(&transfers->lock);
    self->joined = status == SPK_OK;
    return status;
}

static void leave_device(int worker, void *raw)
{
    gpu_transfers *transfers = raw;
    gpu_staging_close(&transfers->transfer[worker].staging);
    (void)cudaGetLastError();
}

static spk_status run_task(spk_context *context, int worker, void *raw)
{
    gpu_transfers *transfers = raw;
    gpu_transfer *self = &transfers->transfer[worker];
    spk_status status = join_device(context, transfers, self);
    return status == SPK_OK ? transfers->task(context, self, transfers->user) : status;
}

spk_status gpu_transfers_open(spk_context *context, int n_devices, int threads, gpu_transfers **out)
{
    *out = NULL;
    gpu_transfers *transfers = NULL;
    const char *what = "threads for copying";
    int each = (threads < MOST_CARRIERS ? threads : MOST_CARRIERS) / n_devices;
    each = each < 1 ? 1 : each;
    spk_status status = spk_alloc_zero(context, &transfers, 1, what);
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&transfers->lock, NULL);
    status = spk_alloc_columns(
        context, what, SPK_COLUMN_ZERO(&transfers->transfer, (uint64_t)each * (uint64_t)n_devices),
        SPK_COLUMN_ZERO(&transfers->stream, (uint64_t)n_devices));
    if (status == SPK_OK)
        transfers->n_devices = n_devices;
    for (int k = 0; k < each * n_devices && status == SPK_OK; k++)
        transfers->transfer[k] =
            (gpu_transfer){.device = k % n_devices, .number = k / n_devices, .n_mates = each};
    if (status == SPK_OK)
        status = spk_workers_open(context, each * n_devices, 1, NULL, leave_device, transfers,
                                  &transfers->workers);
    if (status == SPK_OK)
        *out = transfers;
    else
        gpu_transfers_close(transfers);
    return status;
}

spk_status gpu_transfers_run(spk_context *context, gpu_transfers *transfers,
                             gpu_transfer_task *task, void *user)
{
    transfers->task = task;
    transfers->user = user;
    return spk_workers_run(context, transfers->workers, run_task, transfers);
}

void gpu_transfer_share(const gpu_transfer *self, uint64_t n, uint64_t least, uint64_t *begin,
                        uint64_t *end)
{
    uint64_t mates = (uint64_t)self->n_mates;
    uint64_t number = (uint64_t)self->number;
    uint64_t shares = n / least < mates ? n / least : mates;
    shares = shares < 1 ? 1 : shares;
    *begin = number < shares ? n / shares * number : n;
    *end = number + 1 < shares ? n / shares * (number + 1) : n;
}

void gpu_transfers_dismiss(gpu_transfers *transfers)
{
    if (transfers != NULL)
        spk_workers_dismiss(transfers->workers);
}

void gpu_transfers_close(gpu_transfers *transfers)
{
    if (transfers == NULL)
        return;
    spk_workers_close(transfers->workers);
    for (int k = 0; k < transfers->n_devices; k++)
        if (transfers->stream[k] != NULL)
            (void)cudaStreamDestroy(transfers->stream[k]);
    pthread_mutex_destroy(&transfers->lock);
    free(transfers->stream);
    free(transfers->transfer);
    free(transfers);
}
