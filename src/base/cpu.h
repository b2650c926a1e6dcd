/* Which instruction sets this processor has; kernels in several versions are chosen by it. */
#pragma once

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

/* The version for the best set of what is compiled for each of them: SPK_SIMD_BEST(mine) is
 * mine_avx512, mine_avx2, mine_neon or mine_portable, and SPK_SIMD_BEST(&table) the address of one
 * of those. All four must be declared; those that this build lacks are not referred to. */
#if defined(SPK_HAVE_X86_SIMD)
#define SPK_SIMD_BEST(name)                                                                        \
    (spk_cpu_simd() == SPK_SIMD_AVX512 ? name##_avx512                                             \
     : spk_cpu_simd() == SPK_SIMD_AVX2 ? name##_avx2                                               \
                                       : name##_portable)
#elif defined(SPK_HAVE_NEON)
#define SPK_SIMD_BEST(name) (spk_cpu_simd() == SPK_SIMD_NEON ? name##_neon : name##_portable)
#else
#define SPK_SIMD_BEST(name) (name##_portable)
#endif
