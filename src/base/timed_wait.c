/* Conditions that are waited for up to a time. */
#include "base/timed_wait.h"

#include <errno.h>

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
