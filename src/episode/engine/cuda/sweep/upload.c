/* Brings the recording to a device. */
#include "episode/engine/cuda/sweep/index.h"

#include <assert.h>

#include "episode/engine/cuda/sweep/host_encoding.h"

static const char *const WHAT = "the recording";

/* What fills the chunks. */
typedef struct sender {
    const spk_events *events;
    uint32_t width;
    bool fits;
} sender;

static bool fill_deltas(void *to, uint64_t first, uint64_t n, void *user)
{
    sender *s = user;
    s->fits = host_encode_deltas(s->events->time, first, n, s->width, to);
    return s->fits;
}

static bool fill_units(void *to, uint64_t first, uint64_t n, void *user)
{
    const sender *s = user;
    host_encode_units(s->events->unit, first, n, s->width, to);
    return true;
}

spk_status csweep_upload_reserve(spk_context *context, const spk_events *events,
                                 uint32_t delta_width, csweep_upload *upload)
{
    upload->n = events->n_events;
    upload->delta_width = delta_width;
    upload->unit_width = host_unit_width(events->n_units);
    spk_status status = gpu_reserve(context, &upload->delta, upload->n, delta_width, WHAT);
    if (status == SPK_OK)
        status = gpu_reserve(context, &upload->unit, upload->n, upload->unit_width, WHAT);
    return status;
}

spk_status csweep_upload_send(spk_context *context, gpu_staging *staging, const spk_events *events,
                              uint64_t begin, uint64_t end, csweep_upload *upload, bool *fits)
{
    sender s = {events, upload->delta_width, true};
    assert(begin <= end && end <= upload->n);
    spk_status status = gpu_send(context, staging, upload->delta.data, begin, end,
                                 upload->delta_width, fill_deltas, &s, WHAT);
    if (!s.fits)
        *fits = false;
    if (status != SPK_OK || !s.fits)
        return status;
    s.width = upload->unit_width;
    return gpu_send(context, staging, upload->unit.data, begin, end, upload->unit_width, fill_units,
                    &s, WHAT);
}

spk_status csweep_upload_all(spk_context *context, const spk_events *events, csweep_upload *upload)
{
    gpu_staging staging = {.chunk = {NULL}};
    spk_status status = SPK_OK;
    bool fits = false;
    for (uint32_t width = HOST_NARROWEST_DELTA; !fits && status == SPK_OK; width *= 2) {
        fits = true;
        status = csweep_upload_reserve(context, events, width, upload);
        if (status == SPK_OK)
            status =
                csweep_upload_send(context, &staging, events, 0, events->n_events, upload, &fits);
    }
    gpu_staging_close(&staging);
    if (status != SPK_OK)
        csweep_upload_close(upload);
    return status;
}

void csweep_upload_close(csweep_upload *upload)
{
    gpu_release(&upload->delta);
    gpu_release(&upload->unit);
    *upload = (csweep_upload){.n = 0};
}
