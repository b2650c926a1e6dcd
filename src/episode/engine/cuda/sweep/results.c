/*
 * Results on their way to the host. Every device puts a part of the level in order. A part is a
 * range of the canonical order, so parts only have to be put one behind the other. Then the copy
 * threads bring them: most of the time goes into host memory that is used for the first time.
 *
 * Parts:
 *     device    0           1           2
 *     part      0 .. a      a .. b      b .. n       of the canonical order
 *     host      |--- columns of one size, n episodes ---|
 *
 * Invariant: the columns on the host change only when the next size is delivered, after the sink
 * has returned. Cost: a sort on the devices and a copy. Bytes on the host: 16 an episode, and 6 for
 * each of its units.
 */
#include "episode/engine/cuda/sweep/search.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* Fewer episodes than this are put in order by one device. */
enum { FEWEST_TO_SHARE = 1 << 17 };
/* Fewer episodes than this are brought by one copy thread. */
enum { FEWEST_TO_FETCH = 1 << 12 };

/* What one device does for results. */
typedef struct device_results {
    csweep_scratch scratch;
    csweep_columns columns;
} device_results;

/* One size's columns on the host; kept for the next. */
typedef struct host_columns {
    uint64_t capacity; /* episodes */
    uint64_t cells;    /* units in all */
    uint64_t *offset;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
} host_columns;

struct csweep_results {
    csweep_device *const *device;
    int n_devices;
    int n_parts; /* of this level: as many devices put a part in order */
    gpu_copy_threads *copy_threads;
    device_results *of_device;
    uint32_t size;
    host_columns host;
};

static void host_free(host_columns *host)
{
    spk_free_all(host->offset, host->unit, host->delay, host->count);
    *host = (host_columns){.offset = NULL};
}

/* Grows only, and is not copied: what it held was delivered. */
static spk_status host_reserve(spk_context *context, uint64_t n, uint32_t size, host_columns *host)
{
    const char *what = "frequent episodes";
    if (host->offset != NULL && n <= host->capacity && n * size <= host->cells)
        return SPK_OK;
    host_free(host);
    host->capacity = n;
    host->cells = n * size;
    spk_status status = spk_alloc_columns(
        context, what, SPK_COLUMN(&host->offset, n + 1), SPK_COLUMN(&host->unit, n * size),
        SPK_COLUMN(&host->delay, n * size), SPK_COLUMN(&host->count, n));
    if (status != SPK_OK)
        return status;
    spk_prefer_large_pages(host->offset, (n + 1) * sizeof *host->offset);
    spk_prefer_large_pages(host->unit, n * size * sizeof *host->unit);
    spk_prefer_large_pages(host->delay, n * size * sizeof *host->delay);
    spk_prefer_large_pages(host->count, n * sizeof *host->count);
    return SPK_OK;
}

/* Every copy thread brings a piece of its device's part to its place on the host. */
static spk_status fetch_piece(spk_context *context, gpu_copy_thread *self, void *user)
{
    csweep_results *r = user;
    if (self->device >= r->n_parts)
        return SPK_OK;
    const csweep_columns *columns = &r->of_device[self->device].columns;
    host_columns *host = &r->host;
    uint64_t begin = 0;
    uint64_t end = 0;
    gpu_copy_share(self, columns->n, FEWEST_TO_FETCH, &begin, &end);
    uint64_t first = columns->begin + begin;
    uint64_t n = end - begin;
    /* Threads of a device share its columns; places on the host follow from where its part
     * begins. */
    assert(first + n <= host->capacity);
    uint64_t cells = n * r->size;
    const char *what = "frequent episodes";
    const uint32_t *unit = (const uint32_t *)columns->unit.data + begin * r->size;
    const uint16_t *delay = (const uint16_t *)columns->delay.data + begin * r->size;
    const uint64_t *count = (const uint64_t *)columns->count.data + begin;
    gpu_staging *staging = &self->staging;
    for (uint64_t k = 1; k <= n; k++)
        host->offset[first + k] = (first + k) * r->size;
    if (n == 0)
        return SPK_OK;
    spk_status status =
        gpu_fetch(context, staging, host->unit + first * r->size, unit, cells * sizeof *unit, what);
    if (status == SPK_OK)
        status = gpu_fetch(context, staging, host->delay + first * r->size, delay,
                           cells * sizeof *delay, what);
    if (status == SPK_OK)
        status = gpu_fetch(context, staging, host->count + first, count, n * sizeof *count, what);
    return status;
}

/* ---- what others see ------------------------------------------------------------------------- */

spk_status csweep_results_open(spk_context *context, csweep_device *const *devices, int n_devices,
                               gpu_copy_threads *copy_threads, csweep_results **out)
{
    *out = NULL;
    csweep_results *r = NULL;
    const char *what = "engine 'cuda-sweep'";
    spk_status status = spk_alloc_zero(context, &r, 1, what);
    if (status != SPK_OK)
        return status;
    r->device = devices;
    r->n_devices = n_devices;
    r->copy_threads = copy_threads;
    status = spk_alloc_zero(context, &r->of_device, (uint64_t)n_devices, what);
    if (status == SPK_OK)
        *out = r;
    else
        csweep_results_close(r);
    return status;
}

void csweep_results_begin(csweep_results *r, const spk_episode_level *facts)
{
    r->size = facts->size;
    r->n_parts = facts->frequent < FEWEST_TO_SHARE ? 1 : r->n_devices;
}

/* Parts beyond n_parts have nothing to do. */
spk_status csweep_results_sort(spk_context *context, csweep_results *r, int part)
{
    if (part >= r->n_parts)
        return SPK_OK;
    const csweep_device *device = r->device[part];
    device_results *own = &r->of_device[part];
    return csweep_sort_level(context, &device->index, (const uint32_t *)device->lane_unit.data,
                             device->level, r->size, part, r->n_parts, &own->scratch,
                             &own->columns);
}

spk_status csweep_results_deliver(spk_context *context, csweep_results *r,
                                  const spk_episode_level *facts, const spk_episode_search *search)
{
    uint64_t n = facts->frequent;
    assert(facts->size == r->size); /* the level that was begun */
    spk_status status = host_reserve(context, n, facts->size, &r->host);
    if (status != SPK_OK)
        return status;
    r->host.offset[0] = 0;
    status = gpu_copy_threads_run(context, r->copy_threads, fetch_piece, r);
    if (status != SPK_OK)
        return status;
    spk_episode_columns columns = {.n = n,
                                   .offset = r->host.offset,
                                   .unit = r->host.unit,
                                   .delay = r->host.delay,
                                   .count = r->host.count,
                                   .level = facts};
    return search->deliver(search->user, &columns);
}

void csweep_results_drop(csweep_results *r, int part)
{
    if (r == NULL)
        return;
    csweep_scratch_close(&r->of_device[part].scratch);
    csweep_columns_close(&r->of_device[part].columns);
}

void csweep_results_close(csweep_results *r)
{
    if (r == NULL)
        return;
    host_free(&r->host);
    free(r->of_device);
    free(r);
}
