/* A recording's columns on a device, as engines that walk the event stream need them. */
#ifndef SPK_CUDA_EVENTS_H
#define SPK_CUDA_EVENTS_H

#include "cuda/device.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The columns of spk_events in device memory; passed to kernels by value. */
typedef struct gpu_events_view {
    uint64_t n_events;
    uint32_t n_units;
    const int64_t *time;
    const uint32_t *unit;
    const uint32_t *by_unit;
    const uint64_t *unit_first;
} gpu_events_view;

typedef struct gpu_events {
    gpu_events_view view;
    gpu_buffer time, unit, by_unit, unit_first;
} gpu_events;

spk_status gpu_events_open(spk_context *context, const spk_recording *recording, gpu_events *out);
void gpu_events_close(gpu_events *events);

#ifdef __cplusplus
}
#endif

#endif
