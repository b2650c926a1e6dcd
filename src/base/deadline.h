/* A context that is cancelled when its time is over, conditions that are waited for up to a time,
 * and the clocks by which arrivals are told and costs are measured. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/context.h"

typedef struct spk_deadline {
    spk_context *own; /* a child of the caller's context */
    double until;     /* on the clock of spk_seconds_now */
    bool started;
    bool over; /* by the caller */
    bool passed;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} spk_deadline;

/* Makes d->own, which is cancelled `seconds` from now unless the deadline ends before; `d` must
 * stay where it is. Errors: SPK_ERR_MEMORY (also where no thread can be started), with nothing to
 * end. */
spk_status spk_deadline_begin(spk_context *context, double seconds, spk_deadline *d);

/* The time no longer counts, and d->own stays until the deadline ends. True when it was cancelled
 * because its time was over. */
bool spk_deadline_stop(spk_deadline *d);

/* The same, and frees d->own. */
bool spk_deadline_end(spk_deadline *d);

/* Ends the deadline, whose work returned this. Errors are those of the caller's context then, with
 * their message; SPK_OK where the time was over, unless that context was cancelled, too. */
spk_status spk_deadline_leave(spk_context *context, spk_deadline *d, spk_status status);

/* Nanoseconds on CLOCK_MONOTONIC, the clock of spk_seconds_now. */
int64_t spk_now_ns(void);

/* Seconds of work: of the calling thread's processor time where it works alone, since a busy
 * machine shares it out; else of a clock. */
double spk_work_seconds(int threads);

/* ---- conditions ------------------------------------------------------------------------------ */

/* A condition for spk_wait_until. Its clock is one that nobody sets; macOS has none for conditions,
 * and there the time of day counts. */
void spk_timed_condition_init(pthread_cond_t *condition);

/* The time `seconds` from now, on the clock of these conditions; at once where seconds is below 0.
 */
struct timespec spk_time_from_now(double seconds);

/* Waits as pthread_cond_timedwait does. False when the time is over. */
bool spk_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until);
