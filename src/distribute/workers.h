/*
 * Workers: a fixed number of host threads that live for a whole run, one for each device, so that
 * what a thread set up (its device, its context there) is there for the next task.
 *
 * Each worker has a child of the context that they were opened with, which must outlive them. A
 * worker so sees a cancel of the caller's at once, and its notes and progress reach the caller's
 * callbacks. The message of the first worker that fails goes to the caller's context.
 */
#pragma once

#include <stdint.h>

#include "base/context.h"

typedef struct spk_workers spk_workers;

/* What one worker does; `worker` is 0 .. n_workers - 1. */
typedef spk_status spk_worker_task(spk_context *context, int worker, void *user);

/* What one worker does last, whatever became of its tasks. */
typedef void spk_worker_leave(int worker, void *user);

/* Starts n_workers threads; each first does `enter` and, before it ends, `leave`, also when
 * entering failed (each may be NULL; `user` must last until close). Every worker's context has
 * `threads` threads. On failure nothing is left running. */
spk_status spk_workers_open(spk_context *context, int n_workers, int threads,
                            spk_worker_task *enter, spk_worker_leave *leave, void *user,
                            spk_workers **out);

/* Every worker does the task; returns when all have ended it. */
spk_status spk_workers_run(spk_context *context, spk_workers *workers, spk_worker_task *task,
                           void *user);

/* The same in two halves, so that the caller can do something meanwhile. Each start needs its wait,
 * which tells of failures. */
void spk_workers_start(spk_workers *workers, spk_worker_task *task, void *user);
spk_status spk_workers_wait(spk_context *context, spk_workers *workers);

int spk_workers_size(const spk_workers *workers);

/* Lets the threads end, as no further task will come, without waiting for them: close does. */
void spk_workers_dismiss(spk_workers *workers);

/* Ends the threads. NULL is accepted. */
void spk_workers_close(spk_workers *workers);

/* Cuts n items into n_parts runs of neighbours of about equal weight: part k is
 * [first[k], first[k + 1]); first has n_parts + 1 entries. weight_before[i] is the weight of the
 * items before i, n + 1 entries. */
void spk_split(uint64_t n, const uint64_t *weight_before, int n_parts, uint64_t *first);
