/* The workers: threads that wait on a condition variable between tasks. */
#include "distribute/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct worker_thread {
    struct spk_workers *workers;
    int number;
    pthread_t thread;
    spk_context *context;
    spk_status status;
} worker_thread;

struct spk_workers {
    int n_workers;
    int n_started;
    worker_thread *worker;
    pthread_mutex_t lock;
    pthread_cond_t begin; /* a task is there, or the end */
    pthread_cond_t end;   /* a worker has finished */
    uint64_t task_number; /* of the present task; workers wait for it to rise */
    int n_busy;
    bool closing;
    spk_worker_task *task;
    void *user;
    spk_worker_leave *leave;
    void *leave_user;
};

static void *work(void *raw)
{
    worker_thread *worker = raw;
    spk_workers *workers = worker->workers;
    uint64_t done = 0;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (workers->task_number == done && !workers->closing)
            pthread_cond_wait(&workers->begin, &workers->lock);
        if (workers->closing)
            break;
        done = workers->task_number;
        spk_worker_task *task = workers->task;
        void *user = workers->user;
        pthread_mutex_unlock(&workers->lock);
        spk_status status = task(worker->context, worker->number, user);
        pthread_mutex_lock(&workers->lock);
        worker->status = status;
        assert(workers->n_busy > 0);
        if (--workers->n_busy == 0)
            pthread_cond_signal(&workers->end);
    }
    pthread_mutex_unlock(&workers->lock);
    if (workers->leave != NULL)
        workers->leave(worker->number, workers->leave_user);
    return NULL;
}

int spk_workers_size(const spk_workers *workers)
{
    return workers->n_workers;
}

void spk_workers_dismiss(spk_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    assert(workers->n_busy == 0); /* else a task that no thread has taken yet would be lost */
    workers->closing = true;
    pthread_cond_broadcast(&workers->begin);
    pthread_mutex_unlock(&workers->lock);
}

void spk_workers_close(spk_workers *workers)
{
    if (workers == NULL)
        return;
    spk_workers_dismiss(workers);
    for (int k = 0; k < workers->n_started; k++)
        pthread_join(workers->worker[k].thread, NULL);
    for (int k = 0; workers->worker != NULL && k < workers->n_workers; k++)
        spk_context_free(workers->worker[k].context);
    pthread_cond_destroy(&workers->begin);
    pthread_cond_destroy(&workers->end);
    pthread_mutex_destroy(&workers->lock);
    free(workers->worker);
    free(workers);
}

static spk_status start_worker(spk_context *context, spk_workers *workers, int k, int threads)
{
    worker_thread *worker = &workers->worker[k];
    *worker = (worker_thread){.workers = workers, .number = k};
    spk_status status = spk_context_create_child(context, &worker->context);
    if (status != SPK_OK)
        return status;
    spk_context_set_threads(worker->context, threads);
    int error = pthread_create(&worker->thread, NULL, work, worker);
    if (error != 0)
        return spk_fail(context, SPK_ERR_MEMORY, "cannot start thread %d: %s", k, strerror(error));
    workers->n_started++;
    return SPK_OK;
}

spk_status spk_workers_open(spk_context *context, int n_workers, int threads,
                            spk_worker_task *enter, spk_worker_leave *leave, void *user,
                            spk_workers **out)
{
    assert(n_workers > 0);
    *out = NULL;
    spk_workers *workers = NULL;
    spk_status status = spk_alloc_zero(context, &workers, 1, "worker threads");
    if (status != SPK_OK)
        return status;
    workers->n_workers = n_workers;
    workers->leave = leave;
    workers->leave_user = user;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->begin, NULL);
    pthread_cond_init(&workers->end, NULL);
    status = spk_alloc_zero(context, &workers->worker, (uint64_t)n_workers, "worker threads");
    for (int k = 0; k < n_workers && status == SPK_OK; k++)
        status = start_worker(context, workers, k, threads);
    if (status == SPK_OK && enter != NULL)
        status = spk_workers_run(context, workers, enter, user);
    if (status == SPK_OK)
        *out = workers;
    else
        spk_workers_close(workers);
    return status;
}

void spk_workers_start(spk_workers *workers, spk_worker_task *task, void *user)
{
    assert(task != NULL);
    pthread_mutex_lock(&workers->lock);
    assert(workers->n_busy == 0 && !workers->closing);
    workers->task = task;
    workers->user = user;
    workers->n_busy = workers->n_workers;
    workers->task_number++;
    pthread_cond_broadcast(&workers->begin);
    pthread_mutex_unlock(&workers->lock);
}

spk_status spk_workers_wait(spk_context *context, spk_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    while (workers->n_busy > 0)
        pthread_cond_wait(&workers->end, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
    for (int k = 0; k < workers->n_workers; k++) {
        const worker_thread *worker = &workers->worker[k];
        if (worker->status != SPK_OK)
            return spk_fail(context, worker->status, "%s", spk_context_message(worker->context));
    }
    return spk_check_cancel(context);
}

spk_status spk_workers_run(spk_context *context, spk_workers *workers, spk_worker_task *task,
                           void *user)
{
    spk_workers_start(workers, task, user);
    return spk_workers_wait(context, workers);
}

/* ---- shares ---------------------------------------------------------------------------------- */

void spk_split(uint64_t n, const uint64_t *weight_before, int n_parts, uint64_t *first)
{
    uint64_t all = weight_before[n];
    uint64_t at = 0;
    first[0] = 0;
    for (int k = 1; k < n_parts; k++) {
        /* all * k may pass 64 bits */
        uint64_t goal = (uint64_t)((unsigned __int128)all * (unsigned)k / (unsigned)n_parts);
        while (at < n && weight_before[at] < goal)
            at++;
        first[k] = at;
    }
    first[n_parts] = n;
}
