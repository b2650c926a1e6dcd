/* Failures of GPU calls on demand, for tests:
 *
 *     gpu_fault fault = {.base = {gpu_fault_strike}, .left = 3, .device = -1, .error = 2};
 *     spk_context_set_fault(context, &fault.base);
 */
#pragma once

#include <stdint.h>

#include "base/context.h"

/* The checked calls and allocations that a job makes on `device` (-1: on any) are counted down; the
 * one that brings `left` to 0 ends as with `error`, a cudaError_t. */
typedef struct gpu_fault {
    spk_fault base; /* the first member */
    _Atomic int64_t left;
    int device;
    int error;
} gpu_fault;

/* What `base` calls. */
int gpu_fault_strike(spk_fault *base);
