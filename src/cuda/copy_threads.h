/*
 * Copy threads: several host threads for each device, for the whole of a job, that copy large
 * arrays to the devices and back. One thread alone leaves the bus idle while it reads, converts, or
 * touches host memory for the first time.
 */
#pragma once

#include "cuda/staging.h"

typedef struct gpu_copy_threads gpu_copy_threads;

/* One of them; its device is the thread's current one. */
typedef struct gpu_copy_thread {
    int device;    /* 0 .. n_devices - 1 */
    int number;    /* among the threads of this device */
    int n_threads; /* how many threads the device has */
    bool joined;   /* the device */
    gpu_staging staging;
} gpu_copy_thread;

typedef spk_status gpu_copy_task(spk_context *context, gpu_copy_thread *self, void *user);

/* Starts about n_threads threads, at least one for each device. Another thread enters each device
 * before the first task. */
spk_status gpu_copy_threads_open(spk_context *context, int n_devices, int n_threads,
                                 gpu_copy_threads **out);

/* Every thread does the task; returns when all have ended it. */
spk_status gpu_copy_threads_run(spk_context *context, gpu_copy_threads *threads,
                                gpu_copy_task *task, void *user);

/* The thread's share [*begin, *end) of n things. Shares have at least `least` things or none. */
void gpu_copy_share(const gpu_copy_thread *self, uint64_t n, uint64_t least, uint64_t *begin,
                    uint64_t *end);

/* Lets the threads end while the caller does something else; no further task. NULL is accepted. */
void gpu_copy_threads_dismiss(gpu_copy_threads *threads);

/* NULL is accepted. */
void gpu_copy_threads_close(gpu_copy_threads *threads);
