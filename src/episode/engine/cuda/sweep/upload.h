/* Brings the recording to a device (host_encoding.h). */
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
    uint32_t delta_width; /* bytes */
    uint32_t unit_width;
    gpu_buffer delta; /* ticks since the event before */
    gpu_buffer unit;
} csweep_upload;

/* Arrays for all events on the calling thread's device, with deltas of delta_width bytes. */
spk_status csweep_upload_reserve(spk_context *context, const spk_events *events,
                                 uint32_t delta_width, csweep_upload *upload);

/* Sends the events [begin, end), from any thread of the device. The arrays must be there for all of
 * its streams. *fits becomes false when a delta takes more bytes, and what was sent means nothing;
 * else it is left alone. */
spk_status csweep_upload_send(spk_context *context, gpu_staging *staging, const spk_events *events,
                              uint64_t begin, uint64_t end, csweep_upload *upload, bool *fits);

/* Arrays and events, by the calling thread alone. */
spk_status csweep_upload_all(spk_context *context, const spk_events *events, csweep_upload *upload);

void csweep_upload_close(csweep_upload *upload);

#ifdef __cplusplus
}
#endif

#endif
