/* The recording's way to a device (host_codes.h). */
#ifndef SPK_EPISODE_ENGINE_CUDA_SWEEP_UPLOAD_H
#define SPK_EPISODE_ENGINE_CUDA_SWEEP_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/staging.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The events in order of time, on a device; {0} is empty. */
typedef struct csweep_upload {
    uint64_t n;
    uint32_t step_width; /* bytes */
    uint32_t unit_width;
    gpu_buffer step; /* ticks since the event before */
    gpu_buffer unit;
} csweep_upload;

/* Room for all events on the calling thread's device, with steps of so many bytes. */
spk_status csweep_upload_reserve(spk_context *context, const spk_events *events,
                                 uint32_t step_width, csweep_upload *upload);

/* Sends the events [begin, end) from any thread of the device, the room being there for all its
 * streams. *fits becomes false, and nothing of worth is sent, when a step takes more bytes; else it
 * is left alone. */
spk_status csweep_upload_send(spk_context *context, gpu_staging *staging, const spk_events *events,
                              uint64_t begin, uint64_t end, csweep_upload *upload, bool *fits);

/* Room and events, by the calling thread alone. */
spk_status csweep_upload_all(spk_context *context, const spk_events *events, csweep_upload *upload);

void csweep_upload_close(csweep_upload *upload);

#ifdef __cplusplus
}
#endif

#endif
