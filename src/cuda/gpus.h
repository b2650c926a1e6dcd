/* GPUs as the rest of the library sees them: whether there are any, and how a worker thread takes
 * its own. Builds without CUDA answer, too (absent.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/* False, with the reason written, when no GPU can be used. */
bool spk_gpus_available(char *reason, size_t reason_size);

/* Whether there is a driver of GPUs, which is found sooner than whether it has a GPU. */
bool spk_gpus_driver(void);

/* Does a task on a device and leaves the calling thread's own device as it was. SPK_ERR_ARGUMENT
 * when there is no such device, SPK_ERR_UNAVAILABLE when there is none at all. In builds with CUDA.
 */
typedef spk_status spk_gpu_task(spk_context *context, void *user);
spk_status spk_gpus_on(spk_context *context, int device, spk_gpu_task *task, void *user);

/* Bytes of GPU memory that jobs hold at present, on all devices. */
uint64_t spk_gpus_memory_used(void);

/* A task for workers (distribute/workers.h): worker k takes device k. */
spk_status spk_gpus_enter(spk_context *context, int worker, void *user);

/* How such a worker ends: its device has done all that it gave it. */
void spk_gpus_leave(int worker, void *user);
