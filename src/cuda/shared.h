/*
 * What hosts and devices work out alike, and what needs no device: tests without a GPU cover it
 * (tests/unit/test_cuda_shared.c).
 */
#pragma once

#include <assert.h>
#include <stdint.h>

/* Marks inline functions that run on the host and on the device alike. */
#ifdef __CUDACC__
#define SPK_SHARED static __host__ __device__ __forceinline__
#else
#define SPK_SHARED static inline
#endif

/* Blocks of `block` threads for n threads, at least one. A grid has at most 2^31 - 1 blocks: more
 * become a number that no launch takes, so that it fails instead of leaving threads out. */
static inline unsigned gpu_blocks(uint64_t n, unsigned block)
{
    assert(n > 0 && block > 0);
    uint64_t blocks = n / block + (n % block != 0);
    return blocks <= INT32_MAX ? (unsigned)blocks : UINT32_MAX;
}

/* A part [begin, end) of n things. */
typedef struct gpu_share {
    uint64_t begin;
    uint64_t end;
} gpu_share;

/* Share number `number` of n_shares about equal ones. Shares have at least `least` things or none;
 * in order of their numbers they cover all. */
static inline gpu_share gpu_share_of(uint64_t n, uint64_t n_shares, uint64_t number, uint64_t least)
{
    assert(least > 0 && number < n_shares);
    uint64_t most = n / least < n_shares ? n / least : n_shares;
    uint64_t used = most < 1 ? 1 : most;
    gpu_share share = {n, n};
    if (number < used)
        share.begin = n / used * number;
    if (number + 1 < used)
        share.end = n / used * (number + 1);
    return share;
}
