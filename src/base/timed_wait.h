/* Conditions that are waited for up to a time. */
#ifndef SPK_BASE_TIMED_WAIT_H
#define SPK_BASE_TIMED_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* A condition for spk_wait_until. Its clock is one that nobody sets; macOS has none for conditions,
 * and there the time of day counts. */
void spk_timed_condition_init(pthread_cond_t *condition);

/* The time `seconds` from now, on the clock of these conditions; at once where seconds is below 0.
 */
struct timespec spk_time_from_now(double seconds);

/* Waits as pthread_cond_timedwait does. False when the time is over. */
bool spk_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until);

#endif
