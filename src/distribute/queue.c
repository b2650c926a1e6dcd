/* The queue: workers take tasks under a lock, the caller's thread looks on. */
#include "distribute/queue.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/deadline.h"
#include "base/memory.h"
#include "base/stage.h"
#include "base/threads.h"
#include "distribute/workers.h"

static const double LOOK_S = 0.1;

/* Where a worker sits. */
typedef struct seat {
    spk_context *own; /* NULL: none yet, or gone */
} seat;

typedef struct queue {
    const spk_queue_job *job;
    const spk_ranks *ranks; /* that share the tasks; NULL: none */
    int threads;            /* of the whole job */
    uint64_t memory;        /* bytes for all tasks; 0: no limit */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task has ended, or all is over */
    pthread_cond_t left;    /* a worker has gone home */
    uint64_t next;
    uint64_t *again; /* tasks that did not fit into their share */
    uint64_t n_again;
    uint64_t n_done;
    int parallel; /* tasks that may run at once */
    int running;
    int present; /* workers */
    uint64_t memory_taken;
    bool stop;
    spk_status status; /* of the first failure */
    char message[1024];
    seat *seat; /* of each worker */
} queue;

/* What a task gets. */
typedef struct grant {
    uint64_t task;
    int threads;
    uint64_t memory;
    int parallel; /* tasks that could run beside it when it began, itself included */
} grant;

/* ---- under the lock -------------------------------------------------------------------------- */

static uint64_t tasks_left(const queue *q)
{
    return q->job->n - q->next + q->n_again;
}

/* Of the memory; for one that would be 0, which means no limit. */
static uint64_t share_of(const queue *q, uint64_t memory, uint64_t among)
{
    uint64_t share = memory / among;
    return share > 0 || q->memory == 0 ? share : 1;
}

/* A share that is larger than those before it waits until they are given back. */
static bool fits(const queue *q)
{
    uint64_t share = share_of(q, q->memory, (uint64_t)q->parallel);
    return q->running == 0 || (q->running < q->parallel && share <= q->memory - q->memory_taken);
}

/* The last tasks get what others do not take any more. */
static uint64_t memory_for(const queue *q, uint64_t left_after)
{
    uint64_t share = share_of(q, q->memory, (uint64_t)q->parallel);
    uint64_t spare = q->memory > q->memory_taken ? q->memory - q->memory_taken : 0;
    uint64_t fair = share_of(q, spare, left_after + 1);
    return fair > share ? fair : share;
}

/* Of the last tasks each has the threads that all the others, taken later, cannot use. */
static int threads_for(const queue *q, uint64_t left_after)
{
    uint64_t among =
        left_after + 1 < (uint64_t)q->parallel ? left_after + 1 : (uint64_t)q->parallel;
    int threads = q->threads / (int)among;
    return threads > 1 ? threads : 1;
}

/* Others end soon, too: whatever they were at is not wanted any more. */
static void end_all(queue *q, spk_status status, const char *message)
{
    if (!q->stop) {
        q->status = status;
        snprintf(q->message, sizeof q->message, "%s", message);
    }
    q->stop = true;
    for (int k = 0; k < q->threads; k++)
        spk_context_cancel(q->seat[k].own);
    pthread_cond_broadcast(&q->changed);
}

/* False where other ranks have taken all that were left. */
static bool next_task(queue *q, uint64_t *task)
{
    if (q->n_again > 0) {
        *task = q->again[--q->n_again];
        return true;
    }
    *task = q->next;
    spk_status status = q->ranks != NULL ? q->ranks->next(q->ranks->user, task) : SPK_OK;
    if (status != SPK_OK)
        end_all(q, status, "the ranks cannot reach each other");
    bool got = status == SPK_OK && *task < q->job->n;
    q->next = got ? *task + 1 : q->job->n;
    return got;
}

static bool take(queue *q, grant *out)
{
    while (!q->stop && tasks_left(q) > 0 && !fits(q))
        pthread_cond_wait(&q->changed, &q->lock);
    if (q->stop || tasks_left(q) == 0 || !next_task(q, &out->task))
        return false;
    out->threads = threads_for(q, tasks_left(q));
    out->memory = memory_for(q, tasks_left(q));
    out->parallel = q->parallel;
    q->running++;
    q->memory_taken += out->memory;
    return true;
}

static void give_back(queue *q, const grant *given, spk_status status, const char *message)
{
    q->running--;
    q->memory_taken -= given->memory;
    if (status == SPK_OK) {
        q->n_done++;
    } else if (status == SPK_ERR_MEMORY && given->parallel > 1 && !q->stop) {
        q->again[q->n_again++] = given->task;
        /* One that had begun beside more others says nothing of the number that is allowed now. */
        if (given->parallel == q->parallel)
            q->parallel = q->parallel / 2;
    } else {
        end_all(q, status, message);
    }
    pthread_cond_broadcast(&q->changed);
}

/* ---- workers --------------------------------------------------------------------------------- */

