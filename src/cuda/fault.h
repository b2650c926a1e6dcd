/* Failures of GPU calls on demand, for tests: set with spk_context_set_fault. */
#ifndef SPK_CUDA_FAULT_H
#define SPK_CUDA_FAULT_H

#include <stdint.h>

/* The checked calls and allocations that a job makes on `device` (-1: on any) are counted down; the
 * one that brings `left` to 0 ends as with `error`, a cudaError_t. */
typedef struct gpu_fault {
    _Atomic int64_t left;
    int device;
    int error;
} gpu_fault;

#endif
