/* The events of each unit on a device. */
#include "episode/engine/cuda/papers/tracking/events.h"

#include <stdlib.h>

#include "base/memory.h"

spk_status tracking_events_open(spk_context *context, const spk_recording *recording,
                                tracking_events *out)
{
    const char *what = "the recording";
    spk_events events = spk_recording_events(recording);
    int64_t *time = NULL;
    *out = (tracking_events){.place_time = {0}};
    spk_status status = spk_alloc(context, &time, events.n_events, what);
    if (status != SPK_OK)
        return status;
    for (uint64_t p = 0; p < events.n_events; p++)
        time[p] = events.time[events.by_unit[p]];
    status = gpu_upload(context, &out->place_time, time, events.n_events, sizeof *time, what);
    if (status == SPK_OK)
        status = gpu_upload(context, &out->unit_first, events.unit_first,
                            (uint64_t)events.n_units + 1, sizeof(uint64_t), what);
    if (status == SPK_OK)
        status = gpu_wait(context, what); /* before `time` goes */
    free(time);
    if (status != SPK_OK) {
        tracking_events_close(out);
        return status;
    }
    out->view = (tracking_events_view){.n_events = events.n_events,
                                       .n_units = events.n_units,
                                       .place_time = (const int64_t *)out->place_time.data,
                                       .unit_first = (const uint64_t *)out->unit_first.data};
    return SPK_OK;
}

void tracking_events_close(tracking_events *events)
{
    gpu_release(&events->place_time);
    gpu_release(&events->unit_first);
    *events = (tracking_events){.place_time = {0}};
}