static spk_status work(spk_context *own, int worker, void *user)
{
    queue *q = user;
    grant given;
    spk_context_hush(own);
    pthread_mutex_lock(&q->lock);
    q->seat[worker].own = own;
    while (take(q, &given)) {
        pthread_mutex_unlock(&q->lock);
        spk_context_set_threads(own, given.threads);
        spk_context_set_memory_limit(own, given.memory);
        spk_status status = spk_check_cancel(own);
        if (status == SPK_OK)
            status = q->job->task(own, given.task, q->job->user);
        pthread_mutex_lock(&q->lock);
        give_back(q, &given, status, spk_context_message(own));
    }
    q->seat[worker].own = NULL;
    if (--q->present == 0)
        pthread_cond_signal(&q->left);
    pthread_mutex_unlock(&q->lock);
    return SPK_OK;
}

/* ---- the caller's thread --------------------------------------------------------------------- */

static void wait_a_moment(queue *q)
{
    const struct timespec until = spk_time_from_now(LOOK_S);
    (void)spk_wait_until(&q->left, &q->lock, &until);
}

static void look_on(spk_context *context, queue *q)
{
    const spk_queue_job *job = q->job;
    pthread_mutex_lock(&q->lock);
    while (q->present > 0) {
        wait_a_moment(q);
        uint64_t done = q->ranks != NULL ? q->next : q->n_done;
        if (q->stop)
            continue;
        pthread_mutex_unlock(&q->lock);
        spk_progress(context, job->what, job->n_before + done, job->n_before + job->n);
        spk_status status = job->look != NULL ? job->look(context, job->user) : SPK_OK;
        pthread_mutex_lock(&q->lock);
        if (status != SPK_OK)
            end_all(q, status, spk_context_message(context));
    }
    pthread_mutex_unlock(&q->lock);
}

static void prepare_lock(queue *q)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    spk_timed_condition_init(&q->left);
}

/* As many as the system gives. */
static spk_status open_workers(spk_context *context, queue *q, spk_workers **out)
{
    int n = q->job->n < (uint64_t)q->threads ? (int)q->job->n : q->threads;
    spk_status status = spk_workers_open(context, n, 1, NULL, NULL, NULL, out);
    for (; status != SPK_OK && n > 1; n /= 2)
        status = spk_workers_open(context, n / 2, 1, NULL, NULL, NULL, out);
    return status;
}

static spk_status work_all(spk_context *context, queue *q)
{
    spk_workers *workers = NULL;
    spk_status status = open_workers(context, q, &workers);
    if (status != SPK_OK)
        return status;
    q->present = spk_workers_size(workers);
    q->parallel = q->present;
    spk_progress(context, q->job->what, q->job->n_before, q->job->n_before + q->job->n);
    spk_workers_start(workers, work, q);
    look_on(context, q);
    /* The workers have no failures of their own; a cancel that came too late changes nothing. */
    (void)spk_workers_wait(context, workers);
    spk_workers_close(workers);
    assert(q->stop || q->ranks != NULL || q->n_done == q->job->n);
    return q->status == SPK_OK ? SPK_OK : spk_fail(context, q->status, "%s", q->message);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static spk_status unpack_all(spk_context *context, const queue *q, const spk_exchanged *all)
{
    spk_status status = SPK_OK;
    for (int k = 0; k < q->ranks->n_ranks && status == SPK_OK; k++) {
        spk_blob_reader bytes = spk_exchanged_of(all, k);
        if (k == q->ranks->rank)
            continue;
        status = q->job->unpack(context, q->job->user, &bytes);
        if (status == SPK_ERR_FORMAT)
            status = spk_ranks_fail(context, k);
    }
    return status;
}

static spk_status exchange(spk_context *context, const queue *q)
{
    spk_blob mine = {.bytes = NULL};
    spk_exchanged all;
    spk_status status = q->job->pack(context, q->job->user, &mine);
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, q->ranks, &mine, &all);
    spk_blob_free(&mine);
    if (status != SPK_OK)
        return status;
    status = unpack_all(context, q, &all);
    spk_exchanged_free(&all);
    return status;
}

static spk_status begin(spk_context *context, const queue *q)
{
    spk_status status = q->ranks != NULL ? q->ranks->begin(q->ranks->user) : SPK_OK;
    return status == SPK_OK ? SPK_OK
                            : spk_fail(context, status, "the ranks cannot reach each other");
}

spk_status spk_queue_run(spk_context *context, const spk_queue_job *job)
{
    queue q = {.job = job,
               .ranks = job->pack != NULL ? spk_context_ranks(context) : NULL,
               .threads = spk_threads_take(context),
               .memory = spk_memory_left(context)};
    if (job->n == 0)
        return SPK_OK;
    spk_status status = spk_alloc_columns(context, "a queue of work",
                                          SPK_COLUMN_ZERO(&q.again, (uint64_t)q.threads),
                                          SPK_COLUMN_ZERO(&q.seat, (uint64_t)q.threads));
    if (status != SPK_OK)
        return status;
    prepare_lock(&q);
    status = begin(context, &q);
    if (status == SPK_OK)
        status = work_all(context, &q);
    if (status == SPK_OK && q.ranks != NULL)
        status = exchange(context, &q);
    pthread_cond_destroy(&q.left);
    pthread_cond_destroy(&q.changed);
    pthread_mutex_destroy(&q.lock);
    free(q.again);
    free(q.seat);
    return status;
}
