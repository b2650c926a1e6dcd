/*
 * Results on their way to the host. Every device puts a part of the level in order: a range of the
 * canonical order, so that parts only have to be put one behind the other. Then several threads
 * for each device copy: most of the time goes into host memory that is used for the first time.
 */
#include "episode/engine/cuda/sweep/results.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cuda/gpus.h"
#include "cuda/staging.h"
#include "distribute/crew.h"

enum { MOST_WRITERS = 16, MOST_A_DEVICE = 8 };
/* Fewer episodes than this are put in order by one device. */
enum { FEWEST_TO_SHARE = 1 << 17 };

/* What one device does for results. */
typedef struct device_results {
    csweep_scratch scratch;
    csweep_columns columns;
} device_results;

/* One size's columns on the host; kept for the next. */
typedef struct host_columns {
    uint64_t room;  /* episodes */
    uint64_t cells; /* units in all */
    uint64_t *offset;
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
} host_columns;

struct csweep_results {
    csweep_device *const *device;
    int n_devices;
    int n_parts; /* of this level: as many devices put a part in order */
    int n_writers;
    spk_crew *writers;
    device_results *of_device;
    gpu_staging *staging; /* of each writer */
    uint32_t size;
    host_columns host;
};

static void host_free(host_columns *host)
{
    free(host->offset);
    free(host->unit);
    free(host->delay);
    free(host->count);
    *host = (host_columns){.offset = NULL};
}

static spk_status host_reserve(spk_context *context, uint64_t n, uint32_t size, host_columns *host)
{
    const char *what = "frequent episodes";
    if (host->offset != NULL && n <= host->room && n * size <= host->cells)
        return SPK_OK;
    host_free(host);
    host->room = n;
    host->cells = n * size;
    spk_status status = spk_alloc(context, (void **)&host->offset, n + 1, sizeof(uint64_t), what);
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&host->unit, n * size, sizeof(uint32_t), what);
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&host->delay, n * size, sizeof(uint16_t), what);
    if (status == SPK_OK)
        status = spk_alloc(context, (void **)&host->count, n, sizeof(uint64_t), what);
    return status;
}

/* ---- what a writer does ---------------------------------------------------------------------- */

static spk_status enter(spk_context *context, int writer, void *user)
{
    const csweep_results *r = user;
    return spk_gpus_enter(context, writer % r->n_devices, NULL);
}

/* Every writer brings a piece of its device's part to its place on the host. */
static spk_status fetch_piece(spk_context *context, int writer, void *user)
{
    csweep_results *r = user;
    int part = writer % r->n_devices;
    if (part >= r->n_parts)
        return SPK_OK;
    const csweep_columns *columns = &r->of_device[part].columns;
    host_columns *host = &r->host;
    uint64_t n_pieces = (uint64_t)(r->n_writers / r->n_devices);
    uint64_t piece = (uint64_t)(writer / r->n_devices);
    uint64_t begin = columns->n / n_pieces * piece;
    uint64_t end = piece + 1 == n_pieces ? columns->n : begin + columns->n / n_pieces;
    uint64_t first = columns->begin + begin;
    uint64_t n = end - begin;
    uint64_t cells = n * r->size;
    const char *what = "frequent episodes";
    const uint32_t *unit = (const uint32_t *)columns->unit.data + begin * r->size;
    const uint16_t *delay = (const uint16_t *)columns->delay.data + begin * r->size;
    const uint64_t *count = (const uint64_t *)columns->count.data + begin;
    gpu_staging *staging = &r->staging[writer];
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

static spk_status release(spk_context *context, int writer, void *user)
{
    (void)context;
    csweep_results *r = user;
    gpu_staging_close(&r->staging[writer]);
    if (writer < r->n_devices) {
        csweep_scratch_close(&r->of_device[writer].scratch);
        csweep_columns_close(&r->of_device[writer].columns);
    }
    return SPK_OK;
}

/* ---- what others see ------------------------------------------------------------------------- */

spk_status csweep_results_open(spk_context *context, csweep_device *const *devices, int n_devices,
                               int threads, csweep_results **out)
{
    *out = NULL;
    csweep_results *r = NULL;
    int each = (threads < MOST_WRITERS ? threads : MOST_WRITERS) / n_devices;
    each = each > MOST_A_DEVICE ? MOST_A_DEVICE : each;
    each = each < 1 ? 1 : each;
    const char *what = "engine 'cuda-sweep'";
    spk_status status = spk_alloc_zero(context, (void **)&r, 1, sizeof *r, what);
    if (status != SPK_OK)
        return status;
    r->device = devices;
    r->n_devices = n_devices;
    r->n_writers = each * n_devices;
    status = spk_alloc_zero(context, (void **)&r->of_device, (uint64_t)n_devices,
                            sizeof *r->of_device, what);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, (void **)&r->staging, (uint64_t)r->n_writers,
                                sizeof *r->staging, what);
    if (status == SPK_OK)
        status = spk_crew_open(context, r->n_writers, 1, enter, spk_gpus_leave, r, &r->writers);
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
    spk_status status = host_reserve(context, n, facts->size, &r->host);
    if (status != SPK_OK)
        return status;
    r->host.offset[0] = 0;
    status = spk_crew_run(context, r->writers, fetch_piece, r);
    if (status != SPK_OK)
        return status;
    spk_episode_columns columns = {n, r->host.offset, r->host.unit, r->host.delay, r->host.count};
    return search->deliver(search->user, facts, &columns);
}

void csweep_results_close(csweep_results *r)
{
    if (r == NULL)
        return;
    if (r->writers != NULL)
        (void)spk_crew_run(NULL, r->writers, release, r);
    spk_crew_close(r->writers);
    host_free(&r->host);
    free(r->of_device);
    free(r->staging);
    free(r);
}
