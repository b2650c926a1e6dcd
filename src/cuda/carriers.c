/* Carriers: a crew whose workers have a device and their staging memory. */
#include "cuda/carriers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "distribute/crew.h"

enum { MOST_CARRIERS = 16 };

struct gpu_carriers {
    spk_crew *crew;
    int n_devices;
    gpu_carrier *carrier;
    pthread_mutex_t lock;   /* of `stream` */
    cudaStream_t *stream;   /* per device, for all of its carriers */
    gpu_carrier_task *task; /* the present one */
    void *user;
};

/* A carrier's first task begins with this, so that opening does not wait for all of them. The first
 * one on a device makes the stream. */
static spk_status join_device(spk_context *context, gpu_carriers *carriers, gpu_carrier *self)
{
    if (self->joined)
        return SPK_OK;
    cudaStream_t *stream = &carriers->stream[self->device];
    spk_status status = gpu_join(context, self->device);
    pthread_mutex_lock(&carriers->lock);
    if (status == SPK_OK && *stream == NULL)
        status = gpu_check(context, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                           "threads for copying");
    self->staging.stream = *stream;
    pthread_mutex_unlock(&carriers->lock);
    self->joined = status == SPK_OK;
    return status;
}

static void leave_device(int worker, void *raw)
{
    gpu_carriers *carriers = raw;
    gpu_staging_close(&carriers->carrier[worker].staging);
    (void)cudaGetLastError();
}

static spk_status run_task(spk_context *context, int worker, void *raw)
{
    gpu_carriers *carriers = raw;
    gpu_carrier *self = &carriers->carrier[worker];
    spk_status status = join_device(context, carriers, self);
    return status == SPK_OK ? carriers->task(context, self, carriers->user) : status;
}

spk_status gpu_carriers_open(spk_context *context, int n_devices, int threads, gpu_carriers **out)
{
    *out = NULL;
    gpu_carriers *carriers = NULL;
    const char *what = "threads for copying";
    int each = (threads < MOST_CARRIERS ? threads : MOST_CARRIERS) / n_devices;
    each = each < 1 ? 1 : each;
    spk_status status = spk_alloc_zero(context, (void **)&carriers, 1, sizeof *carriers, what);
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&carriers->lock, NULL);
    status = spk_alloc_zero(context, (void **)&carriers->carrier,
                            (uint64_t)each * (uint64_t)n_devices, sizeof(gpu_carrier), what);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, (void **)&carriers->stream, (uint64_t)n_devices,
                                sizeof(cudaStream_t), what);
    if (status == SPK_OK)
        carriers->n_devices = n_devices;
    for (int k = 0; k < each * n_devices && status == SPK_OK; k++)
        carriers->carrier[k] =
            (gpu_carrier){.device = k % n_devices, .number = k / n_devices, .n_mates = each};
    if (status == SPK_OK)
        status = spk_crew_open(context, each * n_devices, 1, NULL, leave_device, carriers,
                               &carriers->crew);
    if (status == SPK_OK)
        *out = carriers;
    else
        gpu_carriers_close(carriers);
    return status;
}

spk_status gpu_carriers_run(spk_context *context, gpu_carriers *carriers, gpu_carrier_task *task,
                            void *user)
{
    carriers->task = task;
    carriers->user = user;
    return spk_crew_run(context, carriers->crew, run_task, carriers);
}

void gpu_carrier_share(const gpu_carrier *self, uint64_t n, uint64_t least, uint64_t *begin,
                       uint64_t *end)
{
    uint64_t mates = (uint64_t)self->n_mates;
    uint64_t number = (uint64_t)self->number;
    uint64_t shares = n / least < mates ? n / least : mates;
    shares = shares < 1 ? 1 : shares;
    *begin = number < shares ? n / shares * number : n;
    *end = number + 1 < shares ? n / shares * (number + 1) : n;
}

void gpu_carriers_dismiss(gpu_carriers *carriers)
{
    if (carriers != NULL)
        spk_crew_dismiss(carriers->crew);
}

void gpu_carriers_close(gpu_carriers *carriers)
{
    if (carriers == NULL)
        return;
    spk_crew_close(carriers->crew);
    for (int k = 0; k < carriers->n_devices; k++)
        if (carriers->stream[k] != NULL)
            (void)cudaStreamDestroy(carriers->stream[k]);
    pthread_mutex_destroy(&carriers->lock);
    free(carriers->stream);
    free(carriers->carrier);
    free(carriers);
}
