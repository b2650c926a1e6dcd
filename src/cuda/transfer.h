/*
 * Transfers: several host threads for each device, for the whole of a job, that bring large arrays
 * to the devices and back. One thread alone leaves the bus idle while it reads, converts, or
 * touches host memory for the first time.
 */
#ifndef SPK_CUDA_TRANSFER_H
#define SPK_CUDA_TRANSFER_H

#include "cuda/staging.h"

typedef struct gpu_transfers gpu_transfers;

/* One of them; its device is the thread's current one. */
typedef struct gpu_transfer {
    int device;  /* 0 .. n_devices - 1 */
    int number;  /* among those of the device */
    int n_mates; /* how many the device has */
    bool joined; /* the device */
    gpu_staging staging;
} gpu_transfer;

typedef spk_status gpu_transfer_task(spk_context *context, gpu_transfer *self, void *user);

/* Starts them, as many as `threads` and the number of devices suggest, one for each device at
 * least. Each device is to be entered by another thread before the first task. */
spk_status gpu_transfers_open(spk_context *context, int n_devices, int threads,
                              gpu_transfers **out);

/* Every transfer does the task; returns when all have ended it. */
spk_status gpu_transfers_run(spk_context *context, gpu_transfers *transfers,
                             gpu_transfer_task *task, void *user);

/* The transfer's share [*begin, *end) of n things, shares being of at least `least` or empty. */
void gpu_transfer_share(const gpu_transfer *self, uint64_t n, uint64_t least, uint64_t *begin,
                        uint64_t *end);

/* Lets them end while the caller does something else; no further task. NULL is accepted. */
void gpu_transfers_dismiss(gpu_transfers *transfers);

/* NULL is accepted. */
void gpu_transfers_close(gpu_transfers *transfers);

#endif
