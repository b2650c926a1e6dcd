/* The recording on a device as tracking needs it: the events of a unit are looked up by time. */
#ifndef SPK_EPISODE_ENGINE_CUDA_PAPERS_TRACKING_EVENTS_H
#define SPK_EPISODE_ENGINE_CUDA_PAPERS_TRACKING_EVENTS_H

#include "cuda/staging.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times of the events by unit, and where each unit's start; passed to kernels by value. */
typedef struct tracking_events_view {
    uint64_t n_events;
    uint32_t n_units;
    const int64_t *place_time;  /* n_events, unit by unit, rising within each */
    const uint64_t *unit_first; /* n_units + 1 */
} tracking_events_view;

typedef struct tracking_events {
    tracking_events_view view;
    gpu_buffer place_time, unit_first;
} tracking_events;

/* On the calling thread's device; the recording must stay until it is closed. */
spk_status tracking_events_open(spk_context *context, const spk_recording *recording,
                                gpu_staging *staging, tracking_events *out);
void tracking_events_close(tracking_events *events);

#ifdef __cplusplus
}
#endif

#endif
