/* A context that is cancelled when its time is over. */
#include "base/deadline.h"

#include <errno.h>

/* ---- conditions ------------------------------------------------------------------------------ */

#ifdef __APPLE__
static const clockid_t condition_clock = CLOCK_REALTIME;
#else
static const clockid_t condition_clock = CLOCK_MONOTONIC;
#endif

void spk_timed_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t clocked;
    pthread_condattr_init(&clocked);
#ifndef __APPLE__
    pthread_condattr_setclock(&clocked, condition_clock);
#endif
    pthread_cond_init(condition, &clocked);
    pthread_condattr_destroy(&clocked);
}

struct timespec spk_time_from_now(double seconds)
{
    struct timespec at = {0};
    clock_gettime(condition_clock, &at);
    double end = (double)at.tv_nsec * 1e-9 + (seconds > 0 ? seconds : 0);
    at.tv_sec += (time_t)end;
    at.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    return at;
}

bool spk_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
    return pthread_cond_timedwait(condition, lock, until) != ETIMEDOUT;
}

static void *watch(void *user)
{
    spk_deadline *d = user;
    const struct timespec at = spk_time_from_now(d->until - spk_seconds_now());
    pthread_mutex_lock(&d->lock);
    while (!d->over && !d->passed)
        d->passed = !spk_wait_until(&d->changed, &d->lock, &at) && !d->over;
    if (d->passed)
        spk_context_cancel(d->own);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

spk_status spk_deadline_begin(spk_context *context, double seconds, spk_deadline *d)
{
    *d = (spk_deadline){.until = spk_seconds_now() + seconds};
    spk_status status = spk_context_create_child(context, &d->own);
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&d->lock, NULL);
    spk_timed_condition_init(&d->changed);
    d->started = pthread_create(&d->thread, NULL, watch, d) == 0;
    if (d->started)
        return SPK_OK;
    spk_deadline_end(d);
    return spk_fail(context, SPK_ERR_MEMORY, "no thread can be started that looks at the clock");
}

bool spk_deadline_stop(spk_deadline *d)
{
    if (d->over)
        return d->passed;
    pthread_mutex_lock(&d->lock);
    d->over = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->started)
        pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    return d->passed;
}

bool spk_deadline_end(spk_deadline *d)
{
    if (d->own == NULL)
        return false;
    const bool passed = spk_deadline_stop(d);
    spk_context_free(d->own);
    d->own = NULL;
    return passed;
}

spk_status spk_deadline_leave(spk_context *context, spk_deadline *d, spk_status status)
{
    const bool passed = spk_deadline_stop(d);
    if (status == SPK_ERR_CANCELLED && passed && !spk_context_cancelled(context))
        status = SPK_OK;
    if (status != SPK_OK)
        status = spk_fail(context, status, "%s", spk_context_message(d->own));
    spk_deadline_end(d);
    return status;
}

int64_t spk_now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double spk_work_seconds(int threads)
{
    struct timespec now = {0};
    if (threads > 1 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return spk_seconds_now();
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
