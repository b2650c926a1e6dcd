/* The instruction sets that kernels can be compared in on this machine. */
#include "support/simd.h"

#include <stdlib.h>

#include "base/cpu.h"

static size_t list(spk_simd *out)
{
    size_t n = 0;
    for (int k = 0; k < SPK_N_SIMD; k++)
        if (spk_simd_runs((spk_simd)k))
            out[n++] = (spk_simd)k;
    return n;
}

size_t test_n_simd(void)
{
    spk_simd all[SPK_N_SIMD];
    return list(all);
}

void test_simd_use(uint64_t k)
{
    spk_simd all[SPK_N_SIMD];
    size_t n = list(all);
    setenv("SPIKEMINE_SIMD", spk_simd_name(all[k % n]), 1);
}

void test_simd_use_best(void)
{
    unsetenv("SPIKEMINE_SIMD");
}
