/* What the system lets this process have: spk_memory_available and the processors, for tests. */
#pragma once

#include <stdint.h>

/* As spk_memory_available, with `root` before each path of the system. */
uint64_t spk_memory_available_below(const char *root);

/* Processors that this process may use at once: those of its affinity, or fewer by the quota of its
 * control groups. At least 1. */
int spk_processors_available(void);
int spk_processors_available_below(const char *root);
