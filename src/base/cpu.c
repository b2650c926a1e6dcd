/* Run-time detection of instruction sets. */
#include "base/cpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool spk_simd_runs(spk_simd simd)
{
    switch (simd) {
    case SPK_SIMD_PORTABLE:
        return true;
#ifdef SPK_HAVE_NEON
    case SPK_SIMD_NEON:
        return true;
#endif
#ifdef SPK_HAVE_X86_SIMD
    case SPK_SIMD_AVX2:
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    case SPK_SIMD_AVX512:
        /* The first generation cannot count bits and lowers its clock: it runs AVX2. */
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq") &&
               __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("bmi2");
#endif
    default:
        return false;
    }
}

const char *spk_simd_name(spk_simd simd)
{
    static const char *const names[] = {"portable", "neon", "avx2", "avx512"};
    static_assert(sizeof names / sizeof names[0] == SPK_N_SIMD, "each set has a name");
    assert((int)simd >= 0 && simd < SPK_N_SIMD);
    return names[simd];
}

spk_simd spk_cpu_simd(void)
{
    spk_simd best = SPK_SIMD_PORTABLE;
    const char *wish = getenv("SPIKEMINE_SIMD");
    for (int k = SPK_SIMD_PORTABLE; k < SPK_N_SIMD; k++) {
        spk_simd simd = (spk_simd)k;
        if (!spk_simd_runs(simd))
            continue;
        if (wish != NULL && strcmp(wish, spk_simd_name(simd)) == 0)
            return simd;
        best = simd;
    }
    return best;
}
