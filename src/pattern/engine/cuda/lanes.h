/*
 * A warp that works together, on a GPU; on the host the same code runs with one lane, so that tests
 * need no GPU. Loops over things go from cp_lane() by CP_LANES. All lanes call what is below
 * together and get the same answer, unless it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cuda/shared.h"

#ifdef __CUDA_ARCH__
#define CP_LANES 32u
#else
#define CP_LANES 1u
#endif

/* What is read at once. */
#ifdef __cplusplus
#define CP_ALIGNED alignas(16)
#else
#define CP_ALIGNED _Alignas(16)
#endif

/* Steps of the loop that follows which are done side by side, while memory answers. */
#ifdef __CUDA_ARCH__
#define CP_PRAGMA(text) _Pragma(#text)
#define CP_UNROLL(n)    CP_PRAGMA(unroll n)
#else
#define CP_UNROLL(n)
#endif

/* The loop that follows stays one: code that does not fit into a multiprocessor's cache for
 * instructions is waited for. */
#define CP_ROLLED CP_UNROLL(1)

SPK_SHARED uint32_t cp_lane(void)
{
#ifdef __CUDA_ARCH__
    return threadIdx.x % CP_LANES;
#else
    return 0;
#endif
}

/* What lanes wrote before can be read by all. */
SPK_SHARED void cp_sync(void)
{
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
}

/* Bit k: what lane k says. */
SPK_SHARED uint32_t cp_ballot(bool mine)
{
#ifdef __CUDA_ARCH__
    return __ballot_sync(0xffffffffu, mine);
#else
    return mine ? 1 : 0;
#endif
}

SPK_SHARED uint32_t cp_sum(uint32_t mine)
{
#ifdef __CUDA_ARCH__
    return __reduce_add_sync(0xffffffffu, mine);
#else
    return mine;
#endif
}

SPK_SHARED uint32_t cp_most(uint32_t mine)
{
#ifdef __CUDA_ARCH__
    return __reduce_max_sync(0xffffffffu, mine);
#else
    return mine;
#endif
}

/* The sum over the lanes before this one; *all is that over all of them. */
SPK_SHARED uint32_t cp_before(uint32_t mine, uint32_t *all)
{
#ifdef __CUDA_ARCH__
    uint32_t sum = mine;
    for (uint32_t step = 1; step < CP_LANES; step *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
        sum += cp_lane() >= step ? other : 0;
    }
    *all = __shfl_sync(0xffffffffu, sum, CP_LANES - 1);
    return sum - mine;
#else
    *all = mine;
    return 0;
#endif
}

SPK_SHARED uint64_t cp_from_first(uint64_t mine)
{
#ifdef __CUDA_ARCH__
    return __shfl_sync(0xffffffffu, mine, 0);
#else
    return mine;
#endif
}

/* What lane `lane` says. */
SPK_SHARED uint32_t cp_from(uint32_t mine, uint32_t lane)
{
#ifdef __CUDA_ARCH__
    return __shfl_sync(0xffffffffu, mine, (int)lane);
#else
    (void)lane;
    return mine;
#endif
}

SPK_SHARED uint32_t cp_bits(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(x);
#else
    return (uint32_t)__builtin_popcount(x);
#endif
}

/* The number of the lowest bit; there must be one. */
SPK_SHARED uint32_t cp_low_bit(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__ffs((int)x) - 1;
#else
    return (uint32_t)__builtin_ctz(x);
#endif
}

/* Where this lane puts what it keeps: lanes in order, behind the *n that are there. */
SPK_SHARED uint32_t cp_append(bool keep, uint32_t *n)
{
    const uint32_t all = cp_ballot(keep);
    const uint32_t at = *n + cp_bits(all & ((UINT32_C(1) << cp_lane()) - 1));
    *n += cp_bits(all);
    return at;
}

/* The end of a loop in which all lanes take part in each step. */
SPK_SHARED uint32_t cp_whole(uint32_t n)
{
    return (n + CP_LANES - 1) / CP_LANES * CP_LANES;
}

/* ---- what warps share: each lane by itself ----------------------------------------------------
 */

SPK_SHARED uint64_t cp_add64(uint64_t *to, uint64_t more)
{
#ifdef __CUDA_ARCH__
    return atomicAdd((unsigned long long *)to, (unsigned long long)more);
#else
    const uint64_t before = *to;
    *to += more;
    return before;
#endif
}

SPK_SHARED uint32_t cp_add(uint32_t *to, uint32_t more)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(to, more);
#else
    const uint32_t before = *to;
    *to += more;
    return before;
#endif
}

SPK_SHARED void cp_raise(uint32_t *to, uint32_t value)
{
#ifdef __CUDA_ARCH__
    atomicMax(to, value);
#else
    *to = *to > value ? *to : value;
#endif
}

SPK_SHARED void cp_lower64(uint64_t *to, uint64_t value)
{
#ifdef __CUDA_ARCH__
    atomicMin((unsigned long long *)to, (unsigned long long)value);
#else
    *to = *to < value ? *to : value;
#endif
}

/* The value that all warps see by now. */
SPK_SHARED uint32_t cp_fresh(const uint32_t *from)
{
#ifdef __CUDA_ARCH__
    return __ldcg(from);
#else
    return *from;
#endif
}

SPK_SHARED uint32_t cp_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

SPK_SHARED uint32_t cp_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}
