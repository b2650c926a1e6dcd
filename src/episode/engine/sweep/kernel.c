/* Chooses the sweep kernels for this machine. */
#include "episode/engine/sweep/kernel.h"

#include "base/cpu.h"

sweep_narrow_fn sweep_narrow_portable;
sweep_wide_fn sweep_wide_portable;
sweep_extend_fn sweep_extend_portable;
#ifdef SPK_HAVE_NEON
sweep_narrow_fn sweep_narrow_neon;
sweep_wide_fn sweep_wide_neon;
sweep_extend_fn sweep_extend_neon;
#endif
#ifdef SPK_HAVE_X86_SIMD
sweep_narrow_fn sweep_narrow_avx2, sweep_narrow_avx512;
sweep_wide_fn sweep_wide_avx2, sweep_wide_avx512;
sweep_extend_fn sweep_extend_avx2, sweep_extend_avx512;
#endif

sweep_kernels sweep_kernels_choose(void)
{
    switch (spk_cpu_simd()) {
#ifdef SPK_HAVE_NEON
    case SPK_SIMD_NEON:
        return (sweep_kernels){sweep_narrow_neon, sweep_wide_neon, sweep_extend_neon};
#endif
#ifdef SPK_HAVE_X86_SIMD
    case SPK_SIMD_AVX512:
        return (sweep_kernels){sweep_narrow_avx512, sweep_wide_avx512, sweep_extend_avx512};
    case SPK_SIMD_AVX2:
        return (sweep_kernels){sweep_narrow_avx2, sweep_wide_avx2, sweep_extend_avx2};
#endif
    default:
        return (sweep_kernels){sweep_narrow_portable, sweep_wide_portable, sweep_extend_portable};
    }
}
