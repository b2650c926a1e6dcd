/* The events of each unit on a device. */
#include "episode/engine/cuda/papers/tracking/tracking.h"

static bool fill_times(void *to, uint64_t first, uint64_t n, void *user)
{
    const spk_events *events = user;
    int64_t *time = to;
    for (uint64_t i = 0; i < n; i++)
        time[i] = events->time[events->by_unit[first + i]];
    return true;
}

spk_status tracking_events_open(spk_context *context, const spk_recording *recording,
                                gpu_staging *staging, tracking_events *out)
{
    const char *what = "the recording";
    spk_events events = spk_recording_events(recording);
    *out = (tracking_events){.place_time = {0}};
    spk_status status = gpu_upload_filled(context, staging, &out->place_time, events.n_events,
                                          sizeof(int64_t), fill_times, &events, what);
    if (status == SPK_OK)
        status = gpu_upload(context, &out->unit_first, events.unit_first,
                            (uint64_t)events.n_units + 1, sizeof(uint64_t), what);
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
