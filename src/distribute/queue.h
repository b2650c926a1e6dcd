/*
 * A queue of tasks that are numbered and independent of each other. Threads take tasks, and each
 * result goes to its own place, so that it does not matter who makes it and when: threads, parts of
 * a job on several machines, and a job that was stopped and goes on are one mechanism.
 *
 * While many tasks are left, each has one thread. The last ones share all threads among them, for
 * threads inside the task, so that no processor waits for the slowest one. The memory limit is
 * divided among the tasks that run at the same time. When a task does not fit into its share, fewer
 * run at once, down to one with all that is left.
 *
 * Where the context is that of a rank, and the job says how results travel, the tasks are shared
 * among all ranks: each takes the next one from a counter of all, and in the end each has the
 * results of all. Without that every rank does every task.
 */
#pragma once

#include "distribute/ranks.h"

/* Does one task and keeps its result; called from several threads at once. After SPK_ERR_MEMORY
 * nothing may be left of it: it may be called again for the same task. */
typedef spk_status spk_queue_task(spk_context *own, uint64_t task, void *user);

/* Called from the caller's thread, while tasks run. */
typedef spk_status spk_queue_look(spk_context *context, void *user);

/* Adds to *out, as bytes, what the tasks of this rank made. */
typedef spk_status spk_queue_pack(spk_context *context, void *user, spk_blob *out);

/* Keeps what the tasks of another rank made; SPK_ERR_FORMAT where the bytes make no sense. */
typedef spk_status spk_queue_unpack(spk_context *context, void *user, spk_blob_reader *bytes);

typedef struct spk_queue_job {
    uint64_t n;        /* tasks 0 .. n - 1, handed out in this order */
    uint64_t n_before; /* done by an earlier run; progress counts them */
    const char *what;  /* for progress */
    spk_queue_task *task;
    spk_queue_look *look; /* some ten times a second; a failure ends the work. NULL: none */
    void *user;
    spk_queue_pack *pack; /* both or none; called when no task runs any more */
    spk_queue_unpack *unpack;
} spk_queue_job;

/* Returns when all tasks are done or, after a failure or a cancel, when no task runs any more; the
 * message is that of the first failure. What tasks tell (progress, notes, tally) is not passed on.
 */
spk_status spk_queue_run(spk_context *context, const spk_queue_job *job);
