/* A recording on a device, as engines that look events of a unit up by time need it. */
#ifndef SPK_EPISODE_ENGINE_CUDA_PAPERS_TRACKING_EVENTS_H
#define SPK_EPISODE_ENGINE_CUDA_PAPERS_TRACKING_EVENTS_H

#include "cuda/device.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times of the events by unit, and where each unit's start; passed to kernels by value. */
typedef struct gpu_events_view {
    uint64_t n_events;
    uint32_t n_units;
    const int64_t *place_time;  /* n_events, unit by unit, rising within each */
    const uint64_t *unit_first; /* n_units + 1 */
} gpu_events_view;

typedef struct gpu_events {
    gpu_events_view view;
    gpu_buffer place_time, unit_first;
} gpu_events;

/* On the calling thread's device. */
spk_status gpu_events_open(spk_context *context, const spk_recording *recording, gpu_events *out);
void gpu_events_close(gpu_events *events);

#ifdef __cplusplus
}
#endif

#endif
