/* Which instruction sets this processor has; kernels in several versions are chosen by it. */
#ifndef SPK_BASE_CPU_H
#define SPK_BASE_CPU_H

#include <stdbool.h>

typedef enum spk_simd {
    SPK_SIMD_PORTABLE,
    SPK_SIMD_NEON,
    SPK_SIMD_AVX2,
    SPK_SIMD_AVX512,
    SPK_N_SIMD
} spk_simd;

/* Whether this build has kernels for the set and this processor runs them. */
bool spk_simd_runs(spk_simd simd);

/* The best set that runs. The environment variable SPIKEMINE_SIMD, set to the name of another one
 * that runs, chooses that, for tests and comparisons. */
spk_simd spk_cpu_simd(void);

/* "portable", "neon", "avx2", "avx512". */
const char *spk_simd_name(spk_simd simd);

#endif
