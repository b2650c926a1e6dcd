/* Latencies in buckets of equal ratio: 64 to each doubling, exact below 64 ns. */
#include <assert.h>

#include "spikemine/live_session.h"

enum { SUB_BITS = 6, SUB = 1 << SUB_BITS };

static_assert(SPK_LIVE_LATENCY_BUCKETS == (64 - SUB_BITS) * SUB + SUB, "one for every int64 time");

/* Times from 2^e on lie in SUB buckets of 2^(e - SUB_BITS) each. */
static uint32_t bucket_of(uint64_t ns)
{
    if (ns < SUB)
        return (uint32_t)ns;
    uint32_t shift = 63u - (uint32_t)__builtin_clzll(ns) - SUB_BITS;
    return (shift + 1) * SUB + (uint32_t)((ns >> shift) - SUB);
}

/* The middle of a bucket. */
static int64_t middle_of(uint32_t bucket)
{
    if (bucket < SUB)
        return bucket;
    uint32_t shift = bucket / SUB - 1;
    return (int64_t)((((uint64_t)SUB + bucket % SUB) << shift) + (((uint64_t)1 << shift) >> 1));
}

void spk_live_latency_add(spk_live_latency *latency, int64_t ns)
{
    ns = ns > 0 ? ns : 0;
    latency->n++;
    latency->most = ns > latency->most ? ns : latency->most;
    latency->bucket[bucket_of((uint64_t)ns)]++;
}

int64_t spk_live_latency_quantile(const spk_live_latency *latency, double q)
{
    double wanted = q * (double)latency->n;
    uint64_t seen = 0;
    if (latency->n == 0)
        return 0;
    for (uint32_t k = 0; k < SPK_LIVE_LATENCY_BUCKETS; k++) {
        seen += latency->bucket[k];
        if (seen > 0 && (double)seen >= wanted)
            return middle_of(k) < latency->most ? middle_of(k) : latency->most;
    }
    return latency->most;
}
