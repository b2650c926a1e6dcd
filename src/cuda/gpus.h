/* GPUs as the rest of the library sees them: whether there are any, how many a job gets, and how a
 * worker thread takes its own. Builds without CUDA have the same functions (absent.c). */
#ifndef SPK_CUDA_GPUS_H
#define SPK_CUDA_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribute/workers.h"

/* False, with the reason written, when no GPU can be used. */
bool spk_gpus_available(char *reason, size_t reason_size);

/* How many GPUs a job gets that asked for `wanted` (or SPK_GPUS_ALL). SPK_ERR_ARGUMENT when it
 * asked for none or more than there are, SPK_ERR_UNAVAILABLE when there are none. */
spk_status spk_gpus_resolve(spk_context *context, int wanted, int *n_gpus);

/* Bytes of GPU memory that jobs hold at present, on all devices. */
uint64_t spk_gpus_memory_used(void);

/* A workers's task: worker k takes device k. */
spk_status spk_gpus_enter(spk_context *context, int worker, void *user);

/* How such a worker ends: its device has done all that it gave it. */
void spk_gpus_leave(int worker, void *user);

#endif
