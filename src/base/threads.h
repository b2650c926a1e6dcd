/* How many threads a parallel region may have. */
#pragma once

#include <stdint.h>

#include "base/context.h"

/* Threads for the parallel regions of a call, at least 1 and at most those of the context.
 *
 * OpenMP ends the program where a thread cannot be started. So as many threads are started for a
 * moment as are wanted, and where the system refuses some, half of those that it gave are taken. A
 * note says so. What other threads of the program take in between cannot be foreseen.
 *
 * In a process that was forked from one in which the library had threads, the answer is 1: OpenMP
 * would wait for threads that did not come along. */
int spk_threads_take(spk_context *context);

/* The same for a loop over n items that take nanoseconds each: 1 where they are few. */
int spk_threads_for(spk_context *context, uint64_t n);

/* How many of `wanted` threads can be started beside each other, the calling one included. */
int spk_threads_startable(int wanted);
