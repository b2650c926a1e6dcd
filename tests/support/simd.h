/* The instruction sets that kernels can be compared in on this machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How many this build has kernels for and this processor runs; the first is "portable". */
size_t test_n_simd(void);

/* Makes searches use number k modulo test_n_simd() from now on, through SPIKEMINE_SIMD. */
void test_simd_use(uint64_t k);
/* The best again. */
void test_simd_use_best(void);
