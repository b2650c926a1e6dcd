/* Which instruction sets this processor has; kernels in several versions are chosen by it. */
#ifndef SPK_BASE_CPU_H
#define SPK_BASE_CPU_H

typedef enum spk_simd { SPK_SIMD_PORTABLE, SPK_SIMD_AVX2, SPK_SIMD_AVX512 } spk_simd;

/* The best set that this build has kernels for and this processor runs. The environment variable
 * SPIKEMINE_SIMD (portable, avx2, avx512) lowers it, for tests and comparisons. */
spk_simd spk_cpu_simd(void);

/* "portable", "avx2", "avx512". */
const char *spk_simd_name(spk_simd simd);

#endif
