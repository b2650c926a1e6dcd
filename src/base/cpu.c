/* Run-time detection of instruction sets. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

static spk_simd detect(void)
{
#ifdef SPK_HAVE_X86_SIMD
    __builtin_cpu_init();
    /* The first generation of AVX-512 cannot count bits and lowers its clock: it runs AVX2. */
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq") &&
        __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("bmi2"))
        return SPK_SIMD_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return SPK_SIMD_AVX2;
#endif
    return SPK_SIMD_PORTABLE;
}

const char *spk_simd_name(spk_simd simd)
{
    static const char *const names[] = {"portable", "avx2", "avx512"};
    return names[simd];
}

spk_simd spk_cpu_simd(void)
{
    spk_simd best = detect();
    const char *wish = getenv("SPIKEMINE_SIMD");
    for (int simd = SPK_SIMD_PORTABLE; wish != NULL && simd < (int)best; simd++)
        if (strcmp(wish, spk_simd_name((spk_simd)simd)) == 0)
            return (spk_simd)simd;
    return best;
}
