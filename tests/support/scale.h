/* How much work random tests do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* n times SPIKEMINE_TEST_SCALE (1 when unset or not a positive number), rounded up, at least 1 for
 * n >= 1. Sanitized builds, which are ten times slower, run a tenth of the random cases. */
uint64_t test_scaled(uint64_t n);

/* The same, and not fewer than `least`: what a case needs to be able to fail. */
uint64_t test_scaled_from(uint64_t n, uint64_t least);

/* Whether searches through whole recordings are wanted: not below a twentieth, as on an emulator.
 */
bool test_whole_recordings(void);
