/* The crew: threads that wait on a condition variable between tasks. */
#include "distribute/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

typedef struct crew_worker {
    struct spk_crew *crew;
    int number;
    pthread_t thread;
    spk_context *context;
    spk_status status;
} crew_worker;

struct spk_crew {
    int n_workers;
    int n_started;
    crew_worker *worker;
    pthread_mutex_t lock;
    pthread_cond_t begin; /* a task is there, or the end */
    pthread_cond_t end;   /* a worker has finished */
    uint64_t task_number; /* of the present task; workers wait for it to rise */
    int n_busy;
    bool closing;
    spk_crew_task *task;
    void *user;
    spk_crew_leave *leave;
    void *leave_user;
};

static void *work(void *raw)
{
    crew_worker *worker = raw;
    spk_crew *crew = worker->crew;
    uint64_t done = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (crew->task_number == done && !crew->closing)
            pthread_cond_wait(&crew->begin, &crew->lock);
        if (crew->closing)
            break;
        done = crew->task_number;
        spk_crew_task *task = crew->task;
        void *user = crew->user;
        pthread_mutex_unlock(&crew->lock);
        spk_status status = task(worker->context, worker->number, user);
        pthread_mutex_lock(&crew->lock);
        worker->status = status;
        if (--crew->n_busy == 0)
            pthread_cond_signal(&crew->end);
    }
    pthread_mutex_unlock(&crew->lock);
    if (crew->leave != NULL)
        crew->leave(worker->number, crew->leave_user);
    return NULL;
}

int spk_crew_size(const spk_crew *crew)
{
    return crew->n_workers;
}

void spk_crew_dismiss(spk_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->closing = true;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
}

void spk_crew_close(spk_crew *crew)
{
    if (crew == NULL)
        return;
    spk_crew_dismiss(crew);
    for (int k = 0; k < crew->n_started; k++)
        pthread_join(crew->worker[k].thread, NULL);
    for (int k = 0; crew->worker != NULL && k < crew->n_workers; k++)
        spk_context_free(crew->worker[k].context);
    pthread_cond_destroy(&crew->begin);
    pthread_cond_destroy(&crew->end);
    pthread_mutex_destroy(&crew->lock);
    free(crew->worker);
    free(crew);
}

static spk_status start_worker(spk_context *context, spk_crew *crew, int k, int threads)
{
    crew_worker *worker = &crew->worker[k];
    *worker = (crew_worker){.crew = crew, .number = k};
    spk_status status = spk_context_create(&worker->context);
    if (status != SPK_OK)
        return spk_fail_memory(context, 1, "worker threads");
    spk_context_set_threads(worker->context, threads);
    spk_context_set_memory_limit(worker->context, spk_context_memory_limit(context));
    spk_context_set_fault(worker->context, spk_context_fault(context));
    int error = pthread_create(&worker->thread, NULL, work, worker);
    if (error != 0)
        return spk_fail(context, SPK_ERR_MEMORY, "cannot start thread %d: %s", k, strerror(error));
    crew->n_started++;
    return SPK_OK;
}

spk_status spk_crew_open(spk_context *context, int n_workers, int threads, spk_crew_task *enter,
                         spk_crew_leave *leave, void *user, spk_crew **out)
{
    *out = NULL;
    spk_crew *crew = NULL;
    spk_status status = spk_alloc_zero(context, (void **)&crew, 1, sizeof *crew, "worker threads");
    if (status != SPK_OK)
        return status;
    crew->n_workers = n_workers;
    crew->leave = leave;
    crew->leave_user = user;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    status = spk_alloc_zero(context, (void **)&crew->worker, (uint64_t)n_workers,
                            sizeof *crew->worker, "worker threads");
    for (int k = 0; k < n_workers && status == SPK_OK; k++)
        status = start_worker(context, crew, k, threads);
    if (status == SPK_OK && enter != NULL)
        status = spk_crew_run(context, crew, enter, user);
    if (status == SPK_OK)
        *out = crew;
    else
        spk_crew_close(crew);
    return status;
}

/* Waits for the workers, and passes on a cancel of the caller's meanwhile. */
static void wait_for_all(const spk_context *context, spk_crew *crew)
{
    while (crew->n_busy > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&crew->end, &crew->lock, &until) == ETIMEDOUT &&
            spk_context_cancelled(context))
            for (int k = 0; k < crew->n_workers; k++)
                spk_context_cancel(crew->worker[k].context);
    }
}

void spk_crew_start(spk_crew *crew, spk_crew_task *task, void *user)
{
    pthread_mutex_lock(&crew->lock);
    crew->task = task;
    crew->user = user;
    crew->n_busy = crew->n_workers;
    crew->task_number++;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
}

spk_status spk_crew_wait(spk_context *context, spk_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    wait_for_all(context, crew);
    pthread_mutex_unlock(&crew->lock);
    for (int k = 0; k < crew->n_workers; k++) {
        const crew_worker *worker = &crew->worker[k];
        if (worker->status != SPK_OK)
            return spk_fail(context, worker->status, "%s", spk_context_message(worker->context));
    }
    return spk_check_cancel(context);
}

spk_status spk_crew_run(spk_context *context, spk_crew *crew, spk_crew_task *task, void *user)
{
    spk_crew_start(crew, task, user);
    return spk_crew_wait(context, crew);
}
