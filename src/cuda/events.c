/* The event stream on a device. */
#include "cuda/events.h"

spk_status gpu_events_open(spk_context *context, const spk_recording *recording, gpu_events *out)
{
    const char *what = "the recording";
    spk_events events = spk_recording_events(recording);
    uint64_t n = events.n_events;
    *out = (gpu_events){.time = {0}};
    spk_status status = gpu_upload(context, &out->time, events.time, n, sizeof(int64_t), what);
    if (status == SPK_OK)
        status = gpu_upload(context, &out->unit, events.unit, n, sizeof(uint32_t), what);
    if (status == SPK_OK)
        status = gpu_upload(context, &out->by_unit, events.by_unit, n, sizeof(uint32_t), what);
    if (status == SPK_OK)
        status = gpu_upload(context, &out->unit_first, events.unit_first,
                            (uint64_t)events.n_units + 1, sizeof(uint64_t), what);
    if (status != SPK_OK) {
        gpu_events_close(out);
        return status;
    }
    out->view = (gpu_events_view){.n_events = n,
                                  .n_units = events.n_units,
                                  .time = (const int64_t *)out->time.data,
                                  .unit = (const uint32_t *)out->unit.data,
                                  .by_unit = (const uint32_t *)out->by_unit.data,
                                  .unit_first = (const uint64_t *)out->unit_first.data};
    return SPK_OK;
}

void gpu_events_close(gpu_events *events)
{
    gpu_release(&events->time);
    gpu_release(&events->unit);
    gpu_release(&events->by_unit);
    gpu_release(&events->unit_first);
}
